package kernel

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// FeatureSpace is a kernel with the features by which a fit knows it, so that a function of its
// RKHS can be a sum of features in place of a sum over points: a point is a point of the kernel, or
// a data.SparseVec, which is a vector of features, their numbers being places in Names. Features
// without a name here count for nothing.
type FeatureSpace struct {
	Of    Kernel[any]
	Names []string // in increasing order
	of    featureMap
	index map[string]int32
	spare sync.Pool // of blocks whose places have room for all names
}

// NewFeatureSpace is k with features of these names.
func NewFeatureSpace(k Kernel[any], names []string) (*FeatureSpace, error) {
	m, ok := featureMapOf(k)
	if !ok {
		return nil, fault.Errorf("kernel", "%s has no finite map to sparse features", NameOf(k))
	}
	s := &FeatureSpace{Of: k, Names: names, of: m, index: make(map[string]int32, len(names))}
	for i, name := range names {
		if i > 0 && names[i-1] >= name {
			return nil, fault.Errorf("kernel", "names of features are not in increasing order at %d", i)
		}
		s.index[name] = int32(i)
	}
	return s, nil
}

// ErrManyFeatures is the error of MapSparse for points with more features than allowed.
var ErrManyFeatures = fault.Errorf("kernel", "the points have more features together than were allowed")

// MapSparse makes sparse rows of points, their inner products being values of k: a column for each
// feature that any of them has. Points that have more than most features together are refused by
// ErrManyFeatures; most is 0 where any number will do.
func MapSparse(
	ctx context.Context, threads int, k Kernel[any], x data.Points[any], most int,
) (*FeatureSpace, data.SparseRows, error) {
	m, ok := featureMapOf(k)
	if !ok {
		return nil, data.SparseRows{}, fault.Errorf("kernel", "%s has no finite map to sparse features", NameOf(k))
	}
	blocks := make([]*featureBlock, (x.Len()+mapBlock-1)/mapBlock)
	par.For(threads, x.Len(), mapBlock, func(lo, hi int) {
		b := &featureBlock{number: map[string]int32{}}
		for i := lo; i < hi && ctx.Err() == nil && !(most > 0 && len(b.index) > most); i++ {
			b.add(m, x.At(i), false)
		}
		blocks[lo/mapBlock] = b
	})
	if ctx.Err() != nil {
		return nil, data.SparseRows{}, ctx.Err()
	}
	all, entries := map[string]int32{}, 0
	for _, b := range blocks {
		entries += len(b.index)
		for name := range b.number {
			if _, known := all[name]; !known {
				all[strings.Clone(name)] = 0 // names are parts of points, which need not live on
			}
		}
	}
	if most > 0 && entries > most {
		return nil, data.SparseRows{}, ErrManyFeatures
	}
	s := &FeatureSpace{Of: k, Names: slices.Sorted(maps.Keys(all)), of: m, index: all}
	for i, name := range s.Names {
		all[name] = int32(i)
	}
	return s, data.Sparse(s.joined(blocks)), nil
}

// mapBlock is how many points are mapped together.
const mapBlock = 256

// featureBlock is the features of some points, numbered as they come.
type featureBlock struct {
	number map[string]int32
	ptr    []int // ends of rows
	index  []int32
	value  []float64
	place  []int // of each number in the row that is being made, from 1
}

// add appends the features of x, with known only those that have a number.
func (b *featureBlock) add(m featureMap, x any, known bool) {
	from, beyond := len(b.index), 0.0
	var others map[string]float64 // without a number: they count for the norm
	m.each(x, func(name string, v float64) {
		j, ok := b.number[name]
		switch {
		case !ok && known:
			if m.norm {
				if others == nil {
					others = map[string]float64{}
				}
				others[name] += v
			}
			return
		case !ok:
			j = int32(len(b.number))
			b.number[name] = j
		}
		for int(j) >= len(b.place) {
			b.place = append(b.place, make([]int, max(len(b.place), 64))...)
		}
		if b.place[j] == 0 {
			b.index, b.value = append(b.index, j), append(b.value, 0)
			b.place[j] = len(b.index)
		}
		b.value[b.place[j]-1] += v
	})
	for _, j := range b.index[from:] {
		b.place[j] = 0
	}
	if m.norm {
		for _, name := range slices.Sorted(maps.Keys(others)) {
			beyond += others[name] * others[name]
		}
		scale := inverseRoot(sumOfSquares(b.value[from:]) + beyond)
		for i := from; i < len(b.value); i++ {
			b.value[i] *= scale
		}
	}
	b.ptr = append(b.ptr, len(b.index))
}

// joined is the rows of all blocks by the numbers of the space.
func (s *FeatureSpace) joined(blocks []*featureBlock) *data.CSR {
	out := &data.CSR{Cols: len(s.Names), Ptr: []int{0}}
	entries := 0
	for _, b := range blocks {
		entries += len(b.index)
	}
	out.Index, out.Value = make([]int32, 0, entries), make([]float64, 0, entries)
	for _, b := range blocks {
		to := make([]int32, len(b.number))
		for name, j := range b.number {
			to[j] = s.index[name]
		}
		out.Rows += len(b.ptr)
		b.appendTo(out, func(j int32) int32 { return to[j] })
	}
	return out
}

