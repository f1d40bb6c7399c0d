package density

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
)

// emRun is EM from one start.
type emRun struct {
	c          Mixture
	x          linalg.Matrix[float64]
	ridge      []float64 // added to each variance
	penalty    penalty
	resp       linalg.Matrix[float64]
	logs       []float64
	weights    []float64
	means      linalg.Matrix[float64]
	covs       []linalg.Matrix[float64]
	chols      []*linalg.Cholesky
	logLik     float64 // mean of the points
	objective  float64 // the same less the penalty's share
	gain       float64 // of the objective
	iterations int
	converged  bool
}

func newEMRun(c Mixture, x linalg.Matrix[float64], labels []int, ridge []float64, p penalty) *emRun {
	r := &emRun{c: c, x: x, ridge: ridge, penalty: p, resp: linalg.New[float64](x.Rows, c.Components),
		logs: make([]float64, x.Rows), objective: math.Inf(-1)}
	for i, k := range labels {
		r.resp.Set(i, k, 1)
	}
	return r
}

// run alternates until the likelihood gains no more.
func (r *emRun) run(ctx context.Context, began time.Time) error {
	for r.iterations = 1; r.iterations <= r.c.Iterations; r.iterations++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.maximise(); err != nil {
			return err
		}
		g := smoothing.Gaussians{Weights: r.weights, Means: r.means, Chols: r.chols}
		if err := g.Evaluate(ctx, r.c.Threads, r.x, r.resp, r.logs); err != nil {
			return err
		}
		s := 0.0
		for _, v := range r.logs {
			s += v
		}
		s /= float64(r.x.Rows)
		r.logLik = s
		s -= r.penalised() / float64(r.x.Rows)
		r.gain, r.objective = s-r.objective, s
		r.c.Trace.Report(trace.Step{Iteration: r.iterations, Objective: -s, Residual: r.gain, Elapsed: time.Since(began)})
		if math.Abs(r.gain) < r.c.Tol {
			r.converged = true
			break
		}
	}
	return ctx.Err()
}

// penalised is the penalty of all covariances; of one that all components share, once.
func (r *emRun) penalised() float64 {
	s := 0.0
	for _, l := range r.chols {
		s += r.penalty.of(l)
		if r.c.Covariance == TiedCovariance {
			break
		}
	}
	return s
}

// maximise sets weights, means and covariances from the responsibilities.
func (r *emRun) maximise() error {
	n, d, k := r.x.Rows, r.x.Cols, r.c.Components
	r.weights = make([]float64, k)
	r.means = linalg.New[float64](k, d)
	for i := range n {
		for c, g := range r.resp.Row(i) {
			r.weights[c] += g
		}
	}
	linalg.Gemm(r.c.Threads, linalg.Trans, linalg.NoTrans, 1, r.resp, r.x, 0, r.means)
	for c := range k {
		// An empty component keeps a place at the worst explained point.
		if r.weights[c] < 1e-10 {
			worst := 0
			for i, v := range r.logs {
				if v < r.logs[worst] {
					worst = i
				}
			}
			copy(r.means.Row(c), r.x.Row(worst))
			r.weights[c] = 1e-10
			continue
		}
		for j := range d {
			r.means.Row(c)[j] /= r.weights[c]
		}
	}
	r.covs = make([]linalg.Matrix[float64], k)
	centred, weighted := linalg.New[float64](n, d), linalg.New[float64](n, d)
	for c := range k {
		for i := range n {
			g := r.resp.At(i, c)
			for j, v := range r.x.Row(i) {
				centred.Row(i)[j] = v - r.means.At(c, j)
				weighted.Row(i)[j] = g * centred.Row(i)[j]
			}
		}
		r.covs[c] = linalg.New[float64](d, d)
		linalg.Gemm(r.c.Threads, linalg.Trans, linalg.NoTrans, 1/r.weights[c], centred, weighted, 0, r.covs[c])
	}
	for c := range k {
		r.weights[c] /= float64(n)
	}
	r.constrain()
	return r.factorise()
}

// constrain adds the penalty's points, gives the covariances their type and adds the ridge.
func (r *emRun) constrain() {
	d := r.x.Cols
	if r.c.Covariance == TiedCovariance {
		tied := linalg.New[float64](d, d)
		for c, w := range r.weights {
			for i, v := range r.covs[c].Data {
				tied.Data[i] += w * v
			}
		}
		r.penalty.add(tied, float64(r.x.Rows))
		for c := range r.covs {
			r.covs[c] = tied.Clone()
		}
	}
	for c := range r.covs {
		if r.c.Covariance != TiedCovariance {
			r.penalty.add(r.covs[c], r.weights[c]*float64(r.x.Rows))
		}
		cov, trace := r.covs[c], 0.0
		for j := range d {
			trace += cov.At(j, j) / float64(d)
		}
		for i := range d {
			for j := range d {
				if i != j && (r.c.Covariance == DiagonalCovariance || r.c.Covariance == SphericalCovariance) {
					cov.Set(i, j, 0)
				}
			}
			if r.c.Covariance == SphericalCovariance {
				cov.Set(i, i, trace)
			}
			cov.Row(i)[i] += r.ridge[i]
		}
		if r.c.Covariance == SphericalCovariance {
			mean := 0.0
			for _, v := range r.ridge {
				mean += v / float64(d)
			}
			for i := range d {
				cov.Set(i, i, trace+mean)
			}
		}
	}
}

func (r *emRun) factorise() error {
	r.chols = make([]*linalg.Cholesky, len(r.covs))
	for c, cov := range r.covs {
		l, err := linalg.NewCholesky(1, cov.Clone())
		if err != nil {
			return fmt.Errorf("%w (component %d): %w; a larger ridge or a simpler covariance would do", errDegenerate, c, err)
		}
		r.chols[c] = l
	}
	return nil
}

// model packs the result, with a warning for every component that holds less than its dimension's
// worth of points or whose variance is what the penalty and the ridge made it.
func (r *emRun) model() *MixtureModel {
	m := &MixtureModel{config: r.c, weights: r.weights, means: r.means, covs: r.covs, chols: r.chols, n: r.x.Rows,
		logLik: r.logLik}
	m.report = learn.Report{Learner: "mixture", Iterations: min(r.iterations, r.c.Iterations), Objective: -r.objective,
		Certificate: r.gain,
		Certified:   "gain of the mean log-likelihood", Converged: r.converged}
	if !r.converged {
		m.report.Warnings = append(m.report.Warnings,
			fmt.Sprintf("EM did not converge in %d iterations; allow more, or a larger tolerance", r.c.Iterations))
	}
	for c, w := range r.weights {
		held := w * float64(r.x.Rows)
		bound := held
		if r.c.Covariance == TiedCovariance {
			bound = float64(r.x.Rows)
		}
		if held < float64(r.x.Cols)+1 && len(r.weights) > 1 || r.penalty.holds(r.chols[c], bound, r.ridge) {
			m.collapsed++
			m.report.Warnings = append(m.report.Warnings,
				fmt.Sprintf("component %d has collapsed: it holds %.3g points and nothing but the bound on variances keeps its "+
					"covariance regular; use fewer components", c, held))
		}
	}
	return m
}
