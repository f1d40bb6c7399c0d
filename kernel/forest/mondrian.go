package forest

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// Mondrian cuts space by Mondrian processes (D. M. Roy & Y. W. Teh 2009), a tree each: a cell with
// sides of the lengths aⱼ waits for an exponential time of rate Σ aⱼ, is then cut across a side
// drawn by length, anywhere along it alike, and so on until the time Lifetime. Cuts do not see the
// rows, so that two points are apart with the probability of a Poisson process, and the kernel of
// more and more trees goes to
//
//	k(x, y) → exp(-λ·Σⱼ |xⱼ - yⱼ|),   λ = Lifetime,
//
// Laplace's kernel in each column (M. Balog, B. Lakshminarayanan, Z. Ghahramani, D. M. Roy & Y. W.
// Teh, The Mondrian kernel, 2016; trees as in Lakshminarayanan, Roy & Teh, Mondrian forests, 2014).
// The value of T trees is off by √(k(1-k)/T) or so.
//
// Cells without a row are not cut further. So two new points that lie alone, in one such cell, are
// more alike than the limit says; of a row and any point whatever, the limit holds. Space ends 16/λ
// beyond the outermost rows, where all values are below e⁻¹⁶.
type Mondrian struct {
	Trees    int     // 0 means 100
	Lifetime float64 // λ, 1 over the length-scale; 0 means 1
	Seed     uint64
	Threads  int // 0 means GOMAXPROCS; the forest is the same to the bit
}

// mondrianMargin is how far space reaches beyond the rows, in units of 1/λ.
const mondrianMargin = 16

// Fit draws the trees around rows.
func (c Mondrian) Fit(ctx context.Context, x data.Points[kernel.Vec]) (*Forest, error) {
	if err := firstError(checkUnsupervised(x), whole("Trees", &c.Trees, 100)); err != nil {
		return nil, err
	}
	if c.Lifetime == 0 {
		c.Lifetime = 1
	}
	if !(c.Lifetime > 0) || math.IsInf(c.Lifetime, 0) {
		return nil, fault.Errorf("forest", "Lifetime is %g; give a positive, finite number, or 0 for 1", c.Lifetime)
	}
	n, d := x.Len(), len(x.At(0))
	low, high := make([]float64, d), make([]float64, d)
	for j := range d {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
		for i := range n {
			low[j], high[j] = min(low[j], x.At(i)[j]), max(high[j], x.At(i)[j])
		}
		low[j] -= mondrianMargin / c.Lifetime
		high[j] += mondrianMargin / c.Lifetime
		if length := high[j] - low[j]; math.IsInf(length, 0) || length*c.Lifetime > largestLength {
			return nil, fault.Errorf("forest",
				"column %d reaches from %g to %g, too far for a Lifetime of %g; scale the column or lower it", j, low[j], high[j],
				c.Lifetime)
		}
	}
	f := &Forest{name: "mondrian", dim: d, outputs: 1}
	return f.growEach(ctx, c.Threads, c.Trees, func(t int) tree {
		g := &mondrian{x: x, rng: streamOf(c.Seed, t), lifetime: c.Lifetime, low: append([]float64(nil), low...),
			high: append([]float64(nil), high...)}
		g.out.nodes = make([]node, 1)
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		g.grow(0, rows, 0)
		return g.out
	})
}

// largestLength is the longest side of space, in units of 1/λ: beyond, thresholds would have too
// few digits to tell rows apart.
const largestLength = 1e12

// mondrian draws one tree. The cell of the node that is being drawn reaches from low to high.
type mondrian struct {
	x         data.Points[kernel.Vec]
	rng       *rand.Rand
	lifetime  float64
	low, high []float64
	out       tree
}

func (g *mondrian) grow(at int, rows []int, born float64) {
	rate := 0.0
	for j := range g.low {
		rate += g.high[j] - g.low[j]
	}
	cut := born + g.rng.ExpFloat64()/rate
	if len(rows) == 0 || !(cut < g.lifetime) {
		g.out.nodes[at] = node{column: -1, set: -1, child: int32(len(g.out.values))}
		g.out.values = append(g.out.values, float64(len(rows)))
		return
	}
	j, along := 0, g.rng.Float64()*rate
	for j < len(g.low)-1 && along > g.high[j]-g.low[j] {
		along -= g.high[j] - g.low[j]
		j++
	}
	low, high := g.low[j], g.high[j]
	threshold := min(low+along, high)
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
	g.high[j] = threshold
	g.grow(child, rows[:middle], cut)
	g.low[j], g.high[j] = threshold, high
	g.grow(child+1, rows[middle:], cut)
	g.low[j] = low
}
