package linalg

import (
	"fmt"
	"testing"
)

// benchSPD is B·Bᵀ/n + I, both triangles.
func benchSPD(n int) Matrix[float64] {
	b := fillNormal(New[float64](n, n), 1)
	a := New[float64](n, n)
	for i := range n {
		a.Set(i, i, 1)
	}
	Syrk(0, Full, NoTrans, 1/float64(n), b, 1, a)
	return a
}

// benchFactor times f on fresh copies of a.
func benchFactor(b *testing.B, a Matrix[float64], f func(a Matrix[float64])) {
	work := a.Clone()
	for range b.N {
		b.StopTimer()
		work.CopyFrom(a)
		b.StartTimer()
		f(work)
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{500, 1000, 2000, 4000, 8000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchFactor(b, benchSPD(n), func(a Matrix[float64]) {
				if _, err := NewCholesky(0, a); err != nil {
					b.Fatal(err)
				}
			})
			b.ReportMetric(float64(n)*float64(n)*float64(n)/3*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkFactor(b *testing.B) {
	const n = 2000
	general := fillNormal(New[float64](n, n), 1)
	b.Run("QR", func(b *testing.B) {
		benchFactor(b, general, func(a Matrix[float64]) { NewQR(0, a) })
	})
	b.Run("PivotedQR", func(b *testing.B) {
		benchFactor(b, general, func(a Matrix[float64]) { NewPivotedQR(0, a) })
	})
	spd := benchSPD(n)
	b.Run("PivotedCholesky", func(b *testing.B) {
		benchFactor(b, spd, func(a Matrix[float64]) { NewPivotedCholesky(0, a, PivotedOptions{}) })
	})
	b.Run("Inverse", func(b *testing.B) {
		c, _ := NewCholesky(0, spd.Clone())
		for b.Loop() {
			c.Inverse(0)
		}
	})
	b.Run("Solve100", func(b *testing.B) {
		c, _ := NewCholesky(0, spd.Clone())
		x := fillNormal(New[float64](n, 100), 1)
		for b.Loop() {
			c.Solve(0, x)
		}
	})
	b.Run("Solve1", func(b *testing.B) {
		c, _ := NewCholesky(0, spd.Clone())
		x := fillNormal(New[float64](n, 1), 1)
		for b.Loop() {
			c.Solve(0, x)
		}
	})
}
