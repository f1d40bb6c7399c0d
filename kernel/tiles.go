package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Tiles is K(X, Y) with its points made ready once (mapped by pull-backs,
// centred, norms taken), to be evaluated a rectangle at a time. It is safe for
// concurrent use; each call runs in the calling goroutine.
type Tiles interface {
	Dims() (r, c int)
	// Tile sets dst[a, b] = k(x[i+a], y[j+b]) for all of dst.
	Tile(dst blas64.General, i, j int)
	// Tile32 is Tile in single precision.
	Tile32(dst blas32.General, i, j int)
	// Diag sets dst[i] = k(x[i], y[i]), in parallel.
	Diag(dst []float64)
	// Err is the error of the context that the tiles were prepared with, once that has ended: tiles
	// are left unfinished from then on, and who looks at their values has to look here first.
	Err() error
}

// Prepare makes K(X, Y) ready for evaluation by the fastest path k offers. Once ctx has ended,
// tiles return within a few milliseconds, left unfinished. It is the only place, with gram.New,
// that looks for fast paths.
func Prepare[T any](ctx context.Context, k Kernel[T], x, y data.Points[T]) Tiles {
	return newPlan(ctx, Erase(k), data.Erase(x), data.Erase(y))
}

// Err is that of the context.
func (p *plan) Err() error { return p.ctx.Err() }

// Dims is the number of points on each side.
func (p *plan) Dims() (int, int) { return p.rows, p.cols }

// Tile evaluates the plan on blocks that stay in cache.
func (p *plan) Tile(dst blas64.General, i, j int) {
	w, _ := p.pool64.Get().(*work[float64])
	if w == nil {
		w = new(work[float64])
	}
	evaluateTile(p, w, linalg.Matrix[float64](dst), i, j)
	p.pool64.Put(w)
}

// Tile32 is Tile in single precision.
func (p *plan) Tile32(dst blas32.General, i, j int) {
	w, _ := p.pool32.Get().(*work[float32])
	if w == nil {
		w = new(work[float32])
	}
	evaluateTile(p, w, linalg.Of32(dst), i, j)
	p.pool32.Put(w)
}

// Diag takes tiles of one value where points are made ready for values a pair at a time, which Eval
// would do again for each; elsewhere Eval is the cheaper one.
func (p *plan) Diag(dst []float64) {
	if p.self != nil && !p.heavy {
		eachSelf(p.ctx, dst, vectorGrain, p.self)
		return
	}
	eachSelf(p.ctx, dst, heavyGrain, func(i int) float64 {
		var v [1]float64
		p.Tile(blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: v[:]}, i, i)
		return v[0]
	})
}

// Values k(x, x) that one goroutine computes at a time.
const (
	vectorGrain = 1024
	heavyGrain  = 16
)

func eachSelf(ctx context.Context, dst []float64, grain int, self func(i int) float64) {
	par.For(0, len(dst), grain, func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			dst[i] = self(i)
		}
	})
}

// Blocks of at most this many rows and elements: 1 MiB of float64 stays in the
// second-level cache between the metric and the work above it.
const (
	blockRows     = 128
	blockElements = 128 * 1024
)

func evaluateTile[F linalg.Float](p *plan, w *work[F], dst linalg.Matrix[F], i, j int) {
	rows := min(blockRows, max(dst.Rows, 1))
	cols := max(blockElements/rows/8*8, 8)
	for r := 0; r < dst.Rows; r += rows {
		r1 := min(r+rows, dst.Rows)
		for c := 0; c < dst.Cols && !p.stopped(); c += cols {
			c1 := min(c+cols, dst.Cols)
			start(w, i+r, j+c, r1-r, c1-c, len(p.sources))
			evaluate(p.root, dst.Slice(r, r1, c, c1), w)
		}
	}
}

// Block sets dst[i, j] = k(x.At(i), y.At(j)), in parallel. Once ctx has ended the rest is left out,
// and its error returned.
func Block[T any](ctx context.Context, k Kernel[T], dst *mat.Dense, x, y data.Points[T]) error {
	return Fill(0, dst.RawMatrix(), Prepare(ctx, k, x, y))
}

// Square tiles are what one goroutine fills at a time: about lightTiles along a side, enough for
// sixteen goroutines where the points are a thousand, of leastLight to tileSide points, enough to
// amortise packing. How K is cut depends on its shape alone.
const (
	lightTiles = 12
	leastLight = 128
	tileSide   = 512
)

// Tiles of values that are computed a pair at a time (strings, graphs, bags, a user's function) are
// smaller still, so that a few hundred points are work for several goroutines: about heavyTiles
// along a side, of at least leastSide points.
const (
	heavyTiles = 16
	leastSide  = 16
)

