package forest

import (
	"context"
	"math/rand/v2"
)

// tree is one that was grown: its leaves and sets are numbered from 0.
type tree struct {
	nodes  []node
	sets   []set
	values []float64
	gain   []float64 // of each column: by how much its cuts lower the impurity, in a power of two
	unit   int       // that power
}

// grower grows one tree after another in the same memory.
type grower struct {
	s       *Growth
	columns []column
	y       *target
	rng     *rand.Rand
	out     tree

	// The rows of a node lie side by side from lo to hi: their numbers, weights, weighted levels
	// and classes.
	row    []int32
	weight []float64
	sum    []float64
	class  []int32

	total   tally // of the node
	sums    histogram
	classes classSums
	best    cut
	inBag   *bitmap // where trees are grown on samples
	leaves  []int32 // not nil: is told the leaf of each row

	order    []int32 // columns; the first are known to be constant in the node
	constant []int32 // that they are, down the path to the node
	scratch  scratch
	looked   int // rows looked at since the context was

	threads int // that look at the columns of a node; one where trees grow side by side
	seen    []glance
	helpers chan *grower
}

// tally is the sums over some rows.
type tally struct {
	n    int
	w, s float64
}

// scratch holds the rows of the right side while those of the left move up.
type scratch struct {
	row    []int32
	weight []float64
	sum    []float64
	class  []int32
}

func newGrower(s *Growth, columns []column, y *target) *grower {
	n := len(y.rows)
	g := &grower{s: s, columns: columns, y: y, order: make([]int32, len(columns)), constant: make([]int32, len(columns))}
	g.row, g.weight, g.scratch.row, g.scratch.weight = make([]int32, n), make([]float64, n), make([]int32, n),
		make([]float64, n)
	if y.level != nil {
		g.sum, g.scratch.sum = make([]float64, n), make([]float64, n)
	} else {
		g.class, g.scratch.class = make([]int32, n), make([]int32, n)
		g.classes = newClassSums(y.classes, n)
	}
	return g
}

// todo is a node whose rows are known and whose split is not.
type todo struct {
	node, lo, hi, depth int
	constants           int // columns known to be constant
}

// grow is tree t of a forest.
func (g *grower) grow(ctx context.Context, t int) tree {
	g.rng = streamOf(g.s.Seed, t)
	g.out = tree{nodes: make([]node, 1, 64), gain: make([]float64, len(g.columns)), unit: g.y.unit}
	for j := range g.order {
		g.order[j] = int32(j)
	}
	stack := []todo{{hi: g.drawRows(t)}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if g.looked += (at.hi - at.lo) * g.s.Columns; g.looked > 1<<16 {
			if g.looked = 0; ctx.Err() != nil {
				return tree{}
			}
		}
		if at.depth >= g.s.Depth || at.hi-at.lo < 2*g.s.Min || g.pure(at.lo, at.hi) || !g.findCut(&at) {
			g.leaf(at)
			continue
		}
		g.out.gain[g.best.column] += max(g.gain(), 0)
		middle, child := g.split(at), len(g.out.nodes)
		g.out.nodes = append(g.out.nodes, node{}, node{})
		g.out.nodes[at.node].child = int32(child)
		stack = append(stack, todo{child + 1, middle, at.hi, at.depth + 1, at.constants},
			todo{child, at.lo, middle, at.depth + 1, at.constants})
	}
	return g.out
}

// drawRows fills the rows of the root, and returns their number.
func (g *grower) drawRows(t int) int {
	rows, count := g.y.rows, []int32(nil)
	if g.s.Sampling == Bootstrap {
		count = make([]int32, len(rows))
		for range rows {
			count[g.y.draw(g.rng)]++
		}
	}
	n := 0
	for k, i := range rows {
		w := g.y.weightOf(i)
		if count != nil {
			if count[k] == 0 {
				continue
			}
			if g.y.heap != nil {
				w = 1 // as often as it weighs, it is drawn
			}
			w *= float64(count[k])
			g.inBag.add(int(i))
		}
		g.row[n], g.weight[n] = i, w
		if g.y.level != nil {
			g.sum[n] = w * g.y.level[i]
		} else {
			g.class[n] = g.y.class[i]
		}
		n++
	}
	return n
}

// pure says that all rows of a node have one target.
func (g *grower) pure(lo, hi int) bool {
	first := g.row[lo]
	for _, i := range g.row[lo+1 : hi] {
		if !g.y.same(first, i) {
			return false
		}
	}
	return true
}

