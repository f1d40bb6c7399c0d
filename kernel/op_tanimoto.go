package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// TanimotoOf is k(x, y)/(k(x, x) + k(y, y) - k(x, y)); Tanimoto makes one.
type TanimotoOf[T any] struct {
	Kernel Kernel[T]
}

// Tanimoto is k(x, y)/(k(x, x) + k(y, y) - k(x, y)), the share that two points have in common: of
// the linear kernel on indicators of sets it is |A∩B|/|A∪B| (Jaccard; Ralaivola et al. 2005 for
// molecules). It is a kernel for every kernel k: with q = k(x, y)/(k(x, x) + k(y, y)) it is q/(1-q)
// = q + q² + q³ + …, where 1/(a + b) = ∫ e^{-ta}e^{-tb}dt makes q a kernel and |k(x, y)| ≤ √(k(x,
// x)k(y, y)) makes |q| ≤ ½. Points with k(x, x) = 0 get the value 0 with all points.
func Tanimoto[T any](k Kernel[T]) Kernel[T] { return TanimotoOf[T]{k} }

// shareOf is v/(s-v) for the sum s of both self values, and 0 at 0/0.
func shareOf(v, s float64) float64 {
	if s == v {
		return 0
	}
	return v / (s - v)
}

// Eval returns k(x, y)/(k(x, x) + k(y, y) - k(x, y)).
func (k TanimotoOf[T]) Eval(x, y T) float64 {
	return shareOf(k.Kernel.Eval(x, y), k.Kernel.Eval(x, x)+k.Kernel.Eval(y, y))
}

// tanimoto is a TanimotoOf of kernels on erased points, by which everything but its values is
// known.
type tanimoto TanimotoOf[any]

func (k TanimotoOf[T]) open() operator { return tanimoto{Erase(k.Kernel)} }

func (TanimotoOf[T]) shut(o operator) Kernel[T] {
	return TanimotoOf[T]{mustTyped[T](o.(tanimoto).Kernel)}
}

func (k tanimoto) whole() Kernel[any] { return TanimotoOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k TanimotoOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k TanimotoOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k TanimotoOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k TanimotoOf[T]) CheckPoints(x data.Points[T]) error {
	return k.open().(tanimoto).checkPoints(data.Erase(x))
}

// Properties are derived from those of the parts.
func (k TanimotoOf[T]) Properties() Properties { return k.open().properties() }

// params are those of the kernel.
func (k tanimoto) params() []Param { return Params(k.Kernel) }

// with sets the parameters of the kernel.
func (k tanimoto) with(theta []float64) operator {
	return tanimoto{withOne(k.Kernel, theta)}
}

// validate asks the kernel.
func (k tanimoto) validate() error { return validate(k.Kernel) }

// checkPoints refuses points with k(x, x) < 0, which no kernel has.
func (k tanimoto) checkPoints(x data.Points[any]) error {
	if err := checkPoints(k.Kernel, x); err != nil {
		return err
	}
	for i := range x.Len() {
		p := x.At(i)
		if v := k.Kernel.Eval(p, p); !(v >= 0) {
			return fault.Errorf("kernel", "tanimoto: row %d has k(x, x) = %g, want a number ≥ 0", i, v)
		}
	}
	return nil
}

// properties of q + q² + …: q is a Schur product of k with a kernel that is positive on the
// diagonal, so it is strict when k is. Where k is stationary q is a multiple of it, and the sum
// holds its RKHS.
func (k tanimoto) properties() Properties {
	out := PropertiesOf(k.Kernel)
	out.Bound = 1
	if out.PSD == No {
		out.PSD = Unknown
	}
	if out.Strict != Yes { // k(x, x) may vanish somewhere
		out.Strict, out.Continuous, out.Smoothness, out.Analytic = Unknown, Unknown, math.NaN(), Unknown
	}
	if out.Analytic == No && out.Stationary != Yes {
		out.Analytic = Unknown
	}
	if out.Stationary != Yes {
		out.Stationary, out.Isotropic, out.Universal, out.Characteristic = Unknown, Unknown, Unknown, Unknown
	}
	for _, t := range []*Tri{&out.Universal, &out.Characteristic} {
		if *t == No {
			*t = Unknown
		}
	}
	return out
}

func (k tanimoto) parts() []Kernel[any]          { return []Kernel[any]{k.Kernel} }
func (tanimoto) of(parts []Kernel[any]) operator { return tanimoto{parts[0]} }
func (tanimoto) pointwise() bool                 { return false }

