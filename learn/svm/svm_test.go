package svm

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

func fitSVC(t *testing.T, s Classification[kernel.Vec, int], x *mat.Dense, y []int) *Classifier[kernel.Vec, int] {
	t.Helper()
	m, err := s.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSVCSatisfiesKKT recomputes margins with the double loop over Eval.
func TestSVCSatisfiesKKT(t *testing.T) {
	x, y := learntest.Blobs(400, 3, 2, 2.5, 1)
	k := kernel.Gaussian{Lengthscale: 1.5}
	for _, tol := range []float64{1e-3, 1e-7} {
		const c = 2.0
		m := fitSVC(t, Classification[kernel.Vec, int]{Kernel: k, C: c, Options: Options{Tol: tol}}, x, y)
		alpha := make([]float64, len(y))
		for s, p := range m.Support() {
			alpha[p] = m.Func().Coef.At(s, 0)
		}
		sum := 0.0
		for i := range y {
			f := m.Func().Bias[0]
			for j, a := range alpha {
				f += a * k.Eval(x.RawRowView(i), x.RawRowView(j))
			}
			label := float64(2*y[i] - 1)
			a := label * alpha[i]
			sum += alpha[i]
			if a < 0 || a > c {
				t.Fatalf("α %d = %g outside [0, C]", i, a)
			}
			if margin := label * f; a == 0 && margin < 1-tol || a == c && margin > 1+tol || a > 0 && a < c &&
				math.Abs(margin-1) > tol {
				t.Errorf("tol %g: point %d with α = %g has margin %g", tol, i, a, margin)
			}
		}
		if math.Abs(sum) > 1e-9 {
			t.Errorf("Σ yα = %g", sum)
		}
		if g := m.DualityGap(); g < -1e-12 || g > 20*tol {
			t.Errorf("tol %g: duality gap %g", tol, g)
		}
	}
}

// TestSVMCertificateHolds recomputes the violation in double precision: the
// one reported, which may be a bound from single-precision columns, is never below it.
func TestSVMCertificateHolds(t *testing.T) {
	x, y := learntest.Blobs(900, 20, 2, 3, 12)
	values := make([]float64, len(y))
	for i := range values {
		values[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)*x.At(i, 2)/4
	}
	for _, scale := range []float64{1, 30} { // the second needs float64 columns to be sure
		k := kernel.Scale[kernel.Vec](scale, kernel.Gaussian{Lengthscale: 4})
		for _, tol := range []float64{1e-2, 1e-3, 1e-5} {
			m, err := Regression[kernel.Vec]{Kernel: k, C: 10, Options: Options{Tol: tol}}.Fit(context.Background(),
				data.Rows(x), values)
			if err != nil {
				t.Fatal(err)
			}
			coef := make([]float64, len(y))
			for s, p := range m.Support() {
				coef[p] = m.Func().Coef.At(s, 0)
			}
			high, low := math.Inf(-1), math.Inf(1)
			for i := range y {
				f := 0.0
				for j, c := range coef {
					if c != 0 {
						f += c * k.Eval(x.RawRowView(i), x.RawRowView(j))
					}
				}
				// The two variables of the point: β⁺ in [0, C], β⁻ in [-C, 0].
				plus, minus := max(coef[i], 0), min(coef[i], 0)
				if z := values[i] - 0.1 - f; true {
					if plus < 10 {
						high = max(high, z)
					}
					if plus > 0 {
						low = min(low, z)
					}
				}
				if z := values[i] + 0.1 - f; true {
					if minus < 0 {
						high = max(high, z)
					}
					if minus > -10 {
						low = min(low, z)
					}
				}
			}
			if c := m.Report().Certificate; !(high-low <= c*(1+1e-9)+1e-12) || c > tol {
				t.Errorf("scale %g, tol %g: violation %g, reported %g", scale, tol, high-low, c)
			}
		}
	}
}

func TestSVMSameBitsAtAnyThreadCount(t *testing.T) {
	x, y := learntest.Blobs(datatest.Size(700, 350), 4, 3, 2.5, 2)
	two, yr := make([]int, len(y)), make([]float64, len(y))
	for i, v := range y {
		two[i] = v % 2
		yr[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	k := kernel.Gaussian{Lengthscale: 2}
	fit := func(n int) [][]float64 {
		o := Options{Resources: learn.Resources{Threads: n}, WorkingSet: 64}
		coef := func(m learn.Model[kernel.Vec]) []float64 {
			return append(slices.Clone(m.Func().Coef.RawMatrix().Data), m.Func().Bias...)
		}
		rows, ctx := data.Rows(x), context.Background()
		svr, err := Regression[kernel.Vec]{Kernel: k, Options: o}.Fit(ctx, rows, yr)
		if err != nil {
			t.Fatal(err)
		}
		lin, err := LinearClassification[kernel.Vec, int]{Resources: learn.Resources{Threads: n}, Seed: 5}.Fit(ctx, rows, y)
		if err != nil {
			t.Fatal(err)
		}
		prim, err := PrimalClassification[kernel.Vec, int]{Kernel: k,
			Options: Options{Resources: learn.Resources{Threads: n}}}.Fit(ctx, rows, two)
		if err != nil {
			t.Fatal(err)
		}
		small, free := o, o
		small.Bytes, free.WorkingSet = int64(107*4*len(y)), 0 // 107 columns
		prob := fitSVC(t, Classification[kernel.Vec, int]{Kernel: k, Options: o, Probability: true, Seed: 3}, x, y)
		return [][]float64{
			coef(fitSVC(t, Classification[kernel.Vec, int]{Kernel: k, Options: o}, x, two)),
			coef(fitSVC(t, Classification[kernel.Vec, int]{Kernel: k, Options: o, MultiClass: learn.OneVsRest}, x, y)),
			coef(fitSVC(t, Classification[kernel.Vec, int]{Kernel: k, Options: small}, x, y)),
			coef(fitSVC(t, Classification[kernel.Vec, int]{Kernel: k, Options: free}, x, y)),
			coef(fitSVC(t, Classification[kernel.Vec, int]{Kernel: k, Options: free, Nu: 0.1, Probability: true}, x, y)),
			coef(fitSVC(t, Classification[kernel.Vec, int]{Kernel: k, Options: free, C: 1000, MultiClass: learn.OneVsRest}, x,
				y)),
			coef(prob), modeltest.Proba(t, prob, rows).RawMatrix().Data,
			coef(svr), coef(lin), coef(prim),
		}
	}
	want := fit(1)
	for _, n := range []int{2, 8} {
		for i, got := range fit(n) {
			if !slices.Equal(got, want[i]) {
				t.Errorf("fit %d differs between 1 and %d threads", i, n)
			}
		}
	}
}

// TestSVCBudgets gives the solver everything, a row cache that must evict, and
// next to nothing, with and without shrinking: the optimum is the same.
func TestSVCBudgets(t *testing.T) {
	n, some := datatest.Size(600, 150), int64(datatest.Size(170, 60))
	x, y := learntest.Blobs(n, 3, 3, 2.5, 3)
	row := int64(4 * n) // bytes of a row in single precision
	for _, rule := range []learn.MultiClass{learn.OneVsOne, learn.OneVsRest} {
		var want []float64
		for _, bytes := range []int64{0, some * row, 9 * row} {
			for _, still := range []bool{false, true} {
				for _, p := range []Columns{AutoColumns, Float64Columns} {
					m := fitSVC(t, Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1}, C: 10, MultiClass: rule,
						Options: Options{Resources: learn.Resources{Bytes: bytes}, NoShrinking: still, Tol: 1e-5, WorkingSet: 32,
							Columns: p}}, x, y)
					got := m.Objectives()
					if want == nil {
						want = got
					}
					for i := range got {
						if math.Abs(got[i]-want[i]) > 1e-6*math.Abs(want[i]) {
							t.Errorf("%v, %d bytes, no shrinking %v, %v: objective %d is %g, want %g", rule, bytes, still, p, i, got[i],
								want[i])
						}
					}
					if b := m.Report().Bytes; bytes > 0 && b > max(bytes, 8*row) {
						t.Errorf("%v: used %d bytes of a budget of %d", rule, b, bytes)
					}
				}
			}
		}
	}
}

func TestSVCHardMargin(t *testing.T) {
	// The widest street between these is x₀ = 0, half width 1.
	x := mat.NewDense(5, 2, []float64{-1, 0, -1, 2, -4, 1, 1, 1, 3, 0})
	y := []int{0, 0, 0, 1, 1}
	m := fitSVC(t, Classification[kernel.Vec, int]{Kernel: kernel.Linear{}, C: math.Inf(1), Options: Options{Tol: 1e-8}},
		x, y)
	d := modeltest.Decision(t, m, data.Rows(mat.NewDense(3, 2, []float64{0, 5, 1, -7, -1, 3})))
	for i, want := range []float64{0, 1, -1} {
		if math.Abs(d.At(i, 0)-want) > 1e-6 {
			t.Errorf("decision %d is %g, want %g", i, d.At(i, 0), want)
		}
	}
	// A Gaussian kernel separates all distinct points. Wide as it is here, coefficients grow so
	// large that the tolerance is out of reach: that is said, and the points are separated all the
	// same.
	near, code := learntest.Blobs(16, 2, 2, 1, 81)
	close := fitSVC(t, Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 3}, C: math.Inf(1),
		Options: Options{Tol: 1e-6}}, near, code)
	if got := modeltest.Predict(t, close, data.Rows(near)); !slices.Equal(got, code) {
		t.Errorf("a hard margin predicts %v", got)
	}
	if r := close.Report(); r.Converged || len(r.Warnings) == 0 || r.Certificate > 1e-3 {
		t.Errorf("report %+v", r)
	}
	_, err := Classification[kernel.Vec, int]{Kernel: kernel.Linear{}, C: math.Inf(1)}.Fit(context.Background(),
		data.Rows(mat.NewDense(4, 1, []float64{0, 1, 2, 3})), []int{0, 1, 0, 1})
	var not *notSeparable
	if !errors.As(err, &not) || !strings.Contains(err.Error(), "not separable") {
		t.Errorf("interleaved points: %v", err)
	}
}

