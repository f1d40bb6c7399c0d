package forest

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// Isolation grows trees that know no target: a column is drawn among those in which the rows of a
// node differ, and a threshold between its least and its largest number there. A row that lies
// alone is soon cut off (F. T. Liu, K. M. Ting & Z.-H. Zhou, Isolation forest, 2008).
type Isolation struct {
	Trees   int // 0 means 100
	Sample  int // ψ, rows that a tree is grown on, drawn without return; 0 means 256, and never more than there are
	Depth   int // cuts above a leaf, at most; 0 means log₂ψ, rounded up
	Seed    uint64
	Threads int // 0 means GOMAXPROCS; the forest is the same to the bit
}

// Fit grows the forest.
func (c Isolation) Fit(ctx context.Context, x data.Points[kernel.Vec]) (*Forest, error) {
	if err := checkUnsupervised(x); err != nil {
		return nil, err
	}
	n := x.Len()
	if err := firstError(whole("Trees", &c.Trees, 100), whole("Sample", &c.Sample, 256)); err != nil {
		return nil, err
	}
	c.Sample = min(c.Sample, n)
	if err := whole("Depth", &c.Depth, int(math.Ceil(math.Log2(float64(max(c.Sample, 2)))))); err != nil {
		return nil, err
	}
	f := &Forest{name: "isolation", dim: len(x.At(0)), outputs: 1, sample: float64(c.Sample)}
	return f.growEach(ctx, c.Threads, c.Trees, func(t int) tree {
		g := &isolator{x: x, rng: streamOf(c.Seed, t), depth: c.Depth}
		g.out.nodes = make([]node, 1)
		g.grow(0, drawn(g.rng, n, c.Sample), 0)
		return g.out
	})
}

// Anomaly returns the score of Liu et al. of each point,
//
//	2^(-h(x)/c(ψ)),   c(n) = 2H(n-1) - 2(n-1)/n,
//
// h(x) being the mean over the trees of the cuts above the leaf of x, with c(m) more where the leaf
// was left with m rows. It is near 1 for a point that is soon alone, and well below ½ for one among
// many.
func (f *Forest) Anomaly(ctx context.Context, x data.Points[kernel.Vec]) ([]float64, error) {
	dst := make([]float64, lenOf(x))
	if err := f.AnomalyTo(ctx, dst, x); err != nil {
		return nil, err
	}
	return dst, nil
}

// AnomalyTo writes that of point i to dst[i].
func (f *Forest) AnomalyTo(ctx context.Context, dst []float64, x data.Points[kernel.Vec]) error {
	if f.name != "isolation" {
		return fault.Errorf("forest", "a %s has no scores of anomaly; Isolation has", f.name)
	}
	if err := f.AverageTo(ctx, dst, x); err != nil {
		return err
	}
	unit := pathLength(f.sample)
	for i, h := range dst {
		if dst[i] = 0.5; unit > 0 { // of one row nothing is known
			dst[i] = math.Exp2(-h / unit)
		}
	}
	return nil
}

// pathLength is c(n), the mean depth of an unsuccessful search in a binary search tree of n keys
// (Preiss 1999), with 0 for one and 1 for two.
func pathLength(n float64) float64 {
	switch {
	case n < 2:
		return 0
	case n == 2:
		return 1
	}
	return 2*(math.Log(n-1)+eulerGamma) - 2*(n-1)/n
}

const eulerGamma = 0.57721566490153286060651209008240243104215933593992

// isolator grows one tree.
type isolator struct {
	x     data.Points[kernel.Vec]
	rng   *rand.Rand
	depth int
	order []int // columns
	out   tree
}

func (g *isolator) grow(at int, rows []int, depth int) {
	j, low, high := -1, 0.0, 0.0
	if depth < g.depth {
		j, low, high = g.column(rows)
	}
	if j < 0 {
		g.out.nodes[at] = node{column: -1, set: -1, child: int32(len(g.out.values))}
		g.out.values = append(g.out.values, float64(depth)+pathLength(float64(len(rows))))
		return
	}
	u := g.rng.Float64()
	// from low on and below high: both sides have rows
	threshold := min(max(low*(1-u)+high*u, low), math.Nextafter(high, low))
	middle := 0
	for p, i := range rows {
		if g.x.At(i)[j] <= threshold {
			rows[middle], rows[p] = rows[p], rows[middle]
			middle++
		}
	}
	child := len(g.out.nodes)
	g.out.nodes = append(g.out.nodes, node{}, node{})
	g.out.nodes[at] = node{column: int32(j), set: -1, threshold: threshold, child: int32(child),
		missingLeft: 2*middle > len(rows)}
	g.grow(child, rows[:middle], depth+1)
	g.grow(child+1, rows[middle:], depth+1)
}

// column is one in which some rows differ, each as likely as any other, with the least and the
// largest number; below 0 where they are all the same.
func (g *isolator) column(rows []int) (j int, low, high float64) {
	first := g.x.At(rows[0])
	if g.order == nil {
		g.order = par.Indices(0, len(first))
	}
	for last := len(g.order); last > 0; last-- {
		k := g.rng.IntN(last)
		j = g.order[k]
		g.order[k], g.order[last-1] = g.order[last-1], j
		low, high = first[j], first[j]
		for _, i := range rows[1:] {
			v := g.x.At(i)[j]
			low, high = min(low, v), max(high, v)
		}
		if low < high {
			return j, low, high
		}
	}
	return -1, 0, 0
}

// drawn is count of n numbers, without return.
func drawn(rng *rand.Rand, n, count int) []int {
	all := par.Indices(0, n)
	for i := range count {
		k := i + rng.IntN(n-i)
		all[i], all[k] = all[k], all[i]
	}
	return all[:count]
}

// checkUnsupervised refuses no rows, and rows that have no place in space.
func checkUnsupervised(x data.Points[kernel.Vec]) error {
	if lenOf(x) == 0 {
		return fault.Errorf("forest", "no rows to learn from")
	}
	return checkRows(x, len(x.At(0)), false)
}

// growEach grows trees, each on its own, and joins them in their order.
func (f *Forest) growEach(ctx context.Context, threads, trees int, grow func(t int) tree) (*Forest, error) {
	grown := make([]tree, trees)
	par.For(threads, trees, 1, func(t, _ int) {
		if ctx.Err() == nil {
			grown[t] = grow(t)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := f.join(grown); err != nil {
		return nil, err
	}
	return f, nil
}
