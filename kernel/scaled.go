package kernel

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// ARD is Kernel with a length-scale for each coordinate (automatic relevance
// determination): k(x/ℓ, y/ℓ) with xⱼ/ℓⱼ in each coordinate. A coordinate with ℓ = +Inf is
// ignored. The length-scale of the inner kernel, if it has one, stays fixed:
// together they would say the same thing twice.
type ARD struct {
	Kernel       Kernel[Vec]
	Lengthscales []float64
}

// Name is that of the inner kernel.
func (k ARD) Name() string {
	if n, ok := k.Kernel.(Named); ok {
		return n.Name()
	}
	return "ard"
}

// Eval returns k(x/ℓ, y/ℓ).
func (k ARD) Eval(x, y Vec) float64 { return embeddedEval(k, x, y) }

// free lists the coordinates whose length-scales can be varied: an infinite one leaves its coordinate out, whatever the others are.
func (k ARD) free() []int {
	var out []int
	for i, l := range k.Lengthscales {
		if !math.IsInf(l, 1) {
			out = append(out, i)
		}
	}
	return out
}

func (k ARD) embedding() embedding {
	l, free := k.Lengthscales, k.free()
	return embedding{
		inner: k.Kernel,
		key:   []any{"ard", l},
		dim:   func(d int) int { return d },
		apply: func(dst, x Vec) {
			for i, v := range x {
				dst[i] = v / l[i]
			}
		},
		pull: func(dx, g, x Vec) {
			for i, v := range g {
				dx[i] += v / l[i]
			}
		},
		tangent: func(dst Vec, p int, x Vec) {
			clear(dst)
			i := free[p]
			dst[i] = -x[i] / (l[i] * l[i])
		},
		tangentDot: func(sum []float64, ubar, x Vec) {
			for p, i := range free {
				sum[p] -= ubar[i] * x[i] / (l[i] * l[i])
			}
		},
		own:  len(free),
		kept: k.kept(),
	}
}

// kept lists the parameters of the inner kernel other than its overall
// length-scale.
func (k ARD) kept() []int {
	kept := []int{}
	for i, p := range Params(k.Kernel) {
		if _, field, _ := strings.Cut(p.Name, "."); field != "lengthscale" || !k.leaf() {
			kept = append(kept, i)
		}
	}
	return kept
}

func (k ARD) leaf() bool {
	_, ok := k.Kernel.(Profiled)
	return ok
}

// Params are the finite length-scales, then the other parameters of the inner kernel.
func (k ARD) Params() []Param {
	params := make([]Param, 0, len(k.Lengthscales))
	for _, i := range k.free() {
		params = append(params, positive(fmt.Sprintf("%s.lengthscale[%d]", k.Name(), i), k.Lengthscales[i]))
	}
	inner := Params(k.Kernel)
	for _, i := range k.kept() {
		params = append(params, inner[i])
	}
	return distinct(params)
}

// With sets the parameters in the order of Params.
func (k ARD) With(theta []float64) Kernel[Vec] {
	free := k.free()
	d := len(free)
	out := ARD{Kernel: k.Kernel, Lengthscales: append([]float64(nil), k.Lengthscales...)}
	for p, i := range free {
		out.Lengthscales[i] = theta[p]
	}
	if kept := k.kept(); len(kept) > 0 {
		inner := Values(k.Kernel)
		for i, j := range kept {
			inner[j] = theta[d+i]
		}
		out.Kernel = k.Kernel.(Tunable[Vec]).With(inner)
	}
	return out
}

// Validate refuses length-scales that are not > 0.
func (k ARD) Validate() error {
	if len(k.Lengthscales) == 0 {
		return fault.Errorf("kernel", "%s: no length-scales", k.Name())
	}
	for i, l := range k.Lengthscales {
		if !(l > 0) {
			return fault.Errorf("kernel", "%s: lengthscale[%d] = %g, want > 0", k.Name(), i, l)
		}
	}
	return validate(k.Kernel)
}

