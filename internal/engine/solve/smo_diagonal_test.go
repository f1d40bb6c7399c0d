package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Where K is as good as diagonal the programme is solved at once, to the optimum that the steps of
// the solver reach, whatever the bounds and the diagonal.
func TestSeparable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, rest := range []float64{0, 1e-16} {
		for _, c := range []float64{1e-3, 0.5, 1, 20, 1e4} {
			const n, v = 90, 70
			k := linalg.Matrix[float32]{Rows: n, Cols: n, Stride: PaddedStride(n), Data: make([]float32, n*PaddedStride(n))}
			for i := range n {
				for j := range i {
					k.Set(i, j, float32(rest*(2*rng.Float64()-1)))
					k.Set(j, i, k.At(i, j))
				}
				k.Set(i, i, float32(0.5+rng.Float64()))
			}
			q := BoxQP{Point: rng.Perm(n)[:v], Linear: make([]float64, v), Lower: make([]float64, v), Upper: make([]float64, v)}
			for i := range v {
				if q.Linear[i] = 1; i%5 < 2 {
					q.Linear[i], q.Lower[i] = -1, -c*(0.5+rng.Float64())
				} else {
					q.Upper[i] = c * (0.5 + rng.Float64())
				}
			}
			solved := func(narrow bool) (SharedResult, []float64, []float64) {
				s, known := &SharedSMO{Tol: 1e-6}, math.Inf(1)
				if narrow {
					known = rest
				}
				s.Renew(k, known)
				if s.Separable(q) != narrow {
					t.Fatalf("rest %g C=%g: separable is %v", rest, c, !narrow)
				}
				beta, f := make([]float64, v), make([]float64, n)
				r, err := s.Solve(context.Background(), q, beta, f)
				if err != nil {
					t.Fatal(err)
				}
				return r, beta, f
			}
			got, beta, f := solved(true)
			want, _, _ := solved(false)
			if !got.Converged || got.Iterations > 0 ||
				math.Abs(got.Objective-want.Objective) > 1e-6*(1+math.Abs(want.Objective)) ||
				math.Abs(got.Multiplier-want.Multiplier) > 1e-5*(1+math.Abs(want.Multiplier)) {
				t.Errorf("rest %g C=%g: %+v, by steps %+v", rest, c, got, want)
			}
			sum := 0.0
			for i, b := range beta {
				if sum += b; b < q.Lower[i] || b > q.Upper[i] {
					t.Errorf("variable %d is %g in [%g, %g]", i, b, q.Lower[i], q.Upper[i])
				}
			}
			if math.Abs(sum) > 1e-12*c*v {
				t.Errorf("rest %g C=%g: the sum is %g", rest, c, sum)
			}
			for p := range n {
				exact := 0.0
				for i, b := range beta {
					exact += float64(k.At(p, q.Point[i])) * b
				}
				if math.Abs(exact-f[p]) > 1e-9+1e-12*c {
					t.Errorf("f[%d] = %g, Kβ is %g", p, f[p], exact)
				}
			}
		}
	}
	// Nothing is known of a matrix that a solver was made with.
	q := BoxQP{Point: []int{0, 1}, Linear: []float64{1, -1}, Lower: []float64{0, -1}, Upper: []float64{1, 0}}
	if (&SharedSMO{K: linalg.New[float32](2, 2)}).Separable(q) {
		t.Error("taken for separable")
	}
}
