package tune

import (
	"slices"

	"github.com/mercer-ml/mercer/learn"
)

// The most rows for which cross-validation is repeated: in all, and for each
// second of the budget.
const (
	repeatRows = 400
	repeatRate = 40
)

// autoProtocol is how cells are judged: by five folds, more often where rows are few, by fewer
// where a class or the groups are.
func autoProtocol(r *AutoResult, part learn.Problem[any], o AutoOptions, began *searchPlan) Protocol {
	if o.Evidence {
		r.because("judged by the marginal likelihood of the fitted rows, without folds")
		return Protocol{Evidence: true, Seed: o.Seed}
	}
	protocol := Protocol{Folds: o.Folds, Repeats: o.Repeats, Seed: o.Seed}
	if protocol.Folds == 0 {
		protocol.Folds = 5
	}
	// What a few folds of a few rows say is mostly chance: more of them, where
	// they cost little.
	often := part.Len() <= min(repeatRows, int(repeatRate*o.Budget.Seconds()))
	switch {
	case o.first:
		often = false
	case began != nil: // as the search was that this one goes on with
		often = began.Repeats > 1
	}
	if n := part.Len(); o.Folds == 0 && o.Repeats == 0 && often && part.Times == nil {
		protocol.Repeats = 3
		r.because("%d rows: cross-validation is repeated with other folds, 3 times", n)
	}
	if k := smallestClass(part); k > 0 && k < protocol.Folds && part.Groups == nil {
		protocol.Plain = k < 2
		protocol.Folds = max(2, min(protocol.Folds, k))
		r.note("%d folds, since the smallest class has %d rows", protocol.Folds, k)
	}
	switch n := groupCount(part.Groups); {
	case part.Groups == nil:
		protocol.Folds = min(protocol.Folds, part.Len())
	case o.Folds == 0 && n >= 2 && n < protocol.Folds:
		protocol.Folds = n
		r.note("%d folds, since there are %d groups", n, n)
	}
	if n := len(distinctTimes(part.Times)); part.Times != nil && o.Folds == 0 && n >= 2 && n-1 < protocol.Folds {
		protocol.Folds = n - 1
		r.note("%s, since the rows have %d times, and those of one time stay together", features(n-1, "fold"), n)
	}
	return protocol
}

func distinctTimes(times []float64) map[float64]bool {
	seen := map[float64]bool{}
	for _, t := range times {
		seen[t] = true
	}
	return seen
}

func smallestClass(p learn.Problem[any]) int {
	k := p.ClassCount()
	if k == 0 {
		return 0
	}
	count := make([]int, k)
	for _, y := range p.Y {
		count[int(y)]++
	}
	return slices.Min(count)
}

func groupCount(groups []int) int {
	seen := map[int]bool{}
	for _, g := range groups {
		seen[g] = true
	}
	return len(seen)
}
