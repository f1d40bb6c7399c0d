package files

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWriteFileAtomicLeavesTheOldFileOnFailure(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.mercer")
	write := func(text string, fail error) error {
		return WriteAtomic(file, func(w io.Writer) error {
			io.WriteString(w, text)
			return fail
		})
	}
	if err := write("old", nil); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	if err := write("new", boom); !errors.Is(err, boom) {
		t.Fatalf("error %v, want boom", err)
	}
	if got, _ := os.ReadFile(file); string(got) != "old" {
		t.Fatalf("file holds %q, want %q", got, "old")
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Fatalf("%d files left, want 1", len(left))
	}
}

func TestWriteFileAtomicKeepsWhatAFileIs(t *testing.T) {
	dir := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		if err := WriteAtomic(file, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	file, link := filepath.Join(dir, "m"), filepath.Join(dir, "link")
	write(file, "old")
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	write(link, "new")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no link any more: %v", err)
	}
	if got, _ := os.ReadFile(file); string(got) != "new" {
		t.Errorf("the file that the link leads to holds %q", got)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("permissions are %v, were -rw-------", info.Mode().Perm())
	}
}

// A link to a file that is not there yet is followed, through other links; one into a folder that
// is not there, or in a circle, is refused.
func TestWriteFileAtomicFollowsADanglingLink(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for link, to := range map[string]string{"link": "second", "second": at("new"), "astray": "no/m", "round": "round"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skipf("SKIPPED: no links here: %v", err)
		}
	}
	text := func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }
	if err := errors.Join(CheckWritable(at("link")), WriteAtomic(at("link"), text)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(at("link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no link any more: %v", err)
	}
	if info, err := os.Lstat(at("new")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the file was not made where the link leads: %v", err)
	}
	for link, says := range map[string]string{"astray": "there is no folder " + at("no"), "round": at("round") +
		" cannot be written"} {
		for _, err := range []error{CheckWritable(at(link)), WriteAtomic(at(link), text)} {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v; want %q", link, err, says)
			}
		}
	}
}

// A device is written to, not replaced by a file (LIBSVM's users write what
// they do not want to /dev/null). A pipe stands for it, which a failure here
// does not destroy.
func TestWriteFileAtomicWritesToAPipe(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	read := make(chan string, 1)
	go func() {
		got, _ := os.ReadFile(fifo)
		read <- string(got)
	}()
	if err := WriteAtomic(fifo, func(w io.Writer) error {
		_, err := io.WriteString(w, "through")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(fifo); err != nil || info.Mode().IsRegular() {
		t.Fatalf("the pipe was replaced: %v", err)
	}
	if got := <-read; got != "through" {
		t.Errorf("read %q", got)
	}
}

func TestWriteFileUntilLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	err := WriteUntil(ctx, filepath.Join(dir, "m"), func(w io.Writer) error {
		io.WriteString(w, strings.Repeat("x", 1<<21))
		cancel()
		// The removal does not wait for this function to return: two minutes are a watchdog.
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if left, _ := os.ReadDir(dir); len(left) == 0 {
				return nil
			}
		}
		return errors.New("the unfinished file is still there")
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestWriteErrorNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{dir, filepath.Join(dir, "no", "m")} {
		for name, err := range map[string]error{"write": WriteAtomic(file, func(io.Writer) error { return nil }),
			"check": CheckWritable(file)} {
			var bad *WriteError
			if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), file+" cannot be written: ") {
				t.Errorf("%s %s: %v", name, file, err)
			}
		}
	}
	if err := CheckWritable(filepath.Join(dir, "m")); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// A file that is not waited for is the new one as soon as the call returns, and the old one after a
// failure; nothing else is left beside it.
func TestWriteFileSoon(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out")
	put := func(text string, failure error) error {
		return WriteSoon(context.Background(), file, func(w io.Writer) error {
			io.WriteString(w, text)
			return failure
		})
	}
	refusal := errors.New("no")
	if err := put("old", nil); err != nil {
		t.Fatal(err)
	}
	if err := put("half", refusal); !errors.Is(err, refusal) {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "old" {
		t.Errorf("after a failure the file holds %q, %v", b, err)
	}
	if err := put("new", nil); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "new" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if all, err := os.ReadDir(filepath.Dir(file)); err != nil || len(all) != 1 {
		t.Errorf("%d files in the folder, %v", len(all), err)
	}
}
