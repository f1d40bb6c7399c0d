package linalg

import "github.com/mercer-ml/mercer/internal/par"

const (
	vectorGrain = 2048 // elements of a vector handed to a goroutine at once
	symvColumns = 1024 // columns of a tile: x and y stay in the first-level cache
	symvPieces  = 8    // runs of rows of equal area, each with a partial result of its own
)

// symvWork computes y = A·x for symmetric A, reading one triangle once.
//
// An entry aᵢⱼ below the diagonal contributes to yᵢ and to yⱼ. Rows are cut
// by position into pieces of equal area; each piece adds into its own vector,
// and the vectors are summed in order, so the bits do not depend on threads.
type symvWork struct {
	t        Threads
	partial  Matrix[float64] // one row for each piece
	boundary [symvPieces + 1]int
}

func newSymvWork(t Threads, n int) *symvWork {
	return &symvWork{t: t, partial: New[float64](symvPieces, n)}
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

// multiply sets y = A·x; the lower triangle of a is read.
func (s *symvWork) multiply(y []float64, a Matrix[float64], x []float64) {
	n := a.Rows
	pieces := s.cut(n)
	par.For(s.t, pieces, 1, func(p, _ int) {
		p = pieces - 1 - p // the longest vectors first
		symvRows(s.partial.Row(p), a, x, s.boundary[p], s.boundary[p+1])
	})
	copy(y, s.partial.Row(pieces - 1)[:n])
	for p := pieces - 2; p >= 0; p-- {
		hi := s.boundary[p+1]
		axpyVec(1, s.partial.Row(p)[:hi], y[:hi])
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
				symv4(a.Data[i*a.Stride+c0:], a.Stride, x[c0:c1], y[c0:c1], x[i:i+4], y[i:i+4])
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

// symv4 takes four rows of len(x) entries, stride apart:
// yr[k] += Σⱼ aₖⱼ·x[j] and y[j] += Σₖ aₖⱼ·xr[k].
func symv4(a []float64, stride int, x, y, xr, yr []float64) {
	for k := range 4 {
		row := a[k*stride : k*stride+len(x)]
		yr[k] += dotVec(row, x)
		axpyVec(xr[k], row, y)
	}
}
