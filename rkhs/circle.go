package rkhs

import (
	"context"
	"math"
	"math/cmplx"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// CircleFunc is a real function on the circle by its Fourier coefficients,
//
//	f(x) = Σ_{l∈Z} f̂_l e^{ilx},  f̂_{-l} = conj f̂_l,  f̂_l = (1/2π)∫ f(x) e^{-ilx} dx,
//
// as an element of the RKHS of a periodic kernel with coefficients k̂_l, whose
// norm punishes roughness: ‖f‖² = Σ |f̂_l|²/k̂_l. (The factor 1/2π, not 1/2, makes
// the e^{ilx} orthonormal on [-π, π].)
type CircleFunc struct {
	Space kernel.Fourier // Coef[l] = k̂_l = k̂_{-l}
	Coef  []complex128   // f̂₀, f̂₁, …
}

// NewCircleFunc refuses a function outside the space: one with f̂_l ≠ 0 where
// k̂_l = 0, whose norm is infinite.
func NewCircleFunc(space kernel.Fourier, coef []complex128) (*CircleFunc, error) {
	if err := space.Validate(); err != nil {
		return nil, fault.In("rkhs", err)
	}
	for l, c := range coef {
		if cmplx.IsNaN(c) || cmplx.IsInf(c) {
			return nil, fault.Errorf("rkhs", "Fourier coefficient %d is %g", l, c)
		}
		if c != 0 && (l >= len(space.Coef) || space.Coef[l] == 0) {
			return nil, fault.Errorf("rkhs",
				"Fourier coefficient %d is %g but that of the kernel is 0: the function is not in the space", l, c)
		}
	}
	if len(coef) > 0 && imag(coef[0]) != 0 {
		return nil, fault.Errorf("rkhs", "Fourier coefficient 0 of a real function is %g, want a real number", coef[0])
	}
	return &CircleFunc{space, coef}, nil
}

// At is f(x) = f̂₀ + 2·Re Σ_{l≥1} f̂_l e^{ilx}, by Horner's rule in e^{ix}.
func (f *CircleFunc) At(x float64) float64 {
	if len(f.Coef) == 0 {
		return 0
	}
	s, c := math.Sincos(x)
	z, sum := complex(c, s), complex128(0)
	for l := len(f.Coef) - 1; l >= 1; l-- {
		sum = (sum + f.Coef[l]) * z
	}
	return real(f.Coef[0]) + 2*real(sum)
}

// Evaluate is f at every point of x, which are angles.
func (f *CircleFunc) Evaluate(ctx context.Context, x data.Points[kernel.Vec]) ([]float64, error) {
	dst := make([]float64, x.Len())
	return dst, f.EvaluateTo(ctx, dst, x)
}

// EvaluateTo sets dst[i] = f(x.At(i)). The error names the row that is not one finite number, or is
// that of ctx.
func (f *CircleFunc) EvaluateTo(ctx context.Context, dst []float64, x data.Points[kernel.Vec]) error {
	if len(dst) != x.Len() {
		return fault.Errorf("rkhs", "%d values of %d points", len(dst), x.Len())
	}
	if err := kernel.Check[kernel.Vec](f.Space, x); err != nil {
		return fault.In("rkhs", err)
	}
	for i := 0; i < len(dst) && ctx.Err() == nil; i++ {
		dst[i] = f.At(x.At(i)[0])
	}
	return ctx.Err()
}

// Inner is ⟨f, g⟩ = Σ_{l∈Z} f̂_l·conj(ĝ_l)/k̂_l.
func (f *CircleFunc) Inner(g *CircleFunc) (float64, error) {
	if err := sameSpace(kernel.Erase(f.Space), kernel.Erase(g.Space)); err != nil {
		return 0, err
	}
	s := 0.0
	for l := range min(len(f.Coef), len(g.Coef)) {
		p := real(f.Coef[l] * cmplx.Conj(g.Coef[l]))
		if p == 0 {
			continue
		}
		p /= f.Space.Coef[l]
		if l > 0 {
			p *= 2 // l and -l
		}
		s += p
	}
	return s, nil
}

// Norm is ‖f‖ in the RKHS.
func (f *CircleFunc) Norm() float64 {
	s, err := f.Inner(f)
	if err != nil {
		return math.NaN() // cannot happen: f is in its own space
	}
	return math.Sqrt(s)
}

// L2Norm is √((1/2π)∫ f²) = √(Σ |f̂_l|²) (Parseval).
func (f *CircleFunc) L2Norm() float64 {
	s := 0.0
	for l, c := range f.Coef {
		p := real(c)*real(c) + imag(c)*imag(c)
		if l > 0 {
			p *= 2
		}
		s += p
	}
	return math.Sqrt(s)
}

// OnCircle gives the Fourier coefficients of an expansion Σ αᵢ k(cᵢ, ·) of a
// Fourier kernel: f̂_l = k̂_l·Σᵢ αᵢ e^{-il·cᵢ}. The bias is left out.
func OnCircle(f *Func[kernel.Vec], output int) (*CircleFunc, error) {
	space, ok := f.Kernel.(kernel.Fourier)
	if !ok {
		return nil, fault.Errorf("rkhs", "the Fourier coefficients of %s are not known; want a kernel.Fourier",
			kernel.NameOf(f.Kernel))
	}
	if output < 0 || output >= f.Outputs() {
		return nil, fault.Errorf("rkhs", "output %d of %d", output, f.Outputs())
	}
	coef := make([]complex128, len(space.Coef))
	for i := range f.Centers.Len() {
		a, c := f.Coef.At(i, output), f.Centers.At(i)[0]
		for l, k := range space.Coef {
			s, co := math.Sincos(float64(l) * c)
			coef[l] += complex(a*k*co, -a*k*s)
		}
	}
	return NewCircleFunc(space, coef)
}

// CircleCoefficients estimates f̂₀ … f̂_{degree} of a function of period 2π by
// the trapezoidal rule on samples points, which is exact for trigonometric
// polynomials of degree below samples - degree.
func CircleCoefficients(f func(x float64) float64, degree, samples int) ([]complex128, error) {
	if degree < 0 || samples <= 2*degree {
		return nil, fault.Errorf("rkhs", "%d samples cannot resolve degree %d; take more than %d", samples, degree, 2*degree)
	}
	coef := make([]complex128, degree+1)
	for i := range samples {
		x := 2*math.Pi*float64(i)/float64(samples) - math.Pi
		v := f(x)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fault.Errorf("rkhs", "the function is %g at x = %g", v, x)
		}
		for l := range coef {
			s, c := math.Sincos(float64(l) * x)
			coef[l] += complex(v*c, -v*s)
		}
	}
	for l := range coef {
		coef[l] /= complex(float64(samples), 0)
	}
	coef[0] = complex(real(coef[0]), 0)
	return coef, nil
}
