package linalg

import "github.com/mercer-ml/mercer/internal/simd"

// smallProduct says whether packing would cost more than it saves.
func smallProduct(part Triangle, ta, tb Op, m, n, k int) bool {
	return part == Full && (m == 1 || m*n*k <= 8*8*8)
}

// gemmSmall is Gemm one row of c at a time, without packing.
func gemmSmall[F Float](ta, tb Op, alpha F, a, b Matrix[F], beta F, c Matrix[F]) {
	k, _ := tb.dims(b.Rows, b.Cols)
	var column []F
	if ta == Trans {
		buf := borrow[F](k)
		defer giveBack(buf)
		column = (*buf)[:k]
	}
	for i := range c.Rows {
		x := column
		if ta == Trans {
			for p := range x {
				x[p] = a.At(p, i)
			}
		} else {
			x = a.Row(i)
		}
		if tb == Trans {
			gemvRows(alpha, b, x, beta, c.Row(i))
		} else {
			gemvColumns(alpha, b, x, beta, c.Row(i))
		}
	}
}

// gemvRows does y = alpha·a·x + beta·y by dot products with the rows of a.
func gemvRows[F Float](alpha F, a Matrix[F], x []F, beta F, y []F) {
	put := func(i int, s F) {
		if beta == 0 {
			y[i] = alpha * s
		} else {
			y[i] = beta*y[i] + alpha*s
		}
	}
	i := 0
	var out [4]F
	for ; i+4 <= a.Rows; i += 4 {
		simd.DotRows(a.Data[i*a.Stride:], a.Stride, x, &out)
		for r, s := range out {
			put(i+r, s)
		}
	}
	for ; i < a.Rows; i++ {
		put(i, simd.Dot(a.Row(i), x))
	}
}

// gemvColumns does y = alpha·aᵀ·x + beta·y by adding up the rows of a.
func gemvColumns[F Float](alpha F, a Matrix[F], x []F, beta F, y []F) {
	if beta == 0 {
		clear(y)
	} else if beta != 1 {
		simd.Scal(beta, y)
	}
	i := 0
	var w [4]F
	for ; i+4 <= a.Rows; i += 4 {
		for r := range w {
			w[r] = alpha * x[i+r]
		}
		simd.AxpyRows(&w, a.Data[i*a.Stride:], a.Stride, y)
	}
	for ; i < a.Rows; i++ {
		simd.Axpy(alpha*x[i], a.Row(i), y)
	}
}
