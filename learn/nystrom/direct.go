package nystrom

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"gonum.org/v1/gonum/mat"
)

// sums is Σ w zzᵀ, z = [φ(x) - center, 1, y - mean], over the rows of a source, in the lower
// triangle. Taking something near the means off first keeps the digits that sums of squares of
// large numbers would lose. Sums over parts of the rows add up, and are taken off each other.
func (p *problem) sums(ctx context.Context, rows data.Source[any]) (linalg.Matrix[float64], error) {
	b, m := p.basis, p.basis.dim()
	total := linalg.New[float64](m+1+p.outputs, m+1+p.outputs)
	pair, err := gram.NewPair(p.kernel, rows, b.centers, gram.PairOptions{Threads: p.Threads})
	if err != nil {
		return total, err
	}
	design := linalg.New[float64](0, total.Rows)
	return total, pair.Visit(ctx, func(block data.Block[any], k *mat.Dense) error {
		if design.Rows < block.Len() {
			design = linalg.New[float64](block.Len(), total.Rows)
		}
		z := design.Slice(0, block.Len(), 0, total.Rows)
		phi := linalg.Of(k)
		if err := b.features(ctx, phi); err != nil {
			return err
		}
		par.For(p.Threads, z.Rows, 32, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row, root := z.Row(i), math.Sqrt(block.Weight(i))
				for j, v := range phi.Row(i) {
					if p.intercept {
						v -= b.center[j]
					}
					row[j] = root * v
				}
				row[m] = root
				y := row[m+1:]
				p.target(y, block, i)
				for j := range y {
					y[j] = root * (y[j] - p.mean[j])
				}
			}
		})
		return linalg.SyrkContext(ctx, p.Threads, linalg.Lower, linalg.Trans, 1, z, 1, total)
	})
}

// normal is (A + λI)v = B, A and B the sums of products of features and targets, about their means
// where there is an intercept.
type normal struct {
	a, b    linalg.Matrix[float64] // a in the lower triangle
	mean    []float64              // of φ; nil without an intercept
	target  []float64              // mean of the targets
	square  float64                // Σ w‖y‖² about the means
	threads int

	values  []float64 // eigenvalues of A
	vectors linalg.Matrix[float64]
	vb      linalg.Matrix[float64] // vectorsᵀ·B
}

// normalOf takes the intercept out of sums.
func (p *problem) normalOf(sums linalg.Matrix[float64]) *normal {
	m := p.basis.dim()
	n := &normal{a: sums.Slice(0, m, 0, m).Clone(), b: linalg.New[float64](m, p.outputs),
		target: append([]float64(nil), p.mean...), threads: p.Threads}
	means, weight := sums.Row(m)[:m], sums.At(m, m)
	for o := range p.outputs {
		y := sums.Row(m + 1 + o)
		n.square += y[m+1+o]
		shift := 0.0
		if p.intercept {
			shift = y[m] / weight
			n.square -= shift * y[m]
			n.target[o] += shift
		}
		for j := range m {
			n.b.Set(j, o, y[j]-shift*means[j])
		}
	}
	n.square = math.Max(n.square, 0)
	if p.intercept {
		n.mean = make([]float64, m)
		for i := range m {
			row := n.a.Row(i)
			for j := range row[:i+1] {
				row[j] -= means[i] / weight * means[j]
			}
			n.mean[i] = p.basis.center[i] + means[i]/weight
		}
	}
	return n
}

// solution is ⟨v, φ(x)⟩ + bias for each output.
type solution struct {
	v         linalg.Matrix[float64]
	bias      []float64 // nil without an intercept
	residual  float64   // relative, of the normal equations, the largest of the outputs
	objective float64
	steps     int
	condition float64 // of the preconditioned equations; 0 where there was nothing to iterate
	settled   bool
}

