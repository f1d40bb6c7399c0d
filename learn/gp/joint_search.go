package gp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/coregion"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/refusal"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// firstSteps is the most steps that B and the noise climb with the kernel as it is, before all
// climb together: they cost no decomposition.
const firstSteps = 200

// fit finds the parameters, and the posterior at them.
func (p *jointProblem) fit(ctx context.Context, start time.Time) (*JointRegressor, error) {
	n := int64(p.x.Len())
	report := learn.Report{Learner: "gp joint", Converged: true, Certified: "gradient norm of the log marginal likelihood",
		Bytes: 8 * 6 * n * n}
	b, given := p.given()
	params := kernel.Params(p.Kernel)
	coords, err := p.kernelCoordinates(params)
	if err != nil {
		return nil, err
	}
	form, noise := []float64(nil), slices.Clone(p.Noise)
	if !given {
		if form, noise, err = p.startForm(ctx); err != nil {
			return nil, err
		}
	}
	last := len(params)
	theta := append(append(kernel.Values(p.Kernel), form...), noise...)
	unbounded := kernel.Domain{Low: math.Inf(-1), High: math.Inf(1)}
	positive := kernel.Domain{High: math.Inf(1), OpenLow: true, LogScale: true}
	for i := range form {
		coords = append(coords, newCoordinate(last+i, kernel.Param{Name: "outputs", Value: form[i], Domain: unbounded}))
	}
	for t := range noise {
		if !p.FixedNoise {
			c := newCoordinate(last+len(form)+t, kernel.Param{Name: "noise", Value: noise[t], Domain: positive})
			c.low = math.Min(c.low, math.Log(1e-8))
			coords = append(coords, c)
		}
	}
	split := func(theta []float64) (kernel.Kernel[any], linalg.Matrix[float64], []float64) {
		of := b
		if !given {
			of = p.form.Of(theta[last : last+len(form)])
		}
		return withParams(p.Kernel, theta[:last]), of, theta[last+len(form):]
	}
	if len(coords) > 0 {
		var fault error
		wanted := searched(coords, last)
		found, err := p.search(ctx, theta, coords, p.Trace, func(theta, grad []float64) float64 {
			k, of, noise := split(theta)
			value, err := p.evaluate(ctx, k, of, theta[last:last+len(form)], noise, grad, wanted)
			if err != nil {
				fault = err
				clear(grad)
				return math.Inf(-1)
			}
			return value
		})
		if err != nil {
			if fault != nil && ctx.Err() == nil {
				err = fmt.Errorf("%w (last: %w)", err, fault)
			}
			return nil, err
		}
		theta = found.theta
		report.Iterations, report.Certificate, report.Converged = found.iterations, found.gradient, found.converged
		for _, i := range found.atBound {
			if i < last {
				report.Warnings = append(report.Warnings, fmt.Sprintf("%s ended at the bound %.3g of the search", params[i].Name,
					theta[i]))
			} else if at := i - last - len(form); at >= 0 {
				report.Warnings = append(report.Warnings,
					fmt.Sprintf("the noise of output %d ended at the bound %.3g of the search, as a share of its variance", at,
						theta[i]))
			}
		}
		if !found.converged {
			report.Warnings = append(report.Warnings,
				fmt.Sprintf("the search for hyper-parameters stopped at %d iterations; allow more of them", p.MaxIterations))
		}
	}
	k, of, noise := split(theta)
	s, err := p.spectrum(ctx, k)
	if err != nil {
		return nil, err
	}
	st, err := s.At(of, noise)
	if err != nil {
		return nil, err
	}
	value := p.density(st)
	report.Warnings = append(report.Warnings, fitting.Doubts(ctx, k, p.x, p.Resources)...)
	report.Objective, report.Elapsed = -value, time.Since(start)
	report.Notes = append(report.Notes, p.tell(st, value)...)
	return newJoint(p, k, st, value, report)
}

// startForm is B and the noise where the kernel is as given: outputs that are independent, from
// where they climb.
func (p *jointProblem) startForm(ctx context.Context) (form, noise []float64, err error) {
	s, err := p.spectrum(ctx, p.Kernel)
	if err != nil {
		return nil, nil, err
	}
	return p.form.Climb(ctx, s, p.form.Apart(1), p.Noise, !p.FixedNoise, firstSteps)
}

// evaluate is the evidence and its derivatives by all parameters: those of the kernel, of B's form,
// the noise.
func (p *jointProblem) evaluate(
	ctx context.Context, k kernel.Kernel[any], b linalg.Matrix[float64], form, noise, grad []float64, wanted []bool,
) (float64, error) {
	s, err := p.spectrum(ctx, k)
	if err != nil {
		return 0, err
	}
	st, err := s.At(b, slices.Clone(noise))
	if err != nil {
		return 0, err
	}
	last := len(wanted)
	if slices.Contains(wanted, true) {
		g, err := st.KernelSlopes(ctx)
		if err != nil {
			return 0, err
		}
		if err := kernel.ParamGradDot(ctx, k, grad[:last], wanted, linalg.Dense(g), p.x, p.x); err != nil {
			return 0, err
		}
	}
	byB, byNoise := st.OutputSlopes()
	if len(form) > 0 {
		p.form.Slopes(grad[last:last+len(form)], form, byB)
	}
	copy(grad[last+len(form):], byNoise)
	return st.Value, nil
}

// tell says what was found: the correlations of the outputs and the noise of each.
func (p *jointProblem) tell(st *coregion.State, value float64) []string {
	b, noises := mat.NewSymDense(len(st.Noise), nil), make([]string, len(st.Noise))
	for t := range st.Noise {
		noises[t] = fmt.Sprintf("%.3g", st.Noise[t])
		for u := range t + 1 {
			b.SetSym(t, u, st.B.At(t, u))
		}
	}
	how := "found"
	if p.Outputs != nil {
		how = "given"
	}
	return []string{fmt.Sprintf("one process of %d outputs, whose correlations are %s: %s; noise %s of the variance of "+
		"each; log marginal likelihood of all %.6g",
		len(st.Noise), how, refusal.CorrelationsText(b), strings.Join(noises, ", "), value)}
}
