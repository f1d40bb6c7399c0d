package solve

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Where Kβ is large everywhere only differences count: the rows of a one-class machine are made as
// pairs ask for them, not those of all who could move.
func TestOnDemandOfLargeGradient(t *testing.T) {
	k, y := sharedCase(1500, 0.05, 11)
	p := programmes(y, 1)["one class"]
	asked := 0
	r, err := OnDemand(context.Background(), p.q, lazyOf(k, &asked), allRows(k).Diag(), p.start, nil, SMOOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Converged || r.Violation > 1e-3 {
		t.Errorf("violation %g", r.Violation)
	}
	if used := usedPoints(r.Beta); asked > 4*used {
		t.Errorf("%d rows of %d made for %d support vectors", asked, k.Rows, used)
	}
}

// Of nearly orthogonal points nearly all are free, and pairs end sooner than a factorisation
// begins.
func TestPolishGivesWayToPairs(t *testing.T) {
	k, y := sharedCase(500, 1000, 12)
	p := programmes(y, 10)["classification"]
	asked := 0
	r, err := OnDemand(context.Background(), p.q, lazyOf(k, &asked), allRows(k).Diag(), p.start, nil, SMOOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if free := freeCount(p.q, r.Beta); free < 400 {
		t.Fatalf("%d free variables: not the case that is meant", free)
	}
	if r.Polishings != 0 || r.Violation > settled*1e-3 {
		t.Errorf("%d factorisations, violation %g", r.Polishings, r.Violation)
	}
}

// The middle is that of each group, and nothing where a group cannot move on one side.
func TestMiddles(t *testing.T) {
	got := middles([]float64{1, math.Inf(1), -3}, []float64{4, 2, math.Inf(-1)})
	if got[0] != 2.5 || got[1] != 0 || got[2] != 0 {
		t.Errorf("%v", got)
	}
}

// Rows of one piece of storage do not overlap, whatever is asked for at a time.
func TestLazyRowsStorage(t *testing.T) {
	const n = 300
	rows := NewLazyRows(n, func(_ context.Context, dst linalg.Matrix[float32], points []int) error {
		for a, p := range points {
			for j := range n {
				dst.Row(a)[j] = float32(1 + p*n + j)
			}
		}
		return nil
	})
	for _, ask := range [][]int{{5}, {1, 2, 3}, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, {0, 4, 299}} {
		if err := rows.Want(context.Background(), ask); err != nil {
			t.Fatal(err)
		}
	}
	for p := range n {
		for j, v := range rows.Row(p) {
			if v != float32(1+p*n+j) {
				t.Fatalf("entry %d of row %d is %g", j, p, v)
			}
		}
	}
	if rows.Made() != 17 {
		t.Errorf("%d rows made", rows.Made())
	}
}

// A programme of which a handful can still move is solved on their part of K, however few: pairs
// over all points cost as many times more as there are others.
func TestFewMovableAreAPart(t *testing.T) {
	k, y := sharedCase(400, 0.3, 13)
	p := programmes(y, 1)["classification"]
	q := p.q
	q.Point = make([]int, len(q.Linear))
	for i := range q.Point {
		q.Point[i] = i
	}
	s := SharedSMO{K: k}
	beta, f := append([]float64(nil), p.start...), make([]float64, k.Rows)
	if r, err := s.Solve(context.Background(), q, beta, f); err != nil || !r.Converged {
		t.Fatal(r, err)
	}
	const violation = 1e-2
	m, _ := s.movable(q, beta, f, violation)
	if m < partLeast || m >= partRoom {
		t.Fatalf("%d can move: not the case that is meant", m)
	}
	s.part = nil
	part, err := s.activate(context.Background(), q, beta, f, violation)
	if err != nil || part == nil || len(part.vars) < m || len(part.vars) > len(beta)/2 {
		t.Errorf("part %v, %v for %d that can move", part != nil, err, m)
	}
}

// Pairs over all points stop for a look at who can still move after as many as there are variables,
// whatever the copy of all would cost.
func TestDirectRoundsAreBounded(t *testing.T) {
	if n := directBudget(5000, 5000, 5000, 0); n > 5000 {
		t.Errorf("%d pairs before a look", n)
	}
	if n := directBudget(5000, 40, 5000, 5000); n < 64 || n > 5000 {
		t.Errorf("%d pairs after the first", n)
	}
}
