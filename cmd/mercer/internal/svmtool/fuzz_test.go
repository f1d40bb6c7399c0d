package svmtool

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// memoryFolder is a folder that is no disk's, where there is one: a model is synced to its disk,
// and a busy one takes longer over that than all the rest of a run.
func memoryFolder(f *testing.F) string {
	dir, err := os.MkdirTemp("/dev/shm", "mercer-fuzz")
	if err != nil {
		return f.TempDir()
	}
	f.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// FuzzPredict gives svm-predict any model file and any rows: it ends with an
// error or with one line for each row (and one for the labels), never with a
// panic or a half-written file.
func FuzzPredict(f *testing.F) {
	dir := memoryFolder(f)
	modelPath, rowsPath, outPath := filepath.Join(dir, "m"), filepath.Join(dir, "rows"), filepath.Join(dir, "out")
	f.Add("svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 3\nrho 0.1 0.2 0.3\nlabel 1 -1 5\nprobA 1 2 "+
		"3\nprobB 0 0 1\nnr_sv 1 1 1\nSV\n1 0.5 1:1 2:3\n-1 1 1:2\n-1 -2 2:1\n", "1 1:2 2:1\n-1 2:3\n5\n", true)
	f.Add("svm_type nu_svr\nkernel_type polynomial\ndegree 3\ngamma 1\ncoef0 0\nnr_class 2\ntotal_sv 1\nrho 0.1\nprobA "+
		"0.3\nSV\n1 1:1 2:3\n", "1 1:2 2:1\n-1 2:3\n", true)
	f.Add("svm_type one_class\nkernel_type precomputed\nnr_class 2\ntotal_sv 1\nrho 0.1\nprob_density_marks 1 2 "+
		"3\nSV\n1 0:3\n", "1 0:1 1:0.1 2:0.2 3:0.3\n", false)
	f.Add("svm_type epsilon_svr\nkernel_type sigmoid\ngamma 1\ncoef0 1\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 3:1\n",
		"0 1:1e308\n", false)
	f.Add("svm_type nu_svc\nkernel_type linear\nnr_class 1\ntotal_sv 0\nrho\nlabel 7\nnr_sv 0\nSV\n", "7 1:1\n", false)
	f.Fuzz(func(t *testing.T, model, rows string, probable bool) {
		if len(model)+len(rows) > 1<<14 {
			return
		}
		write(t, modelPath, model)
		write(t, rowsPath, rows)
		os.Remove(outPath)
		args := []string{"-b", "0", rowsPath, modelPath, outPath}
		if probable {
			args[1] = "1"
		}
		err := Predict(context.Background(), args, io.Discard, io.Discard)
		text, missing := os.ReadFile(outPath)
		switch {
		case err != nil && missing == nil:
			t.Fatalf("failed (%v) and left a file of %d bytes", err, len(text))
		case err == nil && missing != nil:
			t.Fatal("neither an error nor a file")
		case err == nil:
			lines := strings.Count(string(text), "\n")
			if strings.HasPrefix(string(text), "labels") {
				lines--
			}
			if want := rowsOf(t, rowsPath, modelPath); lines != want {
				t.Fatalf("%d predictions of %d rows", lines, want)
			}
		}
	})
}

// rowsOf counts the rows of a file that a model was shown.
func rowsOf(t *testing.T, rows, model string) int {
	m, err := readModel(model)
	if err != nil {
		t.Fatal(err)
	}
	table, err := readTable(context.Background(), rows, m.kernelParams.Type == precomputed)
	if err != nil {
		t.Fatal(err)
	}
	return table.rows.Len()
}

// endingContext has ended when it was asked so many times whether it has.
type endingContext struct {
	context.Context
	mu   sync.Mutex
	left int
	done chan struct{}
}

func (c *endingContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
	}
	if c.left--; c.left == 0 {
		close(c.done)
	}
	if c.left > 0 {
		return nil
	}
	return context.Canceled
}

func (c *endingContext) Done() <-chan struct{} {
	c.Err()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done
}

// FuzzTrain gives svm-train any options and a few rows: it heeds its context,
// and a model that it writes can be read.
func FuzzTrain(f *testing.F) {
	dir := memoryFolder(f)
	rowsPath, modelPath := filepath.Join(dir, "rows"), filepath.Join(dir, "m")
	rows := "1 1:2 2:1\n-1 2:3\n1 1:1\n-1 1:-1 2:2\n"
	for _, options := range []string{"", "-s 1 -n 0.3", "-s 2", "-s 3 -b 1", "-s 4 -t 1 -d 2", "-b 1 -w1 2 -w-1 0.5",
		"-v 2", "-t 3 -r 1 -h 0", "-c 1e9 -e 1e-9 -m 1"} {
		f.Add(options, rows)
	}
	f.Add("-t 3 -r 1 -h 0", "1 1:2 288888888:1\n-1 2:3\n1 1:1\n-1 1:-1 2:2\n") // found by this target: gigabytes
	f.Add("-t 4", "1 0:1 1:1 2:0\n-1 0:2 1:0 2:1\n")
	f.Fuzz(func(t *testing.T, options, rows string) {
		if len(rows) > 1<<10 || strings.Count(rows, "\n") > 30 {
			return
		}
		args := strings.Fields(options)
		for i, a := range args {
			if i%2 == 0 && !strings.HasPrefix(a, "-") || i%2 == 1 && args[i-1] == "-q" {
				return // would name other files
			}
		}
		if len(args)%2 == 1 {
			return
		}
		write(t, rowsPath, rows)
		os.Remove(modelPath)
		// Some options take for ever: training ends at a look at its context, of which there are
		// some for every few steps. One that no longer looks hangs, and the fuzzer tells of that.
		err := Train(&endingContext{Context: context.Background(), left: 2000}, append(args, rowsPath, modelPath), io.Discard,
			io.Discard)
		if _, missing := os.Stat(modelPath); missing != nil {
			return
		}
		if err != nil {
			t.Fatalf("failed (%v) and left a model", err)
		}
		if _, err := readModel(modelPath); err != nil {
			t.Fatalf("wrote a model that it cannot read: %v", err)
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
