package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Eigenvalues alone of a smooth kernel's centred matrix, nearly all of them rounding, are those that
// come with eigenvectors: their tridiagonal matrix has entries far below the rounding of its end,
// which each step brings back.
func TestEigenvaluesOfASmoothKernel(t *testing.T) {
	const n, dim = 600, 3
	for seed, length := range []float64{1.5, 2, 3} {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		x := New[float64](n, dim)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		k, mean, all := New[float64](n, n), make([]float64, n), 0.0
		for i := range n {
			for j := range n {
				square := 0.0
				for c, v := range x.Row(i) {
					square += (v - x.At(j, c)) * (v - x.At(j, c))
				}
				k.Set(i, j, math.Exp(-square/(2*length*length)))
				mean[i] += k.At(i, j) / n
			}
			all += mean[i] / n
		}
		for i := range n {
			for j := range n {
				k.Row(i)[j] += all - mean[i] - mean[j]
			}
		}
		want, _, err := SymEigen(1, k.Clone())
		if err != nil {
			t.Fatal(err)
		}
		got, err := SymEigenValues(1, k)
		if err != nil {
			t.Fatalf("length-scale %g: %v", length, err)
		}
		for i, v := range got {
			if math.Abs(v-want[i]) > 1e-13*want[n-1] {
				t.Errorf("length-scale %g: eigenvalue %d is %g, want %g", length, i, v, want[i])
			}
		}
	}
}
