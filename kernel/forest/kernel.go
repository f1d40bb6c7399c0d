package forest

import (
	"context"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

var (
	_ kernel.Preparer[kernel.Vec]     = (*Forest)(nil)
	_ kernel.PointChecker[kernel.Vec] = (*Forest)(nil)
	_ kernel.Propertied               = (*Forest)(nil)
	_ kernel.Validator                = (*Forest)(nil)
	_ kernel.Named                    = (*Forest)(nil)
)

// Name is "forest", "mondrian" or "isolation".
func (f *Forest) Name() string { return f.name }

// Eval is the share of trees in which x and y fall into one leaf.
func (f *Forest) Eval(x, y kernel.Vec) float64 {
	same := 0
	for t := range f.Trees() {
		if f.leaf(t, x) == f.leaf(t, y) {
			same++
		}
	}
	return float64(same) / float64(f.Trees())
}

// PreparePoints finds the leaves of each point once. A rectangle then counts the leaves that two
// points share, by way of the points of each leaf: it takes as long as there are pairs that share
// one.
func (f *Forest) PreparePoints(ctx context.Context, x, y data.Points[kernel.Vec]) kernel.Rectangle {
	leaves := func(x kernel.Vec) []int32 {
		out := make([]int32, f.Trees())
		f.leavesOf(out, x)
		return out
	}
	u, v := kernel.MapBoth(ctx, x, y, leaves)
	products := kernel.Kept(ctx, y, func() *linalg.RowProducts {
		rows := f.rows(v)
		return linalg.NewRowProducts(rows, rows)
	})
	if !kernel.SamePoints(x, y) {
		products = products.WithRows(f.rows(u))
	}
	trees := float64(f.Trees())
	return func(dst *mat.Dense, i, j int) {
		m := linalg.Of(dst)
		products.Tile(m, i, j)
		for a := range m.Rows {
			row := m.Row(a)
			for b := range row {
				row[b] /= trees // counts are whole numbers: the quotient has the bits of Eval's
			}
		}
	}
}

// rows is the leaves of points as indicators; points that a context left unfinished have none.
func (f *Forest) rows(points [][]int32) *linalg.CSR {
	m := &linalg.CSR{Rows: len(points), Cols: f.Leaves(), Ptr: make([]int, len(points)+1)}
	for i, leaves := range points {
		m.Index = append(m.Index, leaves...)
		m.Ptr[i+1] = len(m.Index)
	}
	m.Value = make([]float64, len(m.Index))
	for i := range m.Value {
		m.Value[i] = 1
	}
	return m
}

// Features are the points in the feature space of the kernel, as sparse rows: 1/√T in the columns
// of their leaves, of which there are Leaves in all. Inner products of rows are values of the
// kernel.
func (f *Forest) Features(ctx context.Context, x data.Points[kernel.Vec]) (data.SparseRows, error) {
	if x == nil {
		return data.SparseRows{}, fault.Errorf("forest", "no points: x is nil")
	}
	if err := f.CheckPoints(x); err != nil {
		return data.SparseRows{}, err
	}
	n, trees := x.Len(), f.Trees()
	m := &data.CSR{Rows: n, Cols: f.Leaves(), Ptr: make([]int, n+1), Index: make([]int32, n*trees),
		Value: make([]float64, n*trees)}
	one := 1 / math.Sqrt(float64(trees))
	par.For(0, n, blockRows, func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			at := i * trees
			m.Ptr[i+1] = at + trees
			f.leavesOf(m.Index[at:at+trees], x.At(i))
			for k := range m.Value[at : at+trees] {
				m.Value[at+k] = one
			}
		}
	})
	return data.Sparse(m), ctx.Err()
}

// EachFeature adds 1/√T for the leaf of each tree.
func (f *Forest) EachFeature(x kernel.Vec, add func(name string, value float64)) {
	one := 1 / math.Sqrt(float64(f.Trees()))
	for t := range f.Trees() {
		add(strconv.Itoa(int(f.leaf(t, x))), one)
	}
}

// Properties of a forest: finitely many features, none of them continuous where its leaf ends.
func (f *Forest) Properties() kernel.Properties {
	p := kernel.Properties{PSD: kernel.Yes, Strict: kernel.No, Continuous: kernel.No, Stationary: kernel.No,
		Isotropic: kernel.No,
		Universal: kernel.No, Characteristic: kernel.No, Bound: 1, Smoothness: math.NaN()}
	if f.Leaves() == f.Trees() { // no cut at all: k = 1
		p.Continuous, p.Stationary, p.Isotropic, p.Smoothness = kernel.Yes, kernel.Yes, kernel.Yes, math.Inf(1)
	}
	return p
}

// Validate refuses a forest that was not grown.
func (f *Forest) Validate() error {
	if f == nil || len(f.roots) < 2 {
		return fault.Errorf("forest", "a forest without trees; Fit grows one")
	}
	return nil
}

// CheckPoints refuses points of another dimension, infinities and, where the forest has no place
// for missing values, NaN.
func (f *Forest) CheckPoints(x data.Points[kernel.Vec]) error { return checkRows(x, f.dim, f.missing) }
