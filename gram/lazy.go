package gram

import (
	"sync"
	"unsafe"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// lazyTile is the side of the tiles of a matrix-free product: a tile and its
// operands stay in a second-level cache of 2 MiB while they are used. (float32,
// n = 20 000, d = 20, one vector: side 256 137 ms, 384 110 ms, 512 101 ms, 768
// 151 ms.)
func lazyTile[F linalg.Float]() int {
	var zero F
	if unsafe.Sizeof(zero) == 4 {
		return 512
	}
	return 256
}

// lazy keeps nothing but the prepared points: a product evaluates the kernel
// tile by tile, in memory O(threads·tile² + groups·n·m).
type lazy[F linalg.Float] struct {
	choice
	tiles tiles[F]
	diag  []float64 // of a symmetric matrix

	once sync.Once // for the next
	sums kernel.Sums
}

// fused is the product without tiles, for kernels that have one.
func (l *lazy[F]) fused() kernel.Sums {
	l.once.Do(func() {
		if s, ok := l.tiles.source.(kernel.Summer); ok {
			l.sums = s.Sums(l.single)
		}
	})
	return l.sums
}

// mulFused sets dst = K·v for one column, without tiles, and says whether it could.
func (l *lazy[F]) mulFused(dst, v linalg.Matrix[float64], groups int) bool {
	if v.Cols != 1 {
		return false
	}
	f := l.fused()
	if f == nil {
		return false
	}
	out, in := make([]float64, dst.Rows), make([]float64, v.Rows)
	for i := range in {
		in[i] = v.Data[i*v.Stride]
	}
	f(l.Threads, groups, out, in)
	for i, e := range out {
		dst.Data[i*dst.Stride] = e
	}
	return true
}

// FromTiles is the matrix-free Gram over tiles prepared elsewhere, without the
// checks of Cross: for callers that have made them. Of the options only
// Threads, Bytes and Precision are read.
func FromTiles(t kernel.Tiles, o Options) Accessor {
	r, c := t.Dims()
	ch := choice{Options: o, r: r, c: c, single: o.Precision == Single, why: "asked for"}
	ch.Layout = Lazy
	if ch.single {
		return &lazy[float32]{tiles: tiles[float32]{t, single(t)}, choice: ch}
	}
	return &lazy[float64]{tiles: tiles[float64]{t, double(t)}, choice: ch}
}

// Dims returns the shape.
func (l *lazy[F]) Dims() (int, int) { return l.r, l.c }

// MulTo sets dst = K·v, or Kᵀ·v when trans.
func (l *lazy[F]) MulTo(dst, v *mat.Dense, trans bool) {
	checkMul(l, dst, v, trans)
	d, w := linalg.Of(dst), linalg.Of(v)
	if l.symmetric {
		s := symMul[F]{n: l.r, tile: lazyTile[F](), scratch: true,
			get: func(scratch linalg.Matrix[F], i0, j0 int) linalg.Matrix[F] {
				l.tiles.fill(scratch, i0, j0)
				return scratch
			}}
		g := s.groups(w.Cols, l.Bytes)
		if l.mulFused(d, w, g) {
			return
		}
		if g > 0 {
			s.run(l.Threads, g, d, w)
			return
		}
		trans = false
	}
	if !trans && l.mulFused(d, w, 0) {
		return
	}
	l.mulRows(d, w, trans)
}

// mulRows computes the product a piece of dst at a time: no accumulators, but
// no use of symmetry either.
func (l *lazy[F]) mulRows(dst, v linalg.Matrix[float64], trans bool) {
	o := newOperand[F](v)
	m, inner, tile := v.Cols, v.Rows, lazyTile[F]()
	par.For(l.Threads, dst.Rows, tile, func(lo, hi int) {
		piece := dst.Slice(lo, hi, 0, m)
		for i := range piece.Rows {
			clear(piece.Row(i))
		}
		// One row is as often asked for as many: it needs no whole tile.
		part := o.scratch(hi - lo)
		rows, cols := hi-lo, min(tile, inner)
		if trans {
			rows, cols = cols, rows
		}
		scratch := linalg.New[F](rows, cols)
		for p := 0; p < inner; p += tile {
			q := min(p+tile, inner)
			if trans {
				k := scratch.Slice(0, q-p, 0, hi-lo)
				l.tiles.fill(k, p, lo)
				o.addTile(piece, linalg.Trans, k, p, part)
			} else {
				k := scratch.Slice(0, hi-lo, 0, q-p)
				l.tiles.fill(k, lo, p)
				o.addTile(piece, linalg.NoTrans, k, p, part)
			}
		}
	})
}

// Diag sets dst to the diagonal.
func (l *lazy[F]) Diag(dst []float64) {
	if l.diag != nil {
		copy(dst, l.diag)
		return
	}
	one := linalg.New[F](1, 1)
	for i := range dst {
		l.tiles.fill(one, i, i)
		dst[i] = float64(one.Data[0])
	}
}

// Column sets dst to column j.
func (l *lazy[F]) Column(dst []float64, j int) {
	if l.symmetric {
		l.Row(dst, j)
		return
	}
	par.For(l.Threads, l.r, 4096, func(lo, hi int) {
		c := linalg.New[F](hi-lo, 1)
		l.tiles.fill(c, lo, j)
		for i, v := range c.Data {
			dst[lo+i] = float64(v)
		}
	})
}

// Row sets dst to row i.
func (l *lazy[F]) Row(dst []float64, i int) {
	par.For(l.Threads, l.c, 4096, func(lo, hi int) {
		c := linalg.New[F](1, hi-lo)
		l.tiles.fill(c, i, lo)
		for j, v := range c.Data {
			dst[lo+j] = float64(v)
		}
	})
}

// Block sets dst[a, b] = K[i+a, j+b].
func (l *lazy[F]) Block(dst *mat.Dense, i, j int) {
	o := linalg.Of(dst)
	par.For(l.Threads, o.Rows, fillTile, func(lo, hi int) {
		if o64, ok := any(o).(linalg.Matrix[F]); ok {
			l.tiles.fill(o64.Slice(lo, hi, 0, o.Cols), i+lo, j)
			return
		}
		k := linalg.New[F](hi-lo, o.Cols)
		l.tiles.fill(k, i+lo, j)
		for a := range k.Rows {
			row := o.Row(lo + a)
			for b, v := range k.Row(a) {
				row[b] = float64(v)
			}
		}
	})
}

// Column32 returns column j; see the interface.
func (l *lazy[F]) Column32(j int) []float32 {
	c := make([]float32, l.r)
	par.For(l.Threads, l.r, 4096, func(lo, hi int) {
		if l.symmetric {
			l.tiles.source.Tile32(blas32.General{Rows: 1, Cols: hi - lo, Data: c[lo:hi], Stride: hi - lo}, j, lo)
		} else {
			l.tiles.source.Tile32(blas32.General{Rows: hi - lo, Cols: 1, Data: c[lo:hi], Stride: 1}, lo, j)
		}
	})
	return c
}

// Describe says how the matrix is kept, and why.
func (l *lazy[F]) Describe() string { return l.describe() }
