package solve

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// lazyOf gives the rows of k, and counts who is asked for.
func lazyOf(k linalg.Matrix[float32], asked *int) *LazyRows {
	return NewLazyRows(k.Rows, func(_ context.Context, dst linalg.Matrix[float32], points []int) error {
		*asked += len(points)
		for a, p := range points {
			copy(dst.Row(a), k.Row(p))
		}
		return nil
	})
}

func allRows(k linalg.Matrix[float32]) coldRows {
	index := make([]int, k.Rows)
	for i := range index {
		index[i] = i
	}
	return coldRows{k, index, index}
}

// programmes are a classification, a regression (two variables for a point), ν-SVC (two groups) and
// one-class, with a feasible start.
func programmes(y []float64, c float64) map[string]struct {
	q     BoxQP
	start []float64
} {
	n := len(y)
	type problem = struct {
		q     BoxQP
		start []float64
	}
	box := func(v int) BoxQP {
		return BoxQP{Linear: make([]float64, v), Lower: make([]float64, v), Upper: make([]float64, v)}
	}
	class, nu, one, tube := box(n), box(n), box(n), box(2*n)
	nu.Group, nu.Groups = make([]uint8, n), 2
	tube.Point = make([]int, 2*n)
	nuStart, oneStart := make([]float64, n), make([]float64, n)
	left := [2]float64{0.1 * float64(n), 0.1 * float64(n)}
	for i, v := range y {
		class.Linear[i] = v
		one.Upper[i] = 1
		if i < n/10 {
			oneStart[i] = 1
		}
		g := 0
		if v > 0 {
			class.Upper[i], nu.Upper[i] = c, 1
		} else {
			class.Lower[i], nu.Lower[i] = -c, -1
			g = 1
		}
		nu.Group[i] = uint8(g)
		a := min(1, left[g])
		left[g] -= a
		nuStart[i] = math.Copysign(a, v)
		target := v * float64(i%17) / 10
		tube.Point[i], tube.Point[n+i] = i, i
		tube.Linear[i], tube.Linear[n+i] = target-0.1, target+0.1
		tube.Upper[i], tube.Lower[n+i] = c, -c
	}
	return map[string]problem{
		"classification": {class, make([]float64, n)}, "regression": {tube, make([]float64, 2*n)},
		"two groups": {nu, nuStart}, "one class": {one, oneStart},
	}
}

// Every programme ends where working sets end, with its constraints kept, also where it is given up
// half-way for them.
func TestOnDemandAgainstWorkingSets(t *testing.T) {
	for _, gamma := range []float64{0.05, 2} {
		k, y := sharedCase(500, gamma, 7)
		for _, c := range []float64{1, 100} {
			for name, p := range programmes(y, c) {
				want, err := SMO(context.Background(), p.q, RowSource[float32](allRows(k)), p.start, nil, SMOOptions{Tol: 1e-5})
				if err != nil {
					t.Fatal(err)
				}
				for _, others := range []RowSource[float32]{nil, allRows(k)} {
					asked := 0
					got, err := OnDemand(context.Background(), p.q, lazyOf(k, &asked), allRows(k).Diag(), p.start, others,
						SMOOptions{Tol: 1e-4})
					if err != nil {
						t.Fatal(err)
					}
					if !got.Converged || got.Violation > 1e-4 {
						t.Errorf("%s, γ=%g, C=%g: violation %g", name, gamma, c, got.Violation)
					}
					if math.Abs(got.Objective-want.Objective) > 1e-4*(1+math.Abs(want.Objective)) {
						t.Errorf("%s, γ=%g, C=%g: objective %.8g, by working sets %.8g", name, gamma, c, got.Objective, want.Objective)
					}
					checkConstraints(t, name, p.q, p.start, got.Beta)
				}
			}
		}
	}
}

func checkConstraints(t *testing.T, name string, q BoxQP, start, beta []float64) {
	sum := make([]float64, max(q.Groups, 1))
	size := 1.0
	for v, b := range beta {
		sum[groupOf(q, v)] += b - start[v]
		size += math.Abs(b)
		if b < q.Lower[v] || b > q.Upper[v] {
			t.Fatalf("%s: variable %d is %g, outside [%g, %g]", name, v, b, q.Lower[v], q.Upper[v])
		}
	}
	for g, s := range sum {
		if math.Abs(s) > 1e-11*size {
			t.Fatalf("%s: the sum of group %d moved by %g", name, g, s)
		}
	}
}

// An easy programme asks for the rows of its support vectors and few others.
func TestOnDemandAsksForFewRows(t *testing.T) {
	k, _ := sharedCase(2000, 0.3, 9)
	y := make([]float64, k.Rows)
	for i := range y { // separable: by who is nearer to the first point
		y[i] = math.Copysign(1, float64(k.At(0, i))-0.4)
	}
	p := programmes(y, 10)["classification"]
	asked := 0
	r, err := OnDemand(context.Background(), p.q, lazyOf(k, &asked), allRows(k).Diag(), p.start, nil, SMOOptions{})
	if err != nil {
		t.Fatal(err)
	}
	used := usedPoints(r.Beta)
	if asked > 4*used+64 || asked > k.Rows/3 {
		t.Errorf("%d rows of %d made for %d support vectors", asked, k.Rows, used)
	}
}

// A source that fails ends the solver with its error.
func TestOnDemandPassesErrorsOn(t *testing.T) {
	k, y := sharedCase(100, 1, 3)
	p := programmes(y, 1)["classification"]
	broken := errors.New("no row")
	rows := NewLazyRows(k.Rows, func(context.Context, linalg.Matrix[float32], []int) error { return broken })
	if _, err := OnDemand(context.Background(), p.q, rows, allRows(k).Diag(), p.start, nil, SMOOptions{}); !errors.Is(err,
		broken) {
		t.Errorf("error %v", err)
	}
}

// likely lists the worst of both sides among those asked for, in turn.
func TestLikelyNext(t *testing.T) {
	var w singlePairs
	w.begin(40, 1, false)
	for i := range 40 {
		w.start(i, float64(i), 0, 0)
		w.place(i, 0, 0, -1, 1)
	}
	wanted := []uint32{0xfffffffe, 0x7f} // not 0, not 39
	if got := w.likely(2, wanted); !slices.Equal(got, []int{38, 1, 37, 2}) {
		t.Errorf("%v", got)
	}
	if got := w.likely(0, wanted); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// Kβ stays right when points are set aside, also where both variables of a point were in one
// working set.
func TestShrinkingWithTwoVariablesAPoint(t *testing.T) {
	k, y := sharedCase(500, 2, 7)
	p := programmes(y, 100)["regression"]
	source := RowSource[float32](allRows(k))
	for _, pairs := range []int{50, 300, 3000} {
		start, err := SMO(context.Background(), p.q, source, nil, nil,
			SMOOptions{Tol: 1e-4, MaxIterations: pairs, WorkingSet: 8})
		if err != nil {
			t.Fatal(err)
		}
		r, err := SMO(context.Background(), p.q, source, start.Beta, start.F, SMOOptions{Tol: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		if r.Shrinkings == 0 {
			t.Fatal("no point was set aside")
		}
		for i, f := range r.F {
			want := 0.0
			for v, b := range r.Beta {
				want += b * float64(k.At(p.q.Point[v], i))
			}
			if math.Abs(f-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("after %d pairs and %d more: Kβ at %d is %g, kept as %g", pairs, r.Iterations, i, want, f)
			}
		}
	}
}
