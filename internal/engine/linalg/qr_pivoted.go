package linalg

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// PivotedQR is the rank-revealing factorisation A·P = Q·R: at every step the
// column of largest remaining norm comes next, so |Rᵢᵢ| does not increase.
type PivotedQR struct {
	QR
	Perm []int // column j of A·P is column Perm[j] of A
}

// NewPivotedQR factorises a, overwriting it.
//
// Columns are pivoted one at a time, but the trailing matrix is updated by a
// product once a block (Quintana-Ortí, Sun and Bischof 1998, LAPACK's
// DGEQP3). The norms are downdated by Pythagoras and counted anew as soon as
// cancellation has eaten half their digits (Drmač and Bujanović 2008), so the
// choice of pivots never rests on noise.
func NewPivotedQR(t int, a Matrix[float64]) *PivotedQR {
	return newPivotedQR(crew{threads: t}, a)
}

func newPivotedQR(w crew, a Matrix[float64]) *PivotedQR {
	m, n := a.Rows, a.Cols
	p := &pivoting{crew: w, a: a, perm: make([]int, n), norm: make([]float64, n), exact: make([]float64, n),
		tau: make([]float64, min(m, n))}
	for j := range n {
		p.perm[j] = j
	}
	p.recount(0, 0)
	for k := 0; k < min(m, n) && !w.stopped(); {
		k += p.block(k, min(qrBase*2, min(m, n)-k))
	}
	q := &PivotedQR{QR: QR{a: a}, Perm: p.perm}
	q.blocksFromTau(w, p.tau)
	return q
}

// Rank counts the diagonal entries of R above tol·|R₀₀|; tol = 0 means
// max(m, n)·ε.
func (q *PivotedQR) Rank(tol float64) int {
	if tol == 0 {
		tol = float64(max(q.a.Rows, q.a.Cols)) * 0x1p-52
	}
	r := 0
	for r < min(q.a.Rows, q.a.Cols) && math.Abs(q.a.At(r, r)) > tol*math.Abs(q.a.At(0, 0)) {
		r++
	}
	return r
}

// Solve returns the basic least-squares solution of A·x ≈ b at the given rank
// (see Rank): the unknowns of the columns beyond it are zero. b is
// overwritten with Qᵀ·b. The error is a *Singular when R is zero within that
// rank.
func (q *PivotedQR) Solve(t int, b Matrix[float64], rank int) (Matrix[float64], error) {
	n := q.a.Cols
	if rank < 0 || rank > min(q.a.Rows, n) {
		panic(fmt.Sprintf("linalg: rank %d for a %d×%d matrix", rank, q.a.Rows, n))
	}
	for i := range rank {
		if d := q.a.At(i, i); !usablePivot(d) {
			return Matrix[float64]{}, &Singular{Pivot: i, Value: d}
		}
	}
	q.MulQ(t, Trans, b)
	top := b.Slice(0, rank, 0, b.Cols).Clone()
	Trsm(t, Left, Upper, NoTrans, NonUnit, 1, q.a.Slice(0, rank, 0, rank), top)
	x := New[float64](n, b.Cols)
	for i := range rank {
		copy(x.Row(q.Perm[i]), top.Row(i))
	}
	return x, nil
}

// blocksFromTau builds T of each block from the reflectors in a:
// T(:, j) = [−τⱼ·T·(Vᵀ·vⱼ); τⱼ].
func (q *QR) blocksFromTau(w crew, tau []float64) {
	for k := 0; k < len(tau) && !w.stopped(); k += qrBlock {
		width := min(qrBlock, len(tau)-k)
		v := q.reflectors(k, width)
		gram := New[float64](width, width)
		gemm(w, Trans, NoTrans, 1, v, v, 0, gram)
		tri := New[float64](width, width)
		for j := range width {
			tri.Set(j, j, tau[k+j])
			for i := range j {
				s := 0.0
				for l := i; l < j; l++ {
					s += tri.At(i, l) * gram.At(l, j)
				}
				tri.Set(i, j, -tau[k+j]*s)
			}
		}
		q.blocks = append(q.blocks, tri)
	}
}

// pivoting is the state of a pivoted factorisation under way.
type pivoting struct {
	crew  crew
	a     Matrix[float64]
	perm  []int
	norm  []float64 // of what remains of each column, downdated
	exact []float64 // its value when last counted from the entries
	tau   []float64
}

// recount sets the norms of the columns from j0 on to those of rows i0 on.
// Plain sums of squares are accumulated row by row; columns for which that
// over- or underflows are done again with scaling.
func (p *pivoting) recount(i0, j0 int) {
	m, n := p.a.Rows, p.a.Cols
	p.crew.each(n-j0, 128, func(lo, hi int) {
		sums := p.norm[j0+lo : j0+hi]
		clear(sums)
		for i := i0; i < m; i++ {
			for j, v := range p.a.Row(i)[j0+lo : j0+hi] {
				sums[j] += v * v
			}
		}
		for j, s := range sums {
			if s > 0x1p-900 && s < 0x1p1000 {
				sums[j] = math.Sqrt(s)
			} else {
				sums[j] = p.columnNorm(i0, j0+lo+j)
			}
		}
		copy(p.exact[j0+lo:j0+hi], sums)
	})
}

