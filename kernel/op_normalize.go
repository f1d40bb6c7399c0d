package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// NormalizeOf is k(x, y)/√(k(x, x)k(y, y)); Normalize makes one.
type NormalizeOf[T any] struct {
	Kernel Kernel[T]
}

// Normalize makes k(x, x) = 1. Points with k(x, x) = 0 get the value 0 with all points.
func Normalize[T any](k Kernel[T]) Kernel[T] { return NormalizeOf[T]{k} }

// inverseRoot is 1/√v, and 0 at 0.
func inverseRoot(v float64) float64 {
	if v == 0 {
		return 0
	}
	return 1 / math.Sqrt(v)
}

// Eval returns k(x, y)/√(k(x, x)k(y, y)).
func (k NormalizeOf[T]) Eval(x, y T) float64 {
	return k.Kernel.Eval(x, y) * inverseRoot(k.Kernel.Eval(x, x)) * inverseRoot(k.Kernel.Eval(y, y))
}

// normalized is a NormalizeOf of kernels on erased points, by which everything but its values is
// known.
type normalized NormalizeOf[any]

func (k NormalizeOf[T]) open() operator { return normalized{Erase(k.Kernel)} }

func (NormalizeOf[T]) shut(o operator) Kernel[T] {
	return NormalizeOf[T]{mustTyped[T](o.(normalized).Kernel)}
}

func (k normalized) whole() Kernel[any] { return NormalizeOf[any](k) }

// Params, With, Validate, CheckPoints and Properties are those of the operator.
func (k NormalizeOf[T]) Params() []Param { return k.open().params() }

// With sets the values in the order of Params.
func (k NormalizeOf[T]) With(theta []float64) Kernel[T] { return k.shut(k.open().with(theta)) }

// Validate says whether the parameters make sense.
func (k NormalizeOf[T]) Validate() error { return k.open().validate() }

// CheckPoints says whether the kernel is defined on x.
func (k NormalizeOf[T]) CheckPoints(x data.Points[T]) error {
	return k.open().(normalized).checkPoints(data.Erase(x))
}

// Properties are derived from those of the parts.
func (k NormalizeOf[T]) Properties() Properties { return k.open().properties() }

// params are those of the kernel.
func (k normalized) params() []Param { return Params(k.Kernel) }

// with sets the parameters of the kernel.
func (k normalized) with(theta []float64) operator {
	return normalized{withOne(k.Kernel, theta)}
}

// validate asks the kernel.
func (k normalized) validate() error { return validate(k.Kernel) }

// checkPoints refuses points with k(x, x) < 0, which no kernel has.
func (k normalized) checkPoints(x data.Points[any]) error {
	if err := checkPoints(k.Kernel, x); err != nil || neverBelow(k.Kernel, x) {
		return err
	}
	for i := range x.Len() {
		p := x.At(i)
		if v := k.Kernel.Eval(p, p); !(v >= 0) {
			return fault.Errorf("kernel", "normalize: row %d has k(x, x) = %g, so there is nothing to divide by", i, v)
		}
	}
	return nil
}

// neverBelow says that k(x, x) is no less than 0 for what x is, whatever it is: that of strings, and
// of a kernel that counts features, is a sum of squares where the kernel is positive semi-definite,
// and takes as long as all else that is asked of few centres.
func neverBelow(k Kernel[any], x data.Points[any]) bool {
	if x.Len() == 0 {
		return true
	}
	switch x.At(0).(type) {
	case string:
	case Vec, data.SparseVec: // which may hold what is no number
		return false
	default:
		if doorFor(k).eachFeature() == nil {
			return false
		}
	}
	return PropertiesOf(k).PSD == Yes
}

// properties of the normalised kernel: universality stays (Steinwart 2001), k(x, x) is 1.
func (k normalized) properties() Properties {
	out := PropertiesOf(k.Kernel)
	out.Bound = 1
	if out.PSD == No {
		out.PSD = Unknown
	}
	if out.Strict != Yes { // k(x, x) may vanish somewhere
		out.Continuous, out.Smoothness, out.Analytic = Unknown, math.NaN(), Unknown
	}
	if out.Analytic == No && out.Stationary != Yes { // k(x, x) may take away what is not
		out.Analytic = Unknown
	}
	if out.Stationary != Yes {
		out.Stationary, out.Isotropic, out.Characteristic = Unknown, Unknown, Unknown
	}
	return out
}

// d[k/√(aᵢbⱼ)] = (dk - k(da/a + db/b)/2)/√(ab).
func (k normalized) pairGrad(x, y any, dtheta []float64) float64 {
	dx, dy := make([]float64, len(dtheta)), make([]float64, len(dtheta))
	v := pairGrad(k.Kernel, x, y, dtheta)
	a, b := pairGrad(k.Kernel, x, x, dx), pairGrad(k.Kernel, y, y, dy)
	w := inverseRoot(a) * inverseRoot(b)
	for p := range dtheta {
		if w == 0 {
			dtheta[p] = 0
			continue
		}
		dtheta[p] = w * (dtheta[p] - v*(dx[p]/a+dy[p]/b)/2)
	}
	return v * w
}

func (k normalized) parts() []Kernel[any]             { return []Kernel[any]{k.Kernel} }
func (normalized) of(parts []Kernel[any]) operator    { return normalized{parts[0]} }
func (normalized) pointwise() bool                    { return false }
func (normalized) spectral(parts []Spectral) Spectral { return reweighed(1, parts) }

func (k normalized) lower(b *builder, p pair[any]) node {
	in, l, r := lowerSelf(b, k.Kernel, p, inverseRoot)
	return weightNode{in, l, r}
}

func (k normalized) lowerGrad(b *builder, p pair[any]) gradNode {
	l, r := perPoint(b, p, selvesOf(k.Kernel, inverseRoot))
	in := lowerGrad(b, k.Kernel, p)
	return normalizeGrad{weightGrad{valued{weightNode{in.values(), l, r}}, in, l, r}, newSelfSlopes(k.Kernel, p)}
}

// inputGrad: k(x, x) changes with x too; its derivative is twice that by the first argument.
func (k normalized) inputGrad(dst Vec, scale float64, x, y any) error {
	a, b := k.Kernel.Eval(x, x), k.Kernel.Eval(y, y)
	w := inverseRoot(a) * inverseRoot(b)
	if w == 0 {
		return nil
	}
	if err := addInputGrad(k.Kernel, dst, scale*w, x, y); err != nil {
		return err
	}
	return addInputGrad(k.Kernel, dst, -scale*w*k.Kernel.Eval(x, y)/a, x, x)
}

func (normalized) sparse(parts []Kernel[data.SparseVec], _ int) Kernel[data.SparseVec] {
	return NormalizeOf[data.SparseVec]{parts[0]}
}

// normalizeGrad is the backward pass of k(x, y)/√(k(x, x)k(y, y)):
// d[k/√(ab)] = dk/√(ab) - ½(k/√(ab))(da/a + db/b), with the weights 1/√a and 1/√b at hand.
type normalizeGrad struct {
	weightGrad
	self *selfSlopes
}

func (n normalizeGrad) back(g *gradient, adj linalg.Matrix[float64]) {
	n.weightGrad.back(g, adj)
	t := push(g.w)
	evaluate(n.value, t, g.w)
	for a := range t.Rows {
		scaleBy(t.Row(a), -0.5)
	}
	g.backSelf(n.self, adj, t,
		func(i int) float64 { return n.left[i] * n.left[i] },
		func(j int) float64 { return n.right[j] * n.right[j] })
	pop(g.w)
}
