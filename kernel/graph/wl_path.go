package graph

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
)

// WLPath is the Weisfeiler–Lehman shortest path kernel: ShortestPath of the labels after each of
// the rounds 0 to h = Iterations,
//
//	k(G, G') = Σ_{t=0}^{h} Σ_{u≠v} Σ_{u'≠v'} 1[l_t(u) = l_t(u')] · 1[d(u, v) = d(u', v') < ∞] · 1[l_t(v) = l_t(v')]
//
// (N. Shervashidze et al., Weisfeiler–Lehman graph kernels, JMLR 12, 2011, section 3.4).
type WLPath struct {
	Iterations int
	EdgeLabels bool
}

// Name is "wlpath".
func (WLPath) Name() string { return "wlpath" }

func (k WLPath) embed(ctx context.Context, by *reader, graphs []*form) features {
	r, paths := by.refine(ctx, graphs, k.Iterations, k.EdgeLabels), by.shortestPaths(graphs)
	var out features
	for t := range r.levels() {
		f := by.pathFeatures(len(graphs), r.kinds[t], paths, func(g int) []int32 { return r.of(t, g) })
		out = features{beside(out.rows, f.rows), append(out.scale, f.scale...)}
	}
	return out
}

// beside is the columns of a and then those of b.
func beside(a, b *linalg.CSR) *linalg.CSR {
	if a == nil {
		return b
	}
	m := &linalg.CSR{Rows: a.Rows, Cols: a.Cols + b.Cols, Ptr: make([]int, a.Rows+1),
		Index: make([]int32, 0, a.NNZ()+b.NNZ()), Value: make([]float64, 0, a.NNZ()+b.NNZ())}
	for i := range a.Rows {
		index, value := a.Row(i)
		m.Index, m.Value = append(m.Index, index...), append(m.Value, value...)
		index, value = b.Row(i)
		for _, c := range index {
			m.Index = append(m.Index, c+int32(a.Cols))
		}
		m.Value = append(m.Value, value...)
		m.Ptr[i+1] = len(m.Index)
	}
	return m
}

// Eval counts pairs of paths that agree, over all iterations.
func (k WLPath) Eval(x, y Graph) float64 { return evalFeatures(x, y, k.embed) }

// PreparePoints relabels all graphs at once, and finds the paths of each once.
func (k WLPath) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return prepareFeatures(ctx, x, y, k.embed)
}

// EachFeature adds the shortest paths after each round, as ShortestPath has them.
func (k WLPath) EachFeature(x Graph, add func(name string, value float64)) {
	f := newForm(x)
	lengths := namedLengths(f)
	namedRounds(f, k.Iterations, k.EdgeLabels, func(round string, names []string) { eachPath(round, names, lengths, add) })
}

// Params is the number of iterations.
func (k WLPath) Params() []kernel.Param {
	return []kernel.Param{count("wlpath.h", k.Iterations)}
}

// With sets the number of iterations.
func (k WLPath) With(theta []float64) kernel.Kernel[Graph] {
	return WLPath{int(theta[0]), k.EdgeLabels}
}

// Validate refuses a negative number of iterations.
func (k WLPath) Validate() error { return mustBeCount("wlpath", "h", k.Iterations) }

// CheckPoints refuses graphs that make no sense, and labels on some graphs alone.
func (k WLPath) CheckPoints(x data.Points[Graph]) error {
	return checkLabelled("wlpath", x, k.EdgeLabels)
}

// Properties of an inner product of counts.
func (WLPath) Properties() kernel.Properties { return psd(math.Inf(1)) }
