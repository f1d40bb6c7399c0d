package logistic

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

type logisticGolden struct {
	X, Test, Softmax      [][]float64
	Two, Three            []int
	W                     []float64
	Linear, Kernel, Plain []float64
	Sparse, Lasso         struct {
		Lambda, Bias float64
		Coef         []float64
	}
}

func TestLogisticAgainstScikitLearn(t *testing.T) {
	var g logisticGolden
	learntest.ReadGolden(t, "logistic_sklearn.json", &g)
	x, test := learntest.MatrixRows(g.X), learntest.MatrixRows(g.Test)
	rbf := kernel.Gaussian{}
	type c = Regression[kernel.Vec, int]
	second := func(m *Classifier[kernel.Vec, int]) []float64 { return mat.Col(nil, 1, modeltest.Proba(t, m, test)) }
	for _, method := range []Method{Auto, Newton, Truncated} {
		for what, fit := range map[string]struct {
			c    c
			want []float64
		}{
			"linear": {c{Kernel: kernel.Linear{}, Lambda: 0.5, Intercept: true, Weights: g.W}, g.Linear},
			"kernel": {c{Kernel: rbf, Lambda: 0.5, Intercept: true, Balance: learn.Balanced}, g.Kernel},
			"plain":  {c{Kernel: rbf, Lambda: 0.5}, g.Plain},
			"nλ":     {c{Kernel: rbf, Lambda: 0.5 / 60, PerPoint: true}, g.Plain},
		} {
			fit.c.Method, fit.c.Tol = method, 1e-10
			m := modeltest.Must(fit.c.Fit(learntest.Ctx, x, g.Two))(t)
			learntest.AllNear(t, what, second(m), fit.want, 2e-6)
			if r := m.Report(); !r.Converged || r.Certificate > 1e-10 {
				t.Errorf("%s, method %d: report %+v", what, method, r)
			}
		}
	}
	soft := c{Kernel: rbf, Lambda: 0.5, Intercept: true, Tol: 1e-10}
	m := modeltest.Must(soft.Fit(learntest.Ctx, x, g.Three))(t)
	p := modeltest.Proba(t, m, test)
	for i, want := range g.Softmax {
		learntest.AllNear(t, "softmax", p.RawRowView(i), want, 2e-6)
		if got := modeltest.Predict(t, m, data.Gather[kernel.Vec](test, []int{i}))[0]; got != learn.ArgMax(want) {
			t.Errorf("predicted %d at probabilities %v", got, want)
		}
	}
}

// With an intercept the expected count of each class is its count, and held-out
// probabilities come true as often as they say.
func TestLogisticIsCalibrated(t *testing.T) {
	draw := func(n int, seed uint64) (*mat.Dense, []int) {
		x, y := learntest.Wave(n, 2, seed)
		noise, _ := learntest.Wave(n, 1, seed+100)
		label := make([]int, n)
		for i := range label {
			if 2*(y[i]-2)+x.At(i, 0)+noise.At(i, 0) > 0 {
				label[i] = 1
			}
		}
		return x, label
	}
	x, label := draw(600, 50)
	m := modeltest.Must(Regression[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Lambda: 0.5,
		Intercept: true}.Fit(learntest.Ctx, data.Rows(x), label))(t)
	p, sum, count := modeltest.Proba(t, m, data.Rows(x)), 0.0, 0.0
	for i := range label {
		sum += p.At(i, 1)
		count += float64(label[i])
	}
	learntest.Near(t, "expected count", sum, count, 1e-6)
	z, truth := draw(4000, 51)
	q := modeltest.Proba(t, m, data.Rows(z))
	var said, came, size [5]float64
	for i := range truth {
		b := min(int(5*q.At(i, 1)), 4)
		said[b] += q.At(i, 1)
		came[b] += float64(truth[i])
		size[b]++
	}
	for b := range said {
		learntest.Near(t, "frequency where such a probability was predicted", came[b]/size[b], said[b]/size[b], 0.1)
	}
}

// Separable data with hardly any penalty send plain Newton steps far away;
// the step rule brings them home.
func TestLogisticConvergesFromAnywhere(t *testing.T) {
	x := data.Slice[kernel.Vec]{{-1000}, {-2}, {-1}, {1}, {2}, {30}}
	y := []bool{false, false, false, true, true, true}
	names := make([]string, len(y))
	for i, v := range y {
		names[i] = map[bool]string{false: "no", true: "yes"}[v]
	}
	for _, method := range []Method{Newton, Truncated} {
		for _, lambda := range []float64{1e-8, 1e-3, 1e3} {
			m := modeltest.Must(Regression[kernel.Vec, string]{Kernel: kernel.Linear{}, Lambda: lambda, Intercept: true,
				Method: method, Tol: 1e-6}.Fit(learntest.Ctx, x, names))(t)
			if r := m.Report(); !r.Converged {
				t.Errorf("method %d, λ = %g: report %+v", method, lambda, r)
			}
			if lambda < 1 {
				for i, got := range modeltest.Predict(t, m, x) {
					if got != names[i] {
						t.Errorf("method %d, λ = %g: point %d is %s", method, lambda, i, got)
					}
				}
			}
		}
	}
}