// sideOf is the side of the tiles of t.
func sideOf(t Tiles) int {
	rows, cols := t.Dims()
	if p, ok := t.(*plan); ok && p.heavy {
		return min(max((max(rows, cols)+heavyTiles-1)/heavyTiles, leastSide), tileSide)
	}
	return min(max(max(rows, cols)/lightTiles/64*64, leastLight), tileSide)
}

// Fill evaluates all of t into dst, in parallel. When both sides are the same
// points, half of the matrix is computed and mirrored. The error is that of t: dst is unfinished.
func Fill(threads int, dst blas64.General, t Tiles) error {
	if symmetric(t) {
		return FillSym(threads, dst, t)
	}
	fillAll(threads, linalg.Matrix[float64](dst), t, tile64)
	return t.Err()
}

// Fill32 is Fill in single precision.
func Fill32(threads int, dst blas32.General, t Tiles) error {
	if symmetric(t) {
		fillHalf(threads, linalg.Of32(dst), t, tile32)
	} else {
		fillAll(threads, linalg.Of32(dst), t, tile32)
	}
	return t.Err()
}

// FillSym evaluates all of a square t whose two sides are the same points: the
// tiles on and below the diagonal are computed and mirrored, so that dst is
// symmetric to the bit. The error is that of t: dst is unfinished.
func FillSym(threads int, dst blas64.General, t Tiles) error {
	fillHalf(threads, linalg.Matrix[float64](dst), t, tile64)
	return t.Err()
}

func tile64(t Tiles, dst linalg.Matrix[float64], i, j int) { t.Tile(blas64.General(dst), i, j) }
func tile32(t Tiles, dst linalg.Matrix[float32], i, j int) { t.Tile32(linalg.General32(dst), i, j) }

func symmetric(t Tiles) bool {
	p, ok := t.(*plan)
	return ok && p.same
}

func fillAll[F linalg.Float](threads int, dst linalg.Matrix[F], t Tiles, tile func(Tiles, linalg.Matrix[F], int, int)) {
	side := sideOf(t)
	across := (dst.Cols + side - 1) / side
	down := (dst.Rows + side - 1) / side
	par.For(threads, across*down, 1, func(k, _ int) {
		if t.Err() != nil {
			return
		}
		i, j := k/across*side, k%across*side
		tile(t, dst.Slice(i, min(i+side, dst.Rows), j, min(j+side, dst.Cols)), i, j)
	})
}

func fillHalf[F linalg.Float](
	threads int, dst linalg.Matrix[F], t Tiles, tile func(Tiles, linalg.Matrix[F], int, int),
) {
	side := sideOf(t)
	down := (dst.Rows + side - 1) / side
	par.For(threads, down*(down+1)/2, 1, func(k, _ int) {
		if t.Err() != nil {
			return
		}
		row := 0
		for ; k > row; row++ {
			k -= row + 1
		}
		i, j := row*side, k*side
		i1, j1 := min(i+side, dst.Rows), min(j+side, dst.Rows)
		square := dst.Slice(i, i1, j, j1)
		if tile(t, square, i, j); t.Err() != nil {
			return
		}
		mirror(dst.Slice(j, j1, i, i1), square, i == j)
	})
}

// mirror sets dst = srcᵀ in blocks that read and write whole cache lines; on the
// diagonal both are one tile, whose lower triangle is copied onto the upper.
func mirror[F linalg.Float](dst, src linalg.Matrix[F], diagonal bool) {
	const block = 16
	for i := 0; i < src.Rows; i += block {
		i1 := min(i+block, src.Rows)
		for j := 0; j < src.Cols; j += block {
			j1 := min(j+block, src.Cols)
			if diagonal && j > i {
				break
			}
			for b := j; b < j1; b++ {
				lo := i
				if diagonal {
					lo = max(lo, b)
				}
				if lo >= i1 {
					continue
				}
				row := dst.Data[b*dst.Stride+lo : b*dst.Stride+i1]
				for a := range row {
					row[a] = src.Data[(lo+a)*src.Stride+b]
				}
			}
		}
	}
}

// Diag sets dst[i] = k(x.At(i), x.At(i)), in parallel. Once ctx has ended the rest is left out, and
// its error returned.
func Diag[T any](ctx context.Context, k Kernel[T], dst []float64, x data.Points[T]) error {
	return diagonal(ctx, Erase(k), dst, data.Erase(x))
}

func diagonal(ctx context.Context, k Kernel[any], dst []float64, x data.Points[any]) error {
	grain := heavyGrain
	if _, vectors := data.VectorsOf(x); vectors {
		grain = vectorGrain
	}
	eachSelf(ctx, dst, grain, doorFor(k).selves(x))
	return ctx.Err()
}
