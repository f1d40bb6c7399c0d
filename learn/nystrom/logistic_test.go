package nystrom

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// Two classes and three arrive where scipy does, on the same centres.
func TestLogisticAgainstScipy(t *testing.T) {
	var g golden
	learntest.ReadGolden(t, "falkon_numpy.json", &g)
	x, centers := learntest.RowsOfSlices(g.X), learntest.RowsOfSlices(g.Centers)
	two := Logistic[kernel.Vec, float64]{Kernel: g.kernel(), Lambda: g.Ridge, Given: centers, Options: Options{Tol: 1e-11}}
	m, err := two.Fit(t.Context(), x, g.Sign)
	if err != nil {
		t.Fatal(err)
	}
	learntest.AllNear(t, "two classes", mat.Col(nil, 0, byCenter(t, m, g.Centers)), g.Two, 1e-8)
	learntest.Near(t, "risk", m.Report().Objective, g.TwoValue, 1e-10)
	many, err := Logistic[kernel.Vec, int]{Kernel: g.kernel(), Lambda: g.Ridge, Given: centers,
		Options: Options{Tol: 1e-11}}.Fit(t.Context(), x, g.Code)
	if err != nil {
		t.Fatal(err)
	}
	got := byCenter(t, many, g.Centers)
	for j, row := range g.Many {
		learntest.AllNear(t, "three classes", got.RawRowView(j), row, 1e-8)
	}
	learntest.Near(t, "risk", many.Report().Objective, g.ManyValue, 1e-10)
	if !m.Report().Converged || !many.Report().Converged {
		t.Error(m.Report(), many.Report())
	}
}

// With every point a centre it is logistic regression: intercept, weights, two classes and three.
func TestLogisticOnAllPoints(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Multiclass} {
		p := learntest.Problem(90, task, 21)
		for _, intercept := range []bool{false, true} {
			for _, weights := range [][]float64{nil, learntest.WeightsWith(90, 4, 3), learntest.WeightsWith(90, 4, 0)} {
				k := kernel.Gaussian{Lengthscale: 0.7}
				exact, err := logistic.Regression[kernel.Vec, int]{Kernel: k, Lambda: 0.3, Intercept: intercept, Weights: weights,
					Tol: 1e-11}.Fit(t.Context(), p.Points, p.Codes())
				if err != nil {
					t.Fatal(err)
				}
				m, err := Logistic[kernel.Vec, int]{Kernel: k, Lambda: 0.3, Intercept: intercept, Weights: weights,
					Options: Options{Centers: 90, Tol: 1e-11}}.Fit(t.Context(), p.Points, p.Codes())
				if err != nil {
					t.Fatal(err)
				}
				a, _ := exact.Proba(t.Context(), p.Points)
				b, _ := m.Proba(t.Context(), p.Points)
				if !mat.EqualApprox(a, b, 1e-8) {
					t.Errorf("%v, intercept %v: other probabilities", task, intercept)
				}
				learntest.Near(t, "risk", m.Report().Objective, exact.Report().Objective, 1e-8)
			}
		}
	}
}