func TestSVMRefuses(t *testing.T) {
	ctx := context.Background()
	k := kernel.Gaussian{}
	good, y := mat.NewDense(3, 1, []float64{1, 2, 3}), []int{0, 1, 0}
	nan := mat.NewDense(3, 1, []float64{1, math.NaN(), 3})
	type s = Classification[kernel.Vec, int]
	for name, c := range map[string]struct {
		s    s
		x    *mat.Dense
		y    []int
		want string
	}{
		"one class":  {s{Kernel: k}, good, []int{4, 4, 4}, "at least two classes"},
		"NaN":        {s{Kernel: k}, nan, y, "row 1, column 0 is NaN"},
		"lengths":    {s{Kernel: k}, good, y[:2], "3 points but 2 labels"},
		"no kernel":  {s{}, good, y, "no Kernel"},
		"negative C": {s{Kernel: k, C: -1}, good, y, "C is -1"},
		"nu":         {s{Kernel: k, Nu: 2}, good, y, "Nu is 2"},
		"infeasible": {s{Kernel: k, Nu: 0.9}, good, y, "at most 0.666667"},
		"tolerance":  {s{Kernel: k, Options: Options{Tol: -1}}, good, y, "Tol is -1"},
		"weights":    {s{Kernel: k, Weights: []float64{1, -2, 1}}, good, y, "sample weight of row 1 is -2"},
		"other start": {s{Kernel: k, Start: &Classifier[kernel.Vec, int]{classMachines: classMachines{n: 9}}}, good, y,
			"Start is a model of 9 points"},
	} {
		if _, err := c.s.Fit(ctx, data.Rows(c.x), c.y); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, c.want)
		}
	}
	if _, err := (Regression[kernel.Vec]{Kernel: k}).Fit(ctx, data.Rows(good), []float64{1, math.Inf(1), 2}); err == nil ||
		!strings.Contains(err.Error(), "target of row 1 is +Inf") {
		t.Errorf("infinite value: %v", err)
	}
	if _, err := (Regression[kernel.Vec]{Kernel: k}).Fit(ctx, data.Slice[kernel.Vec]{}, nil); !errors.Is(err,
		learn.ErrNoPoints) {
		t.Errorf("no points: %v", err)
	}
	if _, err := (OneClass[kernel.Vec]{Kernel: k, Nu: 1.5}).Fit(ctx, data.Rows(good)); err == nil {
		t.Error("one-class with ν = 1.5 accepted")
	}
	if _, err := (LinearClassification[string, int]{}).Fit(ctx, data.Slice[string]{"a", "b"}, []int{0, 1}); err == nil ||
		!strings.Contains(err.Error(), "needs vectors") {
		t.Errorf("linear on strings: %v", err)
	}
}

