package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPairPassesSingle(t *testing.T) {
	inf := float32(math.Inf(1))
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 2))
		for n := range 200 {
			up, down, diag := make([]float32, n), make([]float32, n), make([]float32, n)
			ki, kj, row, index := make([]float32, n), make([]float32, n), make([]float32, 3*n+1), make([]int32, n)
			for i := range n {
				z := float32(math.Round(4*r.NormFloat64()) / 4)
				up[i], down[i], diag[i] = z, z, 1
				switch r.IntN(4) {
				case 0:
					up[i] = -inf
				case 1:
					down[i] = inf
				}
				ki[i], kj[i] = float32(r.IntN(8))/16, float32(r.IntN(8))/16 // exact sums
				index[i] = int32(r.IntN(len(row)))
			}
			if n%64 == 32 {
				for i := range up {
					up[i] = -inf
				}
			}
			for i := range row {
				row[i] = r.Float32()
			}
			at, best := ArgMaxSingle(up)
			wantAt, want := -1, -inf
			for i, v := range up {
				if v > want {
					wantAt, want = i, v
				}
			}
			if at != wantAt || best != want {
				t.Fatalf("n = %d: largest entry %d (%g), want %d (%g)", n, at, best, wantAt, want)
			}
			zi := float32(r.IntN(9)-2) / 4
			j, low := PartnerSingle(down, diag, ki, zi, 1, 1e-12)
			gainAt := func(i int) float64 {
				d := float64(zi - down[i])
				return d * d / (2 - 2*float64(ki[i]))
			}
			gain, wantLow := 0.0, inf
			for i, v := range down {
				wantLow = min(wantLow, v)
				if v < zi {
					gain = max(gain, gainAt(i))
				}
			}
			if low != wantLow || (j < 0) != (gain == 0) || j >= 0 && (down[j] >= zi || gainAt(j) < gain*(1-1e-6)) {
				t.Fatalf("n = %d: partner %d, low %g; want gain %g, low %g", n, j, low, gain, wantLow)
			}
			wantUp := make([]float32, n)
			for i := range n {
				wantUp[i] = up[i] - 0.25*(ki[i]-kj[i])
			}
			StepPairSingle(0.25, ki, kj, up, down)
			dst := make([]float32, n)
			GatherRow(dst, row, index)
			for i := range n {
				if up[i] != wantUp[i] || !math.IsInf(float64(up[i]), -1) && !math.IsInf(float64(down[i]), 1) && down[i] != up[i] {
					t.Fatalf("n = %d: entry %d is %g, %g, want %g", n, i, up[i], down[i], wantUp[i])
				}
				if dst[i] != row[index[i]] {
					t.Fatalf("n = %d: gathered %g at %d, want %g", n, dst[i], i, row[index[i]])
				}
			}
		}
	})
}
