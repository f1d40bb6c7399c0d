package project

import (
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Gradient finds pre-images under any kernel that knows its derivative by a
// point: it minimises
//
//	‖φ(x) − Σᵢ γᵢ φ(cᵢ)‖² = k(x, x) − 2 Σᵢ γᵢ k(x, cᵢ) + const
//
// by L-BFGS. The minimum is a local one, near the start.
type Gradient struct {
	Model         *PCAModel[kernel.Vec]
	Tolerance     float64 // stop when the gradient's norm is below Tolerance·max(1, that at the start); 0 means 1e-8
	MaxIterations int     // 0 means 1000
	Threads       int     // 0 means all
}

// Preimages implements Preimager.
func (g Gradient) Preimages(ctx context.Context, scores *mat.Dense, start data.Points[kernel.Vec]) (*mat.Dense, error) {
	if g.Model == nil {
		return nil, fault.Errorf("project", "Gradient has no model")
	}
	return forScores(scores, newTarget(g.Model).centers.Cols,
		func(dst *mat.Dense) error { return g.PreimagesTo(ctx, dst, scores, start) })
}

// PreimagesTo implements Preimager.
func (g Gradient) PreimagesTo(ctx context.Context, dst, scores *mat.Dense, start data.Points[kernel.Vec]) error {
	if g.Model == nil {
		return fault.Errorf("project", "Gradient has no model")
	}
	if !(g.Tolerance >= 0) || g.MaxIterations < 0 {
		return fault.Errorf("project", "Gradient with tolerance %g and %d iterations; neither may be negative", g.Tolerance,
			g.MaxIterations)
	}
	k := g.Model.all.Kernel
	t := newTarget(g.Model)
	if t.centers.Rows > 0 {
		probe := make(kernel.Vec, t.centers.Cols)
		if err := kernel.InputGrad(k, probe, t.centers.Row(0), t.centers.Row(0)); err != nil {
			return fault.Errorf("project", "gradient pre-image: %w", err)
		}
	}
	s := solve.Settings{Tol: g.Tolerance, MaxIter: g.MaxIterations}
	return t.each(ctx, g.Threads, dst, scores, start, func(gamma, x []float64) error {
		f := &distance{k: k, centers: t.centers, gamma: gamma, one: make(kernel.Vec, len(x))}
		_, err := solve.LBFGS(ctx, f, x, s)
		return err
	})
}

// distance is x ↦ k(x, x) − 2 Σᵢ γᵢ k(x, cᵢ) with its gradient.
type distance struct {
	k       kernel.Kernel[kernel.Vec]
	centers linalg.Matrix[float64]
	gamma   []float64
	one     kernel.Vec
}

// Eval implements solve.Smooth.
func (d *distance) Eval(x, grad []float64) float64 {
	v := d.k.Eval(x, x)
	d.add(grad, 0, 2, x, x) // both arguments move
	for i, g := range d.gamma {
		c := d.centers.Row(i)
		v -= 2 * g * d.k.Eval(x, c)
		d.add(grad, 1, -2*g, x, c)
	}
	return v
}

// add sets grad = keep·grad + s·∂k(x, y)/∂x.
func (d *distance) add(grad []float64, keep, s float64, x, y kernel.Vec) {
	if err := kernel.InputGrad(d.k, d.one, x, y); err != nil {
		panic(err) // Preimages has tried it
	}
	for j, v := range d.one {
		grad[j] = keep*grad[j] + s*v
	}
}

// Dot implements solve.Smooth.
func (d *distance) Dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