func TestLogisticL1AgainstScikitLearn(t *testing.T) {
	var g logisticGolden
	learntest.ReadGolden(t, "logistic_sklearn.json", &g)
	x := learntest.MatrixRows(g.X)
	c := L1[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Intercept: true, Tol: 1e-11}
	check := func(what string, c L1[kernel.Vec, int], lambda float64, want []float64, bias float64) {
		t.Helper()
		path := modeltest.Must(c.Path(learntest.Ctx, x, g.Two, []float64{2 * lambda, lambda}))(t)
		coef, b := path.Coef(1)
		learntest.AllNear(t, what, coef, want, 2e-4)
		learntest.Near(t, what+" bias", b, bias, 2e-4)
		zeros := 0
		for j, v := range want {
			if (v == 0) != (coef[j] == 0) && math.Abs(v) > 1e-4 {
				t.Errorf("%s: coefficient %d is %g, theirs %g", what, j, coef[j], v)
			}
			if coef[j] == 0 {
				zeros++
			}
		}
		if len(want) > 2 && zeros < len(want)/2 {
			t.Errorf("%s: only %d exact zeros", what, zeros)
		}
		if path.Gap(1) > 1e-10 {
			t.Errorf("%s: gap %g", what, path.Gap(1))
		}
	}
	check("sparse", c, g.Sparse.Lambda, g.Sparse.Coef, g.Sparse.Bias)
	c.Kernel, c.Features = kernel.Linear{}, true
	check("lasso", c, g.Lasso.Lambda, g.Lasso.Coef, g.Lasso.Bias)
}

// The conditions that make an ℓ1 solution optimal, all along the path: a
// coefficient that is not 0 has |∂loss| = λ with its sign, one that is 0 has |∂loss| ≤ λ.
func TestLogisticL1PathIsOptimal(t *testing.T) {
	x, _ := learntest.Wave(80, 2, 60)
	label := make([]string, 80)
	for i := range label {
		label[i] = "out"
		if math.Hypot(x.At(i, 0), x.At(i, 1)) < 1.1 {
			label[i] = "in"
		}
	}
	k := kernel.Gaussian{Lengthscale: 0.8}
	c := L1[kernel.Vec, string]{Kernel: k, Intercept: true, Tol: 1e-9}
	path := modeltest.Must(c.Path(learntest.Ctx, data.Rows(x), label, nil))(t)
	if path.Len() != 50 || path.NonZero(0) != 0 || path.NonZero(49) < 3 {
		t.Fatalf("path of %d, from %d to %d coefficients", path.Len(), path.NonZero(0), path.NonZero(49))
	}
	for s := range path.Len() {
		coef, bias := path.Coef(s)
		lambda := path.Lambda(s)
		if path.Gap(s) > 1e-9 {
			t.Errorf("gap %g at λ %d", path.Gap(s), s)
		}
		slope := make([]float64, 80)
		for i := range 80 {
			f, y := bias, -1.0
			for j, a := range coef {
				f += a * k.Eval(x.RawRowView(j), x.RawRowView(i))
			}
			if label[i] == "out" {
				y = 1
			}
			r := y / (1 + math.Exp(y*f))
			for j := range slope {
				slope[j] += r * k.Eval(x.RawRowView(j), x.RawRowView(i))
			}
		}
		for j, a := range coef {
			if a != 0 {
				learntest.Near(t, "slope of a coefficient in use", slope[j], math.Copysign(lambda, a), 3e-3*lambda)
			} else if math.Abs(slope[j]) > lambda*(1+1e-3) {
				t.Errorf("λ %d: slope %g of a coefficient that is 0, λ = %g", s, slope[j], lambda)
			}
		}
	}
	m := modeltest.Must(path.Model(49))(t)
	if m.Func().Centers.Len() != path.NonZero(49) {
		t.Errorf("%d centres for %d coefficients", m.Func().Centers.Len(), path.NonZero(49))
	}
	d, three := learntest.Corners(90, 3, 61)
	multi := modeltest.Must(L1[kernel.Vec, int]{Kernel: k, Intercept: true}.Fit(learntest.Ctx, data.Rows(d), three))(t)
	wrong := 0
	for i, v := range modeltest.Predict(t, multi, data.Rows(d)) {
		if v != three[i] {
			wrong++
		}
	}
	if wrong > 6 || multi.Func().Centers.Len() > 60 {
		t.Errorf("%d wrong with %d centres", wrong, multi.Func().Centers.Len())
	}
}

