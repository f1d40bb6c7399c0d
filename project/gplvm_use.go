package project

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Components is the number of latent coordinates.
func (m *GPLVMModel) Components() int { return m.latent.Cols }

// Latent returns the latent points, a row for each point that the model was fitted to.
func (m *GPLVMModel) Latent() *mat.Dense { return linalg.Dense(m.latent.Clone()) }

// Kernel is the kernel of latent points with the parameters found, in units of the variance of the
// columns.
func (m *GPLVMModel) Kernel() kernel.Kernel[kernel.Vec] { return m.kernel }

// Noise is the deviation of the points from the surface that the latent ones lie on, in their own
// units.
func (m *GPLVMModel) Noise() float64 { return m.scale * math.Sqrt(m.noise) }

// Report says how the model was found.
func (m *GPLVMModel) Report() GPLVMReport { return m.report }

// Reconstruct returns the expected point of the data space at each latent point, and the deviation
// of a new point's coordinates from it.
func (m *GPLVMModel) Reconstruct(
	ctx context.Context, latent data.Points[kernel.Vec],
) (mean *mat.Dense, std []float64, err error) {
	if latent != nil {
		std = make([]float64, latent.Len())
	}
	mean, err = apply.Matrix(latent, len(m.mean),
		func(dst *mat.Dense) error { return m.ReconstructTo(ctx, dst, std, latent) })
	return mean, std, err
}

// ReconstructTo sets mean, a row for each latent point, and std to what Reconstruct returns.
func (m *GPLVMModel) ReconstructTo(
	ctx context.Context, mean *mat.Dense, std []float64, latent data.Points[kernel.Vec],
) error {
	if err := apply.Check(ctx, m.kernel, m.points(), latent); err != nil {
		return fault.In("project", err)
	}
	if err := cmp.Or(apply.CheckDims(mean, latent.Len(), len(m.mean)),
		apply.CheckLen(len(std), latent.Len())); err != nil {
		return fault.In("project", err)
	}
	par.For(m.threads, latent.Len(), 16, func(lo, hi int) {
		s := m.seen()
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			s.look(latent.At(i))
			std[i] = m.scale * math.Sqrt(s.variance)
			for j, v := range s.mean {
				mean.Set(i, j, m.mean[j]+m.scale*v)
			}
		}
	})
	return ctx.Err()
}

// Transform returns the latent points of new points, a row each: where log p(y | x) - ½‖x‖² is
// largest, by L-BFGS from the latent points of the three nearest points that the model knows.
func (m *GPLVMModel) Transform(ctx context.Context, y data.Points[kernel.Vec]) (*mat.Dense, error) {
	return apply.Matrix(y, m.Components(), func(dst *mat.Dense) error { return m.TransformTo(ctx, dst, y) })
}

// TransformTo sets dst, a row for each point, to the latent points.
func (m *GPLVMModel) TransformTo(ctx context.Context, dst *mat.Dense, y data.Points[kernel.Vec]) error {
	if err := apply.Check(ctx, kernel.Linear{}, data.Rows(linalg.Dense(m.y)), y); err != nil {
		return fault.In("project", err)
	}
	if err := apply.CheckDims(dst, y.Len(), m.Components()); err != nil {
		return fault.In("project", err)
	}
	par.For(m.threads, y.Len(), 1, func(lo, hi int) {
		s := m.seen()
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			for j, v := range y.At(i) {
				s.y[j] = (v - m.mean[j]) / m.scale
			}
			dst.SetRow(i, s.find(ctx))
		}
	})
	return ctx.Err()
}

func (m *GPLVMModel) points() data.Points[kernel.Vec] { return data.Rows(linalg.Dense(m.latent)) }

// nearestStarts is from how many known points a latent point is searched.
const nearestStarts = 3

// latentSearch is -log p(y | x) + ½‖x‖² of one point y, as a function of x. It implements
// solve.Smooth.
type latentSearch struct {
	*GPLVMModel
	y        []float64 // in the units of the model
	mean     []float64
	variance float64 // with the noise
	v, w     []float64
	one      kernel.Vec
}

func (m *GPLVMModel) seen() *latentSearch {
	n, d := m.y.Rows, m.y.Cols
	return &latentSearch{GPLVMModel: m, y: make([]float64, d), mean: make([]float64, d), v: make([]float64, n),
		w: make([]float64, n), one: make(kernel.Vec, m.latent.Cols)}
}

// look sets mean = vᵀK⁻¹Y and variance = k(x, x) + s - vᵀw, w = K⁻¹v, with v = k(X, x).
func (s *latentSearch) look(x kernel.Vec) {
	clear(s.mean)
	for i := range s.v {
		s.v[i] = s.kernel.Eval(s.latent.Row(i), x)
		for j, a := range s.a.Row(i) {
			s.mean[j] += s.v[i] * a
		}
	}
	copy(s.w, s.v)
	s.chol.Solve(1, linalg.Matrix[float64]{Rows: len(s.w), Cols: 1, Stride: 1, Data: s.w})
	s.variance = s.kernel.Eval(x, x) + s.noise
	for i, v := range s.v {
		s.variance -= v * s.w[i]
	}
	s.variance = math.Max(s.variance, s.noise*1e-3) // rounding
}

// find is the best of the places that the nearest known points lead to.
func (s *latentSearch) find(ctx context.Context) []float64 {
	type near struct {
		at   int
		dist float64
	}
	order := make([]near, s.GPLVMModel.y.Rows)
	for i := range order {
		order[i].at = i
		for j, v := range s.GPLVMModel.y.Row(i) {
			order[i].dist += (v - s.y[j]) * (v - s.y[j])
		}
	}
	slices.SortFunc(order, func(a, b near) int { return cmp.Or(cmp.Compare(a.dist, b.dist), a.at-b.at) })
	var best []float64
	least := math.Inf(1)
	for _, o := range order[:min(nearestStarts, len(order))] {
		x := slices.Clone(s.latent.Row(o.at))
		found, err := solve.LBFGS(ctx, s, x, solve.Settings{Tol: 1e-7, MaxIter: 300})
		if best == nil || err == nil && found.Value < least {
			best, least = x, found.Value
		}
	}
	return best
}

// Dot is that of Rⁿ.
func (s *latentSearch) Dot(a, b []float64) float64 { return simd.Dot(a, b) }

// Eval is D/2·log σ² + ‖y - μ‖²/(2σ²) + ½‖x‖² and its gradient.
func (s *latentSearch) Eval(x, grad []float64) float64 {
	s.look(x)
	off, square := s.mean, 0.0
	for j, v := range s.mean {
		off[j] = s.y[j] - v
		square += off[j] * off[j]
	}
	d := float64(len(off))
	value := d/2*math.Log(s.variance) + square/(2*s.variance)
	byVariance := d/(2*s.variance) - square/(2*s.variance*s.variance)
	add := func(scale float64, c kernel.Vec) {
		if kernel.InputGrad(s.kernel, s.one, x, c) != nil {
			return // the fit asked for one
		}
		for j, v := range s.one {
			grad[j] += scale * v
		}
	}
	clear(grad)
	add(2*byVariance, x) // both arguments move
	for i := range s.v {
		along := 0.0
		for j, a := range s.a.Row(i) {
			along += off[j] * a
		}
		add(-along/s.variance-2*byVariance*s.w[i], s.latent.Row(i))
	}
	for j, v := range x {
		value += 0.5 * v * v
		grad[j] += v
	}
	return value
}
