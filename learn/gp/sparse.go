package gp

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// InducingOptions says by which few points Z a process on many rows is known. What it needs in
// memory grows with M², what a pass over the rows costs with n·M².
type InducingOptions struct {
	// M, how many are chosen among the rows, far from each other (k-means++ in feature space); 0
	// means 2√n, at least 50. No more than there are rows
	Inducing int
	// MoveInducing looks for better places of the points, together with the parameters. They have
	// to be dense vectors, and the kernel needs a derivative by them.
	MoveInducing bool
}

// fewInducing is the number of inducing points where none is told.
func fewInducing(n int) int { return min(n, max(50, int(2*math.Sqrt(float64(n))))) }

// candidateTimes inducing points, and at least candidateRows, are drawn to choose from.
const (
	candidateTimes = 10
	candidateRows  = 20000
)

// SparseRegression is Gaussian process regression by few inducing points Z,
//
//	y = f(x) + b + ε,  f ~ GP(0, k),  ε ~ N(0, σ²),
//
// whose posterior is summarised by f(Z). Kernel parameters, σ² and, if asked for, Z maximise a
// lower bound on the log marginal likelihood,
//
//	log N(y - b | 0, Q + σ²I) - tr(K - Q)/2σ²,   Q = K(X, Z)K(Z, Z)⁻¹K(Z, X)
//
// (M. Titsias, Variational learning of inducing variables in sparse Gaussian processes, 2009),
// which is the log marginal likelihood itself where Z holds all points. FITC maximises log N(y - b
// | 0, Q + diag(K - Q) + σ²I) instead, the evidence of another model, which is no bound (E. Snelson
// and Z. Ghahramani 2006). The certificate of a fit is the norm of the gradient in the coordinates
// of the search. Rows come in blocks.
type SparseRegression[T any] struct {
	Kernel kernel.Kernel[T]
	Noise  float64 // σ²: where the search starts, or the value when fixed; 0 means a tenth of the variance of the targets

	FixedNoise bool    // keep σ² as given
	Mean       float64 // b
	FitMean    bool    // find b too, by generalised least squares

	FITC bool

	Weights []float64      // wᵢ ≥ 0: how many rows a row counts as; nil means 1
	Given   data.Points[T] // Z, or where its search starts; nil means a choice among the rows

	InducingOptions
	HyperOptions
	learn.Resources
}

// Fit learns from points and their values. When ctx ends in the search the error is a
// *learn.Stopped with the best place so far.
func (g SparseRegression[T]) Fit(
	ctx context.Context, x data.Points[T], y []float64,
) (_ *SparseRegressor[T], err error) {
	defer fault.Name("sparse gp", &err)
	found, err := g.open().fitPoints(ctx, data.Erase(x), y)
	if err != nil {
		return nil, err
	}
	return newSparseRegressor[T](ctx, found)
}

// FitSource learns from rows that come in blocks, of one target each. Weights are those of the
// source.
func (g SparseRegression[T]) FitSource(ctx context.Context, rows data.Source[T]) (_ *SparseRegressor[T], err error) {
	defer fault.Name("sparse gp", &err)
	found, err := g.open().fit(ctx, fitting.EraseSource(rows), nil)
	if err != nil {
		return nil, err
	}
	return newSparseRegressor[T](ctx, found)
}

// sparseRegression is a SparseRegression of points that have lost their type.
type sparseRegression SparseRegression[any]

func (g SparseRegression[T]) open() *sparseRegression {
	return &sparseRegression{
		Kernel: kernel.Erase(g.Kernel), Noise: g.Noise, FixedNoise: g.FixedNoise, Mean: g.Mean, FitMean: g.FitMean,
		FITC: g.FITC, Weights: g.Weights, Given: data.Erase(g.Given), InducingOptions: g.InducingOptions,
		HyperOptions: g.HyperOptions, Resources: g.Resources,
	}
}

func (g *sparseRegression) fitPoints(ctx context.Context, x data.Points[any], y []float64) (*sparseFit, error) {
	if err := fitting.CheckTargets(x, y); err != nil {
		return nil, err
	}
	if _, err := fitting.Prices(1, len(y), g.Weights); err != nil {
		return nil, err
	}
	return g.fit(ctx, data.NewInMemory(x, y, 1, g.Weights), x)
}

