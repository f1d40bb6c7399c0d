package project

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// FixedPoint finds pre-images under isotropic kernels k(x, y) = κ(‖x−y‖²) by
// the iteration of Mika et al. (1999): since k(x, x) is constant, the distance
// ‖φ(x) − Σᵢ γᵢ φ(cᵢ)‖ is stationary where
//
//	x = Σᵢ γᵢ κ'(‖x−cᵢ‖²) cᵢ / Σᵢ γᵢ κ'(‖x−cᵢ‖²),
//
// with the Gaussian κ' ∝ κ. A step that would move away from the target, or
// whose denominator vanishes, is halved toward the last point; each accepted
// step brings φ(x) nearer to the target.
type FixedPoint struct {
	Model         *PCAModel[kernel.Vec]
	Tolerance     float64 // stop when x moves by less than Tolerance·(‖x‖ + spread of a step); 0 means 1e-8
	MaxIterations int     // 0 means 500
	Threads       int
}

// isotropicPart is a term c·κ(‖x−y‖²).
type isotropicPart struct {
	factor float64
	k      kernel.Differentiable
	params int
}

// isotropicParts takes sums and multiples of functions of ‖x−y‖² apart.
func isotropicParts(k kernel.Kernel[kernel.Vec], factor float64) ([]isotropicPart, error) {
	switch k := k.(type) {
	case kernel.ScaleOf[kernel.Vec]:
		return isotropicParts(k.Kernel, factor*k.Factor)
	case kernel.ConstantOf[kernel.Vec]:
		return nil, nil // no distance, no slope
	case kernel.SumOf[kernel.Vec]:
		var all []isotropicPart
		for _, term := range k.Terms {
			p, err := isotropicParts(term, factor)
			if err != nil {
				return nil, err
			}
			all = append(all, p...)
		}
		return all, nil
	case kernel.Differentiable:
		if k.Metric() == kernel.SqDist {
			return []isotropicPart{{factor, k, len(kernel.Params[kernel.Vec](k))}}, nil
		}
	}
	return nil, fault.Errorf("project",
		"%s is no function of the distance alone, which the fixed-point pre-image needs; use Gradient or LearnedMap",
		kernel.NameOf(k))
}

// profile sums κ and κ' over the parts, at squared distances r.
type profile struct {
	parts  []isotropicPart
	value  []float64
	slope  []float64
	work   []float64
	unused [][]float64 // derivatives by parameters, which nobody wants here
}

func newProfile(parts []isotropicPart, n int) *profile {
	p := &profile{parts: parts, value: make([]float64, n), slope: make([]float64, n), work: make([]float64, n)}
	most := 0
	for _, part := range parts {
		most = max(most, part.params)
	}
	for range most {
		p.unused = append(p.unused, make([]float64, n))
	}
	return p
}

func (p *profile) at(r []float64) {
	clear(p.value)
	clear(p.slope)
	for _, part := range p.parts {
		copy(p.work, r)
		part.k.Profile(p.work)
		for i, v := range p.work {
			p.value[i] += part.factor * v
		}
		part.k.ProfileGrad(p.work, p.unused[:part.params], r)
		for i, v := range p.work {
			p.slope[i] += part.factor * v
		}
	}
}

// Preimages implements Preimager.
func (f FixedPoint) Preimages(
	ctx context.Context, scores *mat.Dense, start data.Points[kernel.Vec],
) (*mat.Dense, error) {
	if f.Model == nil {
		return nil, fault.Errorf("project", "FixedPoint has no model")
	}
	return forScores(scores, newTarget(f.Model).centers.Cols,
		func(dst *mat.Dense) error { return f.PreimagesTo(ctx, dst, scores, start) })
}

// PreimagesTo implements Preimager.
func (f FixedPoint) PreimagesTo(ctx context.Context, dst, scores *mat.Dense, start data.Points[kernel.Vec]) error {
	if f.Model == nil {
		return fault.Errorf("project", "FixedPoint has no model")
	}
	if !(f.Tolerance >= 0) || f.MaxIterations < 0 {
		return fault.Errorf("project", "FixedPoint with tolerance %g and %d iterations; neither may be negative", f.Tolerance,
			f.MaxIterations)
	}
	parts, err := isotropicParts(f.Model.all.Kernel, 1)
	if err != nil {
		return err
	}
	if f.Tolerance == 0 {
		f.Tolerance = 1e-8
	}
	if f.MaxIterations == 0 {
		f.MaxIterations = 500
	}
	t := newTarget(f.Model)
	return t.each(ctx, f.Threads, dst, scores, start, func(gamma, x []float64) error {
		return f.iterate(ctx, t, parts, gamma, x)
	})
}

// iterate climbs Σ γᵢ κ(‖x−cᵢ‖²) = ⟨φ(x), target⟩ from x, in place.
func (f FixedPoint) iterate(ctx context.Context, t target, parts []isotropicPart, gamma, x []float64) error {
	p := newProfile(parts, len(gamma))
	r := make([]float64, len(gamma))
	next, goal := make([]float64, len(x)), make([]float64, len(x))
	score := func(x []float64) float64 {
		t.squaredDistances(r, x)
		p.at(r)
		s := 0.0
		for i, g := range gamma {
			s += g * p.value[i]
		}
		return s
	}
	now := score(x)
	for range f.MaxIterations {
		if err := ctx.Err(); err != nil {
			return err
		}
		weight, size := 0.0, 0.0
		clear(goal)
		for i, g := range gamma {
			w := g * p.slope[i]
			weight += w
			size += math.Abs(w)
			for j, v := range t.centers.Row(i) {
				goal[j] += w * v
			}
		}
		if size == 0 {
			return nil // too far from everything: the target gives no direction
		}
		// The gradient of ⟨φ(x), target⟩ is 2(weight·x − goal), and the step to
		// goal/weight is an ascent where weight < 0, as it is near a target
		// with γ ≥ 0 under a decreasing κ. Elsewhere the same length is gone
		// along the gradient; a vanishing weight is bounded away from zero.
		scale := math.Max(math.Abs(weight), 1e-6*size)
		moved, length := 0.0, 0.0
		for j := range goal {
			goal[j] = (weight*x[j] - goal[j]) / scale
			moved += goal[j] * goal[j]
			length += x[j] * x[j]
		}
		if math.Sqrt(moved) <= f.Tolerance*(1e-3+math.Sqrt(length)) {
			return nil
		}
		step, accepted := 1.0, false
		for range 40 {
			for j := range next {
				next[j] = x[j] + step*goal[j]
			}
			if v := score(next); v > now {
				now, accepted = v, true
				break
			}
			step /= 2
		}
		if !accepted {
			return nil // rounding: no point on the way is better
		}
		copy(x, next)
	}
	return nil
}
