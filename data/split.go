package data

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Fold is one division of rows into those to fit on and those to judge by.
type Fold struct {
	Train []int
	Test  []int
}

// shuffler returns the generator of a seed; every split of this file draws from
// one, so that the same seed gives the same rows on any machine.
func shuffler(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6d65726365726461)) }

// Holdout keeps a share of n rows apart for the final test: round(share·n) of
// them, drawn without replacement.
func Holdout(n int, share float64, seed uint64) (Fold, error) {
	test, err := testSize(n, share)
	if err != nil {
		return Fold{}, err
	}
	order := shuffler(seed).Perm(n)
	return sortedFold(order[test:], order[:test]), nil
}

// StratifiedHoldout is Holdout with the share drawn from each class, so that
// the test rows have the proportions of the whole. Every class with two rows
// or more stays on both sides where the share allows.
func StratifiedHoldout(class []int, share float64, seed uint64) (Fold, error) {
	total, err := testSize(len(class), share)
	if err != nil {
		return Fold{}, err
	}
	rng := shuffler(seed)
	groups := byClass(class)
	// Largest remainders: the sizes add up to total.
	size := make([]int, len(groups))
	order := make([]int, len(groups))
	left := total
	for g, rows := range groups {
		order[g] = g
		size[g] = int(share * float64(len(rows)))
		left -= size[g]
	}
	remainder := func(g int) float64 { return share*float64(len(groups[g])) - float64(size[g]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(remainder(b), remainder(a)) })
	for i := 0; left > 0; i++ {
		if g := order[i%len(order)]; size[g] < len(groups[g]) {
			size[g]++
			left--
		}
	}
	var train, test []int
	for g, rows := range groups {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		test = append(test, rows[:size[g]]...)
		train = append(train, rows[size[g]:]...)
		if size[g] == len(rows) && len(rows) > 0 {
			return Fold{}, fmt.Errorf("stratified hold-out: all %d rows of class %d fall in the test set; hold out less than %g",
				len(rows), class[rows[0]], share)
		}
	}
	return sortedFold(train, test), nil
}

func testSize(n int, share float64) (int, error) {
	if !(share > 0 && share < 1) {
		return 0, fmt.Errorf("hold-out share is %g; it must lie between 0 and 1", share)
	}
	test := int(math.Round(share * float64(n)))
	if test < 1 || test >= n {
		return 0, fmt.Errorf("holding out %g of %d rows leaves %d to fit and %d to test; give more rows or another share",
			share, n, n-test, test)
	}
	return test, nil
}

// KFold cuts n shuffled rows into m folds whose sizes differ by one at most;
// each is the test set once (m-fold cross-validation).
func KFold(n, m int, seed uint64) ([]Fold, error) {
	if err := checkFolds(n, m); err != nil {
		return nil, err
	}
	order := shuffler(seed).Perm(n)
	part := make([]int, n)
	for i, row := range order {
		part[row] = i * m / n
	}
	return foldsOf(part, m), nil
}

// Stratified is KFold with each class dealt out evenly over the folds. Every
// class must have at least m rows, so that no fold lacks one.
func Stratified(class []int, m int, seed uint64) ([]Fold, error) {
	n := len(class)
	if err := checkFolds(n, m); err != nil {
		return nil, err
	}
	rng := shuffler(seed)
	part := make([]int, n)
	next := 0
	for _, rows := range byClass(class) {
		if len(rows) < m {
			return nil, fmt.Errorf("class %d has %s for %d folds, so a fold would lack it; use at most %d folds or plain ones",
				class[rows[0]], count(len(rows), "row"), m, max(len(rows), 1))
		}
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for _, row := range rows {
			// Dealing on from where the last class ended keeps fold sizes level.
			part[row] = next % m
			next++
		}
	}
	return foldsOf(part, m), nil
}

// Grouped puts all rows of a group in the same fold, so that no group is on
// both sides: the largest groups first, each to the smallest fold so far.
func Grouped(group []int, m int, seed uint64) ([]Fold, error) {
	if err := checkFolds(len(group), m); err != nil {
		return nil, err
	}
	groups := byClass(group)
	if len(groups) < m {
		return nil, fmt.Errorf("%d groups for %d folds; use at most %d folds", len(groups), m, len(groups))
	}
	rng := shuffler(seed)
	rng.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	part := make([]int, len(group))
	load := make([]int, m)
	for _, rows := range groups {
		smallest := 0
		for f := range load {
			if load[f] < load[smallest] {
				smallest = f
			}
		}
		load[smallest] += len(rows)
		for _, row := range rows {
			part[row] = smallest
		}
	}
	return foldsOf(part, m), nil
}

// LeaveOneOut tests on each row in turn.
func LeaveOneOut(n int) ([]Fold, error) {
	if err := checkFolds(n, n); err != nil {
		return nil, err
	}
	part := par.Indices(0, n)
	return foldsOf(part, n), nil
}

// Repeated makes folds times times, with seeds drawn from seed, and returns
// them one after the other.
func Repeated(times int, seed uint64, folds func(seed uint64) ([]Fold, error)) ([]Fold, error) {
	if times < 1 {
		return nil, fmt.Errorf("%d repetitions; give 1 or more", times)
	}
	rng := shuffler(seed)
	var out []Fold
	for range times {
		f, err := folds(rng.Uint64())
		if err != nil {
			return nil, err
		}
		out = append(out, f...)
	}
	return out, nil
}

func checkFolds(n, m int) error {
	switch {
	case m < 2:
		return fmt.Errorf("%d folds; cross-validation needs at least 2", m)
	case m > n:
		return fmt.Errorf("%d folds for %s; use at most %d", m, count(n, "row"), n)
	}
	return nil
}

// foldsOf makes fold f of the rows with part f, rows in increasing order.
func foldsOf(part []int, m int) []Fold {
	sizes := make([]int, m)
	for _, f := range part {
		sizes[f]++
	}
	folds := make([]Fold, m)
	for f := range folds {
		folds[f] = Fold{make([]int, 0, len(part)-sizes[f]), make([]int, 0, sizes[f])}
	}
	for row, p := range part {
		for f := range folds {
			if f == p {
				folds[f].Test = append(folds[f].Test, row)
			} else {
				folds[f].Train = append(folds[f].Train, row)
			}
		}
	}
	return folds
}

func sortedFold(train, test []int) Fold {
	f := Fold{slices.Clone(train), slices.Clone(test)}
	slices.Sort(f.Train)
	slices.Sort(f.Test)
	return f
}

// byClass lists the rows of each class, classes in increasing order.
func byClass(class []int) [][]int {
	rows := map[int][]int{}
	for i, c := range class {
		rows[c] = append(rows[c], i)
	}
	names := make([]int, 0, len(rows))
	for c := range rows {
		names = append(names, c)
	}
	slices.Sort(names)
	out := make([][]int, len(names))
	for i, c := range names {
		out[i] = rows[c]
	}
	return out
}
