package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/blas/blas64"
)

// Row sets dst[j] = k(x, yⱼ) for every column yⱼ, in the calling goroutine. It is for one point after another, as a
// service gets them: the plan of the last one is used again, only what stands in it of x is made anew. Kernels on vectors that are functions
// of a metric, and what the algebra makes of them, allocate nothing. The error is that of ctx: dst is unfinished.
func (s *Base[T]) Row(ctx context.Context, dst []float64, x T) error {
	r := s.rowOf(ctx, x)
	r.plan.Tile(blas64.General{Rows: 1, Cols: len(dst), Stride: max(len(dst), 1), Data: dst}, 0, 0)
	s.leave(ctx, r)
	return ctx.Err()
}

// RowSum is Σⱼ v[j]·k(x, yⱼ) of a kernel that HasSums, to the bits that the Sums of several points have, in the calling goroutine and likewise without
// allocating. ok is false where this point has no such sum.
func (s *Base[T]) RowSum(ctx context.Context, x T, v []float64) (sum float64, ok bool, err error) {
	r := s.rowOf(ctx, x)
	if r.sums == nil {
		r.sums = r.plan.Sums(false)
	}
	if r.sums != nil {
		r.sums(1, 0, r.sum[:], v)
	}
	sum, ok = r.sum[0], r.sums != nil
	s.leave(ctx, r)
	return sum, ok, ctx.Err()
}

// rowOf is a plan of x, that of another point where there is one.
func (s *Base[T]) rowOf(ctx context.Context, x T) *rowPlan[T] {
	r, _ := s.rows.Get().(*rowPlan[T])
	if r == nil || !r.renew(ctx, x) {
		r = s.newRowPlan(ctx, x)
	}
	return r
}

// leave keeps a plan for the next point.
func (s *Base[T]) leave(ctx context.Context, r *rowPlan[T]) {
	if r.again != nil && ctx.Err() == nil {
		r.plan.ctx, r.at.x = nil, *new(T)
		s.rows.Put(r)
	}
}

// HasSums says whether tiles of this kernel have Sums, by which a function of one output is evaluated: a point on
// its own has to take the same way as among others.
func (s *Base[T]) HasSums() bool {
	s.once.Do(func() {
		if s.y.Len() == 0 {
			return
		}
		if t, ok := s.Prepare(context.Background(), data.Gather(s.y, []int{0})).(Summer); ok {
			s.summed = t.Sums(false) != nil
		}
	})
	return s.summed
}

// rowPlan is a plan of one point, in which another can take its place. One goroutine has it at a time.
type rowPlan[T any] struct {
	plan  *plan
	at    *point[T]
	dim   int      // of the point, if it is a vector
	again []func() // in order, what is made of the point; nil: the plan is for that point alone
	sums  Sums     // of the plan, once they were asked for
	sum   [1]float64
}

// rowMaker is how a builder notes what a plan of one point has to do for the next.
type rowMaker struct {
	wanted bool
	whole  bool // something was made of the point that cannot be made again in place
	again  []func()
}

// repeat is called with what makes a part of the plan from the first point of x, after it was made once.
func (b *builder) repeat(f func()) {
	if b.row.wanted {
		b.row.again = append(b.row.again, f)
	}
}

func (s *Base[T]) newRowPlan(ctx context.Context, x T) *rowPlan[T] {
	r := &rowPlan[T]{at: &point[T]{x}, dim: dimOf(x)}
	b, p := startPlan(ctx, data.Points[T](r.at), s.y)
	b.row.wanted = true
	s.lower(b, p)
	r.plan = b.plan
	if !b.row.whole && !b.plan.stopped() {
		r.again = append(b.row.again, func() {})
	}
	return r
}

// renew puts x in the place of the point before, where that can be.
func (r *rowPlan[T]) renew(ctx context.Context, x T) bool {
	if dimOf(x) != r.dim {
		return false
	}
	r.plan.ctx, r.at.x = ctx, x
	for _, f := range r.again {
		f()
	}
	for _, s := range r.plan.sources {
		if s.products != nil && !linalg.OrdinaryRange(s.x) {
			return false // this point needs another scale, and so its own distances
		}
	}
	return !r.plan.stopped()
}

func dimOf(x any) int {
	if v, ok := x.(Vec); ok {
		return len(v)
	}
	return 0
}

// point is one point.
type point[T any] struct{ x T }

func (p *point[T]) Len() int { return 1 }
func (p *point[T]) At(int) T { return p.x }
