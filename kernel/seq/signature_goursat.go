package seq

import (
	"math"
	"sync"
)

type goursatScratch struct{ bottom, left, c, inverse []float64 }

var goursatPool = sync.Pool{New: func() any { return new(goursatScratch) }}

// mostTerms bounds the power series; with it, increments that sum to 5000 along a row still have all their digits.
const mostTerms = 400

// goursatSeries is u(1, 1), cell by cell. In a cell u = Σ c_{pq} sᵖtᵠ with (p+1)(q+1)·c_{p+1,q+1} = ∇·c_{pq}; c_{p0} and c_{0q} are
// its values on the lower and the left edge, and Σ_q c_{pq}, Σ_p c_{pq} those on the upper and the right one.
func goursatSeries(nabla table) float64 {
	if len(nabla.v) == 0 {
		return 1
	}
	n := terms(nabla)
	s := goursatPool.Get().(*goursatScratch)
	defer goursatPool.Put(s)
	s.bottom = zeroed(s.bottom, nabla.cols*n) // of each cell of a row, as powers of its own coordinate
	s.left, s.c, s.inverse = zeroed(s.left, n), zeroed(s.c, n), zeroed(s.inverse, n)
	for p := 1; p < n; p++ {
		s.inverse[p] = 1 / float64(p)
	}
	for j := range nabla.cols {
		s.bottom[j*n] = 1
	}
	for i := range nabla.rows {
		clear(s.left)
		s.left[0] = 1
		for j, delta := range nabla.row(i) {
			goursatCell(s.bottom[j*n:(j+1)*n], s.left, s.c, s.inverse, delta)
		}
	}
	sum := 0.0
	for _, v := range s.bottom[(nabla.cols-1)*n:] {
		sum += v
	}
	return sum
}

// goursatCell replaces the powers on the lower and left edges of a cell by those on the upper and right ones.
func goursatCell(bottom, left, c, inverse []float64, delta float64) {
	copy(c, bottom) // c_{p0}
	n := len(c)
	total := 0.0
	for _, v := range c {
		total += v
	}
	for q := 1; q < n; q++ {
		f := delta * inverse[q]
		sum := left[q]
		for p := n - 1; p > 0; p-- {
			c[p] = c[p-1] * f * inverse[p]
			bottom[p] += c[p]
			sum += c[p]
		}
		c[0] = left[q]
		bottom[0] += c[0]
		left[q] = sum
	}
	left[0] = total
}

// terms is how many powers a cell needs. The p-th coefficient on an edge is at most rᵖ/(p!)² times the largest value of u, r the largest sum
// of |∇| along a row or a column.
func terms(nabla table) int {
	r := 0.0
	down := make([]float64, nabla.cols)
	for i := range nabla.rows {
		sum := 0.0
		for j, v := range nabla.row(i) {
			sum += math.Abs(v)
			down[j] += math.Abs(v)
			r = max(r, down[j])
		}
		r = max(r, sum)
	}
	n, term := 2, r
	for term > 1e-19 && n < mostTerms {
		term *= r / float64(n*n)
		n++
	}
	return n
}

// goursatGrid is u(1, 1) by the scheme of second order.
func goursatGrid(nabla table, parts int) float64 {
	if len(nabla.v) == 0 {
		return 1
	}
	shrink := 1 / (float64(parts) * float64(parts))
	s := goursatPool.Get().(*goursatScratch)
	defer goursatPool.Put(s)
	s.bottom = zeroed(s.bottom, nabla.cols*parts+1)
	u := s.bottom // one row of the grid
	for j := range u {
		u[j] = 1
	}
	for i := range nabla.rows {
		row := nabla.row(i)
		for range parts {
			left, diagonal := 1.0, 1.0
			at := 1
			for _, v := range row {
				d := v * shrink
				a, b := 1+d/2+d*d/12, 1-d*d/12
				for range parts {
					up := u[at]
					left = (left+up)*a - diagonal*b
					diagonal = up
					u[at] = left
					at++
				}
			}
		}
	}
	return u[len(u)-1]
}
