package nystrom

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"gonum.org/v1/gonum/mat"
)

// risk is R(z) = Σ wᵢ ℓ(yᵢ, ⟨v, φ(xᵢ)⟩ + b) + (λ/2)‖v‖², z = [v; b] with a column for each output,
// by passes over the rows.
type risk struct {
	p    *problem
	pair gram.Pair[any] // with a column of ones, for b and for sums over rows
	size int            // rows of z
}

func newRisk(p *problem) (*risk, error) {
	pair, err := p.closing(gram.NewPair(p.kernel, p.rows, p.basis.centers,
		gram.PairOptions{Threads: p.Threads, Ones: true, Device: p.Device}))
	r := &risk{p: p, pair: pair, size: p.basis.dim()}
	if p.intercept {
		r.size++
	}
	return r, err
}

// loss sets slope to the derivative of ℓ(code, f) by f, and proba to the probabilities that it is
// made of: of the larger of two classes, of each of more.
func loss(code int, f, proba, slope []float64) float64 {
	if len(f) == 1 {
		sign := float64(2*code - 1)
		proba[0] = sigmoid.Of(f[0])
		slope[0] = -sign * sigmoid.Of(-sign*f[0])
		return sigmoid.Softplus(-sign * f[0])
	}
	z := sigmoid.LogSumExp(f)
	for c, v := range f {
		proba[c] = math.Exp(v - z)
		slope[c] = proba[c]
	}
	slope[code]--
	return z - f[code]
}

// bend sets dst to the second derivative of ℓ, at probabilities, times t.
func bend(dst, proba, t []float64) {
	if len(t) == 1 {
		dst[0] = proba[0] * (1 - proba[0]) * t[0]
		return
	}
	mean := 0.0
	for c, v := range t {
		mean += proba[c] * v
	}
	for c, v := range t {
		dst[c] = proba[c] * (v - mean)
	}
}

// toRows is z in coefficients of the columns of K and the ones, beside what stands there already:
// columns from at on of dst.
func (r *risk) toRows(dst linalg.Matrix[float64], at int, z linalg.Matrix[float64]) {
	m, k := r.p.basis.dim(), z.Cols
	alpha := z.Slice(0, m, 0, k).Clone()
	r.p.basis.chol.SolveLT(r.p.Threads, alpha)
	dst.Slice(0, m, at, at+k).CopyFrom(alpha)
	if r.size > m {
		copy(dst.Row(m)[at:at+k], z.Row(m))
	}
}

// fromRows is the reverse for a product with Kᵀ: what counts of it as a derivative by z.
func (r *risk) fromRows(dst linalg.Matrix[float64], product linalg.Matrix[float64]) {
	m := r.p.basis.dim()
	part := product.Slice(0, m, 0, dst.Cols).Clone()
	r.p.basis.chol.SolveL(r.p.Threads, part)
	dst.Slice(0, m, 0, dst.Cols).CopyFrom(part)
	if r.size > m {
		copy(dst.Row(m), product.Row(m)[:dst.Cols])
	}
}

// at is the value and the gradient at z without the penalty, in one pass. A column of losses beside
// the slopes makes the ones add them up.
func (r *risk) at(ctx context.Context, z linalg.Matrix[float64]) (float64, linalg.Matrix[float64], error) {
	m, k := r.p.basis.dim(), z.Cols
	in, out := linalg.New[float64](m+1, k), linalg.New[float64](m+1, k+1)
	r.toRows(in, 0, z)
	err := r.pair.MulTo(ctx, linalg.Dense(out), linalg.Dense(in), func(b data.Block[any], kv, u *mat.Dense) {
		f, to, proba := linalg.Of(kv), linalg.Of(u), make([]float64, k)
		for i := range b.Len() {
			row, w := to.Row(i), b.Weight(i)
			row[k] = w * loss(int(b.Target(i)[0]), f.Row(i), proba, row[:k])
			for c := range k {
				row[c] *= w
			}
		}
	})
	grad := linalg.New[float64](r.size, k)
	if err != nil {
		return 0, grad, err
	}
	r.fromRows(grad, out)
	return out.At(m, k), grad, nil
}

// curvature is the second derivative at z as an operator on vectors of all its numbers, row by row;
// λ is added where there is a penalty.
type curvature struct {
	r      *risk
	z      linalg.Matrix[float64]
	lambda float64
	ctx    *failable
}

