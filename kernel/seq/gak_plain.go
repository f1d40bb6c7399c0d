package seq

import (
	"math"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// blockWidth is how many columns share a scale. Cells far apart in a row differ by more than the range of float64.
const blockWidth = 32

// untouched is the exponent of a block of zeros.
const untouched = math.MinInt

type alignScratch struct {
	above    []float64
	exponent []int // of each block of columns: cells are above·2^exponent
	kappa    [4][]float64
	other    []float64
}

var alignPool = sync.Pool{New: func() any { return new(alignScratch) }}

// tiny is the size below which a cell may have lost digits.
const tiny = 1e-280

// plain is log k(x, y) in float64, blocks of columns scaled by powers of 2 as they go. It is sure when no cell was so small
// against the largest of its block that it may have lost digits, or when what was lost cannot matter.
func (k alignment) plain(x, y *channels) (log float64, sure bool) {
	n, m := x.Len(), y.Len()
	blocks := (m + blockWidth - 1) / blockWidth
	s := alignPool.Get().(*alignScratch)
	defer alignPool.Put(s)
	s.above = zeroed(s.above, m)
	s.other = zeroed(s.other, m)
	for r := range s.kappa {
		s.kappa[r] = zeroed(s.kappa[r], m)
	}
	if cap(s.exponent) < blocks {
		s.exponent = make([]int, blocks)
	}
	s.exponent = s.exponent[:blocks]
	for b := range s.exponent {
		s.exponent[b] = untouched
	}
	corner, worst := 1.0, math.Inf(-1)
	for i := 0; i < n; i += 4 {
		rows := min(4, n-i)
		for r := range rows {
			k.kappas(s.kappa[r], s.other, x, y, i+r)
		}
		lo, _ := k.span(i, m)
		inner, hi := k.span(i+rows-1, m)
		lost, ok := s.rows(rows, corner, lo, inner, hi, i%8 == 4 || i+4 >= n)
		if !ok {
			return 0, false
		}
		worst, corner = max(worst, lost), 0
	}
	log = math.Log(s.above[m-1]) + float64(s.exponent[blocks-1])*math.Ln2
	// A cell of value v adds at most v times the number of paths from it to the end, which is below
	// (1+√2)^{n+m}, and there are n·m cells: κ ≤ 1.
	paths := float64(n+m)*math.Log(1+math.Sqrt2) + math.Log(float64(n)*float64(m))
	return log, s.above[m-1] > 0 && worst+paths < log-40
}

// rows goes on by one to four rows, block by block; corner is the cell above the first one to its left. Columns outside
// lo…hi have κ = 0 in all these rows, those before inner in the last of them. Every other time it looks
// at the sizes of the cells and sets the scales of the blocks: a cell at most triples from step to step. It returns the logarithm of the largest cell that may have lost digits, and
// false where a value leaves the range of float64.
func (s *alignScratch) rows(rows int, corner float64, lo, inner, hi int, look bool) (lost float64, ok bool) {
	lost = math.Inf(-1)
	var left [4]float64 // the last cells of the block before
	before := 0         // their exponent
	for b := range s.exponent {
		from, to := b*blockWidth, min((b+1)*blockWidth, len(s.above))
		above := s.above[from:to]
		if to < lo || from >= hi {
			clear(above)
			s.exponent[b] = untouched
			left, corner = [4]float64{}, 0
			continue
		}
		last, e := above[len(above)-1], s.exponent[b]
		if e == untouched {
			e = before
		}
		if b > 0 {
			shift := before - e
			if shift > 900 {
				return 0, false
			}
			if shift < -900 {
				for _, v := range append(left[:], corner) {
					if v > 0 {
						lost = max(lost, math.Log(v)+float64(before)*math.Ln2)
					}
				}
			}
			if shift != 0 {
				f := math.Ldexp(1, shift)
				for r := range left {
					left[r] *= f
				}
				corner *= f
			}
		}
		if rows == 4 && len(above) >= 4 {
			fourRows(above, &left, corner, s.kappa[0][from:to], s.kappa[1][from:to], s.kappa[2][from:to], s.kappa[3][from:to])
		} else {
			for r := range rows {
				left[r], corner = oneRow(above, left[r], corner, s.kappa[r][from:to]), left[r]
			}
		}
		corner, before, s.exponent[b] = last, e, e
		if !look {
			continue
		}
		low, high := math.Inf(1), 0.0
		for _, v := range above[min(max(inner-from, 0), len(above)):min(hi-from, len(above))] {
			if v < low {
				low = v
			}
			if v > high {
				high = v
			}
		}
		if math.IsInf(high, 1) {
			return 0, false
		}
		if low < tiny {
			lost = max(lost, math.Log(tiny)+float64(e)*math.Ln2)
		}
		if _, p := math.Frexp(high); high > 0 && (p > 128 || p < -128) {
			simd.Scal64(math.Ldexp(1, -p), above)
			s.exponent[b] += p
		}
	}
	return lost, true
}

// kappas sets dst[j] = κ(i, j) = 1/((2/ω)·exp(‖a-b‖²/(2σ²)) - 1), 0 outside the band.
func (k alignment) kappas(dst, other []float64, x, y *channels, i int) {
	simd.SquaredDifference64(dst, y.by[0], x.by[0][i])
	for c := 1; c < len(y.by); c++ {
		simd.SquaredDifference64(other, y.by[c], x.by[c][i])
		simd.Axpy64(1, other, dst)
	}
	simd.ScaleExp64(dst, dst, 1/(2*k.width*k.width))
	if k.band == 0 {
		simd.Affine64(dst, dst, 2, -1)
		simd.Reciprocal64(dst, dst)
		return
	}
	lo, hi := k.span(i, len(dst))
	clear(dst[:lo])
	clear(dst[hi:])
	for j := lo; j < hi; j++ {
		dst[j] = 1 / (2/(1-math.Abs(float64(i-j))/float64(k.band))*dst[j] - 1)
	}
}

// oneRow replaces the row above by the next one, and returns its last cell. left is the cell before its first one, diagonal
// the one above that.
func oneRow(above []float64, left, diagonal float64, kappa []float64) float64 {
	for j, up := range above {
		left = (up + diagonal + left) * kappa[j]
		diagonal = up
		above[j] = left
	}
	return left
}

// fourRows replaces the row above by the fourth one after it. The four rows go side by side, each one column behind the
// one above it, so that no chain of sums waits for another; the cell to the left, which is known last, is added last. left has the cells before the first ones, and gets the last ones.
func fourRows(above []float64, left *[4]float64, corner float64, k0, k1, k2, k3 []float64) {
	n := len(above)
	k0, k1, k2, k3 = k0[:n], k1[:n], k2[:n], k3[:n]
	a0 := (above[0] + corner + left[0]) * k0[0]
	a1 := (above[1] + above[0] + a0) * k0[1]
	b0 := (a0 + left[0] + left[1]) * k1[0]
	a2 := (above[2] + above[1] + a1) * k0[2]
	b1 := (a1 + a0 + b0) * k1[1]
	c0 := (b0 + left[1] + left[2]) * k2[0]
	// The last cell of each row and the one before it.
	a, aa, b, bb, c, cc, d := a2, a1, b1, b0, c0, left[2], left[3]
	diagonal := above[2]
	for j := 3; j < n; j++ {
		up := above[j]
		d = (c + cc + d) * k3[j-3]
		c, cc = (b+bb+c)*k2[j-2], c
		b, bb = (a+aa+b)*k1[j-1], b
		a, aa = (up+diagonal+a)*k0[j], a
		diagonal = up
		above[j-3] = d
	}
	left[0] = a
	d = (c + cc + d) * k3[n-3]
	c, cc = (b+bb+c)*k2[n-2], c
	b, bb = (a+aa+b)*k1[n-1], b
	above[n-3], left[1] = d, b
	d = (c + cc + d) * k3[n-2]
	c, cc = (b+bb+c)*k2[n-1], c
	above[n-2], left[2] = d, c
	d = (c + cc + d) * k3[n-1]
	above[n-1], left[3] = d, d
}
