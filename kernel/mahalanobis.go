package kernel

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// Mahalanobis is Kernel in the metric of a covariance Σ: with Σ = LLᵀ it is
// k(L⁻¹x, L⁻¹y), so that Mahalanobis{Kernel: Gaussian{}, Sigma: Σ} is
// exp(-½ (x-y)ᵀΣ⁻¹(x-y)). NewMahalanobis makes one.
type Mahalanobis struct {
	Kernel Kernel[Vec]
	Sigma  *mat.SymDense
	factor *mat.TriDense // L, lower
}

// NewMahalanobis factorises Σ, which has to be positive definite.
func NewMahalanobis(k Kernel[Vec], sigma *mat.SymDense) (Mahalanobis, error) {
	var c mat.Cholesky
	if !c.Factorize(sigma) {
		return Mahalanobis{}, fault.Errorf("kernel", "mahalanobis: Σ (%d×%d) is not positive definite", sigma.SymmetricDim(),
			sigma.SymmetricDim())
	}
	var l mat.TriDense
	c.LTo(&l)
	return Mahalanobis{k, sigma, &l}, nil
}

// Name is "mahalanobis".
func (Mahalanobis) Name() string { return "mahalanobis" }

// Eval returns k(L⁻¹x, L⁻¹y).
func (k Mahalanobis) Eval(x, y Vec) float64 { return embeddedEval(k, x, y) }

func (k Mahalanobis) embedding() embedding {
	if k.factor == nil {
		var err error
		if k, err = NewMahalanobis(k.Kernel, k.Sigma); err != nil {
			panic(err)
		}
	}
	l := k.factor
	n, _ := l.Dims()
	return embedding{
		inner:  k.Kernel,
		key:    []any{"sigma", k.Sigma.RawSymmetric().Data},
		dim:    func(d int) int { return d },
		linear: true,
		apply: func(dst, x Vec) { // forward substitution
			for i := range n {
				s := x[i]
				for j := range i {
					s -= l.At(i, j) * dst[j]
				}
				dst[i] = s / l.At(i, i)
			}
		},
		pull: func(dx, g, x Vec) { // L⁻ᵀ g
			t := make(Vec, n)
			for i := n - 1; i >= 0; i-- {
				s := g[i]
				for j := i + 1; j < n; j++ {
					s -= l.At(j, i) * t[j]
				}
				t[i] = s / l.At(i, i)
				dx[i] += t[i]
			}
		},
	}
}

// Params are those of the inner kernel.
func (k Mahalanobis) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the inner kernel.
func (k Mahalanobis) With(theta []float64) Kernel[Vec] {
	k.Kernel = k.Kernel.(Tunable[Vec]).With(theta)
	return k
}

// Validate refuses a Σ that is not positive definite.
func (k Mahalanobis) Validate() error {
	if k.Sigma == nil {
		return fault.Errorf("kernel", "mahalanobis: no Σ")
	}
	if _, err := NewMahalanobis(k.Kernel, k.Sigma); err != nil {
		return err
	}
	return validate(k.Kernel)
}

// CheckPoints refuses points of another dimension than Σ.
func (k Mahalanobis) CheckPoints(x data.Points[Vec]) error {
	if err := checkDim("mahalanobis", "rows of Σ", k.Sigma.SymmetricDim(), x); err != nil {
		return err
	}
	return checkEmbedded(k.Kernel, k, x)
}

// Properties in the metric of Σ: a linear bijection changes nothing but isotropy.
func (k Mahalanobis) Properties() Properties {
	p := PropertiesOf(k.Kernel)
	if p.Isotropic == Yes {
		p.Isotropic = Unknown
	}
	return p
}

// SpectralMeasure is L⁻ᵀ times that of the inner kernel.
func (k Mahalanobis) SpectralMeasure(dim int) (Spectral, error) {
	return spectralAfter(k.embedding(), dim)
}

// sparse is a map to vectors: L⁻¹x is dense whatever x is.
func (k Mahalanobis) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return movedFirst(leaf, k.embedding(), PullbackOf[data.SparseVec, Vec]{Kernel: k.Kernel, Map: k.sparseImage(leaf.dim),
		Injective: true})
}

func (k Mahalanobis) leastDim() int { return k.Sigma.SymmetricDim() }
