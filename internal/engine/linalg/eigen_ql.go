package linalg

import (
	"math"
	"slices"
)

const machineEpsilon = 0x1p-53 // half the distance from 1 to the next float64

// qlSweeps bounds the implicit QL steps spent on one eigenvalue.
const qlSweeps = 60

// qlPatience is the steps after which an off-diagonal counts as zero that is rounding beside the
// largest entry, though not beside its neighbours. Where they are far smaller than the end of their
// block, as those of smooth kernels are, each step brings that rounding back, and none ends it.
const qlPatience = 30

// qlNothing is the size below which numbers, of a matrix scaled to about 1,
// count as zero: rotations made of smaller ones would not be orthogonal.
const qlNothing = 1e-290

// implicitQL finds the eigenvalues of the symmetric tridiagonal matrix with
// diagonal d and off-diagonal e[:n−1] by QL steps with Wilkinson's shift (EISPACK
// TQL2; Bowdler, Martin, Reinsch & Wilkinson 1968). d is replaced by the
// eigenvalues in ascending order and e, of length n, destroyed. The matrix must be a
// part of one scaled to about 1. The rotations are applied to
// the rows of q when it has any: from the identity these become the
// eigenvectors. It returns −1, or the index that did not converge.
func implicitQL(w crew, d, e []float64, q Matrix[float64]) int {
	n := len(d)
	norm := 0.0
	for i := range d {
		norm = max(norm, math.Abs(d[i]))
		if i+1 < n {
			norm = max(norm, math.Abs(e[i]))
		}
	}
	// Off-diagonals far below the norm are noise also beside zeros of the diagonal.
	floor := max(machineEpsilon*0x1p-10*norm, qlNothing)
	for l := range n {
		if w.stopped() {
			return l
		}
		for sweep := 0; ; sweep++ {
			least := floor
			if sweep >= qlPatience {
				least = max(machineEpsilon*norm, qlNothing)
			}
			m := l
			for m < n-1 && math.Abs(e[m]) > max(machineEpsilon*(math.Abs(d[m])+math.Abs(d[m+1])), least) {
				m++
			}
			if m == l {
				break
			}
			if sweep == qlSweeps {
				return l
			}
			qlStep(d, e, q, l, m)
		}
	}
	sortPairs(d, q)
	return -1
}

// qlStep is one implicit QL step on the unreduced block l..m.
func qlStep(d, e []float64, q Matrix[float64], l, m int) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Sqrt(g*g+1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Sqrt(f*f + g*g)
		if r < 1e-140 { // the squares have lost digits
			r = math.Hypot(f, g)
		}
		e[i+1] = r
		if r < qlNothing {
			// The chase has met an eigenvalue early; the block splits here.
			d[i+1] -= p
			e[i+1], e[m] = 0, 0
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		if q.Rows > 0 {
			rotateVec(q.Row(i+1), q.Row(i), c, s)
		}
	}
	d[l] -= p
	e[l] = g
	e[m] = 0
}

// sortPairs orders d ascending and moves the rows of q along.
func sortPairs(d []float64, q Matrix[float64]) {
	if q.Rows == 0 {
		slices.Sort(d)
		return
	}
	for i := range d {
		k := i
		for j := i + 1; j < len(d); j++ {
			if d[j] < d[k] {
				k = j
			}
		}
		if k == i {
			continue
		}
		d[i], d[k] = d[k], d[i]
		a, b := q.Row(i), q.Row(k)
		for j := range a {
			a[j], b[j] = b[j], a[j]
		}
	}
}
