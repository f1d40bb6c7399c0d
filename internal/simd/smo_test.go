package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The three passes of a pair update against double loops, at every length of
// tail, with variables that may not move (infinite entries) and ties.
func TestPairPasses(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 1))
		for n := range 150 {
			up, down, diag := make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
			ki, kj := make([]float32, n+1), make([]float32, n+1)
			for i := range n {
				z := math.Round(4*r.NormFloat64()) / 4 // ties
				up[i], down[i], diag[i] = z, z, 1
				switch r.IntN(4) {
				case 0:
					up[i] = math.Inf(-1)
				case 1:
					down[i] = math.Inf(1)
				}
				ki[i], kj[i] = r.Float32(), r.Float32()
			}
			if n%7 == 3 {
				for i := range n {
					up[i] = math.Inf(-1)
				}
			}
			up[n], down[n], ki[n], kj[n] = 1e9, -1e9, 5, 5 // outside
			at, best := ArgMax(up[:n])
			wantAt, want := -1, math.Inf(-1)
			for i, v := range up[:n] {
				if v > want {
					wantAt, want = i, v
				}
			}
			if at != wantAt || best != want {
				t.Fatalf("n = %d: largest entry %d (%g), want %d (%g)", n, at, best, wantAt, want)
			}
			zi := r.NormFloat64() + 0.5
			j, gain, low := Partner(down[:n], diag[:n], ki[:n], zi, 1, 1e-12)
			wantJ, wantGain, wantLow := -1, 0.0, math.Inf(1)
			for i, v := range down[:n] {
				wantLow = min(wantLow, v)
				if g := (zi - v) * (zi - v) / (2 - 2*float64(ki[i])); v < zi && g > wantGain {
					wantJ, wantGain = i, g
				}
			}
			if j != wantJ || math.Abs(gain-wantGain) > 1e-12*(1+wantGain) || low != wantLow {
				t.Fatalf("n = %d: partner %d (gain %g, low %g), want %d (%g, %g)", n, j, gain, low, wantJ, wantGain, wantLow)
			}
			wantUp, wantDown := make([]float64, n), make([]float64, n)
			for i := range n {
				d := 0.3 * (float64(ki[i]) - float64(kj[i]))
				wantUp[i], wantDown[i] = up[i]-d, down[i]-d
			}
			StepPair(0.3, ki[:n], kj[:n], up[:n], down[:n])
			for i := range n {
				if !nearBy(up[i], wantUp[i]) || !nearBy(down[i], wantDown[i]) {
					t.Fatalf("n = %d: entry %d is %g, %g, want %g, %g", n, i, up[i], down[i], wantUp[i], wantDown[i])
				}
			}
			if up[n] != 1e9 || down[n] != -1e9 {
				t.Fatalf("n = %d: wrote outside", n)
			}
		}
	})
}

func nearBy(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-15*(1+math.Abs(b)) }

func BenchmarkPairPasses(b *testing.B) {
	const n = 256
	up, down, diag := make([]float64, n), make([]float64, n), make([]float64, n)
	ki, kj := make([]float32, n), make([]float32, n)
	for i := range n {
		up[i], down[i], diag[i], ki[i], kj[i] = float64(i%17), float64(i%13), 1, float32(i%5)/5, float32(i%3)/3
	}
	for b.Loop() {
		_, z := ArgMax(up)
		Partner(down, diag, ki, z, 1, 1e-12)
		StepPair(1e-9, ki, kj, up, down)
	}
}
