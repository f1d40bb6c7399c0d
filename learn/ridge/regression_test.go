package ridge

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

type ridgeGolden struct {
	X, Y, Test, Rbf, Classifier [][]float64
	W                           []float64
	Label                       []int
	Weighted                    []float64 `json:"rbf_weighted"`
	LinearIntercept             []float64 `json:"linear_intercept"`
	Spline                      struct {
		X, Y, W, At, Value, GCV []float64
		Lambda                  float64
	}
}

func TestRidgeAgainstScikitLearn(t *testing.T) {
	var g ridgeGolden
	learntest.ReadGolden(t, "ridge_sklearn.json", &g)
	x, test := learntest.MatrixRows(g.X), learntest.MatrixRows(g.Test)
	rbf := kernel.Gaussian{Lengthscale: 1} // γ = 1/(2ℓ²) = 0.5
	y := mat.NewDense(len(g.Y), 2, nil)
	for i, r := range g.Y {
		y.SetRow(i, r)
	}
	for _, method := range []Method{Auto, Cholesky, Mixed, CG} {
		r := Regression[kernel.Vec]{Kernel: rbf, Lambda: 0.3, Method: method, Tol: 1e-13}
		m := modeltest.Must(r.FitMulti(learntest.Ctx, x, y))(t)
		p := modeltest.PredictMulti(t, m, test)
		for j := range 2 {
			learntest.AllNear(t, method.String(), mat.Col(nil, j, p), learntest.Column(g.Rbf, j), 1e-11)
		}
		learntest.AllNear(t, "first output", modeltest.Predict(t, m, test), learntest.Column(g.Rbf, 0), 1e-11)
		if rep := m.Report(); !(rep.Certificate < 1e-12) || !rep.Converged || rep.Certified != "relative residual" {
			t.Errorf("%v: report %+v", method, rep)
		}
		r.Weights = g.W
		mw := modeltest.Must(r.Fit(learntest.Ctx, x, learntest.Column(g.Y, 0)))(t)
		learntest.AllNear(t, method.String()+" weighted", modeltest.Predict(t, mw, test), g.Weighted, 1e-11)
	}
	// the nλ convention
	r := Regression[kernel.Vec]{Kernel: rbf, Lambda: 0.3 / 40, PerPoint: true}
	learntest.AllNear(t, "nλ", modeltest.Predict(t, modeltest.Must(r.Fit(learntest.Ctx, x, learntest.Column(g.Y, 0)))(t),
		test), learntest.Column(g.Rbf, 0), 1e-11)
}

func TestRidgeInterceptPrimalAndDual(t *testing.T) {
	var g ridgeGolden
	learntest.ReadGolden(t, "ridge_sklearn.json", &g)
	x, test := learntest.MatrixRows(g.X), learntest.MatrixRows(g.Test)
	for _, method := range []Method{Primal, Auto, Cholesky, Mixed, CG} {
		r := Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 2, Intercept: true, Weights: g.W, Method: method,
			Tol: 1e-13}
		m := modeltest.Must(r.Fit(learntest.Ctx, x, learntest.Column(g.Y, 0)))(t)
		learntest.AllNear(t, method.String(), modeltest.Predict(t, m, test), g.LinearIntercept, 1e-10)
		if method == Auto && m.Func().Centers.Len() != 1 {
			t.Errorf("linear kernel on %d points of 3 coordinates has %d centres, want the weights alone", len(g.X),
				m.Func().Centers.Len())
		}
		path := modeltest.Must(r.Path(learntest.Ctx, x, learntest.Column(g.Y, 0)))(t)
		learntest.AllNear(t, "path", modeltest.Predict(t, modeltest.Must(path.Model(2))(t), test), g.LinearIntercept, 1e-10)
	}
	c := Classification[kernel.Vec, int]{Regression: Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 0.7,
		Intercept: true}, Balance: learn.Balanced}
	m := modeltest.Must(c.Fit(learntest.Ctx, x, g.Label))(t)
	d := modeltest.Decision(t, m, test)
	for i, want := range g.Classifier {
		learntest.AllNear(t, "decision", d.RawRowView(i), want, 1e-10)
	}
}

