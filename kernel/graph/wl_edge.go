package graph

import (
	"context"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// WLEdge is the Weisfeiler–Lehman edge kernel: it counts the pairs of edges whose ends have the
// same two labels, after each of the rounds 0 to h = Iterations,
//
//	k(G, G') = Σ_{t=0}^{h} Σ_{a≤b} #{uv ∈ G: {l_t(u), l_t(v)} = {a, b}} · #{u'v' ∈ G': {l_t(u'), l_t(v')} = {a, b}}
//
// (N. Shervashidze et al., Weisfeiler–Lehman graph kernels, JMLR 12, 2011, section 3.3). With
// EdgeLabels the labels of the edges have to agree as well.
type WLEdge struct {
	Iterations int
	EdgeLabels bool
}

// Name is "wledge".
func (WLEdge) Name() string { return "wledge" }

func (k WLEdge) embed(ctx context.Context, by *reader, graphs []*form) features {
	r := by.refine(ctx, graphs, k.Iterations, k.EdgeLabels)
	names := by.numberLabels(graphs, k.EdgeLabels)
	rows, _ := by.keyed(len(graphs), func(buffer []uint64, g int) []uint64 {
		f := graphs[g]
		for t, base := 0, uint64(0); t < r.levels(); t++ {
			labels, kinds := r.of(t, g), uint64(r.kinds[t])
			for i := range f.n {
				for e := f.ptr[i]; e < f.ptr[i+1]; e++ {
					j := f.to[e]
					if int(j) < i || labels[i] == unknown || labels[j] == unknown || k.EdgeLabels && names.bonds[g][e] == unknown {
						continue
					}
					a, b := uint64(labels[i]), uint64(labels[j])
					key := min(a, b)*kinds + max(a, b)
					if k.EdgeLabels {
						key += uint64(names.bonds[g][e]) * kinds * kinds
					}
					buffer = append(buffer, base+key)
				}
			}
			base += kinds * kinds * uint64(max(names.bonded, 1))
		}
		return buffer
	})
	return features{rows: rows}
}

// Eval counts pairs of edges that agree, over all iterations.
func (k WLEdge) Eval(x, y Graph) float64 { return evalFeatures(x, y, k.embed) }

// PreparePoints relabels all graphs at once.
func (k WLEdge) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return prepareFeatures(ctx, x, y, k.embed)
}

// EachFeature adds 1 for each edge after each round, by the names of its ends.
func (k WLEdge) EachFeature(x Graph, add func(name string, value float64)) {
	f := newForm(x)
	namedRounds(f, k.Iterations, k.EdgeLabels, func(round string, names []string) {
		for i := range f.n {
			for e := f.ptr[i]; e < f.ptr[i+1]; e++ {
				if j := int(f.to[e]); j >= i {
					between := ""
					if k.EdgeLabels {
						between = strconv.Itoa(bondOf(f, int(e)))
					}
					add(round+pairName(names[i], between, names[j]), 1)
				}
			}
		}
	})
}

// Params is the number of iterations.
func (k WLEdge) Params() []kernel.Param {
	return []kernel.Param{count("wledge.h", k.Iterations)}
}

// With sets the number of iterations.
func (k WLEdge) With(theta []float64) kernel.Kernel[Graph] {
	return WLEdge{int(theta[0]), k.EdgeLabels}
}

// Validate refuses a negative number of iterations.
func (k WLEdge) Validate() error { return mustBeCount("wledge", "h", k.Iterations) }

// CheckPoints refuses graphs that make no sense, and labels on some graphs alone.
func (k WLEdge) CheckPoints(x data.Points[Graph]) error {
	return checkLabelled("wledge", x, k.EdgeLabels)
}

// Properties of an inner product of counts.
func (WLEdge) Properties() kernel.Properties { return psd(math.Inf(1)) }