// Dims is the number of numbers, twice.
func (c *curvature) Dims() (int, int) {
	n := c.z.Rows * c.z.Cols
	return n, n
}

// MulTo sets dst to the product with the directions d: scores and their changes come from one pass.
func (c *curvature) MulTo(dst, d *mat.Dense, _ bool) {
	r, k, m := c.r, c.z.Cols, c.r.p.basis.dim()
	in, out := linalg.New[float64](m+1, 2*k), linalg.New[float64](m+1, k)
	step := linalg.Matrix[float64]{Rows: r.size, Cols: k, Stride: k, Data: mat.Col(nil, 0, d)}
	r.toRows(in, 0, c.z)
	r.toRows(in, k, step)
	if err := r.pair.MulTo(c.ctx.Context, linalg.Dense(out), linalg.Dense(in), func(b data.Block[any], kv, u *mat.Dense) {
		f, to, proba, slope := linalg.Of(kv), linalg.Of(u), make([]float64, k), make([]float64, k)
		for i := range b.Len() {
			both, row, w := f.Row(i), to.Row(i), b.Weight(i)
			loss(int(b.Target(i)[0]), both[:k], proba, slope)
			bend(row, proba, both[k:])
			for o := range row {
				row[o] *= w
			}
		}
	}); err != nil {
		c.ctx.failed = err
		return
	}
	product := linalg.New[float64](r.size, k)
	r.fromRows(product, out)
	for j := range m {
		for o, v := range step.Row(j) {
			product.Row(j)[o] += c.lambda * v
		}
	}
	for i, v := range product.Data {
		dst.Set(i, 0, v)
	}
}

// knownCurvature is the preconditioner: the second derivative as the centres know it, each output
// by itself.
type knownCurvature struct {
	chol    []*linalg.Cholesky // of each output
	threads int
}

// ApplyTo sets dst = P·r.
func (c knownCurvature) ApplyTo(dst, r *mat.Dense) {
	k := len(c.chol)
	n, _ := r.Dims()
	for o, chol := range c.chol {
		part := linalg.New[float64](n/k, 1)
		for i := range part.Rows {
			part.Data[i] = r.At(i*k+o, 0)
		}
		chol.Solve(c.threads, part)
		for i, v := range part.Data {
			dst.Set(i*k+o, 0, v)
		}
	}
}

// known factorises Σ s·p(1-p)·[φ; 1][φ; 1]ᵀ + λ over the centres, p their probabilities at z.
func (r *risk) known(ctx context.Context, z linalg.Matrix[float64], lambda float64) (knownCurvature, error) {
	b, m, k := r.p.basis, r.p.basis.dim(), z.Cols
	scores := linalg.New[float64](b.at.Rows, k)
	linalg.Gemm(b.threads, linalg.NoTrans, linalg.NoTrans, 1, b.at, z.Slice(0, m, 0, k), 0, scores)
	out := knownCurvature{threads: b.threads}
	proba, slope := linalg.New[float64](b.at.Rows, k), make([]float64, k)
	for i := range scores.Rows {
		for o := 0; o < k && r.size > m; o++ {
			scores.Row(i)[o] += z.At(m, o)
		}
		loss(0, scores.Row(i), proba.Row(i), slope)
	}
	for o := range k {
		rows := linalg.New[float64](b.at.Rows, r.size)
		for i := range rows.Rows {
			q := proba.At(i, o)
			root := math.Sqrt(b.share[i] * q * (1 - q))
			for j, v := range b.at.Row(i) {
				rows.Row(i)[j] = root * v
			}
			if r.size > m {
				rows.Row(i)[m] = root
			}
		}
		g := linalg.New[float64](r.size, r.size)
		linalg.Syrk(b.threads, linalg.Lower, linalg.Trans, 1, rows, 0, g)
		for j := range m {
			g.Row(j)[j] += lambda
		}
		if r.size > m { // all centres may be sure of their class
			g.Row(m)[m] += 1e-8*r.p.weight + math.SmallestNonzeroFloat64
		}
		chol, err := linalg.NewCholeskyContext(ctx, b.threads, g)
		if err != nil {
			return out, err
		}
		out.chol = append(out.chol, chol)
	}
	return out, nil
}
