package solve

import (
	"context"
	"math"
	"testing"
)

// Rows that give way are made again where they are needed: every programme ends where it does
// without a limit, Kβ is that of the matrix, and no more rows are present than were earned.
func TestRowsGiveWay(t *testing.T) {
	for _, gamma := range []float64{0.05, 2} {
		k, y := sharedCase(500, gamma, 7)
		for name, p := range programmes(y, 10) {
			asked, again := 0, 0
			free := lazyOf(k, &asked)
			want, err := OnDemand(context.Background(), p.q, free, allRows(k).Diag(), p.start, nil, SMOOptions{Tol: 1e-5})
			if err != nil {
				t.Fatal(err)
			}
			few := lazyOf(k, &again)
			few.Limit(1) // the least there is
			got, err := OnDemand(context.Background(), p.q, few, allRows(k).Diag(), p.start, nil, SMOOptions{Tol: 1e-5})
			if err != nil {
				t.Fatal(err)
			}
			if few.last == nil && few.most < k.Rows || few.held {
				t.Errorf("%s, γ=%g: the limit does not outlast the fit", name, gamma)
			}
			if again <= leastRows {
				t.Errorf("%s, γ=%g: %d rows: nothing had to give way", name, gamma, again)
			}
			if !got.Converged || math.Abs(got.Objective-want.Objective) > 1e-5*(1+math.Abs(want.Objective)) {
				t.Errorf("%s, γ=%g: objective %.8g to %g, without a limit %.8g", name, gamma, got.Objective, got.Violation,
					want.Objective)
			}
			checkConstraints(t, name, p.q, p.start, got.Beta)
			for i, f := range got.F {
				sum := 0.0
				for v, b := range got.Beta {
					sum += b * float64(k.At(pointOf(p.q, v), i))
				}
				if math.Abs(f-sum) > 1e-9*(1+math.Abs(sum)) {
					t.Fatalf("%s, γ=%g: Kβ at %d is %g, kept as %g", name, gamma, i, sum, f)
				}
			}
		}
	}
}

func pointOf(q BoxQP, t int) int {
	if q.Point == nil {
		return t
	}
	return q.Point[t]
}

// The rows used longest ago give way, those in use now never; the limit grows where they are asked
// for again.
func TestTheLimitIsEarned(t *testing.T) {
	k, _ := sharedCase(300, 1, 3)
	asked := 0
	l := lazyOf(k, &asked)
	l.Limit(1)
	some := func(lo, hi int) (points []int) {
		for p := lo; p < hi; p++ {
			points = append(points, p)
		}
		return points
	}
	want := func(points []int) {
		t.Helper()
		if err := l.Want(context.Background(), points); err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			if l.Row(p) == nil || l.Row(p)[p] != k.At(p, p) || l.Row(p)[0] != k.At(p, 0) {
				t.Fatalf("the row of %d is not its own", p)
			}
		}
	}
	want(some(0, 40))
	want(some(40, 80))
	if l.Row(39) == nil && l.Row(0) != nil || l.kept > 80 {
		t.Errorf("%d rows; the first is present and a later one is not", l.kept)
	}
	if l.Row(0) != nil {
		t.Error("the row used longest ago is still there")
	}
	most := l.most
	turns := func() {
		for range 8 {
			want(some(0, 50))
			want(some(50, 100))
			want(some(100, 150))
		}
	}
	turns()
	if l.most <= most {
		t.Errorf("the limit is still %d after %d rows", l.most, asked)
	}
	made := asked
	turns()
	if asked != made {
		t.Errorf("%d rows were made again with a limit of %d", asked-made, l.most)
	}
	want(some(0, 300)) // more than the limit, at a time
}
