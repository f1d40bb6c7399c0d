package stat

import (
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

// 1000 permutations of 2000 pairs: two dimensions are of low rank, ten are not.
func BenchmarkHSIC(b *testing.B) {
	for name, d := range map[string]int{"low rank": 2, "gathers": 10} {
		b.Run(name, func(b *testing.B) {
			x, y := normal(generator(1), 2000, d, 0, 1), normal(generator(2), 2000, d, 0, 1)
			k := kernel.Gaussian{Lengthscale: 2}
			for b.Loop() {
				if _, err := (HSIC[vec, vec]{KernelX: k, KernelY: k}.Test(background, x, y)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
