package gram

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Pair is K = K(X, C) of many rows X and few centres C as a solver sees it: products with K and
// with Kᵀ in one pass over the rows, of which no more than a few tiles are in memory at a time. It
// is what a device implements, and what rows from a file come through.
type Pair[T any] interface {
	// Dims is the shape of K: the number of rows and, with a column of ones if there is one, of
	// centres.
	Dims() (n, m int)
	// MulTo sets dst = Kᵀ·u, where between makes the rows of u out of those of K·v: for Kᵀ(Kv + z)
	// it adds z. v nil stands for no columns, dst nil for a pass that only looks at K·v. When the
	// pass cannot be finished dst is left as it was.
	MulTo(ctx context.Context, dst, v *mat.Dense, between Between[T]) error
	// Visit calls f with consecutive blocks of rows of K, in order. A block is f's to read and
	// overwrite until it returns (but for the ones).
	Visit(ctx context.Context, f func(b data.Block[T], k *mat.Dense) error) error
}

// Between sets u, a row for each of the block b, given kv = K(b, C)·v. Of kv and u it gets what the
// product has: kv is nil where v is, u where dst is. It is called for several blocks at once, and
// for each row once; it may keep what it is told of row b.First+i at that place.
type Between[T any] func(b data.Block[T], kv, u *mat.Dense)

// Copy is the Between of Kᵀ·K·v.
func Copy[T any](_ data.Block[T], kv, u *mat.Dense) { u.Copy(kv) }

// PairOptions chooses how a Pair is evaluated.
type PairOptions struct {
	Threads int // 0 means GOMAXPROCS
	// Precision is that of the entries of K and of sums over a few hundred of them; sums of these
	// are in float64. Either is Double.
	Precision Precision
	// Device makes the products where it can and where that is worth the while; nil means
	// processors alone.
	Device *Device
	// Stream has the device copy rows anew in every pass, even where it has room to keep them.
	Stream bool
	// Ones adds a column of ones to K after those of the centres, and so a row to v and dst: an
	// intercept, and sums of u over all rows.
	Ones bool
}

// Rows are dealt to slots by position: slot s has the rows s·pairPiece to (s+1)·pairPiece of each
// block of all slots, and a sum of its own. The sums are added in order at the end, so that threads
// and the source leave no trace in the bits.
const (
	pairPiece = 256
	pairSlots = 64
	fewSlots  = 8 // for sums so large that 64 of them would be felt
)

// pairProduct is a Pair on processors.
type pairProduct[T any, F linalg.Float] struct {
	base    *kernel.Base[T]
	rows    data.Source[T]
	n, m    int // m without the column of ones
	ones    int // columns of ones
	threads int
	fill    func(t kernel.Tiles, dst linalg.Matrix[F], i, j int)
}

// NewPair is K(X, C) with the rows of a source. Points are taken as they are: who has them from
// elsewhere asks kernel.CheckPair first.
func NewPair[T any](k kernel.Kernel[T], rows data.Source[T], centers data.Points[T], o PairOptions) (Pair[T], error) {
	if err := kernel.Validate(k); err != nil {
		return nil, fault.In("gram", err)
	}
	if rows == nil || rows.Len() == 0 || centers == nil || centers.Len() == 0 {
		return nil, fault.Errorf("gram", "a pair product needs rows and centres")
	}
	if o.Precision < Double || o.Precision > Either {
		return nil, fault.Errorf("gram", "unknown precision %d", int(o.Precision))
	}
	own := newPairProduct(k, rows, centers, o)
	p := newDevicePair(k, rows, centers, o, own)
	if p == nil {
		return own, nil
	}
	if same, ok := any(p).(Pair[T]); ok {
		return same, nil
	}
	return any(erasedPair{p}).(Pair[T]), nil
}