func TestRidgePrimalOfABasisEqualsDual(t *testing.T) {
	x, y := learntest.Wave(60, 2, 4)
	k := kernel.Monomials{Degree: 3}
	for _, intercept := range []bool{false, true} {
		r := Regression[kernel.Vec]{Kernel: k, Lambda: 0.5, Intercept: intercept, Method: Primal}
		a := modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t)
		r.Method = Cholesky
		b := modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t)
		z, _ := learntest.Wave(20, 2, 5)
		learntest.AllNear(t, "primal", modeltest.Predict(t, a, data.Rows(z)), modeltest.Predict(t, b, data.Rows(z)), 1e-8)
		learntest.Near(t, "objective", a.Report().Objective, b.Report().Objective, 1e-9)
		if a.Func().Centers.Len() > 7 {
			t.Errorf("%d centres for 7 features", a.Func().Centers.Len())
		}
	}
}

// The oracle of leave-one-out is leaving one out.
func TestRidgeLeaveOneOutIsARefit(t *testing.T) {
	const n, lambda = 25, 0.2
	x, y := learntest.Wave(n, 2, 8)
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5 + float64(i%4)
	}
	w[3] = 0
	for _, weights := range [][]float64{nil, w} {
		for _, intercept := range []bool{false, true} {
			r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1.2}, Lambda: lambda, Intercept: intercept,
				Weights: weights}
			path := modeltest.Must(r.Path(learntest.Ctx, data.Rows(x), y))(t)
			loo := modeltest.Must(path.LeaveOneOut(lambda))(t)
			want, total := 0.0, 0.0
			for i := range n {
				left := make([]float64, n)
				for j := range left {
					left[j] = 1
					if weights != nil {
						left[j] = weights[j]
					}
				}
				wi := left[i]
				left[i] = 0
				s := r
				s.Weights = left
				m := modeltest.Must(s.Fit(learntest.Ctx, data.Rows(x), y))(t)
				e := y[i] - m.Func().At(x.RawRowView(i))[0]
				learntest.Near(t, "leave-one-out residual", loo.At(i, 0), e, 1e-9)
				want += wi * e * e
				total += wi
			}
			learntest.Near(t, "leave-one-out error", modeltest.Must(path.LeaveOneOutError(lambda))(t), want/total, 1e-9)
			direct := modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t)
			model := modeltest.Must(path.Model(lambda))(t)
			learntest.AllNear(t, "path", modeltest.Predict(t, model, data.Rows(x)), modeltest.Predict(t, direct, data.Rows(x)),
				1e-10)
			learntest.Near(t, "objective", model.Report().Objective, direct.Report().Objective, 1e-10)
		}
	}
}

// GCV and degrees of freedom against the hat matrix itself, a column by fitting
// a unit vector. With weights GCV is a mean over them, of the rows that have one.
func TestRidgeGCVFromTheHatMatrix(t *testing.T) {
	const n, lambda = 20, 0.3
	x, y := learntest.Wave(n, 1, 9)
	weights, ones := make([]float64, n), make([]float64, n)
	for i := range weights {
		weights[i], ones[i] = float64(i%4)/2, 1
	}
	eye := mat.NewDense(n, n, nil)
	for i := range n {
		eye.Set(i, i, 1)
	}
	for _, w := range [][]float64{weights, ones} {
		r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Lambda: lambda, Intercept: true, Weights: w}
		h := modeltest.PredictMulti(t, modeltest.Must(r.FitMulti(learntest.Ctx, data.Rows(x), eye))(t), data.Rows(x))
		trace, rss, total, rows := 0.0, 0.0, 0.0, 0.0
		for i, p := range modeltest.Predict(t, modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t), data.Rows(x)) {
			if w[i] > 0 {
				trace += h.At(i, i)
				rss += w[i] * (y[i] - p) * (y[i] - p)
				total += w[i]
				rows++
			}
		}
		path := modeltest.Must(r.Path(learntest.Ctx, data.Rows(x), y))(t)
		learntest.Near(t, "degrees of freedom", modeltest.Must(path.DegreesOfFreedom(lambda))(t), trace, 1e-10)
		learntest.Near(t, "GCV", modeltest.Must(path.GCV(lambda))(t), rss/total/((1-trace/rows)*(1-trace/rows)), 1e-10)
	}
	path := modeltest.Must(Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Lambda: lambda,
		Intercept: true}.Path(learntest.Ctx, data.Rows(x), y))(t)
	best, least, err := path.Best([]float64{1e-3, 1e-2, 0.1, 1, 10})
	if err != nil || least <= 0 {
		t.Fatal(best, least, err)
	}
	for _, l := range []float64{1e-3, 1e-2, 0.1, 1, 10} {
		if e := modeltest.Must(path.LeaveOneOutError(l))(t); e < least {
			t.Errorf("λ = %g has error %g, less than the best %g at %g", l, e, least, best)
		}
	}
}

