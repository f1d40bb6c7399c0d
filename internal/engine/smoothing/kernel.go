package smoothing

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Kernel is a smoothing kernel: a symmetric probability density k on the
// line, used to spread each observation around its place. The zero value is
// the Gaussian.
//
//	∫ k(u) du = 1,  ∫ u·k(u) du = 0,  ∫ u²·k(u) du > 0
//
// In d > 1 dimensions it is used either in radial form, c_d·k(‖u‖), or in
// product form, Π k(u_j); each is normalised to one. The Gaussian is the only
// one for which the two agree.
type Kernel int

// The smoothing kernels, each with its density on the line.
const (
	Gaussian     Kernel = iota // exp(-u²/2)/√(2π)
	Epanechnikov               // ¾(1-u²) on |u| ≤ 1
	TriCube                    // 70/81·(1-|u|³)³ on |u| ≤ 1
	Boxcar                     // ½ on |u| ≤ 1
	Biweight                   // 15/16·(1-u²)² on |u| ≤ 1
	Triweight                  // 35/32·(1-u²)³ on |u| ≤ 1
	Triangular                 // 1-|u| on |u| ≤ 1
	Cosine                     // π/4·cos(πu/2) on |u| ≤ 1
	Logistic                   // 1/(eᵘ + 2 + e⁻ᵘ)
	Exponential                // ½·exp(-|u|), Laplace's density
	kernelCount
)

var kernelNames = [kernelCount]string{
	"gaussian", "epanechnikov", "tricube", "boxcar", "biweight", "triweight", "triangular", "cosine", "logistic",
	"exponential",
}

// Kernels lists every smoothing kernel.
func Kernels() []Kernel {
	all := make([]Kernel, kernelCount)
	for i := range all {
		all[i] = Kernel(i)
	}
	return all
}

// Parse finds a smoothing kernel by its name, in any case.
func Parse(name string) (Kernel, error) {
	for i, s := range kernelNames {
		if strings.EqualFold(s, name) {
			return Kernel(i), nil
		}
	}
	return 0, fmt.Errorf("there is no smoothing kernel %q; choose one of %s", name, strings.Join(kernelNames[:], ", "))
}

// String is the kernel's name.
func (s Kernel) String() string {
	if s.Valid() {
		return kernelNames[s]
	}
	return fmt.Sprintf("Kernel(%d)", int(s))
}

// Valid says whether there is such a kernel.
func (s Kernel) Valid() bool { return s >= 0 && s < kernelCount }

// Support is the distance beyond which the kernel is zero: 1, or +Inf.
func (s Kernel) Support() float64 {
	switch s {
	case Gaussian, Logistic, Exponential:
		return math.Inf(1)
	}
	return 1
}

// Eval is the density k(u) on the line.
func (s Kernel) Eval(u float64) float64 {
	return s.Shape(math.Abs(u)) * peaks[s]
}

// peaks are the densities at zero.
var peaks = [kernelCount]float64{
	1 / (math.Sqrt2 * math.SqrtPi), 3. / 4, 70. / 81, 1. / 2, 15. / 16, 35. / 32, 1, math.Pi / 4, 1. / 4, 1. / 2,
}

// Shape is the kernel at distance r ≥ 0 without its constant: 1 at zero,
// decreasing.
func (s Kernel) Shape(r float64) float64 {
	if s.Support() == 1 && r > 1 {
		return 0
	}
	switch s {
	case Epanechnikov:
		return 1 - r*r
	case TriCube:
		return cube(1 - r*r*r)
	case Boxcar:
		return 1
	case Biweight:
		return (1 - r*r) * (1 - r*r)
	case Triweight:
		return cube(1 - r*r)
	case Triangular:
		return 1 - r
	case Cosine:
		return math.Max(0, math.Cos(math.Pi/2*r))
	case Logistic:
		e := math.Exp(-r)
		return 4 * e / ((1 + e) * (1 + e))
	case Exponential:
		return math.Exp(-r)
	}
	return math.Exp(-r * r / 2)
}

// logShape is log shape, which does not underflow.
func (s Kernel) logShape(r float64) float64 {
	switch s {
	case Gaussian:
		return -r * r / 2
	case Logistic:
		return math.Ln2*2 - r - 2*math.Log1p(math.Exp(-r))
	case Exponential:
		return -r
	}
	return math.Log(s.Shape(r))
}

func cube(v float64) float64 { return v * v * v }

// profile turns squared distances into shapes, in place.
func (s Kernel) profile(row []float64) {
	switch s {
	case Gaussian:
		simd.ScaleExp64(row, row, -0.5)
	case Exponential:
		simd.Sqrt64(row, row)
		simd.ScaleExp64(row, row, -1)
	case Logistic:
		simd.Sqrt64(row, row)
		simd.ScaleExp64(row, row, -1)
		for i, e := range row {
			row[i] = 4 * e / ((1 + e) * (1 + e))
		}
	case Epanechnikov:
		for i, v := range row {
			row[i] = max(0, 1-v)
		}
	case Boxcar:
		for i, v := range row {
			row[i] = 0
			if v <= 1 {
				row[i] = 1
			}
		}
	case Biweight:
		for i, v := range row {
			v = max(0, 1-v)
			row[i] = v * v
		}
	case Triweight:
		for i, v := range row {
			row[i] = cube(max(0, 1-v))
		}
	default:
		simd.Sqrt64(row, row)
		for i, v := range row {
			row[i] = s.Shape(v)
		}
	}
}

// CDF is ∫ k from -∞ to u on the line.
func (s Kernel) CDF(u float64) float64 {
	switch s {
	case Gaussian:
		return 0.5 * math.Erfc(-u/math.Sqrt2)
	case Logistic:
		return 1 / (1 + math.Exp(-u))
	case Exponential:
		if u < 0 {
			return 0.5 * math.Exp(u)
		}
		return 1 - 0.5*math.Exp(-u)
	}
	a := math.Min(1, math.Abs(u))
	var half float64 // ∫ from 0 to a
	switch s {
	case Epanechnikov:
		half = 0.75 * (a - cube(a)/3)
	case TriCube:
		half = 70. / 81 * a * (1 - 3*cube(a)/4 + 3*math.Pow(a, 6)/7 - math.Pow(a, 9)/10)
	case Boxcar:
		half = 0.5 * a
	case Biweight:
		half = 15. / 16 * (a - 2*cube(a)/3 + math.Pow(a, 5)/5)
	case Triweight:
		half = 35. / 32 * (a - cube(a) + 3*math.Pow(a, 5)/5 - math.Pow(a, 7)/7)
	case Triangular:
		half = a - a*a/2
	case Cosine:
		half = 0.5 * math.Sin(math.Pi/2*a)
	}
	if u < 0 {
		return max(0, 0.5-half)
	}
	return min(1, 0.5+half)
}
