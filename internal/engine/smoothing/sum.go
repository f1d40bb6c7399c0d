package smoothing

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Sum is q ↦ Σ wᵢ·shape((q - zᵢ)/λᵢ) over points zᵢ already divided by
// the bandwidth; it is what every estimator here evaluates.
type Sum struct {
	Kernel  Kernel
	product bool // product form; radial otherwise
	Tree    *Tree
	Weight  []float64 // by place; nil means 1
	inverse []float64 // 1/λ by place; nil means 1
	Total   float64   // Σ wᵢ
	mass    []float64 // Σ wᵢ of each node
	narrow  []float64 // least λ of each node, nil like inverse
	wide    []float64 // greatest λ of each node
	fused   *gaussColumns
}

// Leaf is the number of points of a leaf: long enough for the vector
// routines, short enough to skip most of what is far away.
const Leaf = 64

// NewSum prepares the sum over the rows of z; weights and scales (λ) go
// by row, and may be nil.
func NewSum(s Kernel, product bool, z linalg.Matrix[float64], weights, scales []float64) *Sum {
	k := &Sum{Kernel: s, product: product && s != Gaussian && z.Cols > 1, Tree: NewTree(z, Leaf)}
	byPlace := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		o := make([]float64, len(v))
		for p, i := range k.Tree.Index {
			o[p] = v[i]
		}
		return o
	}
	k.Weight = byPlace(weights)
	if scales != nil {
		k.inverse = byPlace(scales)
		for p, v := range k.inverse {
			k.inverse[p] = 1 / v
		}
	}
	for _, n := range k.Tree.nodes {
		m := float64(n.hi - n.lo)
		if k.Weight != nil {
			m = simd.Asum64(k.Weight[n.lo:n.hi])
		}
		k.mass = append(k.mass, m)
		if k.inverse != nil {
			lo, hi := math.Inf(1), 0.0
			for _, v := range k.inverse[n.lo:n.hi] {
				lo, hi = min(lo, 1/v), max(hi, 1/v)
			}
			k.narrow, k.wide = append(k.narrow, lo), append(k.wide, hi)
		}
	}
	if len(k.mass) > 0 {
		k.Total = k.mass[0]
	}
	k.fused = newGaussColumns(k)
	return k
}

// Product says whether kernels are products over the columns.
func (k *Sum) Product() bool { return k.product }

// Room is the scratch of one goroutine.
type Room struct{ row, more [rowLength]float64 }

// rowLength is the number of pairs taken together: two rows stay in the first
// cache.
const rowLength = 512

// values fills a row with shape((q-zᵢ)/λᵢ) for the places [lo, hi), at most
// rowLength of them.
func (k *Sum) values(room *Room, q []float64, lo, hi int) []float64 {
	row, more := room.row[:hi-lo], room.more[:hi-lo]
	if k.product {
		k.productValues(row, more, q, lo, hi)
		return row
	}
	k.squaredDistances(row, more, q, lo, hi)
	k.Kernel.profile(row)
	return row
}

// squaredDistances is ‖(q-zᵢ)/λᵢ‖², by differences, a coordinate at a time.
func (k *Sum) squaredDistances(row, more, q []float64, lo, hi int) {
	if len(q) == 0 {
		clear(row)
		return
	}
	for j, v := range q {
		if j == 0 {
			simd.SquaredDifference64(row, k.Tree.cols[0][lo:hi], v)
			continue
		}
		simd.SquaredDifference64(more, k.Tree.cols[j][lo:hi], v)
		simd.Axpy64(1, more, row)
	}
	if k.inverse != nil {
		for i, s := range k.inverse[lo:hi] {
			row[i] *= s * s
		}
	}
}

// productValues is Π_j shape((q_j - z_ij)/λᵢ).
func (k *Sum) productValues(row, more, q []float64, lo, hi int) {
	for j, v := range q {
		to := more
		if j == 0 {
			to = row
		}
		simd.SquaredDifference64(to, k.Tree.cols[j][lo:hi], v)
		if k.inverse != nil {
			for i, s := range k.inverse[lo:hi] {
				to[i] *= s * s
			}
		}
		k.Kernel.profile(to)
		if j > 0 {
			for i, m := range more {
				row[i] *= m
			}
		}
	}
}

// over sums the places [lo, hi).
func (k *Sum) over(room *Room, q []float64, lo, hi int) float64 {
	sum := 0.0
	for a := lo; a < hi; a += rowLength {
		b := min(a+rowLength, hi)
		row := k.values(room, q, a, b)
		if k.Weight == nil {
			sum += simd.Asum64(row) // no value is negative
		} else {
			sum += simd.Dot64(row, k.Weight[a:b])
		}
	}
	return sum
}

// logFar is log Σ at a point so far away that the sum underflows: the
// exponents are lifted by the largest. Compact kernels are zero there.
func (k *Sum) logFar(room *Room, q []float64) float64 {
	if k.Kernel.Support() == 1 {
		return math.Log(k.over(room, q, 0, k.Tree.N))
	}
	return k.LogLeaveOut(q, -1)
}

// LogTerm is log(wᵢ·shape((q-zᵢ)/λᵢ)).
func (k *Sum) LogTerm(q []float64, p int) float64 {
	e, d2 := 0.0, 0.0
	scale := 1.0
	if k.inverse != nil {
		scale = k.inverse[p]
	}
	for j, v := range q {
		d := math.Abs(v-k.Tree.cols[j][p]) * scale
		if k.product {
			e += k.Kernel.logShape(d)
		}
		d2 += d * d
	}
	if !k.product {
		e = k.Kernel.logShape(math.Sqrt(d2))
	}
	if k.Weight != nil {
		e += math.Log(k.Weight[p])
	}
	return e
}

// Tiny is the sum under which terms lost to underflow may count.
const Tiny = 1e-250

// logBrute is log Σ by all pairs.
func (k *Sum) logBrute(room *Room, q []float64) float64 {
	return k.logOf(room, k.over(room, q, 0, k.Tree.N), q)
}

// logOf is the log of the sum s at q, taken again where s is too small to be
// right.
func (k *Sum) logOf(room *Room, s float64, q []float64) float64 {
	if s < Tiny*k.Total {
		return k.logFar(room, q)
	}
	return math.Log(s)
}

// canFuse says whether sums can go to the fused routine.
func (k *Sum) canFuse() bool { return k.fused != nil && simd.ExpSumFast() }
