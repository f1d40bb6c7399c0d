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
		for n := range 257 {
			gz, gdiag, gi, gj := guard[float32](r, n, 1+n%5), guard[float32](r, n, 3), guard[float32](r, n, 2),
				guard[float32](r, n, 7)
			grow, gdst := guard[float32](r, 3*n+1, 5), guard[float32](r, n, 1+n%3)
			z, diag, ki, kj, row, dst := gz.x, gdiag.x, gi.x, gj.x, grow.x, gdst.x
			up, down := make([]uint32, (n+31)/32), make([]uint32, (n+31)/32)
			index := make([]int32, n)
			in := func(mask []uint32, t int) bool { return mask[t/32]>>(t%32)&1 != 0 }
			for i := range n {
				z[i], diag[i] = float32(math.Round(4*r.NormFloat64())/4), 1
				side := r.IntN(4)
				if side != 0 && n%64 != 32 {
					up[i/32] |= 1 << (i % 32)
				}
				if side != 1 && n%96 != 0 {
					down[i/32] |= 1 << (i % 32)
				}
				ki[i], kj[i] = float32(r.IntN(8))/16, float32(r.IntN(8))/16 // exact sums
				index[i] = int32(r.IntN(len(row)))
			}
			for i := range row {
				row[i] = r.Float32()
			}
			zi := float32(r.IntN(9)-2) / 4
			j, low := PartnerMasked(z, down, diag, ki, zi, 1, 1e-12)
			gainAt := func(i int) float64 {
				d := float64(zi - z[i])
				return d * d / (2 - 2*float64(ki[i]))
			}
			gain, wantLow := 0.0, inf
			for i, v := range z {
				if !in(down, i) {
					continue
				}
				wantLow = min(wantLow, v)
				if v < zi {
					gain = max(gain, gainAt(i))
				}
			}
			if low != wantLow || (j < 0) != (gain == 0) || j >= 0 && (!in(down, j) || z[j] >= zi || gainAt(j) < gain*(1-1e-6)) {
				t.Fatalf("n = %d: partner %d, low %g; want gain %g, low %g", n, j, low, gain, wantLow)
			}
			want := make([]float32, n)
			wantAt, largest := -1, -inf
			for i := range n {
				want[i] = z[i] - 0.25*(ki[i]-kj[i])
				if in(up, i) && want[i] > largest {
					wantAt, largest = i, want[i]
				}
			}
			if got := StepMasked(0.25, ki, kj, z, up); got != largest {
				t.Fatalf("n = %d: largest entry %g, want %g", n, got, largest)
			}
			if at := FirstEqual(z, up, largest); at != wantAt {
				t.Fatalf("n = %d: largest entry at %d, want %d", n, at, wantAt)
			}
			GatherRow(dst, row, index)
			for i := range n {
				if z[i] != want[i] {
					t.Fatalf("n = %d: entry %d is %g, want %g", n, i, z[i], want[i])
				}
				if dst[i] != row[index[i]] {
					t.Fatalf("n = %d: gathered %g at %d, want %g", n, dst[i], i, row[index[i]])
				}
			}
			for _, g := range []guarded[float32]{gz, gdiag, gi, gj, grow, gdst} {
				g.intact(t)
			}
		}
	})
}

func TestFlushTiny(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		kinds := []float32{0, 1, -1, 1e-39, -1e-39, 0x1p-126, -0x1p-126, 1e-45, 3e38}
		for n := range 257 {
			x := make([]float32, n)
			for i := range x {
				x[i] = kinds[(i*7+n)%len(kinds)]
			}
			g := guard[float32](rand.New(rand.NewPCG(1, 1)), n, 1+n%5)
			got := g.x
			copy(got, x)
			FlushTiny(got)
			g.intact(t)
			for i, v := range x {
				if v > -0x1p-126 && v < 0x1p-126 {
					v = 0
				}
				if got[i] != v {
					t.Fatalf("n = %d: entry %d is %g, want %g", n, i, got[i], v)
				}
			}
		}
	})
}
