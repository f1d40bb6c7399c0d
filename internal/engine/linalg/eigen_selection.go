package linalg

import "sort"

// Selection says which eigenpairs are wanted; the zero value means all.
type Selection struct {
	kind        selectionKind
	first, last int
	low, high   float64
}

type selectionKind int

const (
	selectAll selectionKind = iota
	selectIndex
	selectValue
	selectLargest
)

// IndexRange selects the eigenvalues with index first ≤ i < last in ascending order.
func IndexRange(first, last int) Selection {
	return Selection{kind: selectIndex, first: first, last: last}
}

// LargestPairs selects the k largest eigenvalues.
func LargestPairs(k int) Selection { return Selection{kind: selectLargest, last: k} }

// ValueRange selects the eigenvalues with low < λ ≤ high.
func ValueRange(low, high float64) Selection {
	return Selection{kind: selectValue, low: low, high: high}
}

// bounds returns the half-open range of indices wanted among n ascending values.
func (s *Selection) bounds(n int, value func(i int) float64) (first, last int) {
	first, last = 0, n
	switch s.kind {
	case selectIndex:
		first, last = s.first, s.last
	case selectLargest:
		first = n - s.last
	case selectValue:
		first = sort.Search(n, func(i int) bool { return value(i) > s.low })
		last = sort.Search(n, func(i int) bool { return value(i) > s.high })
	}
	first = min(max(first, 0), n)
	return first, min(max(last, first), n)
}

// scaled is the selection for a matrix multiplied by factor > 0.
func (s Selection) scaled(factor float64) Selection {
	s.low *= factor
	s.high *= factor
	return s
}

// selected are the pairs kept of a finished block: values ascending, each
// with the row of its vector.
type selected struct {
	values []float64
	rows   []int
}

// selectFrom keeps the wanted pairs of the finished block [lo, hi).
func (c *divideAndConquer) selectFrom(lo, hi int, sel *Selection) *selected {
	n := hi - lo
	value := func(i int) float64 { return c.d[lo+c.order[lo+i]] }
	first, last := 0, n
	if sel != nil {
		first, last = sel.bounds(n, value)
	}
	k := &selected{}
	for i := first; i < last; i++ {
		k.values = append(k.values, value(i))
		k.rows = append(k.rows, lo+c.order[lo+i])
	}
	return k
}
