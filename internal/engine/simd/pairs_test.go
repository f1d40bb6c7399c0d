package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

type fourRowsCase[F Float] struct {
	name     string
	run, ref func(x, y0, y1, y2, y3 []F, dst *[4]F)
}

var fourRows64 = []fourRowsCase[float64]{
	{"squared", SquaredDistances64, squaredDistancesRef[float64]},
	{"absolute", AbsoluteDistances64, absoluteDistancesRef[float64]},
	{"minimum", MinimumSums64, minimumSumsRef[float64]},
	{"chi", ChiSquaredDistances64, chiSquaredDistancesRef[float64]},
}

var fourRows32 = []fourRowsCase[float32]{
	{"absolute", AbsoluteDistances32, absoluteDistancesRef[float32]},
	{"minimum", MinimumSums32, minimumSumsRef[float32]},
	{"chi", ChiSquaredDistances32, chiSquaredDistancesRef[float32]},
}

// guarded is n nonnegative numbers, a third of them zero, between NaNs.
func nonNegativeBetweenNaNs[F Float](r *rand.Rand, n int) []F {
	const guard = 16
	b := make([]F, n+2*guard)
	for i := range b {
		b[i] = F(math.NaN())
	}
	x := b[guard : guard+n]
	for i := range x {
		x[i] = F(max(0, r.Float64()-0.33))
	}
	return x
}

func checkFourRows[F Float](t *testing.T, c fourRowsCase[F], unit float64) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := range 257 {
		var rows [5][]F
		for i := range rows {
			rows[i] = nonNegativeBetweenNaNs[F](r, n)
		}
		var got, want, swapped [4]F
		c.run(rows[0], rows[1], rows[2], rows[3], rows[4], &got)
		c.ref(rows[0], rows[1], rows[2], rows[3], rows[4], &want)
		for j := range got {
			// All terms are nonnegative: n roundings are a relative n·u.
			if d := math.Abs(float64(got[j] - want[j])); !(d <= float64(2*n+8)*unit*float64(want[j])) {
				t.Fatalf("n=%d row %d: %v, want %v", n, j, got[j], want[j])
			}
			y := rows[j+1]
			c.run(y, y, rows[0], y, y, &swapped)
			if swapped[1] != got[j] {
				t.Fatalf("n=%d row %d: %v one way, %v the other", n, j, got[j], swapped[1])
			}
		}
	}
}

func TestFourRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		for _, c := range fourRows64 {
			t.Run(c.name+"/64", func(t *testing.T) { checkFourRows(t, c, 0x1p-53) })
		}
		for _, c := range fourRows32 {
			t.Run(c.name+"/32", func(t *testing.T) { checkFourRows(t, c, 0x1p-24) })
		}
	})
}

func checkAddNorms[F Float](t *testing.T, run func(row, norms []F, norm, tau F) bool) {
	r := rand.New(rand.NewPCG(9, 8))
	for n := range 257 {
		for _, tau := range []F{0.01, 0.5} {
			buffer := nonNegativeBetweenNaNs[F](r, n+1) // one more to see that it is not touched
			row, norms := buffer[:n], nonNegativeBetweenNaNs[F](r, n)
			for i := range norms {
				norms[i]++
				row[i] = -F(r.Float64()) * norms[i] * F(r.IntN(2))
			}
			if n > 0 && r.IntN(2) == 0 {
				row[r.IntN(n)] = F(math.NaN())
			}
			want := append([]F(nil), row...)
			after := buffer[n]
			small := addNormsRef(want, norms, 0.25, tau)
			if got := run(row, norms, 0.25, tau); got != small {
				t.Fatalf("n=%d: small %v, want %v", n, got, small)
			}
			for i := range row {
				if !sameBits(row[i], want[i]) {
					t.Fatalf("n=%d: %v at %d, want %v", n, row[i], i, want[i])
				}
			}
			if buffer[n] != after {
				t.Fatalf("n=%d: wrote outside", n)
			}
		}
	}
}

func TestAddNorms(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		checkAddNorms(t, AddNorms64)
		checkAddNorms(t, AddNorms32)
	})
}

func TestConversions(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 8))
		for n := range 257 {
			wide, narrow := arguments[float64](r, n), make([]float32, n+1)
			narrow[n] = -7
			Narrow(narrow[:n], wide)
			for i, v := range wide {
				if !sameBits(narrow[i], float32(v)) {
					t.Fatalf("n=%d: %v became %v", n, v, narrow[i])
				}
			}
			back := make([]float64, n+1)
			back[n] = -7
			Widen(back[:n], narrow[:n])
			for i, v := range narrow[:n] {
				if !sameBits(back[i], float64(v)) {
					t.Fatalf("n=%d: %v became %v", n, v, back[i])
				}
			}
			if narrow[n] != -7 || back[n] != -7 {
				t.Fatalf("n=%d: wrote outside", n)
			}
		}
	})
}
