package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// SumOf is Σ kₘ(x, y); Sum makes one.
type SumOf[T any] struct {
	Terms []Kernel[T]
}

// Sum adds kernels. Sums inside are flattened.
func Sum[T any](ks ...Kernel[T]) Kernel[T] {
	var terms []Kernel[T]
	for _, k := range ks {
		if s, ok := k.(SumOf[T]); ok {
			terms = append(terms, s.Terms...)
		} else {
			terms = append(terms, k)
		}
	}
	return SumOf[T]{terms}
}

// Cone is Σ αₘkₘ with weights αₘ ≥ 0, one for each kernel.
func Cone[T any](weights []float64, ks ...Kernel[T]) Kernel[T] {
	if len(weights) != len(ks) {
		panic(fmt.Sprintf("kernel: cone: %d weights for %d kernels", len(weights), len(ks)))
	}
	terms := make([]Kernel[T], len(ks))
	for i, k := range ks {
		terms[i] = Scale(weights[i], k)
	}
	return SumOf[T]{terms}
}

// Eval returns Σ kₘ(x, y).
func (k SumOf[T]) Eval(x, y T) float64 {
	s := 0.0
	for _, t := range k.Terms {
		s += t.Eval(x, y)
	}
	return s
}

// Params are those of the terms.
func (k SumOf[T]) Params() []Param { return paramsOf(k.Terms) }

// With hands the values to the terms.
func (k SumOf[T]) With(theta []float64) Kernel[T] { return SumOf[T]{withAll(k.Terms, theta)} }

// Validate asks the terms.
func (k SumOf[T]) Validate() error { return validateAll("sum", k.Terms) }

// CheckPoints asks the terms.
func (k SumOf[T]) CheckPoints(x data.Points[T]) error { return checkAll(k.Terms, x) }

// Properties of a sum: the RKHS of the sum holds those of the terms, so one strict,
// universal or characteristic term makes the sum so when all are positive definite.
func (k SumOf[T]) Properties() Properties {
	ps := propertiesAll(k.Terms)
	out := shared(ps)
	out.Bound = 0
	for _, p := range ps {
		out.Bound += p.Bound
	}
	if out.PSD == Yes {
		if some(ps, isStrict) {
			out.Strict = Yes
		}
		if some(ps, isUniversal) && out.Continuous == Yes {
			out.Universal = Yes
		}
		if some(ps, isCharacteristic) && !math.IsInf(out.Bound, 0) && !math.IsNaN(out.Bound) {
			out.Characteristic = Yes
		}
	}
	return out
}

func (k SumOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	s := 0.0
	for _, t := range k.Terms {
		n := len(Params(t))
		s += pairGrad(t, x, y, dtheta[:n])
		dtheta = dtheta[n:]
	}
	return s
}

func (k SumOf[T]) parts() []Kernel[T]               { return k.Terms }
func (SumOf[T]) of(parts []Kernel[T]) Kernel[T]     { return SumOf[T]{parts} }
func (SumOf[T]) pointwise() bool                    { return true }
func (k SumOf[T]) lower(b *builder, p pair[T]) node { return sumNode{lowerAll(b, k.Terms, p)} }

func (k SumOf[T]) lowerGrad(b *builder, p pair[T]) gradNode {
	terms := lowerGradAll(b, k.Terms, p)
	return sumGrad{valued{sumNode{valuesOf(terms)}}, terms}
}

func (k SumOf[T]) inputGrad(dst Vec, scale float64, x, y T) error {
	for _, t := range k.Terms {
		if err := addInputGrad(t, dst, scale, x, y); err != nil {
			return err
		}
	}
	return nil
}

// spectral is a mixture: the frequency of one term, chosen by mass.
func (SumOf[T]) spectral(parts []Spectral) Spectral {
	weight, total := make([]float64, len(parts)), 0.0
	for i, s := range parts {
		weight[i] = s.Mass()
		total += weight[i]
	}
	return compound{total, parts, func(counts []int, rng *rand.Rand) { counts[choose(weight, total, rng)] = 1 }}
}

func (SumOf[T]) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return sparseSum(parts)
}

// sumNode adds the values of the terms.
type sumNode struct{ terms []node }

func (n sumNode) tile64(dst linalg.Matrix[float64], w *work[float64]) { sumTile(n.terms, dst, w) }
func (n sumNode) tile32(dst linalg.Matrix[float32], w *work[float32]) { sumTile(n.terms, dst, w) }
func (n sumNode) cut(c *cutter) node                                  { return sumNode{c.nodes(n.terms)} }

// sumTile adds the values of the terms; a factor of a term rides along with
// the addition.
func sumTile[F linalg.Float](terms []node, dst linalg.Matrix[F], w *work[F]) {
	for i, t := range terms {
		if i == 0 {
			evaluate(t, dst, w)
			continue
		}
		c := F(1)
		if s, ok := t.(scaleNode); ok {
			c, t = F(s.c), s.in
		}
		if k, ok := t.(constantNode); ok {
			eachRow(dst, func(_ int, row []F) { shiftBy(row, c*F(k.c)) })
			continue
		}
		if p, ok := t.(profileNode); ok && w.last(p.src) {
			tmp := sharedMetric(w, p.src)
			w.reads[p.src.slot]++
			applyProfile(p.k, p.k32, tmp, w)
			addScaled(c, tmp, dst)
			continue
		}
		tmp := w.push()
		evaluate(t, tmp, w)
		addScaled(c, tmp, dst)
		w.pop()
	}
}

type sumGrad struct {
	valued
	terms []gradNode
}

func (n sumGrad) storable() bool { return allStorable(n.terms) }

func (n sumGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	for _, t := range n.terms {
		t.back(g, adj)
	}
}
