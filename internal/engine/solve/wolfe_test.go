package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// noisy is a function whose values are wrong by up to grain, otherwise at every point, and whose
// slopes are not: a sum of many terms, near its minimum.
type noisy struct {
	weighted
	grain, offset float64
	calls         *int
}

func (q noisy) Eval(x, grad []float64) float64 {
	*q.calls++
	r := rand.New(rand.NewPCG(math.Float64bits(x[0]), math.Float64bits(x[1])))
	return q.offset + q.weighted.Eval(x, grad) + q.grain*(2*r.Float64()-1)
}

func TestValuesThatDrownInRoundingDoNotCostEvaluations(t *testing.T) {
	for _, relative := range []float64{1e-14, 1e-12, 3e-12, 1e-11, 1e-10} {
		for seed := range uint64(20) {
			calls := 0
			q := noisy{problem(30, seed), 4e4 * relative, 4e4, &calls}
			x := make([]float64, 30)
			m, err := LBFGS(context.Background(), q, x, Settings{Tol: 1e-15, MaxIter: 300})
			if err != nil {
				t.Fatal(err)
			}
			if calls > 5*(m.Iterations+20) {
				t.Errorf("rounding %g, seed %d: %d evaluations for %d steps, %+v", relative, seed, calls, m.Iterations, m)
			}
			// What is left of the minimum is of the order of the rounding.
			exact, g := 0.0, make([]float64, 30)
			at := make([]float64, 30)
			for i := range at {
				at[i] = root(q.d[i], q.c[i])
			}
			exact = q.weighted.Eval(at, g)
			if got := q.weighted.Eval(x, g); got-exact > 10*q.grain {
				t.Errorf("rounding %g, seed %d: %g above the minimum, %+v", relative, seed, got-exact, m)
			}
		}
	}
}

func TestUnexplained(t *testing.T) {
	// φ(t) = -t + t²/20: slopes -1 and -0.9 at the ends of [0, 1].
	if e := unexplained(1, -0.95, -1, -0.9); e > 0 {
		t.Errorf("a quadratic has %g that its slopes do not explain", e)
	}
	if e := unexplained(1, -0.95+0.25, -1, -0.9); math.Abs(e-0.2) > 1e-15 {
		t.Errorf("got %g, want 0.2", e)
	}
	if e := unexplained(1, 100, -1, 1); e != 0 {
		t.Errorf("a slope that turns: %g", e)
	}
}
