package seq

import (
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// blockWidth is how many columns share a scale. Cells far apart in a row differ by more than the
// range of float64.
const blockWidth = 32

// scaleStep is what exponents are multiples of: large, so that blocks beside each other have mostly
// the same, and are gone through at once.
const scaleStep = 256

// untouched is the exponent of a block of zeros.
const untouched = math.MinInt

type alignScratch struct {
	above    []float64 // simd.WaveRows more than there are columns
	exponent []int     // of each block of columns: cells are above·2^exponent
	left     [simd.WaveRows]float64
	factors  alignFactors
}

var alignPool = sync.Pool{New: func() any { return new(alignScratch) }}

// release gives the scratch back without the series.
func (s *alignScratch) release() {
	s.factors.x, s.factors.y, s.factors.wave.Y = nil, nil, nil
	alignPool.Put(s)
}

// tiny is the size below which a cell may have lost digits.
const tiny = 1e-280

// plain is log k(x, y) in float64, blocks of columns scaled by powers of 2 as they go. It is sure
// when no cell was so small against the largest of its block that it may have lost digits, or when
// what was lost cannot matter.
func (k alignment) plain(x, y *channels) (log float64, sure bool) {
	n, m := x.Len(), y.Len()
	blocks := (m + blockWidth - 1) / blockWidth
	s := alignPool.Get().(*alignScratch)
	defer s.release()
	s.above = zeroed(s.above, m+simd.WaveRows)
	s.factors.begin(k, x, y)
	if cap(s.exponent) < blocks {
		s.exponent = make([]int, blocks)
	}
	s.exponent = s.exponent[:blocks]
	for b := range s.exponent {
		s.exponent[b] = untouched
	}
	corner, worst := 1.0, math.Inf(-1)
	for i := 0; i < n; i += simd.WaveRows {
		rows := min(simd.WaveRows, n-i)
		s.factors.rows(i, rows)
		lo, _ := k.span(i, m)
		inner, hi := k.span(i+rows-1, m)
		lost, ok := s.rows(rows, corner, lo, inner, hi)
		if !ok {
			return 0, false
		}
		worst, corner = max(worst, lost), 0
	}
	log = math.Log(s.above[m-1]) + float64(s.exponent[blocks-1])*math.Ln2
	// A cell of value v adds at most v times the number of paths from it to the end, which is below
	// (1+√2)^{n+m}, and there are n·m cells: κ ≤ 1.
	paths := float64(n+m)*math.Log(1+math.Sqrt2) + math.Log(float64(n)*float64(m))
	return log, s.above[m-1] > 0 && !math.IsInf(log, 1) && worst+paths < log-40
}

// rows goes on by one to eight rows, block by block; corner is the cell above the first one to its
// left. Columns outside lo…hi have κ = 0 in all these rows, those before inner in the last of them.
// At the end it looks at the sizes of the cells and sets the scales of the blocks: a cell at most
// triples from step to step. It returns the logarithm of the largest cell that may have lost
// digits, and false where a value leaves the range of float64.
func (s *alignScratch) rows(rows int, corner float64, lo, inner, hi int) (lost float64, ok bool) {
	lost = math.Inf(-1)
	s.left = [simd.WaveRows]float64{} // the last cells of the block before
	before := 0                       // their exponent
	columns := len(s.above) - simd.WaveRows
	for b := 0; b < len(s.exponent); {
		from, to := b*blockWidth, min((b+1)*blockWidth, columns)
		if to < lo || from >= hi {
			clear(s.above[from:to])
			s.exponent[b] = untouched
			s.left, corner = [simd.WaveRows]float64{}, 0
			b++
			continue
		}
		e := s.exponent[b]
		if e == untouched {
			e = before
		}
		if b > 0 {
			shift := before - e
			if shift > 900 {
				return 0, false
			}
			if shift < -900 {
				lost = max(lost, math.Log(max(corner, slices.Max(s.left[:])))+float64(before)*math.Ln2)
			}
			if shift != 0 {
				f := math.Ldexp(1, shift)
				for r := range s.left {
					s.left[r] *= f
				}
				corner *= f
			}
		}
		run := b // as far as the scale is the same
		for b++; b < len(s.exponent) && b*blockWidth < hi && (b+1)*blockWidth-from <= simd.MostWaveColumns &&
			(s.exponent[b] == e || s.exponent[b] == untouched); b++ {
			to = min((b+1)*blockWidth, columns)
		}
		last := s.above[to-1]
		s.factors.block(rows, from, to-from, s.above[from:], &s.left, corner)
		corner, before = last, e
		for ; run < b; run++ {
			s.exponent[run] = e
			from, to := run*blockWidth, min((run+1)*blockWidth, columns)
			above := s.above[from:to]
			low, high := sizes(above[min(max(inner-from, 0), len(above)):min(hi-from, len(above))])
			if !finite(high) {
				return 0, false
			}
			if low < tiny {
				lost = max(lost, math.Log(tiny)+float64(e)*math.Ln2)
			}
			if _, p := math.Frexp(high); high > 0 && (p > scaleStep/2 || p < -scaleStep/2) {
				p = int(math.Round(float64(p)/scaleStep)) * scaleStep
				simd.Scal64(math.Ldexp(1, -p), above)
				s.exponent[run] += p
			}
		}
	}
	return lost, true
}

// sizes is the least and the largest of some numbers, none of them below 0: those are in the order
// of their bits, and whole numbers are compared without a branch.
func sizes(v []float64) (low, high float64) {
	least, most := math.Float64bits(math.Inf(1)), uint64(0)
	other, more := least, most // two at a time, so that neither waits for the other
	for ; len(v) >= 2; v = v[2:] {
		a, b := math.Float64bits(v[0]), math.Float64bits(v[1])
		least, most, other, more = min(least, a), max(most, a), min(other, b), max(more, b)
	}
	for _, x := range v {
		least, most = min(least, math.Float64bits(x)), max(most, math.Float64bits(x))
	}
	return math.Float64frombits(min(least, other)), math.Float64frombits(max(most, more))
}
