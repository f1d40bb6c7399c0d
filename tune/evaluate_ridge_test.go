package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Folds read off one eigendecomposition are those of fits without the fold, of
// full rank and where most eigenvalues are zero (which takes another way).
func TestRidgeFoldsAgainstFits(t *testing.T) {
	const n, m = 90, 6
	lambdas := []float64{1e-3, 0.1, 10, 1000}
	for _, rank := range []int{1, 5, 40, n} {
		rng := rand.New(rand.NewPCG(uint64(rank), 3))
		x, k := linalg.New[float64](n, rank), linalg.New[float64](n, n)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1, x, x, 0, k)
		y, root := linalg.New[float64](n, 1), make([]float64, n)
		for i := range root {
			y.Data[i], root[i] = rng.NormFloat64(), 1
		}
		values, vectors, err := linalg.SymEigen(1, k.Clone())
		if err != nil {
			t.Fatal(err)
		}
		r := newRidgeFolds(values, vectors, root, y, false)
		r.multiply(1, lambdas)
		for _, f := range roundRobin(n, m) {
			fold := r.fold(f.Test)
			for l, lambda := range lambdas {
				got, err := fold.leftOut(l)
				if err != nil {
					t.Fatal(err)
				}
				a, b := linalg.New[float64](len(f.Train), len(f.Train)), linalg.New[float64](len(f.Train), 1)
				for i, p := range f.Train {
					b.Data[i] = y.Data[p]
					for j, q := range f.Train {
						a.Set(i, j, k.At(p, q))
					}
					a.Set(i, i, a.At(i, i)+lambda)
				}
				c, err := linalg.NewCholesky(1, a)
				if err != nil {
					t.Fatal(err)
				}
				c.Solve(1, b)
				for i, p := range f.Test {
					want := 0.0
					for j, q := range f.Train {
						want += k.At(p, q) * b.Data[j]
					}
					if d := math.Abs(got.Data[i] - want); !(d <= 1e-9*(1+math.Abs(want))) {
						t.Fatalf("rank %d, λ = %g, row %d: %g, a fit without the fold says %g", rank, lambda, p, got.Data[i], want)
					}
				}
			}
		}
	}
}