// appendTo adds the rows to others, their columns by number and without zeros.
func (b *featureBlock) appendTo(out *data.CSR, to func(int32) int32) {
	type entry struct {
		column int32
		value  float64
	}
	var row []entry
	from := 0
	for _, end := range b.ptr {
		row = row[:0]
		for i := from; i < end; i++ {
			if b.value[i] != 0 {
				row = append(row, entry{to(b.index[i]), b.value[i]})
			}
		}
		slices.SortFunc(row, func(a, c entry) int { return cmp.Compare(a.column, c.column) })
		for _, e := range row {
			out.Index, out.Value = append(out.Index, e.column), append(out.Value, e.value)
		}
		out.Ptr = append(out.Ptr, len(out.Index))
		from = end
	}
}

// Rows is the features of points that have a name, as rows of the space; vectors of features are
// themselves.
func (s *FeatureSpace) Rows(ctx context.Context, threads int, x data.Points[any]) data.SparseRows {
	if rows, ok := data.SparseOfPoints(x); ok && s.ofFeatures(x) {
		if all, ok := rows.(data.SparseRows); ok {
			return all
		}
		out := make([]data.SparseVec, rows.Len())
		for i := range out {
			out[i] = rows.At(i)
		}
		return data.SparseOf(out, len(s.Names))
	}
	blocks := make([]*featureBlock, (x.Len()+mapBlock-1)/mapBlock)
	par.For(threads, x.Len(), mapBlock, func(lo, hi int) {
		b, ok := s.spare.Get().(*featureBlock)
		if !ok {
			b = &featureBlock{number: s.index}
		}
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			b.add(s.of, x.At(i), true)
		}
		blocks[lo/mapBlock] = b
	})
	out := &data.CSR{Cols: len(s.Names), Ptr: []int{0}}
	for _, b := range blocks {
		out.Rows += len(b.ptr)
		b.appendTo(out, func(j int32) int32 { return j })
		b.ptr, b.index, b.value = b.ptr[:0], b.index[:0], b.value[:0]
		s.spare.Put(b)
	}
	for len(out.Ptr) <= x.Len() { // a context left them unfinished
		out.Rows, out.Ptr = out.Rows+1, append(out.Ptr, len(out.Index))
	}
	return data.Sparse(out)
}

// ofFeatures says whether points that are sparse vectors are vectors of features: where the kernel
// is itself one on sparse rows, those of as many columns as there are names.
func (s *FeatureSpace) ofFeatures(x data.Points[any]) bool {
	on, sparse := bare(s.Of).(SparseOf)
	if !sparse {
		return true
	}
	rows, ok := data.Concrete(x).(data.SparseRows)
	return ok && rows.Dim() == len(s.Names) && rows.Dim() != on.Dim
}

// Name is that of the kernel.
func (s *FeatureSpace) Name() string { return NameOf(s.Of) }

// row is the features of one point.
func (s *FeatureSpace) row(x any) data.SparseVec {
	if v, ok := x.(data.SparseVec); ok {
		return v
	}
	return s.Rows(context.Background(), 1, data.Slice[any]{x}).At(0)
}

// Eval is the inner product of the features of x and y that have a name.
func (s *FeatureSpace) Eval(x, y any) float64 { return sparseBetween(Inner, s.row(x), s.row(y)) }

// PreparePoints maps each point once.
func (s *FeatureSpace) PreparePoints(ctx context.Context, x, y data.Points[any]) Rectangle {
	v := Kept(ctx, y, func() *linalg.RowProducts {
		rows := (*linalg.CSR)(s.Rows(ctx, 0, plain(y)).CSR())
		return linalg.NewRowProductsBy(rows, rows)
	})
	products := v
	if !SamePoints(x, y) {
		products = v.WithRows((*linalg.CSR)(s.Rows(ctx, 0, plain(x)).CSR()))
	}
	return func(dst *mat.Dense, i, j int) { products.Tile(linalg.Of(dst), i, j) }
}

// plain is points as they are, whatever is remembered of them.
func plain(x data.Points[any]) data.Points[any] {
	if r, ok := x.(remembering[any]); ok {
		return r.Points
	}
	return x
}

// CheckPoints asks the kernel about points of its own.
func (s *FeatureSpace) CheckPoints(x data.Points[any]) error {
	if _, ok := data.SparseOfPoints(x); ok && s.ofFeatures(x) {
		return nil
	}
	return checkPoints(s.Of, x)
}

// Properties of an inner product of finitely many features.
func (s *FeatureSpace) Properties() Properties {
	p := nothingKnown()
	p.PSD, p.Universal = Yes, No
	return p
}