// What is without a penalty is taken out of the kernel matrix, and rounds what is left: that makes
// no kernel indefinite. The λ that was found is told.
func TestSplinesHaveNoDoubts(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		x, y := make([]float64, 64), make([]float64, 64)
		for i := range x {
			x[i] = 10 * rng.Float64()
			y[i] = math.Sin(x[i]) + 0.1*rng.NormFloat64()
		}
		r := modeltest.Must(Spline{}.Fit(learntest.Ctx, data.Line(x), y))(t).Report()
		if len(r.Warnings) > 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "least generalised cross-validation") {
			t.Errorf("seed %d: warnings %q, notes %q", seed, r.Warnings, r.Notes)
		}
	}
}

func TestSmoothingSplineIsNatural(t *testing.T) {
	var g ridgeGolden
	learntest.ReadGolden(t, "ridge_sklearn.json", &g)
	s := g.Spline
	m := modeltest.Must(Spline{Lambda: s.Lambda, Weights: s.W}.Fit(learntest.Ctx, data.Line(s.X), s.Y))(t)
	learntest.AllNear(t, "spline", modeltest.Predict(t, m, data.Line(s.At)), s.Value, 1e-8)
	auto := modeltest.Must(Spline{}.Fit(learntest.Ctx, data.Line(s.X), s.Y))(t)
	// both minimise GCV over λ to their own accuracy
	learntest.AllNear(t, "spline by GCV", modeltest.Predict(t, auto, data.Line(s.At)), s.GCV, 2e-3)
	// λ → ∞ leaves the least-squares line, which has no penalty at all
	line := modeltest.Predict(t, modeltest.Must(Spline{Lambda: 1e9}.Fit(learntest.Ctx, data.Line(s.X), s.Y))(t),
		data.Line([]float64{-2, 0, 2}))
	learntest.Near(t, "second difference of a line", line[0]-2*line[1]+line[2], 0, 1e-6)
	// order 1: piecewise linear between the points
	one := modeltest.Must(Spline{Order: 1, Lambda: 0.1}.Fit(learntest.Ctx, data.Line([]float64{0, 1, 3}),
		[]float64{1, 0, 2}))(t)
	v := modeltest.Predict(t, one, data.Line([]float64{1, 2, 3}))
	learntest.Near(t, "midpoint", v[1], (v[0]+v[2])/2, 1e-10)
	// the three normal equations of that problem, by hand: (1-f₀)·1 = 0.1(f₀-f₁) …
	f := modeltest.Predict(t, one, data.Line([]float64{0, 1, 3}))
	learntest.Near(t, "equation 1", 1-f[0], 0.1*(f[0]-f[1]), 1e-10)
	learntest.Near(t, "equation 2", 0-f[1], 0.1*(f[1]-f[0])+0.1*(f[1]-f[2])/2, 1e-10)
	learntest.Near(t, "equation 3", 2-f[2], 0.1*(f[2]-f[1])/2, 1e-10)
}

func TestRidgeMixedIsAsGoodAsDouble(t *testing.T) {
	x, y := learntest.Wave(900, 4, 10)
	for _, lambda := range []float64{1e-4, 1} {
		r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Lambda: lambda, Intercept: true}
		auto := modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t)
		if !strings.Contains(auto.Report().Learner, "mixed") {
			t.Errorf("auto chose %s", auto.Report().Learner)
		}
		r.Method = Cholesky
		exact := modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t)
		learntest.AllNear(t, "prediction", modeltest.Predict(t, auto, data.Rows(x)),
			modeltest.Predict(t, exact, data.Rows(x)), 1e-8)
		if a, e := auto.Report().Certificate, exact.Report().Certificate; a > 100*e+1e-13 {
			t.Errorf("λ = %g: residual %g in mixed precision, %g in double", lambda, a, e)
		}
	}
	// so nearly singular that single precision breaks down: double takes over
	r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 20}, Lambda: 1e-10, Method: Mixed}
	m := modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t)
	r.Method = Cholesky
	exact := modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t)
	if a, e := m.Report(), exact.Report(); a.Certificate > 10*e.Certificate || a.Converged != (a.Certificate <= 1e-6) ||
		len(a.Warnings) == 0 {
		t.Errorf("residual %g, in double %g; warnings %q", a.Certificate, e.Certificate, a.Warnings)
	}
}