// Bound is the lower bound on the log marginal likelihood, or what FITC maximises, at the
// parameters and inducing points as given or chosen, with its derivatives. Nothing is fitted but,
// if asked for, the mean.
func (g SparseRegression[T]) Bound(ctx context.Context, x data.Points[T], y []float64) (_ SparseBound, err error) {
	defer fault.Name("sparse gp", &err)
	return g.open().bound(ctx, data.Erase(x), y)
}

func (g *sparseRegression) bound(ctx context.Context, x data.Points[any], y []float64) (SparseBound, error) {
	if err := fitting.CheckTargets(x, y); err != nil {
		return SparseBound{}, err
	}
	p, z, err := g.problem(ctx, data.NewInMemory(x, y, 1, g.Weights))
	if err != nil {
		return SparseBound{}, err
	}
	params, dim := len(kernel.Params(g.Kernel)), 0
	if g.MoveInducing {
		if dim, err = vectors(g.Kernel, z); err != nil {
			return SparseBound{}, err
		}
	}
	grad := make([]float64, params+1+z.Len()*dim)
	s, err := p.evaluate(ctx, g.Kernel, z, g.Noise, grad, nil, dim)
	if err != nil {
		return SparseBound{}, err
	}
	return SparseBound{Value: s.value, Kernel: grad[:params], Noise: grad[params], Inducing: grad[params+1:],
		Jitter: s.jitter}, nil
}

// SparseBound is a bound on the log marginal likelihood with its derivatives.
type SparseBound struct {
	Value  float64
	Kernel []float64 // derivatives by the parameters of the kernel, in the order of kernel.Params
	Noise  float64   // derivative by the noise variance
	// derivatives by the coordinates of the inducing points, one point after the other; none unless
	// they move
	Inducing []float64
	Jitter   float64 // what had to be added to the diagonal of K(Z, Z)
}

// sparseBytes is what a fit holds at the most: the factors of K(Z, Z) and B with those of the best
// place so far, the sums, the derivatives, blocks of features, and the last places of few points.
func sparseBytes(m, dim int) int64 {
	last := int64(min(m, mixedPoints))
	return 8 * (14*int64(m)*int64(m) + 4*1024*int64(m) + 8*int64(m)*int64(dim+1) + 2*mixedPlaces*last*last)
}

// problem checks the input and chooses the inducing points.
func (g *sparseRegression) problem(
	ctx context.Context, rows data.Source[any],
) (*sparseProblem, data.Points[any], error) {
	if rows == nil || rows.Len() == 0 {
		return nil, nil, learn.ErrNoPoints
	}
	if rows.Outputs() != 1 {
		return nil, nil, fmt.Errorf("the rows have %d targets, want 1", rows.Outputs())
	}
	if err := kernel.Validate(g.Kernel); err != nil {
		return nil, nil, err
	}
	var err error
	if g.Resources, err = g.Resources.WithDefaults(); err != nil {
		return nil, nil, err
	}
	if g.HyperOptions, err = g.HyperOptions.withDefaults(); err != nil {
		return nil, nil, err
	}
	switch {
	case !(g.Noise >= 0) || math.IsInf(g.Noise, 0):
		return nil, nil, fmt.Errorf("Noise is %g; give a positive variance, or 0 for a tenth of that of the targets", g.Noise)
	case math.IsNaN(g.Mean) || math.IsInf(g.Mean, 0):
		return nil, nil, fmt.Errorf("Mean is %g; give a finite number", g.Mean)
	}
	census, err := fitting.Survey(ctx, g.Kernel, rows)
	if err != nil {
		return nil, nil, err
	}
	if g.Noise == 0 {
		if g.Noise = 0.1 * census.Variance; g.Noise == 0 {
			g.Noise = 0.1 // constant targets, whose scale says nothing
		}
	}
	z, err := chooseInducing(ctx, g.InducingOptions, g.Kernel, rows, census.Kept, g.Given, g.Seed, g.Resources,
		"sparse gp", 1)
	if err != nil {
		return nil, nil, err
	}
	p := &sparseProblem{Resources: g.Resources, rows: rows, census: census, fitc: g.FITC, mean: g.Mean, fitMean: g.FitMean}
	p.keep = 8*int64(rows.Len())*int64(z.Len()+1) <= (g.Bytes-sparseBytes(z.Len(), 0))/2
	return p, z, ctx.Err()
}

