package representer_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/representer"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

var gauss = kernel.Gaussian{Lengthscale: 0.7}

func wave(n int) (data.Slice[kernel.Vec], []float64) {
	rng := rand.New(rand.NewPCG(3, 8))
	var x data.Slice[kernel.Vec]
	var y []float64
	for i := range n {
		v := 4 * float64(i) / float64(n)
		x = append(x, kernel.Vec{v})
		y = append(y, math.Sin(2*v)+0.1*rng.NormFloat64())
	}
	return x, y
}

func predicted(t *testing.T, m learn.Regressor[kernel.Vec], x data.Points[kernel.Vec]) []float64 {
	t.Helper()
	p, err := m.Predict(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The squared loss is ridge regression: α and b solve (K + λW⁻¹)α + b1 = y, 1ᵀα = 0.
func TestSquaredLossIsRidge(t *testing.T) {
	x, y := wave(30)
	n := len(x)
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5 + float64(i%3)
	}
	const lambda = 0.2
	a, b := mat.NewDense(n+1, n+1, nil), mat.NewVecDense(n+1, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, gauss.Eval(x[i], x[j]))
		}
		a.Set(i, i, a.At(i, i)+lambda/w[i])
		a.Set(i, n, 1)
		a.Set(n, i, 1)
		b.SetVec(i, y[i])
	}
	var c mat.VecDense
	if err := c.SolveVec(a, b); err != nil {
		t.Fatal(err)
	}
	m, err := representer.Regression[kernel.Vec]{Kernel: gauss, Loss: rkhs.SquaredLoss{}, Weights: w,
		Options: representer.Options{Lambda: lambda, Tol: 1e-12}}.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range predicted(t, m, x) {
		want := c.AtVec(n)
		for j := range n {
			want += c.AtVec(j) * gauss.Eval(x[i], x[j])
		}
		if !(math.Abs(got-want) <= 1e-5) {
			t.Errorf("row %d: %v, ridge regression has %v", i, got, want)
		}
	}
}

