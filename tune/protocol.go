package tune

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// Protocol says how points are divided into those to fit on and those to judge
// by. The zero value is 5-fold cross-validation, stratified for classification,
// grouped where the problem has groups, time-ordered where it has times.
type Protocol struct {
	Folds   int    // 0 means 5
	Repeats int    // cross-validation is repeated with other folds this often; 0 means 1
	Plain   bool   // no stratification by class
	LOO     bool   // leave one out: as many folds as points
	Seed    uint64 // of the shuffles
	// evidenceMetric judges Gaussian processes by their log marginal likelihood on
	// all rows instead of by folds: no row is ever left out.
	Evidence bool
}

// Split makes the folds of a problem, or says why they cannot be made: more
// folds than points, a class missing from the fitted rows of a fold.
func Split[T any](o Protocol, p learn.Problem[T]) ([]data.Fold, error) { return split(o, p.Erase()) }

func split(o Protocol, p learn.Problem[any]) ([]data.Fold, error) {
	if o.Folds == 0 {
		o.Folds = 5
	}
	n := p.Len()
	cut := func(seed uint64) ([]data.Fold, error) {
		switch {
		case o.LOO:
			return data.LeaveOneOut(n)
		case p.Times != nil:
			return data.TimeOrdered(p.Times, o.Folds)
		case p.Groups != nil:
			return data.Grouped(p.Groups, o.Folds, seed)
		case p.Task.Classification() && !o.Plain:
			return data.Stratified(p.Codes(), o.Folds, seed)
		}
		return data.KFold(n, o.Folds, seed)
	}
	var folds []data.Fold
	var err error
	if o.Repeats > 1 {
		if o.LOO || p.Times != nil {
			return nil, fault.Errorf("tune",
				"%d repeats of folds that have no chance in them (leave-one-out, time-ordered); use 1", o.Repeats)
		}
		folds, err = data.Repeated(o.Repeats, o.Seed, cut)
	} else {
		folds, err = cut(o.Seed)
	}
	if err != nil {
		return nil, fault.In("tune", err)
	}
	return folds, checkFolds(folds, p)
}

// checkFolds refuses folds that name rows the problem does not have, test on
// rows they fit on, or lack a class among the fitted rows.
func checkFolds(folds []data.Fold, p learn.Problem[any]) error {
	if len(folds) == 0 {
		return fault.Errorf("tune", "no folds")
	}
	n, k := p.Len(), p.ClassCount()
	for f, fold := range folds {
		if len(fold.Train) == 0 || len(fold.Test) == 0 {
			return fault.Errorf("tune", "fold %d has %d rows to fit on and %d to judge by; both sides need some", f+1,
				len(fold.Train), len(fold.Test))
		}
		side := make([]uint8, n)
		for s, rows := range [][]int{fold.Train, fold.Test} {
			for _, r := range rows {
				if r < 0 || r >= n {
					return fault.Errorf("tune", "fold %d names row %d; there are rows 0 to %d", f+1, r, n-1)
				}
				if side[r] != 0 {
					return fault.Errorf("tune", "fold %d names row %d twice", f+1, r)
				}
				side[r] = uint8(s + 1)
			}
		}
		if k == 0 {
			continue
		}
		count := make([]int, k)
		for _, r := range fold.Train {
			count[int(p.Y[r])]++
		}
		for c, m := range count {
			if m == 0 {
				return fault.Errorf("tune", "no row of class %s to fit on in fold %d; use fewer folds or stratified ones",
					p.ClassName(c), f+1)
			}
		}
	}
	return nil
}
