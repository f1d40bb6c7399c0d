package ridge

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// primalIsLess says whether the normal equations of the features are less work than conjugate
// gradients or a factorisation of K, and fit into memory.
func (p *ridgeProblem) primalIsLess(phi *linalg.CSR) bool {
	n, d, squares := float64(phi.Rows), float64(phi.Cols), 0.0
	for i := range phi.Rows {
		entries := float64(phi.Ptr[i+1] - phi.Ptr[i])
		squares += entries * entries
	}
	steps := 4 * sparseSteps / 3 * float64(phi.NNZ()) * float64(p.y.Cols+p.free.Cols)
	return 32*d*d <= float64(p.Bytes) && squares+factorWork(d) < min(factorWork(n), steps)
}

// factorWork is the time of a Cholesky factorisation, in operations on entries of sparse rows: n³/3,
// each at a fiftieth of the time.
func factorWork(n float64) float64 { return n * n * n / 150 }

// fitSparsePrimal solves (ΦᵀWΦ - wμμᵀ + λI)·v = ΦᵀW(y - ȳ) for the weights of sparse features, with μ
// their weighted means and w the sum of the weights where there is an intercept. What is lost by
// taking μμᵀ off a product is made up for by a step with the residual, which is made of Φ itself.
func (p *ridgeProblem) fitSparsePrimal(
	ctx context.Context, f *fitting.SparseFeatures, start time.Time,
) (*Regressor[any], error) {
	phi := *f.Phi
	root, total := p.roots()
	if p.s != nil {
		phi.Value = append([]float64(nil), phi.Value...)
		for i := range phi.Rows {
			_, value := phi.Row(i)
			for e := range value {
				value[e] *= root.At(i, 0)
			}
		}
	}
	y, d := p.y.Clone(), phi.Cols
	means, ymeans := linalg.New[float64](d, 1), make([]float64, y.Cols)
	if p.intercept {
		phi.MulTransDense(p.Threads, means, root)
		for i := range means.Data {
			means.Data[i] /= total
		}
		ymeans = p.centre(y)
	}
	normal, err := sparseNormal(ctx, p.Threads, &phi)
	if err != nil {
		return nil, err
	}
	for i := range d {
		row := normal.Row(i)
		for j := range row {
			row[j] -= total * means.Data[i] * means.Data[j]
		}
		row[i] += p.lambda
	}
	chol, err := linalg.NewCholeskyContext(ctx, p.Threads, normal)
	if err != nil {
		return nil, ctx.Err() // a factorisation of K does better, or says what is wrong
	}
	// gradient is (Φ-1μᵀ)ᵀW(y - ȳ - (Φ-1μᵀ)v) - λv, and left y - ȳ - (Φ-1μᵀ)v times the roots.
	gradient := func(v linalg.Matrix[float64]) (g, left linalg.Matrix[float64]) {
		g, left = linalg.New[float64](d, y.Cols), linalg.New[float64](y.Rows, y.Cols)
		phi.MulDense(p.Threads, left, v)
		for j := range y.Cols {
			shift, sum := 0.0, 0.0
			for i, m := range means.Data {
				shift += m * v.At(i, j)
			}
			for i := range y.Rows {
				left.Set(i, j, y.At(i, j)-left.At(i, j)+root.At(i, 0)*shift)
				sum += root.At(i, 0) * left.At(i, j)
			}
			for i, m := range means.Data {
				g.Set(i, j, -sum*m-p.lambda*v.At(i, j))
			}
		}
		product := linalg.New[float64](d, y.Cols)
		phi.MulTransDense(p.Threads, product, left)
		for i, v := range product.Data {
			g.Data[i] += v
		}
		return g, left
	}
	v := linalg.New[float64](d, y.Cols)
	right, _ := gradient(v)
	for range 2 {
		step, _ := gradient(v)
		if err := chol.SolveContext(ctx, p.Threads, step); err != nil {
			return nil, err
		}
		for i, s := range step.Data {
			v.Data[i] += s
		}
	}
	rest, left := gradient(v)
	lost := relativeResidual(rest, right)
	if !(lost <= directResidual) {
		return nil, nil
	}
	objective := 0.0
	for _, e := range left.Data {
		objective += e * e
	}
	weights, bias := make([][]float64, y.Cols), make([]float64, y.Cols)
	for j := range weights {
		weights[j], bias[j] = make([]float64, d), ymeans[j]
		for i := range d {
			w := v.At(i, j)
			weights[j][i] = w
			objective += p.lambda * w * w
			bias[j] -= means.Data[i] * w
		}
	}
	if !p.intercept {
		bias = nil
	}
	out := f.Func(weights, bias)
	if err := fitting.FiniteCoefficients(out); err != nil {
		return nil, fmt.Errorf("weights of features: %w", err)
	}
	return newRegressor(out, p.doubted(learn.Report{
		Learner: "ridge (" + Primal.String() + ")", Iterations: 1, Objective: objective,
		Certificate: lost, Certified: "relative residual", Converged: true,
		Bytes: 12*int64(phi.NNZ()) + 8*int64(d)*int64(d), Warnings: p.warnings, Elapsed: time.Since(start),
		Notes: []string{f.Note()},
	})), nil
}

// roots is √w of each point as a column, and the sum of the weights.
func (p *ridgeProblem) roots() (root linalg.Matrix[float64], total float64) {
	root = linalg.New[float64](p.y.Rows, 1)
	for i := range root.Data {
		root.Data[i] = 1
		if p.s != nil {
			root.Data[i] = p.s[i]
		}
		total += root.Data[i] * root.Data[i]
	}
	return root, total
}

// sparseNormal is ΦᵀΦ, in tiles of rows.
func sparseNormal(ctx context.Context, threads int, phi *linalg.CSR) (linalg.Matrix[float64], error) {
	columns := phi.T()
	products := linalg.NewRowProducts(columns, columns)
	out := linalg.New[float64](phi.Cols, phi.Cols)
	par.For(threads, phi.Cols, 64, func(lo, hi int) {
		if ctx.Err() == nil {
			products.Tile(out.Slice(lo, hi, 0, phi.Cols), lo, 0)
		}
	})
	return out, ctx.Err()
}
