package linalg

import (
	"fmt"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// RowProducts computes tiles of A·Bᵀ for sparse A and B, and of the squared
// distances between their rows, into dense float64 or float32. It is safe for
// concurrent use. There are two ways, chosen once by what they would cost:
//
//   - lanes: sixteen rows of A are spread over a dense scratch, the sixteen
//     values of one column side by side; every entry of a row of B then serves
//     sixteen results with a few vector multiply-adds (simd.SparseRows64);
//   - inverted: B is kept by columns, and an entry of a row of A is added to
//     the results of just those rows of B that have its column.
//
// The first wins on few columns (a9a), the second on text. Either way the
// products of a pair of rows are summed by increasing column, so results do
// not depend on how the matrix is cut into tiles.
type RowProducts struct {
	a, b         *CSR
	left, right  *CSR      // a and b, or where b has few of its columns, what they have in these
	used         []int32   // the columns that b has, where they were numbered anew
	columns      *CSR      // rightᵀ where the inverted way is taken, nil for lanes
	normA, normB []float64 // squared norms, once distances have been asked for
	norms        sync.Once
	scratch      *sync.Pool // spread columns (lanes), always zero between uses
}

// NewRowProducts prepares products of the rows of a with those of b, which
// may be the same matrix. Both must pass CSR.Check; what it would read out
// of range is a panic.
func NewRowProducts(a, b *CSR) *RowProducts { return newRowProducts(a, b, a) }

// NewRowProductsBy is NewRowProducts with the way chosen by b alone, as if a were like it: the two
// ways round differently, and what a row of a has does not depend then on the others. Of more than
// MostLike columns b may be weights, a number for each column, while a has few of them: the inverted
// way costs what a has.
func NewRowProductsBy(a, b *CSR) *RowProducts { return newRowProducts(a, b, nil) }

// MostLike is the number of columns up to which rows are taken to be like those that they meet.
const MostLike = 4096

// newRowProducts chooses the way by what the rows of like would cost; nil: by b alone.
func newRowProducts(a, b, like *CSR) *RowProducts {
	if a.Cols != b.Cols {
		panic(fmt.Sprintf("linalg: products of sparse rows of %d and of %d columns", a.Cols, b.Cols))
	}
	p := &RowProducts{a: a, b: b, left: a, right: b}
	if p.used = UsedColumns(b); p.used != nil {
		p.right = b.OnColumns(p.used)
		p.left = p.right
		if a != b {
			p.left = a.OnColumns(p.used)
		}
		if like != nil {
			like = p.left
		}
	}
	columnCounts(p.left) // which sees that it is in bounds
	inverted := like == nil && b.Cols > MostLike
	if like == nil {
		like = p.right
	}
	if inverted || invertedIsCheaper(like, p.right) {
		p.columns = p.right.T()
	}
	spread := p.right.Cols * simd.SparseLanes
	p.scratch = &sync.Pool{New: func() any {
		s := make([]float64, spread)
		return &s
	}}
	return p
}

// WithRows is the products of other rows a with those of b that p prepared, in the way that p
// takes.
func (p *RowProducts) WithRows(a *CSR) *RowProducts {
	if a.Cols != p.b.Cols {
		panic(fmt.Sprintf("linalg: products of sparse rows of %d and of %d columns", a.Cols, p.b.Cols))
	}
	left := a
	if p.used != nil {
		left = a.OnColumns(p.used)
	}
	return &RowProducts{a: a, b: p.b, left: left, right: p.right, used: p.used, columns: p.columns, scratch: p.scratch}
}

// invertedIsCheaper compares the two ways by the entries they visit, in
// nanoseconds measured on one core of a Sapphire Rapids Xeon.
func invertedIsCheaper(a, b *CSR) bool {
	count := columnCounts(b)
	other := count
	if a != b {
		other = columnCounts(a)
	}
	pairs := 0.0
	for c, n := range count {
		pairs += float64(n) * float64(other[c])
	}
	groups := (a.Rows + simd.SparseLanes - 1) / simd.SparseLanes
	visits := float64(groups) * float64(b.NNZ())
	perVisit := 1.5 // the scratch in L1 or L2
	if a.Cols > 8<<10 {
		perVisit = 2.8
	}
	if simd.Current() == simd.Generic {
		perVisit = 16
	}
	const perPair = 1.3
	const mostSpread = 64 << 10 // columns: 8 MiB of scratch a thread
	return a.Cols > mostSpread || perPair*pairs < perVisit*visits
}

// columnCounts counts the entries of each column. It goes over every row
// start and column, and so is also what keeps the assembly in bounds.
func columnCounts(m *CSR) []int {
	count := make([]int, m.Cols)
	for i := range m.Rows {
		index, _ := m.Row(i)
		for _, c := range index {
			count[c]++
		}
	}
	return count
}

// Dims is the shape of the whole product.
func (p *RowProducts) Dims() (r, c int) { return p.a.Rows, p.b.Rows }

// Tile sets dst to the block of A·Bᵀ that starts at (i, j).
func (p *RowProducts) Tile(dst Matrix[float64], i, j int) { productTile(p, 1, dst, i, j) }

// Tile32 is Tile rounded to float32; sums are in float64.
func (p *RowProducts) Tile32(dst Matrix[float32], i, j int) { productTile(p, 1, dst, i, j) }

// productTile sets dst to a block of alpha·A·Bᵀ; alpha is a power of two, which leaves all
// roundings as they are.
func productTile[F Float](p *RowProducts, alpha float64, dst Matrix[F], i0, j0 int) {
	switch {
	case dst.Rows == 0 || dst.Cols == 0:
	case p.columns != nil:
		invertedTile(p, alpha, dst, i0, j0)
	default:
		lanesTile(p, alpha, dst, i0, j0)
	}
}

// lanesStrip is the number of rows of B between two transpositions into dst:
// their sums stay in L1.
const lanesStrip = 128

func lanesTile[F Float](p *RowProducts, alpha float64, dst Matrix[F], i0, j0 int) {
	const lanes = simd.SparseLanes
	s := p.scratch.Get().(*[]float64)
	defer p.scratch.Put(s)
	spread := *s
	sums := make([]float64, lanesStrip*lanes)
	for i := 0; i < dst.Rows; i += lanes {
		used := min(lanes, dst.Rows-i)
		for l := range used {
			index, value := p.left.Row(i0 + i + l)
			for k, c := range index {
				spread[int(c)*lanes+l] = alpha * value[k]
			}
		}
		for j := 0; j < dst.Cols; j += lanesStrip {
			n := min(lanesStrip, dst.Cols-j)
			simd.SparseRows64(p.right.Ptr[j0+j:j0+j+n+1], p.right.Index, p.right.Value, spread, sums)
			storeLanes(dst.Slice(i, i+used, j, j+n), sums)
		}
		for l := range used {
			index, _ := p.left.Row(i0 + i + l)
			for _, c := range index {
				spread[int(c)*lanes+l] = 0
			}
		}
	}
}

// storeLanes sets row l of dst to lane l of sums.
func storeLanes[F Float](dst Matrix[F], sums []float64) {
	if d, ok := any(dst).(Matrix[float64]); ok {
		simd.TileOf[float64]().Transpose(d.Cols, d.Rows, sums, simd.SparseLanes, d.Data, d.Stride)
		return
	}
	for l := range dst.Rows {
		row := dst.Row(l)
		for j := range row {
			row[j] = F(sums[j*simd.SparseLanes+l])
		}
	}
}

func invertedTile[F Float](p *RowProducts, alpha float64, dst Matrix[F], i0, j0 int) {
	whole := j0 == 0 && dst.Cols == p.b.Rows
	first, last := int32(j0), int32(j0+dst.Cols)
	sums, wide := any(dst).(Matrix[float64])
	if !wide {
		sums = New[float64](1, dst.Cols)
	}
	for i := range dst.Rows {
		row := sums.Row(0)
		if wide {
			row = sums.Row(i)
		}
		clear(row)
		index, value := p.left.Row(i0 + i)
		for k, c := range index {
			rows, entries := p.columns.Row(int(c))
			if !whole {
				lo, _ := slices.BinarySearch(rows, first)
				hi, _ := slices.BinarySearch(rows[lo:], last)
				rows, entries = rows[lo:lo+hi], entries[lo:lo+hi]
			}
			v := alpha * value[k]
			entries = entries[:len(rows)]
			for q, j := range rows {
				row[j-first] += v * entries[q]
			}
		}
		if !wide {
			out := dst.Row(i)
			for j, v := range row {
				out[j] = F(v)
			}
		}
	}
}

// sparseGrain is the number of rows of a product one piece of work computes.
const sparseGrain = 64

// MulRows sets dst = A·Bᵀ.
func MulRows[F Float](t int, dst Matrix[F], a, b *CSR) {
	p := NewRowProducts(a, b)
	p.mustFill(dst.Rows, dst.Cols)
	par.For(t, dst.Rows, sparseGrain, func(lo, hi int) {
		productTile(p, 1, dst.Slice(lo, hi, 0, dst.Cols), lo, 0)
	})
}

func (p *RowProducts) mustFill(rows, cols int) {
	if rows != p.a.Rows || cols != p.b.Rows {
		panic(fmt.Sprintf("linalg: product of %d and %d sparse rows into %d×%d", p.a.Rows, p.b.Rows, rows, cols))
	}
}
