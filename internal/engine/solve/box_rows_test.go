package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
)

// rowsProgramme is a programme of each kind on n random rows, with the start that has its sums.
func rowsProgramme(kind string, m linalg.Matrix[float64], rng *rand.Rand) (q solve.BoxQP, start, ridge []float64) {
	n := m.Rows
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Copysign(1, m.At(i, 0)+0.5*rng.NormFloat64()+0.3)
	}
	q = solve.BoxQP{Linear: slices.Clone(y), Lower: make([]float64, n), Upper: make([]float64, n)}
	start = make([]float64, n)
	for i, v := range y {
		c := 0.5 + rng.Float64()
		if i%17 == 3 {
			c = 0 // of no weight
		}
		if kind == "squared hinge" && c > 0 {
			ridge = append(ridge, 0.5/c)
			c = math.Inf(1)
		} else if kind == "squared hinge" {
			ridge = append(ridge, 0)
		}
		if v > 0 {
			q.Upper[i] = c
		} else {
			q.Lower[i] = -c
		}
	}
	switch kind {
	case "tube":
		q.Point = make([]int, 2*n)
		q.Linear, q.Lower, q.Upper = make([]float64, 2*n), make([]float64, 2*n), make([]float64, 2*n)
		for i := range n {
			q.Point[i], q.Point[i+n] = i, i
			v := 2*m.At(i, 1) + rng.NormFloat64() + 5
			q.Linear[i], q.Linear[i+n] = v-0.2, v+0.2
			q.Upper[i], q.Lower[i+n] = 1.5, -1.5
		}
		start = make([]float64, 2*n)
	case "nu":
		q.Groups, q.Group = 2, make([]uint8, n)
		for i, v := range y {
			q.Linear[i] = 0
			if v < 0 {
				q.Group[i] = 1
			}
		}
		for g := range uint8(2) { // the two sums are as large
			left := 0.2 * float64(n)
			for i := range y {
				if q.Group[i] == g {
					a := min(left, max(q.Upper[i], -q.Lower[i]))
					left, start[i] = left-a, math.Copysign(a, y[i])
				}
			}
		}
	}
	return q, start, ridge
}

// The optimum by rows is that of SMO on their inner products: objective, values, sums.
func TestBoxRowsIsTheOptimumOfK(t *testing.T) {
	for _, kind := range []string{"hinge", "squared hinge", "tube", "nu"} {
		for _, size := range [][2]int{{60, 5}, {150, 400}, {1, 3}} {
			rng := rand.New(rand.NewPCG(uint64(size[0]), 9))
			m := linalg.New[float64](size[0], size[1])
			for i := range m.Data {
				if m.Data[i] = rng.NormFloat64(); size[1] > 100 && rng.IntN(20) > 0 {
					m.Data[i] = 0
				}
			}
			if size[0] > 10 {
				copy(m.Row(7), m.Row(8)) // twice the same
				clear(m.Row(9))          // at the origin
			} else if kind == "nu" {
				continue // of one side alone there is no such machine
			}
			q, start, ridge := rowsProgramme(kind, m, rng)
			got, err := solve.BoxRows(context.Background(), q, solve.DenseLinear(m, 0), start,
				solve.BoxRowsOptions{Tol: 1e-6, Ridge: ridge, Visits: 1 << 26})
			if err != nil {
				t.Fatal(err)
			}
			k := linalg.New[float64](m.Rows, m.Rows)
			linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1, m, m, 0, k)
			for i, d := range ridge {
				k.Set(i, i, k.At(i, i)+d)
			}
			want, err := solve.SMO(context.Background(), q, denseRows{k}, start, nil, solve.SMOOptions{Tol: 1e-8})
			if err != nil {
				t.Fatal(err)
			}
			if !got.Converged || got.Violation > 1e-6 {
				t.Errorf("%s %v: stopped at %g after %d passes", kind, size, got.Violation, got.Passes)
			}
			sums, wanted, byPairs := [2]float64{}, [2]float64{}, [2]float64{}
			for i, b := range got.Beta {
				if b < q.Lower[i] || b > q.Upper[i] {
					t.Errorf("%s: variable %d is %g, outside its box", kind, i, b)
				}
				g := 0
				if q.Group != nil {
					g = int(q.Group[i])
				}
				sums[g] += b
				wanted[g] += start[i]
				byPairs[g] += want.Beta[i]
			}
			for g := range sums {
				if math.Abs(sums[g]-wanted[g]) > 1e-9 || math.Abs(byPairs[g]-wanted[g]) > 1e-8 {
					t.Errorf("%s: sum %d is %g, by pairs %g, not %g", kind, g, sums[g], byPairs[g], wanted[g])
				}
			}
			f := slices.Clone(got.F)
			for i, d := range ridge {
				f[i] += d * got.Beta[i]
			}
			if a, b := solve.BoxObjective(q, got.Beta, f), solve.BoxObjective(q, want.Beta,
				want.F); math.Abs(a-b) > 1e-6*max(math.Abs(b), 1) {
				t.Errorf("%s %v: objective %g, by K %g", kind, size, a, b)
			}
			for i := range f {
				if math.Abs(f[i]-want.F[i]) > 1e-4 {
					t.Fatalf("%s %v: value %d is %g, by K %g", kind, size, i, f[i], want.F[i])
				}
			}
			// From its own end it has nothing left to do.
			again, err := solve.BoxRows(context.Background(), q, solve.DenseLinear(m, 0), got.Beta,
				solve.BoxRowsOptions{Tol: 1e-5, Ridge: ridge})
			if err != nil {
				t.Fatal(err)
			}
			if again.Passes > max(got.Passes/2, 8) {
				t.Errorf("%s %v: %d passes from the optimum, %d from the start", kind, size, again.Passes, got.Passes)
			}
			t.Log(kind, size, got.Passes, "passes, violation", got.Violation)
		}
	}
}

