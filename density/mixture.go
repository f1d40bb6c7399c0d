package density

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// Mixture is a mixture of Gaussians fitted by expectation-maximisation,
//
//	p(x) = Σ πₖ·N(x | μₖ, Σₖ)
//
// (Dempster, Laird and Rubin 1977). Each start takes its centres by k-means++ (Arthur
// and Vassilvitskii 2007) and Lloyd steps; the start with the highest penalised likelihood is kept.
// Responsibilities are computed in the log domain.
type Mixture struct {
	Components int // 0 means 1
	Covariance CovarianceType
	Starts     int     // 0 means 5
	Iterations int     // at most, each start; 0 means 500
	Tol        float64 // stops when the mean log-likelihood gains less; 0 means 1e-8
	// Penalty is a of what is taken from the log-likelihood, a·Σₖ (tr(Λ·Σₖ⁻¹) + log|Σₖ|), Λ the
	// covariance within the groups of k-means. It bounds the likelihood, which is infinite for a
	// component on a single point or on one value that was recorded many times, and adds 2a points
	// of covariance Λ to each component. 0 means 1/n (Chen, Tan and Zhang 2008), below 0 none.
	Penalty float64
	// Ridge is added to every variance, relative to the data's own: columns that are constant or
	// depend on each other need it. 0 means 1e-6.
	Ridge   float64
	Seed    uint64
	Threads int
	Trace   trace.Func
}

// CovarianceType is what the components' covariances may be.
type CovarianceType int

// The covariance types.
const (
	FullCovariance      CovarianceType = iota // a matrix of its own for each component
	DiagonalCovariance                        // variances of its own for each component
	SphericalCovariance                       // one variance for each component
	TiedCovariance                            // one matrix for all components
)

// MixtureModel is a fitted Mixture.
type MixtureModel struct {
	config  Mixture
	weights []float64
	means   linalg.Matrix[float64]   // a row a component
	covs    []linalg.Matrix[float64] // full matrices
	chols   []*linalg.Cholesky
	n       int
	logLik  float64 // mean log-likelihood of the training points
	report  learn.Report

	collapsed int // components that the bound on variances alone keeps from a point
}

var errDegenerate = errors.New("a covariance is not positive definite")

// Fit runs EM from every start.
func (c Mixture) Fit(ctx context.Context, x data.Points[[]float64]) (*MixtureModel, error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("mixture: %w", err)
	}
	return m, nil
}

func (c Mixture) withDefaults() (Mixture, error) {
	if c.Components == 0 {
		c.Components = 1
	}
	if c.Starts == 0 {
		c.Starts = 5
	}
	if c.Iterations == 0 {
		c.Iterations = 500
	}
	if c.Tol == 0 {
		c.Tol = 1e-8
	}
	if c.Ridge == 0 {
		c.Ridge = 1e-6
	}
	switch {
	case c.Components < 0:
		return c, fmt.Errorf("Components is %d; give a positive number", c.Components)
	case c.Starts < 0 || c.Iterations < 0:
		return c, fmt.Errorf("Starts is %d and Iterations %d; give positive numbers", c.Starts, c.Iterations)
	case math.IsNaN(c.Penalty) || math.IsInf(c.Penalty, 0):
		return c, fmt.Errorf("Penalty is %g; give a number, below 0 for none", c.Penalty)
	case !(c.Tol > 0) || !(c.Ridge > 0):
		return c, fmt.Errorf("Tol is %g and Ridge %g; give positive numbers", c.Tol, c.Ridge)
	case c.Covariance < FullCovariance || c.Covariance > TiedCovariance:
		return c, fmt.Errorf("there is no covariance type %d", c.Covariance)
	}
	return c, nil
}

func (c Mixture) fit(ctx context.Context, x data.Points[[]float64]) (*MixtureModel, error) {
	start := time.Now()
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	points, err := apply.OwnPoints(x)
	if err != nil {
		return nil, err
	}
	if c.Components > points.Rows {
		return nil, fmt.Errorf("%d components for %d points; use fewer", c.Components, points.Rows)
	}
	labels, ridge, penalty, err := c.starts(ctx, points)
	if err != nil {
		return nil, err
	}
	var best *emRun
	for s := range c.Starts {
		r := newEMRun(c, points, labels[s], ridge, penalty)
		if err := r.run(ctx, start); err != nil {
			return nil, err
		}
		if best == nil || r.objective > best.objective {
			best = r
		}
	}
	m := best.model()
	m.report.Elapsed = time.Since(start)
	return m, nil
}

// Proportions are the πₖ.
func (m *MixtureModel) Proportions() []float64 { return append([]float64(nil), m.weights...) }

// Mean is μₖ.
func (m *MixtureModel) Mean(k int) []float64 { return append([]float64(nil), m.means.Row(k)...) }

// Covariance is Σₖ.
func (m *MixtureModel) Covariance(k int) *mat.SymDense {
	out := mat.NewSymDense(m.means.Cols, nil)
	for i := range m.means.Cols {
		for j := range i + 1 {
			out.SetSym(i, j, m.covs[k].At(i, j))
		}
	}
	return out
}

// Dim is the number of columns.
func (m *MixtureModel) Dim() int { return m.means.Cols }

// Components is the number of components.
func (m *MixtureModel) Components() int { return len(m.weights) }

// Report says how the fit went; its warnings name components that collapsed.
func (m *MixtureModel) Report() learn.Report { return m.report }

// LogLikelihood is Σ log p(xᵢ) over the training points.
func (m *MixtureModel) LogLikelihood() float64 { return m.logLik * float64(m.n) }

// Parameters is the number of free parameters.
func (m *MixtureModel) Parameters() int {
	k, d := len(m.weights), m.means.Cols
	free := k - 1 + k*d
	switch m.config.Covariance {
	case FullCovariance:
		return free + k*d*(d+1)/2
	case DiagonalCovariance:
		return free + k*d
	case SphericalCovariance:
		return free + k
	}
	return free + d*(d+1)/2
}

// BIC is -2·log-likelihood + parameters·log n (Schwarz 1978); lower is better.
func (m *MixtureModel) BIC() float64 {
	return -2*m.LogLikelihood() + float64(m.Parameters())*math.Log(float64(m.n))
}

// AIC is -2·log-likelihood + 2·parameters (Akaike 1974); lower is better.
func (m *MixtureModel) AIC() float64 { return -2*m.LogLikelihood() + 2*float64(m.Parameters()) }

// SelectMixture fits 1 to most components and keeps the model with the lowest BIC among those
// without a collapsed component: one that stands on a repeated value describes how the sample was
// rounded, and BIC, which knows nothing of rounding, rewards it.
func SelectMixture(ctx context.Context, c Mixture, x data.Points[[]float64], most int) (*MixtureModel, error) {
	var best *MixtureModel
	for k := 1; k <= most; k++ {
		c.Components = k
		m, err := c.Fit(ctx, x)
		if err != nil {
			if best != nil && errors.Is(err, errDegenerate) {
				break
			}
			return nil, err
		}
		sound, before := m.collapsed == 0, best != nil && best.collapsed == 0
		if best == nil || sound && !before || sound == before && m.BIC() < best.BIC() {
			best = m
		}
	}
	if best == nil {
		return nil, fmt.Errorf("mixture: at most %d components leaves nothing to choose from", most)
	}
	return best, nil
}
