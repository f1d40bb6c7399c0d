package graph

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// ShortestPath counts the pairs of shortest paths of one length between nodes of the same labels,
//
//	k(G, G') = Σ_{u≠v} Σ_{u'≠v'} k₀(u, u') · 1[d(u, v) = d(u', v') < ∞] · k₀(v, v'),
//
// over ordered pairs of nodes, so that a path counts from both of its ends (K. Borgwardt and H.-P.
// Kriegel, Shortest-path kernels on graphs, ICDM 2005). k₀ is 1 for nodes of the same label and 0
// else; with a kernel of Attributes it is that kernel of their attributes where the labels agree.
// Edges are as long as their weights, and lengths that agree to six digits are equal.
type ShortestPath struct {
	Attributes kernel.Kernel[kernel.Vec] // nil: the labels decide alone
}

// Name is "shortestpath".
func (ShortestPath) Name() string { return "shortestpath" }

func (k ShortestPath) embed(_ context.Context, by *reader, graphs []*form) features {
	names, paths := by.numberLabels(graphs, false), by.shortestPaths(graphs)
	return by.pathFeatures(len(graphs), names.kinds, paths, func(g int) []int32 { return names.labels[g] })
}

// pathFeatures count the paths between the nodes i < j of each graph by the two labels and the
// length. A feature of two different labels stands for as many ordered pairs of either order, one
// of equal labels for twice as many.
func (r *reader) pathFeatures(graphs, kinds int, paths lengths, labelsOf func(g int) []int32) features {
	if hi, lo := bits.Mul64(uint64(kinds)*uint64(kinds), uint64(paths.kinds)); hi > 0 || lo > 1<<63 ||
		kinds > math.MaxInt32 {
		panic(fmt.Sprintf("graph: %d labels and %d lengths of paths are more than 64 bits tell apart", kinds, paths.kinds))
	}
	l, d := uint64(kinds), uint64(paths.kinds)
	rows, keys := r.keyed(graphs, func(buffer []uint64, g int) []uint64 {
		labels := labelsOf(g)
		n := len(labels)
		for i := range n {
			row, a := paths.number[g][i*n:(i+1)*n], uint64(labels[i])
			for j := i + 1; j < n; j++ {
				if row[j] == far || labels[i] == unknown || labels[j] == unknown {
					continue
				}
				b := uint64(labels[j])
				buffer = append(buffer, (min(a, b)*l+max(a, b))*d+uint64(row[j]))
			}
		}
		return buffer
	})
	scale := make([]float64, len(keys))
	for f, key := range keys {
		pair := key / d
		scale[f] = 2
		if pair/l == pair%l {
			scale[f] = 4
		}
	}
	return features{rows, scale}
}

// Eval counts pairs of paths, weighted where there are attributes.
func (k ShortestPath) Eval(x, y Graph) float64 {
	if k.Attributes == nil {
		return evalFeatures(x, y, k.embed)
	}
	return k.attributed(newPathForm(x), newPathForm(y))
}

// PreparePoints finds the paths of each graph once.
func (k ShortestPath) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	if k.Attributes == nil {
		return prepareFeatures(ctx, x, y, k.embed)
	}
	return kernel.PreparePairs(ctx, x, y, newPathForm, k.attributed)
}

// EachFeature adds √2 for each shortest path, by the labels of its ends and its length; 2 where these
// are the same.
func (k ShortestPath) EachFeature(x Graph, add func(name string, value float64)) {
	f := newForm(x)
	eachPath("", nodeNames(f), namedLengths(f), add)
}

// HasFeatures says that labels alone decide: a kernel of attributes has features of its own.
func (k ShortestPath) HasFeatures() bool { return k.Attributes == nil }

// Params are those of the kernel of attributes.
func (k ShortestPath) Params() []kernel.Param {
	if k.Attributes == nil {
		return nil
	}
	return kernel.Params(k.Attributes)
}

// With sets the parameters of the kernel of attributes.
func (k ShortestPath) With(theta []float64) kernel.Kernel[Graph] {
	if k.Attributes == nil {
		return k
	}
	inner, err := kernel.With(k.Attributes, theta)
	if err != nil {
		panic(err)
	}
	return ShortestPath{inner}
}

// Validate asks the kernel of attributes.
func (k ShortestPath) Validate() error {
	if k.Attributes == nil {
		return nil
	}
	return kernel.Validate(k.Attributes)
}

// CheckPoints refuses graphs that make no sense, labels on some graphs alone, and nodes without
// attributes where there is a kernel of them.
func (k ShortestPath) CheckPoints(x data.Points[Graph]) error {
	if err := checkGraphs("shortestpath", x); err != nil || k.Attributes == nil {
		return err
	}
	return checkAttributes("shortestpath", k.Attributes, x)
}

// checkAttributes refuses nodes without attributes, and attributes that the kernel is not defined
// for.
func checkAttributes(name string, k kernel.Kernel[kernel.Vec], x data.Points[Graph]) error {
	for i := range x.Len() {
		g := x.At(i)
		if g.Nodes == 0 {
			continue
		}
		if g.NodeAttrs == nil {
			return fmt.Errorf("kernel: %s: the nodes of graph %d have no attributes, but there is a kernel of attributes", name,
				i)
		}
		if err := kernel.Check(k, data.Points[kernel.Vec](data.Slice[kernel.Vec](g.NodeAttrs))); err != nil {
			return fmt.Errorf("kernel: %s: the nodes of graph %d: %w", name, i, err)
		}
	}
	return nil
}

// Properties of a sum of products of kernels.
func (k ShortestPath) Properties() kernel.Properties {
	p := psd(math.Inf(1))
	if k.Attributes != nil {
		p.PSD = kernel.PropertiesOf(k.Attributes).PSD
	}
	return p
}
