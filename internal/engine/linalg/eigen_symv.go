package linalg

import "github.com/mercer-ml/mercer/internal/engine/simd"

const (
	vectorGrain = 64   // elements of a vector that one goroutine combines
	symvColumns = 1024 // columns of a tile: x and y stay in the first-level cache
	symvPieces  = 16   // most runs of rows of equal area, each with a partial result of its own
	symvLeast   = 4096 // entries of a run: fewer are read sooner than another member is told
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
	pieces = min(max(n*n/2/symvLeast, 1), symvPieces)
	row := 0
	for p := 1; p < pieces; p++ {
		for row < n && row*row*pieces < p*n*n {
			row += 8
		}
		s.boundary[p] = min(row, n)
	}
	s.boundary[pieces] = n
	return pieces
}

// multiply computes the pieces of A·x, reading the lower triangle of a, and in each of them
// does a share of the jobs besides; gather then adds the pieces up.
func (s *symvWork) multiply(m *team, a Matrix[float64], x []float64, jobs int, job func(lo, hi int)) {
	s.pieces = s.cut(a.Rows)
	m.each(s.pieces, func(p int) {
		symvRows(s.partial.Row(p), a, x, s.boundary[p], s.boundary[p+1])
		if lo, hi := jobs*p/s.pieces, jobs*(p+1)/s.pieces; lo < hi {
			job(lo, hi)
		}
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