// Without sums it is the fixed point of the projected gradient.
func TestBoxRowsWithoutSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	m := linalg.New[float64](70, 6)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	q, start, _ := rowsProgramme("hinge", m, rng)
	r, err := solve.BoxRows(context.Background(), q, solve.DenseLinear(m, 0), start,
		solve.BoxRowsOptions{Tol: 1e-9, NoSums: true, Visits: 1 << 24})
	if err != nil || !r.Converged {
		t.Fatal(r, err)
	}
	for i, b := range r.Beta {
		if to := min(max(b+q.Linear[i]-r.F[i], q.Lower[i]), q.Upper[i]); math.Abs(to-b) > 1e-8 {
			t.Errorf("variable %d at %g moves to %g", i, b, to)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := solve.BoxRows(ctx, q, solve.DenseLinear(m, 0), start, solve.BoxRowsOptions{}); err == nil {
		t.Error("a context that had ended was not heeded")
	}
	if r, err := solve.BoxRows(context.Background(), q, solve.DenseLinear(m, 0), start,
		solve.BoxRowsOptions{Tol: 1e-12, Visits: 140}); err != nil || r.Converged || r.Passes > 4 {
		t.Errorf("two passes were allowed: %+v %v", r, err)
	}
}

// denseRows is a matrix that is there.
type denseRows struct{ k linalg.Matrix[float64] }

func (d denseRows) Rows(_ context.Context, dst linalg.Matrix[float64], rows []int) error {
	for a, i := range rows {
		copy(dst.Row(a), d.k.Row(i))
	}
	return nil
}

func (d denseRows) Columns(cols []int) solve.RowSource[float64] {
	part := linalg.New[float64](d.k.Rows, len(cols))
	for i := range d.k.Rows {
		for a, j := range cols {
			part.Set(i, a, d.k.At(i, j))
		}
	}
	return denseColumns{part, d.Diag()}
}

func (d denseRows) Diag() []float64 {
	out := make([]float64, d.k.Rows)
	for i := range out {
		out[i] = d.k.At(i, i)
	}
	return out
}

// denseColumns is some columns of it.
type denseColumns struct {
	k    linalg.Matrix[float64]
	diag []float64
}

func (d denseColumns) Rows(ctx context.Context, dst linalg.Matrix[float64], rows []int) error {
	return denseRows{d.k}.Rows(ctx, dst, rows)
}
func (d denseColumns) Columns(cols []int) solve.RowSource[float64] {
	panic("columns of columns are of the whole matrix")
}
func (d denseColumns) Diag() []float64 { return d.diag }
