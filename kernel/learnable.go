package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Examples are the rows that a kernel may look at before it compares any: those that a model is
// fitted to, never one that it is judged by.
type Examples struct {
	Points  data.Points[any]
	Targets []float64 // of each point; nil: there are none
	Classes int       // of the targets, which are then their numbers from 0; 0: targets are values
	Weights []float64 // of each point; nil: all 1
	Threads int       // 0 means GOMAXPROCS; the kernel is the same to the bit
}

// Learnable is an optional interface of kernels that are fitted to points before they compare any:
// a Fisher kernel whose model is still to be fitted, a forest that is still to be grown. Such a
// kernel has no values yet, and its CheckPoints refuses all points, so that nobody takes it for one
// that has.
type Learnable interface {
	// Learn is the kernel that was fitted: a plain value, which never changes.
	Learn(ctx context.Context, e Examples) (Kernel[any], error)
}

// Learns says whether k, or a part of it, is Learnable.
func Learns(k Kernel[any]) bool {
	found := false
	_, err := learnt(k, func(Learnable) (Kernel[any], bool, error) {
		found = true
		return nil, false, nil
	}, nil)
	return found || err != nil
}

// Learn is k with all of its parts that are Learnable fitted to the examples, and k itself where
// none is. A part on a column of a table, or on some coordinates, is fitted to these.
func Learn(ctx context.Context, k Kernel[any], e Examples) (Kernel[any], error) {
	if !Learns(k) {
		return k, nil
	}
	return learn(ctx, k, e)
}

func learn(ctx context.Context, k Kernel[any], e Examples) (Kernel[any], error) {
	if o, ok := operatorOf(k); ok && len(o.parts()) > 0 {
		parts := make([]Kernel[any], len(o.parts()))
		for i, part := range o.parts() {
			var err error
			if parts[i], err = Learn(ctx, part, e); err != nil {
				return nil, err
			}
		}
		return shutLike(k, o.of(parts)), nil
	}
	return learnt(k, func(l Learnable) (Kernel[any], bool, error) {
		fitted, err := l.Learn(ctx, e)
		return fitted, true, err
	}, func(inner Kernel[any], points func(data.Points[any]) data.Points[any]) (Kernel[any], error) {
		there := e
		there.Points = points(e.Points)
		return Learn(ctx, inner, there)
	})
}

// learnt walks k: leaf is asked about each Learnable, and says whether it stands in place of it;
// below is the kernel behind a map of the points.
func learnt(
	k Kernel[any], leaf func(Learnable) (Kernel[any], bool, error),
	below func(Kernel[any], func(data.Points[any]) data.Points[any]) (Kernel[any], error),
) (Kernel[any], error) {
	if below == nil {
		below = func(inner Kernel[any], _ func(data.Points[any]) data.Points[any]) (Kernel[any], error) {
			return learnt(inner, leaf, nil)
		}
	}
	own := bare(k)
	if l, ok := own.(Learnable); ok {
		fitted, replace, err := leaf(l)
		if err != nil || !replace {
			return k, err
		}
		return fitted, nil
	}
	if on, ok := own.(OnColumns); ok {
		inner, err := below(OnVectors(on.Kernel), func(x data.Points[any]) data.Points[any] { return on.selected(x) })
		if err != nil {
			return nil, err
		}
		on.Kernel = mustTyped[Vec](inner)
		return OnVectors(on), nil
	}
	if on, ok := own.(SparseOf); ok {
		if !Learns(OnVectors(on.Dense)) {
			return k, nil
		}
		inner, err := below(OnVectors(on.Dense), func(x data.Points[any]) data.Points[any] { return on.expanded(x) })
		if err != nil {
			return nil, err
		}
		sparse, err := OnSparse(mustTyped[Vec](inner), on.Dim)
		if err != nil {
			return nil, err
		}
		return OnSparseVectors(sparse), nil
	}
	if inner := unmapped(own); inner != nil {
		if Learns(OnVectors(inner)) {
			return nil, fault.Errorf("kernel",
				"a kernel that is fitted to rows cannot stand within %T; let it stand alone, or in a sum or a product", own)
		}
		return k, nil
	}
	o, ok := operatorOf(k)
	if !ok {
		return k, nil
	}
	if p, ok := o.(pullback); ok {
		inner, err := below(p.kernel, p.images)
		if err != nil {
			return nil, err
		}
		p.kernel = inner
		return shutLike(k, p), nil
	}
	parts := o.parts()
	if len(parts) == 0 {
		return k, nil
	}
	changed := make([]Kernel[any], len(parts))
	for i, part := range parts {
		var err error
		if changed[i], err = learnt(part, leaf, below); err != nil {
			return nil, err
		}
	}
	return shutLike(k, o.of(changed)), nil
}

// shutLike is an operator as a kernel on points of the type that those of k have.
func shutLike(k Kernel[any], o operator) Kernel[any] {
	if e, ok := k.(erased); ok {
		if same, ok := e.shut(o); ok {
			return same
		}
	}
	return o.whole()
}

// unmapped is the kernel behind a change of coordinates, nil where there is none.
func unmapped(k any) Kernel[Vec] {
	switch k := k.(type) {
	case ARD:
		return k.Kernel
	case Mahalanobis:
		return k.Kernel
	}
	return nil
}

// expanded is the rows with all of their coordinates, for a kernel that is fitted to vectors.
func (k SparseOf) expanded(x data.Points[any]) data.Points[any] {
	from := mustPoints[data.SparseVec](x)
	out := make(data.Slice[Vec], from.Len())
	for i := range out {
		out[i] = make(Vec, k.Dim)
		expand(out[i], from.At(i))
	}
	return data.Erase(data.Points[Vec](out))
}

// selected is the coordinates that the kernel sees.
func (k OnColumns) selected(x data.Points[any]) data.Points[any] {
	from := mustPoints[Vec](x)
	out := make(data.Slice[Vec], from.Len())
	for i := range out {
		row := from.At(i)
		out[i] = make(Vec, len(k.Columns))
		for a, c := range k.Columns {
			out[i][a] = row[c]
		}
	}
	return data.Erase(data.Points[Vec](out))
}
