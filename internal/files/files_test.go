package files

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func write(t *testing.T, path string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSame(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("a"))
	write(t, at("b"))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Skipf("SKIPPED: no links here: %v", err)
		}
	}
	must(os.Mkdir(at("folder"), 0o777))
	must(os.Symlink("a", at("link")))
	must(os.Link(at("a"), at("hard")))
	must(os.Symlink(dir, at("again")))
	must(os.Symlink("none", at("dangling")))
	must(os.Symlink(filepath.Join("again", "folder", "..", "none"), at("dangling2")))
	t.Chdir(dir)
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{at("a"), "a", true},
		{"a", "./folder/../a", true},
		{"a", "b", false},
		{"a", "link", true},
		{"link", "hard", true},
		{"a", "again/hard", true},
		{"none", "again/none", true},
		{"none", "other", false},
		{"none", "a", false},
		{"none", "dangling", true},
		{"again/dangling", "dangling2", true},
		{"no/folder/x", "no/folder/x", true},
		{os.DevNull, os.DevNull, false},
	} {
		if got := Same(c.a, c.b); got != c.want || Same(c.b, c.a) != got {
			t.Errorf("Same(%q, %q) is %v", c.a, c.b, got)
		}
	}
	must(os.Symlink("round", at("round")))
	if _, err := Follow("round"); err == nil {
		t.Error("a link to itself leads somewhere")
	}
}

func TestLock(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "f"))
	one, _ := os.Open(path)
	defer one.Close()
	if err := Lock(one); err != nil {
		t.Skipf("SKIPPED: no locks here: %v", err)
	}
	two, _ := os.Open(path)
	defer two.Close()
	if err := Lock(two); !errors.Is(err, ErrLocked) {
		t.Errorf("a second lock: %v", err)
	}
	if b, err := os.ReadFile(path); string(b) != "x" || err != nil {
		t.Errorf("a locked file is not read: %q, %v", b, err)
	}
	one.Close()
	if err := Lock(two); err != nil {
		t.Errorf("the lock of a closed file: %v", err)
	}
}

// endedProcess is the number of a process that is no more.
func endedProcess(t *testing.T) int {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Skipf("SKIPPED: no process can be started here: %v", err)
	}
	return child.Process.Pid
}

// What a killed process left of a file is removed by the next that writes it; what a process is
// still writing, and what only looks alike, stays.
func TestNewRemovesWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	ended, living := endedProcess(t), os.Getppid()
	name := func(format string, a ...any) string { return filepath.Join(dir, fmt.Sprintf(format, a...)) }
	left := []string{name(".m.%d-0", ended), name(".m.%d-17", ended), name(".m.%d-900", os.Getpid())}
	stays := []string{name("m"), name(".m.%d-0", living), name(".n.%d-0", ended), name("m.%d-0", ended),
		name(".m.%d", ended),
		name(".m.%d-x", ended), name(".m.0%d-0", ended), name(".m.20260101-1"), name(".m.-5-0")}
	for _, path := range append(append([]string{}, left...), stays...) {
		write(t, path)
	}
	own, err := New(filepath.Join(dir, "m"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := New(filepath.Join(dir, "m")) // which must not take the first for left behind
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(stays, own.Name(), other.Name()) {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("removed: %v", err)
		}
	}
	for _, path := range left {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if err := Become(own, filepath.Join(dir, "m")); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "m")); len(b) != 0 {
		t.Errorf("the file was not replaced: %q", b)
	}
	if err := Become(other, filepath.Join(dir, "m")); err != nil {
		t.Fatal(err)
	}
}
