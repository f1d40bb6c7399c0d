package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAddRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for n := range 257 {
			var x [4][]float32
			alpha := [4]float64{r.NormFloat64(), r.NormFloat64(), 0, r.NormFloat64()}
			for i := range x {
				x[i] = make([]float32, n+3)
				for j := range x[i] {
					x[i][j] = float32(math.NaN()) // beyond n, where nothing may be read
				}
				for j := range n {
					x[i][j] = float32(r.NormFloat64())
				}
			}
			buf := make([]float64, n+2)
			for i := range buf {
				buf[i] = math.NaN()
			}
			y, want := buf[1:n+1], make([]float64, n)
			for i := range y {
				y[i] = r.NormFloat64()
				want[i] = y[i]
				for j := range x {
					want[i] += alpha[j] * float64(x[j][i])
				}
			}
			AddRows(&alpha, &x, y)
			for i := range y {
				if !(math.Abs(y[i]-want[i]) <= 1e-14*(1+math.Abs(want[i]))) {
					t.Fatalf("n = %d: entry %d is %g, want %g", n, i, y[i], want[i])
				}
			}
			if buf[0] == buf[0] || buf[n+1] == buf[n+1] {
				t.Fatalf("n = %d: wrote outside", n)
			}
		}
	})
}
