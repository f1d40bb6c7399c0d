package solve

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// gramMatrix is a positive semi-definite matrix of a rank, and right-hand sides.
func gramMatrix(n, rank, columns int) (*mat.Dense, *mat.Dense) {
	rng := rand.New(rand.NewPCG(5, 6))
	z := mat.NewDense(n, rank, nil)
	for i := range n {
		for j := range rank {
			z.Set(i, j, rng.NormFloat64()/float64(1+j))
		}
	}
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, columns, nil)
	a.Mul(z, z.T())
	for i := range n {
		for j := range columns {
			b.Set(i, j, rng.NormFloat64()*math.Pow(10, float64(3*j)))
		}
	}
	return a, b
}

// Every shift has the solution of its own system by elimination.
func TestShiftedCGSolvesEachShift(t *testing.T) {
	a, b := gramMatrix(40, 25, 3)
	shifts := []float64{1e-3, 1e-2, 0.5, 0.5, 40}
	x, res, err := ShiftedCG{Shifts: shifts, Tol: 1e-11, MaxIter: 400}.Solve(t.Context(), linalg.DenseOp{A: linalg.Of(a)}, b)
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range shifts {
		if !res.Converged[k] {
			t.Fatalf("shift %g: residual %g after %d", s, res.Residual[k], res.Iterations)
		}
		system := mat.DenseCopyOf(a)
		for i := range 40 {
			system.Set(i, i, system.At(i, i)+s)
		}
		var want, image mat.Dense
		if err := want.Solve(system, b); err != nil {
			t.Fatal(err)
		}
		image.Mul(system, x[k])
		for j := range 3 {
			num, den := 0.0, 0.0
			for i := range 40 {
				num += math.Pow(image.At(i, j)-b.At(i, j), 2)
				den += b.At(i, j) * b.At(i, j)
				if d := math.Abs(x[k].At(i, j) - want.At(i, j)); d > 1e-6*mat.Norm(&want, math.Inf(1)) {
					t.Fatalf("shift %g: x[%d, %d] = %v, want %v", s, i, j, x[k].At(i, j), want.At(i, j))
				}
			}
			if math.Sqrt(num/den) > 1e-9 {
				t.Errorf("shift %g: the true residual of column %d is %g, the recurrence says %g", s, j, math.Sqrt(num/den), res.Residual[k])
			}
		}
	}
}

func TestShiftedCGRefuses(t *testing.T) {
	a, b := gramMatrix(4, 4, 1)
	op := linalg.DenseOp{A: linalg.Of(a)}
	for what, o := range map[string]ShiftedCG{"0 shifts": {}, "shift 0 is 0": {Shifts: []float64{0}}, "shift 1 is 1": {Shifts: []float64{2, 1}}} {
		if _, _, err := o.Solve(t.Context(), op, b); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v", what, err)
		}
	}
	a.Scale(-1, a)
	var not *NotPositive
	if _, _, err := (ShiftedCG{Shifts: []float64{1e-9}}).Solve(t.Context(), op, b); !errors.As(err, &not) {
		t.Errorf("a negative operator: %v", err)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := (ShiftedCG{Shifts: []float64{1}}).Solve(gone, op, b); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	zero := mat.NewDense(4, 1, nil)
	x, res, err := ShiftedCG{Shifts: []float64{1}}.Solve(t.Context(), op, zero)
	if err != nil || !res.Converged[0] || mat.Norm(x[0], 2) != 0 {
		t.Errorf("b = 0: %v %v %v", x, res, err)
	}
}
