package svm

import (
	"math"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas32"
)

// The cells of a search are judged on a device as by processors: the same classes, and values to
// the tolerance, fold by fold, also where the device is lost on the way.
func TestCellsOnDevice(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Multiclass, data.Regression} {
		p := learntest.Problem(90, task, 4)
		k := kernel.Gaussian{Lengthscale: 1.5}
		g, rest := single(p.Points, k)
		run := func(d *gram.Device, inOrder bool) map[[2]int]learn.Predictions {
			out := map[[2]int]learn.Predictions{}
			var mu sync.Mutex
			c := &learn.Cells{Problem: p.Erase(), Kernel: kernel.Erase[kernel.Vec](k), Folds: learntest.RoundRobin(p.Len(), 3),
				Tol: 1e-5, Threads: 2, InOrder: inOrder, Device: d, Scratch: &sync.Pool{},
				Params:     []map[string]float64{{"C": 1, "epsilon": 0.1}, {"C": 10, "epsilon": 0.1}, {"C": 0.1, "epsilon": 0.1}},
				BorrowGram: func() (blas32.General, float64, func()) { return linalg.General32(g), rest, func() {} },
				Alive:      func(int, int) bool { return true },
				Doubt: func(cell int, left float64) {
					if left > 0 {
						t.Errorf("%v: cell %d was left at %g", task, cell, left)
					}
				},
				Refuse: func(cell int, err error) { t.Error(cell, err) },
				Judge: func(cell, fold int, p learn.Predictions) {
					mu.Lock()
					defer mu.Unlock()
					if _, twice := out[[2]int{cell, fold}]; twice {
						t.Errorf("cell %d was judged twice on fold %d", cell, fold)
					}
					out[[2]int{cell, fold}] = p
				}}
			if err := judgeCells(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			return out
		}
		own := run(nil, false)
		for name, d := range map[string]*gram.Device{"on": gram.EmulatedDevice(1, 1<<28, 0),
			"in order": gram.EmulatedDevice(1, 1<<28, 0), "lost": gram.EmulatedDevice(1, 1<<28, 150)} {
			got := run(d, name == "in order")
			if lost := len(d.Notes()) > 0; lost != (name == "lost") {
				t.Errorf("%s: notes %v", name, d.Notes())
			}
			if len(got) != len(own) {
				t.Fatalf("%v %s: %d judgements, %d by processors", task, name, len(got), len(own))
			}
			for at, want := range own {
				for i, v := range want.Score {
					if math.Abs(v-got[at].Score[i]) > 1e-3 {
						t.Fatalf("%v %s %v: score %d is %g, by processors %g", task, name, at, i, got[at].Score[i], v)
					}
				}
				for i, v := range want.Value {
					if math.Abs(v-got[at].Value[i]) > 1e-3 {
						t.Fatalf("%v %s %v: value %d is %g, by processors %g", task, name, at, i, got[at].Value[i], v)
					}
				}
			}
		}
	}
}

// Several classes are solved side by side, with their probabilities.
func TestClassesOnDevice(t *testing.T) {
	p := learntest.Problem(120, data.Multiclass, 4)
	c := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1.5}, Probability: true,
		Options: Options{Tol: 1e-5}}
	own, err := c.Fit(t.Context(), p.Points, p.Codes())
	if err != nil {
		t.Fatal(err)
	}
	want, err := own.Proba(t.Context(), p.Points)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []learn.MultiClass{learn.OneVsOne, learn.OneVsRest} {
		c.MultiClass = rule
		c.Resources = learn.Resources{Device: gram.EmulatedDevice(1, 1<<28, 0)}
		on, err := c.Fit(t.Context(), p.Points, p.Codes())
		if err != nil {
			t.Fatal(err)
		}
		if said := on.Report().Warnings; len(said) > 0 || !on.Report().Converged {
			t.Errorf("%v: %v", rule, said)
		}
		if rule == learn.OneVsRest {
			continue
		}
		got, err := on.Proba(t.Context(), p.Points)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want.RawMatrix().Data {
			if math.Abs(v-got.RawMatrix().Data[i]) > 1e-2 {
				t.Fatalf("probability %d is %g, by processors %g", i, got.RawMatrix().Data[i], v)
			}
		}
	}
}
