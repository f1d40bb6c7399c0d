package kernel

import (
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
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

// free lists the coordinates whose length-scales can be varied: an infinite one leaves its
// coordinate out, whatever the others are.
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
		linear: true,
		own:    len(free),
		kept:   k.kept(),
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

// SpectralMeasure is that of the inner kernel, divided by the length-scales.
func (k ARD) SpectralMeasure(dim int) (Spectral, error) { return spectralAfter(k.embedding(), dim) }

func (k ARD) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return movedFirst(leaf, k.embedding(), sparseView{leaf, lift(k.Kernel, leaf.dim), fmt.Sprint("ard", k.Lengthscales),
		len(k.free()),
		func(x data.SparseVec) data.SparseVec { return divide(x, k.Lengthscales) }})
}

func (k ARD) leastDim() int { return len(k.Lengthscales) }
