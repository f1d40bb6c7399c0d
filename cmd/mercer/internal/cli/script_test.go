package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts in testdata/script run the program as a person does. The names of
// LIBSVM's programs stand for links to it.
func TestMain(m *testing.M) {
	run := func() { os.Exit(Main(os.Args, os.Stdin, os.Stdout, os.Stderr)) }
	testscript.Main(m, map[string]func(){
		"mercer": run, "svm-train": run, "svm-predict": run, "svm-scale": run,
	})
}

func TestScripts(t *testing.T) {
	shared, testdata := datatest.Folder(t), filepath.Join(datatest.Root(t), "data")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"iris-as": irisFile, "compress": compressFile, "cut": cutFile,
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("SHARED", shared)
			e.Setenv("DATAPKG", testdata)
			for _, name := range []string{"svm-train", "svm-predict", "svm-scale"} {
				path, err := realProgram(name)
				if err != nil {
					path = ""
				}
				e.Setenv("REAL_"+map[string]string{"svm-train": "TRAIN", "svm-predict": "PREDICT", "svm-scale": "SCALE"}[name], path)
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
