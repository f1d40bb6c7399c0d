package linalg

// trmmBlock is the size of the diagonal blocks multiplied through a square
// copy; everything else is GEMM.
const trmmBlock = 128

// Trmm overwrites b with alpha·op(a)·b (Left) or alpha·b·op(a) (Right), where
// a is triangular: Lower or Upper, the other triangle is not read.
func Trmm[F Float](t Threads, s Side, u Triangle, ta Op, d Diag, alpha F, a, b Matrix[F]) {
	checkTriangular(s, u, a, b)
	if b.Rows == 0 || b.Cols == 0 {
		return
	}
	if alpha == 0 {
		scale(Full, 0, b)
		return
	}
	// T·b with T lower triangular is taken from the last block row up, so that
	// what a row needs from others is still there; with T upper, from the first
	// down. b·T is the mirror image.
	n := a.Rows
	lower := (u == Lower) == (ta == NoTrans) // of T = op(a)
	up := lower == (s == Left)
	square := borrow[F](trmmBlock * trmmBlock)
	defer giveBack(square)
	old := borrow[F](trmmBlock * max(b.Rows, b.Cols))
	defer giveBack(old)
	for done := 0; done < n; {
		nb := min(trmmBlock, n-done)
		i0 := done
		if up {
			i0 = n - done - nb
		}
		i1 := i0 + nb
		diag := Matrix[F]{Rows: nb, Cols: nb, Stride: nb, Data: (*square)[:nb*nb]}
		squareOf(u, d, a.Slice(i0, i1, i0, i1), diag)
		// The rest of block row (column) i0 … i1 of T: before it or after it.
		lo, hi := i1, n
		if up {
			lo, hi = 0, i0
		}
		if s == Left {
			now := b.Slice(i0, i1, 0, b.Cols)
			was := Matrix[F]{Rows: nb, Cols: b.Cols, Stride: b.Cols, Data: (*old)[:nb*b.Cols]}
			was.CopyFrom(now)
			Gemm(t, ta, NoTrans, alpha, diag, was, 0, now)
			if lo < hi {
				Gemm(t, ta, NoTrans, alpha, blockOf(ta, a, i0, i1, lo, hi), b.Slice(lo, hi, 0, b.Cols), 1, now)
			}
		} else {
			now := b.Slice(0, b.Rows, i0, i1)
			was := Matrix[F]{Rows: b.Rows, Cols: nb, Stride: nb, Data: (*old)[:nb*b.Rows]}
			was.CopyFrom(now)
			Gemm(t, NoTrans, ta, alpha, was, diag, 0, now)
			if lo < hi {
				Gemm(t, NoTrans, ta, alpha, b.Slice(0, b.Rows, lo, hi), blockOf(ta, a, lo, hi, i0, i1), 1, now)
			}
		}
		done += nb
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
