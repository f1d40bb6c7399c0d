package graph

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// WL is the Weisfeiler–Lehman subtree kernel,
//
//	k(G, G') = Σ_{t=0}^{h} Σ_a #{v ∈ G: l_t(v) = a} · #{v' ∈ G': l_t(v') = a},
//
// with h = Iterations and l_t the labels of the Weisfeiler–Lehman test after t rounds: it counts
// the pairs of nodes whose trees of neighbours agree to depth t (N. Shervashidze et al.,
// Weisfeiler–Lehman graph kernels, JMLR 12, 2011). With no iterations it compares the histograms of
// the labels. Graphs without labels start with one label for all nodes. With EdgeLabels a neighbour
// counts with the label of the edge to it. Weights and attributes are not read.
type WL struct {
	Iterations int
	EdgeLabels bool
}

// Name is "wl".
func (WL) Name() string { return "wl" }

func (k WL) embed(ctx context.Context, by *reader, graphs []*form) features {
	r := by.refine(ctx, graphs, k.Iterations, k.EdgeLabels)
	return features{rows: counted(len(graphs), r.columns(), func(buffer []int32, g int) []int32 {
		base := int32(0)
		for t := range r.levels() {
			for _, l := range r.of(t, g) {
				if l != unknown {
					buffer = append(buffer, base+l)
				}
			}
			base += int32(r.kinds[t])
		}
		return buffer
	})}
}

// columns is the number of labels of all levels.
func (r *refinement) columns() int {
	n := 0
	for _, k := range r.kinds {
		n += k
	}
	if n > math.MaxInt32 {
		panic(fmt.Sprintf("graph: %d labels of all iterations are more than %d columns hold; take fewer iterations", n,
			math.MaxInt32))
	}
	return n
}

// Eval counts pairs of nodes with the same label, over all iterations.
func (k WL) Eval(x, y Graph) float64 { return evalFeatures(x, y, k.embed) }

// PreparePoints relabels all graphs at once.
func (k WL) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return prepareFeatures(ctx, x, y, k.embed)
}

// EachFeature adds 1 for the label of each node after each round. A label is named by what it stands
// for, its own before and those around it; where that is long, by a hash of 128 bits of it.
func (k WL) EachFeature(x Graph, add func(name string, value float64)) {
	namedRounds(newForm(x), k.Iterations, k.EdgeLabels, func(round string, names []string) {
		for _, name := range names {
			add(round+name, 1)
		}
	})
}

// Params is the number of iterations.
func (k WL) Params() []kernel.Param { return []kernel.Param{count("wl.h", k.Iterations)} }

// With sets the number of iterations.
func (k WL) With(theta []float64) kernel.Kernel[Graph] { return WL{int(theta[0]), k.EdgeLabels} }

// Validate refuses a negative number of iterations.
func (k WL) Validate() error { return mustBeCount("wl", "h", k.Iterations) }

// CheckPoints refuses graphs that make no sense, and labels on some graphs alone.
func (k WL) CheckPoints(x data.Points[Graph]) error { return checkLabelled("wl", x, k.EdgeLabels) }

// Properties of an inner product of counts.
func (WL) Properties() kernel.Properties { return psd(math.Inf(1)) }

func checkLabelled(name string, x data.Points[Graph], edgeLabels bool) error {
	if err := checkGraphs(name, x); err != nil || !edgeLabels {
		return err
	}
	return checkEdgeLabels(name, x)
}

// WLAssignment is the Weisfeiler–Lehman optimal assignment kernel: the best one-to-one assignment
// of the nodes of the smaller graph to nodes of the larger, a pair of nodes being worth the number
// of levels t ≤ h at which they have the same label. As the labels form a hierarchy, that best
// value is
//
//	k(G, G') = Σ_{t=0}^{h} Σ_a min(#{v ∈ G: l_t(v) = a}, #{v' ∈ G': l_t(v') = a})
//
// (N. Kriege, P.-L. Giscard and R. Wilson, On valid optimal assignment kernels and applications to
// graph classification, NIPS 2016). A minimum of counts is an inner product of their unary digits,
// so this too is a product of sparse rows.
type WLAssignment struct {
	Iterations int
	EdgeLabels bool
}

// Name is "wloa".
func (WLAssignment) Name() string { return "wloa" }

// embed has a feature for the c-th node of a label, for every c.
func (k WLAssignment) embed(ctx context.Context, by *reader, graphs []*form) features {
	wl := WL(k).embed(ctx, by, graphs).rows
	if by.learns {
		most := make([]int, wl.Cols+1) // the largest count of a label, then the first column of it
		for i, c := range wl.Index {
			most[c+1] = max(most[c+1], int(wl.Value[i]))
		}
		for c := range wl.Cols {
			most[c+1] += most[c]
		}
		by.most = most
	}
	most := by.most
	return features{rows: counted(len(graphs), most[len(most)-1], func(buffer []int32, g int) []int32 {
		index, value := wl.Row(g)
		for i, c := range index {
			for u := range min(int(value[i]), most[c+1]-most[c]) {
				buffer = append(buffer, int32(most[c]+u))
			}
		}
		return buffer
	})}
}

// Eval is the value of the best assignment.
func (k WLAssignment) Eval(x, y Graph) float64 { return evalFeatures(x, y, k.embed) }

// PreparePoints relabels all graphs at once.
func (k WLAssignment) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return prepareFeatures(ctx, x, y, k.embed)
}

// EachFeature adds 1 for the c-th node of each label.
func (k WLAssignment) EachFeature(x Graph, add func(name string, value float64)) {
	counts := map[string]int{}
	WL(k).EachFeature(x, func(name string, _ float64) {
		counts[name]++
		add(name+"#"+strconv.Itoa(counts[name]), 1)
	})
}

// Params is the number of iterations.
func (k WLAssignment) Params() []kernel.Param {
	return []kernel.Param{count("wloa.h", k.Iterations)}
}

// With sets the number of iterations.
func (k WLAssignment) With(theta []float64) kernel.Kernel[Graph] {
	return WLAssignment{int(theta[0]), k.EdgeLabels}
}

// Validate refuses a negative number of iterations.
func (k WLAssignment) Validate() error {
	return mustBeCount("wloa", "h", k.Iterations)
}

// CheckPoints refuses graphs that make no sense, and labels on some graphs alone.
func (k WLAssignment) CheckPoints(x data.Points[Graph]) error {
	return checkLabelled("wloa", x, k.EdgeLabels)
}

// Properties of a histogram intersection.
func (WLAssignment) Properties() kernel.Properties { return psd(math.Inf(1)) }
