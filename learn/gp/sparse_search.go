package gp

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// sparseSearch maximises a bound over the parameters of a kernel, what else the likelihood has, and
// the inducing points in units of their spread.
type sparseSearch struct {
	HyperOptions
	kernel  kernel.Kernel[any]
	points  data.Points[any]
	kernels int          // parameters of the kernel
	values  []float64    // of the likelihood
	extra   []coordinate // of those that are searched, numbered after the kernel's
	trace   trace.Func
	// at is the state at some parameters with the value of the bound and, where grad is not nil,
	// the derivatives: by the kernel's parameters, the likelihood's, then the points.
	at func(ctx context.Context, k kernel.Kernel[any], z data.Points[any], values, grad []float64, wanted []bool,
		dim int) (state any, value float64, err error)

	best, latest place
	steps        int
}

// place is where a search was.
type place struct {
	state    any
	value    float64
	gradient float64
}

// sparseFound is the best place of a search, with its account.
type sparseFound struct {
	place
	iterations int
	converged  bool
	atBound    []string
	dim        int
}

// run searches. When the context ends the best place that a step had reached comes beside the
// error; nothing where there is none.
func (s *sparseSearch) run(ctx context.Context, move bool) (*sparseFound, error) {
	params := kernel.Params(s.kernel)
	coords, err := s.kernelCoordinates(params)
	if err != nil {
		return nil, err
	}
	wanted := searched(coords, s.kernels)
	coords = append(coords, s.extra...)
	first := s.kernels + len(s.values)
	theta := append(kernel.Values(s.kernel), s.values...)
	dim := 0
	var units []float64
	if move {
		if dim, err = vectors(s.kernel, s.points); err != nil {
			return nil, err
		}
		var z []float64
		z, units = s.scaled(dim)
		for i := range z {
			coords = append(coords, coordinate{at: first + i, low: math.Inf(-1), high: math.Inf(1)})
		}
		theta = append(theta, z...)
	}
	if len(coords) == 0 {
		state, value, err := s.at(ctx, s.kernel, s.points, s.values, nil, nil, 0)
		if state == nil {
			return nil, err
		}
		return &sparseFound{place: place{state, value, 0}, converged: err == nil}, err
	}
	var fault error
	found, err := s.search(ctx, theta, coords, s.accept, func(theta, grad []float64) float64 {
		z := s.points
		if dim > 0 {
			z = s.placed(theta[first:], units, dim)
		}
		state, value, err := s.at(ctx, withParams(s.kernel, theta[:s.kernels]), z, theta[s.kernels:first], grad, wanted, dim)
		if err != nil {
			fault = err
			clear(grad)
			return math.Inf(-1)
		}
		for i := range theta[first:] {
			grad[first+i] *= units[i%dim]
		}
		s.latest = place{state, value, math.Inf(1)}
		if s.best.state == nil && !math.IsNaN(value) {
			s.best = s.latest
		}
		return value
	})
	out := &sparseFound{place: s.best, iterations: s.steps, dim: dim}
	switch {
	case err != nil && ctx.Err() == nil && fault != nil:
		return nil, fmt.Errorf("%w (last: %w)", err, fault)
	case err != nil && (ctx.Err() == nil || s.best.state == nil):
		return nil, err
	case err != nil:
		return out, err
	}
	out.gradient, out.converged, out.iterations = found.gradient, found.converged, found.iterations
	for _, i := range found.atBound {
		switch {
		case i < s.kernels:
			out.atBound = append(out.atBound, fmt.Sprintf("%s ended at the bound %.3g of the search", params[i].Name,
				found.theta[i]))
		case i < first:
			out.atBound = append(out.atBound, fmt.Sprintf("the noise ended at the bound %.3g of the search", found.theta[i]))
		}
	}
	return out, nil
}

// accept is told of a step: where the search was last is where it is now.
func (s *sparseSearch) accept(t trace.Step) {
	s.steps++
	s.latest.gradient = t.Residual
	if s.latest.value >= s.best.value {
		s.best = s.latest
	}
	s.trace.Report(t)
}

// scaled is the inducing points in units of the deviation of their coordinates.
func (s *sparseSearch) scaled(dim int) (z, units []float64) {
	points := data.MustVectors(s.points)
	n := float64(points.Len())
	units = make([]float64, dim)
	for j := range units {
		mean, square := 0.0, 0.0
		for i := range points.Len() {
			mean += points.At(i)[j] / n
		}
		for i := range points.Len() {
			d := points.At(i)[j] - mean
			square += d * d / n
		}
		if units[j] = math.Sqrt(square); !(units[j] > 0) || math.IsInf(units[j], 0) {
			units[j] = 1
		}
	}
	for i := range points.Len() {
		for j, v := range points.At(i) {
			z = append(z, v/units[j])
		}
	}
	return z, units
}

// placed is the points of scaled coordinates.
func (s *sparseSearch) placed(z, units []float64, dim int) data.Points[any] {
	m := mat.NewDense(len(z)/dim, dim, nil)
	raw := m.RawMatrix().Data
	for i, v := range z {
		raw[i] = v * units[i%dim]
	}
	return data.FromVectors[any](data.Points[kernel.Vec](data.Rows(m)))
}

// report is the account of a search.
func (f *sparseFound) report(learner string, most int) learn.Report {
	r := learn.Report{Learner: learner, Iterations: f.iterations, Objective: -f.value, Certificate: f.gradient,
		Certified: "gradient norm of the bound",
		Converged: f.converged, Warnings: f.atBound}
	if !f.converged && f.iterations >= most {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the search for parameters stopped at %d iterations; allow more of them",
			most))
	}
	return r
}
