package linalg

import "github.com/mercer-ml/mercer/internal/engine/par"

// nearRows is the part of ‖x‖² + ‖y‖² below which a squared distance found as
// ‖x‖² + ‖y‖² − 2⟨x,y⟩ is summed again from differences. The terms carry
// rounding of a few ε each, so above it the relative error stays under 1e-12.
const nearRows = 4e-3

// DistanceTile sets dst to the squared distances of the rows of A from i on
// and the rows of B from j on: never negative, exactly zero for equal rows,
// exact to a relative 1e-12 for near-duplicates too.
func (p *RowProducts) DistanceTile(dst Matrix[float64], i, j int) {
	distanceTile(p, dst, i, j)
}

// DistanceTile32 is DistanceTile rounded to float32.
func (p *RowProducts) DistanceTile32(dst Matrix[float32], i, j int) {
	distanceTile(p, dst, i, j)
}

func distanceTile[F Float](p *RowProducts, dst Matrix[F], i0, j0 int) {
	p.norms.Do(func() {
		p.normA = make([]float64, p.a.Rows)
		p.a.RowNormsSquared(p.normA)
		p.normB = p.normA
		if p.b != p.a {
			p.normB = make([]float64, p.b.Rows)
			p.b.RowNormsSquared(p.normB)
		}
	})
	// A float32 product would have lost the digits already: in float64 first.
	wide, ok := any(dst).(Matrix[float64])
	if !ok {
		wide = New[float64](dst.Rows, dst.Cols)
	}
	productTile(p, wide, i0, j0)
	for i := range dst.Rows {
		row := wide.Row(i)
		for j := range row {
			sum := p.normA[i0+i] + p.normB[j0+j]
			d := sum - 2*row[j]
			if !(d > nearRows*sum) {
				d = p.a.RowSquaredDistance(i0+i, p.b, j0+j)
			}
			dst.Data[i*dst.Stride+j] = F(d)
		}
	}
}

// SquaredDistanceRows sets dst to the squared distances between the rows of a
// and the rows of b; see DistanceTile.
func SquaredDistanceRows[F Float](t int, dst Matrix[F], a, b *CSR) {
	p := NewRowProducts(a, b)
	p.mustFill(dst.Rows, dst.Cols)
	par.For(t, dst.Rows, sparseGrain, func(lo, hi int) {
		distanceTile(p, dst.Slice(lo, hi, 0, dst.Cols), lo, 0)
	})
}

// SquaredDistanceRowsLower sets the lower triangle of dst to the squared
// distances among the rows of a. Entries above the diagonal are left alone.
func SquaredDistanceRowsLower[F Float](t int, dst Matrix[F], a *CSR) {
	p := NewRowProducts(a, a)
	p.mustFill(dst.Rows, dst.Cols)
	eachLowerPiece(t, dst, func(left, diagonal Matrix[F], lo int) {
		distanceTile(p, left, lo, 0)
		distanceTile(p, diagonal, lo, lo)
	})
}
