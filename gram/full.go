package gram

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// stored is a Gram matrix held in full.
type stored[F linalg.Float] struct {
	m         linalg.Matrix[F]
	threads   int
	symmetric bool
	why       string
}

// Dense is a Gram matrix held in full in float64. It is a mat.Matrix, and K(X, X) is a
// mat.Symmetric.
type Dense struct{ stored[float64] }

// Dense32 is a Gram matrix held in full in float32, read as Dense is.
type Dense32 struct{ stored[float32] }

// RawMatrix views the storage.
func (d Dense) RawMatrix() blas64.General { return blas64.General(d.m) }

// RawMatrix views the storage.
func (d Dense32) RawMatrix() blas32.General { return linalg.General32(d.m) }

// T is the transpose.
func (d Dense) T() mat.Matrix { return mat.Transpose{Matrix: d} }

// T is the transpose.
func (d Dense32) T() mat.Matrix { return mat.Transpose{Matrix: d} }

// At is entry (i, j).
func (d stored[F]) At(i, j int) float64 { return float64(d.m.At(i, j)) }

// SymmetricDim is n of K(X, X). It panics for K(X, Y), which is not symmetric.
func (d stored[F]) SymmetricDim() int {
	if !d.symmetric {
		panic(fmt.Sprintf("gram: a %d×%d matrix K(X, Y) was asked to be symmetric", d.m.Rows, d.m.Cols))
	}
	return d.m.Rows
}

// asDense is the exported type of a stored matrix.
func asDense[F linalg.Float](s stored[F]) Accessor {
	switch s := any(s).(type) {
	case stored[float32]:
		return Dense32{s}
	case stored[float64]:
		return Dense{s}
	}
	panic("gram: unknown precision")
}

// newFull evaluates every tile once; of a symmetric matrix only those on and
// below the diagonal, mirrored.
func newFull[F linalg.Float](c choice, t tiles[F]) (stored[F], error) {
	s := stored[F]{m: linalg.Unset[F](c.r, c.c), threads: c.Threads, symmetric: c.symmetric, why: c.why}
	const b = fillTile
	pieces := (c.r + b - 1) / b
	par.For(c.Threads, pieces, 1, func(piece, _ int) {
		if c.ended() != nil {
			return
		}
		lo := pieces - 1 - piece // the longest rows first, so that nobody is left with them at the end
		i0, i1 := lo*b, min((lo+1)*b, c.r)
		if !c.symmetric {
			t.fill(s.m.Slice(i0, i1, 0, c.c), i0, 0)
			return
		}
		t.fill(s.m.Slice(i0, i1, 0, i1), i0, 0)
	})
	if err := c.ended(); err != nil {
		return s, err
	}
	if c.symmetric {
		mirror(c.Threads, s.m, c.ended)
	}
	if err := c.ended(); err != nil {
		return s, err
	}
	if i, j, bad := allNotFinite(c.Threads, s.m); bad {
		return s, fault.Errorf("gram",
			"k(x, y) of rows %d and %d is %v: the kernel overflows or is not positive definite there", i, j, s.m.At(i, j))
	}
	return s, nil
}

// fillTile is how many rows one goroutine fills at a time.
const fillTile = 128

// mirror copies the lower triangle to the upper one, square by square so that
// both sides stay in cache. Diagonal tiles were evaluated whole; they too are
// mirrored, so that symmetry is exact.
func mirror[F linalg.Float](threads int, m linalg.Matrix[F], ended func() error) {
	const b = 64
	par.For(threads, (m.Rows+b-1)/b, 1, func(lo, _ int) {
		if ended() != nil {
			return
		}
		i0, i1 := lo*b, min((lo+1)*b, m.Rows)
		for j0 := i0; j0 < m.Rows; j0 += b {
			j1 := min(j0+b, m.Rows)
			for i := i0; i < i1; i++ {
				row := m.Row(i)
				for j := max(j0, i+1); j < j1; j++ {
					row[j] = m.Data[j*m.Stride+i]
				}
			}
		}
	})
}

// Dims returns the shape.
func (d stored[F]) Dims() (int, int) { return d.m.Rows, d.m.Cols }

// MulTo sets dst = K·v, or Kᵀ·v when trans.
func (d stored[F]) MulTo(dst, v *mat.Dense, trans bool) {
	checkMul(d, dst, v, trans)
	mulStored(d.threads, d.m, linalg.Of(dst), linalg.Of(v), trans && !d.symmetric)
}

// mulStored multiplies by a stored matrix. Sums are carried to float64 every
// sumPanel terms, so that rounding in single precision does not grow with n.
func mulStored[F linalg.Float](threads int, k linalg.Matrix[F], dst, v linalg.Matrix[float64], trans bool) {
	if k64, ok := any(k).(linalg.Matrix[float64]); ok && v.Cols > fewColumns {
		linalg.Gemm(threads, linalg.Op(trans), linalg.NoTrans, 1, k64, v, 0, dst)
		return
	}
	o := newOperand[F](v)
	inner := v.Rows
	par.For(threads, dst.Rows, rowPiece, func(lo, hi int) {
		part := o.scratch(rowPiece)
		piece := dst.Slice(lo, hi, 0, dst.Cols)
		for i := range piece.Rows {
			clear(piece.Row(i))
		}
		for p := 0; p < inner; p += sumPanel {
			q := min(p+sumPanel, inner)
			if trans {
				o.addTile(piece, linalg.Trans, k.Slice(p, q, lo, hi), p, part)
			} else {
				o.addTile(piece, linalg.NoTrans, k.Slice(lo, hi, p, q), p, part)
			}
		}
	})
}

const (
	sumPanel = 1024
	rowPiece = 64
)

// Diag sets dst to the diagonal.
func (d stored[F]) Diag(dst []float64) {
	for i := range dst {
		dst[i] = float64(d.m.At(i, i))
	}
}

// Column sets dst to column j.
func (d stored[F]) Column(dst []float64, j int) {
	if d.symmetric {
		d.Row(dst, j)
		return
	}
	for i := range dst {
		dst[i] = float64(d.m.At(i, j))
	}
}

// Row sets dst to row i.
func (d stored[F]) Row(dst []float64, i int) {
	for j, v := range d.m.Row(i) {
		dst[j] = float64(v)
	}
}

// Block sets dst[a, b] = K[i+a, j+b].
func (d stored[F]) Block(dst *mat.Dense, i, j int) {
	o := linalg.Of(dst)
	for a := range o.Rows {
		row := o.Row(a)
		for b, v := range d.m.Row(i + a)[j : j+o.Cols] {
			row[b] = float64(v)
		}
	}
}

// Column32 returns column j; see the interface.
func (d stored[F]) Column32(j int) []float32 {
	if d.symmetric {
		if row, ok := any(d.m.Row(j)).([]float32); ok {
			return row
		}
	}
	c := make([]float32, d.m.Rows)
	for i := range c {
		c[i] = float32(d.m.At(i, j))
	}
	return c
}

// Describe says how the matrix is kept, and why.
func (d stored[F]) Describe() string {
	c := choice{r: d.m.Rows, c: d.m.Cols, why: d.why}
	c.Layout = Full
	_, c.single = any(d.m).(linalg.Matrix[float32])
	return c.describe()
}
