package gp

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// joint says whether targets are to be one process.
func joint(s learn.Settings, p learn.Problem[any]) bool {
	return len(p.More) > 0 && (s.Asks("outputs") || p.Outputs != nil)
}

// checkOutputs refuses to join what is one, and options of a joint process without it.
func checkOutputs(s learn.Settings, p learn.Problem[any]) error {
	if err := checkLikelihood(s, p); err != nil {
		return err
	}
	switch {
	case s.Asks("outputs") && p.Task == data.Regression && len(p.More) == 0:
		return fmt.Errorf("gp: outputs=joint is for several targets, and there is one; leave it out, or name more targets")
	case s.Asks("rank") && !joint(s, p):
		return fmt.Errorf("gp: rank is of outputs=joint; ask for that, too")
	case s.Asks("rank") && p.Outputs != nil:
		return fmt.Errorf("gp: rank is of a B that is found, and the kernel of the outputs is given; leave one of them out")
	}
	return nil
}

// climbJoint finds the joint process from where processes that share the kernel ended: with B = I
// it has their evidence, and so at least that at its end. A B that is given is kept up to a factor,
// which the kernel has.
func climbJoint(
	ctx context.Context, apart *MultiRegressor[any], steps int, s learn.Settings, p learn.Problem[any],
) (found, error) {
	j := Joint{Kernel: apart.Kernel(), Outputs: p.ScaledOutputs(apart.units), Rank: int(s.Params["rank"]),
		FixedNoise: s.Params["noise"] > 0,
		Weights:    relative(s, p), NoMean: s.Asks("mean"), HyperOptions: HyperOptions{MaxIterations: steps,
			Hold: heldIn(apart.Kernel(), s)}, Resources: s.Resources}
	for _, u := range apart.units {
		j.Noise = append(j.Noise, apart.Noise()*u*u)
	}
	m, err := j.Fit(ctx, p.Points, targetsOf(p))
	if err != nil {
		return nil, err
	}
	return m, nil
}
