// Package gram is the Gram matrix K(X, Y) as an operator: stored, cached or
// computed when asked, within a byte budget.
package gram

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/internal/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Gram is all that a solver sees of a kernel and its points.
type Gram interface {
	Dims() (r, c int)
	// MulTo sets dst = K·v, or Kᵀ·v when trans.
	MulTo(dst, v *mat.Dense, trans bool)
	// Diag sets dst to the diagonal.
	Diag(dst []float64)
	// Column sets dst to column j.
	Column(dst []float64, j int)
}

// Options chooses how a Gram matrix is kept.
type Options struct {
	Bytes   int64       // byte budget; 0 means a quarter of the machine's memory
	Threads par.Threads // 0 means GOMAXPROCS
}

// New returns K(X, X).
func New[T any](k kernel.Kernel[T], x data.Points[T], o Options) (Gram, error) {
	n := x.Len()
	d := Dense{m: linalg.New[float64](n, n), threads: o.Threads}
	kernel.Fill(o.Threads, d.m, kernel.Prepare(k, x, x))
	return d, nil
}

// Dense is a Gram matrix held in full.
type Dense struct {
	m       linalg.Matrix[float64]
	threads par.Threads
}

// Matrix views the storage.
func (d Dense) Matrix() linalg.Matrix[float64] { return d.m }

// Dims returns the shape.
func (d Dense) Dims() (int, int) { return d.m.Rows, d.m.Cols }

// MulTo sets dst = K·v, or Kᵀ·v when trans.
func (d Dense) MulTo(dst, v *mat.Dense, trans bool) {
	linalg.Gemm(d.threads, linalg.Op(trans), linalg.NoTrans, 1, d.m, linalg.Of(v), 0, linalg.Of(dst))
}

// Diag sets dst to the diagonal.
func (d Dense) Diag(dst []float64) {
	for i := range dst {
		dst[i] = d.m.At(i, i)
	}
}

// Column sets dst to column j.
func (d Dense) Column(dst []float64, j int) {
	for i := range dst {
		dst[i] = d.m.At(i, j)
	}
}
