package rbf

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Options is what radial basis function networks share: a generalised linear model on the features
// [k(x, μ₁) … k(x, μ_K)] (Broomhead and Lowe 1988; Murphy 2012, §14.3.1). The kernel need not be
// positive semi-definite. The zero value is a sound choice.
type Options struct {
	Centers       int          // K, at most the number of points; 0 means √n, at least 10 or all points
	Choice        CenterChoice // where the centres come from
	Unexplained   float64      // OrthogonalLeastSquares stops once this part of the energy is left; 0 means at K
	Seed          uint64       // of RandomCenters and KMeansCenters
	Lambda        float64      // λ > 0; 0 means 1e-3
	NoIntercept   bool         // leave the bias out; it is not penalised
	Tol           float64      // duality gap to reach, relative to the objective at 0; 0 means 1e-6
	MaxIterations int          // Newton steps; 0 means 500

	normalised bool // features are divided by their sum
	learn.Resources
}

func (o *Options) check(n int) error {
	if o.Centers < 0 || o.Centers > n {
		return fmt.Errorf("Centers is %d, with %d points; give a number from 1 to %d, or 0", o.Centers, n, n)
	}
	if o.Centers == 0 {
		o.Centers = min(n, max(10, int(math.Ceil(math.Sqrt(float64(n))))))
	}
	if o.Choice < RandomCenters || o.Choice > KMeansCenters {
		return fmt.Errorf("Choice is %d; give RandomCenters, OrthogonalLeastSquares or KMeansCenters", o.Choice)
	}
	if !(o.Unexplained >= 0 && o.Unexplained < 1) {
		return fmt.Errorf("Unexplained is %g; give a number from 0 to below 1", o.Unexplained)
	}
	if err := fitting.SetOrDefault("Lambda", &o.Lambda, 1e-3); err != nil {
		return err
	}
	if err := fitting.SetOrDefault("Tol", &o.Tol, 1e-6); err != nil {
		return err
	}
	if err := fitting.SetOrDefaultInt("MaxIterations", &o.MaxIterations, 500); err != nil {
		return err
	}
	var err error
	o.Resources, err = o.Resources.WithDefaults()
	return err
}

// Network is the radial basis function network for regression,
//
//	minimise over β, b   ½ Σ wᵢ(yᵢ - Σⱼ βⱼk(μⱼ, xᵢ) - b)² + (λ/2)‖β‖².
//
// The certificate is the relative duality gap.
type Network[T any] struct {
	Kernel  kernel.Kernel[T]
	Weights []float64      // wᵢ; nil means 1
	Given   data.Points[T] // the centres themselves, in place of Choice and Centers; nil means that they are chosen
	Options
}

// Fit learns from points and their values.
func (c Network[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*Regressor[T], error) {
	start := time.Now()
	weights, err := fitting.CheckRegression(c.Kernel, x, y, c.Weights)
	if err == nil {
		err = c.check(x.Len())
	}
	if err == nil {
		err = checkGiven(&c.Options, c.Kernel, x, c.Given)
	}
	if err != nil {
		return nil, fmt.Errorf("rbf network: %w", err)
	}
	own, y := data.Own(x), slices.Clone(y)
	m, err := fitting.Heed(ctx, func() (*Regressor[T], error) {
		f, centers, report, err := fitRBF(ctx, "rbf network", c.Options, c.Kernel, own, c.Given, [][]float64{y}, weights,
			false)
		if err != nil {
			return nil, err
		}
		report.Elapsed = time.Since(start)
		return &Regressor[T]{*learn.NewExpansionRegressor(f, sorted(centers.rows), report), centers}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("rbf network: %w", err)
	}
	return m, nil
}

// Regressor is a fitted Network. Support is nil where the centres are means.
type Regressor[T any] struct {
	learn.ExpansionRegressor[T]
	Centers
}

// fitRBF chooses the centres, then solves one generalised linear model for each target.
func fitRBF[T any](
	ctx context.Context, name string, o Options, k kernel.Kernel[T], x, given data.Points[T], targets [][]float64,
	weights []float64, classes bool,
) (*rkhs.Func[T], Centers, learn.Report, error) {
	report := learn.Report{Learner: name, Certified: "relative duality gap", Converged: true}
	// The features and, in the solver, the features times the curvature.
	report.Bytes = 16 * int64(o.Centers) * int64(x.Len())
	if report.Bytes > o.Bytes {
		return nil, Centers{}, report, &learn.OverBudget{Learner: name, Points: x.Len(), Needs: report.Bytes, Budget: o.Bytes,
			Instead: "give it more memory or take fewer centres"}
	}
	var mu data.Points[T]
	var centers Centers
	var err error
	if given != nil {
		mu = data.Own(given)
	} else {
		mu, centers, err = chooseCenters(ctx, name, o, k, x, targets, weights)
	}
	if err != nil {
		return nil, centers, report, err
	}
	if o.Choice == OrthogonalLeastSquares && given == nil {
		report.Bytes = max(report.Bytes, 8*int64(x.Len())*int64(x.Len()))
	}
	if got := mu.Len(); got < o.Centers && !centers.reached {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("%d centres in place of %d: the points offer no more that differ", got, o.Centers))
	}
	if centers.unsettled {
		report.Converged = false
		report.Warnings = append(report.Warnings, fmt.Sprintf("k-means still moved points after %d sweeps", mostSweeps))
	}
	columns := linalg.New[float64](mu.Len(), x.Len())
	kernel.Fill(o.Threads, blas64.General(columns), kernel.Prepare(ctx, k, mu, x))
	if err := fitting.CheckFeatures(ctx, columns); err != nil {
		return nil, centers, report, err
	}
	if o.normalised {
		if err := normalise(columns); err != nil {
			return nil, centers, report, err
		}
	}
	coef, bias := mat.NewDense(mu.Len(), len(targets), nil), make([]float64, len(targets))
	for t, target := range targets {
		p := &fitting.RidgeGLM{Columns: columns, Target: target, Weight: weights, Logistic: classes,
			Intercept: !o.NoIntercept, Lambda: o.Lambda, Threads: o.Threads, Trace: o.Trace}
		s, err := p.Solve(ctx, o.Tol, o.MaxIterations)
		if err != nil {
			return nil, centers, report, err
		}
		coef.SetCol(t, s.Beta)
		bias[t] = s.Bias
		gap := s.Gap / fitting.ObjectiveAtZero(target, weights, classes)
		report.Iterations += s.Steps
		report.Objective += s.Value
		report.Certificate = math.Max(report.Certificate, gap)
		if !s.Converged {
			report.Converged = false
			report.Warnings = append(report.Warnings,
				fmt.Sprintf("relative duality gap %.2g is above the tolerance %.2g after %d iterations", gap, o.Tol, s.Steps))
		}
	}
	f := &rkhs.Func[T]{Kernel: k, Centers: mu, Coef: coef, Bias: fitting.BiasOrNil(!o.NoIntercept, bias)}
	return f, centers, report, fitting.FiniteCoefficients(f)
}

func sorted(index []int) []int {
	s := slices.Clone(index)
	slices.Sort(s)
	return s
}
