package nystrom

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// golden is what bench/fixtures/falkon_numpy.py wrote.
type golden struct {
	Source    string
	X         [][]float64
	Y         []float64
	Centers   [][]float64
	Gamma     float64
	Lambda    float64
	Alphas    [][]float64
	Condition float64
	Ridge     float64
	Sign      []float64
	Two       []float64
	TwoValue  float64 `json:"two_value"`
	Code      []int
	Many      [][]float64
	ManyValue float64 `json:"many_value"`
}

func (g golden) kernel() kernel.Kernel[kernel.Vec] {
	return kernel.Gaussian{Lengthscale: 1 / math.Sqrt(2*g.Gamma)}
}

// byCenter is the coefficients of a function in the order of some centres.
func byCenter(t *testing.T, m learn.Model[kernel.Vec], centers [][]float64) *mat.Dense {
	t.Helper()
	f := m.Func()
	out := mat.NewDense(len(centers), f.Outputs(), nil)
	for i := range f.Centers.Len() {
		found := false
		for j, c := range centers {
			if mat.Equal(mat.NewVecDense(len(c), f.Centers.At(i)), mat.NewVecDense(len(c), c)) {
				out.SetRow(j, f.Coef.RawRowView(i))
				found = true
			}
		}
		if !found {
			t.Fatal("a centre that was not given")
		}
	}
	return out
}

// The iterates are those of the paper, by a plain implementation of it, and so is the condition
// number.
func TestIteratesAgainstThePaper(t *testing.T) {
	var g golden
	learntest.ReadGolden(t, "falkon_numpy.json", &g)
	for steps, want := range g.Alphas {
		r := Regression[kernel.Vec]{Kernel: g.kernel(), Lambda: g.Lambda, PerPoint: true,
			Given:   learntest.RowsOfSlices(g.Centers),
			Options: Options{Solver: Falkon, Tol: 1e-300, MaxIterations: steps + 1}}
		m, err := r.Fit(t.Context(), learntest.RowsOfSlices(g.X), g.Y)
		if err != nil {
			t.Fatal(err)
		}
		got := byCenter(t, m, g.Centers)
		size := 0.0
		for _, a := range want {
			size = math.Max(size, math.Abs(a))
		}
		for j, a := range want {
			if math.Abs(got.At(j, 0)-a) > 1e-9*size {
				t.Fatalf("iteration %d, centre %d: %g, want %g (%s)", steps+1, j, got.At(j, 0), a, g.Source)
			}
		}
		if rep := m.Report(); rep.Converged || rep.Iterations != steps+1 || len(rep.Warnings) != 1 ||
			!strings.Contains(rep.Warnings[0], "condition number") {
			t.Errorf("%d steps: %+v", steps+1, rep)
		}
	}
	m, err := Regression[kernel.Vec]{Kernel: g.kernel(), Lambda: g.Lambda, PerPoint: true,
		Given: learntest.RowsOfSlices(g.Centers), Options: Options{Solver: Falkon, Tol: 1e-15, MaxIterations: 40}}.
		Fit(t.Context(), learntest.RowsOfSlices(g.X), g.Y)
	if err != nil || math.Abs(m.Condition()/g.Condition-1) > 1e-3 {
		t.Errorf("condition %g, want %g (%v)", m.Condition(), g.Condition, err)
	}
}

