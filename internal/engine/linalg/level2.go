package linalg

import (
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// streamRows is the number of rows of a matrix-vector product one piece of
// work reads: whole rows, one after the other, is what the prefetchers like.
const streamRows = 128

// addTransposedTimes does y += alpha·aᵀ·x. Every piece of rows has a sum of
// its own; they are added in order.
func addTransposedTimes[F Float](w crew, alpha F, a Matrix[F], x, y []F) {
	if a.Cols == 0 {
		return
	}
	pieces := (a.Rows + streamRows - 1) / streamRows
	if pieces <= 1 {
		transposedPiece(alpha, a, x, y)
		return
	}
	sums := New[F](pieces, a.Cols)
	w.each(a.Rows, streamRows, func(lo, hi int) {
		transposedPiece(alpha, a.Slice(lo, hi, 0, a.Cols), x[lo:hi], sums.Row(lo/streamRows))
	})
	for p := range pieces {
		simd.Axpy(1, sums.Row(p), y)
	}
}

func transposedPiece[F Float](alpha F, a Matrix[F], x, y []F) {
	i := 0
	for ; i+4 <= a.Rows; i += 4 {
		c := [4]F{alpha * x[i], alpha * x[i+1], alpha * x[i+2], alpha * x[i+3]}
		simd.AxpyRows(&c, a.Data[i*a.Stride:], a.Stride, y)
	}
	for ; i < a.Rows; i++ {
		simd.Axpy(alpha*x[i], a.Row(i), y)
	}
}

// addTimes does y += alpha·a·x.
func addTimes[F Float](w crew, alpha F, a Matrix[F], x, y []F) {
	if a.Cols == 0 {
		return
	}
	w.each(a.Rows, streamRows, func(lo, hi int) {
		i := lo
		var s [4]F
		for ; i+4 <= hi; i += 4 {
			simd.DotRows(a.Data[i*a.Stride:], a.Stride, x, &s)
			for r, v := range s {
				y[i+r] += alpha * v
			}
		}
		for ; i < hi; i++ {
			y[i] += alpha * simd.Dot(a.Row(i), x)
		}
	})
}

// vectorBlock is the order of the diagonal blocks of a triangular solve with
// a vector; what is left and right of them is a matrix-vector product.
const vectorBlock = 64

// fewSolves is the number of right-hand sides up to which a triangular solve
// is bounded by reading the triangle, and the vector form is the faster.
const fewSolves = 3

// solveLower overwrites b with l⁻¹·b.
func solveLower[F Float](w crew, d Diag, l, b Matrix[F]) {
	instance[solveBody[F]](solveLower64, solveLower32)(w, d, l, b)
}

func solveLowerOf[F Float](w crew, d Diag, l, b Matrix[F]) {
	if b.Cols > fewSolves || w.rowwise {
		trsm(w, Left, Lower, NoTrans, d, 1, l, b)
		return
	}
	eachColumn(b, func(x []F) {
		for lo := 0; lo < l.Rows; lo += vectorBlock {
			hi := min(lo+vectorBlock, l.Rows)
			addTimes(w, -1, l.Slice(lo, hi, 0, lo), x[:lo], x[lo:hi])
			for i := lo; i < hi; i++ {
				row := l.Row(i)
				x[i] -= simd.Dot(row[lo:i], x[lo:i])
				if d == NonUnit {
					x[i] /= row[i]
				}
			}
		}
	})
}

// solveLowerTransposed overwrites b with l⁻ᵀ·b.
func solveLowerTransposed[F Float](w crew, d Diag, l, b Matrix[F]) {
	instance[solveBody[F]](solveLowerTransposed64, solveLowerTransposed32)(w, d, l, b)
}

func solveLowerTransposedOf[F Float](w crew, d Diag, l, b Matrix[F]) {
	if b.Cols > fewSolves {
		trsm(w, Left, Lower, Trans, d, 1, l, b)
		return
	}
	eachColumn(b, func(x []F) {
		for hi := l.Rows; hi > 0; {
			lo := max(hi-vectorBlock, 0)
			for i := hi - 1; i >= lo; i-- {
				row := l.Row(i)
				if d == NonUnit {
					x[i] /= row[i]
				}
				simd.Axpy(-x[i], row[lo:i], x[lo:i])
			}
			addTransposedTimes(w, -1, l.Slice(lo, hi, 0, lo), x[lo:hi], x[:lo])
			hi = lo
		}
	})
}

// eachColumn calls f on a contiguous copy of every column of b and writes it
// back.
func eachColumn[F Float](b Matrix[F], f func(x []F)) {
	x := make([]F, b.Rows)
	for j := range b.Cols {
		for i := range x {
			x[i] = b.At(i, j)
		}
		f(x)
		for i, v := range x {
			b.Set(i, j, v)
		}
	}
}
