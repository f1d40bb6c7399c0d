package learnt

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

// Normal is a normal distribution of vectors (prob.NormalModel), fitted by the mean and the
// covariance of the rows.
type Normal struct {
	Covariance bool    // the covariance is a parameter too, not the mean alone
	Ridge      float64 // added to every variance, times the largest of them; 1e-6 when zero

	Mean []float64
	Cov  [][]float64
}

func (m Normal) fitted() bool { return m.Mean != nil }

func (m Normal) model() prob.NormalModel {
	return prob.NormalModel{Normal: normalOf(m.Mean, m.Cov), FreeCovariance: m.Covariance}
}

func normalOf(mean []float64, cov [][]float64) prob.Normal {
	c := mat.NewSymDense(len(mean), nil)
	for i := range mean {
		for j := range i + 1 {
			c.SetSym(i, j, cov[i][j])
		}
	}
	return prob.Normal{Mean: mean, Cov: c}
}

// square refuses a covariance that is not for so many coordinates.
func square(what string, cov [][]float64, dim int) error {
	if len(cov) != dim || dim == 0 {
		return fmt.Errorf("kernel: %s: a covariance of %d rows for a mean of %d coordinates", what, len(cov), dim)
	}
	for i, row := range cov {
		if len(row) != dim {
			return fmt.Errorf("kernel: %s: row %d of a covariance has %d numbers, want %d", what, i, len(row), dim)
		}
	}
	return nil
}

// Validate refuses a covariance that is none.
func (m Normal) Validate() error {
	if err := positive("normal", "ridge", m.Ridge); err != nil || !m.fitted() {
		return err
	}
	if err := square("normal", m.Cov, len(m.Mean)); err != nil {
		return err
	}
	return m.model().Validate()
}

func (m Normal) fit(_ context.Context, x data.Points[kernel.Vec]) (Model[kernel.Vec], error) {
	d, n := len(x.At(0)), float64(x.Len())
	m.Mean = make([]float64, d)
	for i := range x.Len() {
		for j, v := range x.At(i) {
			m.Mean[j] += (v - m.Mean[j]) / float64(i+1)
		}
	}
	cov, diff := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
	for i := range x.Len() {
		for j, v := range x.At(i) {
			diff.SetVec(j, v-m.Mean[j])
		}
		cov.SymRankOne(cov, 1/n, diff)
	}
	largest := 0.0
	for j := range d {
		largest = max(largest, cov.At(j, j))
	}
	m.Cov = make([][]float64, d)
	for i := range m.Cov {
		m.Cov[i] = make([]float64, d)
		for j := range m.Cov[i] {
			m.Cov[i][j] = cov.At(i, j)
		}
		m.Cov[i][i] += or(m.Ridge, 1e-6) * or(largest, 1)
	}
	return m, m.Validate()
}

func (m Normal) check(_ string, x data.Points[kernel.Vec]) error { return m.model().CheckPoints(x) }

func (m Normal) scores(h how, x data.Points[kernel.Vec]) (func(kernel.Vec) kernel.Vec, *mat.Dense, error) {
	return scored(prob.Model[kernel.Vec](m.model()), same, make(kernel.Vec, len(m.Mean)), h, x)
}

func same(x kernel.Vec) kernel.Vec { return x }

func (m Normal) likelihoods() func(kernel.Vec) kernel.Vec {
	n := m.model()
	return func(x kernel.Vec) kernel.Vec { return kernel.Vec{math.Exp(n.LogDensity(x))} }
}

// Mixture is a mixture of normal distributions of vectors (prob.MixtureModel), fitted by
// density.Mixture.
type Mixture struct {
	Components int // 2 when zero
	Covariance bool
	Starts     int     // of expectation maximisation; 5 when zero
	Ridge      float64 // as that of density.Mixture
	Seed       uint64

	Weights     []float64
	Means       [][]float64
	Covariances [][][]float64
}

func (m Mixture) fitted() bool { return m.Weights != nil }

func (m Mixture) model() prob.MixtureModel {
	mix := prob.Mixture{Weights: m.Weights}
	for i, mean := range m.Means {
		mix.Parts = append(mix.Parts, normalOf(mean, m.Covariances[i]))
	}
	return prob.MixtureModel{Mixture: mix, FreeCovariance: m.Covariance}
}

