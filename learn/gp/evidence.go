package gp

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
)

// jitterSteps are the shares of the mean diagonal that are tried, in turn, to
// make a matrix positive definite that is so only up to rounding.
var jitterSteps = [...]float64{0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6}

// jitteredCholesky factorises what fill writes, with as little added to the
// diagonal as it takes, and returns how much that was.
func jitteredCholesky(
	ctx context.Context, t int, a linalg.Matrix[float64], fill func(),
) (*linalg.Cholesky, float64, error) {
	var last error
	for _, share := range jitterSteps {
		fill()
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		mean := 0.0
		for i := range a.Rows {
			mean += a.At(i, i) / float64(a.Rows)
		}
		jitter := share * mean
		for i := range a.Rows {
			a.Row(i)[i] += jitter
		}
		chol, err := linalg.NewCholeskyContext(ctx, t, a)
		if err == nil {
			return chol, jitter, nil
		}
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		last = err
	}
	return nil, 0, fmt.Errorf("covariance matrix: %w, even with %g of its diagonal added; raise the noise, or repair "+
		"the kernel if it is not positive definite", last, jitterSteps[len(jitterSteps)-1])
}

// gpProblem is a regression on memory of its own.
type gpProblem struct {
	learn.Resources
	x       data.Points[any]
	y       []float64
	more    [][]float64 // further targets, in units of the first: each with the deviation that y has
	own     []float64   // noise variance of each point beside the common one; nil means 0
	weights []float64   // how many rows each row counts as, > 0; nil means 1
	mean    float64
	fitMean bool
	work    linalg.Matrix[float64] // n×n, made by square
}

// square is the work matrix. A process whose matrices lie in the memory of a device does without it
// until its end.
func (p *gpProblem) square() linalg.Matrix[float64] {
	if p.work.Rows == 0 {
		p.work = linalg.New[float64](len(p.y), len(p.y))
	}
	return p.work
}

// afford says whether so many matrices of n² have room: three for the evidence with its derivatives
// by the processor, one for the posterior that a device leaves behind.
func (p *gpProblem) afford(matrices int64) error {
	n := int64(len(p.y))
	if need := 8 * matrices * n * n; need > p.Bytes {
		return &learn.OverBudget{Learner: "gp", Points: len(p.y), Needs: need, Budget: p.Bytes,
			Instead: "give it more memory, take fewer points, or use Ridge, whose prediction is the mean of this process"}
	}
	return nil
}

// gpState is the posterior at given hyper-parameters: A = K + noise = L·Lᵀ,
// α = A⁻¹(y - b).
type gpState struct {
	kernel kernel.Kernel[any]
	noise  float64
	chol   *linalg.Cholesky   // nil while the factor lies in the memory of a device
	on     *gram.CenterFactor // that factor
	alpha  []float64
	mean   float64   // b
	ones   []float64 // A⁻¹·1 when b was fitted, else nil
	onesA1 float64   // 1ᵀA⁻¹1
	value  float64   // log marginal likelihood
	jitter float64
	more   []gpTarget // of the further targets
}

// gpTarget is what the posterior of one target has of its own.
type gpTarget struct {
	alpha []float64
	mean  float64
}

// solve computes
//
//	log p(y) = -½(y-b)ᵀA⁻¹(y-b) - ½ log det A - n/2·log 2π
//
// (Rasmussen and Williams 2006, algorithm 2.1), with b = 1ᵀA⁻¹y/1ᵀA⁻¹1 where the mean is
// fitted. The factor lies in the problem's work matrix.
func (p *gpProblem) solve(ctx context.Context, k kernel.Kernel[any], noise float64) (*gpState, error) {
	if s := p.solveDevice(ctx, k, noise); s != nil {
		return s, nil
	}
	if err := p.afford(3); err != nil {
		return nil, err
	}
	n, work := len(p.y), p.square()
	s := &gpState{kernel: k, noise: noise, mean: p.mean}
	tiles := kernel.Prepare(ctx, k, p.x, p.x)
	var err error
	s.chol, s.jitter, err = jitteredCholesky(ctx, p.Threads, work, func() {
		kernel.FillSym(p.Threads, blas64.General(work), tiles)
		for i := range n {
			work.Row(i)[i] += p.noiseAt(i, noise)
		}
	})
	if err != nil {
		return nil, err
	}
	return s, p.evidence(s, s.chol.LogDet(), func(b []float64) error {
		return s.chol.SolveContext(ctx, p.Threads,
			fitting.Column(b))
	})
}

