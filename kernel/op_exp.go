package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// ExpOf is exp(k(x, y)); Exp makes one.
type ExpOf[T any] struct {
	Kernel Kernel[T]
}

// Exp is the exponential of a kernel; exp(k/σ²) is Exp(Scale(1/σ², k)).
func Exp[T any](k Kernel[T]) Kernel[T] { return ExpOf[T]{k} }

// Eval returns exp(k(x, y)).
func (k ExpOf[T]) Eval(x, y T) float64 { return math.Exp(k.Kernel.Eval(x, y)) }

// exponential is a ExpOf of kernels on erased points, by which everything but its values is known.
type exponential ExpOf[any]

func (k ExpOf[T]) open() operator { return exponential{Erase(k.Kernel)} }

func (ExpOf[T]) shut(o operator) Kernel[T] {
	return ExpOf[T]{mustTyped[T](o.(exponential).Kernel)}
}

func (k exponential) whole() Kernel[any] { return ExpOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k ExpOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k ExpOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k ExpOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k ExpOf[T]) CheckPoints(x data.Points[T]) error {
	return checkTyped(k.Kernel, x)
}

// Properties are derived from those of the parts.
func (k ExpOf[T]) Properties() Properties { return k.open().properties() }

// params are those of the kernel.
func (k exponential) params() []Param { return Params(k.Kernel) }

// with sets the parameters of the kernel.
func (k exponential) with(theta []float64) operator { return exponential{withOne(k.Kernel, theta)} }

// validate asks the kernel.
func (k exponential) validate() error { return validate(k.Kernel) }

// properties of exp(k) = 1 + k + k²/2 + …: whatever a sum with k has. The
// exponential of c⟨x, y⟩ is strict and universal by itself.
func (k exponential) properties() Properties {
	in := PropertiesOf(k.Kernel)
	out := sum{[]Kernel[any]{ConstantOf[any]{1}, k.Kernel}}.properties()
	out.Bound = math.Exp(in.Bound)
	inner := k.Kernel
	if s, ok := operatorOfKind[scale](inner); ok && s.Factor > 0 {
		inner = s.Kernel
	}
	if _, ok := bare(inner).(Linear); ok {
		out.Strict, out.Universal = Yes, Yes
	}
	return out
}

func (k exponential) pairGrad(x, y any, dtheta []float64) float64 {
	v := pairGrad(k.Kernel, x, y, dtheta)
	e := [1]float64{v}
	expScale(e[:], 1)
	chained(dtheta, e[0])
	return e[0]
}

func (k exponential) parts() []Kernel[any]               { return []Kernel[any]{k.Kernel} }
func (exponential) of(parts []Kernel[any]) operator      { return exponential{parts[0]} }
func (exponential) pointwise() bool                      { return true }
func (k exponential) lower(b *builder, p pair[any]) node { return expNode{lower(b, k.Kernel, p)} }

func (k exponential) lowerGrad(b *builder, p pair[any]) gradNode {
	in := lowerGrad(b, k.Kernel, p)
	return expGrad{valued{expNode{in.values()}}, in}
}

func (k exponential) inputGrad(dst Vec, scale float64, x, y any) error {
	return addInputGrad(k.Kernel, dst, scale*math.Exp(k.Kernel.Eval(x, y)), x, y)
}

// spectral is that of 1 + k + k²/2 + ….
func (exponential) spectral(parts []Spectral) Spectral {
	return powerSeries(parts, exponentialCoef(parts[0].Mass()))
}

func (exponential) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return ExpOf[data.SparseVec]{parts[0]}
}

type expNode struct{ in node }

func (n expNode) tile64(dst linalg.Matrix[float64], w *work[float64]) {
	n.in.tile64(dst, w)
	eachRow(dst, func(_ int, row []float64) { expScale(row, 1) })
}
func (n expNode) tile32(dst linalg.Matrix[float32], w *work[float32]) {
	n.in.tile32(dst, w)
	eachRow(dst, func(_ int, row []float32) { expScale32(row, 1) })
}
func (n expNode) cut(c *cutter) node { return expNode{n.in.cut(c)} }

type expGrad struct {
	valued
	in gradNode
}

func (n expGrad) storable() bool { return n.in.storable() }

func (n expGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	g.chain(n.in, n.value, adj, func(v float64) float64 { return v })
}