func TestSVMDegenerateInput(t *testing.T) {
	ctx := context.Background()
	k := kernel.Gaussian{}
	// The same point with both labels, twice each, beside a constant column.
	x := mat.NewDense(6, 2, []float64{1, 7, 1, 7, 1, 7, 1, 7, 3, 7, 4, 7})
	m := fitSVC(t, Classification[kernel.Vec, int]{Kernel: k}, x, []int{0, 1, 0, 1, 1, 1})
	if !m.Report().Converged || modeltest.Predict(t, m, data.Rows(x))[5] != 1 {
		t.Errorf("duplicates: %+v", m.Report())
	}
	// All points the same: a constant decision.
	same := mat.NewDense(3, 1, []float64{2, 2, 2})
	if p := modeltest.Predict(t, fitSVC(t, Classification[kernel.Vec, int]{Kernel: k}, same, []int{0, 1, 1}),
		data.Rows(same)); p[0] != p[1] || p[1] != p[2] {
		t.Errorf("identical points predicted %v", p)
	}
	one := data.Rows(mat.NewDense(1, 1, []float64{3}))
	r, err := Regression[kernel.Vec]{Kernel: k}.Fit(ctx, one, []float64{5})
	if err != nil || math.Abs(modeltest.Predict(t, r, one)[0]-5) > 0.1+1e-9 {
		t.Errorf("regression on one point: %v", err)
	}
	o, err := OneClass[kernel.Vec]{Kernel: k}.Fit(ctx, one)
	if err != nil || len(o.Support()) != 1 {
		t.Errorf("one-class on one point: %v", err)
	}
	if labels := modeltest.Predict(t, m, data.Slice[kernel.Vec]{}); len(labels) != 0 {
		t.Errorf("labels %v for no points", labels)
	}
}

