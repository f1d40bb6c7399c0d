//go:build unix

package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// What a person without the rights is told: the file, the reason and what to
// do; and nothing is left behind. Root has all rights, so root runs the program as nobody.
func TestWithoutPermission(t *testing.T) {
	top, own := placeForNobody(t)
	mercer := func(args ...string) (said string, code int) {
		cmd := exec.Command(filepath.Join(top, "bin", "mercer"), args...)
		cmd.Dir = own
		cmd.SysProcAttr = asNobody()
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Skipf("SKIPPED: the program cannot be run without root's rights here: %v", err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	if said, code := mercer("fit", "../iris.csv", "-q", "--learner", "ridge", "--kernel", "linear()", "--grid", "lambda=1",
		"--folds", "2", "-o", "m.mercer", "--report", "none"); code != exitOK {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	text, err := os.ReadFile(filepath.Join(own, "m.mercer"))
	if err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"hidden.mercer": 0, "closed/old.mercer": 0o644,
		"own/kept.mercer": 0o444} {
		if err := os.WriteFile(filepath.Join(top, name), text, mode); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(filepath.Join(own, "kept.mercer"), nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(top, "closed"), 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(top, "closed"), 0o755)
	before := tree(t, top)
	const mayNotWrite = " cannot be written: permission denied; choose another place, or get the right to write to it"
	const mayNotRead = ": permission denied\n  ask its owner for the right to read it"
	fit := func(more ...string) []string {
		return append([]string{"fit", "../iris.csv", "-q", "--learner", "ridge"}, more...)
	}
	for _, c := range []struct {
		args []string
		says string
		code int
	}{
		{[]string{"fit", "../hidden.csv"}, "../hidden.csv" + mayNotRead, exitUsage},
		{[]string{"predict", "m.mercer", "../hidden.csv"}, "../hidden.csv" + mayNotRead, exitUsage},
		{[]string{"eval", "m.mercer", "../hidden.csv"}, "../hidden.csv" + mayNotRead, exitUsage},
		{[]string{"pca", "../hidden.csv"}, "../hidden.csv" + mayNotRead, exitUsage},
		{[]string{"svm-train", "../hidden.csv"}, "can't open input file ../hidden.csv: permission denied", exitFailure},
		{[]string{"predict", "../hidden.mercer", "../iris.csv"}, "../hidden.mercer: permission denied; ask its owner",
			exitUsage},
		{[]string{"inspect", "../hidden.mercer"}, "../hidden.mercer: permission denied; ask its owner", exitUsage},
		{fit("-o", "../closed/m.mercer"), "../closed/m.mercer" + mayNotWrite, exitUsage},
		{fit("-o", "../closed/old.mercer"), "../closed/old.mercer" + mayNotWrite, exitUsage},
		{fit("-o", "kept.mercer"), "kept.mercer" + mayNotWrite, exitUsage},
		{fit("-o", "n.mercer", "--report", "../closed/r.html"), "../closed/r.html" + mayNotWrite, exitUsage},
		{fit("-o", "n.mercer", "--journal", "../closed/j"), "../closed/j" + mayNotWrite, exitUsage},
		{[]string{"predict", "m.mercer", "../iris.csv", "-o", "../closed/p.csv"}, "../closed/p.csv" + mayNotWrite, exitUsage},
		{[]string{"pca", "../iris.csv", "--plot", "../closed/p.png"}, "../closed/p.png" + mayNotWrite, exitUsage},
		{[]string{"gram", "../iris.csv", "-o", "../closed/k.npy"}, "../closed/k.npy" + mayNotWrite, exitUsage},
		{[]string{"data", "../iris.csv", "--convert", "../closed/x.libsvm"}, "../closed/x.libsvm" + mayNotWrite, exitUsage},
		{[]string{"export", "m.mercer", "--to", "json", "-o", "../closed/m.json"}, "../closed/m.json" + mayNotWrite,
			exitUsage},
		{[]string{"man", "../closed"}, "../closed/mercer.1" + mayNotWrite, exitUsage},
		{[]string{"man", "../closed/pages"}, "../closed/pages" + mayNotWrite, exitUsage},
	} {
		said, code := mercer(c.args...)
		if !strings.Contains(said, c.says) || code != c.code {
			t.Errorf("mercer %s: exit code %d, said\n%s\nwant %d and %q", strings.Join(c.args, " "), code, said, c.code, c.says)
		}
		if after := tree(t, top); !slices.Equal(before, after) {
			t.Errorf("mercer %s: there were %q, now %q", strings.Join(c.args, " "), before, after)
			before = after
		}
	}
}

const nobody = 65534

// asNobody takes root's rights from a program; others have none to lose.
func asNobody() *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

// placeForNobody is a folder that nobody can enter, with the program, a file
// to read, one that may not be read, and a folder of nobody's own.
func placeForNobody(t *testing.T) (top, own string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	top, err := os.MkdirTemp("", "mercer-rights") // t.TempDir lies in a folder that nobody may not enter
	must(err)
	t.Cleanup(func() { os.RemoveAll(top) })
	must(os.Chmod(top, 0o755))
	own = filepath.Join(top, "own")
	for _, folder := range []string{own, filepath.Join(top, "bin"), filepath.Join(top, "closed")} {
		must(os.Mkdir(folder, 0o755))
	}
	if os.Geteuid() == 0 {
		must(os.Chown(own, nobody, nobody))
	}
	program, err := os.Executable()
	must(err)
	bytes, err := os.ReadFile(program)
	must(err)
	must(os.WriteFile(filepath.Join(top, "bin", "mercer"), bytes, 0o755))
	run(t, top, "data", "iris", "--convert", "iris.csv")
	must(os.Chmod(filepath.Join(top, "iris.csv"), 0o644))
	must(os.WriteFile(filepath.Join(top, "hidden.csv"), []byte("x,y\n1,2\n"), 0))
	return top, own
}

// tree lists a folder with all beneath it, and how large files are.
func tree(t *testing.T, top string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		size := int64(0)
		if !d.IsDir() {
			size = info.Size()
		}
		out = append(out, strings.TrimPrefix(path, top)+" "+info.Mode().String()+" "+sizeText(size))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
