package stat

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Smoother is a smoothing kernel: a symmetric probability density k on the
// line, used to spread each observation around its place. The zero value is
// the Gaussian.
//
//	∫ k(u) du = 1,  ∫ u·k(u) du = 0,  ∫ u²·k(u) du > 0
//
// In d > 1 dimensions it is used either in radial form, c_d·k(‖u‖), or in
// product form, Π k(u_j); each is normalised to one. The Gaussian is the only
// one for which the two agree.
type Smoother int

// The smoothing kernels, each with its density on the line.
const (
	GaussianSmoother     Smoother = iota // exp(-u²/2)/√(2π)
	EpanechnikovSmoother                 // ¾(1-u²) on |u| ≤ 1
	TriCubeSmoother                      // 70/81·(1-|u|³)³ on |u| ≤ 1
	BoxcarSmoother                       // ½ on |u| ≤ 1
	BiweightSmoother                     // 15/16·(1-u²)² on |u| ≤ 1
	TriweightSmoother                    // 35/32·(1-u²)³ on |u| ≤ 1
	TriangularSmoother                   // 1-|u| on |u| ≤ 1
	CosineSmoother                       // π/4·cos(πu/2) on |u| ≤ 1
	LogisticSmoother                     // 1/(eᵘ + 2 + e⁻ᵘ)
	ExponentialSmoother                  // ½·exp(-|u|), Laplace's density
	smootherCount
)

var smootherNames = [smootherCount]string{
	"gaussian", "epanechnikov", "tricube", "boxcar", "biweight", "triweight", "triangular", "cosine", "logistic", "exponential",
}

// Smoothers lists every smoothing kernel.
func Smoothers() []Smoother {
	all := make([]Smoother, smootherCount)
	for i := range all {
		all[i] = Smoother(i)
	}
	return all
}

// ParseSmoother finds a smoothing kernel by its name, in any case.
func ParseSmoother(name string) (Smoother, error) {
	for i, s := range smootherNames {
		if strings.EqualFold(s, name) {
			return Smoother(i), nil
		}
	}
	return 0, fmt.Errorf("there is no smoothing kernel %q; choose one of %s", name, strings.Join(smootherNames[:], ", "))
}

// String is the kernel's name.
func (s Smoother) String() string {
	if s.valid() {
		return smootherNames[s]
	}
	return fmt.Sprintf("Smoother(%d)", int(s))
}

func (s Smoother) valid() bool { return s >= 0 && s < smootherCount }

// Support is the distance beyond which the kernel is zero: 1, or +Inf.
func (s Smoother) Support() float64 {
	switch s {
	case GaussianSmoother, LogisticSmoother, ExponentialSmoother:
		return math.Inf(1)
	}
	return 1
}

// Eval is the density k(u) on the line.
func (s Smoother) Eval(u float64) float64 {
	return s.shape(math.Abs(u)) * smootherPeaks[s]
}

// smootherPeaks are the densities at zero.
var smootherPeaks = [smootherCount]float64{
	1 / (math.Sqrt2 * math.SqrtPi), 3. / 4, 70. / 81, 1. / 2, 15. / 16, 35. / 32, 1, math.Pi / 4, 1. / 4, 1. / 2,
}

// shape is the kernel at distance r ≥ 0 without its constant: 1 at zero,
// decreasing.
func (s Smoother) shape(r float64) float64 {
	if s.Support() == 1 && r > 1 {
		return 0
	}
	switch s {
	case EpanechnikovSmoother:
		return 1 - r*r
	case TriCubeSmoother:
		return cube(1 - r*r*r)
	case BoxcarSmoother:
		return 1
	case BiweightSmoother:
		return (1 - r*r) * (1 - r*r)
	case TriweightSmoother:
		return cube(1 - r*r)
	case TriangularSmoother:
		return 1 - r
	case CosineSmoother:
		return math.Max(0, math.Cos(math.Pi/2*r))
	case LogisticSmoother:
		e := math.Exp(-r)
		return 4 * e / ((1 + e) * (1 + e))
	case ExponentialSmoother:
		return math.Exp(-r)
	}
	return math.Exp(-r * r / 2)
}

// logShape is log shape, which does not underflow.
func (s Smoother) logShape(r float64) float64 {
	switch s {
	case GaussianSmoother:
		return -r * r / 2
	case LogisticSmoother:
		return math.Ln2*2 - r - 2*math.Log1p(math.Exp(-r))
	case ExponentialSmoother:
		return -r
	}
	return math.Log(s.shape(r))
}

func cube(v float64) float64 { return v * v * v }

// profile turns squared distances into shapes, in place.
func (s Smoother) profile(row []float64) {
	switch s {
	case GaussianSmoother:
		simd.ScaleExp64(row, row, -0.5)
	case ExponentialSmoother:
		simd.Sqrt64(row, row)
		simd.ScaleExp64(row, row, -1)
	case LogisticSmoother:
		simd.Sqrt64(row, row)
		simd.ScaleExp64(row, row, -1)
		for i, e := range row {
			row[i] = 4 * e / ((1 + e) * (1 + e))
		}
	case EpanechnikovSmoother:
		for i, v := range row {
			row[i] = max(0, 1-v)
		}
	case BoxcarSmoother:
		for i, v := range row {
			row[i] = 0
			if v <= 1 {
				row[i] = 1
			}
		}
	case BiweightSmoother:
		for i, v := range row {
			v = max(0, 1-v)
			row[i] = v * v
		}
	case TriweightSmoother:
		for i, v := range row {
			row[i] = cube(max(0, 1-v))
		}
	default:
		simd.Sqrt64(row, row)
		for i, v := range row {
			row[i] = s.shape(v)
		}
	}
}

// CDF is ∫ k from -∞ to u on the line.
func (s Smoother) CDF(u float64) float64 {
	switch s {
	case GaussianSmoother:
		return 0.5 * math.Erfc(-u/math.Sqrt2)
	case LogisticSmoother:
		return 1 / (1 + math.Exp(-u))
	case ExponentialSmoother:
		if u < 0 {
			return 0.5 * math.Exp(u)
		}
		return 1 - 0.5*math.Exp(-u)
	}
	a := math.Min(1, math.Abs(u))
	var half float64 // ∫ from 0 to a
	switch s {
	case EpanechnikovSmoother:
		half = 0.75 * (a - cube(a)/3)
	case TriCubeSmoother:
		half = 70. / 81 * a * (1 - 3*cube(a)/4 + 3*math.Pow(a, 6)/7 - math.Pow(a, 9)/10)
	case BoxcarSmoother:
		half = 0.5 * a
	case BiweightSmoother:
		half = 15. / 16 * (a - 2*cube(a)/3 + math.Pow(a, 5)/5)
	case TriweightSmoother:
		half = 35. / 32 * (a - cube(a) + 3*math.Pow(a, 5)/5 - math.Pow(a, 7)/7)
	case TriangularSmoother:
		half = a - a*a/2
	case CosineSmoother:
		half = 0.5 * math.Sin(math.Pi/2*a)
	}
	if u < 0 {
		return max(0, 0.5-half)
	}
	return min(1, 0.5+half)
}
