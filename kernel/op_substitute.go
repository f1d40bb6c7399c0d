package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// SubstituteOf is κ(k(x, x) - 2k(x, y) + k(y, y)), κ the profile of Outer; Substitute makes one.
type SubstituteOf[T any] struct {
	Outer  Profiled // a function of the squared distance
	Kernel Kernel[T]
}

// Substitute puts the squared distance in the feature space of k,
// k(x, x) - 2k(x, y) + k(y, y), in place of ‖x-y‖² in outer: with Gaussian it is
// exp(-(k(x, x) - 2k(x, y) + k(y, y))/(2ℓ²)). Outer has to be a function of the
// squared distance that is positive definite in every dimension, as Gaussian,
// Laplace, Matérn and rational quadratic are.
func Substitute[T any](outer Profiled, k Kernel[T]) Kernel[T] { return SubstituteOf[T]{outer, k} }

// Eval returns κ of the distance in feature space.
func (k SubstituteOf[T]) Eval(x, y T) float64 {
	m := [1]float64{max(k.Kernel.Eval(x, x)-2*k.Kernel.Eval(x, y)+k.Kernel.Eval(y, y), 0)}
	k.Outer.Profile(m[:])
	return m[0]
}

// substituted is a SubstituteOf of kernels on erased points, by which everything but its values is
// known.
type substituted SubstituteOf[any]

func (k SubstituteOf[T]) open() operator { return substituted{k.Outer, Erase(k.Kernel)} }

func (SubstituteOf[T]) shut(o operator) Kernel[T] {
	own := o.(substituted)
	return SubstituteOf[T]{own.Outer, mustTyped[T](own.Kernel)}
}

func (k substituted) whole() Kernel[any] { return SubstituteOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k SubstituteOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k SubstituteOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k SubstituteOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k SubstituteOf[T]) CheckPoints(x data.Points[T]) error {
	return checkTyped(k.Kernel, x)
}

// Properties are derived from those of the parts.
func (k SubstituteOf[T]) Properties() Properties { return k.open().properties() }

// params are those of the outer kernel, then those of the inner.
func (k substituted) params() []Param {
	return distinct(append(append([]Param(nil), Params[Vec](k.Outer)...), Params(k.Kernel)...))
}

// with sets the parameters in the order of Params.
func (k substituted) with(theta []float64) operator {
	n := len(Params[Vec](k.Outer))
	return substituted{withOne[Vec](k.Outer, theta[:n]).(Profiled), withOne(k.Kernel, theta[n:])}
}

// validate refuses an outer kernel that is no function of the squared distance.
func (k substituted) validate() error {
	if m := k.Outer.Metric(); m != SqDist {
		return fault.Errorf("kernel",
			"substitute: the outer kernel is a function of the %v, want one of the squared distance", m)
	}
	return firstError(validate(k.Outer), validate(k.Kernel))
}

// properties of a distance substitution. A Gaussian of a continuous, injective
// map into a Hilbert space is universal (Christmann & Steinwart 2010).
func (k substituted) properties() Properties {
	in, outer := PropertiesOf(k.Kernel), PropertiesOf[Vec](k.Outer)
	out := shared([]Properties{in, outer})
	out.Bound = outer.Bound
	if out.PSD == No || outer.Characteristic != Yes {
		out.PSD = Unknown
	}
	if in.Stationary == Yes {
		out.Stationary, out.Isotropic = Yes, in.Isotropic
	} else {
		out.Stationary, out.Isotropic = Unknown, Unknown
	}
	if _, ok := k.Outer.(Gaussian); ok && in.Continuous == Yes && in.Strict == Yes && out.PSD == Yes {
		out.Universal, out.Strict = Yes, Yes
	}
	return out
}

func (k substituted) pairGrad(x, y any, dtheta []float64) float64 {
	n := len(Params[Vec](k.Outer))
	inner := dtheta[n:]
	dx, dy := make([]float64, len(inner)), make([]float64, len(inner))
	v := pairGrad(k.Kernel, x, y, inner)
	a, b := pairGrad(k.Kernel, x, x, dx), pairGrad(k.Kernel, y, y, dy)
	m := max(a-2*v+b, 0)
	outer, ok := k.Outer.(Differentiable)
	if !ok {
		return differencePairGrad(k.whole(), x, y, dtheta)
	}
	slope := profileSlope(outer, m, dtheta[:n])
	for p := range inner {
		inner[p] = slope * (dx[p] - 2*inner[p] + dy[p])
	}
	out := [1]float64{m}
	k.Outer.Profile(out[:])
	return out[0]
}

func (k substituted) parts() []Kernel[any]            { return []Kernel[any]{k.Kernel} }
func (k substituted) of(parts []Kernel[any]) operator { return substituted{k.Outer, parts[0]} }
func (substituted) pointwise() bool                   { return false }
func (substituted) spectral([]Spectral) Spectral      { return nil }

