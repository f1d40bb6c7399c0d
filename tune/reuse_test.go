package tune

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// countedProfile is a Gaussian kernel that counts what is asked of it.
type countedProfile struct {
	kernel.Gaussian
	evals, numbers *atomic.Int64
}

func (c countedProfile) Eval(x, y kernel.Vec) float64 { c.evals.Add(1); return c.Gaussian.Eval(x, y) }
func (c countedProfile) Profile(m []float64)          { c.numbers.Add(int64(len(m))); c.Gaussian.Profile(m) }
func (c countedProfile) Profile32(m []float32) {
	c.numbers.Add(int64(len(m)))
	c.Gaussian.Profile32(m)
}
func (c countedProfile) With(theta []float64) kernel.Kernel[kernel.Vec] {
	c.Gaussian.Lengthscale = theta[0]
	return c
}

// plainCounted is a kernel of which nothing but its values is known.
type plainCounted struct{ evals *atomic.Int64 }

func (c plainCounted) Eval(x, y kernel.Vec) float64 {
	c.evals.Add(1)
	return kernel.Gaussian{}.Eval(x, y)
}

// Distances are computed once for the whole grid, and a Gram matrix once for
// each kernel parameter, whatever the number of folds, repeats and prices.
func TestGramOncePerKernelParameter(t *testing.T) {
	const n, lengths = 96, 3
	for _, l := range []string{"svm", "ridge", "logistic"} {
		var evals, numbers atomic.Int64
		c := grid(l)
		c.Kernel = vec(countedProfile{kernel.Gaussian{Lengthscale: 1}, &evals, &numbers})
		s := Search{Problem: toy(n, data.Binary, 2), Candidates: []Candidate{c}, Protocol: Protocol{Folds: 6, Repeats: 2},
			NoModel: true}
		e, err := s.engine()
		if err != nil {
			t.Fatal(err)
		}
		evals.Store(0)
		numbers.Store(0)
		if _, err := s.finish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if kept := len(e.metrics.single) + len(e.metrics.double); kept != 1 || evals.Load() != 0 {
			t.Errorf("%s: %d matrices of distances, and %d values one by one", l, kept, evals.Load())
		}
		if got := numbers.Load(); got != lengths*n*n {
			t.Errorf("%s: %d kernel values of %d distances, want %d for each of %d length-scales", l, got, n*n, n*n, lengths)
		}
		// A kernel without a metric: its values once for all folds and prices.
		c = grid(l)
		c.Kernel, c.Axes = vec(plainCounted{&evals}), c.Axes[1:]
		s.Candidates = []Candidate{c}
		if e, err = s.engine(); err != nil {
			t.Fatal(err)
		}
		evals.Store(0)
		if _, err := s.finish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if got := evals.Load(); got == 0 || got > n*n {
			t.Errorf("%s: %d values of a kernel without a metric, of %d pairs", l, got, n*n)
		}
	}
}

// The size of what stands off the diagonal is known where it is small, and said to be large where
// it is not.
func TestGramSaysHowNarrow(t *testing.T) {
	for _, n := range []int{1, 2, 5, 70, 300} {
		p := toy(n, data.Regression, 3)
		store := newMetricStore(p.Points, 1<<30)
		for _, length := range []float64{1e-4, 0.003, 0.02, 1, 30} {
			gram := store.borrow()
			got := store.gram32(gram, vec(kernel.Gaussian{Lengthscale: length}), 1)
			want := 0.0
			for i := range n {
				for j := range i {
					want = max(want, float64(gram.At(i, j)))
				}
			}
			if want > narrow {
				want = math.Inf(1)
			}
			if got != want {
				t.Errorf("%d points, length %g: %g, want %g", n, length, got, want)
			}
		}
	}
}
