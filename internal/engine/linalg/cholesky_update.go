package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Update replaces the factor of A by the factor of A + x·xᵀ in O(n²), by
// Givens rotations that fold x into L. x is overwritten.
//
// Rotation k makes (Lₖₖ, xₖ) into (hypot, 0). L is walked by rows: row i
// takes the i rotations made so far and then makes its own.
func (c *CholeskyOf[F]) Update(x []F) {
	c.mustFit(Matrix[F]{Rows: len(x)})
	n := len(x)
	cos, sin := make([]F, n), make([]F, n)
	for i := range n {
		row := c.L.Row(i)[:i+1]
		xi := x[i]
		for k, l := range row[:i] {
			row[k] = cos[k]*l + sin[k]*xi
			xi = cos[k]*xi - sin[k]*l
		}
		r := F(math.Hypot(float64(row[i]), float64(xi)))
		cos[i], sin[i] = row[i]/r, xi/r
		row[i] = r
		x[i] = 0
	}
}

// Downdate replaces the factor of A by the factor of A − x·xᵀ in O(n²). When
// that is not positive definite the error is a *NotPositiveDefinite naming
// the pivot of A − x·xᵀ that would not be positive, and the factor is left as
// it was. x is overwritten.
//
// With L·p = x, det(A−xxᵀ)/det A = 1 − ‖p‖², and the same holds of every
// leading minor; the rotations come from the last pivot to the first
// (Dongarra et al., LINPACK users' guide 1979, DCHDD), which is backward
// stable where hyperbolic rotations need not be.
func (c *CholeskyOf[F]) Downdate(x []F) error {
	c.mustFit(Matrix[F]{Rows: len(x)})
	n := len(x)
	left := 1.0
	for i := range n {
		row := c.L.Row(i)[:i+1]
		x[i] = (x[i] - simd.Dot(row[:i], x[:i])) / row[i]
		p := float64(x[i])
		next := left - p*p
		if !(next > 0) {
			d := float64(row[i])
			return &NotPositiveDefinite{Pivot: i, Value: d * d * next / left}
		}
		left = next
	}
	cos, sin := make([]F, n), make([]F, n)
	alpha := math.Sqrt(left)
	for k := n - 1; k >= 0; k-- {
		r := math.Hypot(alpha, float64(x[k]))
		cos[k], sin[k] = F(alpha/r), F(float64(x[k])/r)
		alpha = r
	}
	for i := range n {
		row := c.L.Row(i)[:i+1]
		var carry F
		for k := i; k >= 0; k-- {
			l := row[k]
			row[k] = cos[k]*l - sin[k]*carry
			carry = cos[k]*carry + sin[k]*l
		}
	}
	return nil
}
