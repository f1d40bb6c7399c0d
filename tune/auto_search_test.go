package tune

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// A part of the rows has some of each class, however rare: a class of three rows in 4,000 was lost,
// or left with one row, and the search ended with a fold that had none to fit on.
func TestSomeRowsKeepRareClasses(t *testing.T) {
	code, x := make([]int, 4000), make([]float64, 4000)
	for i := range code {
		x[i] = math.Sin(float64(i))
		switch {
		case i < 3:
			code[i] = 2
		case i < 40:
			code[i] = 3
		default:
			code[i] = i % 2
		}
	}
	p, err := learn.Classify[kernel.Vec](data.Line(x), code)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		rows := someRows(p.Erase(), 300, seed)
		of, seen := make([]int, 4), map[int]bool{}
		for k, i := range rows {
			if of[code[i]]++; seen[i] || k > 0 && rows[k-1] > i {
				t.Fatalf("seed %d: row %d again, or out of order", seed, i)
			}
			seen[i] = true
		}
		if of[2] != 3 || of[3] < leastOfClass || len(rows) < 300 || len(rows) > 300+2*leastOfClass {
			t.Errorf("seed %d: %v of the classes in %d rows", seed, of, len(rows))
		}
		folds, err := data.Stratified(p.Erase().Gather(rows).Codes(), 3, seed)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkFolds(folds, p.Erase().Gather(rows)); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestReasonOfATie: a setting with the mean of the chosen one is not called better.
func TestReasonOfATie(t *testing.T) {
	cell := func(lambda, mean, brier float64) Cell {
		return Cell{Learner: "ridge", Kernel: "linear", Params: []Setting{{Name: "lambda", Value: lambda}}, Mean: mean,
			Second: brier}
	}
	for best, word := range map[float64]string{0.8: "the same mean", 0.81: "a better mean"} {
		r := &AutoResult{}
		reportSearch(r, &Result{Best: cell(2, best, 0.2), Chosen: cell(1, 0.8, 0.1)}, Accuracy(), Brier(), false)
		if all := strings.Join(r.Why, "\n"); !strings.Contains(all, "lambda=2 had "+word) {
			t.Errorf("means %g and 0.8: %s", best, all)
		}
	}
}
