package kernel

import "github.com/mercer-ml/mercer/data"

// operator is a kernel built from kernels on the same points, on erased points. All that the rest
// of the package wants to know of one is a method here, written in the file of the operator's type;
// nothing else names its type. Its text is an entry of the algebra's table in package spec.
//
// The public types of the algebra have a type of points, SumOf[T]; they only say their values and
// open to an operator, so that the rest is compiled once and not again for each type of points.
type operator interface {
	// params, with, validate and properties are what the public methods of the same names say.
	params() []Param
	with(theta []float64) operator
	validate() error
	properties() Properties
	// parts are the kernels it is built from, and of is the same operator on others, as many. A map
	// to another space has no parts: its kernel is on other points.
	parts() []Kernel[any]
	of(parts []Kernel[any]) operator
	// whole is the operator as a kernel.
	whole() Kernel[any]
	// pointwise says that the value at (x, y) is a function of the values of the parts at (x, y)
	// alone.
	pointwise() bool
	// lower is the operator on the tiles of its parts; lowerGrad is its backward pass.
	lower(b *builder, p pair[any]) node
	lowerGrad(b *builder, p pair[any]) gradNode
	// pairGrad returns the value at (x, y) and sets dtheta to its derivatives by the parameters.
	pairGrad(x, y any, dtheta []float64) float64
	// inputGrad adds scale·∂k(x, y)/∂x to dst, for points that are vectors.
	inputGrad(dst Vec, scale float64, x, y any) error
	// spectral is the spectral measure from those of the parts; nil where there is none.
	spectral(parts []Spectral) Spectral
	// sparse is the same operator on sparse rows of dim columns, for points that are vectors.
	sparse(parts []Kernel[data.SparseVec], dim int) Kernel[data.SparseVec]
}

// composite is a kernel of the algebra on points of type T.
type composite[T any] interface {
	Kernel[T]
	open() operator
	// shut is an operator of its own kind, whose parts are on points of type T, as such a kernel.
	shut(o operator) Kernel[T]
}

// Every operator of the algebra.
var (
	_ composite[Vec] = SumOf[Vec]{}
	_ composite[Vec] = ProductOf[Vec]{}
	_ composite[Vec] = ConstantOf[Vec]{}
	_ composite[Vec] = ScaleOf[Vec]{}
	_ composite[Vec] = PowerOf[Vec]{}
	_ composite[Vec] = PowersOf[Vec]{}
	_ composite[Vec] = ExpOf[Vec]{}
	_ composite[Vec] = MultiplyOf[Vec]{}
	_ composite[Vec] = NormalizeOf[Vec]{}
	_ composite[Vec] = SubstituteOf[Vec]{}
	_ composite[Vec] = TanimotoOf[Vec]{}
	_ composite[Vec] = NetworkOf[Vec]{}
	_ composite[Vec] = PullbackOf[Vec, string]{}
)

// operatorOf is a kernel of the algebra, on points of any type or erased, as an operator.
func operatorOf(k any) (operator, bool) {
	if o, ok := bare(k).(interface{ open() operator }); ok {
		return o.open(), true
	}
	return nil, false
}

// operatorOfKind is operatorOf one kind.
func operatorOfKind[O operator](k any) (O, bool) {
	o, _ := operatorOf(k)
	own, ok := o.(O)
	return own, ok
}

// Parts returns the kernels k is directly built from, none for a kernel that is not
// of the algebra. Maps to another space end the walk: their kernels are on other points.
func Parts[T any](k Kernel[T]) []Kernel[T] {
	if o, ok := operatorOf(k); ok {
		return typedAll[T](o.parts())
	}
	return nil
}

// Rebuild is k with f of each of its parts in place of the part; a kernel that is not of the
// algebra comes back as it is. To change leaves anywhere in a tree, let f call Rebuild.
func Rebuild[T any](k Kernel[T], f func(part Kernel[T]) Kernel[T]) Kernel[T] {
	return mustTyped[T](rebuilt(Erase(k), func(part Kernel[any]) Kernel[any] { return Erase(f(mustTyped[T](part))) }))
}

func rebuilt(k Kernel[any], f func(part Kernel[any]) Kernel[any]) Kernel[any] {
	o, ok := operatorOf(k)
	if !ok || len(o.parts()) == 0 {
		return k
	}
	parts := make([]Kernel[any], len(o.parts()))
	for i, p := range o.parts() {
		parts[i] = f(p)
	}
	changed := o.of(parts)
	if e, ok := k.(erased); ok {
		if same, ok := e.shut(changed); ok {
			return same
		}
	}
	return changed.whole()
}

// eachPart calls f on k and all it is built from.
func eachPart(k Kernel[any], f func(Kernel[any])) {
	f(k)
	if o, ok := operatorOf(k); ok {
		for _, p := range o.parts() {
			eachPart(p, f)
		}
	}
}
