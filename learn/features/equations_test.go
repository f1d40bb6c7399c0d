package features

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"gonum.org/v1/gonum/mat"
)

// inParts adds rows up, a few at a time.
func inParts(t *testing.T, e *nystrom.Equations[kernel.Vec], x data.Points[kernel.Vec], y, w []float64) []float64 {
	t.Helper()
	sums := make([]float64, e.Len())
	for lo := 0; lo < x.Len(); lo += 37 {
		hi := min(lo+37, x.Len())
		if err := e.AddTo(t.Context(), sums, data.NewInMemory(data.Span(x, lo, hi), y[lo:hi], 1, w[lo:hi])); err != nil {
			t.Fatal(err)
		}
	}
	return sums
}

// TestSumsInPartsAreTheFit: sums made in parts give the function that Regression and Classification
// fit to all rows with the same frequencies.
func TestSumsInPartsAreTheFit(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		for _, orthogonal := range []bool{false, true} {
			p := learntest.Problem(200, data.Regression, 1)
			w := learntest.WeightsWith(200, 4, 3)
			o := Options{Frequencies: 15, Orthogonal: orthogonal, Seed: 7}
			k := kernel.Matern{Nu: 2.5, Lengthscale: 1.2}
			e := modeltest.Must(NewEquations[kernel.Vec](t.Context(), k, data.Span(p.Points, 0, 20), 0, []float64{0.1},
				intercept, o))(t)
			got := modeltest.Must(e.Solve(t.Context(), inParts(t, e, p.Points, p.Y, w), []float64{1e-3}))(t)
			want := modeltest.Must(Regression[kernel.Vec]{Kernel: k, Lambda: 1e-3 * 200, Intercept: intercept, Weights: w,
				Options: o}.Fit(t.Context(), p.Points, p.Y))(t)
			m := RegressorOf(got[0])
			learntest.AllNear(t, "values", modeltest.Predict(t, m, p.Points), modeltest.Predict(t, want, p.Points), 1e-9)
			if m.Saved().Learner != want.Saved().Learner || m.Report().Learner != want.Report().Learner {
				t.Errorf("a model of %q, want %q", m.Saved().Learner, want.Saved().Learner)
			}
			for _, task := range []data.Task{data.Binary, data.Multiclass} {
				p := learntest.Problem(200, task, 2)
				codes, classes := make([]float64, 200), p.ClassCount()
				for i, c := range p.Codes() {
					codes[i] = float64(c)
				}
				shares := make([]float64, classes)
				for c := range shares {
					shares[c] = 1 / float64(classes)
				}
				e := modeltest.Must(NewEquations[kernel.Vec](t.Context(), k, p.Points, classes, shares, intercept, o))(t)
				got := modeltest.Must(e.SolveClasses(t.Context(), inParts(t, e, p.Points, codes, w), []float64{1e-3}))(t)
				want := modeltest.Must(Classification[kernel.Vec, int]{Kernel: k, Lambda: 1e-3 * 200, Intercept: intercept,
					Weights: w, Options: o}.Fit(t.Context(), p.Points, p.Codes()))(t)
				a := modeltest.Must(ClassifierOf(got[0]).Decision(t.Context(), p.Points))(t)
				b := modeltest.Must(want.Decision(t.Context(), p.Points))(t)
				if !mat.EqualApprox(a, b, 1e-9) {
					t.Errorf("%v, intercept %v, orthogonal %v: other decisions", task, intercept, orthogonal)
				}
			}
		}
	}
}

// TestEquationsRefuse: a kernel without a spectral measure, no rows, no frequencies.
func TestEquationsRefuse(t *testing.T) {
	x := learntest.Problem(10, data.Regression, 1).Points
	for name, c := range map[string]struct {
		k    kernel.Kernel[kernel.Vec]
		x    data.Points[kernel.Vec]
		f    int
		mean []float64
	}{
		"no spectral measure": {kernel.Linear{}, x, 5, []float64{0}},
		"no rows":             {kernel.Gaussian{}, data.Slice[kernel.Vec]{}, 5, []float64{0}},
		"no frequencies":      {kernel.Gaussian{}, x, 0, []float64{0}},
		"no targets":          {kernel.Gaussian{}, x, 5, nil},
	} {
		if _, err := NewEquations(t.Context(), c.k, c.x, 0, c.mean, true, Options{Frequencies: c.f}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