func (k tanimoto) lower(b *builder, p pair[any]) node {
	in, l, r := lowerSelf(b, k.Kernel, p, asIs)
	return tanimotoNode{in, l, r}
}

func (k tanimoto) lowerGrad(b *builder, p pair[any]) gradNode {
	l, r := perPoint(b, p, selvesOf(k.Kernel, asIs))
	in := lowerGrad(b, k.Kernel, p)
	return tanimotoGrad{tanimotoNode{in.values(), l, r}, in, newSelfSlopes(k.Kernel, p)}
}

// shareSlopes are the derivatives of v/(s-v): s/(s-v)² by v and -v/(s-v)² by s.
func shareSlopes(v, s float64) (byV, byS float64) {
	if s == v {
		return 0, 0
	}
	d := (s - v) * (s - v)
	return s / d, -v / d
}

func (k tanimoto) pairGrad(x, y any, dtheta []float64) float64 {
	dx, dy := make([]float64, len(dtheta)), make([]float64, len(dtheta))
	v := pairGrad(k.Kernel, x, y, dtheta)
	s := pairGrad(k.Kernel, x, x, dx) + pairGrad(k.Kernel, y, y, dy)
	byV, byS := shareSlopes(v, s)
	for p := range dtheta {
		dtheta[p] = byV*dtheta[p] + byS*(dx[p]+dy[p])
	}
	return shareOf(v, s)
}

// inputGrad: k(x, x) changes with x too; its derivative is twice that by the first argument.
func (k tanimoto) inputGrad(dst Vec, scale float64, x, y any) error {
	byV, byS := shareSlopes(k.Kernel.Eval(x, y), k.Kernel.Eval(x, x)+k.Kernel.Eval(y, y))
	if err := addInputGrad(k.Kernel, dst, scale*byV, x, y); err != nil {
		return err
	}
	return addInputGrad(k.Kernel, dst, 2*scale*byS, x, x)
}

// spectral is that of Σ (k/2k(0))ⁿ, n ≥ 1: the terms at x = y are 2⁻ⁿ.
func (tanimoto) spectral(parts []Spectral) Spectral {
	coef := make([]float64, 61)
	half := 1 / (2 * parts[0].Mass())
	for n := 1; n < len(coef); n++ {
		coef[n] = intPower(half, n)
	}
	return powerSeries(parts, coef)
}

func (tanimoto) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return TanimotoOf[data.SparseVec]{parts[0]}
}

// tanimotoNode is in/(left[i] + right[j] - in).
type tanimotoNode struct {
	in          node
	left, right []float64
}

func (n tanimotoNode) tile64(dst linalg.Matrix[float64], w *work[float64]) { tanimotoTile(n, dst, w) }
func (n tanimotoNode) tile32(dst linalg.Matrix[float32], w *work[float32]) { tanimotoTile(n, dst, w) }

func (n tanimotoNode) cut(c *cutter) node {
	return tanimotoNode{n.in.cut(c), chosenOf(n.left, c.rows), chosenOf(n.right, c.cols)}
}

func tanimotoTile[F linalg.Float](n tanimotoNode, dst linalg.Matrix[F], w *work[F]) {
	evaluate(n.in, dst, w)
	for a := range dst.Rows {
		row, left, right := dst.Row(a), n.left[w.i+a], n.right[w.j:]
		for b, v := range row {
			row[b] = F(shareOf(float64(v), left+right[b]))
		}
	}
}

type tanimotoGrad struct {
	node tanimotoNode
	in   gradNode
	self *selfSlopes
}

func (n tanimotoGrad) values() node   { return n.node }
func (n tanimotoGrad) storable() bool { return n.in.storable() }

func (n tanimotoGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	down, bySelf := push(g.w), push(g.w)
	evaluate(n.node.in, down, g.w)
	for a := range adj.Rows {
		row, self, left, right := down.Row(a), bySelf.Row(a), n.node.left[g.w.i+a], n.node.right[g.w.j:]
		for b, c := range adj.Row(a) {
			row[b], self[b] = shareSlopes(row[b], left+right[b])
			row[b] *= c
		}
	}
	if n.self != nil {
		one := func(int) float64 { return 1 }
		g.backSelf(n.self, adj, bySelf, one, one)
	}
	n.in.back(g, down)
	pop(g.w)
	pop(g.w)
}
