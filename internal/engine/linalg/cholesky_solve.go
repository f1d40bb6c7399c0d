package linalg

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Solve overwrites b, one right-hand side in each column, with A⁻¹·b.
func (c *CholeskyOf[F]) Solve(t int, b Matrix[F]) {
	c.SolveL(t, b)
	c.SolveLT(t, b)
}

// SolveL overwrites b with L⁻¹·b.
func (c *CholeskyOf[F]) SolveL(t int, b Matrix[F]) {
	c.mustFit(b)
	solveLower(crew{threads: t}, NonUnit, c.L, b)
}

// SolveLT overwrites b with L⁻ᵀ·b.
func (c *CholeskyOf[F]) SolveLT(t int, b Matrix[F]) {
	c.mustFit(b)
	solveLowerTransposed(crew{threads: t}, NonUnit, c.L, b)
}

func (c *CholeskyOf[F]) mustFit(b Matrix[F]) {
	if b.Rows != c.L.Rows {
		panic(fmt.Sprintf("linalg: right-hand side has %d rows, the factor is of order %d", b.Rows, c.L.Rows))
	}
}

// LogDet returns log det A = 2·Σ log Lᵢᵢ.
func (c *CholeskyOf[F]) LogDet() float64 {
	s := 0.0
	for i := range c.L.Rows {
		s += math.Log(float64(c.L.At(i, i)))
	}
	return 2 * s
}

// Inverse returns A⁻¹ with both triangles filled. To solve a system use
// Solve, which is cheaper and more accurate; this is for the few formulas
// that need the entries themselves (leave-one-out residuals, posterior
// variances, traces against every parameter's derivative).
//
// It is M = L⁻¹ followed by Mᵀ·M, 2n³/3 flops, both by recursion.
func (c *CholeskyOf[F]) Inverse(t int) Matrix[F] {
	return c.inverse(crew{threads: t})
}

func (c *CholeskyOf[F]) inverse(w crew) Matrix[F] {
	n := c.L.Rows
	m := New[F](n, n)
	for i := range n {
		copy(m.Row(i)[:i+1], c.L.Row(i)[:i+1])
	}
	instance[inPlaceBody[F]](invert64, invert32)(w, m)
	return m
}

// invertFactor overwrites the factor L in the lower triangle of m with all of (L·Lᵀ)⁻¹.
func invertFactor[F Float](w crew, m Matrix[F]) {
	invertLower(w, m)
	multiplyTransposedLower(w, m)
	mirrorLower(w, m)
}

// invertLower overwrites the lower triangular m with its inverse:
// [M₁ 0; M₂₁ M₂]⁻¹ = [M₁⁻¹ 0; −M₂⁻¹·M₂₁·M₁⁻¹ M₂⁻¹].
func invertLower[F Float](w crew, m Matrix[F]) {
	n := m.Rows
	if w.stopped() {
		return
	}
	if n <= choleskyBase {
		invertLowerRows(m)
		return
	}
	if n > tiledLeast && n <= tiledMost {
		invertLowerTiled(w, m)
		return
	}
	h := splitAt(n, choleskyBase)
	m1, m21, m2 := m.Slice(0, h, 0, h), m.Slice(h, n, 0, h), m.Slice(h, n, h, n)
	trsm(w, Right, Lower, NoTrans, NonUnit, 1, m1, m21)
	trsm(w, Left, Lower, NoTrans, NonUnit, 1, m2, m21)
	for i := range m21.Rows {
		row := m21.Row(i)
		for j := range row {
			row[j] = -row[j]
		}
	}
	invertLower(w, m1)
	invertLower(w, m2)
}

func invertLowerRows[F Float](m Matrix[F]) {
	for i := range m.Rows {
		ri := m.Row(i)
		d := 1 / ri[i]
		// Row i of the inverse is −d·(Σ_k L_ik·M_k) with the rows k < i
		// already inverted; column j only needs k ≥ j.
		for j := range i {
			var s F
			for k := j; k < i; k++ {
				s += ri[k] * m.At(k, j)
			}
			ri[j] = -d * s
		}
		ri[i] = d
	}
}

// multiplyTransposedLower overwrites the lower triangular m with the lower
// triangle of mᵀ·m.
func multiplyTransposedLower[F Float](w crew, m Matrix[F]) {
	n := m.Rows
	if w.stopped() {
		return
	}
	if n <= choleskyBase {
		for i := range n {
			for j := range i + 1 {
				var s F
				for k := i; k < n; k++ {
					s += m.At(k, i) * m.At(k, j)
				}
				m.Set(i, j, s) // (i, j) is not used by later (i', j') ≠ rows < k
			}
		}
		return
	}
	if n > tiledLeast && n <= tiledMost {
		multiplyTransposedTiled(w, m)
		return
	}
	h := splitAt(n, choleskyBase)
	m1, m21, m2 := m.Slice(0, h, 0, h), m.Slice(h, n, 0, h), m.Slice(h, n, h, n)
	multiplyTransposedLower(w, m1)
	syrk(w, Lower, Trans, 1, m21, 1, m1)
	timesLowerTransposed(w, m2, m21)
	multiplyTransposedLower(w, m2)
}

// timesLowerTransposed overwrites b with lᵀ·b, l lower triangular.
func timesLowerTransposed[F Float](w crew, l, b Matrix[F]) {
	n := l.Rows
	if n <= choleskyBase {
		for i := range n {
			bi := b.Row(i)
			d := l.At(i, i)
			for j := range bi {
				bi[j] *= d
			}
			for k := i + 1; k < n; k++ {
				simd.Axpy(l.At(k, i), b.Row(k), bi)
			}
		}
		return
	}
	h := splitAt(n, choleskyBase)
	b1, b2 := b.Slice(0, h, 0, b.Cols), b.Slice(h, n, 0, b.Cols)
	timesLowerTransposed(w, l.Slice(0, h, 0, h), b1)
	gemm(w, Trans, NoTrans, 1, l.Slice(h, n, 0, h), b2, 1, b1)
	timesLowerTransposed(w, l.Slice(h, n, h, n), b2)
}
