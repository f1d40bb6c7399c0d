package kernel

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Periodic is exp(-2 Σ sin²(π(xᵢ-yᵢ)/p)/ℓ²), p = Period and ℓ = Lengthscale (1 when
// zero). It is the Gaussian kernel after each coordinate is wound around a
// circle, since ‖(cos a, sin a) - (cos b, sin b)‖² = 4 sin²((a-b)/2).
type Periodic struct {
	Period      float64
	Lengthscale float64
}

// Name is "periodic".
func (Periodic) Name() string { return "periodic" }

// Eval returns exp(-2 Σ sin²(π(xᵢ-yᵢ)/p)/ℓ²).
func (k Periodic) Eval(x, y Vec) float64 {
	p, l := orOne(k.Period), orOne(k.Lengthscale)
	s := 0.0
	for i, v := range x {
		t := math.Sin(math.Pi * unwound(v-y[i], p) / p)
		s += t * t
	}
	return math.Exp(-2 * s / (l * l))
}

func (k Periodic) embedding() embedding {
	p := orOne(k.Period)
	w := 2 * math.Pi / p
	return embedding{
		inner: Gaussian{k.Lengthscale},
		key:   []any{"circle", p},
		dim:   func(d int) int { return 2 * d },
		apply: func(dst, x Vec) {
			for i, v := range x {
				dst[2*i+1], dst[2*i] = math.Sincos(w * unwound(v, p))
			}
		},
		pull: func(dx, g, x Vec) {
			for i, v := range x {
				s, c := math.Sincos(w * unwound(v, p))
				dx[i] += w * (g[2*i+1]*c - g[2*i]*s)
			}
		},
		tangent: func(dst Vec, _ int, x Vec) {
			for i, v := range x {
				s, c := math.Sincos(w * unwound(v, p))
				d := -w * v / p
				dst[2*i], dst[2*i+1] = -s*d, c*d
			}
		},
		turns: true, own: 1,
	}
}

// unwound is v less so many whole periods, exactly, where there are many: the sine of a large number
// has only the digits that are left of it.
func unwound(v, period float64) float64 {
	if math.Abs(v) > 8*period {
		return math.Remainder(v, period)
	}
	return v
}

// sincosOf is the sine and cosine of l·x, whose rounding is mended: it is large where x is.
func sincosOf(l int, x float64) (sin, cos float64) {
	hi := float64(l) * x
	s, c := math.Sincos(hi)
	if lo := math.FMA(float64(l), x, -hi); lo != 0 {
		return s + lo*c, c - lo*s
	}
	return s, c
}

// Params are the period and the length-scale.
func (k Periodic) Params() []Param {
	return []Param{positive("periodic.period", orOne(k.Period)), positive("periodic.lengthscale", orOne(k.Lengthscale))}
}

// With sets the period and the length-scale.
func (Periodic) With(theta []float64) Kernel[Vec] { return Periodic{theta[0], theta[1]} }

// Validate refuses negative parameters.
func (k Periodic) Validate() error {
	return firstError(mustBePositive("periodic", "period", k.Period),
		mustBePositive("periodic", "lengthscale", k.Lengthscale))
}

// Fourier is the kernel on the circle R/2πZ with Fourier coefficients k̂₀ = Coef[0],
// k̂₁ = k̂₋₁ = Coef[1] …, all ≥ 0:
//
//	k(x, y) = Σ_{l∈Z} k̂_l e^{il(x-y)} = k̂₀ + 2 Σ_{l≥1} k̂_l cos(l(x-y)).
//
// Points have one coordinate, an angle. Its RKHS norm is ‖f‖² = Σ |f̂_l|²/k̂_l.
type Fourier struct {
	Coef []float64
}

// Name is "fourier".
func (Fourier) Name() string { return "fourier" }

// Eval returns k̂₀ + 2 Σ k̂_l cos(l(x-y)).
func (k Fourier) Eval(x, y Vec) float64 { return cosineSeries(k.Coef, x[0]-y[0]) }

// cosineSeries sums c₀ + 2 Σ c_l cos(lt) by Clenshaw's recurrence.
func cosineSeries(coef []float64, t float64) float64 {
	if len(coef) == 0 {
		return 0
	}
	c2 := 2 * math.Cos(t)
	b1, b2 := 0.0, 0.0
	for l := len(coef) - 1; l >= 1; l-- {
		b1, b2 = 2*coef[l]+c2*b1-b2, b1
	}
	return coef[0] + b1*c2/2 - b2
}

// Features sets dst to (√k̂₀, √(2k̂₁) cos x, √(2k̂₁) sin x, …), whose inner products
// are the kernel.
func (k Fourier) Features(dst Vec, x Vec) {
	for l, c := range k.Coef {
		if l == 0 {
			dst[0] = math.Sqrt(c)
			continue
		}
		s, co := sincosOf(l, x[0])
		a := math.Sqrt(2 * c)
		dst[2*l-1], dst[2*l] = a*co, a*s
	}
}

func (k Fourier) embedding() embedding { return fourierEmbedding(k.Coef) }

func fourierEmbedding(coef []float64) embedding {
	k := Fourier{coef}
	return embedding{
		inner: Linear{},
		key:   []any{"fourier", coef},
		dim:   func(int) int { return max(2*len(coef)-1, 0) },
		apply: k.Features,
		pull: func(dx, g, x Vec) {
			for l := 1; l < len(coef); l++ {
				s, c := sincosOf(l, x[0])
				dx[0] += float64(l) * math.Sqrt(2*coef[l]) * (g[2*l]*c - g[2*l-1]*s)
			}
		},
	}
}

// EvalGrad sets dtheta[l] = 2cos(l(x-y)), and 1 for l = 0.
func (k Fourier) EvalGrad(x, y Vec, dtheta []float64) {
	for l := range dtheta {
		dtheta[l] = 2 * math.Cos(float64(l)*(x[0]-y[0]))
		if l == 0 {
			dtheta[l] = 1
		}
	}
}

// Params are the coefficients.
func (k Fourier) Params() []Param {
	params := make([]Param, len(k.Coef))
	for l, c := range k.Coef {
		params[l] = nonNegative(fmt.Sprintf("fourier.coef[%d]", l), c)
	}
	return params
}

// With sets the coefficients.
func (Fourier) With(theta []float64) Kernel[Vec] { return Fourier{append([]float64(nil), theta...)} }

// Validate refuses negative coefficients.
func (k Fourier) Validate() error {
	if len(k.Coef) == 0 {
		return fault.Errorf("kernel", "fourier: no coefficients")
	}
	for l, c := range k.Coef {
		if err := mustBeNonNegative("fourier", fmt.Sprintf("coef[%d]", l), c); err != nil {
			return err
		}
	}
	return nil
}

// CheckPoints refuses points that are not angles.
func (Fourier) CheckPoints(x data.Points[Vec]) error {
	return checkDim("fourier", "coordinates of an angle", 1, x)
}

// Theta is the Jacobi theta kernel on the circle R/2πZ,
//
//	k(x, y) = (1/2π) ϑ((x-y)/2π, iσ²/2π) = (1/2π) Σ_l e^{-σ²l²/2} e^{il(x-y)},
//
// the Gaussian density of standard deviation σ = Sigma (1 when zero) wrapped around the circle.
type Theta struct {
	Sigma float64
}

// Name is "theta".
func (Theta) Name() string { return "theta" }

// coef are the Fourier coefficients down to 1e-17 of the first, for σ not small.
func (k Theta) coef() []float64 {
	s := orOne(k.Sigma)
	n := int(math.Sqrt(2*40)/s) + 1
	c := make([]float64, n+1)
	for l := range c {
		c[l] = math.Exp(-s*s*float64(l*l)/2) / (2 * math.Pi)
	}
	return c
}

// wrapped says that the sum over the images of the Gaussian needs fewer terms than the
// Fourier series.
func (k Theta) wrapped() bool { return orOne(k.Sigma) < 0.5 }

// images calls f with each x-y+2πn that matters.
func (k Theta) images(x, y Vec, f func(t float64)) {
	t := math.Remainder(x[0]-y[0], 2*math.Pi)
	for n := -1.0; n <= 1; n++ {
		f(t + 2*math.Pi*n)
	}
}

// Eval sums the series that converges faster: Fourier, or the wrapped Gaussian it
// equals by Poisson summation.
func (k Theta) Eval(x, y Vec) float64 {
	if !k.wrapped() {
		return cosineSeries(k.coef(), x[0]-y[0])
	}
	s, sum := orOne(k.Sigma), 0.0
	k.images(x, y, func(t float64) { sum += math.Exp(-t * t / (2 * s * s)) })
	return sum / (s * math.Sqrt(2*math.Pi))
}

// InputGrad sets dst = ∂k/∂x.
func (k Theta) InputGrad(dst, x, y Vec) {
	s := orOne(k.Sigma)
	dst[0] = 0
	if k.wrapped() {
		k.images(x, y, func(t float64) { dst[0] -= t / (s * s) * math.Exp(-t*t/(2*s*s)) })
		dst[0] /= s * math.Sqrt(2*math.Pi)
		return
	}
	for l, c := range k.coef() {
		dst[0] -= 2 * c * float64(l) * math.Sin(float64(l)*(x[0]-y[0]))
	}
}

// EvalGrad sets dtheta[0] = ∂k/∂σ.
func (k Theta) EvalGrad(x, y Vec, dtheta []float64) {
	s := orOne(k.Sigma)
	dtheta[0] = 0
	if k.wrapped() {
		k.images(x, y, func(t float64) { dtheta[0] += (t*t/(s*s) - 1) / s * math.Exp(-t*t/(2*s*s)) })
		dtheta[0] /= s * math.Sqrt(2*math.Pi)
		return
	}
	for l, c := range k.coef() {
		dtheta[0] -= 2 * c * s * float64(l*l) * math.Cos(float64(l)*(x[0]-y[0]))
	}
}

// Params is σ.
func (k Theta) Params() []Param { return []Param{positive("theta.sigma", orOne(k.Sigma))} }

// With sets σ.
func (Theta) With(theta []float64) Kernel[Vec] { return Theta{theta[0]} }

// Validate refuses σ < 0.
func (k Theta) Validate() error { return mustBePositive("theta", "sigma", k.Sigma) }

// CheckPoints refuses points that are not angles.
func (Theta) CheckPoints(x data.Points[Vec]) error {
	return checkDim("theta", "coordinates of an angle", 1, x)
}

// SpectralMeasure has the Fourier coefficients of exp(-2sin²(t/2)/ℓ²), by the
// trapezoidal rule, which is exact to rounding for a smooth periodic function.
func (k Periodic) SpectralMeasure(int) (Spectral, error) {
	l := orOne(k.Lengthscale)
	n := max(64, int(16/l)+1)
	coef := make([]float64, n)
	for j := range coef {
		for i := range 4 * n {
			t := 2 * math.Pi * float64(i) / float64(4*n)
			s := math.Sin(t / 2)
			coef[j] += math.Exp(-2*s*s/(l*l)) * math.Cos(float64(j)*t) / float64(4*n)
		}
		coef[j] = max(coef[j], 0)
	}
	m := harmonics(2*math.Pi/orOne(k.Period), coef)
	m.mass = 1 // what the coefficients sum to, but for rounding
	return m, nil
}

// SpectralMeasure is on the whole numbers, with the Fourier coefficients as weights.
func (k Fourier) SpectralMeasure(int) (Spectral, error) { return harmonics(1, k.Coef), nil }

// SpectralMeasure is on the whole numbers, with the Fourier coefficients as weights.
func (k Theta) SpectralMeasure(int) (Spectral, error) { return harmonics(1, k.coef()), nil }

// Properties of the periodic kernel: it does not tell x from x + p.
func (Periodic) Properties() Properties {
	p := finiteFeatures(1)
	p.Stationary = Yes
	return p
}

// Properties of a Fourier kernel with finitely many coefficients.
func (k Fourier) Properties() Properties {
	p := finiteFeatures(cosineSeries(k.Coef, 0))
	p.Stationary, p.Isotropic = Yes, Yes
	return p
}

// Properties of the theta kernel, on the circle.
func (k Theta) Properties() Properties {
	p := radialUniversal(math.Inf(1))
	p.Bound = k.Eval(Vec{0}, Vec{0})
	return p
}

func (Fourier) leastDim() int { return 1 }
func (Theta) leastDim() int   { return 1 }

// sparse winds each stored entry around a circle through the origin.
func (k Periodic) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	p := orOne(k.Period)
	return sparseView{leaf, lift(Gaussian{k.Lengthscale}, 2*leaf.dim), fmt.Sprint("circle", p), 1,
		func(x data.SparseVec) data.SparseVec { return wound(x, p) }}
}
