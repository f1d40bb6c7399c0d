package linalg

// trmmBlock is the size of the diagonal blocks multiplied through a square
// copy; everything else is GEMM.
const trmmBlock = 128

// Trmm overwrites b with alpha·op(a)·b (Left) or alpha·b·op(a) (Right), where
// a is triangular: Lower or Upper, the other triangle is not read.
func Trmm[F Float](t int, s Side, u Triangle, ta Op, d Diag, alpha F, a, b Matrix[F]) {
	checkTriangular(s, u, a, b)
	if b.Rows == 0 || b.Cols == 0 {
		return
	}
	if alpha == 0 {
		scale(Full, 0, b)
		return
	}
	instance[trmmBody[F]](trmm64, trmm32)(t, s, u, ta, d, alpha, a, b)
}

// trmm halves the triangle, T = [T₁₁ 0; T₂₁ T₂₂] or [T₁₁ T₁₂; 0 T₂₂], so that
// most of the work is in large products; the half of b that feeds the other
// is overwritten last.
func trmm[F Float](t int, s Side, u Triangle, ta Op, d Diag, alpha F, a, b Matrix[F]) {
	n := a.Rows
	if n <= trmmBlock {
		trmmSquare(t, s, u, ta, d, alpha, a, b)
		return
	}
	mid := roundUp(n/2, trmmBlock)
	if mid >= n {
		mid = trmmBlock
	}
	first := func(x Matrix[F]) Matrix[F] { return x.Slice(0, mid, 0, x.Cols) }
	second := func(x Matrix[F]) Matrix[F] { return x.Slice(mid, n, 0, x.Cols) }
	if s == Right {
		first = func(x Matrix[F]) Matrix[F] { return x.Slice(0, x.Rows, 0, mid) }
		second = func(x Matrix[F]) Matrix[F] { return x.Slice(0, x.Rows, mid, n) }
	}
	a11, a22 := a.Slice(0, mid, 0, mid), a.Slice(mid, n, mid, n)
	lower := (u == Lower) == (ta == NoTrans) // of T = op(a)
	if lower == (s == Left) {
		// b₂ = T₂₂·b₂ + T₂₁·b₁, or b₂ = b₂·T₂₂ + b₁·T₁₂.
		trmm(t, s, u, ta, d, alpha, a22, second(b))
		if s == Left {
			Gemm(t, ta, NoTrans, alpha, blockOf(ta, a, mid, n, 0, mid), first(b), 1, second(b))
		} else {
			Gemm(t, NoTrans, ta, alpha, first(b), blockOf(ta, a, 0, mid, mid, n), 1, second(b))
		}
		trmm(t, s, u, ta, d, alpha, a11, first(b))
		return
	}
	trmm(t, s, u, ta, d, alpha, a11, first(b))
	if s == Left {
		Gemm(t, ta, NoTrans, alpha, blockOf(ta, a, 0, mid, mid, n), second(b), 1, first(b))
	} else {
		Gemm(t, NoTrans, ta, alpha, second(b), blockOf(ta, a, mid, n, 0, mid), 1, first(b))
	}
	trmm(t, s, u, ta, d, alpha, a22, second(b))
}

// trmmSquare multiplies by a small triangle written out as a square.
func trmmSquare[F Float](t int, s Side, u Triangle, ta Op, d Diag, alpha F, a, b Matrix[F]) {
	n := a.Rows
	buf := borrow[F](n*n + b.Rows*b.Cols)
	defer giveBack(buf)
	square := Matrix[F]{Rows: n, Cols: n, Stride: n, Data: (*buf)[:n*n]}
	old := Matrix[F]{Rows: b.Rows, Cols: b.Cols, Stride: b.Cols, Data: (*buf)[n*n:][:b.Rows*b.Cols]}
	squareOf(u, d, a, square)
	old.CopyFrom(b)
	if s == Left {
		Gemm(t, ta, NoTrans, alpha, square, old, 0, b)
	} else {
		Gemm(t, NoTrans, ta, alpha, old, square, 0, b)
	}
}

// blockOf views the storage of rows [i0, i1), columns [j0, j1) of op(a).
func blockOf[F Float](ta Op, a Matrix[F], i0, i1, j0, j1 int) Matrix[F] {
	if ta == Trans {
		return a.Slice(j0, j1, i0, i1)
	}
	return a.Slice(i0, i1, j0, j1)
}

// squareOf writes out a triangular matrix with its zeros, and its ones.
func squareOf[F Float](u Triangle, d Diag, a, dst Matrix[F]) {
	for i := range a.Rows {
		lo, hi := u.columns(i, 0, a.Cols)
		row := dst.Row(i)
		clear(row)
		copy(row[lo:hi], a.Row(i)[lo:hi])
		if d == Unit {
			row[i] = 1
		}
	}
}