// Validate refuses parts that do not fit each other.
func (m Mixture) Validate() error {
	if m.Components < 0 || m.Starts < 0 {
		return fmt.Errorf("kernel: mixture: %d components and %d starts, want none below 0", m.Components, m.Starts)
	}
	if err := positive("mixture", "ridge", m.Ridge); err != nil || !m.fitted() {
		return err
	}
	if len(m.Means) != len(m.Weights) || len(m.Covariances) != len(m.Weights) || len(m.Weights) == 0 {
		return fmt.Errorf("kernel: mixture: %d weights, %d means and %d covariances", len(m.Weights), len(m.Means),
			len(m.Covariances))
	}
	for i, mean := range m.Means {
		if len(mean) != len(m.Means[0]) {
			return fmt.Errorf("kernel: mixture: mean %d has %d coordinates, the first has %d", i, len(mean), len(m.Means[0]))
		}
		if err := square("mixture", m.Covariances[i], len(mean)); err != nil {
			return err
		}
	}
	return m.model().Validate()
}

func (m Mixture) fit(ctx context.Context, x data.Points[kernel.Vec]) (Model[kernel.Vec], error) {
	components := m.Components
	if components == 0 {
		components = 2
	}
	found, err := density.Mixture{Components: components, Starts: m.Starts, Ridge: m.Ridge, Seed: m.Seed}.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	m.Weights = found.Proportions()
	for k := range found.Components() {
		m.Means = append(m.Means, found.Mean(k))
		cov := found.Covariance(k)
		rows := make([][]float64, found.Dim())
		for i := range rows {
			rows[i] = make([]float64, found.Dim())
			for j := range rows[i] {
				rows[i][j] = cov.At(i, j)
			}
		}
		m.Covariances = append(m.Covariances, rows)
	}
	return m, m.Validate()
}

func (m Mixture) check(_ string, x data.Points[kernel.Vec]) error { return m.model().CheckPoints(x) }

func (m Mixture) scores(h how, x data.Points[kernel.Vec]) (func(kernel.Vec) kernel.Vec, *mat.Dense, error) {
	return scored(prob.Model[kernel.Vec](m.model()), same, make(kernel.Vec, len(m.Means[0])), h, x)
}

func (m Mixture) likelihoods() func(kernel.Vec) kernel.Vec { return m.model().Latent().Features }

// Counts is a multinomial model of vectors of counts (prob.Multinomial).
type Counts struct {
	Smoothing float64 // added to every count; 1 when zero

	P      []float64
	Length float64 // counts of a row, in the mean
}

func (m Counts) fitted() bool { return m.P != nil }

func (m Counts) model() prob.Multinomial { return prob.Multinomial{P: m.P, Length: m.Length} }

// Validate refuses probabilities that are none.
func (m Counts) Validate() error {
	if err := positive("multinomial", "smoothing", m.Smoothing); err != nil || !m.fitted() {
		return err
	}
	return m.model().Validate()
}

func (m Counts) fit(_ context.Context, x data.Points[kernel.Vec]) (Model[kernel.Vec], error) {
	d := len(x.At(0))
	m.P = make([]float64, d)
	for w := range m.P {
		m.P[w] = or(m.Smoothing, 1)
	}
	for i := range x.Len() {
		for w, v := range x.At(i) {
			if !(v >= 0) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("kernel: multinomial: row %d, column %d is %g, and a count is 0 or more; where columns "+
					"are counts, they must not be scaled (scaling none)", i, w, v)
			}
			m.P[w] += v
			m.Length += v / float64(x.Len())
		}
	}
	total := 0.0
	for _, v := range m.P {
		total += v
	}
	for w := range m.P {
		m.P[w] /= total
	}
	m.Length = max(m.Length, 1)
	return m, nil
}

func (m Counts) check(_ string, x data.Points[kernel.Vec]) error { return m.model().CheckPoints(x) }

func (m Counts) scores(h how, x data.Points[kernel.Vec]) (func(kernel.Vec) kernel.Vec, *mat.Dense, error) {
	return scored(prob.Model[kernel.Vec](m.model()), same, make(kernel.Vec, len(m.P)), h, x)
}

func (m Counts) likelihoods() func(kernel.Vec) kernel.Vec {
	return func(x kernel.Vec) kernel.Vec { return kernel.Vec{math.Exp(logMultinomial(m.P, x))} }
}
