package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// orthonormal returns p random orthonormal rows, orthogonal to the rows of q.
func (s *lanczos) orthonormal(q Matrix[float64], p int) Matrix[float64] {
	p = min(p, s.n-q.Rows)
	x := New[float64](p, s.n)
	for i := range x.Data {
		x.Data[i] = s.random.NormFloat64()
	}
	for range 2 {
		s.project(x, q)
	}
	return s.orthonormalised(x, q, math.Sqrt(float64(s.n)))
}

// orthonormalised replaces the rows of x, which are orthogonal to those of q
// but for rounding in numbers of the given size, by an orthonormal basis of
// what they span. Rows that are rounding alone are left out.
func (s *lanczos) orthonormalised(x, q Matrix[float64], size float64) Matrix[float64] {
	const noise = 1e-13
	for sweep := 0; ; sweep++ {
		kept := 0
		smallest := 1.0
		for i := range x.Rows {
			row := x.Row(i)
			for range 2 {
				for j := range kept {
					axpyVec(-dotVec(x.Row(j), row), x.Row(j), row)
				}
			}
			norm := math.Sqrt(dotVec(row, row))
			if !(norm > noise*size) {
				continue
			}
			smallest = min(smallest, norm/size)
			scaleVec(1/norm, row)
			copy(x.Row(kept), row)
			kept++
		}
		x = x.Slice(0, kept, 0, s.n)
		// Dividing by a small norm magnifies what rounding left of q in a row.
		if kept == 0 || q.Rows == 0 || smallest > 0.1 || sweep == 3 {
			return x
		}
		s.project(x, q)
		size = 1
	}
}

// project takes from the rows of x their components along those of q, and
// returns these.
func (s *lanczos) project(x, q Matrix[float64]) (components Matrix[float64]) {
	c := New[float64](x.Rows, q.Rows)
	if q.Rows == 0 || x.Rows == 0 {
		return c
	}
	if x.Rows > 16 {
		Gemm(s.o.Threads, NoTrans, Trans, 1, x, q, 0, c)
		Gemm(s.o.Threads, NoTrans, NoTrans, -1, c, q, 1, x)
		return c
	}
	// Packing q for so few rows would cost more than the product.
	project := func(i int) {
		row, coef := x.Row(i), c.Row(i)
		dotRows(coef, q.Data, q.Stride, row)
		scaleVec(-1, coef)
		axpyRows(coef, q.Data, q.Stride, row)
		scaleVec(-1, coef)
	}
	if s.matrix.Rows > 0 {
		s.team.each(x.Rows, project)
	} else {
		par.For(s.o.Threads, x.Rows, 1, func(i, _ int) { project(i) })
	}
	return c
}
