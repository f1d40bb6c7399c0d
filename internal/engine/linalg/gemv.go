package linalg

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// gemvPiece is the number of elements of a matrix one piece of work goes
// through; a vector product is bound by memory, so that it is large.
const gemvPiece = 1 << 16

// Gemv sets y = alpha·op(a)·x + beta·y. With beta = 0, y need not be initialised. y shares no
// memory with a or x.
func Gemv[F Float](t int, ta Op, alpha F, a Matrix[F], x []F, beta F, y []F) {
	instance[gemvBody[F]](gemv64, gemv32)(t, ta, alpha, a, x, beta, y)
}

func gemvOf[F Float](t int, ta Op, alpha F, a Matrix[F], x []F, beta F, y []F) {
	m, n := ta.dims(a.Rows, a.Cols)
	if len(y) != m || len(x) != n {
		panic(fmt.Sprintf("linalg: %d×%d matrix times %d elements into %d", m, n, len(x), len(y)))
	}
	check(a)
	if m == 0 {
		return
	}
	if n == 0 || alpha == 0 {
		scale(Full, beta, Matrix[F]{Rows: 1, Cols: m, Stride: m, Data: y})
		return
	}
	if ta == NoTrans {
		rows := roundUp(max(gemvPiece/a.Cols, 1), 4)
		par.For(t, m, rows, func(lo, hi int) {
			gemvRows(alpha, a.Slice(lo, hi, 0, n), x, beta, y[lo:hi])
		})
		return
	}
	const narrow = 1024
	rows := max(gemvPiece/m, 4)
	if m >= narrow || a.Rows <= 2*rows {
		// Each piece owns some columns, wide enough to read whole pages.
		par.For(t, m, narrow/2, func(lo, hi int) {
			gemvColumns(alpha, a.Slice(0, a.Rows, lo, hi), x, beta, y[lo:hi])
		})
		return
	}
	// A tall, narrow matrix: each piece owns some rows, and the partial sums
	// are added in the order of the rows.
	pieces := (a.Rows + rows - 1) / rows
	partial := borrow[F](pieces * m)
	defer giveBack(partial)
	par.For(t, a.Rows, rows, func(lo, hi int) {
		gemvColumns(alpha, a.Slice(lo, hi, 0, m), x[lo:hi], 0, (*partial)[lo/rows*m:][:m])
	})
	scale(Full, beta, Matrix[F]{Rows: 1, Cols: m, Stride: m, Data: y})
	for p := range pieces {
		simd.Axpy(1, (*partial)[p*m:][:m], y)
	}
}
