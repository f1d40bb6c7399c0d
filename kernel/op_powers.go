package kernel

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// PowersOf is Σ aₙk(x, y)ⁿ with aₙ ≥ 0; Powers and Series make one.
type PowersOf[T any] struct {
	Kernel Kernel[T]
	Coef   []float64
	// Bound is the largest k(x, x) for which the values are meant, when the
	// polynomial is the beginning of a series; 0 means no bound.
	Bound float64
	// Error bounds what the dropped terms of that series can add.
	Error float64
}

// Powers applies a polynomial with coefficients aₙ ≥ 0 to a kernel.
func Powers[T any](k Kernel[T], coef ...float64) Kernel[T] {
	return PowersOf[T]{Kernel: k, Coef: append([]float64(nil), coef...)}
}

// Eval returns Σ aₙk(x, y)ⁿ.
func (k PowersOf[T]) Eval(x, y T) float64 { return horner(k.Coef, k.Kernel.Eval(x, y)) }

// powers is a PowersOf of kernels on erased points, by which everything but its values is known.
type powers PowersOf[any]

func (k PowersOf[T]) open() operator { return powers{Erase(k.Kernel), k.Coef, k.Bound, k.Error} }

func (PowersOf[T]) shut(o operator) Kernel[T] {
	own := o.(powers)
	return PowersOf[T]{mustTyped[T](own.Kernel), own.Coef, own.Bound, own.Error}
}

func (k powers) whole() Kernel[any] { return PowersOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k PowersOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k PowersOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k PowersOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k PowersOf[T]) CheckPoints(x data.Points[T]) error {
	return k.open().(powers).checkPoints(data.Erase(x))
}

// Properties are derived from those of the parts.
func (k PowersOf[T]) Properties() Properties { return k.open().properties() }

// params are the coefficients, unless they come from a series, and those of the kernel.
func (k powers) params() []Param {
	var params []Param
	if k.Bound == 0 {
		for n, a := range k.Coef {
			params = append(params, nonNegative(fmt.Sprintf("polynomial.coef[%d]", n), a))
		}
	}
	return distinct(append(params, Params(k.Kernel)...))
}

// own is how many of the parameters are coefficients.
func (k powers) own() int {
	if k.Bound == 0 {
		return len(k.Coef)
	}
	return 0
}

// with sets the parameters in the order of Params.
func (k powers) with(theta []float64) operator {
	n := k.own()
	if n > 0 {
		k.Coef = append([]float64(nil), theta[:n]...)
	}
	k.Kernel = withOne(k.Kernel, theta[n:])
	return k
}

// validate refuses coefficients < 0.
func (k powers) validate() error {
	if len(k.Coef) == 0 {
		return fault.Errorf("kernel", "polynomial: no coefficients")
	}
	for n, a := range k.Coef {
		if err := mustBeNonNegative("polynomial", fmt.Sprintf("coef[%d]", n), a); err != nil {
			return err
		}
	}
	return validate(k.Kernel)
}

// checkPoints refuses points with k(x, x) above the bound of a series.
func (k powers) checkPoints(x data.Points[any]) error {
	if k.Bound > 0 {
		for i := range x.Len() {
			p := x.At(i)
			if v := k.Kernel.Eval(p, p); !(v <= k.Bound) {
				return fault.Errorf("kernel",
					"series: row %d has k(x, x) = %g, above the bound %g for which the series was truncated", i, v, k.Bound)
			}
		}
	}
	return checkPoints(k.Kernel, x)
}

// properties of a polynomial: a sum of powers with weights ≥ 0.
func (k powers) properties() Properties {
	var terms []Kernel[any]
	for n, a := range k.Coef {
		switch {
		case a < 0:
			p := nothingKnown()
			return p
		case a == 0:
		case n == 0:
			terms = append(terms, ConstantOf[any]{a})
		case n == 1:
			terms = append(terms, ScaleOf[any]{a, k.Kernel})
		default:
			terms = append(terms, ScaleOf[any]{a, PowerOf[any]{k.Kernel, n}})
		}
	}
	if len(terms) == 0 {
		return constant{0}.properties()
	}
	return sum{terms}.properties()
}

func (k powers) pairGrad(x, y any, dtheta []float64) float64 {
	n := k.own()
	v := pairGrad(k.Kernel, x, y, dtheta[n:])
	chained(dtheta[n:], hornerSlope(k.Coef, v))
	p := 1.0
	for i := range n {
		dtheta[i] = p
		p *= v
	}
	return horner(k.Coef, v)
}

func (k powers) parts() []Kernel[any] { return []Kernel[any]{k.Kernel} }
func (powers) pointwise() bool        { return true }

func (k powers) of(parts []Kernel[any]) operator {
	k.Kernel = parts[0]
	return k
}

func (k powers) lower(b *builder, p pair[any]) node {
	return powersNode{lower(b, k.Kernel, p), k.Coef}
}

func (k powers) lowerGrad(b *builder, p pair[any]) gradNode {
	n := min(k.own(), len(p.theta))
	in := lowerGrad(b, k.Kernel, after(p, n))
	return powersGrad{valued{powersNode{in.values(), k.Coef}}, in, k.Coef, p.theta[:n]}
}

func (k powers) inputGrad(dst Vec, scale float64, x, y any) error {
	return addInputGrad(k.Kernel, dst, scale*hornerSlope(k.Coef, k.Kernel.Eval(x, y)), x, y)
}

func (k powers) spectral(parts []Spectral) Spectral { return powerSeries(parts, k.Coef) }

func (k powers) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return PowersOf[data.SparseVec]{parts[0], k.Coef, k.Bound, k.Error}
}

type powersNode struct {
	in   node
	coef []float64
}

func (n powersNode) tile64(dst linalg.Matrix[float64], w *work[float64]) { powersTile(n, dst, w) }
func (n powersNode) tile32(dst linalg.Matrix[float32], w *work[float32]) { powersTile(n, dst, w) }
func (n powersNode) cut(c *cutter) node                                  { return powersNode{n.in.cut(c), n.coef} }

func powersTile[F linalg.Float](n powersNode, dst linalg.Matrix[F], w *work[F]) {
	evaluate(n.in, dst, w)
	eachRow(dst, func(_ int, row []F) {
		for i, v := range row {
			row[i] = F(horner(n.coef, float64(v)))
		}
	})
}

type powersGrad struct {
	valued
	in    gradNode
	coef  []float64
	theta []int // the places of the coefficients
}

func (n powersGrad) storable() bool { return n.in.storable() }

func (n powersGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	if slices.ContainsFunc(n.theta, g.wanted) {
		t, power := push(g.w), make([]float64, adj.Cols)
		evaluate(n.in.values(), t, g.w)
		for m, at := range n.theta {
			if !g.wanted(at) {
				continue
			}
			for a := range adj.Rows {
				simd.PowInt64(power, t.Row(a), m)
				g.emit(at, a, adj.Row(a), power)
			}
		}
		pop(g.w)
	}
	g.chain(n.in, n.in.values(), adj, func(v float64) float64 { return hornerSlope(n.coef, v) })
}