func newPairProduct[T any](k kernel.Kernel[T], rows data.Source[T], centers data.Points[T], o PairOptions) Pair[T] {
	base, ones := kernel.NewBase(k, centers), 0
	if o.Ones {
		ones = 1
	}
	if o.Precision == Single {
		return &pairProduct[T, float32]{base, rows, rows.Len(), centers.Len(), ones, o.Threads,
			func(t kernel.Tiles, dst linalg.Matrix[float32], i, j int) {
				t.Tile32(linalg.General32(dst), i, j)
			}}
	}
	return &pairProduct[T, float64]{base, rows, rows.Len(), centers.Len(), ones, o.Threads,
		func(t kernel.Tiles, dst linalg.Matrix[float64], i, j int) {
			t.Tile(blas64.General(dst), i, j)
		}}
}

// Dims is the shape of K.
func (p *pairProduct[T, F]) Dims() (n, m int) { return p.n, p.m + p.ones }

// slots is how many sums there are for so many columns.
func (p *pairProduct[T, F]) slots(columns int) int {
	if p.m*columns > 1<<17 {
		return fewSlots
	}
	return pairSlots
}

// MulTo sets dst = Kᵀ·u, u made by between out of K·v.
func (p *pairProduct[T, F]) MulTo(ctx context.Context, dst, v *mat.Dense, between Between[T]) error {
	w := pairWork[T, F]{p: p, between: between}
	if v != nil {
		if r, _ := v.Dims(); r != p.m+p.ones {
			panic("gram: pair product with a matrix of another number of rows than centres")
		}
		_, w.in = v.Dims()
		all := linalg.Of(v)
		if w.v = newOperand[F](all.Slice(0, p.m, 0, w.in)); p.ones > 0 {
			w.shift = all.Row(p.m)
		}
	}
	if dst != nil {
		if r, _ := dst.Dims(); r != p.m+p.ones {
			panic("gram: pair product into a matrix of another number of rows than centres")
		}
		_, w.out = dst.Dims()
	}
	slots := make([]*pairSlot[F], p.slots(max(w.in, w.out)))
	err := p.rows.Pass(ctx, len(slots)*pairPiece, func(b data.Block[T]) error {
		par.For(p.threads, b.Len(), pairPiece, func(lo, hi int) {
			s := lo / pairPiece
			if slots[s] == nil {
				slots[s] = w.newSlot()
			}
			w.piece(ctx, b.Part(lo, hi), slots[s])
		})
		return ctx.Err()
	})
	if err != nil || dst == nil {
		return err
	}
	d := linalg.Of(dst)
	for i := range d.Rows {
		clear(d.Row(i))
	}
	for _, s := range slots {
		if s != nil {
			accumulate(d, s.sum)
		}
	}
	return nil
}

// visitRows is how many rows Visit has in memory: enough for a matrix product of them with
// themselves.
const visitRows = 1024

// Visit calls f with blocks of rows of K.
func (p *pairProduct[T, F]) Visit(ctx context.Context, f func(b data.Block[T], k *mat.Dense) error) error {
	all := linalg.New[float64](min(visitRows, p.n), p.m+p.ones)
	for i := 0; i < all.Rows && p.ones > 0; i++ {
		all.Set(i, p.m, 1)
	}
	return p.rows.Pass(ctx, visitRows, func(b data.Block[T]) error {
		k := all.Slice(0, b.Len(), 0, p.m)
		par.For(p.threads, b.Len(), 64, func(lo, hi int) {
			t := p.base.Prepare(ctx, data.Span(b.Points, lo, hi))
			part := k.Slice(lo, hi, 0, p.m)
			if wide, ok := any(part).(linalg.Matrix[F]); ok {
				p.fill(t, wide, 0, 0)
				return
			}
			tile := linalg.New[F](part.Rows, part.Cols)
			p.fill(t, tile, 0, 0)
			for i := range part.Rows {
				row := part.Row(i)
				for j, v := range tile.Row(i) {
					row[j] = float64(v)
				}
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		return f(b, linalg.Dense(all.Slice(0, b.Len(), 0, all.Cols)))
	})
}
