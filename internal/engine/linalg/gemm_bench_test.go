package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
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
		best := time.Hour
		for b.Loop() {
			start := time.Now()
			Gemm(0, NoTrans, NoTrans, 1, x, y, 0, c)
			best = min(best, time.Since(start))
		}
		b.ReportMetric(2*float64(m)*float64(n)*float64(k)/best.Seconds()/1e9, "best-GFLOP/s")
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

// BenchmarkTriangular times what factorisations are made of.
func BenchmarkTriangular(b *testing.B) {
	for _, n := range []int{1000, 2000, 4000} {
		a, x, c := normal[float64](n, n), normal[float64](n, n), normal[float64](n, n)
		fresh := x.Clone()
		for i := range a.Data {
			a.Data[i] /= float64(n) // solutions neither grow nor vanish
		}
		for i := range n {
			a.Set(i, i, 1)
		}
		run := func(name string, flops float64, f func()) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				best := time.Hour
				for b.Loop() {
					x.CopyFrom(fresh)
					start := time.Now()
					f()
					best = min(best, time.Since(start))
				}
				b.ReportMetric(flops/best.Seconds()/1e9, "best-GFLOP/s")
			})
		}
		cube := float64(n) * float64(n) * float64(n)
		run("Gemm", 2*cube, func() { Gemm(0, NoTrans, Trans, 1, a, x, 0, c) })
		run("SyrkLower", cube, func() { Syrk(0, Lower, NoTrans, 1, x, 0, c) })
		run("SyrkUpperTrans", cube, func() { Syrk(0, Upper, Trans, 1, x, 0, c) })
		run("TrsmLeftLower", cube, func() { Trsm(0, Left, Lower, NoTrans, NonUnit, 1, a, x) })
		run("TrsmRightLowerTrans", cube, func() { Trsm(0, Right, Lower, Trans, NonUnit, 1, a, x) })
		run("TrsmLeftLowerTrans", cube, func() { Trsm(0, Left, Lower, Trans, NonUnit, 1, a, x) })
		run("Trmm", cube, func() { Trmm(0, Left, Upper, NoTrans, NonUnit, 1, a, x) })
	}
}
