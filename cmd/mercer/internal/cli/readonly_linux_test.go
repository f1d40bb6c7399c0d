package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A folder that may be read and not written to costs no work and nobody a file: each verb refuses
// before it computes, names the file that it would have written, and leaves the folder as it was. What
// only reads does its work there.
func TestFoldersThatMayBeReadOnly(t *testing.T) {
	root := t.TempDir()
	for at := root; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(root, "mercer")
	copyProgram(t, program)
	table := "a,b,y\n"
	for i := range 40 {
		table += strings.Repeat("1", i%5+1) + "," + string(rune('0'+i%10)) + "," + string(rune('0'+i*7%10)) + "\n"
	}
	dir, free := filepath.Join(root, "dir"), filepath.Join(root, "free")
	for _, d := range []string{dir, free} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		c := exec.Command(program, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "HOME=/nonexistent", "XDG_CACHE_HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent")
		if os.Geteuid() == 0 { // who may do anything
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := c.CombinedOutput()
		return string(out), err
	}
	fit := []string{"fit", "t.csv", "--target", "y", "--task", "regress", "--learner", "ridge", "--kernel", "linear()",
		"--grid", "lambda=1", "--time", "5m"}
	if out, err := run(append(fit, "-o", "m.mercer")...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	before := names(t, dir)
	to := filepath.Join(free, "m.mercer")
	for _, c := range []struct {
		file string // that cannot be written; empty: all goes well
		args []string
	}{
		{"model.mercer", fit},
		{"n.mercer", append(fit, "-o", "n.mercer")},
		{"j.journal", append(fit, "-o", to, "--journal", "j.journal")},
		{"r.html", append(fit, "-o", to, "--report", "r.html")},
		{"p.csv", []string{"predict", "m.mercer", "t.csv", "-o", "p.csv"}},
		{"t.train.csv", []string{"split", "t.csv"}},
		{"x.parquet", []string{"data", "t.csv", "--convert", "x.parquet"}},
		{"g.npy", []string{"gram", "t.csv", "--kernel", "linear()", "-o", "g.npy"}},
		{"o.onnx", []string{"export", "m.mercer", "-o", "o.onnx"}},
		{"", append(fit, "-o", to, "--report", "none")},
		{"", []string{"predict", "m.mercer", "t.csv"}},
		{"", []string{"inspect", "m.mercer"}},
		{"", []string{"data", "t.csv"}},
		{"", []string{"test", "independence", "t.csv", "--x", "a", "--y", "b", "--permutations", "20"}},
	} {
		out, err := run(c.args...)
		switch {
		case c.file == "" && err != nil:
			t.Errorf("%v: %v\n%s", c.args, err, out)
		case c.file != "" && (err == nil || !strings.Contains(out, c.file+" cannot be written")):
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
		if c.file != "" && err != nil && c.args[0] == "fit" && strings.Contains(out, "held out") {
			t.Errorf("%v searched before it refused\n%s", c.args, out)
		}
	}
	if after := names(t, dir); after != before {
		t.Errorf("the folder had %s, and has %s", before, after)
	}
}

func copyProgram(t *testing.T, to string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range all {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}
