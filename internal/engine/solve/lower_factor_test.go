package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// TestLowerFactorLosesVariables: after each removal, of the first, the last or any variable, L is
// the factor of what is left.
func TestLowerFactorLosesVariables(t *testing.T) {
	const n = 23
	rng := rand.New(rand.NewPCG(5, 9))
	x, a := linalg.New[float64](n, 2*n), linalg.New[float64](n, n)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1, x, x, 0, a)
	chol, err := linalg.NewCholesky(1, a.Clone())
	if err != nil {
		t.Fatal(err)
	}
	f := lowerFactor{l: chol.L}
	live := par.Indices(0, n)
	for len(live) > 1 {
		p := rng.IntN(len(live))
		switch len(live) % 3 {
		case 0:
			p = 0
		case 1:
			p = len(live) - 1
		}
		if !f.remove(p) {
			t.Fatal("the factor of a positive definite matrix was lost")
		}
		live = append(live[:p], live[p+1:]...)
		want, b := make([]float64, len(live)), make([]float64, len(live))
		for i := range want {
			want[i] = rng.NormFloat64()
		}
		for i, r := range live {
			for j, c := range live {
				b[i] += a.At(r, c) * want[j]
			}
		}
		f.solve(1, b)
		for i := range b {
			if math.Abs(b[i]-want[i]) > 1e-10 {
				t.Fatalf("%d left: solution %g, want %g", len(live), b[i], want[i])
			}
		}
	}
}
