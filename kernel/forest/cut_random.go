package forest

import (
	"math"
	"slices"
)

// lookAtRandom is look with one cut of the column, drawn at random.
func (g *grower) lookAtRandom(j int32, c *column, lo, hi int) bool {
	h := &g.sums
	for _, i := range g.row[lo:hi] {
		h.touched.add(c.bin[i])
	}
	order, missing := h.list(c)
	h.touched = set{}
	if len(order) < 2 && !missing || len(order) == 0 {
		return false
	}
	try := cut{found: true, column: j, sawMissing: missing, category: c.categories != nil}
	switch {
	case try.category:
		for _, b := range order {
			try.present.add(b)
		}
		for try.left == (set{}) || try.left == try.present { // a part that is neither empty nor all
			try.left = set{}
			for _, b := range order {
				if g.rng.Uint64()>>63 != 0 {
					try.left.add(b)
				}
			}
		}
	case len(order) == 1: // and missing values
		try.between(c, order[0], -1)
	default:
		g.drawThreshold(&try, c, order)
	}
	g.tryCut(&try, c, lo, hi)
	if missing && len(order) > 1 {
		try.missingLeft = true
		g.tryCut(&try, c, lo, hi)
	}
	return true
}

// drawThreshold is a cut between the least and the largest number of a node. Where it falls into a
// bin of several numbers, it is the end of the bin.
func (g *grower) drawThreshold(try *cut, c *column, order []uint8) {
	low, high := c.low[order[0]], c.high[order[len(order)-1]]
	u := g.rng.Float64()
	at := low*(1-u) + high*u
	next, _ := slices.BinarySearchFunc(order, at, func(b uint8, v float64) int {
		if c.high[b] <= v {
			return -1
		}
		return 1
	})
	next = min(max(next, 1), len(order)-1) // the first bin on the right
	try.last, try.threshold = order[next-1], at
	if !(c.high[order[next-1]] <= at && at < c.low[order[next]]) {
		try.between(c, order[next-1], int(order[next]))
	}
}

// tryCut keeps a cut if it is better than the best so far and leaves enough rows on both sides.
func (g *grower) tryCut(try *cut, c *column, lo, hi int) {
	left := tally{}
	entropy := g.s.Criterion == Entropy
	if g.y.level == nil {
		g.classes.start(entropy)
	}
	for p := lo; p < hi; p++ {
		if !try.goesLeft(c.bin[g.row[p]]) {
			continue
		}
		left.n++
		if g.y.level == nil {
			g.classes.move(int(g.class[p]), g.weight[p], entropy)
			continue
		}
		left.w += g.weight[p]
		left.s += g.sum[p]
	}
	if left.n < g.s.Min || hi-lo-left.n < g.s.Min {
		return
	}
	if try.score = 0; g.y.level == nil {
		try.score = g.classes.score(entropy)
	} else {
		try.score = g.score(left)
	}
	if !math.IsInf(try.score, -1) && g.best.beats(try.score) {
		g.best = *try
	}
}
