package seq

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// A value computed in lanes is that of the form for one pair, and has the same bits in any company:
// strings of all lengths, empty ones too, beyond one stretch of columns, and so many rows that the
// scale is taken back.
func TestLanesEqualTheDenseForm(t *testing.T) {
	if !simd.HasLanes() {
		t.Skip("SKIPPED: no lanes on this machine; the dense form is used")
	}
	rng := rand.New(rand.NewPCG(8, 1))
	x := data.Slice[string]{"", "a", "ab", "éa→éa→ab"}
	for _, n := range []int{3, 7, 60, stretch, stretch + 1, 300, 900} {
		x = append(x, randomString(rng, "abcde ", n), randomString(rng, "abcdefghijklmnop", n))
	}
	for _, k := range []Subsequences{{Length: 2, Decay: 0.9}, {Length: 3, Decay: 0.5}, {Length: 4, Decay: 0.5},
		{Length: 5, Decay: 0.1}} {
		whole := mat.NewDense(len(x), len(x), nil)
		if err := kernel.Block[string](context.Background(), k, whole, x, x); err != nil {
			t.Fatal(err)
		}
		back := mat.NewDense(len(x), len(x), nil)
		order := rng.Perm(len(x))
		y := data.Gather(data.Points[string](x), order)
		if err := kernel.Block[string](context.Background(), k, back, y, data.Points[string](x)); err != nil {
			t.Fatal(err)
		}
		for a, i := range order {
			for j := range x {
				p := ordered(newLetters(x[i]), newLetters(x[j]))
				want, got := k.dense(p.x, p.y, p.x.match(p.y)), whole.At(i, j)
				if math.Abs(got-want) > 1e-12*want {
					t.Errorf("%v of strings %d and %d: %g, want %g", k, i, j, got, want)
				}
				if back.At(a, j) != got || k.Eval(x[i], x[j]) != got || k.Eval(x[j], x[i]) != got {
					t.Errorf("%v of strings %d and %d: %x, in other company %x, alone %x, the other way round %x", k, i, j, got,
						back.At(a, j), k.Eval(x[i], x[j]), k.Eval(x[j], x[i]))
				}
			}
		}
	}
}
