package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// One feature and no intercept: the minimum is a root of one equation, found
// by bisection.
func TestL1LogisticOfOneFeature(t *testing.T) {
	x := []float64{-2, -1, 0.5, 1, 3}
	y := []float64{-1, 1, -1, 1, 1}
	w := []float64{1, 2, 1, 0.5, 1}
	p := &L1Logistic{Columns: linalg.Matrix[float64]{Rows: 1, Cols: 5, Stride: 5, Data: x}, Sign: y, Weight: w, Tol: 1e-14}
	slope := func(b, lambda float64) float64 { // for b > 0
		g := lambda
		for i := range x {
			g -= w[i] * y[i] * x[i] / (1 + math.Exp(y[i]*x[i]*b))
		}
		return g
	}
	top := p.LambdaMax()
	if g := slope(0, top); math.Abs(g) > 1e-12 {
		t.Errorf("λmax %g leaves the slope %g at 0", top, g)
	}
	for _, lambda := range []float64{top / 10, top / 2, 2 * top} {
		s, err := p.Solve(context.Background(), lambda, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		if lambda < top {
			lo, hi := 0.0, 100.0
			for range 200 {
				if want = (lo + hi) / 2; slope(want, lambda) < 0 {
					lo = want
				} else {
					hi = want
				}
			}
		}
		if math.Abs(s.Beta[0]-want) > 1e-6 || lambda > top && s.Beta[0] != 0 {
			t.Errorf("λ = %g: β = %g, want %g (gap %g)", lambda, s.Beta[0], want, s.Gap)
		}
	}
}

// The gap bounds how far a solution is from a much better one.
func TestL1LogisticGapIsABound(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	const n, d = 60, 90
	p := &L1Logistic{Columns: linalg.New[float64](d, n), Sign: make([]float64, n), Weight: make([]float64, n),
		Intercept: true}
	for i := range p.Columns.Data {
		p.Columns.Data[i] = rng.NormFloat64()
	}
	for i := range n {
		p.Weight[i] = 1
		p.Sign[i] = math.Copysign(1, p.Columns.At(0, i)+0.7*p.Columns.At(1, i)+0.3*rng.NormFloat64())
	}
	lambda := p.LambdaMax() / 20
	p.Tol = 1e-12
	best, err := p.Solve(context.Background(), lambda, nil)
	if err != nil || !best.Converged {
		t.Fatal(best.Gap, err)
	}
	for _, tol := range []float64{1e-1, 1e-2, 1e-4} {
		p.Tol = tol
		s, err := p.Solve(context.Background(), lambda, nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.Gap > tol*s.Value || s.Value-best.Value > s.Gap+1e-12 || s.Value < best.Value-1e-10 {
			t.Errorf("tolerance %g: value %.15g, best %.15g, gap %g", tol, s.Value, best.Value, s.Gap)
		}
	}
	if best.NonZero() == 0 || best.NonZero() > n {
		t.Errorf("%d of %d features in use", best.NonZero(), d)
	}
}
