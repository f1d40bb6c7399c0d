package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

func testTrmm[F Float](t *testing.T) {
	for _, shape := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {5, 7}, {130, 20}, {300, 9}} {
		n, other := shape[0], shape[1]
		eachTriangular(func(s Side, u Triangle, ta Op, d Diag) {
			r := rand.New(rand.NewPCG(uint64(n), uint64(other)))
			a := triangular[F](r, u, d, n)
			rows, cols := n, other
			if s == Right {
				rows, cols = cols, rows
			}
			got, checkB := guarded[F](r, rows, cols)
			b := got.Clone()
			Trmm(2, s, u, ta, d, 3, a, got)
			if err := checkB(); err != nil {
				t.Fatal(err)
			}
			first, second := triangularFactors(s, u, ta, d, a, b)
			for i := range rows {
				for j := range cols {
					sum, abs := 0.0, 0.0
					for p, v := range first[i] {
						v *= 3 * second[j][p]
						sum += v
						abs += math.Abs(v)
					}
					if diff := math.Abs(sum - float64(got.At(i, j))); !(diff <= float64(n+8)*eps[F]()*abs) {
						t.Fatalf("side %v triangle %v %v unit %v %d×%d: (%d, %d) is %g, want %g", s, u, ta, d, rows, cols, i, j,
							got.At(i, j), sum)
					}
				}
			}
		})
	}
}

func TestTrmm(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float64", testTrmm[float64])
		t.Run("float32", testTrmm[float32])
	})
}
