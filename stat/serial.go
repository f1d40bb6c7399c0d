package stat

import (
	"cmp"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// arrange fills dst with the places that the second variable takes in a draw: any order of them, or
// a shift. No shift is drawn twice: there are fewer of them than permutations are usually asked
// for, and the same one again would be no further evidence.
func (s TestSettings) arrange(dst []int32, purpose, draw int) {
	if s.Null != NullShift {
		permutation(dst, s.stream(purpose, draw))
		return
	}
	n, number := len(dst), draw
	if purpose == drawLevel { // the second half of them
		number += s.Permutations
	}
	by := leastShift(n) + number*shiftsOf(n)/s.shifts
	for i := range dst {
		dst[i] = int32((i + by) % n)
	}
}

// leastShift is how far a series is shifted at the least. Nearer than that what depends on its own
// past still goes with the other, and draws would be as large as the statistic: a tenth of the
// length is far where there is anything to be told, which takes ten stretches that know nothing of
// each other.
func leastShift(n int) int { return max(1, n/10) }

// shiftsOf is how many shifts there are, forth and back.
func shiftsOf(n int) int { return n - 2*leastShift(n) + 1 }

// fewestShifted is the shortest series that is shifted: no p-value is below one over the number of
// shifts.
const fewestShifted = 50

// forSeries draws no more than there are shifts, in so many rounds; short series are refused. For
// other nulls it does nothing.
func (s TestSettings) forSeries(test string, n, rounds int) (TestSettings, error) {
	if s.Null != NullShift {
		return s, nil
	}
	if n < fewestShifted {
		return s, fault.Errorf("stat", "%s: %d rows are too few to be shifted against each other; want at least %d", test, n,
			fewestShifted)
	}
	s.Permutations = min(s.Permutations, shiftsOf(n)/rounds)
	s.shifts = s.Permutations * rounds
	return s, nil
}

// Serial is what rows have to do with those right before them.
type Serial struct {
	Column      int     // that has most to do with it
	Correlation float64 // of its ranks with those of the row before
	// Found: it is further from 0 than chance allows, five standard deviations 1/√n, and by no less
	// than 0.2. Tests that exchange rows are not to be trusted then, unless the order of the rows
	// is one that they were put in afterwards.
	Found bool
}

// SerialCorrelation looks whether rows that follow each other are alike, column by column. Columns
// that go one way only are passed over, since rows may be sorted by them; where rows are sorted by
// classes, block is the class of each (nil: there are none), and rows are compared with others of
// theirs.
func SerialCorrelation(x data.Points[kernel.Vec], block []int) Serial {
	n := length(x)
	out := Serial{}
	if n < 3 {
		return out
	}
	column := make([]float64, n)
	for j := range x.At(0) {
		for i := range column {
			column[i] = x.At(i)[j]
		}
		if slices.IsSorted(column) || slices.IsSortedFunc(column, func(a, b float64) int { return cmp.Compare(b, a) }) {
			continue
		}
		if r := lagOne(ranks(column), block); math.Abs(r) > math.Abs(out.Correlation) {
			out.Column, out.Correlation = j, r
		}
	}
	size := math.Abs(out.Correlation)
	out.Found = size >= 0.2 && size*math.Sqrt(float64(n)) >= 5
	return out
}

// lagOne is Σ (vᵢ − v̄)(vᵢ₊₁ − v̄)/Σ (vᵢ − v̄)², with the mean of the block of each and pairs
// within one; 0 where nothing varies.
func lagOne(v []float64, block []int) float64 {
	of := func(i int) int {
		if block == nil {
			return 0
		}
		return block[i]
	}
	sum, count := map[int]float64{}, map[int]float64{}
	for i, x := range v {
		sum[of(i)] += x
		count[of(i)]++
	}
	off := make([]float64, len(v))
	square, product := 0.0, 0.0
	for i, x := range v {
		off[i] = x - sum[of(i)]/count[of(i)]
		square += off[i] * off[i]
		if i > 0 && of(i) == of(i-1) {
			product += off[i-1] * off[i]
		}
	}
	if square == 0 {
		return 0
	}
	return product / square
}

// ranks is the place of each value among all, from 0; equal ones share the mean of theirs.
func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	out := make([]float64, len(v))
	for lo, hi := 0, 0; lo < len(v); lo = hi {
		for hi < len(v) && v[order[hi]] == v[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			out[i] = float64(lo+hi-1) / 2
		}
	}
	return out
}
