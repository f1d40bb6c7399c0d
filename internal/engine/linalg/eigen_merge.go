package linalg

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// rowKind says in which half of the columns the row of an eigenvector of the
// torn matrix can be non-zero.
type rowKind uint8

const (
	upperHalf rowKind = iota
	bothHalves
	lowerHalf
)

// mergeState is one rank-one update: block [lo, mid) and block [mid, hi)
// joined by the off-diagonal entry at mid−1.
type mergeState struct {
	c           *divideAndConquer
	crew        crew
	lo, mid, hi int
	rho         float64
	z           []float64 // for the rows of the block
	kind        []rowKind
	kept        []int // rows that take part in the update, by ascending d
	deflated    []int // rows that are already eigenvectors
}

// merge joins two solved blocks. With sel, only the pairs it selects are
// formed, and they are returned.
func (c *divideAndConquer) merge(w crew, lo, mid, hi int, sel *Selection) *selected {
	n := hi - lo
	m := &mergeState{c: c, crew: w, lo: lo, mid: mid, hi: hi, z: make([]float64, n), kind: make([]rowKind, n)}
	m.widen()
	m.updateVector()
	order := m.jointOrder()
	if !m.deflate(order) {
		return c.selectFrom(lo, hi, sel)
	}
	return m.update(sel)
}

// widen makes the rows of each half as long as those of both: what it has had no use for is zero.
func (m *mergeState) widen() {
	m.crew.each(m.hi-m.lo, 64, func(from, to int) {
		for i := from; i < to; i++ {
			if row := m.row(i); m.lo+i < m.mid {
				clear(row[m.mid-m.lo:])
			} else {
				clear(row[:m.mid-m.lo])
			}
		}
	})
}

// updateVector sets z to the rank-one vector in the basis of the two blocks,
// of norm 1, and rho to go with it. T = diag(T₁, T₂) + |e|·u·uᵀ with
// u = (0,…,0,1, sign e, 0,…,0).
func (m *mergeState) updateVector() {
	e := m.c.off[m.mid-1]
	m.rho = 2 * abs(e)
	for i := range m.z {
		row := m.c.q.Row(m.lo + i)
		if m.lo+i < m.mid {
			m.z[i] = row[m.mid-1] * math.Sqrt2 / 2
		} else {
			m.kind[i] = lowerHalf
			m.z[i] = math.Copysign(math.Sqrt2/2, e) * row[m.mid]
		}
	}
}

// jointOrder merges the ascending orders of the two blocks.
func (m *mergeState) jointOrder() []int {
	n, n1 := m.hi-m.lo, m.mid-m.lo
	d := m.c.d[m.lo:m.hi]
	first, second := m.c.order[m.lo:m.mid], m.c.order[m.mid:m.hi]
	order := make([]int, 0, n)
	for len(first) > 0 || len(second) > 0 {
		if len(second) == 0 || (len(first) > 0 && d[first[0]] <= d[n1+second[0]]) {
			order = append(order, first[0])
			first = first[1:]
		} else {
			order = append(order, n1+second[0])
			second = second[1:]
		}
	}
	return order
}

// deflate separates the rows that are eigenvectors of the joint matrix to
// working accuracy: those with a negligible component of z, and one of each
// pair whose eigenvalues are so close that a rotation makes one negligible.
// It returns false when nothing is left to update; the order is then final.
func (m *mergeState) deflate(order []int) bool {
	d, z := m.c.d[m.lo:m.hi], m.z
	dmax, zmax := 0.0, 0.0
	for i := range d {
		dmax = max(dmax, abs(d[i]))
		zmax = max(zmax, abs(z[i]))
	}
	tol := 8 * machineEpsilon * max(dmax, zmax)
	if m.rho*zmax <= tol {
		copy(m.c.order[m.lo:m.hi], order)
		return false
	}
	previous := -1
	for _, i := range order {
		if m.rho*abs(z[i]) <= tol {
			m.deflated = append(m.deflated, i)
			continue
		}
		if previous < 0 {
			previous = i
			continue
		}
		p := previous
		previous = i
		r := math.Hypot(z[i], z[p])
		c, s := z[i]/r, -z[p]/r
		if abs((d[i]-d[p])*c*s) > tol {
			m.kept = append(m.kept, p)
			continue
		}
		z[i], z[p] = r, 0
		if m.kind[i] != m.kind[p] {
			m.kind[i] = bothHalves
		}
		rotateVec(m.row(p), m.row(i), c, s)
		d[p], d[i] = d[p]*c*c+d[i]*s*s, d[p]*s*s+d[i]*c*c
		m.deflated = append(m.deflated, p)
	}
	if previous >= 0 {
		m.kept = append(m.kept, previous)
	}
	return true
}

