package kernel

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// SparseOf is a kernel on vectors, used on sparse rows; OnSparse makes one.
type SparseOf struct {
	// Dense is the kernel on vectors that this one equals.
	Dense Kernel[Vec]
	// Dim is the number of columns, which sparse rows do not tell.
	Dim int
	// lifted is the same tree over sparse leaves.
	lifted Kernel[data.SparseVec]
}

// OnSparse is k on sparse rows, without expanding them: the algebra is walked, and
// each kind of kernel reads the stored entries only.
//
//	functions of a metric        sums over the columns that both rows have
//	ARD, On, Cosine, Periodic    a map of each row that takes 0 to 0 (Periodic: the point
//	                             (1, 0) of the circle is moved to the origin), then a metric
//	Monomials              powers of the stored entries
//	Gaussian, sigmoid basis, sines φ(x) - φ(0) is sparse; what φ(0) adds is known for each row
//	AdditiveChiSquare            from the χ² distance and the sum of each row
//	Sobolev, Sinc, RadialSobolev the columns that either row has, times f(0, 0) for the others
//	QuadraticForm, Mahalanobis   Ay and L⁻¹x are dense whatever x is, and so is the d×d matrix:
//	                             they are made once for each row, from its stored entries
//
// What is known by a Go function of a whole vector (a user's own kernel, Stationary, the f
// of Multiply, the map of Pullback) gets rows expanded to dim coordinates, a few at a time, in
// scratch memory that does not grow with the number of rows.
func OnSparse(k Kernel[Vec], dim int) (Kernel[data.SparseVec], error) {
	if err := Validate(k); err != nil {
		return nil, err
	}
	if least := leastDim(k); dim < least {
		return nil, fault.Errorf("kernel", "%d columns for a kernel on at least %d coordinates", dim, least)
	}
	return SparseOf{k, dim, lift(k, dim)}, nil
}

// Eval evaluates the kernel on two sparse rows.
func (k SparseOf) Eval(x, y data.SparseVec) float64 { return k.lifted.Eval(x, y) }

func (k SparseOf) lower(b *builder, p pair[data.SparseVec]) node { return lowerOf(b, k.lifted, p) }

func (k SparseOf) lowerGrad(b *builder, p pair[data.SparseVec]) gradNode {
	return lowerGradOf(b, k.lifted, p)
}

func (k SparseOf) pairGrad(x, y data.SparseVec, dtheta []float64) float64 {
	return pairGrad(OnSparseVectors(k.lifted), x, y, dtheta)
}

// leastDim is the number of coordinates that the parts of k index.
func leastDim(k Kernel[Vec]) int {
	dim := 0
	eachPart(OnVectors(k), func(part Kernel[any]) {
		if k, ok := bare(part).(interface{ leastDim() int }); ok {
			dim = max(dim, k.leastDim())
		}
	})
	return dim
}

// Name is that of the kernel.
func (k SparseOf) Name() string {
	if n, ok := k.Dense.(Named); ok {
		return n.Name()
	}
	return "sparse"
}

// Params are those of the kernel.
func (k SparseOf) Params() []Param { return Params(k.Dense) }

// With sets the parameters of the kernel.
func (k SparseOf) With(theta []float64) Kernel[data.SparseVec] {
	d := withOne(k.Dense, theta)
	return SparseOf{d, k.Dim, lift(d, k.Dim)}
}

// Validate asks the kernel.
func (k SparseOf) Validate() error { return validate(k.Dense) }

// CheckPoints refuses columns beyond Dim, and asks the kernel.
func (k SparseOf) CheckPoints(x data.Points[data.SparseVec]) error {
	for i := range x.Len() {
		if n := lengthOf(x.At(i)); n > k.Dim {
			return fault.Errorf("kernel", "sparse row %d has column %d, the kernel was made for %d columns", i, n-1, k.Dim)
		}
	}
	return checkPoints(OnSparseVectors(k.lifted), data.EraseSparse(x))
}

// Properties of a sparse kernel are those of the dense one.
func (k SparseOf) Properties() Properties { return PropertiesOf(k.Dense) }
