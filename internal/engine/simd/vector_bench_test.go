package simd

import (
	"math/rand/v2"
	"testing"
)

// Numbers in L1 and in memory: what a profile or a long vector costs.
func BenchmarkElementwise(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"L1", 1024}, {"memory", 10_000_000}} {
		r := rand.New(rand.NewPCG(1, 1))
		src, dst := make([]float64, size.n), make([]float64, size.n)
		src32, dst32 := make([]float32, size.n), make([]float32, size.n)
		for i := range src {
			src[i] = r.Float64() * 4
			src32[i] = float32(src[i])
		}
		for _, c := range elementwise64 {
			b.Run(size.name+"/"+c.name+"/64", func(b *testing.B) {
				b.SetBytes(int64(8 * size.n))
				for b.Loop() {
					c.run(dst, src)
				}
			})
		}
		for _, c := range elementwise32 {
			b.Run(size.name+"/"+c.name+"/32", func(b *testing.B) {
				b.SetBytes(int64(4 * size.n))
				for b.Loop() {
					c.run(dst32, src32)
				}
			})
		}
	}
}
