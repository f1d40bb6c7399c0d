package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts in testdata/script run the program as a person does. The names of LIBSVM's programs
// stand for links to it. MERCER_TEST_PATIENCE is how long a verb may take to wind up after Ctrl-C,
// which is under a second for people and must not be where a busy machine decides what is written.
func TestMain(m *testing.M) {
	run := func() {
		wait := patience
		if d, err := time.ParseDuration(os.Getenv("MERCER_TEST_PATIENCE")); err == nil {
			wait = func() time.Duration { return d }
		}
		code := mainWith(wait, os.Args, os.Stdin, os.Stdout, os.Stderr)
		leavePeak()
		os.Exit(code)
	}
	testscript.Main(m, map[string]func(){
		"mercer": run, "svm-train": run, "svm-predict": run, "svm-scale": run,
	})
}

func TestScripts(t *testing.T) {
	shared, testdata := datatest.Folder(t), filepath.Join(datatest.Root(t), "internal", "format")
	dir := "testdata/script"
	if testing.Short() {
		dir = scriptsHere(t, dir)
		t.Setenv("COLUMNS", "") // a script's own environment has none
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"await-lines": awaitLines, "iris-as": irisFile, "compress": compressFile, "cut": cutFile, "latin-1": latinFile,
			"serving": servingCmd, "here": hereCmd,
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("SHARED", shared)
			e.Setenv("DATAPKG", testdata)
			for _, name := range []string{"svm-train", "svm-predict", "svm-scale"} {
				path, err := realProgram(name)
				if err != nil {
					path = ""
				}
				e.Setenv("REAL_"+map[string]string{"svm-train": "TRAIN", "svm-predict": "PREDICT", "svm-scale": "SCALE"}[name],
					path)
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "shared":
				_, err := os.Stat(filepath.Join(shared, "svmguide1"))
				return err == nil, nil
			case "libsvm":
				_, err := realProgram("svm-train")
				return err == nil, nil
			case "long":
				return !testing.Short(), nil
			}
			return false, nil
		},
	})
}

// awaitLines waits until a file has so many lines: await-lines FILE COUNT.
func awaitLines(ts *testscript.TestScript, neg bool, args []string) {
	lines, err := strconv.Atoi(args[1])
	ts.Check(err)
	if !waitForLines(ts.MkAbs(args[0]), lines) {
		ts.Fatalf("%s never had %d lines", args[0], lines)
	}
}

// waitForLines is false where a file does not get so many lines within minutes: a watchdog.
func waitForLines(path string, lines int) bool {
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(path)
		if bytes.Count(text, []byte("\n")) >= lines {
			return true
		}
	}
	return false
}

func writeFile(path string, text []byte) error { return os.WriteFile(path, text, 0o666) }

// realProgram finds LIBSVM's own program, not the test's stand-in.
func realProgram(name string) (string, error) {
	for _, dir := range []string{"/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}
