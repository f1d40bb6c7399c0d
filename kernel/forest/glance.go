package forest

import "github.com/mercer-ml/mercer/internal/engine/par"

// glance is what a look at a column of a node finds: whether it has two bins there, and its best
// cut.
type glance struct {
	differs bool
	best    cut
}

// glanceWork is how many entries of bins a node has that is worth more threads than one: waking
// them takes as long as some thousand additions.
const glanceWork = 1 << 14

// glances looks at all columns of a node that are not known to be constant, side by side; nil where
// one thread is as soon done, where not all columns are to be looked at, and where a look draws. The
// cut that findCut takes is the one that it would take alone: that of the highest score, of equal
// ones that of the column drawn first.
func (g *grower) glances(at *todo) []glance {
	columns := g.order[at.constants:]
	if g.threads < 2 || g.s.Columns < len(g.columns) || g.s.Splits == RandomSplits || g.y.level == nil ||
		(at.hi-at.lo)*len(columns) < glanceWork {
		return nil
	}
	if g.seen == nil {
		g.seen = make([]glance, len(g.columns))
		g.helpers = make(chan *grower, g.threads)
		for range g.threads {
			g.helpers <- &grower{s: g.s, columns: g.columns, row: g.row, weight: g.weight, sum: g.sum}
		}
	}
	par.For(g.threads, len(columns), (len(columns)+2*g.threads-1)/(2*g.threads), func(lo, hi int) {
		h := <-g.helpers
		h.y, h.total = g.y, g.total
		for _, j := range columns[lo:hi] {
			h.best = cut{}
			g.seen[j] = glance{h.look(j, at.lo, at.hi), h.best}
		}
		g.helpers <- h
	})
	return g.seen
}

// lookOr takes what a glance at the column found, or looks.
func (g *grower) lookOr(seen []glance, j int32, lo, hi int) bool {
	if seen == nil {
		return g.look(j, lo, hi)
	}
	if best := &seen[j].best; best.found && g.best.beats(best.score) {
		g.best = *best
	}
	return seen[j].differs
}
