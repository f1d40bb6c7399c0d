package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Sobolev is the reproducing kernel of the Sobolev space of order m = Order (1 or
// 2; 1 when zero) on [0, 1], whose ridge regression is the smoothing spline:
//
//	m = 1: k(x, y) = 1 + min(x, y),                     ‖f‖² = f(0)² + ∫f'²
//	m = 2: k(x, y) = 1 + xy + xy·min/2 - min³/6 …       ‖f‖² = f(0)² + f'(0)² + ∫f''²
//
// (for m = 2 and y ≤ x: 1 + xy + xy²/2 - y³/6). On [0, 1]ᵈ it is the product over
// the coordinates (Wahba 1990).
type Sobolev struct {
	Order int
}

// Name is "sobolev".
func (Sobolev) Name() string { return "sobolev" }

func (k Sobolev) coordinate(x, y float64) float64 {
	lo, hi := min(x, y), max(x, y)
	if k.Order == 2 {
		return 1 + x*y + lo*lo*(hi/2-lo/6)
	}
	return 1 + lo
}

func (k Sobolev) slope(x, y float64) float64 {
	switch {
	case k.Order == 2 && x <= y:
		return y + x*y - x*x/2
	case k.Order == 2:
		return y + y*y/2
	case x < y:
		return 1
	case x == y: // the mean of both sides
		return 0.5
	}
	return 0
}

// Eval returns the product of the one-dimensional kernels.
func (k Sobolev) Eval(x, y Vec) float64 { return coordinateProduct(k.coordinate, x, y) }

// InputGrad sets dst = ∂k/∂x.
func (k Sobolev) InputGrad(dst, x, y Vec) { coordinateGrad(dst, k.coordinate, k.slope, x, y) }

// Validate refuses orders other than 1 and 2.
func (k Sobolev) Validate() error {
	if k.Order < 0 || k.Order > 2 {
		return fault.Errorf("kernel", "sobolev: order = %d, want 1 or 2", k.Order)
	}
	return nil
}

// CheckPoints refuses points outside [0, 1]ᵈ.
func (Sobolev) CheckPoints(x data.Points[Vec]) error {
	return checkInterval("sobolev", x, 0, 1, false)
}

// RadialSobolev is the kernel of Example 4.6 of the notes on Mercer kernels,
//
//	k(x, y) = e^{-max(x,y)} sinh(min(x,y)) / (xy),  x, y > 0,
//
// the reproducing kernel of ‖f‖² = ∫₀^∞ (f² + f'²) x² dx, which is the norm of
// H¹(R³) on radial functions. (The notes integrate over (0, 1); there the
// kernel given is still positive definite, but the norm it reproduces is that of
// the half line.) For vectors it is the product over the coordinates.
type RadialSobolev struct{}

// Name is "radialsobolev".
func (RadialSobolev) Name() string { return "radialsobolev" }

func radialSobolev(x, y float64) float64 {
	lo, hi := min(x, y), max(x, y)
	// e^{-hi} sinh(lo) without overflow: (e^{lo-hi} - e^{-lo-hi})/2.
	return -0.5 * math.Exp(lo-hi) * math.Expm1(-2*lo) / (x * y)
}

func radialSobolevSlope(x, y float64) float64 {
	k := radialSobolev(x, y)
	switch {
	case x < y:
		return k * (1/math.Tanh(x) - 1/x)
	case x == y: // the mean of both sides
		return k * ((1/math.Tanh(x)-1)/2 - 1/x)
	}
	return k * (-1 - 1/x)
}

// Eval returns the product of the one-dimensional kernels.
func (RadialSobolev) Eval(x, y Vec) float64 { return coordinateProduct(radialSobolev, x, y) }

// InputGrad sets dst = ∂k/∂x.
func (RadialSobolev) InputGrad(dst, x, y Vec) {
	coordinateGrad(dst, radialSobolev, radialSobolevSlope, x, y)
}

// CheckPoints refuses coordinates that are not > 0.
func (RadialSobolev) CheckPoints(x data.Points[Vec]) error {
	return checkInterval("radialsobolev", x, 0, math.Inf(1), true)
}

// Sinc is the band-limited kernel Π sin(a(xᵢ-yᵢ))/(a(xᵢ-yᵢ)), a = Bandwidth (1 when zero), the
// reproducing kernel, up to the constant a/π in each coordinate, of the functions whose Fourier
// transform lives on [-a, a]ᵈ with the L2 norm.
type Sinc struct {
	Bandwidth float64
}

// Name is "sinc".
func (Sinc) Name() string { return "sinc" }

// sinc is sin(t)/t and sincSlope its derivative.
func sinc(t float64) float64 {
	if math.Abs(t) < 1e-4 {
		return 1 - t*t/6*(1-t*t/20)
	}
	return math.Sin(t) / t
}

func sincSlope(t float64) float64 {
	if math.Abs(t) < 1e-3 {
		return -t / 3 * (1 - t*t/10)
	}
	return (math.Cos(t) - math.Sin(t)/t) / t
}

func (k Sinc) coordinate(x, y float64) float64 { return sinc(orOne(k.Bandwidth) * (x - y)) }

func (k Sinc) slope(x, y float64) float64 {
	a := orOne(k.Bandwidth)
	return a * sincSlope(a*(x-y))
}

// Eval returns the product of the one-dimensional kernels.
func (k Sinc) Eval(x, y Vec) float64 { return coordinateProduct(k.coordinate, x, y) }

// InputGrad sets dst = ∂k/∂x.
func (k Sinc) InputGrad(dst, x, y Vec) { coordinateGrad(dst, k.coordinate, k.slope, x, y) }

// EvalGrad sets dtheta[0] = ∂k/∂a.
func (k Sinc) EvalGrad(x, y Vec, dtheta []float64) {
	a := orOne(k.Bandwidth)
	dtheta[0] = 0
	for i := range x {
		p := (x[i] - y[i]) * sincSlope(a*(x[i]-y[i]))
		for j := range x {
			if j != i {
				p *= sinc(a * (x[j] - y[j]))
			}
		}
		dtheta[0] += p
	}
}

// Params is the bandwidth.
func (k Sinc) Params() []Param { return []Param{positive("sinc.bandwidth", orOne(k.Bandwidth))} }

// With sets the bandwidth.
func (Sinc) With(theta []float64) Kernel[Vec] { return Sinc{theta[0]} }

// Validate refuses a negative bandwidth.
func (k Sinc) Validate() error { return mustBePositive("sinc", "bandwidth", k.Bandwidth) }

// coordinateProduct is Π f(xᵢ, yᵢ).
func coordinateProduct(f func(x, y float64) float64, x, y Vec) float64 {
	p := 1.0
	for i, v := range x {
		p *= f(v, y[i])
	}
	return p
}

// coordinateGrad sets dst[i] = f'(xᵢ, yᵢ) Π_{j≠i} f(xⱼ, yⱼ).
func coordinateGrad(dst Vec, f, slope func(x, y float64) float64, x, y Vec) {
	for i := range x {
		dst[i] = slope(x[i], y[i])
		for j := range x {
			if j != i {
				dst[i] *= f(x[j], y[j])
			}
		}
	}
}

func checkInterval(name string, x data.Points[Vec], low, high float64, open bool) error {
	for i := range x.Len() {
		for j, v := range x.At(i) {
			if v < low || v > high || open && (v == low || v == high) {
				return fault.Errorf("kernel", "%s: row %d, column %d is %g, outside %v (scale the column)", name, i, j, v,
					Domain{Low: low, High: high, OpenLow: open, OpenHigh: open})
			}
		}
	}
	return nil
}

// Properties of sinc: its spectral measure is a cube, which is enough to be strict and
// universal (Micchelli, Xu & Zhang 2006) but not characteristic.
func (Sinc) Properties() Properties {
	p := radialUniversal(math.Inf(1))
	p.Isotropic, p.Characteristic = No, No
	return p
}

// Properties of the Sobolev kernel on [0, 1]ᵈ.
func (k Sobolev) Properties() Properties {
	return Properties{PSD: Yes, Strict: Yes, Continuous: Yes, Stationary: No, Isotropic: No,
		Universal: Yes, Characteristic: Yes, Bound: math.NaN(), Smoothness: float64(max(k.Order, 1) - 1), Analytic: No}
}

// Properties of the kernel of Example 4.6, which grows without bound at 0.
func (RadialSobolev) Properties() Properties {
	return Properties{PSD: Yes, Strict: Yes, Continuous: Yes, Stationary: No, Isotropic: No,
		Bound: math.Inf(1), Smoothness: 0, Analytic: No}
}

// SpectralMeasure is uniform on the cube [-a, a]ᵈ.
func (k Sinc) SpectralMeasure(int) (Spectral, error) {
	a := orOne(k.Bandwidth)
	return independent{1, func(u float64) float64 { return a * (2*u - 1) }}, nil
}

func (Sobolev) checksEntries()       {}
func (RadialSobolev) checksEntries() {}