// CheckPoints refuses points of another dimension, and asks the inner kernel.
func (k ARD) CheckPoints(x data.Points[Vec]) error {
	if err := checkDim(k.Name(), "length-scales", len(k.Lengthscales), x); err != nil {
		return err
	}
	return checkEmbedded(k.Kernel, k, x)
}

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
		return Mahalanobis{}, fault.Errorf("kernel", "mahalanobis: Σ (%d×%d) is not positive definite", sigma.SymmetricDim(), sigma.SymmetricDim())
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
		inner: k.Kernel,
		key:   []any{"sigma", k.Sigma.RawSymmetric().Data},
		dim:   func(d int) int { return d },
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

// QuadraticForm is xᵀAy with A symmetric positive semi-definite.
type QuadraticForm struct {
	A *mat.SymDense
}

// Name is "quadratic".
func (QuadraticForm) Name() string { return "quadratic" }

// Eval returns xᵀAy.
func (k QuadraticForm) Eval(x, y Vec) float64 {
	s := 0.0
	for i, v := range x {
		for j, w := range y {
			s += v * k.A.At(i, j) * w
		}
	}
	return s
}

// InputGrad sets dst = Ay.
func (k QuadraticForm) InputGrad(dst, x, y Vec) {
	for i := range x {
		dst[i] = 0
		for j, w := range y {
			dst[i] += k.A.At(i, j) * w
		}
	}
}

// Validate refuses an A with a negative eigenvalue.
func (k QuadraticForm) Validate() error {
	if k.A == nil {
		return fault.Errorf("kernel", "quadratic: no matrix A")
	}
	var e mat.EigenSym
	if !e.Factorize(k.A, false) {
		return fault.Errorf("kernel", "quadratic: the eigenvalues of A did not converge")
	}
	v := e.Values(nil)
	if low, high := v[0], v[len(v)-1]; low < -1e-12*math.Max(1, high) {
		return fault.Errorf("kernel", "quadratic: A has the negative eigenvalue %g; it has to be positive semi-definite", low)
	}
	return nil
}

// CheckPoints refuses points of another dimension than A.
func (k QuadraticForm) CheckPoints(x data.Points[Vec]) error {
	return checkDim("quadratic", "rows of A", k.A.SymmetricDim(), x)
}

// OnColumns is Kernel on some of the coordinates; On makes one.
type OnColumns struct {
	Kernel  Kernel[Vec]
	Columns []int
}

// On returns k applied to the named columns only.
func On(k Kernel[Vec], columns ...int) Kernel[Vec] {
	return OnColumns{k, append([]int(nil), columns...)}
}

// Eval evaluates the inner kernel on the selected coordinates.
func (k OnColumns) Eval(x, y Vec) float64 { return embeddedEval(k, x, y) }

func (k OnColumns) embedding() embedding {
	c := k.Columns
	return embedding{
		inner: k.Kernel,
		key:   []any{"on", c},
		dim:   func(int) int { return len(c) },
		apply: func(dst, x Vec) {
			for i, j := range c {
				dst[i] = x[j]
			}
		},
		pull: func(dx, g, x Vec) {
			for i, j := range c {
				dx[j] += g[i]
			}
		},
	}
}

// Params are those of the inner kernel.
func (k OnColumns) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the inner kernel.
func (k OnColumns) With(theta []float64) Kernel[Vec] {
	return OnColumns{k.Kernel.(Tunable[Vec]).With(theta), k.Columns}
}

// Validate refuses an empty selection and negative columns.
func (k OnColumns) Validate() error {
	if len(k.Columns) == 0 {
		return fault.Errorf("kernel", "on: no columns")
	}
	for i, c := range k.Columns {
		if c < 0 {
			return fault.Errorf("kernel", "on: column %d of the selection is %d, want ≥ 0", i, c)
		}
	}
	return validate(k.Kernel)
}

// CheckPoints refuses points that lack a selected column.
func (k OnColumns) CheckPoints(x data.Points[Vec]) error {
	for i := range x.Len() {
		for _, c := range k.Columns {
			if d := len(x.At(i)); c >= d {
				return fault.Errorf("kernel", "on: column %d is selected but row %d has %d columns", c, i, d)
			}
		}
	}
	return checkEmbedded(k.Kernel, k, x)
}

