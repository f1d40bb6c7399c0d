package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/blas/blas64"
)

// Row sets dst[j] = k(x, yⱼ) for every column yⱼ, in the calling goroutine. It is for one point
// after another, as a service gets them: the plan of the last one is used again, only what stands
// in it of x is made anew. Kernels on vectors that are functions of a metric, and what the algebra
// makes of them, allocate nothing. The error is that of ctx: dst is unfinished.
func (s *Base[T]) Row(ctx context.Context, dst []float64, x T) error {
	r := rowPlanOf(ctx, s.of, x)
	r.plan.Tile(blas64.General{Rows: 1, Cols: len(dst), Stride: max(len(dst), 1), Data: dst}, 0, 0)
	leave(ctx, s.of, r, x)
	return ctx.Err()
}

// RowSum is Σⱼ v[j]·k(x, yⱼ) of a kernel that HasSums, to the bits that the Sums of several points
// have, in the calling goroutine and likewise without allocating. ok is false where this point has
// no such sum.
func (s *Base[T]) RowSum(ctx context.Context, x T, v []float64) (sum float64, ok bool, err error) {
	r := rowPlanOf(ctx, s.of, x)
	if r.sums == nil {
		r.sums = r.plan.Sums(false)
	}
	if r.sums != nil {
		r.sums(1, 0, r.sum[:], v)
	}
	sum, ok = r.sum[0], r.sums != nil
	leave(ctx, s.of, r, x)
	return sum, ok, ctx.Err()
}

// rowPlanOf is a plan of x, that of another point where there is one.
func rowPlanOf[T any](ctx context.Context, s *base, x T) *rowPlan {
	if r, ok := s.rows.Get().(*rowPlan); ok {
		// A plan that another type of points left, erased ones beside their own, is let go.
		if at, same := r.at.(*point[T]); same && at.dim(x) == r.dim {
			at.x = x
			if r.renew(ctx) {
				return r
			}
		}
	}
	at := &point[T]{x}
	return s.newRowPlan(ctx, at, data.Erase(data.Points[T](at)), at.dim(x))
}

// leave keeps a plan for the next point.
func leave[T any](ctx context.Context, s *base, r *rowPlan, _ T) {
	if r.again != nil && ctx.Err() == nil {
		r.at.(*point[T]).x = *new(T)
		r.plan.ctx = nil
		s.rows.Put(r)
	}
}

// HasSums says whether tiles of this kernel have Sums, by which a function of one output is
// evaluated: a point on its own has to take the same way as among others.
func (s *Base[T]) HasSums() bool { return s.of.hasSums() }

func (s *base) hasSums() bool {
	s.once.Do(func() {
		if s.y.Len() == 0 {
			return
		}
		if t, ok := s.prepare(context.Background(), data.Gather(s.y, []int{0})).(Summer); ok {
			s.summed = t.Sums(false) != nil
		}
	})
	return s.summed
}

// rowPlan is a plan of one point, in which another can take its place. One goroutine has it at a
// time.
type rowPlan struct {
	plan  *plan
	at    any      // *point[T]
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

// repeat is called with what makes a part of the plan from the first point of x, after it was made
// once.
func (b *builder) repeat(f func()) {
	if b.row.wanted {
		b.row.again = append(b.row.again, f)
	}
}

func (s *base) newRowPlan(ctx context.Context, at any, x data.Points[any], dim int) *rowPlan {
	r := &rowPlan{at: at, dim: dim}
	b, p := startPlan(ctx, x, s.y)
	b.row.wanted = true
	s.lower(b, p)
	r.plan = b.plan
	if !b.row.whole && !b.plan.stopped() {
		r.again = append(b.row.again, func() {})
	}
	return r
}

// renew makes the plan anew for the point that took the place of the one before, where that can be.
func (r *rowPlan) renew(ctx context.Context) bool {
	r.plan.ctx = ctx
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

// point is one point.
type point[T any] struct{ x T }

func (p *point[T]) Len() int { return 1 }
func (p *point[T]) At(int) T { return p.x }

// dim is the length of x, if it is a vector.
func (p *point[T]) dim(x T) int {
	if v, ok := any(x).(Vec); ok {
		return len(v)
	}
	return 0
}
