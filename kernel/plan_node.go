package kernel

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/linalg"
)

// node is one operation on tiles; evaluate says what each kind does.
type node any

type (
	// profileNode is κ of a metric.
	profileNode struct {
		src *source
		k   Profiled
		k32 Profiled32 // nil when k has no single-precision profile
	}
	// blockNode is any kernel that fills a rectangle by itself.
	blockNode struct {
		fill func(dst linalg.Matrix[float64], i, j int)
	}
	constantNode struct{ c float64 }
	sumNode      struct{ terms []node }
	productNode  struct{ factors []node }
	scaleNode    struct {
		c  float64
		in node
	}
	powerNode struct {
		in node
		p  int
	}
	polynomialNode struct {
		in   node
		coef []float64
	}
	expNode struct{ in node }
	// weightNode is left[i]·in·right[j].
	weightNode struct {
		in          node
		left, right []float64
	}
	// substituteNode is κ(left[i] - 2in + right[j]).
	substituteNode struct {
		in          node
		outer       Profiled
		left, right []float64
		same        bool
	}
)

func newProfileNode(src *source, k Profiled) node {
	k32, _ := k.(Profiled32)
	return profileNode{src, k, k32}
}

func (k SumOf[T]) lower(b *builder, p pair[T]) node { return sumNode{lowerAll(b, k.Terms, p)} }
func (k ProductOf[T]) lower(b *builder, p pair[T]) node {
	return productNode{lowerAll(b, k.Factors, p)}
}
func (k ConstantOf[T]) lower(*builder, pair[T]) node { return constantNode{k.C} }
func (k ScaleOf[T]) lower(b *builder, p pair[T]) node {
	return scaleNode{k.Factor, lower(b, k.Kernel, p)}
}
func (k PowerOf[T]) lower(b *builder, p pair[T]) node {
	return powerNode{lower(b, k.Kernel, p), k.Exponent}
}
func (k PolynomialOf[T]) lower(b *builder, p pair[T]) node {
	return polynomialNode{lower(b, k.Kernel, p), k.Coef}
}
func (k ExpOf[T]) lower(b *builder, p pair[T]) node { return expNode{lower(b, k.Kernel, p)} }

func (k MultiplyOf[T]) lower(b *builder, p pair[T]) node {
	l, r := perPoint(p, k.F)
	return weightNode{lower(b, k.Kernel, p), l, r}
}

func (k NormalizeOf[T]) lower(b *builder, p pair[T]) node {
	l, r := perPoint(p, func(x T) float64 { return inverseRoot(k.Kernel.Eval(x, x)) })
	return weightNode{lower(b, k.Kernel, p), l, r}
}

func (k SubstituteOf[T]) lower(b *builder, p pair[T]) node {
	l, r := perPoint(p, func(x T) float64 { return k.Kernel.Eval(x, x) })
	return substituteNode{lower(b, k.Kernel, p), k.Outer, l, r, p.same}
}

func (k PullbackOf[T, U]) lower(b *builder, p pair[T]) node {
	mapped := pair[U]{x: mapPoints(k.Map, p.x), same: p.same, key: b.opaqueKey(p.key)}
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
		return blockNode{evalTile[Vec](k, p)}
	}
	src := b.source(b.opaqueKey(p.key), Inner, func() *source {
		ay := linalg.New[float64](y.Rows, y.Cols)
		for i := range y.Rows {
			k.InputGrad(ay.Row(i), y.Row(i), y.Row(i))
		}
		return &source{metric: Inner, x: x, y: ay}
	})
	return newProfileNode(src, Linear{})
}

// lower goes through the Fourier features while they are few.
func (k Theta) lower(b *builder, p pair[Vec]) node {
	if !k.wrapped() {
		if view, ok := b.view(fourierEmbedding(k.coef(), ""), p); ok {
			return lower[Vec](b, Linear{}, view)
		}
	}
	return blockNode{evalTile[Vec](k, p)}
}

func lowerAll[T any](b *builder, ks []Kernel[T], p pair[T]) []node {
	nodes := make([]node, len(ks))
	for i, k := range ks {
		nodes[i] = lower(b, k, p)
	}
	return nodes
}

// perPoint calls f once for each point.
func perPoint[T any](p pair[T], f func(T) float64) (left, right []float64) {
	each := func(x data.Points[T]) []float64 {
		v := make([]float64, x.Len())
		for i := range v {
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

// evalTile is the meaning of every tile: a call of Eval for each pair.
func evalTile[T any](k Kernel[T], p pair[T]) func(linalg.Matrix[float64], int, int) {
	return func(dst linalg.Matrix[float64], i, j int) {
		for a := range dst.Rows {
			xa, row := p.x.At(i+a), dst.Row(a)
			for b := range row {
				row[b] = k.Eval(xa, p.y.At(j+b))
			}
		}
	}
}

// blockTile asks a user's Blocker for the rectangle.
func blockTile[T any](k Blocker[T], p pair[T]) func(linalg.Matrix[float64], int, int) {
	return func(dst linalg.Matrix[float64], i, j int) {
		if dst.Rows > 0 && dst.Cols > 0 {
			k.Block(linalg.Dense(dst), window[T]{p.x, i, dst.Rows}, window[T]{p.y, j, dst.Cols})
		}
	}
}

// window is a run of points.
type window[T any] struct {
	p     data.Points[T]
	start int
	n     int
}

func (w window[T]) Len() int   { return w.n }
func (w window[T]) At(i int) T { return w.p.At(w.start + i) }