// Properties under ARD: a linear bijection changes nothing but isotropy, unless a
// length-scale is infinite.
func (k ARD) Properties() Properties {
	p := PropertiesOf(k.Kernel)
	for _, l := range k.Lengthscales {
		if l != k.Lengthscales[0] && p.Isotropic == Yes {
			p.Isotropic = No
		}
		if math.IsInf(l, 1) {
			p.Strict, p.Universal, p.Characteristic = No, No, No
		}
	}
	return p
}

// Properties in the metric of Σ: a linear bijection changes nothing but isotropy.
func (k Mahalanobis) Properties() Properties {
	p := PropertiesOf(k.Kernel)
	if p.Isotropic == Yes {
		p.Isotropic = Unknown
	}
	return p
}

// Properties on some columns: points that differ elsewhere are not told apart, if there are such.
func (k OnColumns) Properties() Properties {
	p := PropertiesOf(k.Kernel)
	for _, t := range []*Tri{&p.Strict, &p.Universal, &p.Characteristic, &p.Isotropic} {
		if *t == Yes {
			*t = Unknown
		}
	}
	return p
}

// SpectralMeasure is that of the inner kernel, divided by the length-scales.
func (k ARD) SpectralMeasure(dim int) (Spectral, error) { return spectralAfter(k.embedding(), dim) }

// SpectralMeasure is L⁻ᵀ times that of the inner kernel.
func (k Mahalanobis) SpectralMeasure(dim int) (Spectral, error) {
	return spectralAfter(k.embedding(), dim)
}

// SpectralMeasure is that of the inner kernel on the selected coordinates, 0 on the others.
func (k OnColumns) SpectralMeasure(int) (Spectral, error) {
	return spectralAfter(k.embedding(), len(k.Columns))
}

// Properties of the quadratic form.
func (QuadraticForm) Properties() Properties { return finiteFeatures(math.Inf(1)) }

func (k ARD) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return sparseView{leaf, lift(k.Kernel, leaf.dim), fmt.Sprint("ard", k.Lengthscales), len(k.free()),
		func(x data.SparseVec) data.SparseVec { return divide(x, k.Lengthscales) }}
}

func (k OnColumns) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return sparseView{leaf, lift(k.Kernel, len(k.Columns)), fmt.Sprint("on", k.Columns), 0,
		func(x data.SparseVec) data.SparseVec { return selectColumns(x, k.Columns) }}
}

func (k QuadraticForm) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return sparseQuadratic{leaf, k}
}

// sparse is a map to vectors: L⁻¹x is dense whatever x is.
func (k Mahalanobis) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return PullbackOf[data.SparseVec, Vec]{Kernel: k.Kernel, Map: k.sparseImage(leaf.dim), Injective: true}
}

func (k ARD) leastDim() int           { return len(k.Lengthscales) }
func (k Mahalanobis) leastDim() int   { return k.Sigma.SymmetricDim() }
func (k QuadraticForm) leastDim() int { return k.A.SymmetricDim() }

func (k OnColumns) leastDim() int {
	dim := 0
	for _, c := range k.Columns {
		dim = max(dim, c+1)
	}
	return dim
}

// lower multiplies the points of y by A once, and takes inner products.
func (k QuadraticForm) lower(b *builder, p pair[Vec]) node {
	x, y, ok := b.matrices(p)
	if !ok {
		return pairNode[Vec](b, k, p)
	}
	key := b.opaqueKey(p.key)
	src := b.source(key, Inner, func() *source {
		return &source{metric: Inner, x: x, y: ofColumns(b, "quadratic"+key, func() linalg.Matrix[float64] { return k.times(y) })}
	})
	return newProfileNode(src, Linear{})
}

// times is A·y for each row.
func (k QuadraticForm) times(y linalg.Matrix[float64]) linalg.Matrix[float64] {
	ay := linalg.New[float64](y.Rows, y.Cols)
	for i := range y.Rows {
		k.InputGrad(ay.Row(i), y.Row(i), y.Row(i))
	}
	return ay
}
