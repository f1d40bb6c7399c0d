package linalg

import "github.com/mercer-ml/mercer/internal/engine/simd"

// smallProduct says whether packing would cost more than it saves.
func smallProduct(part Triangle, m, n, k int) bool {
	return part == Full && m*n*k <= 8*8*8
}

// gemmVector is Gemm for a result of one row or one column, which is bound by
// reading the other factor once: a product of that with a vector.
func gemmVector[F Float](t int, ta, tb Op, alpha F, a, b Matrix[F], beta F, c Matrix[F]) {
	if c.Rows == 1 {
		x, free := line(ta == Trans, a)
		defer free()
		Gemv(t, !tb, alpha, b, x, beta, c.Row(0))
		return
	}
	x, free := line(tb == NoTrans, b)
	defer free()
	y, free := line(true, c)
	defer free()
	Gemv(t, ta, alpha, a, x, beta, y)
	for i, v := range y {
		c.Set(i, 0, v)
	}
}

// line gives the only column of m, or its only row, contiguous: m's own
// storage where it is, or a copy that free gives back.
func line[F Float](column bool, m Matrix[F]) (v []F, free func()) {
	if !column {
		return m.Row(0), func() {}
	}
	buf := borrow[F](m.Rows)
	v = (*buf)[:m.Rows]
	for i := range v {
		v[i] = m.At(i, 0)
	}
	return v, func() { giveBack(buf) }
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
