package kernel

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/internal/par"
	"gonum.org/v1/gonum/mat"
)

// Tiles is K(X, Y) with its points made ready once (mapped by pull-backs,
// centred, norms taken), to be evaluated a rectangle at a time. It is safe for
// concurrent use; each call runs in the calling goroutine.
type Tiles interface {
	Dims() (r, c int)
	// Tile sets dst[a, b] = k(x[i+a], y[j+b]) for all of dst.
	Tile(dst linalg.Matrix[float64], i, j int)
	// Tile32 is Tile in single precision.
	Tile32(dst linalg.Matrix[float32], i, j int)
}

// Prepare makes K(X, Y) ready for evaluation by the fastest path k offers.
// It is the only place, with gram.New, that looks for fast paths.
func Prepare[T any](k Kernel[T], x, y data.Points[T]) Tiles {
	return pairTiles[T]{k, x, y}
}

// pairTiles is the meaning of Tiles: a call of Eval per pair.
type pairTiles[T any] struct {
	k    Kernel[T]
	x, y data.Points[T]
}

func (p pairTiles[T]) Dims() (int, int) { return p.x.Len(), p.y.Len() }

func (p pairTiles[T]) Tile(dst linalg.Matrix[float64], i, j int) {
	for a := range dst.Rows {
		xa, row := p.x.At(i+a), dst.Row(a)
		for b := range row {
			row[b] = p.k.Eval(xa, p.y.At(j+b))
		}
	}
}

func (p pairTiles[T]) Tile32(dst linalg.Matrix[float32], i, j int) {
	for a := range dst.Rows {
		xa, row := p.x.At(i+a), dst.Row(a)
		for b := range row {
			row[b] = float32(p.k.Eval(xa, p.y.At(j+b)))
		}
	}
}

// Block sets dst[i, j] = k(x.At(i), y.At(j)), in parallel.
func Block[T any](k Kernel[T], dst *mat.Dense, x, y data.Points[T]) {
	Fill(0, linalg.Of(dst), Prepare(k, x, y))
}

// tileRows is how many rows one goroutine fills at a time: enough to amortise
// packing, few enough to balance.
const tileRows = 128

// Fill evaluates all of t into dst.
func Fill(threads par.Threads, dst linalg.Matrix[float64], t Tiles) {
	par.For(threads, dst.Rows, tileRows, func(lo, hi int) {
		t.Tile(dst.Slice(lo, hi, 0, dst.Cols), lo, 0)
	})
}

// Diag sets dst[i] = k(x.At(i), x.At(i)).
func Diag[T any](k Kernel[T], dst []float64, x data.Points[T]) {
	for i := range dst {
		xi := x.At(i)
		dst[i] = k.Eval(xi, xi)
	}
}
