package all

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// moved is rows with a number added to each column. Rows are multiples of 2⁻²⁰, so that the sums
// are exact up to 10⁶.
func moved(x *mat.Dense, by float64) data.Points[kernel.Vec] {
	r, c := x.Dims()
	out := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			out.Set(i, j, math.Round(x.At(i, j)*(1<<20))/(1<<20)+by)
		}
	}
	return data.Rows(out)
}

// notTheSame are the learners whose problem with a linear kernel is another one when the points are
// moved: those without an intercept, with a penalty on it or on coefficients of k(xᵢ, ·), and those
// that see the points one after the other.
var notTheSame = []string{"perceptron", "norma", "rbf", "rvm", "l1vm", "l2vm", "gp", "sparse logistic", "linear svc",
	"ridge cholesky", "interpolation", "snacks",
	"nw", "without bias", "elastic"} // nw takes no kernel that is negative somewhere

// TestMachinesWhereverThePointsLie: a shift of all points by up to 10⁶ changes the decisions and
// values of no learner with a kernel of differences, and of none that has a free intercept with the
// linear kernel.
func TestMachinesWhereverThePointsLie(t *testing.T) {
	ctx := context.Background()
	moves := []float64{0, 1, 1e3, 1e5, 1e6}
	if testing.Short() {
		moves = []float64{0, 1e3, 1e6}
	}
	x, code := learntest.Blobs(50, 2, 2, 0.4, 72)
	y := make([]float64, 50)
	for i := range y {
		y[i] = x.At(i, 0) - 0.5*x.At(i, 1) + 0.3*math.Sin(float64(7*i))
	}
	for _, k := range []kernel.Kernel[kernel.Vec]{kernel.Gaussian{Lengthscale: 0.3}, kernel.Linear{}} {
		for name, fit := range allMachines[kernel.Vec]() {
			_, isLinear := k.(kernel.Linear)
			if isLinear && slices.ContainsFunc(notTheSame, func(n string) bool { return strings.Contains(name, n) }) ||
				linear[name] {
				continue
			}
			var want []float64
			for _, by := range moves {
				p := moved(x, by)
				m, err := fit(ctx, k, fitOptions[int]{}, p, code, y)
				if err != nil {
					t.Errorf("%s, %T, moved by %g: %v", name, k, by, err)
					break
				}
				got := outputs(t, m, p)
				if want == nil {
					want = got
					continue
				}
				tol := 1e-6
				if strings.Contains(name, "sv") || name == "hard margin" {
					tol = 1e-4 // what stopping rules of 1e-6, and 1e-3 for the hard margin, leave
				}
				for i := range got {
					if !(math.Abs(got[i]-want[i]) <= tol*(1+math.Abs(want[i]))) {
						t.Errorf("%s, %T, moved by %g: %g at point %d, without %g", name, k, by, got[i], i, want[i])
						break
					}
				}
			}
		}
	}
}

// outputs is the decisions of a classifier, the differences between classes where there are
// several, or the values of a regression.
func outputs(t *testing.T, m fittedMachine[kernel.Vec], x data.Points[kernel.Vec]) []float64 {
	c, ok := m.Model.(learn.Classifier[kernel.Vec, int])
	if !ok {
		return m.predict(t, x)
	}
	d, err := c.Decision(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return mat.DenseCopyOf(d).RawMatrix().Data
}

// TestDoubtsAboutDigits: where moving the points is another problem, or the kernel another one, the
// report says that few digits count.
func TestDoubtsAboutDigits(t *testing.T) {
	x, code := learntest.Blobs(40, 2, 2, 1, 72)
	y := make([]float64, 40)
	for i := range y {
		y[i] = x.At(i, 0)
	}
	said := func(m fittedMachine[kernel.Vec]) bool {
		return slices.ContainsFunc(m.Report().Warnings, func(w string) bool { return strings.Contains(w, "digits") })
	}
	for _, name := range []string{"gp", "gp classifier", "ridge cholesky", "norma squared", "perceptron", "c-svc"} {
		k := kernel.Kernel[kernel.Vec](kernel.Linear{})
		if name == "c-svc" { // moves what is linear
			k = kernel.Polynomial{Degree: 2, Offset: 1}
		}
		for by, want := range map[float64]bool{0: false, 1e5: true} {
			m, err := allMachines[kernel.Vec]()[name](context.Background(), k, fitOptions[int]{}, moved(x, by), code, y)
			if err != nil {
				t.Logf("%s, moved by %g: %v", name, by, err)
				continue
			}
			if said(m) != want {
				t.Errorf("%s, moved by %g: warnings %q", name, by, m.Report().Warnings)
			}
		}
	}
}
