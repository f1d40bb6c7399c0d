package graph

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// complexityTrace is how the complexity of a graph grows around its centre: entry i is the entropy
// H = −Σ p ln p of the subgraph of the nodes within i+1 steps of the centre, p(v) the share of the
// degree of v in the sum of all, where a random walk spends its time; the last entry is the first
// that no further step changes. The centre is the node from which the lengths of the shortest paths
// vary least, among those that reach the most nodes; of several the one with the largest trace
// counts, entry by entry from the start (L. Bai et al., Local-global nested graph kernels using
// nested complexity traces, Pattern Recognition Letters 134, 2020). A graph without nodes has no
// trace.
func complexityTrace(g Graph) []float64 {
	f := newForm(g)
	steps, _, _ := hops(f, nil)
	most, least := 0, 0
	var centres []int
	for v := range f.n {
		reached, sum, squares := 0, 0, 0
		for _, d := range steps[v*f.n : (v+1)*f.n] {
			if d >= 0 {
				reached++
				sum += int(d)
				squares += int(d) * int(d)
			}
		}
		spread := reached*squares - sum*sum // the variance times reached², in whole numbers
		if reached > most || reached == most && spread < least {
			most, least, centres = reached, spread, centres[:0]
		}
		if reached == most && spread == least {
			centres = append(centres, v)
		}
	}
	var best []float64
	for _, v := range centres {
		if t := traceFrom(f, steps[v*f.n:(v+1)*f.n]); best == nil || slices.Compare(t, best) > 0 {
			best = t
		}
	}
	return best
}

// traceFrom is the trace around a node, whose distances to the others are given.
func traceFrom(f *form, away []int32) []float64 {
	farthest := max(slices.Max(away), 1)
	trace := make([]float64, farthest)
	for layer := range trace {
		var degree []int
		sum := 0
		for v, d := range away {
			if d < 0 || int(d) > layer+1 {
				continue
			}
			n := 0
			for _, u := range f.neighbours(v) {
				if int(away[u]) <= layer+1 { // a neighbour is as reachable as v
					n++
				}
			}
			degree = append(degree, n)
			sum += n
		}
		slices.Sort(degree) // the sum does not depend on the order of the nodes
		for _, n := range degree {
			if n > 0 {
				p := float64(n) / float64(sum)
				trace[layer] -= p * math.Log(p)
			}
		}
	}
	return trace
}

// TraceAlignment is the nested aligned kernel: the global alignment kernel of two complexity traces
// s and s', the sum over all ways to line them up in time of the product of κ(sᵢ, s'ⱼ) over the
// pairs that are lined up,
//
//	k(G, G') = Σ_π Π κ(s_π(l), s'_π'(l)),   κ = e/(2 − e),   e = exp(-(sᵢ − s'ⱼ)²/(2σ²)),
//
// σ = Sigma (1 when zero); with this κ it is positive definite (M. Cuturi, Fast global alignment
// kernels, ICML 2011). The trace of a graph is the entropies of the growing subgraphs around its
// centre (L. Bai et al., Local-global nested graph kernels using nested complexity traces, 2020).
// Labels, weights and attributes are not read.
type TraceAlignment struct{ Sigma float64 }

// Name is "tracealignment".
func (TraceAlignment) Name() string { return "tracealignment" }

func (k TraceAlignment) between(x, y []float64) float64 {
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	if slices.Compare(y, x) < 0 {
		x, y = y, x
	}
	sigma := orDefault(k.Sigma, 1)
	row := make([]float64, len(y)+1) // sums over the alignments of x[:i] with y[:j]
	row[0] = 1
	for _, a := range x {
		corner := row[0]
		row[0] = 0
		for j, b := range y {
			d := (a - b) / sigma
			e := math.Exp(-d * d / 2)
			above := row[j+1]
			row[j+1] = e / (2 - e) * (above + row[j] + corner)
			corner = above
		}
	}
	return row[len(y)]
}

// Eval adds up the alignments.
func (k TraceAlignment) Eval(x, y Graph) float64 {
	return k.between(complexityTrace(x), complexityTrace(y))
}

// PreparePoints makes the trace of each graph once.
func (k TraceAlignment) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, complexityTrace, k.between)
}

// Params is σ.
func (k TraceAlignment) Params() []kernel.Param {
	return []kernel.Param{positive("tracealignment.sigma", orDefault(k.Sigma, 1))}
}

// With sets σ.
func (TraceAlignment) With(theta []float64) kernel.Kernel[Graph] { return TraceAlignment{theta[0]} }

// Validate refuses σ < 0.
func (k TraceAlignment) Validate() error { return mustBePositive("tracealignment", "sigma", k.Sigma) }

// CheckPoints refuses graphs that make no sense.
func (TraceAlignment) CheckPoints(x data.Points[Graph]) error {
	return checkGraphs("tracealignment", x)
}

// Properties of a global alignment kernel.
func (TraceAlignment) Properties() kernel.Properties { return psd(math.Inf(1)) }

// TraceReproducing is the nested reproducing kernel: the reproducing kernel ½e^{-|s-s'|} of the
// Sobolev space H¹(R), summed over the layers of two complexity traces,
//
//	k(G, G') = Σ_{i=1}^{Layers} ½·exp(-|sᵢ − s'ᵢ|),
//
// Layers = 10 when zero; a trace goes on with its last entry, as the subgraphs do (L. Bai et al.,
// Local-global nested graph kernels using nested complexity traces, 2020). Labels, weights and
// attributes are not read. Graphs without nodes have value 0.
type TraceReproducing struct{ Layers int }

// Name is "tracereproducing".
func (TraceReproducing) Name() string { return "tracereproducing" }

func (k TraceReproducing) layers() int {
	if k.Layers == 0 {
		return 10
	}
	return k.Layers
}

func (k TraceReproducing) between(x, y []float64) float64 {
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	s := 0.0
	for i := range k.layers() {
		s += math.Exp(-math.Abs(x[min(i, len(x)-1)]-y[min(i, len(y)-1)])) / 2
	}
	return s
}

// Eval compares two traces.
func (k TraceReproducing) Eval(x, y Graph) float64 {
	return k.between(complexityTrace(x), complexityTrace(y))
}

// PreparePoints makes the trace of each graph once.
func (k TraceReproducing) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, complexityTrace, k.between)
}

// Params is the number of layers.
func (k TraceReproducing) Params() []kernel.Param {
	return []kernel.Param{{Name: "tracereproducing.layers", Value: float64(k.layers()),
		Domain: kernel.Domain{Low: 1, High: 1000, Integer: true}}}
}

// With sets the number of layers.
func (TraceReproducing) With(theta []float64) kernel.Kernel[Graph] {
	return TraceReproducing{int(theta[0])}
}

// Validate refuses a negative number of layers.
func (k TraceReproducing) Validate() error {
	if k.Layers < 0 || k.Layers > 1000 {
		return fmt.Errorf("kernel: tracereproducing: layers = %d, want 1 to 1000", k.Layers)
	}
	return nil
}

// CheckPoints refuses graphs that make no sense.
func (TraceReproducing) CheckPoints(x data.Points[Graph]) error {
	return checkGraphs("tracereproducing", x)
}

// Properties of a sum of reproducing kernels.
func (k TraceReproducing) Properties() kernel.Properties { return psd(float64(k.layers()) / 2) }
