package linalg

import (
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/internal/par"
)

// RowProducts computes tiles of A·Bᵀ for sparse A and B, and of the squared
// distances between their rows, into dense float64 or float32.
//
// Eight rows of A at a time are spread over a dense scratch, the eight values
// of one column side by side; every stored entry of a row of B then serves
// eight results with one multiply-add of a vector (see sparseLanes). It is
// safe for concurrent use.
type RowProducts struct {
	a, b         *CSR
	normA, normB []float64 // squared norms, once distances have been asked for
	norms        sync.Once
	scratch      sync.Pool
}

const sparseLaneCount = 8

// NewRowProducts prepares products of the rows of a with those of b, which
// may be the same matrix.
func NewRowProducts(a, b *CSR) *RowProducts {
	if a.Cols != b.Cols {
		panic(fmt.Sprintf("linalg: products of sparse rows of %d and of %d columns", a.Cols, b.Cols))
	}
	p := &RowProducts{a: a, b: b}
	p.scratch.New = func() any {
		s := make([]float64, a.Cols*sparseLaneCount)
		return &s
	}
	return p
}

// Dims is the shape of the whole product.
func (p *RowProducts) Dims() (r, c int) { return p.a.Rows, p.b.Rows }

// Tile sets dst to the block of A·Bᵀ that starts at (i, j).
func (p *RowProducts) Tile(dst Matrix[float64], i, j int) {
	productTile(p, dst, i, j, func(int) int { return dst.Cols })
}

// Tile32 is Tile rounded to float32; sums are in float64.
func (p *RowProducts) Tile32(dst Matrix[float32], i, j int) {
	productTile(p, dst, i, j, func(int) int { return dst.Cols })
}

// productTile computes columns [0, upTo(last row of the eight)) of each row.
func productTile[F Float](p *RowProducts, dst Matrix[F], i0, j0 int, upTo func(i int) int) {
	s := p.scratch.Get().(*[]float64)
	defer p.scratch.Put(s)
	var sums [sparseLaneCount]float64
	for i := 0; i < dst.Rows; i += sparseLaneCount {
		lanes := min(sparseLaneCount, dst.Rows-i)
		for l := range lanes {
			index, value := p.a.Row(i0 + i + l)
			for k, c := range index {
				(*s)[int(c)*sparseLaneCount+l] = value[k]
			}
		}
		for j := range upTo(i + lanes - 1) {
			index, value := p.b.Row(j0 + j)
			sparseLanes(&sums, *s, index, value)
			for l := range lanes {
				dst.Data[(i+l)*dst.Stride+j] = F(sums[l])
			}
		}
		for l := range lanes {
			index, _ := p.a.Row(i0 + i + l)
			for _, c := range index {
				(*s)[int(c)*sparseLaneCount+l] = 0
			}
		}
	}
}

// sparseLanes sets sums[l] = Σₖ value[k]·spread[8·index[k]+l].
func sparseLanes(sums *[sparseLaneCount]float64, spread []float64, index []int32, value []float64) {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	value = value[:len(index)]
	for k, c := range index {
		v := value[k]
		x := (*[sparseLaneCount]float64)(spread[int(c)*sparseLaneCount:])
		s0 += v * x[0]
		s1 += v * x[1]
		s2 += v * x[2]
		s3 += v * x[3]
		s4 += v * x[4]
		s5 += v * x[5]
		s6 += v * x[6]
		s7 += v * x[7]
	}
	*sums = [sparseLaneCount]float64{s0, s1, s2, s3, s4, s5, s6, s7}
}

// sparseGrain is the number of rows of a product one piece of work computes.
const sparseGrain = 64

// MulRows sets dst = A·Bᵀ.
func MulRows[F Float](t Threads, dst Matrix[F], a, b *CSR) {
	p := NewRowProducts(a, b)
	p.mustFill(dst.Rows, dst.Cols)
	par.For(t, dst.Rows, sparseGrain, func(lo, hi int) {
		productTile(p, dst.Slice(lo, hi, 0, dst.Cols), lo, 0, func(int) int { return dst.Cols })
	})
}

// MulRowsLower sets the lower triangle of dst to that of A·Aᵀ. Entries above
// the diagonal are left alone.
func MulRowsLower[F Float](t Threads, dst Matrix[F], a *CSR) {
	p := NewRowProducts(a, a)
	p.mustFill(dst.Rows, dst.Cols)
	eachLowerPiece(t, dst, func(left, diagonal Matrix[F], lo int) {
		productTile(p, left, lo, 0, func(int) int { return left.Cols })
		productTile(p, diagonal, lo, lo, func(i int) int { return i + 1 })
	})
}

// eachLowerPiece calls f for strips of rows of the lower triangle of dst, the
// part left of the diagonal block in place and the diagonal block in a
// scratch whose lower triangle is copied back. Strips are handed out longest
// first, which keeps the threads level at the end.
func eachLowerPiece[F Float](t Threads, dst Matrix[F], f func(left, diagonal Matrix[F], lo int)) {
	n := dst.Rows
	strips := (n + sparseGrain - 1) / sparseGrain
	par.For(t, strips, 1, func(s, _ int) {
		lo := (strips - 1 - s) * sparseGrain
		hi := min(lo+sparseGrain, n)
		diagonal := New[F](hi-lo, hi-lo)
		f(dst.Slice(lo, hi, 0, lo), diagonal, lo)
		for i := range diagonal.Rows {
			copy(dst.Row(lo + i)[lo:lo+i+1], diagonal.Row(i)[:i+1])
		}
	})
}

func (p *RowProducts) mustFill(rows, cols int) {
	if rows != p.a.Rows || cols != p.b.Rows {
		panic(fmt.Sprintf("linalg: product of %d and %d sparse rows into %d×%d", p.a.Rows, p.b.Rows, rows, cols))
	}
}