// leaf ends a branch: the mean of its targets, or the shares of its classes, by weight.
func (g *grower) leaf(at todo) {
	k := g.y.outputs()
	g.out.nodes[at.node] = node{column: -1, set: -1, child: int32(len(g.out.values) / k)}
	value, total := make([]float64, k), 0.0
	for p := at.lo; p < at.hi; p++ {
		i, w := g.row[p], g.weight[p]
		total += w
		if g.leaves != nil {
			g.leaves[i] = g.out.nodes[at.node].child
		}
		if g.y.classes > 0 {
			value[g.y.class[i]] += w
		} else { // the mean by its differences: of equal numbers it is that number
			value[0] += (g.y.value[i] - value[0]) * (w / total)
		}
	}
	for c := range value {
		if g.y.classes > 0 {
			value[c] /= total
		}
	}
	g.out.values = append(g.out.values, value...)
}

// findCut looks for the best split of a node among some columns, drawn without return. Columns that
// are constant in the node are passed over and remembered for its children; drawing goes on until
// one column is not. It says whether there is a split.
func (g *grower) findCut(at *todo) bool {
	g.tally(at.lo, at.hi)
	g.best = cut{}
	order, known := g.order, at.constants
	last, drawn, found := len(order), 0, 0
	seen := g.glances(at)
	for visited := 0; last > known+found && (visited < g.s.Columns || visited <= drawn+found); {
		visited++
		j := drawn + g.rng.IntN(last-found-drawn)
		if j < known { // constant further up already
			order[drawn], order[j] = order[j], order[drawn]
			drawn++
			continue
		}
		j += found
		if !g.lookOr(seen, order[j], at.lo, at.hi) {
			order[j], order[known+found] = order[known+found], order[j]
			found++
			continue
		}
		last--
		order[last], order[j] = order[j], order[last]
	}
	copy(order[:known], g.constant)
	copy(g.constant[known:], order[known:known+found])
	at.constants = known + found
	return g.best.found
}

// tally sums up a node.
func (g *grower) tally(lo, hi int) {
	g.total = tally{n: hi - lo}
	for _, w := range g.weight[lo:hi] {
		g.total.w += w
	}
	if g.y.level == nil {
		g.classes.tally(g.class[lo:hi], g.weight[lo:hi])
		return
	}
	for _, s := range g.sum[lo:hi] {
		g.total.s += s
	}
}

// gain is by how much the best cut of a node lowers its impurity times its weight, in units of the
// tree: what its score leaves out, the same for all cuts of the node, is put back.
func (g *grower) gain() float64 {
	k, t, entropy := &g.classes, g.total, g.s.Criterion == Entropy && g.y.classes > 0
	switch {
	case g.y.level != nil && entropy:
		return g.best.score - (entropic(t.s) + entropic(t.w-t.s) - entropic(t.w))
	case g.y.level != nil:
		return g.best.score / t.w
	case entropy:
		return g.best.score - (k.allLogs - entropic(k.allTotal))
	}
	return g.best.score - k.allSquares/k.allTotal
}

// split makes the best cut: it writes the node, moves the rows that go left to the front, and
// returns where the others begin.
func (g *grower) split(at todo) int {
	c := &g.columns[g.best.column]
	cut, middle := g.best, at.lo
	kept, heavier := 0, 0.0
	for p := at.lo; p < at.hi; p++ {
		to, into := middle, &g.scratch
		if cut.goesLeft(c.bin[g.row[p]]) {
			middle++
			heavier += g.weight[p]
			g.row[to], g.weight[to] = g.row[p], g.weight[p]
			if g.sum != nil {
				g.sum[to] = g.sum[p]
			} else {
				g.class[to] = g.class[p]
			}
			continue
		}
		heavier -= g.weight[p]
		into.row[kept], into.weight[kept] = g.row[p], g.weight[p]
		if g.sum != nil {
			into.sum[kept] = g.sum[p]
		} else {
			into.class[kept] = g.class[p]
		}
		kept++
	}
	copy(g.row[middle:], g.scratch.row[:kept])
	copy(g.weight[middle:], g.scratch.weight[:kept])
	if g.sum != nil {
		copy(g.sum[middle:], g.scratch.sum[:kept])
	} else {
		copy(g.class[middle:], g.scratch.class[:kept])
	}
	n := g.best.node(c, heavier > 0)
	if n.set >= 0 {
		n.set = int32(len(g.out.sets))
		g.out.sets = append(g.out.sets, g.best.setWith(heavier > 0))
	}
	g.out.nodes[at.node] = n
	return middle
}

// streamOf is the random numbers of a tree: the seed and its place, mixed by SplitMix64 (Steele,
// Lea & Flood 2014).
func streamOf(seed uint64, t int) *rand.Rand {
	mix := func(z uint64) uint64 {
		z += 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	return rand.New(rand.NewPCG(mix(seed), mix(mix(seed)^uint64(t))))
}