func TestRidgeCGWithinItsBudget(t *testing.T) {
	x, y := learntest.Wave(600, 3, 11)
	r := Regression[kernel.Vec]{Kernel: kernel.Matern{Nu: 1.5, Lengthscale: 2}, Lambda: 0.1, Intercept: true, Tol: 1e-11}
	want := modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t)
	r.Bytes = 1 << 20 // 600² numbers need 2.7 MiB
	m := modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t)
	if rep := m.Report(); !strings.Contains(rep.Learner, "conjugate") || rep.Bytes > r.Bytes || rep.Iterations == 0 {
		t.Errorf("report %+v", rep)
	}
	learntest.AllNear(t, "prediction", modeltest.Predict(t, m, data.Rows(x)), modeltest.Predict(t, want, data.Rows(x)),
		1e-8)
	r.Method = Cholesky
	var over *learn.OverBudget
	if _, err := r.Fit(learntest.Ctx, data.Rows(x), y); !errors.As(err, &over) {
		t.Errorf("error %v, want OverBudget", err)
	}
}

func TestRidgeSameBitsAtAnyThreadCount(t *testing.T) {
	x, y := learntest.Wave(800, 5, 12)
	z, _ := learntest.Wave(50, 5, 13)
	for _, method := range []Method{Cholesky, Mixed, CG} {
		var first []float64
		for _, threads := range datatest.Threads() {
			r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Lambda: 0.1, Intercept: true, Method: method}
			r.Threads = threads
			p := modeltest.Predict(t, modeltest.Must(r.Fit(learntest.Ctx, data.Rows(x), y))(t), data.Rows(z))
			if first == nil {
				first = p
			}
			for i := range p {
				if p[i] != first[i] {
					t.Fatalf("%v: %d threads give %v at %d, 1 thread %v", method, threads, p[i], i, first[i])
				}
			}
		}
	}
}

func TestRidgeCopiesItsPoints(t *testing.T) {
	x, y := learntest.Wave(30, 2, 14)
	z, _ := learntest.Wave(5, 2, 15)
	m := modeltest.Must(Regression[kernel.Vec]{Kernel: kernel.Gaussian{}}.Fit(learntest.Ctx, data.Rows(x), y))(t)
	before := modeltest.Predict(t, m, data.Rows(z))
	for i := range 30 {
		x.Set(i, 0, 99)
		y[i] = -99
	}
	learntest.AllNear(t, "after the data changed", modeltest.Predict(t, m, data.Rows(z)), before, 0)
}

func TestRidgeCancels(t *testing.T) {
	x, y := learntest.Wave(500, 5, 16)
	for _, method := range []Method{Cholesky, Mixed, CG} {
		looks := learntest.Cancels(t, func(ctx *learntest.Countdown) error {
			_, err := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Lambda: 1e-3, Method: method,
				Resources: learn.Resources{Threads: 1}}.Fit(ctx, data.Rows(x), y)
			return err
		})
		if looks.Asked() < 20 {
			t.Errorf("%v looks at the context %d times", method, looks.Asked())
		}
	}
}

