package linalg

import (
	"fmt"
	"math"
	"testing"
)

// The strict upper triangle is NaN: it must not be read.
func TestSymmetricProductsOfRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 3, 4, 15, 16, 17, 67, 255, 256, 259, 300, 523, 1030} {
			full := randomSymmetric(n, uint64(n+1))
			a, intact := inNaN[float64](n, n)
			setLower(a, full)
			work := newSymmWork(n)
			for _, p := range []int{1, 3, 4, 7, 8, 2} { // the same work, wider and narrower
				x := fillNormal(New[float64](p, n), uint64(p))
				want := naiveMul(x, full)
				one := New[float64](p, n)
				for _, threads := range []int{1, 2, 3} {
					got := New[float64](p, n)
					for i := range got.Data {
						got.Data[i] = math.NaN() // what stood there does not matter
					}
					m := newTeam(threads)
					work.multiply(m, got, a, x)
					m.close()
					what := fmt.Sprintf("n=%d, %d rows, %d threads", n, p, threads)
					within(t, what, gap(got, want), 10*float64(n+1)*eps64*(1+frobenius(full)*frobenius(x)))
					if threads == 1 {
						one = got
					} else {
						sameBits(t, what, one, got)
					}
				}
			}
			intact(t)
			upperStillNaN(t, a)
		}
	})
}
