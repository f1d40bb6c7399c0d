package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// Precomputed is a kernel on the indices of objects, given by its matrix. Column j
// is training object j; row i is object i, where the first rows are the training
// objects in the same order and any rows after them are further objects, so that
// learners train on data.Indices(n) and predict at indices n, n+1, ….
type Precomputed struct {
	K *mat.Dense // N×n, N ≥ n
	// Self holds k(x, x) of the objects after the first n, for learners that
	// need it (the variance of a Gaussian process); nil when unknown.
	Self []float64
}

// PrecomputedTest puts a training matrix (n×n) and a block of further objects
// against the training objects (m×n) into one kernel: the new objects are the
// indices n, …, n+m-1.
func PrecomputedTest(train, test mat.Matrix) (Precomputed, error) {
	n, c := train.Dims()
	m, d := test.Dims()
	if n != c {
		return Precomputed{}, fault.Errorf("kernel", "precomputed: the training matrix is %d×%d, want it square", n, c)
	}
	if d != n {
		return Precomputed{}, fault.Errorf("kernel", "precomputed: the test block has %d columns for %d training objects", d,
			n)
	}
	k := mat.NewDense(n+m, n, nil)
	k.Slice(0, n, 0, n).(*mat.Dense).Copy(train)
	k.Slice(n, n+m, 0, n).(*mat.Dense).Copy(test)
	return Precomputed{K: k}, nil
}

// Name is "precomputed".
func (Precomputed) Name() string { return "precomputed" }

// Eval returns the stored value; a pair of new objects is unknown, NaN, unless
// it is one object with itself and Self is there.
func (k Precomputed) Eval(i, j int) float64 {
	_, n := k.K.Dims()
	switch {
	case j < n:
		return k.K.At(i, j)
	case i < n:
		return k.K.At(j, i)
	case i == j && i-n < len(k.Self):
		return k.Self[i-n]
	}
	return math.NaN()
}

// Block copies stored values.
func (k Precomputed) Block(dst *mat.Dense, x, y data.Points[int]) {
	raw, out := k.K.RawMatrix(), dst.RawMatrix()
	for a := range out.Rows {
		i, row := x.At(a), out.Data[a*out.Stride:a*out.Stride+out.Cols]
		for b := range row {
			if j := y.At(b); j < raw.Cols {
				row[b] = raw.Data[i*raw.Stride+j]
			} else {
				row[b] = k.Eval(i, j)
			}
		}
	}
}

// Validate refuses a matrix with fewer rows than columns, and one whose square
// part is not finite and symmetric.
func (k Precomputed) Validate() error {
	if k.K == nil || k.K.IsEmpty() {
		return fault.Errorf("kernel", "precomputed: no matrix")
	}
	r, n := k.K.Dims()
	if r < n {
		return fault.Errorf("kernel",
			"precomputed: the matrix is %d×%d; rows are the training objects and then others, so there are at least as "+
				"many as columns", r, n)
	}
	big := 0.0
	for i := range r {
		for j := range n {
			v := k.K.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.Errorf("kernel", "precomputed: entry (%d, %d) is %g", i, j, v)
			}
			big = max(big, math.Abs(v))
		}
	}
	for i := range n {
		for j := range i {
			if a, b := k.K.At(i, j), k.K.At(j, i); math.Abs(a-b) > 1e-8*big {
				return fault.Errorf("kernel", "precomputed: not symmetric: entry (%d, %d) is %g, entry (%d, %d) is %g", i, j, a, j,
					i, b)
			}
		}
	}
	return nil
}

// CheckPoints refuses indices outside the matrix.
func (k Precomputed) CheckPoints(x data.Points[int]) error {
	r, _ := k.K.Dims()
	for i := range x.Len() {
		if v := x.At(i); v < 0 || v >= r {
			return fault.Errorf("kernel", "precomputed: point %d is index %d, outside the %d rows of the matrix", i, v, r)
		}
	}
	return nil
}
