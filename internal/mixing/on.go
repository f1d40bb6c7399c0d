// Package mixing makes kernels on rows of a table of kernels on their columns.
package mixing

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
)

// SchemaOf is what rows made by an encoder hold.
func SchemaOf(e *data.Encoder) mixed.Schema {
	s := mixed.Schema{Dim: e.Dim, Sparse: e.Sparse}
	if e.SparseDim > 0 {
		s.Columns = append(s.Columns, mixed.Column{Width: e.SparseDim, Object: -1})
	}
	objects := 0
	for i := range e.Columns {
		code := &e.Columns[i]
		c := mixed.Column{Name: code.Name, Kind: code.Kind, Offset: code.Offset, Width: code.Width, Object: -1}
		if code.Indicator {
			c.Width++
		}
		if code.Object() {
			c.Object = objects
			objects++
			if code.Kind == data.Ranking {
				c.Items = code.Levels
			}
			if code.Kind == data.Histogram || code.Kind == data.Distribution {
				c.Size = code.Channels
			}
		}
		s.Columns = append(s.Columns, c)
	}
	return s
}

// On is k of the objects of one column. U has to be the type of its kind: string, seq.Series,
// []kernel.Vec, *bracket.Tree, []string, []discrete.Member[string], discrete.Ranking, graphs.Graph,
// kernel.Vec (a histogram) or prob.Mixture.
func On[U any](c mixed.Column, k kernel.Kernel[U]) kernel.Kernel[mixed.Row] {
	return OnErased(c, kernel.Erase(k))
}

// OnErased is On of a kernel that has forgotten the type of its points.
func OnErased(c mixed.Column, k kernel.Kernel[any]) kernel.Kernel[mixed.Row] {
	j := c.Object
	return kernel.PullbackOf[mixed.Row, any]{Kernel: k, Map: func(r mixed.Row) any { return r.Objects[j] }, Name: c.Name}
}

// FeatureKernel is the inverse of Features: the kernel on the features that k is made from; false
// where k is not of features.
func FeatureKernel(k kernel.Kernel[mixed.Row]) (kernel.Kernel[kernel.Vec], bool) {
	switch p := k.(type) {
	case kernel.PullbackOf[mixed.Row, kernel.Vec]:
		return p.Kernel, true
	case kernel.PullbackOf[mixed.Row, data.SparseVec]:
		on, ok := p.Kernel.(kernel.SparseOf)
		return on.Dense, ok
	}
	return nil, false
}