// The condition number seen by the iteration is that of the matrices, and next to 1 where every row
// is a centre of its own weight.
func TestConditionOfThePreconditioned(t *testing.T) {
	p := learntest.Problem(200, data.Regression, 8)
	k := kernel.Gaussian{Lengthscale: 0.7}
	weights := make([]float64, 200)
	for i := range weights {
		weights[i] = 0.5 + float64(i%4)
	}
	for _, c := range []struct {
		centers int
		below   float64
	}{{200, 1.0001}, {60, 60}} {
		r := Regression[kernel.Vec]{Kernel: k, Lambda: 0.5, Intercept: true, Weights: weights,
			Options: Options{Solver: Falkon, Centers: c.centers, Seed: 2, Tol: 1e-14}}
		m, err := r.Fit(t.Context(), p.Points, p.Y)
		if err != nil {
			t.Fatal(err)
		}
		q, err := newProblem(t.Context(), r.Options, kernel.Erase(r.Kernel),
			data.NewInMemory(data.Erase(p.Points), p.Y, 1, weights), nil, 1, true, nil, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		sums, err := q.sums(t.Context(), q.rows)
		if err != nil {
			t.Fatal(err)
		}
		n := q.normalOf(sums)
		pre, err := preconditioner(t.Context(), 1, q.basis.secondMoment(true, nil), r.Lambda)
		if err != nil {
			t.Fatal(err)
		}
		// L⁻¹(A + λI)L⁻ᵀ with LLᵀ the preconditioner.
		full := linalg.New[float64](n.a.Rows, n.a.Rows)
		for i := range full.Rows {
			for j := range i + 1 {
				full.Set(i, j, n.a.At(i, j))
				full.Set(j, i, n.a.At(i, j))
			}
			full.Row(i)[i] += r.Lambda
		}
		linalg.Trsm(1, linalg.Left, linalg.Lower, linalg.NoTrans, linalg.NonUnit, 1, pre.l.(onHost).chol.L, full)
		linalg.Trsm(1, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, pre.l.(onHost).chol.L, full)
		values, err := linalg.SymEigenValues(1, full)
		if err != nil {
			t.Fatal(err)
		}
		want := values[len(values)-1] / values[0]
		if m.Condition() > want*(1+1e-9) || m.Condition() < 0.9*want || want > c.below {
			t.Errorf("%d centres: condition %g, that of the matrices %g, to be below %g", c.centers, m.Condition(), want,
				c.below)
		}
	}
}

// Single precision is a way to the same solution: the residual in double precision is below the
// tolerance.
func TestSinglePrecisionArrives(t *testing.T) {
	p := learntest.Problem(3000, data.Regression, 9)
	base := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, Lambda: 1, Intercept: true,
		Options: Options{Solver: Falkon, Centers: 200, Tol: 1e-9}}
	double, err := base.Fit(t.Context(), p.Points, p.Y)
	if err != nil {
		t.Fatal(err)
	}
	base.Precision = gram.Single
	single, err := base.Fit(t.Context(), p.Points, p.Y)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d iterations, and %d with single precision", double.Report().Iterations, single.Report().Iterations)
	if r := double.Report(); !r.Converged {
		t.Errorf("%+v", r)
	}
	if r := single.Report(); !r.Converged || r.Certificate > 1e-9 || r.Certificate == 0 {
		t.Errorf("%+v", r)
	}
	a, _ := double.Predict(t.Context(), p.Points)
	b, _ := single.Predict(t.Context(), p.Points)
	learntest.AllNear(t, "prediction", b, a, 1e-6)
	if learntest.Bits(a) == learntest.Bits(b) {
		t.Error("single precision was not used")
	}
}

// Paths are fits: every λ of either solver, in any order.
func TestPathsAreFits(t *testing.T) {
	p := learntest.Problem(300, data.Regression, 10)
	lambdas := []float64{0.1, 10, 1e-4, 1}
	for _, s := range []Solver{Direct, Falkon} {
		r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.8}, Intercept: true,
			Options: Options{Solver: s, Centers: 40, Tol: 1e-11}}
		path, err := r.Path(t.Context(), p.Points, p.Y, lambdas)
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		for i, m := range path {
			r.Lambda = lambdas[i]
			one, err := r.Fit(t.Context(), p.Points, p.Y)
			if err != nil {
				t.Fatal(err)
			}
			a, _ := one.Predict(t.Context(), p.Points)
			b, _ := m.Predict(t.Context(), p.Points)
			learntest.AllNear(t, s.String(), b, a, 1e-8)
			learntest.Near(t, "objective", m.Report().Objective, one.Report().Objective, 1e-8)
			steps += m.Report().Iterations - one.Report().Iterations
		}
		if s == Falkon && steps > 0 {
			t.Errorf("warm starts took %d iterations more", steps)
		}
	}
	if _, err := (Regression[kernel.Vec]{Kernel: kernel.Gaussian{}}).Path(t.Context(), p.Points, p.Y, nil); err == nil {
		t.Error("a path of nothing")
	}
}

