package graph

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// WLAlignment lines the nodes of two graphs up by their Weisfeiler–Lehman labels, softly, and
// compares the adjacency matrices entry by entry: for each pair of labels {a, b} that edges join in
// both graphs, the share of the possible edges between nodes of these labels that are there, for as
// many pairs of nodes as can be lined up,
//
//	k(G, G') = Σ_{t=0}^{h} Σ_{a≤b} √(2ρ_ab(G))·√(2ρ_ab(G'))·min(n_a, n'_a)·min(n_b, n'_b),
//
// n_a the number of nodes with label a at level t, e_ab that of edges between labels a and b, ρ_ab
// = e_ab/(n_a·n_b) and ρ_aa = e_aa/(n_a(n_a − 1)) (G. Nikolentzos and M. Vazirgiannis, Graph
// alignment kernels using Weisfeiler and Leman hierarchies, AISTATS 2023, in the form of the
// authors' program).
type WLAlignment struct {
	Iterations int
	EdgeLabels bool
}

// Name is "wlalign".
func (WLAlignment) Name() string { return "wlalign" }

// aligned is what two graphs are compared by: for each pair of labels with edges, by increasing
// key, √(2ρ) and the numbers of nodes.
type aligned struct {
	key    []uint64
	root   []float64
	na, nb []float64
}

func (k WLAlignment) embed(ctx context.Context, by *reader, all []*form) []aligned {
	r := by.refine(ctx, all, k.Iterations, k.EdgeLabels)
	out := make([]aligned, len(all))
	for g, f := range all {
		base := uint64(0)
		for t := range r.levels() {
			labels, kinds := r.of(t, g), uint64(r.kinds[t])
			sorted := slices.Clone(labels)
			slices.Sort(sorted)
			present, nodes := runs(sorted)
			number := func(l uint64) float64 {
				at, _ := slices.BinarySearch(present, int32(l))
				return nodes[at]
			}
			var edges []uint64
			for i := range f.n {
				for _, j := range f.neighbours(i) {
					if int(j) > i && labels[i] != unknown && labels[j] != unknown {
						a, b := uint64(labels[i]), uint64(labels[j])
						edges = append(edges, min(a, b)*kinds+max(a, b))
					}
				}
			}
			slices.Sort(edges)
			pairs, counts := runs(edges)
			for i, pair := range pairs {
				na, nb := number(pair/kinds), number(pair%kinds)
				possible := na * nb
				if pair/kinds == pair%kinds {
					possible = na * (na - 1)
				}
				o := &out[g]
				o.key, o.root = append(o.key, base+pair), append(o.root, math.Sqrt(2*counts[i]/possible))
				o.na, o.nb = append(o.na, na), append(o.nb, nb)
			}
			base += kinds * kinds
		}
	}
	return out
}

func (k WLAlignment) between(x, y aligned) float64 {
	s := 0.0
	for i, j := 0, 0; i < len(x.key) && j < len(y.key); {
		switch {
		case x.key[i] < y.key[j]:
			i++
		case x.key[i] > y.key[j]:
			j++
		default:
			s += x.root[i] * y.root[j] * (min(x.na[i], y.na[j]) * min(x.nb[i], y.nb[j]))
			i++
			j++
		}
	}
	return s
}

// Eval compares two graphs.
func (k WLAlignment) Eval(x, y Graph) float64 { return evalPair(x, y, k.embed, k.between) }

// PreparePoints relabels all graphs at once.
func (k WLAlignment) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return preparePairs(ctx, x, y, k.embed, k.between)
}

// Params is the number of iterations.
func (k WLAlignment) Params() []kernel.Param {
	return []kernel.Param{count("wlalign.h", k.Iterations)}
}

// With sets the number of iterations.
func (k WLAlignment) With(theta []float64) kernel.Kernel[Graph] {
	return WLAlignment{int(theta[0]), k.EdgeLabels}
}

// Validate refuses a negative number of iterations.
func (k WLAlignment) Validate() error { return mustBeCount("wlalign", "h", k.Iterations) }

// CheckPoints refuses graphs that make no sense, and labels on some graphs alone.
func (k WLAlignment) CheckPoints(x data.Points[Graph]) error {
	return checkLabelled("wlalign", x, k.EdgeLabels)
}

// Properties of a sum of products of minima.
func (WLAlignment) Properties() kernel.Properties { return psd(math.Inf(1)) }