func TestSVMCancels(t *testing.T) {
	x, y := learntest.Blobs(400, 20, 2, 6, 4)
	looks := learntest.Cancels(t, func(ctx *learntest.Countdown) error {
		_, err := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1}, C: 1000,
			Options: Options{Tol: 1e-8, Resources: learn.Resources{Threads: 1}, WorkingSet: 16}}.Fit(ctx, data.Rows(x), y)
		return err
	})
	if looks.Asked() < 20 {
		t.Errorf("looks at the context %d times", looks.Asked())
	}
}

func TestSVMModelOwnsItsPoints(t *testing.T) {
	x, y := learntest.Blobs(60, 2, 2, 1, 5)
	slices2 := make(data.Slice[kernel.Vec], 60)
	for i := range slices2 {
		slices2[i] = slices.Clone(x.RawRowView(i))
	}
	probe := data.Rows(mat.NewDense(2, 2, []float64{0.3, 0.1, -1, 2}))
	for _, p := range []data.Points[kernel.Vec]{data.Rows(x), slices2} {
		m, err := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{}}.Fit(context.Background(), p, y)
		if err != nil {
			t.Fatal(err)
		}
		before := mat.DenseCopyOf(modeltest.Decision(t, m, probe))
		for i := range p.Len() {
			for j := range p.At(i) {
				p.At(i)[j] = 1e9
			}
		}
		if !mat.Equal(before, modeltest.Decision(t, m, probe)) {
			t.Errorf("%T: the model changed with the training data", p)
		}
	}
}

