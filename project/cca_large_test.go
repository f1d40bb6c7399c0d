package project

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

// BenchmarkCCALarge is 20 000 objects in five dimensions a view, where factors
// reach their largest rank.
func BenchmarkCCALarge(b *testing.B) {
	x, y := gaussianRows(20000, 5, 1), gaussianRows(20000, 5, 2)
	for i := range 20000 {
		for j := range 5 {
			y.Set(i, j, x.At(i, j)+y.At(i, j))
		}
	}
	k := kernel.Gaussian{Lengthscale: 3}
	for b.Loop() {
		m, err := CCA{Components: 5}.Fit(context.Background(), vectorView(k, x), vectorView(k, y))
		if err != nil {
			b.Fatal(err)
		}
		b.Logf("ranks %v, ρ %.3f", m.Report().Ranks, m.Correlations())
	}
}
