package density

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/smoothing"
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
	Gaussian     Smoother = iota // exp(-u²/2)/√(2π)
	Epanechnikov                 // ¾(1-u²) on |u| ≤ 1
	TriCube                      // 70/81·(1-|u|³)³ on |u| ≤ 1
	Boxcar                       // ½ on |u| ≤ 1
	Biweight                     // 15/16·(1-u²)² on |u| ≤ 1
	Triweight                    // 35/32·(1-u²)³ on |u| ≤ 1
	Triangular                   // 1-|u| on |u| ≤ 1
	Cosine                       // π/4·cos(πu/2) on |u| ≤ 1
	Logistic                     // 1/(eᵘ + 2 + e⁻ᵘ)
	Exponential                  // ½·exp(-|u|), Laplace's density
)

// Smoothers lists every smoothing kernel.
func Smoothers() []Smoother {
	var all []Smoother
	for _, k := range smoothing.Kernels() {
		all = append(all, Smoother(k))
	}
	return all
}

// ParseSmoother finds a smoothing kernel by its name, in any case.
func ParseSmoother(name string) (Smoother, error) {
	k, err := smoothing.Parse(name)
	return Smoother(k), err
}

// kernel is where the mathematics is; the numbers are the same.
func (s Smoother) kernel() smoothing.Kernel { return smoothing.Kernel(s) }

// String is the kernel's name.
func (s Smoother) String() string {
	if s.Valid() {
		return s.kernel().String()
	}
	return fmt.Sprintf("Smoother(%d)", int(s))
}

// Valid says whether there is such a kernel.
func (s Smoother) Valid() bool { return s.kernel().Valid() }

// Support is the distance beyond which the kernel is zero: 1, or +Inf.
func (s Smoother) Support() float64 { return s.kernel().Support() }

// Eval is the density k(u) on the line.
func (s Smoother) Eval(u float64) float64 { return s.kernel().Eval(u) }

// CDF is ∫ k from -∞ to u on the line.
func (s Smoother) CDF(u float64) float64 { return s.kernel().CDF(u) }

// Variance is ∫ u²·k(u) du on the line.
func (s Smoother) Variance() float64 { return s.kernel().Variance() }

// Roughness is ∫ k(u)² du on the line.
func (s Smoother) Roughness() float64 { return s.kernel().Roughness() }