// chooseInducing is the inducing points as given, or chosen among the rows, in memory of their own.
// copies is how many times the memory of one output the learner needs.
func chooseInducing(
	ctx context.Context, o InducingOptions, k kernel.Kernel[any], rows data.Source[any], kept int,
	given data.Points[any], seed uint64, r learn.Resources, learner string, copies int64,
) (data.Points[any], error) {
	count := o.Inducing
	switch {
	case count < 0:
		return nil, fmt.Errorf("Inducing is %d; give a positive number, or 0 for 2√n", count)
	case given != nil:
		count = given.Len()
	case count == 0:
		count = fewInducing(kept)
	}
	if given == nil {
		count = min(count, kept)
	}
	if need := copies * sparseBytes(count, 0); need > r.Bytes {
		return nil, &learn.OverBudget{Learner: learner, Points: rows.Len(), Needs: need, Budget: r.Bytes,
			Instead: "give it more memory or take fewer inducing points"}
	}
	if given != nil {
		return givenInducing(ctx, k, rows, given)
	}
	x, err := fitting.Draw(ctx, rows, kept, min(kept, max(candidateTimes*count, candidateRows)), seed)
	if err != nil {
		return nil, err
	}
	index, err := gram.KMeansCenters(ctx, k, x, count, r.Threads, seed)
	if err != nil {
		return nil, err
	}
	return data.OwnSubset(x, index), nil
}

// givenInducing checks points against the rows.
func givenInducing(
	ctx context.Context, k kernel.Kernel[any], rows data.Source[any], given data.Points[any],
) (data.Points[any], error) {
	if given.Len() == 0 {
		return nil, fmt.Errorf("Given has no points; give some, or leave it nil")
	}
	if err := kernel.Check(k, given); err != nil {
		return nil, fmt.Errorf("Given: %w", err)
	}
	seen := false
	err := rows.Pass(ctx, 1024, func(b data.Block[any]) error {
		if seen {
			return nil
		}
		seen = true
		return kernel.CheckPair(k, b.Points, given)
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("Given: %w", err)
	}
	return data.Own(given), err
}

// sparseFit is the end of a search: the mean of the posterior, and what the search was stopped by, if
// it was.
type sparseFit struct {
	f       *rkhs.Func[any]
	s       *sparseState
	report  learn.Report
	stopped error
}

// fit searches and makes the model. x is all points, where they are at hand, to say what is wrong
// with the kernel there.
func (g *sparseRegression) fit(ctx context.Context, rows data.Source[any], x data.Points[any]) (*sparseFit, error) {
	start := time.Now()
	p, z, err := g.problem(ctx, rows)
	if err != nil {
		return nil, err
	}
	params := kernel.Params(g.Kernel)
	s := &sparseSearch{HyperOptions: g.HyperOptions, kernel: g.Kernel, points: z, trace: g.Trace, kernels: len(params)}
	s.at = func(ctx context.Context, k kernel.Kernel[any], z data.Points[any], theta, grad []float64, wanted []bool,
		dim int) (any, float64, error) {
		state, err := p.evaluate(ctx, k, z, theta[0], grad, wanted, dim)
		if err != nil {
			return nil, 0, err
		}
		return state, state.value, nil
	}
	if !g.FixedNoise {
		noise := kernel.Param{Name: "noise", Value: g.Noise, Domain: kernel.Domain{High: math.Inf(1), OpenLow: true,
			LogScale: true}}
		c := newCoordinate(len(params), noise)
		c.low = math.Log(g.Noise * 1e-8)
		s.extra = []coordinate{c}
	}
	s.values = []float64{g.Noise}
	found, stopped := s.run(ctx, g.MoveInducing)
	if found == nil {
		return nil, fitting.Explain(ctx, stopped, g.Kernel, x, g.Resources)
	}
	name := "sgpr"
	if g.FITC {
		name = "sgpr (FITC)"
	}
	report := found.report(name, g.MaxIterations)
	report.Bytes = sparseBytes(z.Len(), found.dim)
	if p.kept != nil {
		report.Bytes += 8 * int64(rows.Len()) * int64(z.Len()+1)
	}
	best, err := p.home(ctx, found.state.(*sparseState))
	if err != nil {
		return nil, err
	}
	if best.jitter > 0 {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("added %.3g to the diagonal of K(Z, Z) to make it positive definite", best.jitter))
	}
	if stopped == nil {
		report.Warnings = append(report.Warnings, fitting.Doubts(ctx, best.kernel, best.points, g.Resources)...)
	}
	report.Elapsed = time.Since(start)
	f, err := best.function()
	return &sparseFit{f, best, report, stopped}, err
}
