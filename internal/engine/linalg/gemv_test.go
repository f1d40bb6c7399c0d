package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

func testGemv[F Float](t *testing.T) {
	for _, shape := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {4, 9}, {7, 300}, {300, 7}, {1500, 60}, {60, 1500},
		{9000, 17}} {
		for _, ta := range []Op{NoTrans, Trans} {
			for _, beta := range []F{0, 1, -2} {
				r := rand.New(rand.NewPCG(uint64(shape[0]), uint64(shape[1])))
				a, checkA := guarded[F](r, shape[0], shape[1])
				m, n := ta.dims(a.Rows, a.Cols)
				x, y := normal[F](1, n).Data, normal[F](1, m).Data
				before := append([]F(nil), y...)
				if beta == 0 {
					for i := range y {
						y[i] = F(math.NaN())
					}
				}
				Gemv(2, ta, 3, a, x, beta, y)
				if err := checkA(); err != nil {
					t.Fatal(err)
				}
				for i := range m {
					want, abs := 0.0, 0.0
					if beta != 0 {
						want = float64(beta) * float64(before[i])
						abs = math.Abs(want)
					}
					for p := range n {
						v := 3 * opAt(ta, a, i, p) * float64(x[p])
						want += v
						abs += math.Abs(v)
					}
					if d := math.Abs(float64(y[i]) - want); !(d <= float64(n+4)*eps[F]()*abs) {
						t.Fatalf("%v %v beta %g: element %d is %g, want %g", shape, ta, beta, i, y[i], want)
					}
				}
			}
		}
	}
}

func TestGemv(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		t.Run("float64", testGemv[float64])
		t.Run("float32", testGemv[float32])
	})
}
