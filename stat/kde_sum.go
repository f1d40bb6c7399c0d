package stat

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// kernelSum is q ↦ Σ wᵢ·shape((q - zᵢ)/λᵢ) over points zᵢ already divided by
// the bandwidth; it is what every estimator here evaluates.
type kernelSum struct {
	smoother Smoother
	product  bool // product form; radial otherwise
	tree     *pointTree
	weight   []float64 // by place; nil means 1
	inverse  []float64 // 1/λ by place; nil means 1
	total    float64   // Σ wᵢ
	mass     []float64 // Σ wᵢ of each node
	narrow   []float64 // least λ of each node, nil like inverse
	wide     []float64 // greatest λ of each node
	fused    *gaussColumns
}

// sumLeaf is the number of points of a leaf: long enough for the vector
// routines, short enough to skip most of what is far away.
const sumLeaf = 64

// newKernelSum prepares the sum over the rows of z; weights and scales (λ) go
// by row, and may be nil.
func newKernelSum(s Smoother, product bool, z linalg.Matrix[float64], weights, scales []float64) *kernelSum {
	k := &kernelSum{smoother: s, product: product && s != GaussianSmoother && z.Cols > 1, tree: newPointTree(z, sumLeaf)}
	byPlace := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		o := make([]float64, len(v))
		for p, i := range k.tree.index {
			o[p] = v[i]
		}
		return o
	}
	k.weight = byPlace(weights)
	if scales != nil {
		k.inverse = byPlace(scales)
		for p, v := range k.inverse {
			k.inverse[p] = 1 / v
		}
	}
	for _, n := range k.tree.nodes {
		m := float64(n.hi - n.lo)
		if k.weight != nil {
			m = simd.Asum64(k.weight[n.lo:n.hi])
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
		k.total = k.mass[0]
	}
	k.fused = newGaussColumns(k)
	return k
}

// rowRoom is the scratch of one goroutine.
type rowRoom struct{ row, more [rowLength]float64 }

// rowLength is the number of pairs taken together: two rows stay in the first
// cache.
const rowLength = 512

// values fills a row with shape((q-zᵢ)/λᵢ) for the places [lo, hi), at most
// rowLength of them.
func (k *kernelSum) values(room *rowRoom, q []float64, lo, hi int) []float64 {
	row, more := room.row[:hi-lo], room.more[:hi-lo]
	if k.product {
		k.productValues(row, more, q, lo, hi)
		return row
	}
	k.squaredDistances(row, more, q, lo, hi)
	k.smoother.profile(row)
	return row
}

// squaredDistances is ‖(q-zᵢ)/λᵢ‖², by differences, a coordinate at a time.
func (k *kernelSum) squaredDistances(row, more, q []float64, lo, hi int) {
	if len(q) == 0 {
		clear(row)
		return
	}
	for j, v := range q {
		if j == 0 {
			simd.SquaredDifference64(row, k.tree.cols[0][lo:hi], v)
			continue
		}
		simd.SquaredDifference64(more, k.tree.cols[j][lo:hi], v)
		simd.Axpy64(1, more, row)
	}
	if k.inverse != nil {
		for i, s := range k.inverse[lo:hi] {
			row[i] *= s * s
		}
	}
}

// productValues is Π_j shape((q_j - z_ij)/λᵢ).
func (k *kernelSum) productValues(row, more, q []float64, lo, hi int) {
	for j, v := range q {
		to := more
		if j == 0 {
			to = row
		}
		simd.SquaredDifference64(to, k.tree.cols[j][lo:hi], v)
		if k.inverse != nil {
			for i, s := range k.inverse[lo:hi] {
				to[i] *= s * s
			}
		}
		k.smoother.profile(to)
		if j > 0 {
			for i, m := range more {
				row[i] *= m
			}
		}
	}
}

// over sums the places [lo, hi).
func (k *kernelSum) over(room *rowRoom, q []float64, lo, hi int) float64 {
	sum := 0.0
	for a := lo; a < hi; a += rowLength {
		b := min(a+rowLength, hi)
		row := k.values(room, q, a, b)
		if k.weight == nil {
			sum += simd.Asum64(row) // no value is negative
		} else {
			sum += simd.Dot64(row, k.weight[a:b])
		}
	}
	return sum
}

// logFar is log Σ at a point so far away that the sum underflows: the
// exponents are lifted by the largest. Compact kernels are zero there.
func (k *kernelSum) logFar(room *rowRoom, q []float64) float64 {
	s := k.smoother
	if s.Support() == 1 {
		return math.Log(k.over(room, q, 0, k.tree.n))
	}
	// Two passes over the exponents, scalar: this is rare.
	top, sum := math.Inf(-1), 0.0
	for pass := range 2 {
		for p := range k.tree.n {
			e := k.logTerm(q, p)
			if pass == 0 {
				top = max(top, e)
			} else {
				sum += math.Exp(e - top)
			}
		}
		if math.IsInf(top, -1) {
			return top
		}
	}
	return top + math.Log(sum)
}

// logTerm is log(wᵢ·shape((q-zᵢ)/λᵢ)).
func (k *kernelSum) logTerm(q []float64, p int) float64 {
	e, d2 := 0.0, 0.0
	scale := 1.0
	if k.inverse != nil {
		scale = k.inverse[p]
	}
	for j, v := range q {
		d := math.Abs(v-k.tree.cols[j][p]) * scale
		if k.product {
			e += k.smoother.logShape(d)
		}
		d2 += d * d
	}
	if !k.product {
		e = k.smoother.logShape(math.Sqrt(d2))
	}
	if k.weight != nil {
		e += math.Log(k.weight[p])
	}
	return e
}

// sumTiny is the sum under which terms lost to underflow may count.
const sumTiny = 1e-250

// logBrute is log Σ by all pairs.
func (k *kernelSum) logBrute(room *rowRoom, q []float64) float64 {
	return k.logOf(room, k.over(room, q, 0, k.tree.n), q)
}

// logOf is the log of the sum s at q, taken again where s is too small to be
// right.
func (k *kernelSum) logOf(room *rowRoom, s float64, q []float64) float64 {
	if s < sumTiny*k.total {
		return k.logFar(room, q)
	}
	return math.Log(s)
}

// canFuse says whether sums can go to the fused routine.
func (k *kernelSum) canFuse() bool { return k.fused != nil && simd.ExpSumFast() }
