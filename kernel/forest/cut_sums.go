package forest

import (
	"math"
	"math/bits"
	"slices"
)

func trailing(word uint64) int { return bits.TrailingZeros64(word) }

// look tries the cuts of a column of a node, and keeps the best of them if it is better than the
// best so far. It says whether the column has two bins in the node.
func (g *grower) look(j int32, lo, hi int) bool {
	c := &g.columns[j]
	switch {
	case g.s.Splits == RandomSplits:
		return g.lookAtRandom(j, c, lo, hi)
	case g.y.level == nil:
		return g.lookAtClasses(j, c, lo, hi)
	}
	h := &g.sums
	h.fill(c.bin, g.row[lo:hi], g.weight[lo:hi], g.sum[lo:hi])
	defer h.empty()
	order, missing := h.list(c)
	if len(order) < 2 && !missing || len(order) == 0 {
		return false
	}
	if c.categories != nil {
		for _, b := range order {
			h.mean[b] = h.bin[b].s / h.bin[b].w
		}
		sortBy(order, &h.mean)
		g.sweep(j, c, order, false, false)
		return true
	}
	g.sweep(j, c, order, missing, false)
	if missing {
		g.sweep(j, c, order, missing, true)
	}
	return true
}

// sortBy sorts bins by a number of each. The best cut of categories by a set, of all 2ᵏ⁻¹ - 1 of
// them, is one after the other in the order of their means (W. D. Fisher 1958; Breiman et al.,
// Classification and Regression Trees, 1984, section 9.4).
func sortBy(order []uint8, by *[bins]float64) {
	slices.SortFunc(order, func(a, b uint8) int {
		switch {
		case by[a] < by[b]:
			return -1
		case by[a] > by[b]:
			return 1
		}
		return int(a) - int(b)
	})
}

func (h *histogram) fill(bin []uint8, row []int32, weight, sum []float64) {
	weight, sum = weight[:len(row)], sum[:len(row)]
	for p, i := range row {
		b := bin[i]
		e := &h.bin[b]
		e.n++
		e.w += weight[p]
		e.s += sum[p]
		h.touched[b>>6] |= 1 << (b & 63)
	}
}

func (h *histogram) empty() {
	for k, word := range h.touched {
		for ; word != 0; word &= word - 1 {
			h.bin[k<<6+trailing(word)] = tally32{}
		}
	}
	h.touched = set{}
}

// sweep moves one bin after the other to the left and keeps the best cut. Missing values are on the
// left from the beginning, or stay on the right, alone at last.
func (g *grower) sweep(j int32, c *column, order []uint8, missing, missingLeft bool) {
	h, least := &g.sums, g.s.Min
	left := tally{}
	if missingLeft {
		m := h.bin[missingBin]
		left = tally{m.n, m.w, m.s}
	}
	cuts := len(order) - 1
	if missing && !missingLeft {
		cuts = len(order)
	}
	at, best := -1, math.Inf(-1)
	for k, b := range order[:cuts] {
		e := &h.bin[b]
		left.n += e.n
		left.w += e.w
		left.s += e.s
		if left.n < least || g.total.n-left.n < least {
			continue
		}
		score := g.score(left)
		if score > best {
			at, best = k, score
		}
	}
	g.keep(j, c, order, at, best, missing, missingLeft)
}

// keep takes the cut after order[at] if it is better than the best so far.
func (g *grower) keep(j int32, c *column, order []uint8, at int, score float64, missing, missingLeft bool) {
	if at < 0 || !g.best.beats(score) {
		return
	}
	g.best = cut{found: true, score: score, column: j, missingLeft: missingLeft, sawMissing: missing,
		category: c.categories != nil}
	if c.categories != nil {
		for k, b := range order {
			if g.best.present.add(b); k <= at {
				g.best.left.add(b)
			}
		}
		return
	}
	next := -1
	if at+1 < len(order) {
		next = int(order[at+1])
	}
	g.best.between(c, order[at], next)
}

// score is what a cut is to make large: what it takes from Σ w(y - ȳ)² of the node, ȳ the mean on
// each side, times the weight of the node,
//
//	(s₁W - w₁S)²/(w₁w₂),
//
// of two classes half of what it takes from Gini's impurity; or, less a constant of the node, from
// the entropy. Sums of whole numbers are exact.
func (g *grower) score(left tally) float64 {
	w, s := g.total.w-left.w, g.total.s-left.s
	if !(left.w > 0 && w > 0) { // a side so light that rounding takes all of it
		return math.Inf(-1)
	}
	if g.s.Criterion == Entropy && g.y.classes > 0 {
		return entropic(left.s) + entropic(left.w-left.s) - entropic(left.w) + (entropic(s) + entropic(w-s) - entropic(w))
	}
	d := left.s*g.total.w - left.w*g.total.s
	return (d / left.w) * (d / w)
}

// entropic is x·log x.
func entropic(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * math.Log(x)
}
