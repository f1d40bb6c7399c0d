package gp

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// checkLikelihood refuses what goes with a normal likelihood alone, and the other way round.
func checkLikelihood(s learn.Settings, p learn.Problem[any]) error {
	kind := int(s.Params["likelihood"])
	switch {
	case p.Task != data.Regression:
	case s.Asks("df") && kind != 2:
		return fmt.Errorf("gp: df is of likelihood=student; ask for that, too")
	case kind == 0:
	case len(p.More) > 0:
		return fmt.Errorf("gp: likelihood=%v is for one target, and there are %d; fit a model for each", Likelihood(kind-1),
			p.Targets())
	case p.Noise != nil:
		return fmt.Errorf("gp: the noise of each row is a variance of normal noise, and the likelihood is %v; leave one of "+
			"the two out", Likelihood(kind-1))
	case s.Asks("noise"):
		return fmt.Errorf("gp: noise is the variance of normal noise, and the likelihood is %v; leave one of the two out",
			Likelihood(kind-1))
	case s.Asks("df") && !(s.Params["df"] > 2):
		return fmt.Errorf("gp: df is %g; give more than 2 degrees of freedom, below which there is no variance",
			s.Params["df"])
	}
	return nil
}

// climbLaplace searches from one place.
func climbLaplace(
	ctx context.Context, k kernel.Kernel[any], steps int, s learn.Settings, p learn.Problem[any],
) (found, error) {
	l := Laplace{Kernel: k, Likelihood: Likelihood(s.Params["likelihood"] - 1), DF: s.Params["df"],
		FitMean: !s.Asks("mean"), Weights: relative(s, p),
		HyperOptions: HyperOptions{MaxIterations: steps, Hold: heldIn(k, s)}, Resources: s.Resources}
	m, err := l.Fit(ctx, p.Points, p.Y)
	if err != nil {
		return nil, err
	}
	return m, nil
}
