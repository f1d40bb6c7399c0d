package gp

import (
	"context"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
)

// gradient sets grad to the derivatives of the bound at the state solved last: by the parameters of
// the kernel that are wanted, the noise variance and, with dim > 0, the inducing points one after
// the other. With α = (Q + Λ)⁻¹(y - b) and S = ½(ααᵀ - (Q + Λ)⁻¹) the derivative by Q is S + D, D =
// diag d, and that by k(xᵢ, xᵢ) is -dᵢ: dᵢ = 1/2σ² for the variational bound and -Sᵢᵢ for FITC. A
// fitted mean is at its optimum and adds nothing.
func (p *sparseProblem) gradient(ctx context.Context, s *sparseState, grad []float64, wanted []bool, dim int) error {
	inverse, err := s.inner.InverseContext(ctx, p.Threads)
	if err != nil {
		return err
	}
	d := newSlopes(s.inducing, wanted, dim)
	rows := p.variationalRows
	if p.fitc {
		rows = p.fitcRows
	}
	noise, err := rows(ctx, s, d, inverse)
	if err != nil {
		return err
	}
	if err := d.finish(ctx); err != nil {
		return err
	}
	copy(grad, d.theta)
	grad[len(d.theta)] = noise
	copy(grad[len(d.theta)+1:], d.points.Data)
	return nil
}

// variationalRows adds what the rows have to say where all have the noise σ², and returns the
// derivative by that. The derivatives by a row's φ are w(αβ + (I - B⁻¹)φ/σ²), so that those by k(Z,
// x) are w(αL⁻ᵀβ + Gᵀφ) with G = (I - B⁻¹)L⁻¹/σ²: one product of the rows with a matrix. Sums over
// all rows are known from the solution, Σwφφᵀ = σ²(B - I) and Σwαφ = β, and so
//
//	Σ φ̄φᵀ = ββᵀ + B - 2I + B⁻¹,   Σ wSᵢᵢ = ½(Σwα² - (Σw - M + tr B⁻¹)/σ²).
func (p *sparseProblem) variationalRows(
	ctx context.Context, s *sparseState, d *slopes, inverse linalg.Matrix[float64],
) (float64, error) {
	m := s.count()
	g, trace := inverse.Clone(), 0.0
	for i := range m {
		row, outer := g.Row(i), d.outer.Row(i)
		trace += row[i]
		for j := range i + 1 {
			outer[j] = s.beta[i]*s.beta[j] + s.b.At(i, j) + inverse.At(i, j)
		}
		outer[i] -= 2
		for j := range row {
			row[j] /= -s.noise
		}
		row[i] += 1 / s.noise
	}
	if err := linalg.TrsmContext(ctx, p.Threads, linalg.Right, linalg.Lower, linalg.NoTrans, linalg.NonUnit, 1, s.chol.L,
		g); err != nil {
		return 0, err
	}
	lean := slices.Clone(s.beta) // L⁻ᵀβ
	s.chol.SolveLT(1, fitting.Column(lean))
	var derivative linalg.Matrix[float64]
	var selfbar, squares []float64
	weight, square := 0.0, 0.0
	if err := p.again(ctx, s, func(b data.Block[any], x features) error {
		n := b.Len()
		if derivative.Rows < n {
			derivative, selfbar, squares = linalg.New[float64](n, m), make([]float64, n), make([]float64, n)
		}
		bar := derivative.Slice(0, n, 0, m)
		if err := linalg.GemmContext(ctx, p.Threads, linalg.NoTrans, linalg.NoTrans, 1, x.phi, g, 0, bar); err != nil {
			return err
		}
		par.For(p.Threads, n, 32, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				w := b.Weight(i)
				alpha := (b.Target(i)[0] - s.mean - fitting.Dot(x.phi.Row(i), s.beta)) / s.noise
				squares[i], selfbar[i] = w*alpha*alpha, -0.5*w/s.noise
				to := bar.Row(i)
				for j, v := range lean {
					to[j] = w * (to[j] + alpha*v)
				}
			}
		})
		for i, v := range squares[:n] {
			square += v
			weight += b.Weight(i)
		}
		return d.addValues(ctx, b.Points, bar, selfbar[:n])
	}); err != nil {
		return 0, err
	}
	return 0.5*(square-(weight-float64(m)+trace)/s.noise) + 0.5*s.lost/(s.noise*s.noise), nil
}

// fitcRows is the same for FITC, where every row has a noise of its own.
func (p *sparseProblem) fitcRows(
	ctx context.Context, s *sparseState, d *slopes, inverse linalg.Matrix[float64],
) (float64, error) {
	m := s.count()
	var phibar, through linalg.Matrix[float64]
	var selfbar []float64
	noise := 0.0
	err := p.again(ctx, s, func(b data.Block[any], x features) error {
		n := b.Len()
		if phibar.Rows < n {
			phibar, through, selfbar = linalg.New[float64](n, m), linalg.New[float64](n, m), make([]float64, n)
		}
		bar, h := phibar.Slice(0, n, 0, m), through.Slice(0, n, 0, m) // h = ΦB⁻¹
		if err := linalg.GemmContext(ctx, p.Threads, linalg.NoTrans, linalg.NoTrans, 1, x.phi, inverse, 0, h); err != nil {
			return err
		}
		for i := range n {
			w, phi, hi := b.Weight(i), x.phi.Row(i), h.Row(i)
			lambda, _ := p.spread(x, i, s.noise)
			alpha := (b.Target(i)[0] - s.mean - fitting.Dot(phi, s.beta)) / lambda
			own := 0.5 * (alpha*alpha - 1/lambda + fitting.Dot(phi, hi)/(lambda*lambda)) // Sᵢᵢ = -dᵢ
			noise += w * own
			selfbar[i] = w * own
			to := bar.Row(i)
			for j, v := range phi {
				to[j] = w * (alpha*s.beta[j] - 2*own*v - hi[j]/lambda)
			}
		}
		return d.add(ctx, b.Points, x, bar, selfbar[:n])
	})
	return noise, err
}
