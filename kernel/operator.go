package kernel

import "github.com/mercer-ml/mercer/data"

// operator is a kernel built from kernels on the same points. All that the rest of the package wants to
// know of one is a method here, written in the file of the operator's type; nothing else names its type. Its text is
// an entry of the algebra's table in package spec.
type operator[T any] interface {
	Tunable[T]
	Validator
	PointChecker[T]
	Propertied
	// parts are the kernels it is built from, and of is the same operator on others, as many. A map to another
	// space has no parts: its kernel is on other points.
	parts() []Kernel[T]
	of(parts []Kernel[T]) Kernel[T]
	// pointwise says that the value at (x, y) is a function of the values of the parts at (x, y) alone.
	pointwise() bool
	// lower is the operator on the tiles of its parts; lowerGrad is its backward pass.
	lower(b *builder, p pair[T]) node
	lowerGrad(b *builder, p pair[T]) gradNode
	// pairGrad returns the value at (x, y) and sets dtheta to its derivatives by the parameters.
	pairGrad(x, y T, dtheta []float64) float64
	// inputGrad adds scale·∂k(x, y)/∂x to dst, for points that are vectors.
	inputGrad(dst Vec, scale float64, x, y T) error
	// spectral is the spectral measure from those of the parts; nil where there is none.
	spectral(parts []Spectral) Spectral
	// sparse is the same operator on sparse rows of dim columns, for points that are vectors.
	sparse(parts []Kernel[data.SparseVec], dim int) Kernel[data.SparseVec]
}

// Every operator of the algebra.
var (
	_ operator[Vec] = SumOf[Vec]{}
	_ operator[Vec] = ProductOf[Vec]{}
	_ operator[Vec] = ConstantOf[Vec]{}
	_ operator[Vec] = ScaleOf[Vec]{}
	_ operator[Vec] = PowerOf[Vec]{}
	_ operator[Vec] = PowersOf[Vec]{}
	_ operator[Vec] = ExpOf[Vec]{}
	_ operator[Vec] = MultiplyOf[Vec]{}
	_ operator[Vec] = NormalizeOf[Vec]{}
	_ operator[Vec] = SubstituteOf[Vec]{}
	_ operator[Vec] = TanimotoOf[Vec]{}
	_ operator[Vec] = PullbackOf[Vec, string]{}
)

// Parts returns the kernels k is directly built from, none for a kernel that is not
// of the algebra. Maps to another space end the walk: their kernels are on other points.
func Parts[T any](k Kernel[T]) []Kernel[T] {
	if o, ok := any(k).(operator[T]); ok {
		return o.parts()
	}
	return nil
}

// Rebuild is k with f of each of its parts in place of the part; a kernel that is not of the
// algebra comes back as it is. To change leaves anywhere in a tree, let f call Rebuild.
func Rebuild[T any](k Kernel[T], f func(part Kernel[T]) Kernel[T]) Kernel[T] {
	o, ok := any(k).(operator[T])
	if !ok || len(o.parts()) == 0 {
		return k
	}
	parts := make([]Kernel[T], len(o.parts()))
	for i, p := range o.parts() {
		parts[i] = f(p)
	}
	return o.of(parts)
}

// eachPart calls f on k and all it is built from.
func eachPart[T any](k Kernel[T], f func(Kernel[T])) {
	f(k)
	for _, p := range Parts(k) {
		eachPart(p, f)
	}
}