// For every loss: the derivative of the objective along any direction is 0 (or changes its sign),
// so that no step lowers it; the certificate is met; a weight of 2 is a row twice.
func TestNothingIsBetter(t *testing.T) {
	ctx := context.Background()
	x, y := wave(24)
	labels := make([]float64, len(y))
	for i, v := range y {
		labels[i] = math.Copysign(1, v)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	for name, c := range map[string]struct {
		loss rkhs.Loss
		y    []float64
	}{
		"huber": {rkhs.HuberLoss{Delta: 0.2}, y}, "absolute": {rkhs.AbsoluteLoss{}, y}, "squared": {rkhs.SquaredLoss{}, y},
		"hinge": {rkhs.HingeLoss{}, labels}, "squared hinge": {rkhs.SquaredHingeLoss{}, labels},
		"logistic": {rkhs.LogisticLoss{}, labels},
	} {
		w := make([]float64, len(y))
		for i := range w {
			w[i] = float64(1 + i%2)
		}
		o := representer.Options{Lambda: 0.5, Tol: 1e-7}
		m, err := representer.Regression[kernel.Vec]{Kernel: gauss, Loss: c.loss, Weights: w, Options: o}.Fit(ctx, x, c.y)
		if err != nil {
			t.Fatal(name, err)
		}
		if r := m.Report(); !r.Converged || r.Certificate > 1.01e-7 || len(r.Warnings) > 0 {
			t.Errorf("%s: %+v", name, r)
		}
		objective := func(move float64, d []float64) float64 {
			z := predicted(t, m, x)
			k := mat.NewDense(len(x), len(x), nil)
			for i := range x {
				for j := range x {
					k.Set(i, j, gauss.Eval(x[i], x[j]))
				}
			}
			alpha := make([]float64, len(x))
			for s, i := range m.Support() {
				alpha[i] = m.Func().Coef.At(s, 0)
			}
			s := 0.0
			for i := range x {
				for j := range x {
					z[i] += move * d[j] * k.At(i, j)
					s += o.Lambda / 2 * (alpha[i] + move*d[i]) * (alpha[j] + move*d[j]) * k.At(i, j)
				}
				l, _ := c.loss.Value(c.y[i], z[i]+move*d[len(x)])
				s += w[i] * l
			}
			return s
		}
		least := objective(0, make([]float64, len(x)+1))
		for range 10 {
			d := make([]float64, len(x)+1)
			for i := range d {
				d[i] = rng.NormFloat64()
			}
			for _, move := range []float64{1e-2, -1e-2, 1e-3, -1e-3} {
				if there := objective(move, d); there < least-1e-5 {
					t.Errorf("%s: a step lowers the objective from %v to %v", name, least, there)
				}
			}
		}
		twice, values := slices.Clone(x), slices.Clone(c.y)
		for i := range x {
			if w[i] == 2 {
				twice, values = append(twice, x[i]), append(values, c.y[i])
			}
		}
		again, err := representer.Regression[kernel.Vec]{Kernel: gauss, Loss: c.loss, Options: o}.Fit(ctx, twice, values)
		if err != nil {
			t.Fatal(name, err)
		}
		a, b := predicted(t, m, x), predicted(t, again, x)
		for i := range a {
			if math.Abs(a[i]-b[i]) > 5e-3 {
				t.Errorf("%s: row %d is %v with weights, %v with rows twice", name, i, a[i], b[i])
			}
		}
	}
}

// One wild value of twenty moves Huber's curve little, and the squares' much.
func TestHuberHeedsNoOutlier(t *testing.T) {
	x, y := wave(40)
	wild := slices.Clone(y)
	wild[20] += 30
	off := func(loss rkhs.Loss) float64 {
		most := 0.0
		var fits [2][]float64
		for i, y := range [][]float64{y, wild} {
			m, err := representer.Regression[kernel.Vec]{Kernel: gauss, Loss: loss,
				Options: representer.Options{Lambda: 0.5}}.Fit(context.Background(), x, y)
			if err != nil {
				t.Fatal(err)
			}
			fits[i] = predicted(t, m, x)
		}
		for i := range x {
			most = max(most, math.Abs(fits[0][i]-fits[1][i]))
		}
		return most
	}
	if h, s := off(rkhs.HuberLoss{Delta: 0.1}), off(rkhs.SquaredLoss{}); !(h < 0.3 && s > 5*h) {
		t.Errorf("a wild value moves Huber's curve by %v, the squares' by %v", h, s)
	}
}

// Points of weight 0 and the place of the origin make no difference; a small budget is kept.
func TestSameFunctionWhereverThePointsLie(t *testing.T) {
	ctx := context.Background()
	x, y := wave(50)
	sign := make([]int, len(y))
	w := make([]float64, len(y))
	var some data.Slice[kernel.Vec]
	var values []float64
	for i, v := range y {
		if v > 0 {
			sign[i] = 1
		}
		if i%5 > 0 {
			w[i], some, values = 1, append(some, x[i]), append(values, v)
		}
	}
	var first []float64
	for _, by := range []float64{0, 1e3, 1e6} {
		moved := make(data.Slice[kernel.Vec], len(x))
		for i := range x {
			moved[i] = kernel.Vec{x[i][0] + by}
		}
		m, err := representer.Regression[kernel.Vec]{Kernel: kernel.Linear{}}.Fit(ctx, moved, y)
		if err != nil {
			t.Fatal(err)
		}
		c, err := representer.Classification[kernel.Vec, int]{Kernel: kernel.Linear{}}.Fit(ctx, moved, sign)
		if err != nil {
			t.Fatal(err)
		}
		d, err := c.Decision(ctx, moved)
		if err != nil {
			t.Fatal(err)
		}
		got := append(predicted(t, m, moved), mat.Col(nil, 0, d)...)
		if first == nil {
			first = got
		}
		for i, v := range got {
			if !(math.Abs(v-first[i]) <= 1e-6*(1+math.Abs(v))) {
				t.Fatalf("moved by %g: %v at %d, without %v; %+v", by, v, i, first[i], m.Report())
			}
		}
	}
	a, err := representer.Regression[kernel.Vec]{Kernel: gauss, Weights: w,
		Options: representer.Options{Resources: learn.Resources{Bytes: 100}}}.Fit(ctx, x, y)
	if err != nil {
		t.Fatal(err)
	}
	b, err := representer.Regression[kernel.Vec]{Kernel: gauss}.Fit(ctx, some, values)
	if err != nil {
		t.Fatal(err)
	}
	if a.Report().Bytes > 100 || len(a.Report().Warnings)+len(b.Report().Warnings) > 0 {
		t.Errorf("%+v", a.Report())
	}
	p, q := predicted(t, a, x), predicted(t, b, x)
	for i := range p {
		if !(math.Abs(p[i]-q[i]) <= 1e-6) {
			t.Errorf("row %d: weight 0 predicts %v, without the points %v", i, p[i], q[i])
		}
	}
}
