package gram

import (
	"context"
	"unsafe"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// A strip is some rows of K with all of its columns, in the second-level cache while it is
// multiplied from both sides. Packed columns (linalg.Pairs) serve tiles of up to 96 rows.
const (
	stripBytes = 1 << 20
	stripRows  = 64
	leastStrip = 8
	stripCols  = 512 // columns whose products are added in F
)

// stripOf is the number of rows of a strip of m columns.
func stripOf[F linalg.Float](m int) int {
	rows := stripBytes / (m * int(unsafe.Sizeof(F(0))))
	return max(min(rows, stripRows)/8*8, leastStrip)
}

// pairWork is one product.
type pairWork[T any, F linalg.Float] struct {
	p       *pairProduct[T, F]
	v       operand[F]
	in, out int       // columns of v and of dst
	shift   []float64 // the row of v that belongs to the ones; nil without
	between Between[T]
}

// pairSlot is the sum of some pieces, and memory to work on them, for one goroutine at a time.
type pairSlot[F linalg.Float] struct {
	sum   linalg.Matrix[float64] // m×out
	tile  linalg.Matrix[F]
	kv, u linalg.Matrix[float64]
	part  []F
}

func (w *pairWork[T, F]) newSlot() *pairSlot[F] {
	m, rows := w.p.m, stripOf[F](w.p.m)
	s := &pairSlot[F]{tile: linalg.New[F](rows, m)}
	if w.in > 0 {
		s.kv = linalg.New[float64](rows, w.in)
	}
	if w.out > 0 {
		s.sum, s.u = linalg.New[float64](m+w.p.ones, w.out), linalg.New[float64](rows, w.out)
	}
	s.part = make([]F, max(rows*max(w.in, 1), m*max(w.out, 1)))
	return s
}

// piece adds what some rows have to say.
func (w *pairWork[T, F]) piece(ctx context.Context, b data.Block[T], s *pairSlot[F]) {
	t := w.p.base.Prepare(ctx, b.Points)
	for lo := 0; lo < b.Len(); lo += s.tile.Rows {
		hi := min(lo+s.tile.Rows, b.Len())
		tile := s.tile.Slice(0, hi-lo, 0, w.p.m)
		if w.p.fill(t, tile, lo, 0); t.Err() != nil {
			return
		}
		var kv, u *mat.Dense
		if w.in > 0 {
			kv = linalg.Dense(w.times(tile, s))
		}
		if w.out > 0 {
			u = linalg.Dense(s.u.Slice(0, hi-lo, 0, w.out))
		}
		w.between(b.Part(lo, hi), kv, u)
		if w.out > 0 {
			newOperand[F](linalg.Of(u)).addTile(s.sum.Slice(0, w.p.m, 0, w.out), linalg.Trans, tile, 0, s.part)
			for i := 0; i < hi-lo && w.p.ones > 0; i++ {
				row := s.sum.Row(w.p.m)
				for j, v := range s.u.Row(i) {
					row[j] += v
				}
			}
		}
	}
}

// times is tile·v.
func (w *pairWork[T, F]) times(tile linalg.Matrix[F], s *pairSlot[F]) linalg.Matrix[float64] {
	kv := s.kv.Slice(0, tile.Rows, 0, w.in)
	for i := range kv.Rows {
		clear(kv.Row(i))
		copy(kv.Row(i), w.shift)
	}
	for j := 0; j < tile.Cols; j += stripCols {
		w.v.addTile(kv, linalg.NoTrans, tile.Slice(0, tile.Rows, j, min(j+stripCols, tile.Cols)), j, s.part)
	}
	return kv
}
