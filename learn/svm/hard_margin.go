package svm

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// notSeparable is the error of a hard-margin fit to data that no function of
// the RKHS separates, or only with a margin too small to compute with.
type notSeparable struct {
	// Margin is the largest margin that the fit could still have found, in
	// units of the feature space.
	Margin float64
	// Errors is how many points the last soft margin left on the wrong side of
	// their margin.
	Errors int
}

func (e *notSeparable) Error() string {
	if e.Errors == 0 {
		return fmt.Sprintf("the data are not separable by this kernel, or only with a margin below %.3g, too small to "+
			"compute with; use a finite C, or a kernel with more features", e.Margin)
	}
	return fmt.Sprintf("the data are not separable by this kernel (any margin is below %.3g; %d points stay inside the "+
		"margin); use a finite C, or a kernel with more features", e.Margin, e.Errors)
}

// mostPrice is the largest C, in units of 1/max k(x, x), that the hard margin is looked for at: a
// machine of n points with all coefficients below it has a margin of √(max k(x, x)/(n·mostPrice))
// at least. Smaller ones are too small to compute with.
const mostPrice = 1e8

// solveHard finds the hard margin through soft ones: a solution whose coefficients all stay below a
// finite C is the solution for every larger C. C grows a hundredfold at a time, each fit starting
// from the last, until that happens or until no margin can be left. Every solution bounds the
// margin γ of the hard one: with u and v the means of the points of either class by their
// coefficients, which lie in the convex hulls of the classes,
//
//	2γ ≤ ‖u - v‖ = ‖f‖ / (½Σα),   so that   γ ≤ ‖f‖ / Σα,   ‖f‖² = 2(Σα + objective),
//
// (K. P. Bennett and E. J. Bredensteiner, Duality and geometry in SVM classifiers, ICML 2000).
// Classes that overlap have many coefficients at C, and a bound that falls as 1/C.
func solveHard(ctx context.Context, rows *machineRows, p svmProblem, o Options) (*machine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err // of a diagonal that was left unfinished, too
	}
	size := slices.Max(rows.m.diagonal(rows.index))
	if size == 0 {
		return nil, &notSeparable{Errors: len(p.qp.Linear)}
	}
	steps := 0
	if o.MaxIterations == 0 {
		o.MaxIterations = max(1e6, 200*len(p.qp.Linear))
	}
	for scale := 1e2; ; scale *= 100 {
		c := scale / size
		soft := p
		soft.qp.Lower, soft.qp.Upper = clipped(p.qp.Lower, c), clipped(p.qp.Upper, c)
		soft.start = nearest(soft.qp, p.start, make([]float64, len(p.start)))
		out, err := rows.solve(ctx, soft, o)
		if err != nil {
			return nil, err
		}
		steps += out.steps
		bounded := 0
		for _, b := range out.beta {
			if math.Abs(b) >= c {
				bounded++
			}
		}
		// Without a coefficient at the bound every y·f(x) is at least 1 - violation: the data are
		// separated even where coefficients are so large that rounding keeps the solver from its
		// tolerance, which the report then says.
		settled := out.converged || out.violation < 0.1
		if bounded == 0 && settled {
			out.steps = steps
			return out, nil
		}
		// The margin is 1/‖f‖ and Σα = ‖f‖²: with α at C, ‖f‖² ≥ C.
		most := 1 / math.Sqrt(c)
		if hulls := hullBound(out.beta, out.objective); settled {
			most = min(most, hulls)
		}
		if scale >= mostPrice || !settled || most < math.Sqrt(size/(mostPrice*float64(len(out.beta)))) {
			return nil, &notSeparable{Margin: most, Errors: bounded}
		}
		p.start = out.beta
	}
}

// hullBound is ‖f‖/Σα, which no hard margin is above, of the coefficients of a machine and its dual
// objective.
func hullBound(beta []float64, objective float64) float64 {
	sum := 0.0
	for _, b := range beta {
		sum += math.Abs(b)
	}
	return math.Sqrt(max(2*(sum+objective), 0)) / sum
}

func clipped(v []float64, c float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = min(max(x, -c), c)
	}
	return out
}
