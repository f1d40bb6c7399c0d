package tune

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
)

// Bayes is Bayesian optimisation (Jones, Schonlau & Welch 1998): a Gaussian
// process (learn.GP, Matérn 5/2, a length-scale for each axis, found by marginal
// likelihood) is fitted to the scores so far, and the next cell is the one with
// the largest expected improvement
//
//	EI(θ) = (best - μ)Φ(u) + σφ(u),   u = (best - μ)/σ.
//
// Each candidate has a process of its own; the largest improvement over all of them wins.
type Bayes struct {
	Cells int // in all; 0 means 40
	Start int // of these drawn at random first, for each candidate; 0 means 5 + 2 for each axis
}

func (b Bayes) check() error {
	if b.Cells < 0 || b.Start < 0 {
		return fault.Errorf("tune", "Bayes.Cells is %d and Start %d; give positive numbers, or 0", b.Cells, b.Start)
	}
	return nil
}

func (b Bayes) run(ctx context.Context, s searcher) error {
	all := s.candidates()
	cells := b.Cells
	if cells == 0 {
		cells = 40
	}
	first := b.Start
	if first == 0 {
		for _, axes := range all {
			first = max(first, 5+2*len(axes))
		}
	}
	first = min(first*len(all), cells)
	s.plan(cells)
	known := drawn(s, first)
	if err := s.judge(ctx, known); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(s.seed(), 0x6261796573))
	for len(known) < cells && !s.timeUp() {
		next, ok, err := b.next(ctx, s, all, known, rng)
		if err != nil {
			return err
		}
		if !ok {
			return nil // no candidate has an axis to vary
		}
		known = append(known, next)
		if err := s.judge(ctx, []trial{next}); err != nil {
			return err
		}
	}
	return nil
}

// next is the trial with the largest expected improvement among many drawn at
// random and around the best one.
func (b Bayes) next(
	ctx context.Context, s searcher, all [][]axisRange, known []trial, rng *rand.Rand,
) (best trial, ok bool, err error) {
	most := math.Inf(-1)
	lead, _ := bestOf(s, known)
	goal, _ := s.score(lead)
	for c, axes := range all {
		if len(axes) == 0 {
			continue
		}
		model, err := surrogate(ctx, s, c, axes, known)
		if err != nil {
			return best, false, err
		}
		var units data.Slice[kernel.Vec]
		for i := range 1000 {
			u := make([]float64, len(axes))
			near := i%4 == 0 && lead.candidate == c && lead.theta != nil
			for a := range u {
				if u[a] = rng.Float64(); near {
					u[a] = min(max(toUnit(axes[a], lead.theta[a])+0.05*rng.NormFloat64(), 0), 1)
				}
			}
			units = append(units, u)
		}
		gains, err := improvement(ctx, model, units, goal, s.maximize())
		if err != nil {
			return best, false, err
		}
		for i, gain := range gains {
			t := trial{c, fromUnit(axes, units[i])}
			if _, judged := s.score(t); gain > most && !judged {
				best, most, ok = t, gain, true
			}
		}
	}
	return best, ok, nil
}

// surrogate fits a Gaussian process to the scores of a candidate; nil when
// there are too few.
func surrogate(
	ctx context.Context, s searcher, c int, axes []axisRange, known []trial,
) (*gp.Regressor[kernel.Vec], error) {
	var x data.Slice[kernel.Vec]
	var y []float64
	for _, t := range known {
		if v, ok := s.score(t); ok && t.candidate == c && !math.IsInf(v, 0) {
			u := make([]float64, len(axes))
			for a := range u {
				u[a] = toUnit(axes[a], t.theta[a])
			}
			x, y = append(x, u), append(y, v)
		}
	}
	if len(y) < 3 {
		return nil, nil
	}
	length := make([]float64, len(axes))
	for a := range length {
		length[a] = 0.3
	}
	spread := learn.Problem[kernel.Vec]{Task: data.Regression, Y: y}.Deviation()
	k := kernel.Scale[kernel.Vec](spread*spread, kernel.ARD{Kernel: kernel.Matern{Nu: 2.5}, Lengthscales: length})
	g := gp.Regression[kernel.Vec]{Kernel: k, Noise: 0.01 * spread * spread, FitMean: true}
	m, err := g.Fit(ctx, x, y)
	if err != nil && ctx.Err() == nil {
		// Scores that are all alike have no likelihood worth maximising.
		g.FixedKernel, g.FixedNoise = true, true
		m, err = g.Fit(ctx, x, y)
	}
	return m, err
}

// improvement is the expected improvement at each point; without a model every
// point is as promising as any.
func improvement(
	ctx context.Context, m *gp.Regressor[kernel.Vec], x data.Slice[kernel.Vec], best float64, maximize bool,
) ([]float64, error) {
	out := make([]float64, len(x))
	if m == nil {
		for i := range out {
			out[i] = math.MaxFloat64
		}
		return out, nil
	}
	mean, err := m.Predict(ctx, x)
	if err != nil {
		return nil, err
	}
	variance, err := m.Variance(ctx, x)
	if err != nil {
		return nil, err
	}
	for i := range out {
		d := best - mean[i]
		if maximize {
			d = -d
		}
		sigma := math.Sqrt(max(variance[i], 0))
		if sigma == 0 {
			out[i] = max(d, 0)
			continue
		}
		u := d / sigma
		out[i] = d*0.5*math.Erfc(-u/math.Sqrt2) + sigma*math.Exp(-u*u/2)/math.Sqrt(2*math.Pi)
	}
	return out, nil
}

// toUnit maps a value of an axis to [0, 1].
func toUnit(a axisRange, v float64) float64 {
	to, _ := a.scale()
	lo, hi := to(a.Values[0]), to(a.Values[len(a.Values)-1])
	if lo == hi {
		return 0.5
	}
	return (to(v) - lo) / (hi - lo)
}
