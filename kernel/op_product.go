package kernel

import (
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// ProductOf is Π kₘ(x, y); Product makes one.
type ProductOf[T any] struct {
	Factors []Kernel[T]
}

// Product multiplies kernels. Products inside are flattened.
func Product[T any](ks ...Kernel[T]) Kernel[T] {
	var factors []Kernel[T]
	for _, k := range ks {
		if p, ok := k.(ProductOf[T]); ok {
			factors = append(factors, p.Factors...)
		} else {
			factors = append(factors, k)
		}
	}
	return ProductOf[T]{factors}
}

// Eval returns Π kₘ(x, y).
func (k ProductOf[T]) Eval(x, y T) float64 {
	p := 1.0
	for _, f := range k.Factors {
		p *= f.Eval(x, y)
	}
	return p
}

// product is a ProductOf of kernels on erased points, by which everything but its values is known.
type product ProductOf[any]

func (k ProductOf[T]) open() operator { return product{eraseAll(k.Factors)} }

func (ProductOf[T]) shut(o operator) Kernel[T] {
	return ProductOf[T]{typedAll[T](o.(product).Factors)}
}

func (k product) whole() Kernel[any] { return ProductOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k ProductOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k ProductOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k ProductOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k ProductOf[T]) CheckPoints(x data.Points[T]) error {
	for _, f := range k.Factors {
		if err := checkTyped(f, x); err != nil {
			return err
		}
	}
	return nil
}

// Properties are derived from those of the parts.
func (k ProductOf[T]) Properties() Properties { return k.open().properties() }

// params are those of the factors.
func (k product) params() []Param { return paramsOf(k.Factors) }

// with hands the values to the factors.
func (k product) with(theta []float64) operator { return product{withAll(k.Factors, theta)} }

// validate asks the factors.
func (k product) validate() error { return validateAll("product", k.Factors) }

// properties of a product (Schur): positive definite; strict when all factors are. The
// spectral measure of a product of stationary kernels is a convolution, which has full support
// when one factor's has.
func (k product) properties() Properties {
	ps := propertiesAll(k.Factors)
	out := shared(ps)
	out.Strict = every(ps, isStrict)
	out.Bound = 1
	for _, p := range ps {
		out.Bound *= p.Bound
	}
	if out.PSD == Yes && out.Stationary == Yes && some(ps, isCharacteristic) && out.Bound > 0 {
		out.Strict, out.Universal, out.Characteristic = Yes, Yes, Yes
	}
	return out
}

func (k product) pairGrad(x, y any, dtheta []float64) float64 {
	values := make([]float64, len(k.Factors))
	at := 0
	for i, f := range k.Factors {
		n := len(Params(f))
		values[i] = pairGrad(f, x, y, dtheta[at:at+n])
		at += n
	}
	at = 0
	for i, f := range k.Factors {
		others := 1.0
		for j, v := range values {
			if j != i {
				others *= v
			}
		}
		for range len(Params(f)) {
			dtheta[at] *= others
			at++
		}
	}
	p := 1.0
	for _, v := range values {
		p *= v
	}
	return p
}

func (k product) parts() []Kernel[any]          { return k.Factors }
func (product) of(parts []Kernel[any]) operator { return product{parts} }
func (product) pointwise() bool                 { return true }
func (k product) lower(b *builder, p pair[any]) node {
	return productNode{lowerAll(b, k.Factors, p)}
}

func (k product) lowerGrad(b *builder, p pair[any]) gradNode {
	factors := lowerGradAll(b, k.Factors, p)
	return productGrad{valued{productNode{valuesOf(factors)}}, factors}
}

func (k product) inputGrad(dst Vec, scale float64, x, y any) error {
	for i, f := range k.Factors {
		others := scale
		for j, g := range k.Factors {
			if j != i {
				others *= g.Eval(x, y)
			}
		}
		if err := addInputGrad(f, dst, others, x, y); err != nil {
			return err
		}
	}
	return nil
}

// spectral is a convolution: the frequencies of all factors are added.
func (product) spectral(parts []Spectral) Spectral {
	mass := 1.0
	for _, s := range parts {
		mass *= s.Mass()
	}
	return compound{mass, parts, func(counts []int, _ *rand.Rand) {
		for i := range counts {
			counts[i] = 1
		}
	}}
}

func (product) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return ProductOf[data.SparseVec]{parts}
}

// productNode multiplies the values of the factors.
type productNode struct{ factors []node }

func (n productNode) tile64(dst linalg.Matrix[float64], w *work[float64]) {
	productTile(n.factors, dst, w)
}
func (n productNode) tile32(dst linalg.Matrix[float32], w *work[float32]) {
	productTile(n.factors, dst, w)
}
func (n productNode) cut(c *cutter) node { return productNode{c.nodes(n.factors)} }

func productTile[F linalg.Float](factors []node, dst linalg.Matrix[F], w *work[F]) {
	for i, t := range factors {
		if i == 0 {
			evaluate(t, dst, w)
			continue
		}
		tmp := push(w)
		evaluate(t, tmp, w)
		for a := range dst.Rows {
			multiplyTo(dst.Row(a), tmp.Row(a))
		}
		pop(w)
	}
}

type productGrad struct {
	valued
	factors []gradNode
}

func (n productGrad) storable() bool { return allStorable(n.factors) }

func (n productGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	values := make([]linalg.Matrix[float64], len(n.factors))
	for i, f := range n.factors {
		values[i] = push(g.w)
		evaluate(f.values(), values[i], g.w)
	}
	t := push(g.w)
	for i, f := range n.factors {
		t.CopyFrom(adj)
		for j := range n.factors {
			if j != i {
				for a := range t.Rows {
					multiplyTo(t.Row(a), values[j].Row(a))
				}
			}
		}
		f.back(g, t)
	}
	pop(g.w)
	for range n.factors {
		pop(g.w)
	}
}
