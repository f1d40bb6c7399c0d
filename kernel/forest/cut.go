package forest

import "math"

// cut is a split of a node in two.
type cut struct {
	found  bool
	score  float64
	column int32

	last        uint8   // of numbers: the last bin that goes left
	threshold   float64 // of numbers
	missingLeft bool
	sawMissing  bool // the node has missing values, so that their side was chosen

	category      bool
	left, present set // of categories: the bins that go left, and all that the node has
}

// beats says that a score is better than the best so far. Of columns that are as good the one that
// was drawn first is taken, so that no place among the columns is favoured: in nodes of a few rows
// many are as good.
func (c *cut) beats(score float64) bool { return !c.found || score > c.score }

// goesLeft says whether a bin does.
func (c *cut) goesLeft(b uint8) bool {
	switch {
	case c.category:
		return c.left.has(b)
	case c.sawMissing && b == missingBin:
		return c.missingLeft
	}
	return b <= c.last
}

// node is the split as a node of a tree. What it has not seen goes to the heavier side.
func (c *cut) node(_ *column, leftHeavier bool) node {
	n := node{column: c.column, threshold: c.threshold, set: -1, missingLeft: c.missingLeft}
	if !c.sawMissing {
		n.missingLeft = leftHeavier
	}
	if c.category {
		n.set, n.threshold, n.missingLeft = 0, 0, false
	}
	return n
}

// setWith is the categories that go left: with those that the node has not seen, where that side is
// heavier.
func (c *cut) setWith(leftHeavier bool) set {
	out := c.left
	for k := range out {
		if leftHeavier {
			out[k] |= ^c.present[k]
		}
	}
	return out
}

// between sets the cut of numbers after bin b, before the next bin of the node; where there is
// none, all numbers go left.
func (c *cut) between(of *column, b uint8, next int) {
	c.last, c.threshold = b, math.MaxFloat64
	if next >= 0 {
		c.threshold = middle(of.high[b], of.low[next])
	}
}

// histogram is the sums over the rows of a node in each bin of one column. It is empty between
// uses.
type histogram struct {
	bin     [bins]tally32
	touched set
	order   [bins]uint8 // the bins that have rows
	mean    [bins]float64
}

type tally32 struct {
	w, s float64
	n    int
}

// list is the bins that have rows in increasing order, the bin of missing values left out where the
// column has some.
func (h *histogram) list(c *column) (order []uint8, missing bool) {
	n := 0
	for k, word := range h.touched {
		for ; word != 0; word &= word - 1 {
			h.order[n] = uint8(k<<6 + trailing(word))
			n++
		}
	}
	order = h.order[:n]
	if c.missing && c.categories == nil && n > 0 && order[n-1] == missingBin {
		return order[:n-1], true
	}
	return order, false
}
