package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Where a tile of inner products ⟨x, y⟩ of rows as given is there already, the
// squared distances of the same pairs are ‖x‖² + ‖y‖² - 2⟨x, y⟩ without a second
// matrix product. Nothing is lost: the inner products stay those of plain GEMM, digit
// for digit, and a distance at most τ·(‖x‖²+‖y‖²), now with norms from the
// origin, is recomputed from the rows as ever, so the relative error keeps the bound of
// Pairs at any offset. What an offset costs is time, for more pairs fall under that
// threshold. (The other way round, products from centred ones as
// ⟨x-m, y-m⟩ + ⟨m, x⟩ + ⟨m, y⟩ - ‖m‖², would save the distances and lose digits of
// the products, with no cheap way to mend those.)
//
// So distances come from products where, of samplePairs pairs spread over all, at
// most the share extraDirect is under the threshold from the origin and not
// under that from the mean. A direct sum costs several times what GEMM spends on a
// pair, so this stays well below the matrix product that is saved.
const (
	samplePairs = 2048
	extraDirect = 1.0 / 64
)

// DistancesFromProducts says whether squared distances between rows of x and of
// y cost about as little from inner products of the rows as given as from those
// of centred rows, and no entry calls for scaling in either precision.
func DistancesFromProducts(x, y Matrix[float64]) bool {
	if !OrdinaryRange(x) || !OrdinaryRange(y) {
		return false
	}
	mean := meanRow(x, y)
	tau := closeness[float64](x.Cols)
	pairs := min(samplePairs, x.Rows*y.Rows)
	extra := 0
	for k := range pairs {
		i, j := k/max(y.Rows, 1), k%max(y.Rows, 1)
		if pairs < x.Rows*y.Rows { // rows of x in order, those of y by a Weyl sequence
			_, turn := math.Modf(float64(k) * (math.Phi - 1))
			i, j = k*x.Rows/pairs, int(turn*float64(y.Rows))
		}
		distance, origin, centred := 0.0, 0.0, 0.0
		b := y.Row(j)
		for c, u := range x.Row(i) {
			v, m := b[c], mean[c]
			distance += (u - v) * (u - v)
			origin += u*u + v*v
			centred += (u-m)*(u-m) + (v-m)*(v-m)
		}
		if distance <= tau*origin && distance > tau*centred {
			extra++
		}
	}
	return float64(extra) <= extraDirect*float64(pairs)
}

// OrdinaryRange says that no entry of x calls for scaling in either precision.
func OrdinaryRange(x Matrix[float64]) bool {
	return powerOfTwoFor[float32](x, x) == 1 && powerOfTwoFor[float64](x, x) == 1
}

// NewUncentredDistances is NewPairs of SquaredDistance without the shift by the mean, for
// tiles filled by TileFromProducts; x and y must
// satisfy DistancesFromProducts, or the direct sums cost more than they save.
func NewUncentredDistances[F Float](x, y Matrix[float64]) *Pairs[F] {
	return instance[pairsBody[F]](uncentred64, uncentred32)(SquaredDistance, x, y)
}

func prepareUncentred[F Float](x, y Matrix[float64]) *Pairs[F] {
	p := NewPairs[F](InnerProduct, x, y)
	p.metric = SquaredDistance
	p.x64, p.y64 = x, y
	p.takeNorms()
	return p
}

// TileFromProducts sets dst to the squared distances of the pairs from (i, j)
// on, given their inner products, as Pairs of InnerProduct on the same rows makes
// them. p is from NewUncentredDistances, or gathered from it.
func (p *Pairs[F]) TileFromProducts(dst, products Matrix[F], i, j int) {
	instance[productsBody[F]](fromProducts64, fromProducts32)(p, dst, products, i, j)
}

func distancesFromProducts[F Float](p *Pairs[F], dst, products Matrix[F], i, j int) {
	for a := range dst.Rows {
		row := dst.Row(a)
		switch from := any(products.Row(a)).(type) {
		case []float64:
			simd.Affine64(any(row).([]float64), from, -2, 0)
		case []float32:
			simd.Affine32(any(row).([]float32), from, -2, 0)
		}
		p.finishDistances(row, i+a, j)
	}
}
