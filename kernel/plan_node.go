package kernel

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// node is one operation on tiles; evaluate says what each kind does.
type node any

type (
	// profileNode is κ of a metric.
	profileNode struct {
		src *source
		k   Profiled
		k32 Profiled32 // nil when k has no single-precision profile
		// theta are the places of the parameters of k, links the maps before
		// the metric.
		theta []int
		links []link
	}
	// blockNode is any kernel that fills a rectangle by itself.
	blockNode struct {
		fill func(dst linalg.Matrix[float64], i, j int)
		pairwise
	}
	constantNode struct {
		c     float64
		theta []int
	}
	sumNode     struct{ terms []node }
	productNode struct{ factors []node }
	scaleNode   struct {
		c  float64
		in node
		at int // the place of c among the parameters
	}
	powerNode struct {
		in node
		p  int
	}
	polynomialNode struct {
		in    node
		coef  []float64
		theta []int // the places of the coefficients
	}
	expNode struct{ in node }
	// weightNode is left[i]·in·right[j].
	weightNode struct {
		in          node
		left, right []float64
		self        *selfSlopes // where the weights are 1/√k(x, x)
	}
	// substituteNode is κ(left[i] - 2in + right[j]).
	substituteNode struct {
		in          node
		outer       Profiled
		left, right []float64
		same        bool
		self        *selfSlopes
		pairwise    // theta are the places of the parameters of κ, or of all where κ has no slope
	}
	// offsetNode is c·in + left[i] + right[j].
	offsetNode struct {
		in          node
		c           float64
		left, right []float64
	}
	// aliasNode has the values of in and the derivatives of pairs.
	aliasNode struct {
		in node
		pairwise
	}
)

// pairwise is derivatives known a pair at a time: grad sets dtheta, whose entries
// belong at the places theta.
type pairwise struct {
	grad  func(i, j int, dtheta []float64)
	theta []int
	// rows, where it is there, sets d[p, b] to the derivative of the pair (i, j+b)
	// by parameter p, for a run of pairs at once.
	rows func(i, j int, d linalg.Matrix[float64])
}

func newProfileNode(src *source, k Profiled, theta []int, links []link) node {
	if p, ok := k.(Matern); ok { // and no type that embeds it, whose profile may be another
		k = p.prepareProfile()
	}
	k32, _ := k.(Profiled32)
	return profileNode{src, k, k32, theta, links}
}

// pairNode calls Eval for each pair.
func pairNode[T any](b *builder, k Kernel[T], p pair[T]) node {
	return blockNode{evalTile(b.plan, k, p), gradOfPair(k, p)}
}

func gradOfPair[T any](k Kernel[T], p pair[T]) pairwise {
	return pairwise{grad: func(i, j int, dtheta []float64) { pairGrad(k, p.x.At(i), p.y.At(j), dtheta) }, theta: p.theta}
}

// after drops the first n parameters.
func (p pair[T]) after(n int) pair[T] {
	p.theta = p.theta[min(n, len(p.theta)):]
	return p
}

// fixed forgets the parameters.
func (p pair[T]) fixed() pair[T] {
	p.theta, p.links = nil, nil
	return p
}

func (k SumOf[T]) lower(b *builder, p pair[T]) node { return sumNode{lowerAll(b, k.Terms, p)} }
func (k ProductOf[T]) lower(b *builder, p pair[T]) node {
	return productNode{lowerAll(b, k.Factors, p)}
}
func (k ConstantOf[T]) lower(_ *builder, p pair[T]) node {
	return constantNode{k.C, p.theta}
}
func (k ScaleOf[T]) lower(b *builder, p pair[T]) node {
	at := -1
	if len(p.theta) > 0 {
		at = p.theta[0]
	}
	return scaleNode{k.Factor, lower(b, k.Kernel, p.after(1)), at}
}
func (k PowerOf[T]) lower(b *builder, p pair[T]) node {
	return powerNode{lower(b, k.Kernel, p), k.Exponent}
}
func (k PowersOf[T]) lower(b *builder, p pair[T]) node {
	n := min(k.own(), len(p.theta))
	return polynomialNode{lower(b, k.Kernel, p.after(n)), k.Coef, p.theta[:n]}
}
func (k ExpOf[T]) lower(b *builder, p pair[T]) node { return expNode{lower(b, k.Kernel, p)} }

