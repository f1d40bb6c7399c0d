package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func normal[F Float](rows, cols int) Matrix[F] {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	m := New[F](rows, cols)
	for i := range m.Data {
		m.Data[i] = F(r.NormFloat64())
	}
	return m
}

func benchGemm[F Float](b *testing.B, m, k, n int) {
	b.Run(fmt.Sprintf("%T/%dx%dx%d", *new(F), m, k, n), func(b *testing.B) {
		x, y, c := normal[F](m, k), normal[F](k, n), normal[F](m, n)
		for b.Loop() {
			Gemm(0, NoTrans, NoTrans, 1, x, y, 0, c)
		}
		b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
}

// BenchmarkGemm covers the shapes the engine promises against OpenBLAS.
func BenchmarkGemm(b *testing.B) {
	for _, n := range []int{1000, 2000, 4000} {
		benchGemm[float64](b, n, n, n)
		benchGemm[float32](b, n, n, n)
	}
	benchGemm[float64](b, 8000, 100, 8000)
	benchGemm[float32](b, 8000, 100, 8000)
}

func BenchmarkGemmSmall(b *testing.B) {
	for _, n := range []int{4, 8, 16, 32, 64, 128, 256} {
		benchGemm[float64](b, n, n, n)
	}
}
