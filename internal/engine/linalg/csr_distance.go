package linalg

import "github.com/mercer-ml/mercer/internal/engine/simd"

// nearRows is the part of ‖x‖² + ‖y‖² below which a squared distance found as
// ‖x‖² + ‖y‖² − 2⟨x,y⟩ is summed again from differences. The terms carry
// rounding of a few ε each, so above it the relative error stays under 1e-12.
const nearRows = 4e-3

// DistanceTile sets dst to the squared distances of the rows of A from i0 on
// and the rows of B from j0 on: never negative, exactly zero for equal rows,
// exact to a relative 1e-12 for near-duplicates too.
func (p *RowProducts) DistanceTile(dst Matrix[float64], i0, j0 int) {
	p.norms.Do(func() {
		p.normA = make([]float64, p.a.Rows)
		p.a.RowNormsSquared(p.normA)
		p.normB = p.normA
		if p.b != p.a {
			p.normB = make([]float64, p.b.Rows)
			p.b.RowNormsSquared(p.normB)
		}
	})
	productTile(p, -2, dst, i0, j0)
	for i := range dst.Rows {
		row, norm := dst.Row(i), p.normA[i0+i]
		for lo := 0; lo < len(row); lo += closeStretch {
			part := row[lo:min(lo+closeStretch, len(row))]
			norms := p.normB[j0+lo : j0+lo+len(part)]
			if !simd.AddNorms64(part, norms, norm, nearRows) {
				continue
			}
			for j, v := range part {
				if !(v > nearRows*(norm+norms[j])) {
					part[j] = p.a.RowSquaredDistance(i0+i, p.b, j0+lo+j)
				}
			}
		}
	}
}