func (p *pivoting) columnNorm(i0, j int) float64 {
	c := make([]float64, p.a.Rows-i0)
	for i := range c {
		c[i] = p.a.At(i0+i, j)
	}
	return simd.Norm(c)
}

// block makes up to width reflectors starting at (k, k) and brings the rest
// of a up to date; it returns how many, fewer when a norm has to be counted
// anew before the next pivot can be chosen.
//
// With V the reflectors and F such that the updated matrix is A − V·Fᵀ, only
// the pivot column and the pivot row of it are formed within the block.
func (p *pivoting) block(k, width int) int {
	a, m, n := p.a, p.a.Rows, p.a.Cols
	f := New[float64](n-k, width) // row j−k belongs to column j
	v := make([]float64, m)
	stale := []int(nil)
	made := 0
	for made < width && len(stale) == 0 && !p.crew.stopped() {
		j := k + made
		p.bring(j, f, k, made)
		// Column j: A(j:, j) −= V(j:, :)·F(j, :)ᵀ, then its reflector.
		c := v[:m-j]
		fj := f.Row(j - k)[:made]
		for i := range c {
			row := a.Row(j + i)
			c[i] = row[j] - simd.Dot(row[k:j], fj)
		}
		beta, tau := householder(c)
		p.tau[j] = tau
		for i := range c {
			a.Set(j+i, j, c[i]) // the unit diagonal, for the products below
		}
		// F(:, made) = τ·(A(j:, :)ᵀ·c − F·(V(j:, :)ᵀ·c)).
		w := p.timesRows(j, c)
		vc := make([]float64, made)
		addTransposedTimes(p.crew, 1, a.Slice(j, m, k, j), c, vc)
		for r := range n - k {
			if r <= made {
				f.Set(r, made, 0)
				continue
			}
			f.Set(r, made, tau*(w[r-made-1]-simd.Dot(f.Row(r)[:made], vc)))
		}
		made++
		// Row j: A(j, j+1:) −= V(j, :)·F(j+1:, :)ᵀ.
		row := a.Row(j)
		for q := j + 1; q < n; q++ {
			row[q] -= simd.Dot(row[k:j+1], f.Row(q - k)[:made])
		}
		row[j] = beta
		stale = p.downdate(j, stale)
	}
	end := k + made
	if end < m && end < n {
		below := a.Slice(end, m, k, end)
		gemm(p.crew, NoTrans, Trans, -1, below, f.Slice(made, n-k, 0, made), 1, a.Slice(end, m, end, n))
	}
	for _, j := range stale {
		p.norm[j] = 0
		if end < m {
			p.norm[j] = p.columnNorm(end, j)
		}
		p.exact[j] = p.norm[j]
	}
	return made
}

// bring moves the column of largest norm from j on to j.
func (p *pivoting) bring(j int, f Matrix[float64], k, made int) {
	best := j
	for q := j + 1; q < p.a.Cols; q++ {
		if p.norm[q] > p.norm[best] {
			best = q
		}
	}
	if best == j {
		return
	}
	for i := range p.a.Rows {
		row := p.a.Row(i)
		row[j], row[best] = row[best], row[j]
	}
	fj, fb := f.Row(j - k)[:made], f.Row(best - k)[:made]
	for i := range fj {
		fj[i], fb[i] = fb[i], fj[i]
	}
	p.perm[j], p.perm[best] = p.perm[best], p.perm[j]
	p.norm[best], p.exact[best] = p.norm[j], p.exact[j] // those of j are spent
}

// timesRows returns A(j:, j+1:)ᵀ·c, the one product a reflector that has to
// read all that remains of the matrix.
func (p *pivoting) timesRows(j int, c []float64) []float64 {
	w := make([]float64, p.a.Cols-j-1)
	addTransposedTimes(p.crew, 1, p.a.Slice(j, p.a.Rows, j+1, p.a.Cols), c, w)
	return w
}

// downdate takes row j out of the norms of the columns beyond it, and adds to
// stale those that have lost half their digits since they were counted.
func (p *pivoting) downdate(j int, stale []int) []int {
	const halfDigits = 0x1p-26
	row := p.a.Row(j)
	for q := j + 1; q < p.a.Cols; q++ {
		if p.norm[q] == 0 {
			continue
		}
		r := math.Abs(row[q]) / p.norm[q]
		left := math.Max(0, (1-r)*(1+r))
		lost := p.norm[q] / p.exact[q]
		if !(left*lost*lost > halfDigits) {
			stale = append(stale, q)
			continue
		}
		p.norm[q] *= math.Sqrt(left)
	}
	return stale
}
