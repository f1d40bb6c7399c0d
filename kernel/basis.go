package kernel

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
)

// FeatureMapper is an optional interface of kernels with an explicit,
// finite-dimensional feature map: k(x, y) = ⟨φ(x), φ(y)⟩.
type FeatureMapper interface {
	Kernel[Vec]
	// FeatureDim is the number of features of a point in Rᵈ.
	FeatureDim(d int) int
	// Features sets dst = φ(x).
	Features(dst, x Vec)
}

// Features returns the kernel φ(x)ᵀφ(y) of any feature map. Each point is mapped
// once.
func Features[T any](phi func(x T) Vec) Kernel[T] { return Pullback[T](Linear{}, phi) }

// Monomials is φ(x)ᵀφ(y) with φ = (1, xᵢ, xᵢ², …, xᵢᴹ) for each coordinate i,
// M = Degree (1 when zero).
type Monomials struct {
	Degree int
}

func (k Monomials) degree() int { return max(k.Degree, 1) }

// Name is "polynomialbasis".
func (Monomials) Name() string { return "polynomialbasis" }

// FeatureDim is 1 + dM.
func (k Monomials) FeatureDim(d int) int { return 1 + d*k.degree() }

// Features sets dst to the powers of the coordinates.
func (k Monomials) Features(dst, x Vec) {
	dst[0] = 1
	for i, v := range x {
		p := 1.0
		for j := range k.degree() {
			p *= v
			dst[1+i*k.degree()+j] = p
		}
	}
}

// Eval returns φ(x)ᵀφ(y).
func (k Monomials) Eval(x, y Vec) float64 { return embeddedEval(k, x, y) }

func (k Monomials) embedding() embedding {
	m := k.degree()
	return embedding{
		inner: Linear{}, key: []any{"powers", m}, dim: k.FeatureDim, apply: k.Features,
		pull: func(dx, g, x Vec) {
			for i, v := range x {
				p := 1.0
				for j := range m {
					dx[i] += float64(j+1) * p * g[1+i*m+j]
					p *= v
				}
			}
		},
	}
}

// Validate refuses a negative degree.
func (k Monomials) Validate() error {
	if k.Degree < 0 {
		return fault.Errorf("kernel", "polynomialbasis: degree = %d, want at least 1", k.Degree)
	}
	return nil
}

// GaussianBasis is φ(x)ᵀφ(y) with φⱼ(xᵢ) = exp(-(xᵢ-μⱼ)²/(2s²)) for each coordinate i
// and centre μⱼ, s = Width (1 when zero).
type GaussianBasis struct {
	Centers []float64
	Width   float64
}

// Name is "gaussianbasis".
func (GaussianBasis) Name() string { return "gaussianbasis" }

// FeatureDim is the number of coordinates times the number of centres.
func (k GaussianBasis) FeatureDim(d int) int { return d * len(k.Centers) }

// Features sets dst to the bumps at x.
func (k GaussianBasis) Features(dst, x Vec) {
	basisFeatures(dst, x, k.Centers, orOne(k.Width), func(t float64) float64 { return math.Exp(-t * t / 2) })
}

// Eval returns φ(x)ᵀφ(y).
func (k GaussianBasis) Eval(x, y Vec) float64 { return embeddedEval(k, x, y) }

func (k GaussianBasis) embedding() embedding {
	return basisEmbedding("bumps", k.Centers, orOne(k.Width),
		func(t float64) float64 { return math.Exp(-t * t / 2) },
		func(t float64) float64 { return -t * math.Exp(-t*t/2) })
}

// Params is the width.
func (k GaussianBasis) Params() []Param {
	return []Param{positive("gaussianbasis.width", orOne(k.Width))}
}

// With sets the width.
func (k GaussianBasis) With(theta []float64) Kernel[Vec] { return GaussianBasis{k.Centers, theta[0]} }

// Validate refuses a negative width and an empty basis.
func (k GaussianBasis) Validate() error { return validBasis("gaussianbasis", k.Centers, k.Width) }

// SigmoidBasis is φ(x)ᵀφ(y) with φⱼ(xᵢ) = 1/(1+exp(-(xᵢ-μⱼ)/s)) for each coordinate i
// and centre μⱼ, s = Width (1 when zero).
type SigmoidBasis struct {
	Centers []float64
	Width   float64
}

// Name is "sigmoidbasis".
func (SigmoidBasis) Name() string { return "sigmoidbasis" }

// FeatureDim is the number of coordinates times the number of centres.
func (k SigmoidBasis) FeatureDim(d int) int { return d * len(k.Centers) }

