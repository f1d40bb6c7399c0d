package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func allNear(t *testing.T, what string, n int, got, want []float64) {
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
				rows := guard[float64](r, 3*stride+n, 9)
				for k := range 3 { // between the rows nothing may be read
					for i := n; i < stride; i++ {
						rows.x[k*stride+i] = math.NaN()
					}
				}
				x, y := guard[float64](r, n, 9), guard[float64](r, n, 9)
				out, coef := guard[float64](r, 4, 9), guard[float64](r, 4, 9)
				wantOut, wantY := slices.Clone(out.x), slices.Clone(y.x)
				symvRowsRef(rows.x, stride, x.x, (*[4]float64)(wantOut), wantY, (*[4]float64)(coef.x))
				SymvRows64(rows.x, stride, x.x, (*[4]float64)(out.x), y.x, (*[4]float64)(coef.x))
				allNear(t, "products", n, out.x, wantOut)
				allNear(t, "combination", n, y.x, wantY)
				for _, g := range []guarded[float64]{rows, x, y, out, coef} {
					g.intact(t)
				}
			}
		}
	})
}

func TestRotate(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for n := range 257 {
			x, y := guard[float64](r, n, 9), guard[float64](r, n, 9)
			wantX, wantY := slices.Clone(x.x), slices.Clone(y.x)
			c, s := math.Sincos(float64(n))
			rotateRef(wantX, wantY, c, s)
			Rotate64(x.x, y.x, c, s)
			allNear(t, "Rotate x", n, x.x, wantX)
			allNear(t, "Rotate y", n, y.x, wantY)
			x.intact(t)
			y.intact(t)
		}
	})
}

func TestSymmRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for n := range 257 {
			lda, ldx, ldy := n+3, n+1, n+2
			a, x, y := guard[float64](r, 3*lda+n, 9), guard[float64](r, 3*ldx+n, 9), guard[float64](r, 3*ldy+n, 9)
			for k := range 3 { // between the rows nothing may be read or written
				for i := n; i < lda; i++ {
					a.x[k*lda+i] = math.NaN()
				}
				for i := n; i < ldx; i++ {
					x.x[k*ldx+i] = math.NaN()
				}
				for i := n; i < ldy; i++ {
					y.x[k*ldy+i] = 1e99
				}
			}
			out, coef := guard[float64](r, 128, 9), guard[float64](r, 16, 9)
			wantOut, wantY := lanesOf(out.x), slices.Clone(y.x)
			symmRowsRef(n, a.x, lda, x.x, ldx, wantOut, wantY, ldy, (*[16]float64)(coef.x))
			gotOut := lanesOf(out.x)
			SymmRows64(n, a.x, lda, x.x, ldx, gotOut, y.x, ldy, (*[16]float64)(coef.x))
			allNear(t, "products", n, sumsOf(gotOut), sumsOf(wantOut))
			allNear(t, "combination", n, y.x, wantY)
			for _, g := range []guarded[float64]{a, x, y, out, coef} {
				g.intact(t)
			}
		}
	})
}

// lanesOf copies sixteen products spread over lanes.
func lanesOf(x []float64) *[16][8]float64 {
	var out [16][8]float64
	for i := range out {
		copy(out[i][:], x[8*i:])
	}
	return &out
}

func sumsOf(out *[16][8]float64) []float64 {
	sums := make([]float64, len(out))
	for i, lanes := range out {
		for _, v := range lanes {
			sums[i] += v
		}
	}
	return sums
}