// A row of weight 0 has no say in λ, as in ridge regression: the fit is that of the rows without
// it.
func TestPerPointCountsRowsThatCount(t *testing.T) {
	p := learntest.Problem(60, data.Binary, 5)
	weights, keep := make([]float64, 60), []int{}
	for i := range weights {
		if i%3 > 0 {
			weights[i] = 1
			keep = append(keep, i)
		}
	}
	given := data.Gather(p.Points, keep[:20])
	fit := func(x data.Points[kernel.Vec], y []int, w []float64) *mat.Dense {
		m, err := Logistic[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.7}, Lambda: 0.01, PerPoint: true,
			Weights: w, Options: Options{Tol: 1e-11}, Given: given}.Fit(t.Context(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Proba(t.Context(), p.Points)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if a, b := fit(p.Points, p.Codes(), weights), fit(data.Gather(p.Points, keep), data.Take(p.Codes(), keep),
		nil); !mat.EqualApprox(a, b, 1e-9) {
		t.Error("rows of weight 0 count in λ")
	}
	source := func(x data.Points[kernel.Vec], y, w []float64) *mat.Dense {
		m, err := Logistic[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.7}, Lambda: 0.01, PerPoint: true,
			Options: Options{Tol: 1e-11}, Given: given}.
			FitSource(t.Context(), data.NewInMemory(x, y, 1, w), []int{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Proba(t.Context(), p.Points)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if a, b := source(p.Points, p.Y, weights), source(data.Gather(p.Points, keep), data.Take(p.Y, keep),
		nil); !mat.EqualApprox(a, b, 1e-9) {
		t.Error("rows of weight 0 count in λ where rows come in blocks")
	}
}

// The derivatives of the risk are those of finite differences.
func TestLogisticRiskDerivatives(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Multiclass} {
		q := learntest.Problem(60, task, 22)
		s := signs(q.ClassCount())
		p, err := newProblem(t.Context(), Options{Centers: 6}, kernel.Erase[kernel.Vec](kernel.Gaussian{}),
			rowsOf(q.Erase(), nil), s, s.outputs(), true, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := newRisk(p)
		if err != nil {
			t.Fatal(err)
		}
		z, d := linalg.New[float64](r.size, p.outputs), linalg.New[float64](r.size, p.outputs)
		for i := range z.Data {
			z.Data[i], d.Data[i] = math.Sin(float64(i)), math.Cos(3*float64(i))
		}
		const h = 1e-5
		at := func(step float64) (float64, linalg.Matrix[float64]) {
			moved := z.Clone()
			for i := range moved.Data {
				moved.Data[i] += step * d.Data[i]
			}
			v, g, err := r.at(t.Context(), moved)
			if err != nil {
				t.Fatal(err)
			}
			return v, g
		}
		low, gl := at(-h)
		high, gh := at(h)
		_, grad := at(0)
		slope := 0.0
		for i, g := range grad.Data {
			slope += g * d.Data[i]
		}
		learntest.Near(t, "slope", slope, (high-low)/(2*h), 1e-7)
		n := len(d.Data)
		bent := mat.NewDense(n, 1, nil)
		(&curvature{r, z, 0, &failable{Context: t.Context()}}).MulTo(bent, mat.NewDense(n, 1, d.Data), false)
		for i := range n {
			learntest.Near(t, "curvature", bent.At(i, 0), (gh.Data[i]-gl.Data[i])/(2*h), 1e-6)
		}
	}
}

// Classes that are told apart without error have a solution all the same, by the penalty; small λ
// and many classes arrive too.
func TestLogisticHardCases(t *testing.T) {
	x := data.Line([]float64{-2, -1.5, -1, 1, 1.5, 2})
	for _, lambda := range []float64{1e-6, 1e-2, 1e4} {
		m, err := Logistic[kernel.Vec, bool01]{Kernel: kernel.Gaussian{}, Lambda: lambda, Intercept: true}.Fit(t.Context(), x,
			[]bool01{0, 0, 0, 1, 1, 1})
		if err != nil {
			t.Fatal(err)
		}
		if r := m.Report(); !r.Converged {
			t.Errorf("λ = %g: %+v", lambda, r)
		}
	}
	points, code := learntest.NoisyCorners(300, 6, 3)
	m, err := Logistic[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Lambda: 1e-3, Intercept: true,
		Options: Options{Centers: 40, Choice: KMeans}}.Fit(t.Context(), points, code)
	if err != nil {
		t.Fatal(err)
	}
	if r := m.Report(); !r.Converged || r.Iterations > 60 {
		t.Errorf("%+v", r)
	}
	if _, err := (Logistic[kernel.Vec, int]{Kernel: kernel.Gaussian{}}).Fit(t.Context(), x,
		make([]int, 6)); !errors.Is(err, learn.ErrOneClass) {
		t.Error(err)
	}
	if _, err := (Logistic[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Lambda: math.Inf(1)}).Fit(t.Context(), x,
		[]int{0, 1, 0, 1, 0, 1}); err == nil || !strings.Contains(err.Error(), "Lambda") {
		t.Error(err)
	}
}

type bool01 int

// The bits do not depend on threads, and a context that ends leaves the last step.
func TestLogisticBitsAndStop(t *testing.T) {
	p := learntest.Problem(700, data.Multiclass, 23)
	fit := Logistic[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Lambda: 0.01, Intercept: true,
		Options: Options{Centers: 15, Tol: 1e-10}}
	first := ""
	for _, threads := range datatest.Threads() {
		fit.Threads = threads
		m, err := fit.Fit(t.Context(), p.Points, p.Codes())
		if err != nil {
			t.Fatal(err)
		}
		bits := learntest.Bits(append(linalg.Of(m.Func().Coef).Clone().Data, m.Func().Bias...))
		if first == "" {
			first = bits
		}
		if bits != first {
			t.Errorf("%d threads: other bits", threads)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	fit.Trace = func(trace.Step) { cancel() }
	_, err := fit.Fit(ctx, p.Points, p.Codes())
	var stopped *learn.Stopped[kernel.Vec]
	if !errors.Is(err, context.Canceled) || !errors.As(err, &stopped) {
		t.Fatal(err)
	}
	if r := stopped.Model.Report(); r.Iterations == 0 || r.Converged || r.Certificate >= 1 {
		t.Errorf("%+v", r)
	}
}
