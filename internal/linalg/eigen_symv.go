package linalg

import (
	"github.com/mercer-ml/mercer/internal/par"
	"github.com/mercer-ml/mercer/internal/simd"
)

const (
	vectorGrain = 512  // elements of a vector handed to a goroutine at once
	symvColumns = 1024 // columns of a tile: x and y stay in the first-level cache
	symmColumns = 256  // likewise for a dozen vectors at once
	symvPieces  = 8    // runs of rows of equal area, each with a partial result of its own
)

// symvWork computes y = A·x for symmetric A, reading one triangle once.
//
// An entry aᵢⱼ below the diagonal contributes to yᵢ and to yⱼ. Rows are cut
// by position into pieces of equal area; each piece adds into its own vector,
// and the vectors are summed in order, so the bits do not depend on threads.
type symvWork struct {
	partial  Matrix[float64] // one row for each piece
	pieces   int
	boundary [symvPieces + 1]int
}

func newSymvWork(n int) *symvWork {
	return &symvWork{partial: New[float64](symvPieces, n)}
}

// cut sets boundary so that the pieces of an n-row triangle have about equal area.
func (s *symvWork) cut(n int) (pieces int) {
	pieces = symvPieces
	if n < 256 {
		pieces = 1
	}
	row := 0
	for p := 1; p < pieces; p++ {
		for row < n && row*row*pieces < p*n*n {
			row += 4
		}
		s.boundary[p] = min(row, n)
	}
	s.boundary[pieces] = n
	return pieces
}

// multiply computes the pieces of A·x, reading the lower triangle of a, and
// meanwhile does the jobs besides; gather then adds the pieces up.
func (s *symvWork) multiply(m *team, a Matrix[float64], x []float64, jobs int, job func(i int)) {
	s.pieces = s.cut(a.Rows)
	m.each(s.pieces+jobs, func(p int) {
		if p >= s.pieces {
			job(p - s.pieces)
			return
		}
		p = s.pieces - 1 - p // the longest vectors first
		symvRows(s.partial.Row(p), a, x, s.boundary[p], s.boundary[p+1])
	})
}

// gather sets y to elements [lo, hi) of the product.
func (s *symvWork) gather(y []float64, lo, hi int) {
	copy(y, s.partial.Row(s.pieces - 1)[lo:hi])
	for p := s.pieces - 2; p >= 0 && s.boundary[p+1] > lo; p-- {
		end := min(hi, s.boundary[p+1])
		axpyVec(1, s.partial.Row(p)[lo:end], y[:end-lo])
	}
}

// symvRows sets y[:hi] to what the entries of rows [lo, hi) contribute.
func symvRows(y []float64, a Matrix[float64], x []float64, lo, hi int) {
	clear(y[:hi])
	for c0 := 0; c0 < hi; c0 += symvColumns {
		i := max(lo, c0)
		// Rows in fours up to a column that all four have.
		for ; i+4 <= hi; i += 4 {
			c1 := min(c0+symvColumns, i)
			if c1 > c0 {
				simd.SymvRows64(a.Data[i*a.Stride+c0:], a.Stride, x[c0:c1], (*[4]float64)(y[i:]), y[c0:c1], (*[4]float64)(x[i:]))
			}
			if i < c0+symvColumns {
				symvCorner(y, a, x, i, 4)
			}
		}
		for ; i < hi; i++ {
			c1 := min(c0+symvColumns, i)
			if c1 > c0 {
				row := a.Data[i*a.Stride+c0 : i*a.Stride+c1]
				y[i] += dotVec(row, x[c0:c1])
				axpyVec(x[i], row, y[c0:c1])
			}
			if i < c0+symvColumns {
				symvCorner(y, a, x, i, 1)
			}
		}
	}
}

// symvCorner adds the triangle of k rows that stands on the diagonal at i.
func symvCorner(y []float64, a Matrix[float64], x []float64, i, k int) {
	for r := i; r < i+k; r++ {
		row := a.Data[r*a.Stride : r*a.Stride+r+1]
		for c := i; c < r; c++ {
			y[r] += row[c] * x[c]
			y[c] += row[c] * x[r]
		}
		y[r] += row[r] * x[r]
	}
}

// symmRows sets row c of y to A·(row c of x), reading the lower triangle of a
// once: a tile of four rows is brought into cache by the first product and
// used by all.
func symmRows(t Threads, y, a, x Matrix[float64]) {
	n, p := a.Rows, x.Rows
	w := newSymvWork(0)
	pieces := w.cut(n)
	partial := make([]Matrix[float64], pieces)
	par.For(t, pieces, 1, func(i, _ int) {
		i = pieces - 1 - i
		lo, hi := w.boundary[i], w.boundary[i+1]
		part := New[float64](p, hi)
		partial[i] = part
		for c0 := 0; c0 < hi; c0 += symmColumns {
			for r := max(lo, c0/4*4); r < hi; r += 4 {
				symmTile(part, a, x, r, min(4, hi-r), c0, min(c0+symmColumns, r))
				if r >= c0 && r < c0+symmColumns {
					for c := range p {
						symvCorner(part.Row(c), a, x.Row(c), r, min(4, hi-r))
					}
				}
			}
		}
	})
	par.For(t, p, 1, func(c, _ int) {
		copy(y.Row(c), partial[pieces-1].Row(c))
		for i := pieces - 2; i >= 0; i-- {
			axpyVec(1, partial[i].Row(c), y.Row(c)[:partial[i].Cols])
		}
	})
}

// symmTile adds to the rows of y what rows [r, r+four) of a contribute by their
// columns [c0, c1), all left of the diagonal.
func symmTile(y, a, x Matrix[float64], r, four, c0, c1 int) {
	if c1 <= c0 {
		return
	}
	tile := a.Data[r*a.Stride+c0:]
	c := 0
	for ; four == 4 && c+4 <= x.Rows; c += 4 {
		var out, coef [16]float64
		for v := range 4 {
			copy(coef[4*v:4*v+4], x.Row(c + v)[r:])
		}
		simd.SymmRows64(c1-c0, tile, a.Stride, x.Data[c*x.Stride+c0:], x.Stride, &out, y.Data[c*y.Stride+c0:], y.Stride, &coef)
		for v := range 4 {
			row := y.Row(c + v)[r:]
			for k := range 4 {
				row[k] += out[4*v+k]
			}
		}
	}
	for ; c < x.Rows; c++ {
		xc, yc := x.Row(c), y.Row(c)
		if four == 4 {
			simd.SymvRows64(tile, a.Stride, xc[c0:c1], (*[4]float64)(yc[r:]), yc[c0:c1], (*[4]float64)(xc[r:]))
			continue
		}
		for k := range four {
			row := tile[k*a.Stride : k*a.Stride+c1-c0]
			yc[r+k] += dotVec(row, xc[c0:c1])
			axpyVec(xc[r+k], row, yc[c0:c1])
		}
	}
}
