package solve

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// blocks is a dense matrix of which rows are asked for.
type blocks struct{ matrix }

func (a blocks) RowsTo(dst *mat.Dense, index []int, v *mat.Dense) {
	_, n := a.m.Dims()
	rows := mat.NewDense(len(index), n, nil)
	for r, i := range index {
		rows.SetRow(r, a.m.RawRowView(i))
	}
	dst.Mul(rows, v)
}

func (a blocks) BlockTo(dst *mat.Dense, index []int) {
	for r, i := range index {
		for c, j := range index {
			dst.Set(r, c, a.m.At(i, j))
		}
	}
}

// It arrives at the solution of a factorisation, whatever the block and the rank, for several
// right-hand sides at once.
func TestASkotchAgainstCholesky(t *testing.T) {
	const n = 300
	a, _ := decaying(n, 60, 2)
	b := mat.NewDense(n, 2, nil)
	for i := range n {
		b.SetRow(i, []float64{math.Sin(float64(i)), math.Cos(float64(3 * i))})
	}
	for _, o := range []ASkotch{{Shift: 0.1}, {Shift: 0.01, Block: 100, Rank: 40}, {Shift: 5, Block: 30, Rank: 5},
		{Shift: 0.1, Block: n, Rank: 60}} {
		full, want := mat.DenseCopyOf(a.m), mat.DenseCopyOf(b)
		for i := range n {
			full.Set(i, i, full.At(i, i)+o.Shift)
		}
		c, err := linalg.NewCholesky(1, linalg.Of(full))
		if err != nil {
			t.Fatal(err)
		}
		c.Solve(1, linalg.Of(want))
		o.Tol = 1e-10
		x := mat.NewDense(n, 2, nil)
		res, err := o.Solve(t.Context(), blocks{a}, x, b)
		if err != nil || !res.Converged || res.Residual > 1e-10 {
			t.Fatalf("%+v: %+v, %v", o, res, err)
		}
		if !mat.EqualApprox(x, want, 1e-7) {
			t.Errorf("%+v: another solution", o)
		}
	}
}

// The same seed gives the same bits with any number of threads; another gives another way.
func TestASkotchBits(t *testing.T) {
	const n = 200
	a, _ := decaying(n, 30, 6)
	b := mat.NewDense(n, 1, nil)
	for i := range n {
		b.Set(i, 0, float64(i%7)-3)
	}
	run := func(threads int, seed uint64) *mat.Dense {
		x := mat.NewDense(n, 1, nil)
		if _, err := (ASkotch{Shift: 0.1, Epochs: 3, Threads: threads, Seed: seed}).Solve(t.Context(), blocks{a}, x,
			b); err != nil {
			t.Fatal(err)
		}
		return x
	}
	if !mat.Equal(run(1, 1), run(7, 1)) || mat.Equal(run(1, 1), run(1, 2)) {
		t.Error("bits")
	}
}

func TestASkotchRefusesAndStops(t *testing.T) {
	a, _ := decaying(60, 20, 6)
	b, x := mat.NewDense(60, 1, nil), mat.NewDense(60, 1, nil)
	for i := range 60 {
		b.Set(i, 0, 1)
	}
	if _, err := (ASkotch{}).Solve(t.Context(), blocks{a}, x, b); err == nil {
		t.Error("no shift")
	}
	if _, err := (ASkotch{Shift: 1}).Solve(t.Context(), blocks{a}, mat.NewDense(9, 1, nil),
		mat.NewDense(9, 1, nil)); err == nil {
		t.Error("another shape")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (ASkotch{Shift: 1}).Solve(ctx, blocks{a}, x, b); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	res, err := ASkotch{Shift: 1e-9, Epochs: 1, Tol: 1e-14}.Solve(t.Context(), blocks{a}, x, b)
	if err != nil || res.Converged || !(res.Residual > 1e-14) {
		t.Errorf("%+v, %v", res, err)
	}
}
