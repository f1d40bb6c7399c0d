package seq

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Autoregressive is the mean over vector autoregressive models of the products of the likelihoods
// of two series,
//
//	k(x, y) = ∫ p_θ(x)^{τ/n_x}·p_θ(y)^{τ/n_y} w(dθ),   x_t = A·(x_{t-1}, …, x_{t-p}) + ε_t,   ε_t ~ N(0, V),
//
// with p = Lags (1 when zero), τ = Weight (1 when zero) and n the number of steps after the first
// p: series are alike that the same models explain (M. Cuturi and A. Doucet, Autoregressive kernels
// for time series, 2011). The prior w is conjugate: V is inverse Wishart with scale I and Degrees
// degrees of freedom (channels + 1 when zero), and A given V is matrix normal with mean 0, V for
// its rows and Prior·I for its columns (Prior is 1 when zero). Then, with Z the lagged steps of
// both series, Y the steps, each weighted by its τ/n, N the sum of the weights, M = ZZᵀ + I/Prior
// and S = I + YYᵀ - YZᵀM⁻¹ZYᵀ for d channels,
//
//	k = π^{-dN/2}·Γ_d((ν+N)/2)/Γ_d(ν/2)·|Prior·M|^{-d/2}·|S|^{-(ν+N)/2}.
//
// A series of no more than p steps counts nothing: two of them have the value 1.
type Autoregressive struct {
	Lags    int
	Weight  float64
	Prior   float64
	Degrees float64
}

func (k Autoregressive) lags() int { return or(k.Lags, 1) }

// Name is "autoregressive".
func (Autoregressive) Name() string { return "autoregressive" }

// moments are the sums of one series, already weighted: ZZᵀ, ZYᵀ and YYᵀ in one matrix of the
// stacked vector (z, y).
type moments struct {
	channels int
	weight   float64 // N of this series
	sums     *mat.SymDense
}

func (k Autoregressive) moments(s Series) moments {
	d, p := s.Channels(), k.lags()
	m := moments{channels: d, sums: mat.NewSymDense(d*(p+1), nil)}
	n := s.Len() - p
	if n <= 0 {
		if s.Len() == 0 {
			m.channels = 0 // goes with any
		}
		return m
	}
	m.weight = or(k.Weight, 1)
	for t := p; t < s.Len(); t++ {
		v := make([]float64, 0, d*(p+1))
		for lag := 1; lag <= p; lag++ {
			v = append(v, s.At(t-lag)...)
		}
		v = append(v, s.At(t)...)
		m.sums.SymRankOne(m.sums, m.weight/float64(n), mat.NewVecDense(len(v), v))
	}
	return m
}

// Eval returns ∫ p_θ(x)^{τ/n_x}·p_θ(y)^{τ/n_y} w(dθ).
func (k Autoregressive) Eval(x, y Series) float64 { return k.pair(k.moments(x), k.moments(y)) }

// PreparePoints takes the moments of each series once.
func (k Autoregressive) PreparePoints(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	return preparePairs(ctx, x, y, k.moments, k.pair)
}

func (k Autoregressive) pair(x, y moments) float64 {
	if x.channels != y.channels && x.channels > 0 && y.channels > 0 {
		return math.NaN()
	}
	if x.weight == 0 {
		x, y = y, x
	}
	if x.weight == 0 {
		return 1
	}
	d, p := x.channels, k.lags()
	sums := mat.NewSymDense(d*(p+1), nil)
	sums.CopySym(x.sums)
	if y.weight > 0 {
		sums.AddSym(sums, y.sums)
	}
	n, prior := x.weight+y.weight, or(k.Prior, 1)
	degrees := or(k.Degrees, float64(d)+1)
	// The Schur complement of M in the matrix of all moments is S: |S| = |all|/|M|.
	for i := range d * p {
		sums.SetSym(i, i, sums.At(i, i)+1/prior)
	}
	for i := d * p; i < d*(p+1); i++ {
		sums.SetSym(i, i, sums.At(i, i)+1)
	}
	lagged := sums.SliceSym(0, d*p).(*mat.SymDense)
	whole, part := logDet(sums), logDet(lagged)
	log := -float64(d)*n/2*math.Log(math.Pi) + logGammas(d, (degrees+n)/2) - logGammas(d, degrees/2) -
		float64(d)/2*(part+float64(d*p)*math.Log(prior)) - (degrees+n)/2*(whole-part)
	return math.Exp(log)
}

// logDet is log|s| of a positive definite matrix, NaN where rounding has made it none.
func logDet(s *mat.SymDense) float64 {
	var c mat.Cholesky
	if !c.Factorize(s) {
		return math.NaN()
	}
	return c.LogDet()
}

// logGammas is log Γ_d(a) without its power of π, which cancels: Σ_j log Γ(a - j/2).
func logGammas(d int, a float64) float64 {
	s := 0.0
	for j := range d {
		s += logGamma(a - float64(j)/2)
	}
	return s
}

// Params are the weight and the prior; the lags are a whole number.
func (k Autoregressive) Params() []kernel.Param {
	return []kernel.Param{whole("autoregressive.lags", k.lags(), 1), positive("autoregressive.weight", or(k.Weight, 1)),
		positive("autoregressive.prior", or(k.Prior, 1))}
}

// With sets the lags, the weight and the prior.
func (k Autoregressive) With(theta []float64) kernel.Kernel[Series] {
	return Autoregressive{int(theta[0]), theta[1], theta[2], k.Degrees}
}

// Validate refuses lags, a weight, a prior or degrees below 0.
func (k Autoregressive) Validate() error {
	return firstError(
		mustBe(k.Lags >= 0, "autoregressive", "lags", k.Lags, "at least 1"),
		mustBe(k.Weight >= 0 && finite(k.Weight), "autoregressive", "weight", k.Weight, "a finite number > 0"),
		mustBe(k.Prior >= 0 && finite(k.Prior), "autoregressive", "prior", k.Prior, "a finite number > 0"),
		mustBe(k.Degrees >= 0 && finite(k.Degrees), "autoregressive", "degrees", k.Degrees, "more than channels - 1"))
}

// CheckPoints refuses numbers that are not finite, different channels, and more channels than the
// degrees of freedom allow.
func (k Autoregressive) CheckPoints(x data.Points[Series]) error {
	if err := checkSeries("autoregressive", x); err != nil {
		return err
	}
	for i := range x.Len() {
		if d := float64(x.At(i).Channels()); k.Degrees > 0 && k.Degrees <= d-1 {
			return mustBe(false, "autoregressive", "degrees", k.Degrees, "more than the channels of the series less one")
		}
	}
	return nil
}

// Properties of a mean of products.
func (Autoregressive) Properties() kernel.Properties { return sums() }
