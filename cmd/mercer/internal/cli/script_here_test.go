package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// here is the program in the process of the test. To start a process takes longer than most of a
// thousand commands do, so that is what -short does; without it each command is a process, as a
// person starts it. One at a time: the folder is of the whole process.
func here(dir string, stdout, stderr *bytes.Buffer, args ...string) (code int, err error) {
	oneHere.Lock()
	defer oneHere.Unlock()
	home, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	if err := os.Chdir(dir); err != nil {
		return 0, err
	}
	defer func() { err = os.Chdir(home) }()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // which a fit sets
	defer debug.SetGCPercent(debug.SetGCPercent(800))    // most of them would end before a first collection
	return Main(args, strings.NewReader(""), stdout, stderr), nil
}

var oneHere sync.Mutex

// program runs a command in a folder, and returns all that it said.
func program(t *testing.T, dir string, args ...string) (said []byte, code int) {
	t.Helper()
	if testing.Short() {
		var stdout, stderr bytes.Buffer
		code, err := here(dir, &stdout, &stderr, append([]string{"mercer"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return append(stdout.Bytes(), stderr.Bytes()...), code
	}
	c := exec.Command("mercer", args...)
	c.Dir = dir
	said, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return said, c.ProcessState.ExitCode()
}

// hereCmd is a command of a script: here PROGRAM WORDS.
func hereCmd(ts *testscript.TestScript, neg bool, args []string) {
	var stdout, stderr bytes.Buffer
	code, err := here(ts.MkAbs("."), &stdout, &stderr, args...)
	ts.Check(err)
	_, _ = ts.Stdout().Write(stdout.Bytes())
	_, _ = ts.Stderr().Write(stderr.Bytes())
	if (code != exitOK) != neg {
		ts.Fatalf("%s ended with the code %d", strings.Join(args, " "), code)
	}
}

// scriptsHere is a folder with the scripts of another, whose commands are those of hereCmd wherever
// they need no process.
func scriptsHere(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s: %v", dir, err)
	}
	out := t.TempDir()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(out, filepath.Base(file)), []byte(withoutProcesses(string(text))), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

var execLine = regexp.MustCompile(`^((?:\[[^\]]+\] *)*(?:! *)?)exec ((?:mercer|svm-train|svm-predict|svm-scale)\b.*)$`)

// withoutProcesses leaves those lines of a script as they are that have standard input, bounded
// memory or a connection, or whose command goes on beside the next.
func withoutProcesses(script string) string {
	lines := strings.Split(script, "\n")
	fed := false
	for i, line := range lines {
		if strings.HasPrefix(line, "-- ") {
			break // files
		}
		if m := execLine.FindStringSubmatch(line); m != nil && !fed && !strings.HasSuffix(line, "&") &&
			!strings.Contains(line, "--memory") && !strings.Contains(line, "--server") {
			lines[i] = m[1] + "here " + m[2]
		}
		fed = strings.HasPrefix(line, "stdin ") || fed && !strings.Contains(line, "exec ")
	}
	return strings.Join(lines, "\n")
}

func TestScriptsWithoutProcesses(t *testing.T) {
	const script = "exec mercer fit\n! exec mercer nosuch\n[shared] exec svm-train x\nstdin a\n\nexec mercer data " +
		"-\nexec mercer data a\n" +
		"exec mercer serve &s&\n! exec mercer fit a --memory 1MB\nexec mercer predict --server x m a\n? exec mercer " +
		"fit\nexec sh -c 'exec mercer data'\n-- a --\nexec mercer fit\n"
	const want = "here mercer fit\n! here mercer nosuch\n[shared] here svm-train x\nstdin a\n\nexec mercer data -\nhere " +
		"mercer data a\n" +
		"exec mercer serve &s&\n! exec mercer fit a --memory 1MB\nexec mercer predict --server x m a\n? exec mercer " +
		"fit\nexec sh -c 'exec mercer data'\n-- a --\nexec mercer fit\n"
	if got := withoutProcesses(script); got != want {
		t.Errorf("%s", got)
	}
}
