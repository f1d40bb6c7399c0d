package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// The coefficients of machines whose function has weights of features are the same function over
// their support vectors; those of machines on K are those of their function.
func TestDualIsTheFunction(t *testing.T) {
	ctx := context.Background()
	for _, classes := range []int{2, 3} {
		c := featureCases(t)[0]
		x, y := c.points(fitting.SparseFrom+50, classes, rand.New(rand.NewPCG(1, 2)))
		fit := Classification[any, int]{Kernel: c.kernel, C: 1}
		by, err := fit.byFeatures(ctx, c.kernel, x, y, false)
		if err != nil || by == nil {
			t.Fatalf("by features: %v, %v", by, err)
		}
		onK, err := fit.Fit(ctx, x, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*Classifier[any, int]{by, onK} {
			dual, support := m.Dual(), m.Support()
			if r, k := dual.Dims(); r != len(support) || k != m.Decisions() {
				t.Fatalf("coefficients are %d × %d, of %d support vectors and %d machines", r, k, len(support), m.Decisions())
			}
			said, err := m.Decision(ctx, x)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 20 {
				for k := range m.Decisions() {
					sum := m.Func().Bias[k]
					for a, p := range support {
						sum += dual.At(a, k) * c.kernel.Eval(x.At(p), x.At(i))
					}
					if math.Abs(sum-said.At(i, k)) > 1e-8*math.Max(1, math.Abs(sum)) {
						t.Errorf("%d classes, row %d, machine %d: %g over the support vectors, %g", classes, i, k, sum, said.At(i, k))
					}
				}
			}
		}
	}
}

// A regression by features has its coefficients, too, and a model read from a file has none.
func TestDualOfARegression(t *testing.T) {
	ctx := context.Background()
	c := featureCases(t)[0]
	rng := rand.New(rand.NewPCG(3, 4))
	x, y := c.points(fitting.SparseFrom+50, 3, rng)
	values := make([]float64, len(y))
	for i, v := range y {
		values[i] = float64(v) + 0.3*rng.NormFloat64()
	}
	m, err := regression{kernel: kernel.Erase(c.kernel), c: 0.2, noTube: true}.byFeatures(ctx, x, values)
	if err != nil || m == nil {
		t.Fatalf("by features: %v, %v", m, err)
	}
	dual, said := m.Dual(), make([]float64, x.Len())
	if err := m.PredictTo(ctx, said, x); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		sum := m.Func().Bias[0]
		for a, p := range m.Support() {
			sum += dual.At(a, 0) * c.kernel.Eval(x.At(p), x.At(i))
		}
		if math.Abs(sum-said[i]) > 1e-8*math.Max(1, math.Abs(sum)) {
			t.Errorf("row %d: %g over the support vectors, %g", i, sum, said[i])
		}
	}
	restored, err := restoreRegressor(learn.Saved[any]{Learner: "svr", Func: m.Func()})
	if err != nil {
		t.Fatal(err)
	}
	if d := restored.(*Regressor[any]).Dual(); d != nil {
		t.Errorf("a restored model has coefficients %v", d)
	}
}
