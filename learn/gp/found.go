package gp

import (
	"context"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Climbed is where a climb of the evidence ended. With several targets the values are in units of
// the variance of each, as MultiRegressor has them; with one they are, too.
type Climbed struct {
	Kernel      kernel.Kernel[any]
	Noise       float64 // variance, as a share of the target's
	LogMarginal float64 // of the targets in their units
}

// Climb finds the parameters of a kernel and the noise by the evidence of processes that share
// them, one for each target, in units of the deviation of each. It makes no model: what it finds on
// some rows serves on more. Noise is where it begins; no more steps are taken than said, 0
// means 100. The parameters of the kernel that hold names stay as they are, as in HyperOptions.
func Climb(
	ctx context.Context, k kernel.Kernel[any], noise float64, steps int, hold []string, p learn.Problem[any],
	r learn.Resources,
) (Climbed, error) {
	g := Regression[any]{Kernel: k, Noise: noise, FitMean: true, Weights: relative(learn.Settings{}, p), Resources: r}
	g.MaxIterations, g.Hold = steps, hold
	m, err := g.FitMulti(ctx, p.Points, targetsOf(p))
	if err != nil {
		return Climbed{}, err
	}
	return Climbed{Kernel: m.Kernel(), Noise: m.Noise(), LogMarginal: m.LogMarginal()}, nil
}
