package gram

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// A cloud of points that are as good as one, and some that stand alone: their leverage scores are
// next to 1, and a centre that stands for one row has to be drawn for each; those of the cloud
// share what is left of all rows.
func TestBlessFindsThoseWhoStandAlone(t *testing.T) {
	const alone, m = 25, 50
	n, apart := datatest.Size(3000, 1500), datatest.Size(117, 59)
	rng := rand.New(rand.NewPCG(4, 4))
	x := mat.NewDense(n, 2, nil)
	for i := range n {
		x.SetRow(i, []float64{0.05 * rng.NormFloat64(), 0.05 * rng.NormFloat64()})
	}
	for a := range alone {
		x.SetRow(a*apart, []float64{10 + 8*float64(a%5), 10 + 8*float64(a/5)})
	}
	k := kernel.Gaussian{Lengthscale: 1}
	for _, lambda := range []float64{0, 0.01} {
		rows, share, err := BlessCenters(context.Background(), kernel.Kernel[kernel.Vec](k),
			data.Points[kernel.Vec](data.Rows(x)), m, lambda, 2, 3)
		if err != nil || len(rows) != m {
			t.Fatal(len(rows), err)
		}
		found, total := 0, 0.0
		for i, r := range rows {
			total += share[i]
			if r%apart == 0 && r/apart < alone {
				found++
				if share[i] > 3 {
					t.Errorf("λ = %g: row %d, which stands alone, is to stand for %.1f", lambda, r, share[i])
				}
			}
		}
		slices.Sort(rows)
		if found < 18 || len(slices.Compact(rows)) != m || math.Abs(total-float64(n)) > 1e-6*float64(n) {
			t.Errorf("λ = %g: %d of %d found, %d rows in all stood for", lambda, found, alone, int(total))
		}
	}
}

// The scores at the end of the path are those of the definition within a factor of three, up to a
// common one. (The theory promises two for some times more centres than are drawn here.)
func TestBlessScores(t *testing.T) {
	const n, lambda = 300, 0.5
	x := points(n, 2, 8)
	full := linalg.Of(loop(gauss, x, x))
	inverse := full.Clone()
	for i := range n {
		inverse.Row(i)[i] += lambda
	}
	c, err := linalg.NewCholesky(1, inverse)
	if err != nil {
		t.Fatal(err)
	}
	c.Solve(1, full) // (K+λ)⁻¹K
	rows, share, err := BlessCenters(context.Background(), gauss, data.Points[kernel.Vec](x), n, lambda, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	unit := 0.0 // shares are 1/score up to a factor
	for i, r := range rows {
		unit += share[i] * full.At(r, r) / n
	}
	for i, r := range rows {
		if got := share[i] * full.At(r, r) / unit; got < 1./3 || got > 3 {
			t.Errorf("row %d: share %g, score %g: off by %.2f", r, share[i], full.At(r, r), got)
		}
	}
}

func TestBlessRefuses(t *testing.T) {
	x := data.Points[kernel.Vec](points(10, 2, 1))
	zero := kernel.Scale[kernel.Vec](0, gauss)
	for name, f := range map[string]func() error{
		"too many": func() error { _, _, err := BlessCenters(context.Background(), gauss, x, 11, 1, 0, 1); return err },
		"negative": func() error { _, _, err := BlessCenters(context.Background(), gauss, x, 3, -1, 0, 1); return err },
		"NaN": func() error {
			_, _, err := BlessCenters(context.Background(), gauss, x, 3, math.NaN(), 0, 1)
			return err
		},
		"nothing left": func() error { _, _, err := BlessCenters(context.Background(), zero, x, 3, 1, 0, 1); return err },
	} {
		if f() == nil {
			t.Error(name, "was taken")
		}
	}
}

// Many rows are not shuffled to draw a few: none twice, all equally likely.
func TestFewOfManyRows(t *testing.T) {
	few, err := UniformCenters(wholeDeck+1000, 500, 7)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := UniformCenters(wholeDeck+1000, 500, 7)
	if !slices.Equal(few, again) {
		t.Error("another draw by the same seed")
	}
	slices.Sort(few)
	if len(slices.Compact(slices.Clone(few))) != 500 || few[0] < 0 || few[499] >= wholeDeck+1000 {
		t.Error("rows twice, or out of range")
	}
	counts := make([]int, 12)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 30000 {
		for _, i := range dealFew(rng, 12, 4) {
			counts[i]++
		}
	}
	for i, c := range counts {
		if c < 9600 || c > 10400 { // 10 000 expected, σ = 82
			t.Errorf("row %d was drawn %d times", i, c)
		}
	}
}

func ExampleBlessCenters() {
	x := data.Line([]float64{0, 0, 0, 0, 0, 9}) // five that are one, and one
	rows, share, _ := BlessCenters[kernel.Vec](context.Background(), kernel.Gaussian{}, x, 2, 0.01, 1, 1)
	slices.Sort(rows)
	fmt.Println(rows[1], len(share))
	// Output: 5 2
}
