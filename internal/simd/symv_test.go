package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// guarded returns n random numbers with NaN on both sides; check reports a
// guard that was written to.
func guarded(r *rand.Rand, n int) (x []float64, check func() error) {
	const guard = 9
	all := make([]float64, n+2*guard)
	for i := range all {
		all[i] = math.NaN()
	}
	x = all[guard : guard+n : guard+n]
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x, func() error {
		for i, v := range all {
			if (i < guard || i >= guard+n) && !math.IsNaN(v) {
				return fmt.Errorf("guard %d of a slice of %d was overwritten by %g", i-guard, n, v)
			}
		}
		return nil
	}
}

func near(t *testing.T, what string, n int, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-13*float64(n+10)) {
			t.Fatalf("%s, n=%d: element %d is %g, want %g", what, n, i, got[i], want[i])
		}
	}
}

func TestSymvRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for n := range 257 {
			for _, stride := range []int{n, n + 3} {
				rows, checkA := guarded(r, 3*stride+n)
				for k := range 3 { // between the rows nothing may be read
					for i := n; i < stride; i++ {
						rows[k*stride+i] = math.NaN()
					}
				}
				x, checkX := guarded(r, n)
				y, checkY := guarded(r, n)
				out, checkOut := guarded(r, 4)
				coef, checkCoef := guarded(r, 4)
				wantOut, wantY := append([]float64(nil), out...), append([]float64(nil), y...)
				symvRowsRef(rows, stride, x, (*[4]float64)(wantOut), wantY, (*[4]float64)(coef))
				SymvRows64(rows, stride, x, (*[4]float64)(out), y, (*[4]float64)(coef))
				near(t, "products", n, out, wantOut)
				near(t, "combination", n, y, wantY)
				for _, check := range []func() error{checkA, checkX, checkY, checkOut, checkCoef} {
					if err := check(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

func TestRotate(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for n := range 257 {
			x, checkX := guarded(r, n)
			y, checkY := guarded(r, n)
			wantX, wantY := append([]float64(nil), x...), append([]float64(nil), y...)
			c, s := math.Sincos(float64(n))
			rotateRef(wantX, wantY, c, s)
			Rotate64(x, y, c, s)
			near(t, "Rotate x", n, x, wantX)
			near(t, "Rotate y", n, y, wantY)
			if err := checkX(); err != nil {
				t.Fatal(err)
			}
			if err := checkY(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestSymmRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for n := range 257 {
			lda, ldx, ldy := n+3, n+1, n+2
			a, checkA := guarded(r, 3*lda+n)
			x, checkX := guarded(r, 3*ldx+n)
			y, checkY := guarded(r, 3*ldy+n)
			out, checkOut := guarded(r, 16)
			coef, checkCoef := guarded(r, 16)
			wantOut, wantY := append([]float64(nil), out...), append([]float64(nil), y...)
			symmRowsRef(n, a, lda, x, ldx, (*[16]float64)(wantOut), wantY, ldy, (*[16]float64)(coef))
			SymmRows64(n, a, lda, x, ldx, (*[16]float64)(out), y, ldy, (*[16]float64)(coef))
			near(t, "products", n, out, wantOut)
			near(t, "combination", n, y, wantY)
			for _, check := range []func() error{checkA, checkX, checkY, checkOut, checkCoef} {
				if err := check(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
