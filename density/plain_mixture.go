package density

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Plain returns the components as plain data: covariances stand one below the other.
func (m *MixtureModel) Plain() (rkhs.Plain[[]float64], error) {
	k, d := m.means.Rows, m.means.Cols
	covs := linalg.New[float64](k*d, d)
	for c, cov := range m.covs {
		for i := range d {
			copy(covs.Row(c*d+i), cov.Row(i))
		}
	}
	return plain{
		Kind: savedkind.Mixture,
		Numbers: map[string]float64{"covariance type": float64(m.config.Covariance), "points": float64(m.n),
			"log-likelihood": m.logLik},
		Arrays: map[string]*mat.Dense{"proportions": rkhs.ListArray(m.weights), "means": linalg.Dense(m.means),
			"covariances": linalg.Dense(covs)},
	}, nil
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *MixtureModel) Restore(p rkhs.Plain[[]float64]) error {
	told, err := restoreMixture(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreMixture makes a MixtureModel of plain data.
func restoreMixture(p rkhs.Plain[[]float64]) (*MixtureModel, error) {
	weights, err := positives(p, "proportions", -1, true)
	if err != nil {
		return nil, err
	}
	k := len(weights)
	if k == 0 {
		return nil, fmt.Errorf("a mixture of no components")
	}
	means, err := p.Array("means", k, -1)
	if err != nil {
		return nil, err
	}
	m := &MixtureModel{weights: weights, means: linalg.Of(means),
		report: learn.Report{Learner: "mixture", Converged: true}}
	d := m.means.Cols
	covs, err := p.Array("covariances", k*d, d)
	if err != nil {
		return nil, err
	}
	for c := range k {
		cov := linalg.Of(covs).Slice(c*d, (c+1)*d, 0, d).Clone()
		l, err := linalg.NewCholesky(1, cov.Clone())
		if err != nil {
			return nil, fmt.Errorf("%w (component %d): %w", errDegenerate, c, err)
		}
		m.covs, m.chols = append(m.covs, cov), append(m.chols, l)
	}
	kind, err := p.Whole("covariance type", int(FullCovariance), int(TiedCovariance))
	if err != nil {
		return nil, err
	}
	m.config = Mixture{Components: k, Covariance: CovarianceType(kind)}
	if m.n, err = p.Whole("points", 1, math.MaxInt32); err != nil {
		return nil, err
	}
	m.logLik, err = p.Number("log-likelihood")
	return m, err
}
