package linalg

import "fmt"

// Reduce overwrites the lower triangle of the symmetric matrix a with that of
// L⁻¹·a·L⁻ᵀ: the generalised problem a·x = λ·B·x with B = L·Lᵀ becomes an
// ordinary one in y = Lᵀ·x (get x back with SolveLT). The strict upper
// triangle of a is neither read nor written.
//
// Half the work of two full triangular solves, by the recursion of LAPACK's
// DSYGST on halves instead of blocks:
//
//	A₁₁ ← reduced,  A₂₁ ← A₂₁·L₁₁⁻ᵀ − ½·L₂₁·A₁₁,
//	A₂₂ ← A₂₂ − A₂₁·L₂₁ᵀ − L₂₁·A₂₁ᵀ,  A₂₁ ← L₂₂⁻¹·(A₂₁ − ½·L₂₁·A₁₁),  A₂₂ ← reduced.
func (c *CholeskyOf[F]) Reduce(t int, a Matrix[F]) {
	if a.Rows != c.L.Rows || a.Cols != c.L.Rows {
		panic(fmt.Sprintf("linalg: reduction of a %d×%d matrix by a factor of order %d", a.Rows, a.Cols, c.L.Rows))
	}
	instance[reduceBody[F]](reduce64, reduce32)(crew{threads: t}, a, c.L)
}

func reduceLower[F Float](w crew, a, l Matrix[F]) {
	n := a.Rows
	if w.stopped() {
		return
	}
	if n <= choleskyBase {
		full := a.Clone()
		mirrorLower(w, full)
		trsm(w.alone(), Left, Lower, NoTrans, NonUnit, 1, l, full)
		trsm(w.alone(), Right, Lower, Trans, NonUnit, 1, l, full)
		for i := range n {
			copy(a.Row(i)[:i+1], full.Row(i)[:i+1])
		}
		return
	}
	h := splitAt(n, choleskyBase)
	a11, a21, a22 := a.Slice(0, h, 0, h), a.Slice(h, n, 0, h), a.Slice(h, n, h, n)
	l11, l21, l22 := l.Slice(0, h, 0, h), l.Slice(h, n, 0, h), l.Slice(h, n, h, n)
	reduceLower(w, a11, l11)
	trsm(w, Right, Lower, Trans, NonUnit, 1, l11, a21)
	full := a11.Clone()
	mirrorLower(w, full)
	half := New[F](n-h, h)
	gemm(w, NoTrans, NoTrans, 0.5, l21, full, 0, half)
	subtract(a21, half)
	both, swapped := New[F](n-h, 2*h), New[F](n-h, 2*h)
	for i := range n - h {
		copy(both.Row(i), a21.Row(i))
		copy(both.Row(i)[h:], l21.Row(i))
		copy(swapped.Row(i), l21.Row(i))
		copy(swapped.Row(i)[h:], a21.Row(i))
	}
	gemmFunc(w, Lower, NoTrans, Trans, -1, both, swapped, 1, a22, nil)
	subtract(a21, half)
	trsm(w, Left, Lower, NoTrans, NonUnit, 1, l22, a21)
	reduceLower(w, a22, l22)
}

func subtract[F Float](a, b Matrix[F]) {
	for i := range a.Rows {
		ra, rb := a.Row(i), b.Row(i)
		for j := range ra {
			ra[j] -= rb[j]
		}
	}
}
