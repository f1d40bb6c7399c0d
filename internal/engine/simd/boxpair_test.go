package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBoxPair holds the three routines against the plain loops, at every
// length to 256, with infinities among the entries and at odd
// places in memory.
func TestBoxPair(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for n := range 257 {
			off := n % 3
			gx, gy := guard[float32](r, n, off+1), guard[float32](r, n, off+2)
			x, y := gx.x, gy.x
			up, down, diag := guard64(n), guard64(n), guard64(n)
			for i := range n {
				x[i], y[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
				up[i+1], down[i+1], diag[i+1] = r.NormFloat64(), r.NormFloat64(), 3+r.Float64()
				if r.IntN(3) == 0 {
					up[i+1] = math.Inf(-1)
				}
				if r.IntN(3) == 0 {
					down[i+1] = math.Inf(1)
				}
			}
			u, d, g := up[1:n+1], down[1:n+1], diag[1:n+1]
			wantUp, wantDown := append([]float64(nil), u...), append([]float64(nil), d...)
			for i := range n {
				s := float64(0.3 * (float64(x[i]) - float64(y[i])))
				wantUp[i] -= s
				wantDown[i] -= s
			}
			StepTwo(0.3, x, y, u, d)
			for i := range n {
				if u[i] != wantUp[i] || d[i] != wantDown[i] {
					t.Fatalf("n = %d: step at %d: %g %g, want %g %g", n, i, u[i], d[i], wantUp[i], wantDown[i])
				}
			}
			at, best := -1, math.Inf(-1)
			for i, v := range u {
				if v > best {
					at, best = i, v
				}
			}
			if a, b := Largest(u); a != at || b != best {
				t.Fatalf("n = %d: largest is %g at %d, want %g at %d", n, b, a, best, at)
			}
			for _, z := range []float64{0.4, -9, 2} {
				at, gain, low := -1, 0.0, math.Inf(1)
				for i, v := range d {
					low = min(low, v)
					if h := z - v; h > 0 {
						if q := h * h / max(2+g[i]-2*float64(x[i]), 1e-12); q > gain {
							at, gain = i, q
						}
					}
				}
				a, b, l := Partner(z, 2, 1e-12, d, g, x)
				if l != low || (a < 0) != (at < 0) || a != at && math.Abs(b-gain) > 1e-14*gain || math.Abs(b-gain) > 1e-14*gain {
					t.Fatalf("n = %d, z = %g: partner %d gains %g, low %g; want %d, %g, %g", n, z, a, b, l, at, gain, low)
				}
			}
			gx.intact(t)
			gy.intact(t)
			for _, b := range [][]float64{up, down, diag} {
				if b[0] == b[0] || b[n+1] == b[n+1] {
					t.Fatalf("n = %d: wrote outside", n)
				}
			}
		}
	})
}

// guard64 is n entries with a NaN on both sides.
func guard64(n int) []float64 {
	b := make([]float64, n+2)
	b[0], b[n+1] = math.NaN(), math.NaN()
	return b
}
