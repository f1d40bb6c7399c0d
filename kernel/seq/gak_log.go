package seq

import (
	"math"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// alignment is the program of both alignment kernels: D(i, j) = κ(i, j)·(D(i-1, j) + D(i, j-1) + D(i-1, j-1)).
type alignment struct {
	width float64
	band  int // 0: none
}

// channels is a series stored channel by channel.
type channels struct {
	Series
	by [][]float64
}

func newChannels(s Series) *channels {
	c := &channels{Series: s}
	n := s.Len()
	if n == 0 {
		return c
	}
	if s.channels == 1 {
		c.by = [][]float64{s.values}
		return c
	}
	for ch := range s.channels {
		row := make([]float64, n)
		for i := range row {
			row[i] = s.values[i*s.channels+ch]
		}
		c.by = append(c.by, row)
	}
	return c
}

// log is log k(x, y).
func (k alignment) log(x, y *channels) float64 {
	n, m := x.Len(), y.Len()
	switch {
	case mismatched(x.Series, y.Series):
		return math.NaN()
	case n == 0 && m == 0:
		return 0
	case n == 0 || m == 0, k.band > 0 && (n-m >= k.band || m-n >= k.band):
		return math.Inf(-1)
	}
	if x.less(y.Series) {
		x, y = y, x
	}
	if v, sure := k.plain(x, y); sure {
		return v
	}
	return k.wide(x, y)
}

// span is the columns j with ω(i, j) > 0.
func (k alignment) span(i, m int) (lo, hi int) {
	if k.band == 0 {
		return 0, m
	}
	return max(i-k.band+1, 0), min(i+k.band, m)
}

// wide is log k(x, y) by numbers without bounds on their range.
func (k alignment) wide(x, y *channels) float64 {
	m := y.Len()
	above, row := make([]wide, m+1), make([]wide, m+1) // column j stands at j+1
	above[0] = wideOf(1)
	for i := range x.Len() {
		clear(row)
		lo, hi := k.span(i, m)
		for j := lo; j < hi; j++ {
			// κ = 1/(2/(ωg) - 1) = ωg/2·(1 + …): e^{-t}/(2-e^{-t}) with t = ‖a-b‖²/(2σ²) - log ω.
			t := sqDist(x.At(i), y.At(j)) / (2 * k.width * k.width)
			if k.band > 0 {
				t -= math.Log(1 - math.Abs(float64(i-j))/float64(k.band))
			}
			kappa := wideExp(-t - math.Log(2-math.Exp(-t)))
			row[j+1] = kappa.times(above[j+1].plus(row[j]).plus(above[j]))
		}
		above, row = row, above
	}
	return above[m].log()
}

type alignScratch struct {
	above []float64
	kappa [4][]float64
	other []float64
}

var alignPool = sync.Pool{New: func() any { return new(alignScratch) }}

// tiny is the size below which a cell may have lost digits.
const tiny = 1e-280

// plain is log k(x, y) in float64, rows scaled by powers of 2 as they go. It is sure when no cell was so small against the
// largest of its row that it may have lost digits, or when what was lost cannot matter.
func (k alignment) plain(x, y *channels) (log float64, sure bool) {
	n, m := x.Len(), y.Len()
	s := alignPool.Get().(*alignScratch)
	defer alignPool.Put(s)
	s.above = zeroed(s.above, m+1) // column j stands at j+1
	s.other = zeroed(s.other, m)
	for r := range s.kappa {
		s.kappa[r] = zeroed(s.kappa[r], m+3) // column j of row r stands at j+r
	}
	s.above[0] = 1
	exponent, worst := 0, math.Inf(-1)
	for i := 0; i < n; i += 4 {
		for r := range s.kappa {
			if i+r < n {
				k.kappas(s.kappa[r][r:r+m], s.other, x, y, i+r)
			}
		}
		switch n - i {
		case 1:
			rowsOne(s.above, s.kappa[0])
		case 2:
			rowsOne(s.above, s.kappa[0])
			rowsOne(s.above, s.kappa[1][1:])
		case 3:
			rowsOne(s.above, s.kappa[0])
			rowsOne(s.above, s.kappa[1][1:])
			rowsOne(s.above, s.kappa[2][2:])
		default:
			rowsFour(s.above, s.kappa[0], s.kappa[1], s.kappa[2], s.kappa[3])
		}
		lo, hi := k.span(min(i+3, n-1), m)
		low, high := math.Inf(1), 0.0
		for _, v := range s.above[lo+1 : hi+1] {
			low, high = min(low, v), max(high, v)
		}
		if high == 0 {
			return 0, false
		}
		if low < tiny {
			worst = max(worst, math.Log(tiny)+float64(exponent)*math.Ln2)
		}
		if _, e := math.Frexp(high); e > 128 || e < -128 {
			simd.Scal64(math.Ldexp(1, -e), s.above)
			exponent += e
		}
	}
	log = math.Log(s.above[m]) + float64(exponent)*math.Ln2
	// A cell of value v adds at most v times the number of paths from it to the end, which is below
	// (1+√2)^{n+m}, and there are n·m cells: κ ≤ 1.
	paths := float64(n+m)*math.Log(1+math.Sqrt2) + math.Log(float64(n)*float64(m))
	return log, worst+paths < log-40
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

// rowsOne replaces the row above by the next one.
func rowsOne(above, kappa []float64) {
	left, diagonal := 0.0, above[0]
	above[0] = 0
	for j := 1; j < len(above); j++ {
		up := above[j]
		left = (left + up + diagonal) * kappa[j-1]
		diagonal = up
		above[j] = left
	}
}

// rowsFour replaces the row above by the fourth one after it. The four rows go side by side, each one column behind the
// one above it, so that no chain of sums waits for another. κ is 0 where a row has not begun or has ended.
func rowsFour(above, k0, k1, k2, k3 []float64) {
	m := len(above) - 1
	k0, k1, k2, k3 = k0[:m+3], k1[:m+3], k2[:m+3], k3[:m+3]
	var a, b, c, d float64 // the last value of each row
	var a1, b1, c1 float64 // the one before
	diagonal := above[0]   // of the first row
	above[0] = 0
	for s := range m + 3 {
		up := 0.0
		if s < m {
			up = above[s+1]
		}
		d = (d + c + c1) * k3[s]
		c, c1 = (c+b+b1)*k2[s], c
		b, b1 = (b+a+a1)*k1[s], b
		a, a1 = (a+up+diagonal)*k0[s], a
		diagonal = up
		if s >= 3 {
			above[s-2] = d
		}
	}
}