func (m *mergeState) row(i int) []float64 { return m.c.q.Row(m.lo + i)[m.lo:m.hi] }

// update solves the secular equation of the kept rows and forms the vectors.
func (m *mergeState) update(sel *Selection) *selected {
	k, n := len(m.kept), m.hi-m.lo
	d := m.c.d[m.lo:m.hi]
	eq := &secular{d: make([]float64, k), z: make([]float64, k), rho: m.rho}
	for j, i := range m.kept {
		eq.d[j], eq.z[j] = d[i], m.z[i]
	}
	vec := Matrix[float64]{Rows: k, Cols: k, Stride: k, Data: m.c.secVec[m.lo*m.c.q.Rows:][:k*k]}
	values := make([]float64, k)
	m.solve(eq, values, vec)
	z := m.recomputeZ(eq, vec)
	if m.crew.stopped() {
		return nil // roots are missing
	}

	// The new numbering: rows 0..k−1 updated, then the deflated ones.
	all := append(slices.Clone(values), make([]float64, n-k)...)
	for j, i := range m.deflated {
		all[k+j] = d[i]
	}
	order := par.Indices(0, n)
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case all[a] < all[b]:
			return -1
		case all[a] > all[b]:
			return 1
		}
		return a - b
	})
	first, last := 0, n
	if sel != nil {
		first, last = sel.bounds(n, func(i int) float64 { return all[order[i]] })
	}
	// Only wanted roots get a row; they move up to close the gaps.
	wanted := make([]bool, n)
	for _, i := range order[first:last] {
		wanted[i] = true
	}
	place, next := make([]int, n), 0
	for i := range n {
		place[i] = -1
		if wanted[i] {
			place[i] = next
			next++
		}
	}
	m.formVectors(eq, z, vec, wanted, place)
	out := &selected{values: make([]float64, 0, last-first), rows: make([]int, 0, last-first)}
	for _, i := range order[first:last] {
		out.values = append(out.values, all[i])
		out.rows = append(out.rows, m.lo+place[i])
	}
	if sel == nil {
		copy(d, all)
		copy(m.c.order[m.lo:m.hi], order)
	}
	return out
}

// solve finds every root, and sets row j of vec to the accurate differences
// dᵢ − λⱼ.
func (m *mergeState) solve(eq *secular, values []float64, vec Matrix[float64]) {
	m.crew.each(len(eq.d), 16, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			origin, tau, ok := eq.root(j)
			if !ok {
				m.c.failed.Store(int64(m.lo + j))
			}
			base := eq.d[origin]
			values[j] = base + tau
			row := vec.Row(j)
			for i, d := range eq.d {
				row[i] = (d - base) - tau
			}
		}
	})
}

// recomputeZ returns the vector ẑ for which the computed roots are the exact
// eigenvalues of D + ρ·ẑ·ẑᵀ (Löwner's formula):
// ẑᵢ² ∝ Πⱼ (λⱼ − dᵢ) / Π₍ⱼ≠ᵢ₎ (dⱼ − dᵢ). Vectors made from it are orthogonal to
// working accuracy however close the roots are (Gu & Eisenstat 1994).
func (m *mergeState) recomputeZ(eq *secular, vec Matrix[float64]) []float64 {
	k := len(eq.d)
	z := make([]float64, k)
	m.crew.each(k, 64, func(lo, hi int) {
		part, dp := z[lo:hi], eq.d[lo:hi]
		for i := range part {
			part[i] = 1
		}
		for j := range k {
			row := vec.Row(j)[lo:hi]
			dj := eq.d[j]
			before := min(max(j-lo, 0), len(row))
			after := before
			if before < len(row) && lo <= j {
				part[before] *= -row[before]
				after++
			}
			simd.MulRatios(dj, dp[:before], row[:before], part[:before])
			simd.MulRatios(dj, dp[after:], row[after:], part[after:])
		}
		for i := range part {
			part[i] = math.Copysign(math.Sqrt(abs(part[i])), eq.z[lo+i])
		}
	})
	return z
}

