package project

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// latentProblem is -log p(Y, X) without its constants, as a function of the logarithms of the
// kernel's parameters that are fitted, of log s, and of X row by row. It implements solve.Smooth.
// With A = K⁻¹Y the derivative by K is
//
//	G = ½(D·K⁻¹ - AAᵀ),
//
// by a parameter Σᵢⱼ Gᵢⱼ ∂Kᵢⱼ, and by a latent point 2Σᵢ Gᵢⱼ ∂k(xᵢ, xⱼ)/∂xⱼ + xⱼ.
type latentProblem struct {
	ctx     context.Context
	threads int
	kernel  kernel.Kernel[kernel.Vec]
	fitted  []int // places of parameters
	q       int
	noise   float64
	x0      linalg.Matrix[float64]
	y       linalg.Matrix[float64]
	mean    []float64
	scale   float64
}

// latentState is the model at one place.
type latentState struct {
	kernel kernel.Kernel[kernel.Vec]
	noise  float64
	x      linalg.Matrix[float64]
	points data.Points[kernel.Vec]
	chol   *linalg.Cholesky
	a      linalg.Matrix[float64] // K⁻¹Y
}

// leastNoise keeps K apart from a matrix that cannot be factorised.
const leastNoise = 1e-8

// start is the place where the search begins.
func (p *latentProblem) start() []float64 {
	theta := kernel.Values(p.kernel)
	u := make([]float64, 0, len(p.fitted)+1+len(p.x0.Data))
	for _, at := range p.fitted {
		u = append(u, math.Log(theta[at]))
	}
	return append(append(u, math.Log(p.noise)), p.x0.Data...)
}

// at is the model at a place.
func (p *latentProblem) at(u []float64) (*latentState, error) {
	s := &latentState{kernel: p.kernel, noise: leastNoise + math.Exp(u[len(p.fitted)])}
	if len(p.fitted) > 0 {
		theta := kernel.Values(p.kernel)
		for i, at := range p.fitted {
			theta[at] = math.Exp(u[i])
		}
		var err error
		if s.kernel, err = kernel.With(p.kernel, theta); err != nil {
			return nil, err
		}
	}
	s.x = linalg.Matrix[float64]{Rows: p.y.Rows, Cols: p.q, Stride: p.q, Data: u[len(p.fitted)+1:]}
	s.points = data.Rows(linalg.Dense(s.x))
	var err error
	if s.chol, err = latentFactor(p.ctx, p.threads, s.kernel, s.points, s.noise); err != nil {
		return nil, err
	}
	s.a = p.y.Clone()
	return s, s.chol.SolveContext(p.ctx, p.threads, s.a)
}

// latentFactor is the Cholesky factor of k(X, X) + sI.
func latentFactor(
	ctx context.Context, threads int, of kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], noise float64,
) (*linalg.Cholesky, error) {
	k := linalg.New[float64](x.Len(), x.Len())
	if err := kernel.FillSym(threads, blas64.General(k), kernel.Prepare(ctx, of, x, x)); err != nil {
		return nil, err
	}
	for i := range k.Rows {
		k.Row(i)[i] += noise
	}
	return linalg.NewCholeskyContext(ctx, threads, k)
}

// Dot is that of Rⁿ.
func (p *latentProblem) Dot(a, b []float64) float64 { return simd.Dot(a, b) }

// Eval is the value and its gradient; infinite where K has no factor, or the context has ended.
func (p *latentProblem) Eval(u, grad []float64) float64 {
	clear(grad)
	s, err := p.at(u)
	if err != nil {
		return math.Inf(1)
	}
	d := float64(p.y.Cols)
	value := d / 2 * s.chol.LogDet()
	for i, v := range p.y.Data {
		value += 0.5 * v * s.a.Data[i]
	}
	for _, v := range s.x.Data {
		value += 0.5 * v * v
	}
	if p.slope(s, grad) != nil {
		return math.Inf(1)
	}
	return value
}

func (p *latentProblem) slope(s *latentState, grad []float64) error {
	g, err := s.chol.InverseContext(p.ctx, p.threads)
	if err != nil {
		return err
	}
	if err := linalg.GemmContext(p.ctx, p.threads, linalg.NoTrans, linalg.Trans, -0.5, s.a, s.a, 0.5*float64(p.y.Cols),
		g); err != nil {
		return err
	}
	weights, m := linalg.Dense(g), len(p.fitted)
	if m > 0 {
		theta := kernel.Values(s.kernel)
		all, wanted := make([]float64, len(theta)), make([]bool, len(theta))
		for _, at := range p.fitted {
			wanted[at] = true
		}
		if err := kernel.ParamGradDot(p.ctx, s.kernel, all, wanted, weights, s.points, s.points); err != nil {
			return err
		}
		for i, at := range p.fitted {
			grad[i] = all[at] * theta[at]
		}
	}
	for i := range g.Rows {
		grad[m] += g.At(i, i) * (s.noise - leastNoise)
	}
	byPoints := mat.NewDense(s.x.Rows, s.x.Cols, grad[m+1:])
	if err := kernel.InputGradDot(p.ctx, s.kernel, byPoints, weights, s.points, s.points); err != nil {
		return err
	}
	for i, v := range s.x.Data {
		grad[m+1+i] = 2*grad[m+1+i] + v
	}
	return nil
}
