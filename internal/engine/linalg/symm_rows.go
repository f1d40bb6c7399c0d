package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// A symmetric product of few vectors is bound by reading the triangle. What
// reads it fastest is whole rows, one after the other, which the hardware
// fetches ahead; a few rows at once, in runs of columns, so that what they need of the
// vectors comes from the first-level cache for all but the first of them.
const (
	symmGroup = 16  // rows that go along together
	symmRun   = 256 // columns of a run: four vectors and four results are 16 KiB
)

// symmWork holds the partial results of symmetric products of one order, which
// come one after the other.
type symmWork struct {
	cuts    []int // of the rows, by position, into pieces
	partial []Matrix[float64]
}

// newSymmWork cuts the rows of a triangle of order n into pieces. They are done from
// the last rows to the first, and the last to be done are the smallest: whoever has
// finished does not wait long for the others.
func newSymmWork(n int) *symmWork {
	w := &symmWork{cuts: []int{0}}
	for _, area := range []int{1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28} { // in 32 parts, up to each cut
		row := int(float64(n)*math.Sqrt(float64(area)/32)) / symmGroup * symmGroup
		if row > w.cuts[len(w.cuts)-1] && n >= symmRun {
			w.cuts = append(w.cuts, row)
		}
	}
	w.cuts = append(w.cuts, n)
	w.partial = make([]Matrix[float64], len(w.cuts)-1)
	return w
}

// multiply sets row c of y to A·(row c of x), reading the lower triangle of a
// once for each four rows of x. Every piece of rows has a result of its own; they are
// added in order, so that the bits do not depend on threads.
func (w *symmWork) multiply(m *team, y, a, x Matrix[float64]) {
	p, pieces := x.Rows, len(w.partial)
	m.each(pieces, func(i int) {
		i = pieces - 1 - i
		lo, hi := w.cuts[i], w.cuts[i+1]
		if w.partial[i].Rows < p {
			w.partial[i] = New[float64](p, hi)
		} else {
			clear(w.partial[i].Data)
		}
		part := w.partial[i]
		for r := lo; r < hi; r += symmGroup {
			c := 0
			for ; c+4 <= p; c += 4 {
				symmFour(part, a, x, c, r, min(r+symmGroup, hi))
			}
			for ; c < p; c++ {
				symmOne(part.Row(c), a, x.Row(c), r, min(r+symmGroup, hi))
			}
		}
	})
	m.each(p, func(c int) {
		copy(y.Row(c), w.partial[pieces-1].Row(c))
		for i := pieces - 2; i >= 0; i-- {
			axpyVec(1, w.partial[i].Row(c), y.Row(c)[:w.cuts[i+1]])
		}
	})
}

// symmFour adds to rows [c, c+4) of y what rows [r, r1) of a, up to their
// diagonal, contribute.
func symmFour(y, a, x Matrix[float64], c, r, r1 int) {
	const fours = symmGroup / 4
	var sums [fours][16][8]float64
	var coef [fours][16]float64
	full := (r1 - r) / 4
	for f := range full {
		for v := range 4 {
			copy(coef[f][4*v:4*v+4], x.Row(c + v)[r+4*f:])
		}
	}
	for c0 := 0; c0 < r1; c0 += symmRun {
		for f := range full {
			i := r + 4*f
			if c1 := min(c0+symmRun, i); c1 > c0 {
				simd.SymmRows64(c1-c0, a.Data[i*a.Stride+c0:], a.Stride, x.Data[c*x.Stride+c0:], x.Stride,
					&sums[f], y.Data[c*y.Stride+c0:], y.Stride, &coef[f])
			}
		}
	}
	for f := range full {
		i := r + 4*f
		corner := symmCorner(a, i)
		for v := range 4 {
			s := (*[4][8]float64)(sums[f][4*v:])
			xv, yv := (*[4]float64)(x.Row(c + v)[i:]), (*[4]float64)(y.Row(c + v)[i:])
			for k := range 4 {
				on := (corner[k][0]*xv[0] + corner[k][1]*xv[1]) + (corner[k][2]*xv[2] + corner[k][3]*xv[3])
				yv[k] += on + (((s[k][0] + s[k][1]) + (s[k][2] + s[k][3])) + ((s[k][4] + s[k][5]) + (s[k][6] + s[k][7])))
			}
		}
	}
	for i := r + 4*full; i < r1; i++ {
		for v := range 4 {
			symmLine(y.Row(c+v), a, x.Row(c+v), i)
		}
	}
}

// symmCorner is the block of four rows and columns on the diagonal at i, both
// triangles.
func symmCorner(a Matrix[float64], i int) (s [4][4]float64) {
	for r := range 4 {
		row := (*[4]float64)(a.Data[(i+r)*a.Stride+i:][:4:4])
		for c := range r + 1 {
			s[r][c], s[c][r] = row[c], row[c]
		}
	}
	return s
}

// symmOne is symmFour for one vector.
func symmOne(y []float64, a Matrix[float64], x []float64, r, r1 int) {
	for ; r+4 <= r1; r += 4 {
		if r > 0 {
			simd.SymvRows64(a.Data[r*a.Stride:], a.Stride, x[:r], (*[4]float64)(y[r:]), y[:r], (*[4]float64)(x[r:]))
		}
		symvCorner(y, a, x, r, 4)
	}
	for ; r < r1; r++ {
		symmLine(y, a, x, r)
	}
}

// symmLine adds what row i, up to its diagonal, contributes.
func symmLine(y []float64, a Matrix[float64], x []float64, i int) {
	row := a.Data[i*a.Stride : i*a.Stride+i+1]
	y[i] += dotVec(row, x[:i+1])
	axpyVec(x[i], row[:i], y[:i])
}
