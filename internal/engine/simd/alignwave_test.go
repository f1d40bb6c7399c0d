package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A wave is the plain loop, for every number of rows, columns and channels, near and far apart. All
// is positive: errors are relative, an ulp or two of the factors in each column.
func TestAlignWaveEqualsItsRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 8))
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
		for rows := 1; rows <= WaveRows; rows++ {
			for _, n := range append(upTo(40), MostWaveColumns-1, MostWaveColumns, MostWaveColumns+1) {
				for channels := 1; channels <= 3; channels++ {
					stride := n + 3*WaveRows
					x, y := guard[float64](rng, channels*WaveRows, 2), guard[float64](rng, channels*stride, 1)
					for i := range y.x {
						y.x[i] *= []float64{1, 10, 1e200}[rng.IntN(3)] // κ of 0 and far from 0
					}
					above, left := guard[float64](rng, n+WaveRows, 3), guard[float64](rng, WaveRows, 1)
					for i := range above.x {
						above.x[i] = math.Exp(100 * above.x[i])
					}
					for i := range left.x {
						left.x[i] = math.Exp(100 * left.x[i])
					}
					w := &Wave{Rows: rows, Channels: channels, X: x.x, Y: y.x, Stride: stride, Scale: 0.5}
					from, corner := n+WaveRows, rng.Float64()
					wantAbove, wantLeft := append([]float64(nil), above.x...), append([]float64(nil), left.x...)
					alignWaveRef(w, n, from, wantAbove, wantLeft, corner)
					AlignWave(w, n, from, above.x, left.x, corner)
					above.intact(t)
					left.intact(t)
					for j, v := range wantAbove {
						if !near(above.x[j], v) {
							t.Fatalf("%d rows, %d columns, %d channels: column %d is %g, want %g", rows, n, channels, j, above.x[j], v)
						}
					}
					for r, v := range wantLeft {
						if !near(left.x[r], v) {
							t.Fatalf("%d rows, %d columns, %d channels: the last cell of row %d is %g, want %g", rows, n, channels, r,
								left.x[r], v)
						}
					}
				}
			}
		}
	})
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}