func (k MultiplyOf[T]) lower(b *builder, p pair[T]) node {
	l, r := perPoint(b, p, k.F)
	return weightNode{in: lower(b, k.Kernel, p), left: l, right: r}
}

func (k NormalizeOf[T]) lower(b *builder, p pair[T]) node {
	l, r := perPoint(b, p, func(x T) float64 { return inverseRoot(k.Kernel.Eval(x, x)) })
	return weightNode{lower(b, k.Kernel, p), l, r, newSelfSlopes(k.Kernel, p)}
}

func (k SubstituteOf[T]) lower(b *builder, p pair[T]) node {
	l, r := perPoint(b, p, func(x T) float64 { return k.Kernel.Eval(x, x) })
	n := min(len(Params[Vec](k.Outer)), len(p.theta))
	inner := p.after(n)
	s := substituteNode{in: lower(b, k.Kernel, inner), outer: k.Outer, left: l, right: r, same: p.same}
	if _, ok := k.Outer.(Differentiable); ok {
		s.self, s.theta = newSelfSlopes(k.Kernel, inner), p.theta[:n]
	} else {
		s.pairwise = gradOfPair[T](k, p)
	}
	return s
}

func (k PullbackOf[T, U]) lower(b *builder, p pair[T]) node {
	mapped := pair[U]{x: mapPoints(k.Map, p.x), same: p.same, key: b.opaqueKey(p.key), theta: p.theta}
	mapped.y = mapped.x
	if !p.same {
		mapped.y = mapPoints(k.Map, p.y)
	}
	return lower(b, k.Kernel, mapped)
}

// lower multiplies the points of y by A once, and takes inner products.
func (k QuadraticForm) lower(b *builder, p pair[Vec]) node {
	x, y, ok := b.matrices(p)
	if !ok {
		return pairNode[Vec](b, k, p)
	}
	src := b.source(b.opaqueKey(p.key), Inner, func() *source {
		ay := linalg.New[float64](y.Rows, y.Cols)
		for i := range y.Rows {
			k.InputGrad(ay.Row(i), y.Row(i), y.Row(i))
		}
		return &source{metric: Inner, x: x, y: ay}
	})
	return newProfileNode(src, Linear{}, nil, nil)
}

func lowerAll[T any](b *builder, ks []Kernel[T], p pair[T]) []node {
	nodes := make([]node, len(ks))
	for i, k := range ks {
		n := min(len(Params(k)), len(p.theta))
		part := p
		part.theta = p.theta[:n]
		nodes[i] = lower(b, k, part)
		p = p.after(n)
	}
	return nodes
}

// perPoint calls f once for each point.
func perPoint[T any](b *builder, p pair[T], f func(T) float64) (left, right []float64) {
	each := func(x data.Points[T]) []float64 {
		v := make([]float64, x.Len())
		for i := 0; i < len(v) && !b.plan.stopped(); i++ {
			v[i] = f(x.At(i))
		}
		return v
	}
	left = each(p.x)
	if p.same {
		return left, left
	}
	return left, each(p.y)
}

// evalTile is the meaning of every tile: a call of Eval for each pair. A value may take long, so the
// context is looked at before each.
func evalTile[T any](plan *plan, k Kernel[T], p pair[T]) func(linalg.Matrix[float64], int, int) {
	return func(dst linalg.Matrix[float64], i, j int) {
		for a := range dst.Rows {
			xa, row := p.x.At(i+a), dst.Row(a)
			for b := range row {
				if plan.stopped() {
					return
				}
				row[b] = k.Eval(xa, p.y.At(j+b))
			}
		}
	}
}

// blockTile asks a user's Blocker for the rectangle.
func blockTile[T any](k Blocker[T], p pair[T]) func(linalg.Matrix[float64], int, int) {
	return func(dst linalg.Matrix[float64], i, j int) {
		if dst.Rows > 0 && dst.Cols > 0 {
			k.Block(linalg.Dense(dst), run(p.x, i, dst.Rows), run(p.y, j, dst.Cols))
		}
	}
}

// run is n points from start; points that know their numbers still do.
func run[T any](p data.Points[T], start, n int) data.Points[T] {
	if numbered, ok := p.(*data.Numbered[T]); ok {
		return numbered.Run(start, start+n)
	}
	return window[T]{p, start, n}
}

// window is a run of points.
type window[T any] struct {
	p     data.Points[T]
	start int
	n     int
}

func (w window[T]) Len() int   { return w.n }
func (w window[T]) At(i int) T { return w.p.At(w.start + i) }