func (k substituted) lower(b *builder, p pair[any]) node {
	in, l, r := lowerSelf(b, k.Kernel, p, asIs)
	return substituteNode{in, k.Outer, l, r, p.same}
}

func (k substituted) lowerGrad(b *builder, p pair[any]) gradNode {
	outer, ok := k.Outer.(Differentiable)
	if !ok {
		return pairsGrad{valued{k.lower(b, p)}, gradOfPair(k.whole(), p)}
	}
	n := min(len(Params[Vec](k.Outer)), len(p.theta))
	inner := after(p, n)
	l, r := perPoint(b, p, selvesOf(k.Kernel, asIs))
	in := lowerGrad(b, k.Kernel, inner)
	s := substituteNode{in.values(), k.Outer, l, r, p.same}
	return substituteGrad{s, in, outer, p.theta[:n], newSelfSlopes(k.Kernel, inner)}
}

func (k substituted) inputGrad(dst Vec, scale float64, x, y any) error {
	outer, ok := k.Outer.(Differentiable)
	if !ok {
		return noInputGrad(k.Outer)
	}
	m := max(k.Kernel.Eval(x, x)-2*k.Kernel.Eval(x, y)+k.Kernel.Eval(y, y), 0)
	slope := scale * profileSlope(outer, m, make([]float64, len(Params[Vec](k.Outer))))
	if err := addInputGrad(k.Kernel, dst, 2*slope, x, x); err != nil {
		return err
	}
	return addInputGrad(k.Kernel, dst, -2*slope, x, y)
}

func (k substituted) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return SubstituteOf[data.SparseVec]{k.Outer, parts[0]}
}

// substituteNode is κ(left[i] - 2in + right[j]).
type substituteNode struct {
	in          node
	outer       Profiled
	left, right []float64
	same        bool // 0 on the diagonal
}

func (n substituteNode) tile64(dst linalg.Matrix[float64], w *work[float64]) {
	substituteTile(n, dst, w)
}
func (n substituteNode) tile32(dst linalg.Matrix[float32], w *work[float32]) {
	substituteTile(n, dst, w)
}

// cut: the diagonal is no longer where it was.
func (n substituteNode) cut(c *cutter) node {
	return substituteNode{n.in.cut(c), n.outer, chosenOf(n.left, c.rows), chosenOf(n.right, c.cols), false}
}

func substituteTile[F linalg.Float](n substituteNode, dst linalg.Matrix[F], w *work[F]) {
	featureDistances(n, dst, w)
	k32, _ := n.outer.(Profiled32)
	applyProfile(n.outer, k32, dst, w)
}

// featureDistances sets dst to max(left[i] - 2in + right[j], 0), and 0 on the
// diagonal of a symmetric matrix, where rounding would leave something else.
func featureDistances[F linalg.Float](n substituteNode, dst linalg.Matrix[F], w *work[F]) {
	evaluate(n.in, dst, w)
	for a := range dst.Rows {
		row, left, right := dst.Row(a), n.left[w.i+a], n.right[w.j:]
		for b, v := range row {
			row[b] = F(math.Max(left-2*float64(v)+right[b], 0))
		}
		if b := w.i + a - w.j; n.same && b >= 0 && b < len(row) {
			row[b] = 0
		}
	}
}

// substituteGrad is the backward pass of κ(m), m = k(x, x) - 2k(x, y) + k(y, y).
type substituteGrad struct {
	node  substituteNode
	in    gradNode
	outer Differentiable
	theta []int       // the places of the parameters of κ
	self  *selfSlopes // nil where the inner kernel has no parameters
}

func (n substituteGrad) values() node   { return n.node }
func (n substituteGrad) storable() bool { return n.in.storable() }

func (n substituteGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	m, slope := push(g.w), push(g.w)
	featureDistances(n.node, m, g.w)
	dtheta := make([][]float64, len(Params[Vec](n.outer)))
	for p := range dtheta {
		if p < len(n.theta) && g.wanted(n.theta[p]) {
			dtheta[p] = make([]float64, adj.Cols)
		}
	}
	for a := range adj.Rows {
		profileGrads(n.outer, slope.Row(a), dtheta, m.Row(a))
		for p, d := range dtheta {
			if d != nil {
				g.emit(n.theta[p], a, adj.Row(a), d)
			}
		}
	}
	if n.self != nil {
		one := func(int) float64 { return 1 }
		g.backSelf(n.self, adj, slope, one, one)
		for a := range adj.Rows {
			row := slope.Row(a)
			multiplyTo(row, adj.Row(a))
			scaleBy(row, -2)
		}
		n.in.back(g, slope)
	}
	pop(g.w)
	pop(g.w)
}