func logistic(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// Features sets dst to the logistic steps at x.
func (k SigmoidBasis) Features(dst, x Vec) {
	basisFeatures(dst, x, k.Centers, orOne(k.Width), logistic)
}

// Eval returns φ(x)ᵀφ(y).
func (k SigmoidBasis) Eval(x, y Vec) float64 { return embeddedEval(k, x, y) }

func (k SigmoidBasis) embedding() embedding {
	return basisEmbedding("steps", k.Centers, orOne(k.Width), logistic,
		func(t float64) float64 { s := logistic(t); return s * (1 - s) })
}

// Params is the width.
func (k SigmoidBasis) Params() []Param {
	return []Param{positive("sigmoidbasis.width", orOne(k.Width))}
}

// With sets the width.
func (k SigmoidBasis) With(theta []float64) Kernel[Vec] { return SigmoidBasis{k.Centers, theta[0]} }

// Validate refuses a negative width and an empty basis.
func (k SigmoidBasis) Validate() error { return validBasis("sigmoidbasis", k.Centers, k.Width) }

func validBasis(name string, centers []float64, width float64) error {
	if len(centers) == 0 {
		return fault.Errorf("kernel", "%s: no centers", name)
	}
	for i, c := range centers {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return fault.Errorf("kernel", "%s: centers[%d] = %g is not finite", name, i, c)
		}
	}
	return mustBePositive(name, "width", width)
}

// basisFeatures sets dst to f((xᵢ-μⱼ)/s) for all coordinates and centres.
func basisFeatures(dst, x Vec, centers []float64, s float64, f func(float64) float64) {
	for i, v := range x {
		for j, c := range centers {
			dst[i*len(centers)+j] = f((v - c) / s)
		}
	}
}

func basisEmbedding(name string, centers []float64, s float64, f, slope func(float64) float64) embedding {
	m := len(centers)
	return embedding{
		inner: Linear{}, key: []any{name, centers, s},
		dim:   func(d int) int { return d * m },
		apply: func(dst, x Vec) { basisFeatures(dst, x, centers, s, f) },
		pull: func(dx, g, x Vec) {
			for i, v := range x {
				for j, c := range centers {
					dx[i] += g[i*m+j] * slope((v-c)/s) / s
				}
			}
		},
		tangent: func(dst Vec, _ int, x Vec) {
			for i, v := range x {
				for j, c := range centers {
					t := (v - c) / s
					dst[i*m+j] = -slope(t) * t / s
				}
			}
		},
		own: 1,
	}
}

// Cosine is ⟨x, y⟩/(‖x‖‖y‖), and 0 where a point is 0.
type Cosine struct{}

// Name is "cosine".
func (Cosine) Name() string { return "cosine" }

// Eval returns the cosine of the angle between x and y.
func (k Cosine) Eval(x, y Vec) float64 { return embeddedEval(k, x, y) }

func (Cosine) embedding() embedding {
	return embedding{
		inner: Linear{}, key: []any{"unit"}, dim: func(d int) int { return d },
		apply: func(dst, x Vec) {
			n := norm2(x)
			for i, v := range x {
				dst[i] = v / n
			}
		},
		pull: func(dx, g, x Vec) {
			n := norm2(x)
			along := Inner.Between(g, x) / (n * n)
			for i, v := range x {
				dx[i] += (g[i] - along*v) / n
			}
		},
	}
}

// Properties of the cosine kernel, which jumps at 0.
func (Cosine) Properties() Properties {
	p := finiteFeatures(1)
	p.Continuous, p.Smoothness, p.Analytic = No, math.NaN(), No
	return p
}

// Properties of the polynomial basis.
func (Monomials) Properties() Properties { return finiteFeatures(math.Inf(1)) }

// Properties of the Gaussian basis; the bound grows with the dimension.
func (GaussianBasis) Properties() Properties { return finiteFeatures(math.NaN()) }

// Properties of the sigmoid basis; the bound grows with the dimension.
func (SigmoidBasis) Properties() Properties { return finiteFeatures(math.NaN()) }

func (Cosine) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return sparseView{leaf, lift(Linear{}, leaf.dim), "unit", 0, unitLength}
}

func (k Monomials) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return sparseView{leaf, lift(Linear{}, k.FeatureDim(leaf.dim)), fmt.Sprint("powers", k.degree()), 0,
		func(x data.SparseVec) data.SparseVec { return powersOf(x, k.degree()) }}
}

func (k GaussianBasis) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return newSparseBasis(leaf, k.Centers, k.Features)
}

func (k SigmoidBasis) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return newSparseBasis(leaf, k.Centers, k.Features)
}