// Several outputs are fits of one, and classes are told apart by their signs.
func TestSeveralOutputs(t *testing.T) {
	p := learntest.Problem(200, data.Multiclass, 11)
	y := mat.NewDense(200, 3, nil)
	for i, c := range p.Y {
		for o := range 3 {
			y.Set(i, o, -1)
		}
		y.Set(i, int(c), 1)
	}
	for _, s := range []Solver{Direct, Falkon} {
		r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Intercept: true, Lambda: 0.2,
			Options: Options{Solver: s, Centers: 30, Tol: 1e-12}}
		all, err := r.FitMulti(t.Context(), p.Points, y)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := all.PredictMulti(t.Context(), p.Points)
		for o := range 3 {
			one, err := r.Fit(t.Context(), p.Points, mat.Col(nil, o, y))
			if err != nil {
				t.Fatal(err)
			}
			want, _ := one.Predict(t.Context(), p.Points)
			learntest.AllNear(t, "output", mat.Col(nil, o, got), want, 1e-9)
		}
		c, err := Classification[kernel.Vec, int]{Regression: r}.Fit(t.Context(), p.Points, p.Codes())
		if err != nil {
			t.Fatal(err)
		}
		d, _ := c.Decision(t.Context(), p.Points)
		if !mat.EqualApprox(d, got, 1e-9) || c.Condition() != all.Condition() {
			t.Error("classes are another regression")
		}
	}
}

// byHand reads its rows anew in every pass.
type byHand struct {
	x data.Points[kernel.Vec]
	y []float64
}

func (s byHand) Len() int     { return s.x.Len() }
func (s byHand) Outputs() int { return 1 }
func (s byHand) Pass(ctx context.Context, size int, f func(data.Block[kernel.Vec]) error) error {
	for lo := 0; lo < s.Len(); lo += size {
		hi := min(lo+size, s.Len())
		var block data.Slice[kernel.Vec]
		for i := lo; i < hi; i++ {
			block = append(block, append(kernel.Vec(nil), s.x.At(i)...))
		}
		if err := f(data.Block[kernel.Vec]{First: lo, Points: block, Targets: s.y[lo:hi], Outputs: 1}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// The model is the same to the bit from memory and from a source, with any number of threads.
func TestBitsBySourceAndThreads(t *testing.T) {
	p := learntest.Problem(datatest.Size(2000, 700), data.Regression, 12) // several tiles of rows
	for i, o := range everyWay(60) {
		if testing.Short() && o.Precision == gram.Double && i%2 > 0 {
			continue // every solver, and every choice of centres
		}
		var first string
		for _, threads := range datatest.Threads() {
			r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Intercept: true, Lambda: 0.1, Options: o}
			r.Threads = threads
			a, err := r.Fit(t.Context(), p.Points, p.Y)
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.FitSource(t.Context(), byHand{p.Points, p.Y})
			if err != nil {
				t.Fatal(err)
			}
			bits := func(m *Regressor[kernel.Vec]) string {
				return learntest.Bits(append(linalg.Of(m.Func().Coef).Clone().Data, m.Func().Bias...))
			}
			if first == "" {
				first = bits(a)
			}
			if bits(a) != first || bits(b) != first {
				t.Errorf("%+v, %d threads: other bits", o, threads)
			}
		}
	}
}

// A context that ends in the iterations leaves the model of the last one, and says so.
func TestStoppedKeepsTheIterate(t *testing.T) {
	p := learntest.Problem(500, data.Binary, 13)
	for _, precision := range []gram.Precision{gram.Double, gram.Single} {
		r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, Lambda: 1e-4, Intercept: true,
			Options: Options{Solver: Falkon, Centers: 30, Tol: 1e-13, Precision: precision}}
		ctx, cancel := context.WithCancel(t.Context())
		r.Trace = func(s trace.Step) {
			if s.Iteration == 4 {
				cancel()
			}
		}
		_, err := Classification[kernel.Vec, int]{Regression: r}.Fit(ctx, p.Points, p.Codes())
		var stopped *learn.Stopped[kernel.Vec]
		if !errors.Is(err, context.Canceled) || !errors.As(err, &stopped) ||
			!strings.Contains(err.Error(), "stopped after 4 iterations") {
			t.Fatal(err)
		}
		r.Trace, r.MaxIterations = nil, 4
		short, err := Classification[kernel.Vec, int]{Regression: r}.Fit(t.Context(), p.Points, p.Codes())
		if err != nil {
			t.Fatal(err)
		}
		a, _ := stopped.Model.(learn.Classifier[kernel.Vec, int]).Decision(t.Context(), p.Points)
		b, _ := short.Decision(t.Context(), p.Points)
		if !mat.EqualApprox(a, b, 1e-12) || stopped.Model.Report().Converged {
			t.Error("not the fourth iterate")
		}
		if got, want := stopped.Model.Report().Certificate, short.Report().Certificate; math.Abs(got/want-1) > 0.01 {
			t.Errorf("residual %g, want %g", got, want)
		}
	}
}
