package linalg

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// PivotedCholesky is a low-rank factorisation A ≈ L·Lᵀ of a positive
// semidefinite matrix, the largest remaining diagonal entry taken as pivot at
// every step (Harbrecht, Peters and Schneider 2012; Fine and Scheinberg 2001).
//
// A − L·Lᵀ is itself positive semidefinite, so its trace, kept in Residual,
// bounds its nuclear, Frobenius and spectral norms: it certifies the error.
type PivotedCholesky struct {
	L        Matrix[float64] // n×r, rows in the order of A; L[Pivots, :] is lower triangular
	Pivots   []int           // the rows of A taken, in order; their number is the rank r
	Trace    float64         // tr A
	Residual float64         // tr(A − L·Lᵀ)
}

// PivotedOptions says when a pivoted Cholesky factorisation stops.
type PivotedOptions struct {
	// Tolerance stops it once tr(A − L·Lᵀ) ≤ Tolerance·tr A. Zero stops it
	// where rounding leaves nothing to go on: no remaining diagonal entry
	// above n·ε·max diag A, which always applies.
	Tolerance float64
	MaxRank   int // zero means n
}

func (o PivotedOptions) check(n int) (PivotedOptions, error) {
	if !(o.Tolerance >= 0) || math.IsInf(o.Tolerance, 1) {
		return o, fmt.Errorf("pivoted Cholesky: tolerance is %g: it must be finite and at least 0", o.Tolerance)
	}
	if o.MaxRank < 0 {
		return o, fmt.Errorf("pivoted Cholesky: maximal rank is %d: it must be at least 0 (0 means n)", o.MaxRank)
	}
	if o.MaxRank == 0 || o.MaxRank > n {
		o.MaxRank = n
	}
	return o, nil
}

// residualDiagonal is the diagonal of A − L·Lᵀ with the rules for going on.
type residualDiagonal struct {
	d       []float64
	floor   float64 // entries up to this are rounding, below −floor a refusal
	goal    float64 // stop when the sum is at most this
	trace   float64
	maxRank int
}

func newResidualDiagonal(d []float64, o PivotedOptions) (*residualDiagonal, error) {
	o, err := o.check(len(d))
	if err != nil {
		return nil, err
	}
	r := &residualDiagonal{d: d, maxRank: o.MaxRank}
	largest := 0.0
	for i, v := range d {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, &NotFinite{Row: i, Col: i, Value: v}
		}
		if v < 0 {
			return nil, &NotPositiveDefinite{Pivot: i, Value: v}
		}
		r.trace += v
		largest = math.Max(largest, v)
	}
	r.floor = float64(len(d)) * 0x1p-52 * largest
	r.goal = o.Tolerance * r.trace
	return r, nil
}

// next picks the position of the largest entry among d[from:], or −1 to stop.
func (r *residualDiagonal) next(d []float64, from int) (at int, sum float64, err error) {
	at = -1
	best := r.floor
	for i := from; i < len(d); i++ {
		v := d[i]
		if v < -r.floor || math.IsNaN(v) {
			return i, 0, &NotPositiveDefinite{Pivot: i, Value: v}
		}
		sum += math.Max(v, 0)
		if v > best {
			at, best = i, v
		}
	}
	if sum <= r.goal {
		at = -1
	}
	return at, sum, nil
}

// NewPivotedCholeskyFrom factorises an implicit matrix given by its diagonal
// and by columns: column(dst, j) must set dst to column j. It reads r
// columns, in O(n·r²) time and O(n·r) memory. The error is a *NotFinite or,
// where the matrix shows itself not to be positive semidefinite, a
// *NotPositiveDefinite naming the row.
func NewPivotedCholeskyFrom(
	t int, diag []float64, column func(dst []float64, j int), o PivotedOptions,
) (*PivotedCholesky, error) {
	return newPivotedCholeskyFrom(crew{threads: t}, diag, column, o)
}

func newPivotedCholeskyFrom(
	w crew, diag []float64, column func(dst []float64, j int), o PivotedOptions,
) (*PivotedCholesky, error) {
	n := len(diag)
	res, err := newResidualDiagonal(append([]float64(nil), diag...), o)
	if err != nil {
		return nil, err
	}
	p := &PivotedCholesky{Trace: res.trace}
	l := New[float64](n, min(16, res.maxRank))
	col := make([]float64, n)
	taken := make([]bool, n)
	for {
		if w.stopped() {
			return nil, w.ctx.Err()
		}
		at, sum, err := res.next(res.d, 0)
		if err != nil {
			return nil, err
		}
		p.Residual = sum
		rank := len(p.Pivots)
		if at < 0 || rank == res.maxRank {
			break
		}
		if rank == l.Cols {
			wider := New[float64](n, min(2*rank, res.maxRank))
			wider.Slice(0, n, 0, rank).CopyFrom(l)
			l = wider
		}
		column(col, at)
		if err := finiteColumn(col, at); err != nil {
			return nil, err
		}
		pivotRow := l.Row(at)[:rank]
		root := math.Sqrt(res.d[at])
		w.each(n, 512, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if taken[i] {
					continue // exactly zero: L[Pivots, :] is triangular
				}
				row := l.Row(i)
				v := (col[i] - simd.Dot(row[:rank], pivotRow)) / root
				if i == at {
					v = root
				}
				row[rank] = v
				res.d[i] -= v * v
			}
		})
		taken[at] = true
		res.d[at] = 0
		p.Pivots = append(p.Pivots, at)
	}
	p.L = l.Slice(0, n, 0, len(p.Pivots))
	return p, nil
}

func finiteColumn(col []float64, j int) error {
	for i, v := range col {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &NotFinite{Row: i, Col: j, Value: v}
		}
	}
	return nil
}
