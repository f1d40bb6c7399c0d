package data

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// partition checks that the test sets cover 0..n-1 once and that train and test
// complement each other.
func partition(t *testing.T, folds []Fold, n int) {
	t.Helper()
	seen := make([]int, n)
	for f, fold := range folds {
		if len(fold.Train)+len(fold.Test) != n {
			t.Fatalf("fold %d has %d + %d rows of %d", f, len(fold.Train), len(fold.Test), n)
		}
		for _, i := range fold.Test {
			seen[i]++
			if slices.Contains(fold.Train, i) {
				t.Fatalf("fold %d has row %d on both sides", f, i)
			}
		}
	}
	for i, s := range seen {
		if s != 1 {
			t.Fatalf("row %d is tested %d times", i, s)
		}
	}
}

func TestKFold(t *testing.T) {
	for _, c := range [][2]int{{10, 3}, {7, 7}, {100, 10}, {2, 2}} {
		folds, err := KFold(c[0], c[1], 5)
		if err != nil {
			t.Fatal(err)
		}
		partition(t, folds, c[0])
		for _, f := range folds {
			if len(f.Test) < c[0]/c[1] || len(f.Test) > c[0]/c[1]+1 {
				t.Errorf("%v: a fold of %d", c, len(f.Test))
			}
		}
		again, _ := KFold(c[0], c[1], 5)
		if !reflect.DeepEqual(folds, again) {
			t.Error("the same seed gives other folds")
		}
	}
	a, _ := KFold(100, 5, 1)
	b, _ := KFold(100, 5, 2)
	if reflect.DeepEqual(a, b) {
		t.Error("other seeds give the same folds")
	}
}

func TestStratified(t *testing.T) {
	var class []int
	for i := range 60 {
		class = append(class, min(i%6, 2)) // 10, 10, 40
	}
	folds, err := Stratified(class, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	partition(t, folds, 60)
	for _, f := range folds {
		var n [3]int
		for _, i := range f.Test {
			n[class[i]]++
		}
		if n != [3]int{2, 2, 8} {
			t.Errorf("classes in a fold: %v", n)
		}
	}
	hold, err := StratifiedHoldout(class, 0.2, 3)
	if err != nil {
		t.Fatal(err)
	}
	var n [3]int
	for _, i := range hold.Test {
		n[class[i]]++
	}
	if n != [3]int{2, 2, 8} {
		t.Errorf("classes held out: %v", n)
	}
}

func TestGrouped(t *testing.T) {
	group := []int{1, 1, 1, 2, 2, 3, 4, 4, 5, 6, 6, 6}
	folds, err := Grouped(group, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	partition(t, folds, len(group))
	for _, f := range folds {
		for _, i := range f.Test {
			for _, j := range f.Train {
				if group[i] == group[j] {
					t.Fatalf("group %d is on both sides", group[i])
				}
			}
		}
		if len(f.Test) < 3 || len(f.Test) > 5 {
			t.Errorf("a fold of %d rows", len(f.Test))
		}
	}
}

func TestTimeOrdered(t *testing.T) {
	at := []float64{5, 3, 9, 1, 7, 2, 8, 4, 6, 0}
	folds, err := TimeOrdered(at, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folds {
		last := math.Inf(-1)
		for _, i := range f.Train {
			last = max(last, at[i])
		}
		for _, i := range f.Test {
			if at[i] <= last {
				t.Fatalf("a test row at %v, fitted up to %v", at[i], last)
			}
		}
	}
	hold, err := TimeHoldout(at, 0.3)
	if err != nil || len(hold.Test) != 3 || at[hold.Test[0]] != 7 {
		t.Errorf("time hold-out %v, %v", hold, err)
	}
}

// Rows of one time are on one side of every cut, and no other places are cut: against the places
// that could be.
func TestTimesAreNotCutApart(t *testing.T) {
	days := []float64{3, 1, 2, 1, 3, 2, 1, 2, 3, 2, 4, 4, 1, 2, 4, 2}
	for _, share := range []float64{0.1, 0.2, 0.3, 0.5, 0.8} {
		f, err := TimeHoldout(days, share)
		if err != nil {
			t.Fatal(err)
		}
		partition(t, []Fold{f, {Train: f.Test, Test: f.Train}}, len(days))
		first := math.Inf(1)
		for _, i := range f.Test {
			first = min(first, days[i])
		}
		for _, i := range f.Train {
			if days[i] >= first {
				t.Errorf("%g held out: day %g is on both sides", share, first)
			}
		}
		best := math.Inf(1)
		for day := 2.0; day <= 4; day++ {
			from := 0.0
			for _, d := range days {
				if d >= day {
					from++
				}
			}
			best = min(best, math.Abs(from-math.Round(share*float64(len(days)))))
		}
		if off := math.Abs(float64(len(f.Test)) - math.Round(share*float64(len(days)))); off != best {
			t.Errorf("%g held out: %d rows, %g off where %g can be", share, len(f.Test), off, best)
		}
	}
	for m := 1; m <= 3; m++ {
		folds, err := TimeOrdered(days, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range folds {
			if len(f.Train) == 0 || len(f.Test) == 0 {
				t.Errorf("%d folds: one is empty", m)
			}
			for _, i := range f.Train {
				for _, j := range f.Test {
					if days[i] >= days[j] {
						t.Fatalf("%d folds: day %g is judged by day %g", m, days[j], days[i])
					}
				}
			}
		}
	}
	for _, err := range []error{
		func() error { _, err := TimeOrdered(days, 4); return err }(),
		func() error { _, err := TimeHoldout([]float64{7, 7, 7, 7}, 0.5); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "rows of one time are not cut apart") {
			t.Errorf("error %v", err)
		}
	}
}

func TestRepeatedAndLeaveOneOut(t *testing.T) {
	folds, err := Repeated(3, 1, func(seed uint64) ([]Fold, error) { return KFold(20, 4, seed) })
	if err != nil || len(folds) != 12 {
		t.Fatalf("%d folds, %v", len(folds), err)
	}
	for r := range 3 {
		partition(t, folds[4*r:4*r+4], 20)
	}
	if reflect.DeepEqual(folds[:4], folds[4:8]) {
		t.Error("repetitions are the same")
	}
	loo, err := LeaveOneOut(5)
	if err != nil {
		t.Fatal(err)
	}
	partition(t, loo, 5)
}

func TestSplitErrors(t *testing.T) {
	for _, c := range []struct {
		err  func() error
		want string
	}{
		{func() error { _, err := KFold(5, 6, 0); return err }, "6 folds for 5 rows; use at most 5"},
		{func() error { _, err := KFold(5, 1, 0); return err }, "at least 2"},
		{func() error {
			_, err := Stratified([]int{0, 0, 0, 1}, 3, 0)
			return err
		}, "class 1 has 1 row for 3 folds, so a fold would lack it"},
		{func() error { _, err := Grouped([]int{1, 1, 2, 2}, 3, 0); return err }, "2 groups for 3 folds"},
		{func() error { _, err := TimeOrdered([]float64{1, 2}, 2); return err }, "need 3 rows"},
		{func() error { _, err := TimeOrdered([]float64{1, math.NaN()}, 1); return err }, "row 2 has no time"},
		{func() error { _, err := Holdout(10, 1.5, 0); return err }, "between 0 and 1"},
		{func() error { _, err := Holdout(1, 0.2, 0); return err }, "leaves 1 to fit and 0 to test"},
		{func() error { _, err := LeaveOneOut(1); return err }, "at least 2"},
		{func() error { _, err := Repeated(0, 0, nil); return err }, "1 or more"},
	} {
		if err := c.err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
