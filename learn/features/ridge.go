package features

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
)

// targets makes what is to be learnt of a row out of its targets; nil leaves them as they are.
type targets func(dst, row []float64)

// squares is Σ w zzᵀ over the rows, z = [φ - shift, 1, y - shift], in the lower triangle: all that
// ridge regression needs, in one pass. What is taken off is the means of the first block, which
// keeps the digits that sums of squares of large numbers lose.
type squares[T any] struct {
	waves  *waves[T]
	sums   linalg.Matrix[float64]
	shift  []float64 // of φ, then of y
	count  int
	weight float64
}

func addSquares[T any](
	ctx context.Context, k kernel.Kernel[T], rows data.Source[T], o Options, outputs int, t targets,
) (*squares[T], error) {
	s := &squares[T]{}
	var design linalg.Matrix[float64]
	err := pass(ctx, k, rows, o, &s.waves, func(b data.Block[T], phi linalg.Matrix[float64]) error {
		d := phi.Cols
		if s.sums.Rows == 0 {
			s.sums = linalg.New[float64](d+1+outputs, d+1+outputs)
		}
		if design.Rows < b.Len() {
			design = linalg.New[float64](b.Len(), s.sums.Rows)
		}
		z := design.Slice(0, b.Len(), 0, s.sums.Rows)
		for i := range z.Rows {
			to := z.Row(i)
			copy(to, phi.Row(i))
			to[d] = 1
			if t == nil {
				copy(to[d+1:], b.Target(i))
			} else {
				t(to[d+1:], b.Target(i))
			}
		}
		if s.shift == nil {
			s.shift = make([]float64, z.Cols)
			for i := range z.Rows {
				for j, v := range z.Row(i) {
					s.shift[j] += (v - s.shift[j]) / float64(i+1)
				}
			}
			s.shift[d] = 0
		}
		for i := range z.Rows {
			w := b.Weight(i)
			if w > 0 {
				s.count++
			}
			s.weight += w
			root, to := math.Sqrt(w), z.Row(i)
			for j := range to {
				to[j] = root * (to[j] - s.shift[j])
			}
		}
		return linalg.SyrkContext(ctx, o.Threads, linalg.Lower, linalg.Trans, 1, z, 1, s.sums)
	})
	if err != nil {
		return nil, err
	}
	if s.weight == 0 {
		return nil, fmt.Errorf("all sample weights are 0")
	}
	return s, nil
}

// ridgeSolution is v and b, with the relative residual of the normal equations and the objective.
type ridgeSolution struct {
	v         linalg.Matrix[float64]
	bias      []float64
	residual  float64
	objective float64
}

// solve minimises ½Σ w(y - ⟨v, φ⟩ - b)² + (λ/2)‖v‖²: (A + λI)v = B about the weighted means, or
// about 0 without an intercept, by a factorisation and a step of refinement.
func (s *squares[T]) solve(ctx context.Context, lambda float64, intercept bool, threads int) (*ridgeSolution, error) {
	d := s.waves.dim()
	outputs := s.sums.Rows - d - 1
	// About the weighted means the sums are those about the shift less what the means differ; about
	// 0 they are more.
	off := make([]float64, s.sums.Rows)
	for j := range off {
		if off[j] = s.sums.At(max(d, j), min(d, j)) / s.weight; j == d {
			off[j] = 0
		}
	}
	about := func(i, j int) float64 {
		v := s.sums.At(i, j)
		if intercept {
			return v - s.weight*off[i]*off[j]
		}
		return v + s.weight*(off[i]*s.shift[j]+s.shift[i]*off[j]+s.shift[i]*s.shift[j])
	}
	a, b := linalg.New[float64](d, d), linalg.New[float64](d, outputs)
	total := 0.0
	for i := range d {
		for j := range i + 1 {
			a.Set(i, j, about(i, j))
		}
		for o := range outputs {
			b.Set(i, o, about(d+1+o, i))
		}
	}
	for o := range outputs {
		total += math.Max(about(d+1+o, d+1+o), 0)
	}
	for i := range d {
		a.Row(i)[i] += lambda
	}
	chol, err := linalg.NewCholeskyContext(ctx, threads, a.Clone())
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("ΦᵀΦ + λI with λ = %g: %w; raise lambda", lambda, err)
	}
	out := &ridgeSolution{v: b.Clone()}
	chol.Solve(threads, out.v)
	for turn := range 2 {
		rest := b.Clone()
		linalg.Symm(threads, linalg.Left, linalg.Lower, -1, a, out.v, 1, rest)
		top, below := fitting.ColumnNorms(rest), fitting.ColumnNorms(b)
		out.residual = 0
		for o, n := range below {
			if n > 0 {
				out.residual = math.Max(out.residual, top[o]/n)
			}
		}
		if turn == 0 {
			chol.Solve(threads, rest)
			for i, v := range rest.Data {
				out.v.Data[i] += v
			}
		}
	}
	out.objective = total
	for i, v := range out.v.Data {
		out.objective -= v * b.Data[i]
	}
	out.objective = 0.5 * math.Max(out.objective, 0)
	if intercept {
		out.bias = make([]float64, outputs)
		for o := range outputs {
			out.bias[o] = s.shift[d+1+o] + off[d+1+o]
			for j := range d {
				out.bias[o] -= (s.shift[j] + off[j]) * out.v.At(j, o)
			}
		}
	}
	return out, ctx.Err()
}
