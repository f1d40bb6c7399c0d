package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// A set reached by a border is solved as one that is factorised: K_II δ + b = g_I
// and Σδ = sum hold, for variables that came, that went, and that did both.
func TestFreeFactorBorder(t *testing.T) {
	testFreeFactor[float32](t, 3e-6, 2e-4)
	testFreeFactor[float64](t, 1e-10, 1e-7)
}

func testFreeFactor[F linalg.Float](t *testing.T, ridge, tol float64) {
	const n = 240
	k, _ := sharedCase(n, 0.5, 3)
	for i := range n {
		k.Set(i, i, k.At(i, i)+0.5) // so that one solution is exact without refinement
	}
	rng := rand.New(rand.NewPCG(4, 4))
	g := make([]float64, n)
	for i := range g {
		g[i] = 5 + rng.NormFloat64()
	}
	side := make([]int8, n)
	for i := range side {
		side[i] = int8(rng.IntN(2)) - 1
	}
	var w freeFactor[F]
	borders := 0
	for turn := range 12 {
		var free []int32
		for i, s := range side {
			if s == 0 {
				free = append(free, int32(i))
			}
		}
		if !w.prepare(k, free, side, ridge) {
			t.Fatalf("turn %d: not positive definite", turn)
		}
		if w.bordered() {
			borders++
		}
		const sum = 0.7
		bias, delta := w.solve(free, side, g, sum, nil)
		if len(delta) != len(free) {
			t.Fatalf("turn %d: %d values for %d variables", turn, len(delta), len(free))
		}
		total := 0.0
		for a, i := range free {
			total += delta[a]
			left := bias - g[i]
			for b, j := range free {
				left += float64(k.At(int(i), int(j))) * delta[b]
			}
			// The ridge of the factorisation is the difference.
			left += ridge * (1 + float64(k.At(int(i), int(i)))) * delta[a]
			if !(math.Abs(left) <= tol) {
				t.Fatalf("%T turn %d (%d changes): gradient %g off at variable %d", F(0), turn, len(w.added)+len(w.removed), left,
					i)
			}
		}
		if math.Abs(total-sum) > tol {
			t.Errorf("turn %d: Σδ = %g, want %g", turn, total, sum)
		}
		// A few change, and of these some change back in a later turn.
		for range 1 + turn%4 {
			i := rng.IntN(n)
			side[i] = -1 - side[i]
		}
		if turn == 8 { // too many for a border
			for i := range n / 4 {
				side[i] = -1 - side[i]
			}
		}
	}
	if borders < 6 || borders > 10 {
		t.Errorf("%d of 12 sets were reached by a border", borders)
	}
}