func TestLogisticSameBitsAtAnyThreadCount(t *testing.T) {
	d, three := learntest.Corners(300, 3, 62)
	two := make([]int, len(three))
	for i, c := range three {
		two[i] = c / 2
	}
	fits := map[string]func(threads int) *mat.Dense{
		"newton": func(n int) *mat.Dense {
			c := Regression[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Intercept: true}
			c.Threads = n
			return modeltest.Proba(t, modeltest.Must(c.Fit(learntest.Ctx, data.Rows(d), two))(t), data.Rows(d))
		},
		"softmax": func(n int) *mat.Dense {
			c := Regression[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Intercept: true}
			c.Threads = n
			return modeltest.Proba(t, modeltest.Must(c.Fit(learntest.Ctx, data.Rows(d), three))(t), data.Rows(d))
		},
		"sparse": func(n int) *mat.Dense {
			c := L1[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Intercept: true}
			c.Threads = n
			return modeltest.Proba(t, modeltest.Must(c.Fit(learntest.Ctx, data.Rows(d), two))(t), data.Rows(d))
		},
	}
	for what, fit := range fits {
		first := fit(1)
		for _, threads := range []int{2, 8} {
			if !mat.Equal(first, fit(threads)) {
				t.Errorf("%s: %d threads give other bits than 1", what, threads)
			}
		}
	}
}

func TestLogisticRefusesCopiesAndCancels(t *testing.T) {
	type c = Regression[kernel.Vec, int]
	two := data.Slice[kernel.Vec]{{1}, {2}}
	for name, f := range map[string]struct {
		c    c
		x    data.Points[kernel.Vec]
		y    []int
		says string
	}{
		"one class": {c{}, two, []int{1, 1}, "all labels are the same"},
		"empty":     {c{}, data.Slice[kernel.Vec]{}, nil, "no points"},
		"lengths":   {c{}, two, []int{1, 2, 3}, "2 points but 3 labels"},
		"NaN":       {c{}, data.Slice[kernel.Vec]{{1}, {math.NaN()}}, []int{0, 1}, "row 1"},
		"λ":         {c{Lambda: -2}, two, []int{0, 1}, "Lambda is -2"},
		"weights":   {c{Weights: []float64{0, 1}}, two, []int{0, 1}, "all weight of class 0"},
		"multi":     {c{Method: Newton}, data.Slice[kernel.Vec]{{1}, {2}, {3}}, []int{0, 1, 2}, "two classes"},
		"budget":    {c{Method: Newton, Resources: learn.Resources{Bytes: 10}}, two, []int{0, 1}, "budget"},
	} {
		f.c.Kernel = kernel.Gaussian{}
		if _, err := f.c.Fit(learntest.Ctx, f.x, f.y); err == nil || !strings.Contains(err.Error(), f.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, f.says)
		}
	}
	if _, err := (L1[kernel.Vec, int]{Kernel: kernel.Linear{}}).Fit(learntest.Ctx,
		data.Slice[kernel.Vec]{{1e308}, {-1e308}}, []int{0, 1}); err == nil {
		t.Error("1e308 squared was taken")
	}
	same := modeltest.Must(c{Kernel: kernel.Gaussian{}, Intercept: true}.Fit(learntest.Ctx,
		data.Slice[kernel.Vec]{{1}, {1}, {1}, {1}}, []int{0, 1, 1, 1}))(t)
	learntest.Near(t, "duplicates", modeltest.Proba(t, same, data.Slice[kernel.Vec]{{1}}).At(0, 1), 0.75, 1e-6)

	x, label := learntest.Corners(60, 2, 63)
	m := modeltest.Must(c{Kernel: kernel.Gaussian{}}.Fit(learntest.Ctx, data.Rows(x), label))(t)
	z, _ := learntest.Corners(5, 2, 64)
	before := modeltest.Proba(t, m, data.Rows(z))
	for i := range 60 {
		x.Set(i, 0, 77)
	}
	if !mat.Equal(before, modeltest.Proba(t, m, data.Rows(z))) {
		t.Error("the model changed with the training data")
	}
	big, names := learntest.Corners(150, 3, 65)
	one := learn.Resources{Threads: 1}
	for what, fit := range map[string]func(ctx *learntest.Countdown) error{
		"softmax": func(ctx *learntest.Countdown) error {
			_, err := c{Kernel: kernel.Gaussian{}, Lambda: 1e-6, Resources: one}.Fit(ctx, data.Rows(big), names)
			return err
		},
		"sparse": func(ctx *learntest.Countdown) error {
			_, err := L1[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Lambda: 0.1, Resources: one}.Fit(ctx, data.Rows(big), names)
			return err
		},
	} {
		if looks := learntest.Cancels(t, fit).Asked(); looks < 20 {
			t.Errorf("%s looks at the context %d times", what, looks)
		}
	}
}