// formVectors turns the wanted rows of vec into unit eigenvectors of
// D + ρ·ẑ·ẑᵀ and multiplies them into q.
func (m *mergeState) formVectors(eq *secular, z []float64, vec Matrix[float64], wanted []bool, place []int) {
	k, n1, n2 := len(m.kept), m.mid-m.lo, m.hi-m.mid
	// Columns are grouped by kind, so that each half of q sees one run of them.
	column := make([]int, 0, k)
	var count [3]int
	for kind := upperHalf; kind <= lowerHalf; kind++ {
		for j, i := range m.kept {
			if m.kind[i] == kind {
				column = append(column, j)
				count[kind]++
			}
		}
	}
	nUpper, nLower := count[upperHalf]+count[bothHalves], count[bothHalves]+count[lowerHalf]
	packed := m.c.packed[m.lo*m.c.q.Rows:]
	upper := Matrix[float64]{Rows: nUpper, Cols: n1, Stride: n1, Data: packed[:nUpper*n1]}
	lower := Matrix[float64]{Rows: nLower, Cols: n2, Stride: n2, Data: packed[nUpper*n1:][:nLower*n2]}
	saved := packed[nUpper*n1+nLower*n2:]
	n := n1 + n2
	m.crew.each(len(column), 32, func(from, to int) {
		for r := from; r < to; r++ {
			row := m.row(m.kept[column[r]])
			if r < nUpper {
				copy(upper.Row(r), row[:n1])
			}
			if r >= count[upperHalf] {
				copy(lower.Row(r-count[upperHalf]), row[n1:])
			}
		}
	})
	for j, i := range m.deflated {
		copy(saved[j*n:(j+1)*n], m.row(i))
	}
	updated := 0
	for _, w := range wanted[:k] {
		if w {
			updated++
		}
	}
	rows := make([]int, 0, updated)
	for j, w := range wanted[:k] {
		if w {
			rows = append(rows, j)
		}
	}
	m.crew.each(updated, 32, func(lo, hi int) {
		unit := make([]float64, k)
		for p := lo; p < hi; p++ {
			row := vec.Row(rows[p])
			sum := 0.0
			for r, j := range column {
				u := z[j] / row[j]
				unit[r] = u
				sum += u * u
			}
			scale := 1 / math.Sqrt(sum)
			for r, u := range unit {
				row[r] = u * scale
			}
		}
	})
	if updated < k { // close the gaps, in order
		for p, j := range rows {
			copy(vec.Row(p), vec.Row(j))
		}
	}
	q := m.c.q.Slice(m.lo, m.lo+updated, m.lo, m.hi)
	half := m.crew.share(2)
	m.crew.each(2, 1, func(i, _ int) {
		if i == 0 {
			multiplyOrClear(half, vec.Slice(0, updated, 0, nUpper), upper, q.Slice(0, updated, 0, n1))
		} else {
			multiplyOrClear(half, vec.Slice(0, updated, count[upperHalf], k), lower, q.Slice(0, updated, n1, n))
		}
	})
	for j := range m.deflated {
		if wanted[k+j] {
			copy(m.row(place[k+j]), saved[j*n:(j+1)*n])
		}
	}
}

// multiplyOrClear is c = a·b, also where the inner dimension is 0.
func multiplyOrClear(w crew, a, b, c Matrix[float64]) {
	if a.Cols > 0 {
		gemm(w, NoTrans, NoTrans, 1, a, b, 0, c)
		return
	}
	for i := range c.Rows {
		clear(c.Row(i))
	}
}
