package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

func gaussianPoints(seed uint64, n, d int) Matrix[float64] {
	r := rand.New(rand.NewPCG(seed, 1))
	x := New[float64](n, d)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	return x
}

// The Gram matrix of the engine table: points prepared and result allocated
// inside the timing, as scikit-learn does.
func BenchmarkGaussianGram(b *testing.B) {
	x := gaussianPoints(1, 8000, 100)
	b.Run("float64/fresh", func(b *testing.B) {
		for b.Loop() {
			p := NewPairs[float64](SquaredDistance, x, x)
			PairwiseSym(2, p, New[float64](8000, 8000), func(m []float64) { simd.ScaleExp64(m, m, -1./200) })
		}
	})
	dst := New[float64](8000, 8000)
	b.Run("float64/given", func(b *testing.B) {
		for b.Loop() {
			p := NewPairs[float64](SquaredDistance, x, x)
			PairwiseSym(2, p, dst, func(m []float64) { simd.ScaleExp64(m, m, -1./200) })
		}
	})
	b.Run("float64/full", func(b *testing.B) {
		for b.Loop() {
			p := NewPairs[float64](SquaredDistance, x, x)
			PairwiseFull(2, p, dst, func(m []float64) { simd.ScaleExp64(m, m, -1./200) })
		}
	})
	dst32 := New[float32](8000, 8000)
	b.Run("float32/given", func(b *testing.B) {
		for b.Loop() {
			p := NewPairs[float32](SquaredDistance, x, x)
			PairwiseSym(2, p, dst32, func(m []float32) { simd.ScaleExp32(m, m, -1./200) })
		}
	})
}

// BenchmarkNarrowGaussianGram has widths at which nothing underflows, a part of
// the values does, and nearly all do: a search over widths meets all three.
func BenchmarkNarrowGaussianGram(b *testing.B) {
	const n = 5000
	x := gaussianPoints(1, n, 20)
	dst, dst32 := New[float64](n, n), New[float32](n, n)
	p, p32 := NewPairs[float64](SquaredDistance, x, x), NewPairs[float32](SquaredDistance, x, x)
	for _, gamma := range []float64{0.1, 2.5, 50} {
		b.Run(fmt.Sprintf("gamma=%g/float32", gamma), func(b *testing.B) {
			for b.Loop() {
				PairwiseSym(2, p32, dst32, func(m []float32) { simd.ScaleExp32(m, m, float32(-gamma)) })
			}
		})
		b.Run(fmt.Sprintf("gamma=%g/float64", 8*gamma), func(b *testing.B) {
			for b.Loop() {
				PairwiseSym(2, p, dst, func(m []float64) { simd.ScaleExp64(m, m, -8*gamma) })
			}
		})
	}
}

func BenchmarkDirectMetrics(b *testing.B) {
	x := gaussianPoints(1, 2000, 100)
	for i, v := range x.Data {
		x.Data[i] = v * v
	}
	dst := New[float64](2000, 2000)
	for _, m := range []PairMetric{L1Distance, ChiSquared, MinimumSum} {
		b.Run(m.String(), func(b *testing.B) {
			for b.Loop() {
				PairwiseSym(2, NewPairs[float64](m, x, x), dst, nil)
			}
		})
	}
}