// solve finds the solution for one λ by a factorisation and a step of refinement.
func (n *normal) solve(ctx context.Context, lambda float64) (*solution, error) {
	shifted := n.a.Clone()
	for i := range shifted.Rows {
		shifted.Row(i)[i] += lambda
	}
	chol, err := linalg.NewCholeskyContext(ctx, n.threads, shifted)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("ΦᵀΦ + λI with λ = %g: %w; raise lambda", lambda, err)
	}
	v := n.b.Clone()
	chol.Solve(n.threads, v)
	rest, _ := n.residual(v, lambda)
	chol.Solve(n.threads, rest)
	for i := range rest.Data {
		v.Data[i] += rest.Data[i]
	}
	return n.solved(v, lambda), ctx.Err()
}

// decompose makes every λ a matter of two products: A = VDVᵀ gives v = V(D + λ)⁻¹VᵀB.
func (n *normal) decompose(ctx context.Context) error {
	full := n.a.Clone()
	for i := range full.Rows {
		for j := range i {
			full.Set(j, i, full.At(i, j))
		}
	}
	var err error
	if n.values, n.vectors, err = linalg.SymEigenContext(ctx, n.threads, full); err != nil {
		return err
	}
	n.vb = linalg.New[float64](n.b.Rows, n.b.Cols)
	linalg.Gemm(n.threads, linalg.Trans, linalg.NoTrans, 1, n.vectors, n.b, 0, n.vb)
	return ctx.Err()
}

// at is the solution for one λ of a decomposed system.
func (n *normal) at(lambda float64) *solution {
	apply := func(vb linalg.Matrix[float64]) linalg.Matrix[float64] {
		for i, d := range n.values {
			for j := range vb.Row(i) {
				vb.Row(i)[j] /= math.Max(d, 0) + lambda
			}
		}
		v := linalg.New[float64](vb.Rows, vb.Cols)
		linalg.Gemm(n.threads, linalg.NoTrans, linalg.NoTrans, 1, n.vectors, vb, 0, v)
		return v
	}
	v := apply(n.vb.Clone())
	rest, _ := n.residual(v, lambda)
	turned := linalg.New[float64](rest.Rows, rest.Cols)
	linalg.Gemm(n.threads, linalg.Trans, linalg.NoTrans, 1, n.vectors, rest, 0, turned)
	for i, d := range apply(turned).Data {
		v.Data[i] += d
	}
	return n.solved(v, lambda)
}

// residual is B - (A + λI)v, and its largest relative norm.
func (n *normal) residual(v linalg.Matrix[float64], lambda float64) (linalg.Matrix[float64], float64) {
	rest := n.b.Clone()
	linalg.Symm(n.threads, linalg.Left, linalg.Lower, -1, n.a, v, 1, rest)
	for i := range rest.Data {
		rest.Data[i] -= lambda * v.Data[i]
	}
	return rest, largestRatio(rest, n.b)
}

// directResidual is the residual up to which a factorisation has done its work.
const directResidual = 1e-9

// solved is v with its account: the objective at a solution is Σ w‖y‖² - ⟨v, B⟩.
func (n *normal) solved(v linalg.Matrix[float64], lambda float64) *solution {
	s := &solution{v: v, steps: 1}
	_, s.residual = n.residual(v, lambda)
	s.settled = s.residual <= directResidual
	s.objective = n.square
	for i, x := range v.Data {
		s.objective -= x * n.b.Data[i]
	}
	s.objective = math.Max(s.objective, 0)
	if n.mean != nil {
		s.bias = biases(n.target, n.mean, v)
	}
	return s
}

// biases is target - ⟨mean, v⟩ for each output.
func biases(target, mean []float64, v linalg.Matrix[float64]) []float64 {
	out := append([]float64(nil), target...)
	for j, m := range mean {
		for o, x := range v.Row(j) {
			out[o] -= m * x
		}
	}
	return out
}

// largestRatio is the largest ‖r‖/‖b‖ of a column.
func largestRatio(r, b linalg.Matrix[float64]) float64 {
	worst := 0.0
	top, below := fitting.ColumnNorms(r), fitting.ColumnNorms(b)
	for o, d := range below {
		if d > 0 {
			worst = math.Max(worst, top[o]/d)
		}
	}
	return worst
}
