package sparse

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// penaltyGradient checks the optimality conditions with the double loop: the gradient of the loss
// by αⱼ is -λ·sign(αⱼ), within ±λ where αⱼ = 0 (L1), or -λαⱼ (L2); that by b is 0.
func penaltyGradient(
	t *testing.T, name string, f learn.Model[kernel.Vec], support []int, x *mat.Dense,
	slope func(i int, f float64) float64, lambda float64, l1 bool,
) {
	t.Helper()
	n, _ := x.Dims()
	alpha := make([]float64, n)
	for a, i := range support {
		alpha[i] = f.Func().Coef.At(a, 0)
	}
	k := f.Func().Kernel
	g := make([]float64, n)
	total := 0.0
	for i := range n {
		v := f.Func().Bias[0]
		for j, a := range alpha {
			v += a * k.Eval(x.RawRowView(j), x.RawRowView(i))
		}
		g[i] = slope(i, v)
		total += g[i]
	}
	const tol = 2e-3
	if math.Abs(total) > tol {
		t.Errorf("%s: gradient by the bias is %g", name, total)
	}
	for j, a := range alpha {
		by := 0.0
		for i := range n {
			by += g[i] * k.Eval(x.RawRowView(j), x.RawRowView(i))
		}
		switch {
		case !l1 && math.Abs(by+lambda*a) > tol:
			t.Errorf("%s: gradient by α %d is %g, want %g", name, j, by, -lambda*a)
		case l1 && a != 0 && math.Abs(by+math.Copysign(lambda, a)) > tol*lambda:
			t.Errorf("%s: gradient by α %d = %g is %g, want %g", name, j, a, by, -math.Copysign(lambda, a))
		case l1 && a == 0 && math.Abs(by) > lambda*(1+tol):
			t.Errorf("%s: gradient by α %d = 0 is %g, outside ±%g", name, j, by, lambda)
		}
	}
}

func TestVectorMachinesAreOptimal(t *testing.T) {
	ctx := context.Background()
	k := kernel.Gaussian{Lengthscale: 1}
	x, y := learntest.NoisySinc(90, 8, 0.1, 11)
	o := Options{Lambda: 0.3, Tol: 1e-10}
	square := func(i int, f float64) float64 { return f - y[i] }
	m1, err := L1VM[kernel.Vec]{Kernel: k, Options: o}.Fit(ctx, data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	penaltyGradient(t, "l1vm", m1, m1.Support(), x, square, 0.3, true)
	m2, err := L2VM[kernel.Vec]{Kernel: k, Options: o}.Fit(ctx, data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	penaltyGradient(t, "l2vm", m2, m2.Support(), x, square, 0.3, false)
	if len(m1.Support()) >= 45 || len(m2.Support()) != 90 {
		t.Errorf("L1VM keeps %d points, L2VM %d of 90", len(m1.Support()), len(m2.Support()))
	}
	z, label := learntest.Blobs(150, 2, 2, 1.5, 12)
	odds := func(i int, f float64) float64 { return sigmoid.Of(f) - float64(label[i]) }
	c1, err := L1VMClassification[kernel.Vec, int]{Kernel: k, Options: o}.Fit(ctx, data.Rows(z), label)
	if err != nil {
		t.Fatal(err)
	}
	penaltyGradient(t, "l1vm classifier", c1, c1.Support(), z, odds, 0.3, true)
	c2, err := L2VMClassification[kernel.Vec, int]{Kernel: k, Options: o}.Fit(ctx, data.Rows(z), label)
	if err != nil {
		t.Fatal(err)
	}
	penaltyGradient(t, "l2vm classifier", c2, c2.Support(), z, odds, 0.3, false)
	for _, r := range []learn.Report{m1.Report(), m2.Report(), c1.Report(), c2.Report()} {
		if !r.Converged || r.Certificate > 1e-10 {
			t.Errorf("%s: %+v", r.Learner, r)
		}
	}
	// With weights the slope of a point counts by its weight.
	heavy := make([]float64, 150)
	for i := range heavy {
		heavy[i] = float64(i % 4)
	}
	weighted := func(slope func(int, float64) float64) func(int, float64) float64 {
		return func(i int, f float64) float64 { return heavy[i] * slope(i, f) }
	}
	w1, err := L1VM[kernel.Vec]{Kernel: k, Weights: heavy[:90], Options: o}.Fit(ctx, data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	penaltyGradient(t, "weighted l1vm", w1, w1.Support(), x, weighted(square), 0.3, true)
	w2, err := L2VM[kernel.Vec]{Kernel: k, Weights: heavy[:90], Options: o}.Fit(ctx, data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	penaltyGradient(t, "weighted l2vm", w2, w2.Support(), x, weighted(square), 0.3, false)
	v1, err := L1VMClassification[kernel.Vec, int]{Kernel: k, Weights: heavy, Options: o}.Fit(ctx, data.Rows(z), label)
	if err != nil {
		t.Fatal(err)
	}
	penaltyGradient(t, "weighted l1vm classifier", v1, v1.Support(), z, weighted(odds), 0.3, true)
	v2, err := L2VMClassification[kernel.Vec, int]{Kernel: k, Weights: heavy, Options: o}.Fit(ctx, data.Rows(z), label)
	if err != nil {
		t.Fatal(err)
	}
	penaltyGradient(t, "weighted l2vm classifier", v2, v2.Support(), z, weighted(odds), 0.3, false)
	p := modeltest.Proba(t, c1, data.Rows(z))
	for i, v := range modeltest.Predict(t, c1, data.Rows(z)) {
		if (p.At(i, 1) > 0.5) != (v == 1) {
			t.Fatalf("point %d is predicted %d with probability %g", i, v, p.At(i, 1))
		}
	}
}
