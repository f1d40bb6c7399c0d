package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// QuadraticForm is xᵀAy with A symmetric positive semi-definite.
type QuadraticForm struct {
	A *mat.SymDense
}

// Name is "quadratic".
func (QuadraticForm) Name() string { return "quadratic" }

// Eval returns xᵀAy.
func (k QuadraticForm) Eval(x, y Vec) float64 {
	s := 0.0
	for i, v := range x {
		for j, w := range y {
			s += v * k.A.At(i, j) * w
		}
	}
	return s
}

// InputGrad sets dst = Ay.
func (k QuadraticForm) InputGrad(dst, x, y Vec) {
	for i := range x {
		dst[i] = 0
		for j, w := range y {
			dst[i] += k.A.At(i, j) * w
		}
	}
}

// Validate refuses an A with a negative eigenvalue.
func (k QuadraticForm) Validate() error {
	if k.A == nil {
		return fault.Errorf("kernel", "quadratic: no matrix A")
	}
	var e mat.EigenSym
	if !e.Factorize(k.A, false) {
		return fault.Errorf("kernel", "quadratic: the eigenvalues of A did not converge")
	}
	v := e.Values(nil)
	if low, high := v[0], v[len(v)-1]; low < -1e-12*math.Max(1, high) {
		return fault.Errorf("kernel", "quadratic: A has the negative eigenvalue %g; it has to be positive semi-definite", low)
	}
	return nil
}

// CheckPoints refuses points of another dimension than A.
func (k QuadraticForm) CheckPoints(x data.Points[Vec]) error {
	return checkDim("quadratic", "rows of A", k.A.SymmetricDim(), x)
}

// Properties of the quadratic form.
func (QuadraticForm) Properties() Properties { return finiteFeatures(math.Inf(1)) }

func (k QuadraticForm) sparse(leaf sparseLeaf) Kernel[data.SparseVec] {
	return sparseQuadratic{leaf, k}
}

func (k QuadraticForm) leastDim() int { return k.A.SymmetricDim() }

// lower multiplies the points of y by A once, and takes inner products.
func (k QuadraticForm) lower(b *builder, p pair[Vec]) node {
	x, y, ok := b.matrices(p)
	if !ok {
		return pairNodeOf[Vec](b, k, p)
	}
	key := b.opaqueKey(p.key)
	src := b.source(key, Inner, func() *source {
		return &source{metric: Inner, x: x, y: ofColumns(b, "quadratic"+key,
			func() linalg.Matrix[float64] { return k.times(y) })}
	})
	return newProfileNode(src, Linear{})
}

// times is A·y for each row.
func (k QuadraticForm) times(y linalg.Matrix[float64]) linalg.Matrix[float64] {
	ay := linalg.New[float64](y.Rows, y.Cols)
	for i := range y.Rows {
		k.InputGrad(ay.Row(i), y.Row(i), y.Row(i))
	}
	return ay
}
