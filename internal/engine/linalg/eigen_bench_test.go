package linalg

import (
	"fmt"
	"testing"
)

var eigenSizes = []int{1000, 2000, 4000}

func BenchmarkSymEigen(b *testing.B) {
	for _, n := range eigenSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a := randomSym(n, 1)
			work := New[float64](n, n)
			for b.Loop() {
				work.CopyFrom(a)
				if _, _, err := SymEigen(0, work); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSymEigenParts times the three stages apart.
func BenchmarkSymEigenParts(b *testing.B) {
	for _, n := range eigenSizes {
		a := randomSym(n, 1)
		work := a.Clone()
		var r *tridiagonal
		b.Run(fmt.Sprintf("reduce/%d", n), func(b *testing.B) {
			for b.Loop() {
				work.CopyFrom(a)
				r = newTridiagonal(crew{}, work)
			}
		})
		var q Matrix[float64]
		b.Run(fmt.Sprintf("divide/%d", n), func(b *testing.B) {
			d := make([]float64, n)
			for b.Loop() {
				copy(d, r.diag)
				var err error
				if _, q, _, err = tridiagonalEigen(crew{}, d, r.off, Selection{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("transform/%d", n), func(b *testing.B) {
			for b.Loop() {
				r.applyRight(crew{}, q)
			}
		})
	}
}
