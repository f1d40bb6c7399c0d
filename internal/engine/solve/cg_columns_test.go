package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// counting is an Operator that counts its products.
type counting struct {
	matrix
	products *int
}

func (a counting) MulTo(dst, v *mat.Dense, trans bool) {
	*a.products++
	a.matrix.MulTo(dst, v, trans)
}

// A column of a wider matrix is solved for as one that stands alone is, in the same bits.
func TestCGColumnAlone(t *testing.T) {
	const n = 60
	a, _ := decaying(n, 40, 1)
	g := rand.New(rand.NewPCG(7, 7))
	wideB, wideX := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil)
	b, x := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		b.Set(i, 0, g.NormFloat64())
		wideB.Set(i, 1, b.At(i, 0))
	}
	o := CG{Shift: 0.1, Tol: 1e-9}
	alone, err := o.Solve(t.Context(), a, x, b)
	if err != nil {
		t.Fatal(err)
	}
	within, err := o.Solve(t.Context(), a, wideX.Slice(0, n, 1, 2).(*mat.Dense), wideB.Slice(0, n, 1, 2).(*mat.Dense))
	if err != nil {
		t.Fatal(err)
	}
	if alone.Iterations != within.Iterations || alone.Iterations < 5 || !mat.Equal(x, wideX.Slice(0, n, 1, 2)) {
		t.Errorf("%d and %d iterations, or other bits", alone.Iterations, within.Iterations)
	}
}

// Carried saves the product for the true residual where the tolerance was reached before the last
// iteration, and only there; what is carried along is near the truth.
func TestCGCarried(t *testing.T) {
	const n, shift = 60, 0.1
	a, _ := decaying(n, 40, 1)
	b := mat.NewDense(n, 1, nil)
	for i := range n {
		b.Set(i, 0, math.Sin(float64(i)))
	}
	solve := func(most int, carried bool) (CGResult, int) {
		products := 0
		res, err := CG{Shift: shift, Tol: 1e-6, MaxIter: most, Carried: carried}.Solve(t.Context(), counting{a, &products},
			mat.NewDense(n, 1, nil), b)
		if err != nil {
			t.Fatal(err)
		}
		return res, products
	}
	truth, products := solve(0, false)
	carried, fewer := solve(0, true)
	if fewer != carried.Iterations || products != truth.Iterations+1 || !carried.Converged {
		t.Errorf("%d products in %d iterations, %d in %d with the residual carried along", products, truth.Iterations, fewer,
			carried.Iterations)
	}
	if d := math.Abs(carried.Residual[0] - truth.Residual[0]); d > 1e-3*truth.Residual[0] {
		t.Errorf("residual %g, carried along %g", truth.Residual[0], carried.Residual[0])
	}
	for _, most := range []int{3, truth.Iterations} {
		if res, products := solve(most, true); products != most+1 || res.Iterations != most {
			t.Errorf("%d products in %d iterations, at most %d", products, res.Iterations, most)
		}
	}
}
