package gram

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// halfTile is the side of the tiles of a packed triangle.
const halfTile = 256

// half keeps the tiles on and below the diagonal, each halfTile square.
type half[F linalg.Float] struct {
	choice
	tiles []linalg.Matrix[F] // tile (I, J) at I(I+1)/2 + J
	diag  []float64
}

func newHalf[F linalg.Float](c choice, t tiles[F], diag []float64) (*half[F], error) {
	blocks := (c.r + halfTile - 1) / halfTile
	h := &half[F]{choice: c, tiles: make([]linalg.Matrix[F], blocks*(blocks+1)/2), diag: diag}
	bad := make([]error, blocks)
	par.For(c.Threads, blocks, 1, func(bi, _ int) {
		i0, i1 := bi*halfTile, min((bi+1)*halfTile, c.r)
		for bj := range bi + 1 {
			if c.ended() != nil {
				return
			}
			j0, j1 := bj*halfTile, min((bj+1)*halfTile, c.r)
			m := linalg.New[F](i1-i0, j1-j0)
			t.fill(m, i0, j0)
			if bi == bj {
				mirror(1, m, c.ended)
			}
			if i, j, no := notFinite(m); no && bad[bi] == nil {
				bad[bi] = fault.Errorf("gram",
					"k(x, y) of rows %d and %d is %v: the kernel overflows or is not positive definite there", i0+i, j0+j, m.At(i, j))
			}
			h.tiles[bi*(bi+1)/2+bj] = m
		}
	})
	if err := c.ended(); err != nil {
		return nil, err
	}
	for _, err := range bad {
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (h *half[F]) tile(i, j int) linalg.Matrix[F] { return h.tiles[i*(i+1)/2+j] }

// Dims returns the shape.
func (h *half[F]) Dims() (int, int) { return h.r, h.r }

// MulTo sets dst = K·v; K is symmetric.
func (h *half[F]) MulTo(dst, v *mat.Dense, trans bool) {
	checkMul(h, dst, v, trans)
	s := symMul[F]{n: h.r, tile: halfTile, get: func(_ linalg.Matrix[F], i0, j0 int) linalg.Matrix[F] {
		return h.tile(i0/halfTile, j0/halfTile)
	}}
	d, w := linalg.Of(dst), linalg.Of(v)
	if g := s.groups(w.Cols, h.Bytes); g > 0 {
		s.run(h.Threads, g, d, w)
		return
	}
	o := newOperand[F](w)
	par.For(h.Threads, h.r, halfTile, func(lo, hi int) {
		piece := d.Slice(lo, hi, 0, d.Cols)
		part := o.scratch(halfTile)
		for i := range piece.Rows {
			clear(piece.Row(i))
		}
		for j0 := 0; j0 < h.r; j0 += halfTile {
			if j0 <= lo {
				o.addTile(piece, linalg.NoTrans, h.tile(lo/halfTile, j0/halfTile), j0, part)
			} else {
				o.addTile(piece, linalg.Trans, h.tile(j0/halfTile, lo/halfTile), j0, part)
			}
		}
	})
}

func (h *half[F]) at(i, j int) float64 {
	if i < j {
		i, j = j, i
	}
	return float64(h.tile(i/halfTile, j/halfTile).At(i%halfTile, j%halfTile))
}

// Diag sets dst to the diagonal.
func (h *half[F]) Diag(dst []float64) { copy(dst, h.diag) }

// Column sets dst to column j.
func (h *half[F]) Column(dst []float64, j int) {
	for i := range dst {
		dst[i] = h.at(i, j)
	}
}

// Row sets dst to row i.
func (h *half[F]) Row(dst []float64, i int) { h.Column(dst, i) }

// Block sets dst[a, b] = K[i+a, j+b].
func (h *half[F]) Block(dst *mat.Dense, i, j int) {
	o := linalg.Of(dst)
	for a := range o.Rows {
		row := o.Row(a)
		for b := range row {
			row[b] = h.at(i+a, j+b)
		}
	}
}

// Column32 returns column j; see the interface.
func (h *half[F]) Column32(j int) []float32 {
	c := make([]float32, h.r)
	for i := range c {
		c[i] = float32(h.at(i, j))
	}
	return c
}

// Describe says how the matrix is kept, and why.
func (h *half[F]) Describe() string { return h.describe() }
