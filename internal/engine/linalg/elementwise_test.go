package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

func TestElementwiseSameBitsAtAnyThreadCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for _, n := range []int{0, 1, elementwiseGrain, 3*elementwiseGrain + 17} {
		src := make([]float64, n)
		for i := range src {
			src[i] = r.NormFloat64() * 10
		}
		want := make([]float64, n)
		simd.Exp64(want, src)
		for _, threads := range datatest.Threads() {
			got := make([]float64, n)
			Elementwise(threads, got, src, simd.Exp64)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("n=%d threads=%d: element %d is %v, want %v", n, threads, i, got[i], want[i])
				}
			}
		}
	}
}

func BenchmarkElementwiseExp(b *testing.B) {
	src, dst := make([]float64, 10_000_000), make([]float64, 10_000_000)
	for i := range src {
		src[i] = float64(i%4001) / 1000
	}
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				Elementwise(threads, dst, src, simd.Exp64)
			}
		})
		b.Run(fmt.Sprintf("copy/threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				Elementwise(threads, dst, src, func(d, s []float64) { copy(d, s) })
			}
		})
	}
}
