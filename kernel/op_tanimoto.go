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

// Tanimoto is k(x, y)/(k(x, x) + k(y, y) - k(x, y)), the share that two points have in common: of the linear kernel on
// indicators of sets it is |A∩B|/|A∪B| (Jaccard; Ralaivola et al. 2005 for molecules). It is a kernel for every kernel k: with
// q = k(x, y)/(k(x, x) + k(y, y)) it is q/(1-q) = q + q² + q³ + …, where 1/(a + b) = ∫ e^{-ta}e^{-tb}dt makes q a kernel and
// |k(x, y)| ≤ √(k(x, x)k(y, y)) makes |q| ≤ ½. Points with k(x, x) = 0 get the value 0 with all points.
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

// Params are those of the kernel.
func (k TanimotoOf[T]) Params() []Param { return Params(k.Kernel) }

// With sets the parameters of the kernel.
func (k TanimotoOf[T]) With(theta []float64) Kernel[T] {
	return TanimotoOf[T]{withOne(k.Kernel, theta)}
}

// Validate asks the kernel.
func (k TanimotoOf[T]) Validate() error { return validate(k.Kernel) }

// CheckPoints refuses points with k(x, x) < 0, which no kernel has.
func (k TanimotoOf[T]) CheckPoints(x data.Points[T]) error {
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

// Properties of q + q² + …: q is a Schur product of k with a kernel that is positive on the diagonal, so it is strict when
// k is. Where k is stationary q is a multiple of it, and the sum holds its RKHS.
func (k TanimotoOf[T]) Properties() Properties {
	out := PropertiesOf(k.Kernel)
	out.Bound = 1
	if out.PSD == No {
		out.PSD = Unknown
	}
	if out.Strict != Yes { // k(x, x) may vanish somewhere
		out.Strict, out.Continuous, out.Smoothness = Unknown, Unknown, math.NaN()
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

func (k TanimotoOf[T]) parts() []Kernel[T]           { return []Kernel[T]{k.Kernel} }
func (TanimotoOf[T]) of(parts []Kernel[T]) Kernel[T] { return TanimotoOf[T]{parts[0]} }
func (TanimotoOf[T]) pointwise() bool                { return false }

func (k TanimotoOf[T]) lower(b *builder, p pair[T]) node {
	in, l, r := lowerSelf(b, k.Kernel, p, asIs)
	return tanimotoNode{in, l, r}
}

func (k TanimotoOf[T]) lowerGrad(b *builder, p pair[T]) gradNode {
	l, r := perPoint(b, p, func(x T) float64 { return k.Kernel.Eval(x, x) })
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

func (k TanimotoOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
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
func (k TanimotoOf[T]) inputGrad(dst Vec, scale float64, x, y T) error {
	byV, byS := shareSlopes(k.Kernel.Eval(x, y), k.Kernel.Eval(x, x)+k.Kernel.Eval(y, y))
	if err := addInputGrad(k.Kernel, dst, scale*byV, x, y); err != nil {
		return err
	}
	return addInputGrad(k.Kernel, dst, 2*scale*byS, x, x)
}

// spectral is that of Σ (k/2k(0))ⁿ, n ≥ 1: the terms at x = y are 2⁻ⁿ.
func (TanimotoOf[T]) spectral(parts []Spectral) Spectral {
	coef := make([]float64, 61)
	half := 1 / (2 * parts[0].Mass())
	for n := 1; n < len(coef); n++ {
		coef[n] = intPower(half, n)
	}
	return powerSeries(parts, coef)
}

func (TanimotoOf[T]) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return sparseTanimoto(parts[0])
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
	down, bySelf := g.w.push(), g.w.push()
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
	g.w.pop()
	g.w.pop()
}
