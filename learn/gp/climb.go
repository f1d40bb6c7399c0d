package gp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Start is a place to climb the marginal likelihood from: it has several tops where data are few or
// columns many.
type Start struct {
	Length float64 // times the length-scales of the kernel; 0 means 1
	Noise  float64 // of regression, as a share of the variance of the targets; 0 means 0.1
}

// found is a process at the end of a search.
type found interface {
	learn.Model[any]
	Kernel() kernel.Kernel[any]
	LogMarginal() float64
}

// climb finds kernel parameters, the variance and noise by marginal likelihood, from each of
// the starts; the highest end counts.
func climb(ctx context.Context, s learn.Settings, p learn.Problem[any], starts []Start) (found, error) {
	if len(starts) == 0 {
		starts = []Start{{}}
	}
	for i, start := range starts {
		if !finiteShare(start.Length) || !finiteShare(start.Noise) {
			return nil, fmt.Errorf("start %d is %+v; give factors that are 0 (the default) or positive", i, start)
		}
	}
	var best found
	var fault error
	variance := p.Deviation() * p.Deviation()
	if len(p.More) > 0 {
		variance = 1 // each target is taken in units of its own
	}
	if s.Params["likelihood"] == 1 {
		variance = 1 // of the logarithm of a rate
	}
	k := withVariance(s.Kernel, variance)
	for _, start := range starts {
		noise := 0.0
		if start.Noise > 0 && p.Task == data.Regression {
			noise = start.Noise * variance
		}
		m, err := climbFrom(ctx, withLength(k, start.Length), noise, 0, s, p)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			fault = err
		case best == nil || m.LogMarginal() > best.LogMarginal():
			best = m
		}
	}
	if best == nil {
		return nil, fault
	}
	return best, nil
}

func finiteShare(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }

// nearSteps is the most steps of a search that starts where that of a
// neighbouring fold ended.
const nearSteps = 30

// climbFrom searches from one place; noise and steps 0 mean the process' own choice.
func climbFrom(
	ctx context.Context, k kernel.Kernel[any], noise float64, steps int, s learn.Settings, p learn.Problem[any],
) (found, error) {
	if p.Task.Classification() {
		m, err := Classification[any, int]{Kernel: k, Weights: p.FitWeights(), HyperOptions: HyperOptions{Hold: heldIn(k, s)},
			Resources: s.Resources}.Fit(ctx, p.Points, p.Codes())
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	if s.Asks("likelihood") {
		return climbLaplace(ctx, k, steps, s, p)
	}
	g := Regression[any]{Kernel: k, Noise: noise, FitMean: !s.Asks("mean"), Weights: relative(s, p), PointNoise: p.Noise,
		Resources: s.Resources}
	if known := s.Params["noise"]; known > 0 {
		g.Noise, g.FixedNoise = known, true
	}
	g.MaxIterations, g.Hold = steps, heldIn(k, s)
	if len(p.More) > 0 {
		m, err := g.FitMulti(ctx, p.Points, targetsOf(p))
		if err != nil {
			return nil, err
		}
		if joint(s, p) {
			return climbJoint(ctx, m, steps, s, p)
		}
		return m, nil
	}
	m, err := g.Fit(ctx, p.Points, p.Y)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// heldIn is the parameters of a kernel that stay as they are: those that the settings name of their
// kernel, which k is, or is a factor times; nil where they name none. A smoothness ν is held
// besides, as it is where nothing is named.
func heldIn(k kernel.Kernel[any], s learn.Settings) []string {
	if len(s.Hold) == 0 {
		return nil
	}
	own, now := kernel.Params(s.Kernel), kernel.Params(k)
	var out []string
	for i, p := range now {
		at := i - (len(now) - len(own))
		if at >= 0 && slices.Contains(s.Hold, own[at].Name) || strings.HasSuffix(p.Name, ".nu") {
			out = append(out, p.Name)
		}
	}
	return out
}

// targetsOf is the targets as columns.
func targetsOf(p learn.Problem[any]) *mat.Dense {
	y := mat.NewDense(p.Len(), p.Targets(), nil)
	for t := range p.Targets() {
		y.SetCol(t, p.Target(t).Y)
	}
	return y
}

// withLength is a kernel with all of its length-scales times a factor; 0 means 1.
func withLength(k kernel.Kernel[any], factor float64) kernel.Kernel[any] {
	if factor == 0 || factor == 1 {
		return k
	}
	theta := kernel.Values(k)
	for i, p := range kernel.Params(k) {
		if strings.Contains(p.Name, "lengthscale") {
			theta[i] *= factor
		}
	}
	scaled, err := kernel.With(k, theta)
	if err != nil {
		return k // outside the kernel's domain: start from where it is
	}
	return scaled
}

// LogDensity is log p(yᵢ) of an observation at each point, its noise included.
func (m *Regressor[T]) LogDensity(ctx context.Context, x data.Points[T], y []float64) ([]float64, error) {
	return m.logDensity(ctx, data.Erase(x), y)
}

func (m *posterior) logDensity(ctx context.Context, x data.Points[any], y []float64) ([]float64, error) {
	mean, err := m.mean(ctx, x)
	if err != nil {
		return nil, err
	}
	variance := make([]float64, len(mean))
	if err := m.variance(ctx, variance, x); err != nil {
		return nil, err
	}
	density := make([]float64, len(y))
	for i := range density {
		v := variance[i] + m.Noise()
		density[i] = -0.5*(y[i]-mean[i])*(y[i]-mean[i])/v - 0.5*math.Log(2*math.Pi*v)
	}
	return density, nil
}
