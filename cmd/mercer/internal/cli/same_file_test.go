package cli

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
)

// The same command gives the same model file, byte for byte, at any number of threads, whatever the
// learner and the task; and the same predictions.
func TestSameCommandSameFile(t *testing.T) {
	dir := t.TempDir()
	var numbers, classes strings.Builder
	numbers.WriteString("a,b,y\n")
	classes.WriteString("a,b,y\n")
	for i := range 36 {
		a, b := math.Sin(float64(i)), math.Cos(1.7*float64(i))
		fmt.Fprintf(&numbers, "%.4f,%.4f,%.4f\n", a, b, a+2*b+0.1*math.Sin(float64(9*i)))
		fmt.Fprintf(&classes, "%.4f,%.4f,%s\n", a, b, []string{"yes", "no"}[i*i%7%2])
	}
	for name, text := range map[string]string{"numbers.csv": numbers.String(), "classes.csv": classes.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for turn, learner := range all.Names() {
		l, _ := all.Described(learner)
		tables := []string{"numbers.csv", "classes.csv"}
		if testing.Short() && l.Does(data.Regression) && l.Does(data.Binary) {
			tables = tables[turn%2:][:1] // one task of each that does both
		}
		t.Run(learner, func(t *testing.T) {
			t.Parallel()
			fitted := 0
			for _, table := range tables {
				var models, predictions [][]byte
				for _, threads := range []string{"1", "2"} {
					out := filepath.Join(dir, learner+table+threads+".mercer")
					fit := []string{"fit", table, "-q", "--learner", learner, "--folds", "2", "--report", "none", "--threads", threads,
						"-o", out}
					if learner == "spline" {
						fit = append(fit, "--ignore", "b")
					}
					if testing.Short() && !l.OwnKernel { // one of the kernels that it would try, and few of its widths
						fit = append(fit, "--kernel", "gaussian(lengthscale=1)", "--grid", "lengthscale=0.5,1")
					}
					said, code := program(t, dir, fit...)
					if code == exitUsage { // a learner of the other task
						break
					}
					if code != exitOK {
						t.Fatalf("%s: %s", table, said)
					}
					model, err := os.ReadFile(out)
					if err != nil {
						t.Fatal(err)
					}
					predicted, code := program(t, dir, "predict", out, table, "-q")
					if code != exitOK {
						t.Fatalf("%s: %s", table, predicted)
					}
					models, predictions = append(models, model), append(predictions, predicted)
					fitted++
				}
				if len(models) == 2 && !bytes.Equal(models[0], models[1]) {
					t.Errorf("%s: two fits give different files; the first differs at byte %d", table,
						firstDifference(models[0], models[1]))
				}
				if len(models) == 2 && !bytes.Equal(predictions[0], predictions[1]) {
					t.Errorf("%s: two fits give different predictions", table)
				}
			}
			if fitted < 2 {
				t.Error("fitted to neither table")
			}
		})
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
