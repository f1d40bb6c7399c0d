package kernel

import (
	"context"

	"github.com/mercer-ml/mercer/data"
)

// Until is k for as long as ctx lasts. Once that has ended, tiles of its Gram matrices return within
// a few milliseconds, left unfinished, whoever asked for them (Fill, a gram.Gram, a product); who
// looks at their values has to look at ctx first. The values themselves, one by one, are those of k. A context that cannot end
// returns k itself.
func Until[T any](ctx context.Context, k Kernel[T]) Kernel[T] {
	if k == nil || ctx.Done() == nil {
		return k
	}
	return until[T]{ctx, k}
}

// ContextOf is the context of a kernel that Until made, context.Background of any other.
func ContextOf[T any](k Kernel[T]) context.Context {
	if u, ok := k.(until[T]); ok {
		return u.ctx
	}
	return context.Background()
}

type until[T any] struct {
	ctx    context.Context
	kernel Kernel[T]
}

func (u until[T]) Eval(x, y T) float64 { return u.kernel.Eval(x, y) }

func (u until[T]) Params() []Param { return Params(u.kernel) }

func (u until[T]) With(theta []float64) Kernel[T] {
	if t, ok := u.kernel.(Tunable[T]); ok {
		return until[T]{u.ctx, t.With(theta)}
	}
	return u
}

func (u until[T]) Validate() error { return validate(u.kernel) }

func (u until[T]) CheckPoints(x data.Points[T]) error { return checkPoints(u.kernel, x) }

func (u until[T]) lower(b *builder, p pair[T]) node {
	b.plan.ctx = u.ctx
	return lower(b, u.kernel, p)
}

func (u until[T]) pairGrad(x, y T, dtheta []float64) float64 {
	return pairGrad(u.kernel, x, y, dtheta)
}

// stopped says that nobody waits for the rest.
func (p *plan) stopped() bool { return p.ctx != nil && p.ctx.Err() != nil }

// context is that of the plan.
func (p *plan) context() context.Context {
	if p.ctx == nil {
		return context.Background()
	}
	return p.ctx
}
