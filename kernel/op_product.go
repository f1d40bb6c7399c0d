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

// Params are those of the factors.
func (k ProductOf[T]) Params() []Param { return paramsOf(k.Factors) }

// With hands the values to the factors.
func (k ProductOf[T]) With(theta []float64) Kernel[T] { return ProductOf[T]{withAll(k.Factors, theta)} }

// Validate asks the factors.
func (k ProductOf[T]) Validate() error { return validateAll("product", k.Factors) }

// CheckPoints asks the factors.
func (k ProductOf[T]) CheckPoints(x data.Points[T]) error { return checkAll(k.Factors, x) }

// Properties of a product (Schur): positive definite; strict when all factors are. The
// spectral measure of a product of stationary kernels is a convolution, which has full support
// when one factor's has.
func (k ProductOf[T]) Properties() Properties {
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

func (k ProductOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
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

func (k ProductOf[T]) parts() []Kernel[T]           { return k.Factors }
func (ProductOf[T]) of(parts []Kernel[T]) Kernel[T] { return ProductOf[T]{parts} }
func (ProductOf[T]) pointwise() bool                { return true }
func (k ProductOf[T]) lower(b *builder, p pair[T]) node {
	return productNode{lowerAll(b, k.Factors, p)}
}

func (k ProductOf[T]) lowerGrad(b *builder, p pair[T]) gradNode {
	factors := lowerGradAll(b, k.Factors, p)
	return productGrad{valued{productNode{valuesOf(factors)}}, factors}
}

func (k ProductOf[T]) inputGrad(dst Vec, scale float64, x, y T) error {
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
func (ProductOf[T]) spectral(parts []Spectral) Spectral {
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

func (ProductOf[T]) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return sparseProduct(parts)
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
		tmp := w.push()
		evaluate(t, tmp, w)
		for a := range dst.Rows {
			multiplyTo(dst.Row(a), tmp.Row(a))
		}
		w.pop()
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
		values[i] = g.w.push()
		evaluate(f.values(), values[i], g.w)
	}
	t := g.w.push()
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
	g.w.pop()
	for range n.factors {
		g.w.pop()
	}
}
