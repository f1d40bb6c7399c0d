package seq

import (
	"math"
	"sync"
)

type goursatScratch struct {
	bottom, left []float64 // powers on the edges
	low, side    []float64 // terms of a cell that come from its lower and from its left edge
	inverse      []float64
	used         []int // powers that count, of each lower edge
}

var goursatPool = sync.Pool{New: func() any { return new(goursatScratch) }}

// mostTerms bounds the power series; with it, increments that sum to 5000 along a row still have
// all their digits.
const mostTerms = 400

// goursatSeries is u(1, 1), cell by cell. In a cell u = Σ c_{pq} sᵖtᵠ with (p+1)(q+1)·c_{p+1,q+1} =
// ∇·c_{pq}; c_{p0} and c_{0q} are its values on the lower and the left edge, and Σ_q c_{pq}, Σ_p
// c_{pq} those on the upper and the right one. Most cells need far fewer powers than the one that
// needs most: those that are a tenth of a rounding error of the largest on their edge are left out.
func goursatSeries(nabla table) float64 {
	if len(nabla.v) == 0 {
		return 1
	}
	n := terms(nabla)
	s := goursatPool.Get().(*goursatScratch)
	defer goursatPool.Put(s)
	s.bottom = zeroed(s.bottom, nabla.cols*n) // of each cell of a row, as powers of its own coordinate
	s.left, s.low, s.side, s.inverse = zeroed(s.left, n), zeroed(s.low, n), zeroed(s.side, n), zeroed(s.inverse, n)
	for p := 1; p < n; p++ {
		s.inverse[p] = 1 / float64(p)
	}
	s.used = s.used[:0]
	for j := range nabla.cols {
		s.bottom[j*n] = 1
		s.used = append(s.used, 1)
	}
	const tol = 1e-17
	for i := range nabla.rows {
		clear(s.left)
		s.left[0] = 1
		used := 1
		for j, delta := range nabla.row(i) {
			bottom := s.bottom[j*n : (j+1)*n]
			levels := s.cell(bottom, s.used[j], used, delta, tol)
			s.used[j] = trim(bottom, s.used[j]+levels, tol)
			used = trim(s.left, used+levels, tol)
		}
	}
	sum := 0.0
	for _, v := range s.bottom[(nabla.cols-1)*n:] {
		sum += v
	}
	return sum
}

// cell replaces the powers on the lower edge of a cell and on the left one, of which so many are
// not zero, by those on the upper and the right one, and says how many more there are. Terms come
// along diagonals, c_{p+m,q+m} = c_{pq} ∇ᵐ p!q!/((p+m)!(q+m)!), from the lower edge (q = 0) and
// from the left one (p = 0) apart: as many levels m as ∇ᵐ/(m!)² is not below tol.
func (s *goursatScratch) cell(bottom []float64, lower, lefts int, delta, tol float64) int {
	n := len(bottom)
	low, side := s.low[:lower], s.side[:lefts]
	upper, right := 0.0, 0.0 // the first powers: Σ_q c_{0q} and Σ_p c_{p0}
	for p, v := range bottom[:lower] {
		low[p] = v
		right += v
	}
	for q, v := range s.left[:lefts] {
		side[q] = v
		upper += v
	}
	weight, m := 1.0, 1
	for ; m < n && weight > tol; m++ {
		f := delta * s.inverse[m]
		weight *= math.Abs(f) * s.inverse[m]
		s.left[m] += climb(low, bottom[m:], s.inverse[m:], f)
		if len(side) > 1 {
			bottom[m] += climb(side[1:], s.left[m:][min(1, n-m):], s.inverse[m:][min(1, n-m):], f)
		}
	}
	bottom[0], s.left[0] = upper, right
	return m - 1
}

// climb takes the terms of a diagonal one level up, adds them to their edge and returns their sum.
func climb(c, edge, inverse []float64, f float64) float64 {
	c = c[:min(len(c), len(edge))]
	edge, inverse = edge[:len(c)], inverse[:len(c)]
	even, odd := 0.0, 0.0
	for k, v := range c {
		v *= f * inverse[k]
		c[k] = v
		edge[k] += v
		even, odd = odd, even+v
	}
	return even + odd
}

// trim is how many powers are left without those at the end that do not count beside the largest,
// which become zero.
func trim(powers []float64, used int, tol float64) int {
	used = min(used, len(powers))
	top := 0.0
	for _, v := range powers[:used] {
		top = max(top, math.Abs(v))
	}
	for ; used > 1 && math.Abs(powers[used-1]) <= tol*top; used-- {
		powers[used-1] = 0
	}
	return used
}

// terms is how many powers a cell needs. The p-th coefficient on an edge is at most rᵖ/(p!)² times
// the largest value of u, r the largest sum of |∇| along a row or a column.
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
