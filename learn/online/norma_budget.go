package online

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// maintain forgets terms that are too old or too many.
func (o *Machine[T]) maintain() error {
	s := &o.s
	for o.c.Truncate > 0 && len(s.Born) > 0 && s.Step-s.Born[0] >= o.c.Truncate {
		o.drop(0)
	}
	for o.c.Budget > 0 && len(s.Coef) > o.c.Budget {
		out := 0
		if o.c.BudgetRule != DropOldest {
			least := math.Inf(1)
			for i, x := range s.Centers {
				if norm := s.Coef[i] * s.Coef[i] * o.c.Kernel.Eval(x, x); norm < least {
					out, least = i, norm
				}
			}
		}
		if project := o.c.BudgetRule == ProjectSmallest || o.c.BudgetRule == ProjectNearest; project && len(s.Coef) > 1 {
			if err := o.project(out); err != nil {
				return err
			}
		}
		o.drop(out)
		s.Broken++
	}
	return nil
}

func (o *Machine[T]) drop(i int) {
	s := &o.s
	s.Centers = append(s.Centers[:i], s.Centers[i+1:]...)
	s.Born = append(s.Born[:i], s.Born[i+1:]...)
	s.Coef = append(s.Coef[:i], s.Coef[i+1:]...)
}

// near lists the terms that term out is projected onto: all others, or those nearest to it, the
// largest cosines of their angles in feature space.
func (o *Machine[T]) near(out int) []int {
	s := &o.s
	var rest []int
	cosine := make([]float64, len(s.Coef))
	for i, x := range s.Centers {
		if i == out {
			continue
		}
		rest = append(rest, i)
		if o.c.BudgetRule == ProjectNearest {
			cosine[i] = math.Abs(o.c.Kernel.Eval(x, s.Centers[out])) / math.Sqrt(o.c.Kernel.Eval(x, x))
		}
	}
	if o.c.BudgetRule != ProjectNearest || len(rest) <= nearestTerms {
		return rest
	}
	slices.SortStableFunc(rest, func(a, b int) int { return cmp.Compare(cosine[b], cosine[a]) })
	return rest[:nearestTerms]
}

// project adds the projection of term out onto others: K·δ = k(·, x_out), with as
// much of the diagonal added as makes K definite.
func (o *Machine[T]) project(out int) error {
	s := &o.s
	rest := o.near(out)
	n := len(rest)
	k, d := linalg.New[float64](n, n), make([]float64, n)
	trace := 0.0
	for a, i := range rest {
		for b := range a + 1 {
			if o.stopped() {
				return o.ctx.Err()
			}
			v := o.c.Kernel.Eval(s.Centers[i], s.Centers[rest[b]])
			k.Set(a, b, v)
			k.Set(b, a, v)
		}
		d[a] = o.c.Kernel.Eval(s.Centers[i], s.Centers[out])
		trace += k.At(a, a)
	}
	ctx := o.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	for jitter := 1e-12 * trace / float64(n); ; jitter *= 100 {
		h := k.Clone()
		for a := range n {
			h.Row(a)[a] += jitter
		}
		chol, err := linalg.NewCholeskyContext(ctx, 1, h)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if jitter > trace || jitter == 0 {
				return fmt.Errorf("norma: projection: %w; is the kernel positive semi-definite?", err)
			}
			continue
		}
		chol.Solve(1, linalg.Matrix[float64]{Rows: n, Cols: 1, Stride: 1, Data: d})
		break
	}
	for a, i := range rest {
		s.Coef[i] += s.Coef[out] * d[a]
	}
	return nil
}