func TestSVCProbabilitiesAgreeWithPredict(t *testing.T) {
	x, y := learntest.Blobs(300, 2, 3, 2.2, 6)
	for _, rule := range []learn.MultiClass{learn.OneVsOne, learn.OneVsRest} {
		m := fitSVC(t, Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 2}, Probability: true,
			MultiClass: rule}, x, y)
		p, labels := modeltest.Proba(t, m, data.Rows(x)), modeltest.Predict(t, m, data.Rows(x))
		score := 0.0
		for i := range y {
			row := p.RawRowView(i)
			sum := 0.0
			for _, v := range row {
				if v < 0 || v > 1 {
					t.Fatalf("probability %g", v)
				}
				sum += v
			}
			if math.Abs(sum-1) > 1e-9 || labels[i] != m.Classes()[learn.ArgMax(row)] {
				t.Fatalf("row %d: %v sums to %g, predicted %d", i, row, sum, labels[i])
			}
			score -= math.Log(row[y[i]]) / float64(len(y))
		}
		if score > 0.75*math.Log(3) {
			t.Errorf("%v: mean log loss %g is hardly better than guessing, %g", rule, score, math.Log(3))
		}
	}
}

func TestSVMWarmStart(t *testing.T) {
	x, y := learntest.Blobs(500, 3, 2, 2.5, 7)
	cold := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1.5}, C: 2, Options: Options{Tol: 1e-6}}
	near := cold
	near.C = 1.9
	warm := cold
	warm.Start = fitSVC(t, near, x, y)
	a, b := fitSVC(t, cold, x, y), fitSVC(t, warm, x, y)
	if d := math.Abs(a.Objectives()[0] - b.Objectives()[0]); d > 1e-7*math.Abs(a.Objectives()[0]) {
		t.Errorf("objectives %g and %g", a.Objectives()[0], b.Objectives()[0])
	}
	if b.Report().Iterations >= a.Report().Iterations {
		t.Errorf("%d steps from a nearby solution, %d from nothing", b.Report().Iterations, a.Report().Iterations)
	}
}

// A point of weight 2 is the point twice.
func TestSVMSampleWeights(t *testing.T) {
	x, y := learntest.Blobs(80, 2, 2, 2, 8)
	double, labels, w := mat.NewDense(160, 2, nil), append(slices.Clone(y), y...), make([]float64, 80)
	for i := range 160 {
		double.SetRow(i, x.RawRowView(i%80))
	}
	for i := range w {
		w[i] = 2
	}
	s := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Options: Options{Tol: 1e-8}}
	want := modeltest.Decision(t, fitSVC(t, s, double, labels), data.Rows(x))
	s.Weights = w
	if got := modeltest.Decision(t, fitSVC(t, s, x, y), data.Rows(x)); !mat.EqualApprox(got, want, 1e-6) {
		t.Error("weight 2 differs from the points twice")
	}
}

