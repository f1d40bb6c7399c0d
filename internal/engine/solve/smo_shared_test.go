package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// sharedCase is a Gaussian Gram matrix in single precision with noisy labels.
func sharedCase(n int, gamma float64, seed uint64) (linalg.Matrix[float32], []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := linalg.New[float64](n, 3)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	k, y := linalg.New[float32](n, n), make([]float64, n)
	for i := range n {
		for j := range n {
			d := 0.0
			for c, v := range x.Row(i) {
				d += (v - x.At(j, c)) * (v - x.At(j, c))
			}
			k.Set(i, j, float32(math.Exp(-gamma*d)))
		}
		y[i] = math.Copysign(1, x.At(i, 0)*x.At(i, 1)+0.3*rng.NormFloat64())
	}
	return k, y
}

// cold is one problem's rows for the other solver.
type coldRows struct {
	k    linalg.Matrix[float32]
	rows []int
	cols []int
}

func (c coldRows) Rows(_ context.Context, dst linalg.Matrix[float32], rows []int) error {
	for a, r := range rows {
		for b, q := range c.cols {
			dst.Set(a, b, c.k.At(c.rows[r], c.rows[q]))
		}
	}
	return nil
}
func (c coldRows) Columns(cols []int) RowSource[float32] { return coldRows{c.k, c.rows, cols} }
func (c coldRows) Diag() []float64 {
	d := make([]float64, len(c.rows))
	for i, r := range c.rows {
		d[i] = float64(c.k.At(r, r))
	}
	return d
}

// A path of warm starts ends at the same objective as cold solutions by the
// other solver, to 1e-6, with Kβ right at the rows that take no part; also where
// only factorisations get there fast.
func TestSharedSMOAgainstCold(t *testing.T) {
	n := 400
	for _, gamma := range []float64{0.01, 0.5, 20} {
		k, y := sharedCase(n, gamma, 3)
		var rows []int
		for i := range n {
			if i%5 != 2 {
				rows = append(rows, i)
			}
		}
		s := SharedSMO{K: k, Tol: 1e-6, WorkingSet: 64}
		beta, f := make([]float64, len(rows)), make([]float64, n)
		newtons := 0
		for _, c := range []float64{0.1, 1, 10, 100, 1000} {
			q := BoxQP{Point: rows, Linear: make([]float64, len(rows)), Lower: make([]float64, len(rows)),
				Upper: make([]float64, len(rows))}
			for i, r := range rows {
				q.Linear[i] = y[r]
				if y[r] > 0 {
					q.Upper[i] = c
				} else {
					q.Lower[i] = -c
				}
			}
			r, err := s.Solve(context.Background(), q, beta, f)
			if err != nil || !r.Converged {
				t.Fatalf("γ=%g C=%g: %+v, %v", gamma, c, r, err)
			}
			newtons += r.Newtons
			all := par.Indices(0, len(rows))
			plain := q
			plain.Point = nil
			cold, err := SMO(context.Background(), plain, RowSource[float32](coldRows{k, rows, all}), nil, nil,
				SMOOptions{Tol: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			if d := math.Abs(r.Objective-cold.Objective) / (1 + math.Abs(cold.Objective)); d > 1e-6 {
				t.Errorf("γ=%g C=%g: objective %.12g, cold %.12g", gamma, c, r.Objective, cold.Objective)
			}
			sum := 0.0
			for i, b := range beta {
				sum += b
				if b < q.Lower[i] || b > q.Upper[i] {
					t.Fatalf("γ=%g C=%g: β[%d] = %g outside [%g, %g]", gamma, c, i, b, q.Lower[i], q.Upper[i])
				}
			}
			if math.Abs(sum) > 1e-9*c*float64(n) {
				t.Errorf("γ=%g C=%g: Σβ = %g", gamma, c, sum)
			}
			for i := range n {
				want := 0.0
				for a, b := range beta {
					want += b * float64(k.At(rows[a], i))
				}
				if math.Abs(want-f[i]) > 1e-8*(1+c) {
					t.Fatalf("γ=%g C=%g: f[%d] = %g, want %g", gamma, c, i, f[i], want)
				}
			}
		}
		t.Logf("γ=%g: %d factorisations", gamma, newtons)
		if gamma == 0.5 && newtons == 0 {
			t.Error("the Newton steps were never used: this test does not test them")
		}
	}
}

func TestSharedSMOStops(t *testing.T) {
	k, y := sharedCase(200, 0.1, 5)
	rows := make([]int, 200)
	q := BoxQP{Point: rows, Linear: y, Lower: make([]float64, 200), Upper: make([]float64, 200)}
	for i := range rows {
		rows[i] = i
		if y[i] > 0 {
			q.Upper[i] = 10
		} else {
			q.Lower[i] = -10
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := SharedSMO{K: k}
	if _, err := s.Solve(ctx, q, make([]float64, 200), make([]float64, 200)); err == nil {
		t.Fatal("a cancelled context did not stop it")
	}
}