func TestRidgeDegenerateInput(t *testing.T) {
	k := kernel.Gaussian{}
	fit := func(r Regression[kernel.Vec], x [][]float64, y []float64) (*Regressor[kernel.Vec], error) {
		r.Kernel = k
		return r.Fit(learntest.Ctx, data.Slice[kernel.Vec](append([][]float64(nil), x...)), y)
	}
	one := modeltest.Must(fit(Regression[kernel.Vec]{Intercept: true}, [][]float64{{1}}, []float64{5}))(t)
	learntest.Near(t, "one point", one.Func().At(kernel.Vec{7})[0], 5, 1e-12)
	same := modeltest.Must(fit(Regression[kernel.Vec]{Lambda: 1e-8, Intercept: true}, [][]float64{{1}, {1}, {1}},
		[]float64{1, 2, 3}))(t)
	learntest.Near(t, "duplicates", same.Func().At(kernel.Vec{1})[0], 2, 1e-6)
	none := modeltest.Must(fit(Regression[kernel.Vec]{}, [][]float64{{}, {}}, []float64{1, 3}))(t)
	learntest.Near(t, "d = 0", none.Func().At(kernel.Vec{})[0], 4.0/3, 1e-12) // Σα = Σy/(n+λ)
	wide := modeltest.Must(Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 1e-9}.Fit(learntest.Ctx,
		data.Slice[kernel.Vec]{{1, 0, 2}, {0, 1, 1}}, []float64{1, 2}))(t)
	learntest.Near(t, "n < d", wide.Func().At(kernel.Vec{1, 0, 2})[0], 1, 1e-6)
	zero := modeltest.Must(fit(Regression[kernel.Vec]{}, [][]float64{{1}, {2}}, []float64{0, 0}))(t)
	learntest.Near(t, "targets 0", zero.Func().At(kernel.Vec{1})[0], 0, 0)
	for name, c := range map[string]struct {
		r    Regression[kernel.Vec]
		x    [][]float64
		y    []float64
		says string
	}{
		"empty":     {Regression[kernel.Vec]{}, nil, nil, "no points"},
		"lengths":   {Regression[kernel.Vec]{}, [][]float64{{1}}, []float64{1, 2}, "1 points but 2 targets"},
		"NaN point": {Regression[kernel.Vec]{}, [][]float64{{1}, {math.NaN()}}, []float64{1, 2}, "row 1"},
		"NaN value": {Regression[kernel.Vec]{}, [][]float64{{1}, {2}}, []float64{1, math.NaN()}, "row 1"},
		"λ < 0":     {Regression[kernel.Vec]{Lambda: -1}, [][]float64{{1}}, []float64{1}, "Lambda is -1"},
		"budget": {Regression[kernel.Vec]{Resources: learn.Resources{Bytes: -1}}, [][]float64{{1}}, []float64{1},
			"Bytes is -1"},
		"weights": {Regression[kernel.Vec]{Weights: []float64{-1}}, [][]float64{{1}}, []float64{1}, "sample weight of row 0"},
		"free twice": {Regression[kernel.Vec]{Free: data.Slice[kernel.Vec]{{1}, {1}}}, [][]float64{{1}, {2}, {3}},
			[]float64{1, 2, 3},
			"depend on each other"},
	} {
		if _, err := fit(c.r, c.x, c.y); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
	if _, err := (Regression[kernel.Vec]{Kernel: kernel.Linear{}}).Fit(learntest.Ctx,
		data.Slice[kernel.Vec]{{1e308}, {1e308}}, []float64{1, 2}); err == nil {
		t.Error("1e308 squared was taken")
	}
	if _, err := (Classification[kernel.Vec, string]{Regression: Regression[kernel.Vec]{Kernel: k}}).Fit(learntest.Ctx,
		data.Slice[kernel.Vec]{{1}, {2}}, []string{"a", "a"}); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
}

func TestRidgeOnAPrecomputedMatrixAndOnStrings(t *testing.T) {
	x, y := learntest.Wave(20, 2, 17)
	k := kernel.Gaussian{}
	g := mat.NewDense(20, 20, nil)
	kernel.Block[kernel.Vec](t.Context(), k, g, data.Rows(x), data.Rows(x))
	a := modeltest.Must(Regression[kernel.Vec]{Kernel: k}.Fit(learntest.Ctx, data.Rows(x), y))(t)
	b := modeltest.Must(Regression[int]{Kernel: kernel.Precomputed{K: g}}.Fit(learntest.Ctx, data.Indices(20), y))(t)
	learntest.AllNear(t, "precomputed", modeltest.Predict(t, b, data.Indices(20)), modeltest.Predict(t, a, data.Rows(x)),
		1e-12)
	words := data.Slice[string]{"a", "aa", "aaa", "b", "bb"}
	c := Classification[string, string]{Regression: Regression[string]{Kernel: firstLetter{}, Lambda: 0.1}}
	m := modeltest.Must(c.Fit(learntest.Ctx, words, []string{"A", "A", "A", "B", "B"}))(t)
	if got := modeltest.Predict(t, m, data.Slice[string]{"ax", "by"}); got[0] != "A" || got[1] != "B" {
		t.Errorf("predicted %v", got)
	}
}

// firstLetter is 1 for words that begin alike.
type firstLetter struct{}

func (firstLetter) Eval(x, y string) float64 {
	if x[0] == y[0] {
		return 1
	}
	return 0
}
