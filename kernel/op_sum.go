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

// sum is a SumOf of kernels on erased points, by which everything but its values is known.
type sum SumOf[any]

func (k SumOf[T]) open() operator { return sum{eraseAll(k.Terms)} }

func (SumOf[T]) shut(o operator) Kernel[T] {
	return SumOf[T]{typedAll[T](o.(sum).Terms)}
}

func (k sum) whole() Kernel[any] { return SumOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k SumOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k SumOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k SumOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k SumOf[T]) CheckPoints(x data.Points[T]) error {
	for _, t := range k.Terms {
		if err := checkTyped(t, x); err != nil {
			return err
		}
	}
	return nil
}

// Properties are derived from those of the parts.
func (k SumOf[T]) Properties() Properties { return k.open().properties() }

// params are those of the terms.
func (k sum) params() []Param { return paramsOf(k.Terms) }

// with hands the values to the terms.
func (k sum) with(theta []float64) operator { return sum{withAll(k.Terms, theta)} }

// validate asks the terms.
func (k sum) validate() error { return validateAll("sum", k.Terms) }

// properties of a sum: the RKHS of the sum holds those of the terms, so one strict,
// universal or characteristic term makes the sum so when all are positive definite.
func (k sum) properties() Properties {
	ps := propertiesAll(k.Terms)
	out := shared(ps)
	out.Bound = 0
	for _, p := range ps {
		out.Bound += p.Bound
	}
	if out.PSD == Yes {
		for _, p := range ps { // the functions of each term are among those of the sum
			if p.Analytic == No {
				out.Analytic = No
			}
		}
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

func (k sum) pairGrad(x, y any, dtheta []float64) float64 {
	s := 0.0
	for _, t := range k.Terms {
		n := len(Params(t))
		s += pairGrad(t, x, y, dtheta[:n])
		dtheta = dtheta[n:]
	}
	return s
}

func (k sum) parts() []Kernel[any]               { return k.Terms }
func (sum) of(parts []Kernel[any]) operator      { return sum{parts} }
func (sum) pointwise() bool                      { return true }
func (k sum) lower(b *builder, p pair[any]) node { return sumNode{lowerAll(b, k.Terms, p)} }

func (k sum) lowerGrad(b *builder, p pair[any]) gradNode {
	terms := lowerGradAll(b, k.Terms, p)
	return sumGrad{valued{sumNode{valuesOf(terms)}}, terms}
}

func (k sum) inputGrad(dst Vec, scale float64, x, y any) error {
	for _, t := range k.Terms {
		if err := addInputGrad(t, dst, scale, x, y); err != nil {
			return err
		}
	}
	return nil
}

// spectral is a mixture: the frequency of one term, chosen by mass.
func (sum) spectral(parts []Spectral) Spectral {
	weight, total := make([]float64, len(parts)), 0.0
	for i, s := range parts {
		weight[i] = s.Mass()
		total += weight[i]
	}
	return compound{total, parts, func(counts []int, rng *rand.Rand) { counts[choose(weight, total, rng)] = 1 }}
}

func (sum) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return SumOf[data.SparseVec]{parts}
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
		if p, ok := t.(profileNode); ok && lastRead(w, p.src) {
			tmp := sharedMetric(w, p.src)
			w.reads[p.src.slot]++
			applyProfile(p.k, p.k32, tmp, w)
			addScaled(c, tmp, dst)
			continue
		}
		tmp := push(w)
		evaluate(t, tmp, w)
		addScaled(c, tmp, dst)
		pop(w)
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