// evidence finds the mean, α and the log marginal likelihood, given log det A and a way to A⁻¹b.
func (p *gpProblem) evidence(s *gpState, logDet float64, solve func(b []float64) error) error {
	n := len(p.y)
	if p.fitMean {
		s.ones = make([]float64, n)
		for i := range s.ones {
			s.ones[i] = 1
		}
		if err := solve(s.ones); err != nil {
			return err
		}
		for _, v := range s.ones {
			s.onesA1 += v
		}
	}
	repeats, _ := p.repeats(s.noise)
	half := 0.5*logDet + 0.5*float64(n)*math.Log(2*math.Pi) - repeats
	solved, err := s.target(p, p.y, solve)
	if err != nil {
		return err
	}
	s.alpha, s.mean = solved.alpha, solved.mean
	s.value -= half
	for _, y := range p.more {
		if solved, err = s.target(p, y, solve); err != nil {
			return err
		}
		s.more = append(s.more, solved)
		s.value -= half
	}
	return nil
}

// target solves for one target, and adds -½(y-b)ᵀA⁻¹(y-b) to the value.
func (s *gpState) target(p *gpProblem, y []float64, solve func(b []float64) error) (gpTarget, error) {
	t := gpTarget{make([]float64, len(y)), p.mean}
	if s.ones != nil {
		top := 0.0
		for i, v := range s.ones {
			top += v * y[i]
		}
		t.mean = top / s.onesA1
	}
	for i, v := range y {
		t.alpha[i] = v - t.mean
	}
	if err := solve(t.alpha); err != nil {
		return t, err
	}
	for i, v := range y {
		s.value -= 0.5 * (v - t.mean) * t.alpha[i]
	}
	return t, nil
}

// gradient sets grad to the derivatives of the log marginal likelihood by the parameters of the
// kernel, then by the noise variance: Σᵢⱼ Wᵢⱼ ∂Aᵢⱼ with W = ½(ααᵀ - A⁻¹), one such term for each
// target. A fitted mean is at its optimum, so that it adds nothing. No n×n matrix is made for any
// one parameter, and those that are not wanted (nil means that all are) get 0.
func (p *gpProblem) gradient(ctx context.Context, s *gpState, grad []float64, wanted []bool) error {
	w, err := p.inverse(ctx, s)
	if err != nil {
		return err
	}
	fitting.Rows(ctx, p.Threads, w.Rows, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, a := w.Row(i), s.alpha[i]
			for j, b := range s.alpha {
				row[j] = 0.5 * (a*b - float64(1+len(s.more))*row[j])
			}
			for _, t := range s.more {
				a := t.alpha[i]
				for j, b := range t.alpha {
					row[j] += 0.5 * a * b
				}
			}
		}
	})
	m := len(grad) - 1
	if m > 0 {
		if err := kernel.ParamGradDot(ctx, s.kernel, grad[:m], wanted, linalg.Dense(w), p.x, p.x); err != nil {
			return err
		}
	}
	_, slope := p.repeats(s.noise)
	grad[m] = float64(1+len(s.more)) * slope
	for i := range w.Rows {
		if v := w.At(i, i); p.weights == nil {
			grad[m] += v
		} else {
			grad[m] += v / p.weights[i]
		}
	}
	return nil
}