// The squared hinge and the rounded hinge at their optimum: no coefficient
// direction and no shift of the intercept lowers the objective.
func TestPrimalSVC(t *testing.T) {
	x, y := learntest.Blobs(250, 2, 2, 2.2, 9)
	k := kernel.Gaussian{Lengthscale: 1.2}
	ctx := context.Background()
	for _, h := range []float64{0, 0.5, 0.01} {
		for _, c := range []float64{1, 1e4} {
			m, err := PrimalClassification[kernel.Vec, int]{Kernel: k, C: c, Huber: h}.Fit(ctx, data.Rows(x), y)
			if err != nil {
				t.Fatal(err)
			}
			if !m.Report().Converged {
				t.Errorf("h = %g, C = %g: %v", h, c, m.Report())
			}
			if h == 0.01 && c == 1 {
				// Close to the hinge, close to SMO.
				s := fitSVC(t, Classification[kernel.Vec, int]{Kernel: k, C: c, Options: Options{Tol: 1e-6}}, x, y)
				a, b := modeltest.Decision(t, m, data.Rows(x)), modeltest.Decision(t, s, data.Rows(x))
				if !mat.EqualApprox(a, b, 0.05) {
					t.Error("rounded hinge is far from the hinge")
				}
				if p := -s.Objectives()[0]; math.Abs(m.Objectives()[0]-p) > 0.01*p {
					t.Errorf("primal objective %g, dual %g", m.Objectives()[0], p)
				}
			}
		}
	}
}

// LIBLINEAR 2.x on heart_scale, -c 1 -B 1 -e 0.0001: the dual objective it prints.
func TestLinearSVCIsLIBLINEARs(t *testing.T) {
	x, yf := learntest.SVMLight(t, "heart_scale")
	y := make([]int, len(yf))
	for i, v := range yf {
		y[i] = int(v)
	}
	for _, c := range []struct {
		hinge bool
		want  float64
	}{{false, 115.137423}, {true, 92.956169}} {
		sparse, err := LinearClassification[data.SparseVec, int]{Hinge: c.hinge, Tol: 1e-4,
			MaxIterations: 20000}.Fit(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		// LIBLINEAR stops after 1000 passes, on the hinge before it is done: its
		// value is a bound from below there.
		if d := (-sparse.dual - c.want) / c.want; d < -1e-7 || d > 1e-4 || !c.hinge && d > 1e-7 {
			t.Errorf("hinge %v: dual objective %.9g, LIBLINEAR %.9g", c.hinge, -sparse.dual, c.want)
		}
		if g := sparse.DualityGap(); g < -1e-9 || g > 1e-4 {
			t.Errorf("hinge %v: duality gap %g", c.hinge, g)
		}
		dense, err := LinearClassification[kernel.Vec, int]{Hinge: c.hinge, Tol: 1e-4,
			MaxIterations: 20000}.Fit(context.Background(), learntest.AsDense(x), y)
		if err != nil {
			t.Fatal(err)
		}
		a, b := modeltest.Must(sparse.Func().Evaluate(t.Context(), x))(t), modeltest.Decision(t, dense, learntest.AsDense(x))
		if !mat.EqualApprox(a, b, 1e-3) || !mat.EqualApprox(a, modeltest.Decision(t, sparse, x), 1e-9) {
			t.Errorf("hinge %v: dense, sparse and RKHS forms disagree", c.hinge)
		}
	}
}

func TestSVMTraceAndOtherPoints(t *testing.T) {
	// A kernel known by Eval alone, on strings.
	words := data.Slice[string]{"aa", "ab", "aab", "bb", "bba", "bbb"}
	steps := 0
	m, err := Classification[string, string]{Kernel: countAs{},
		Options: Options{Resources: learn.Resources{Trace: func(trace.Step) { steps++ }}}}.
		Fit(context.Background(), words, []string{"A", "A", "A", "B", "B", "B"})
	if err != nil {
		t.Fatal(err)
	}
	if got := modeltest.Predict(t, m, data.Slice[string]{"aaa", "bbbb"}); !slices.Equal(got, []string{"A", "B"}) ||
		steps == 0 {
		t.Errorf("%v after %d steps", got, steps)
	}
}

type countAs struct{}

func (countAs) Eval(x, y string) float64 {
	return float64(strings.Count(x, "a")*strings.Count(y, "a") + strings.Count(x, "b")*strings.Count(y, "b"))
}
