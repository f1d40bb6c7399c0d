package linalg

import "github.com/mercer-ml/mercer/internal/par"

const trsmBase = 32

// trsm overwrites b with op(a)⁻¹·b (left) or b·op(a)⁻¹, a triangular.
func trsm[F Float](t Threads, left, lower bool, trans Op, unit bool, a, b Matrix[F]) {
	n := a.Rows
	if n == 0 || b.Rows == 0 || b.Cols == 0 {
		return
	}
	opLower := lower != bool(trans)
	forward := opLower == left
	if n <= trsmBase {
		if left {
			par.For(t, b.Cols, 256, func(lo, hi int) {
				trsmLeftBase(opLower, trans, unit, a, b.Slice(0, n, lo, hi))
			})
		} else {
			par.For(t, b.Rows, 64, func(lo, hi int) {
				trsmRightBase(forward, trans, unit, a, b.Slice(lo, hi, 0, n))
			})
		}
		return
	}
	h := n / 2
	a1, a2 := a.Slice(0, h, 0, h), a.Slice(h, n, h, n)
	off := a.Slice(0, h, h, n)
	if lower {
		off = a.Slice(h, n, 0, h)
	}
	var b1, b2 Matrix[F]
	if left {
		b1, b2 = b.Slice(0, h, 0, b.Cols), b.Slice(h, n, 0, b.Cols)
	} else {
		b1, b2 = b.Slice(0, b.Rows, 0, h), b.Slice(0, b.Rows, h, n)
	}
	if !forward {
		a1, a2, b1, b2 = a2, a1, b2, b1
	}
	trsm(t, left, lower, trans, unit, a1, b1)
	if left {
		Gemm(t, trans, NoTrans, -1, off, b1, 1, b2)
	} else {
		Gemm(t, NoTrans, trans, -1, b1, off, 1, b2)
	}
	trsm(t, left, lower, trans, unit, a2, b2)
}

func opAt[F Float](a Matrix[F], trans Op, i, j int) F {
	if trans {
		return a.At(j, i)
	}
	return a.At(i, j)
}

func trsmLeftBase[F Float](forward bool, trans Op, unit bool, a, b Matrix[F]) {
	n := a.Rows
	for s := range n {
		i := s
		if !forward {
			i = n - 1 - s
		}
		bi := b.Row(i)
		for s2 := range s {
			k := s2
			if !forward {
				k = n - 1 - s2
			}
			axpyPlain(-opAt(a, trans, i, k), b.Row(k), bi)
		}
		if !unit {
			d := a.At(i, i)
			for j := range bi {
				bi[j] /= d
			}
		}
	}
}

func trsmRightBase[F Float](forward bool, trans Op, unit bool, a, b Matrix[F]) {
	n := a.Rows
	for r := range b.Rows {
		x := b.Row(r)
		for s := range n {
			j := s
			if !forward {
				j = n - 1 - s
			}
			sum := x[j]
			for s2 := range s {
				k := s2
				if !forward {
					k = n - 1 - s2
				}
				sum -= x[k] * opAt(a, trans, k, j)
			}
			if !unit {
				sum /= a.At(j, j)
			}
			x[j] = sum
		}
	}
}

// syrkLower sets the lower triangle of c to alpha·op(a)·op(a)ᵀ + beta·c.
func syrkLower[F Float](t Threads, trans Op, alpha F, a Matrix[F], beta F, c Matrix[F]) {
	n := c.Rows
	if n == 0 {
		return
	}
	rows := func(lo, hi int) Matrix[F] {
		if trans {
			return a.Slice(0, a.Rows, lo, hi)
		}
		return a.Slice(lo, hi, 0, a.Cols)
	}
	if n <= 64 {
		tmp := New[F](n, n)
		Gemm(1, trans, !trans, alpha, a, a, 0, tmp)
		for i := range n {
			for j := range i + 1 {
				if beta == 0 {
					c.Set(i, j, tmp.At(i, j))
				} else {
					c.Set(i, j, beta*c.At(i, j)+tmp.At(i, j))
				}
			}
		}
		return
	}
	h := n / 2
	syrkLower(t, trans, alpha, rows(0, h), beta, c.Slice(0, h, 0, h))
	Gemm(t, trans, !trans, alpha, rows(h, n), rows(0, h), beta, c.Slice(h, n, 0, h))
	syrkLower(t, trans, alpha, rows(h, n), beta, c.Slice(h, n, h, n))
}

// gemmLower sets the lower triangle of c to c + alpha·a·bᵀ, known to be
// symmetric.
func gemmLower[F Float](t Threads, alpha F, a, b, c Matrix[F]) {
	n := c.Rows
	if n == 0 {
		return
	}
	if n <= 64 {
		tmp := New[F](n, n)
		Gemm(1, NoTrans, Trans, alpha, a, b, 0, tmp)
		for i := range n {
			for j := range i + 1 {
				c.Data[i*c.Stride+j] += tmp.At(i, j)
			}
		}
		return
	}
	h := n / 2
	gemmLower(t, alpha, a.Slice(0, h, 0, a.Cols), b.Slice(0, h, 0, b.Cols), c.Slice(0, h, 0, h))
	Gemm(t, NoTrans, Trans, alpha, a.Slice(h, n, 0, a.Cols), b.Slice(0, h, 0, b.Cols), 1, c.Slice(h, n, 0, h))
	gemmLower(t, alpha, a.Slice(h, n, 0, a.Cols), b.Slice(h, n, 0, b.Cols), c.Slice(h, n, h, n))
}

func axpyPlain[F Float](alpha F, x, y []F) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}

func dotPlain[F Float](x, y []F) F {
	y = y[:len(x)]
	var s F
	for i, v := range x {
		s += v * y[i]
	}
	return s
}
