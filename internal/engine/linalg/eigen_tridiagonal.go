package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// tridiagonalPanel is the number of reflectors aggregated before the leading
// matrix is updated by one level-3 product.
const tridiagonalPanel = 32

// tridiagonal is the reduction A = Q·T·Qᵀ with Q = H₍ₙ₋₁₎···H₁ and
// Hᵢ = I − τᵢ·vᵢ·vᵢᵀ. vᵢ stands in row i of reflectors, columns 0..i−1, with its
// last component 1 written out; the rest of the row is not part of it.
type tridiagonal struct {
	diag, off  []float64 // T: n and n−1 numbers
	tau        []float64 // τᵢ at index i; tau[0] is unused
	reflectors Matrix[float64]
}

// newTridiagonal reduces the symmetric matrix whose lower triangle is in a,
// which is overwritten by the reflectors.
//
// Rows are eliminated from the last to the first, so that with row-major
// storage a reflector is a contiguous row and what remains is the leading
// triangle. Panels follow Dongarra, Hammarling & Sorensen (1989), LAPACK's
// DSYTRD: half of the 4n³/3 flops are the symmetric products A·v, which read
// the triangle once per column and are bound by memory; the other half is a
// rank-2k update by Gemm.
func newTridiagonal(w crew, a Matrix[float64]) *tridiagonal {
	n := a.Rows
	r := &tridiagonal{diag: make([]float64, n), off: make([]float64, max(n-1, 0)), tau: make([]float64, n), reflectors: a}
	if n == 0 {
		return r
	}
	p := newReductionPanel(w, r, n)
	for hi := n; hi > 0 && !w.stopped(); {
		lo := max(hi-tridiagonalPanel, 0)
		if lo < 8 {
			lo = 0 // the last sliver is not worth an update of its own
		}
		p.reduce(lo, hi)
		p.updateLeading(lo, hi)
		hi = lo
	}
	return r
}

// reductionPanel holds the rows wᵣ that, with the vᵣ, carry the update
// A − Σ (vᵣ·wᵣᵀ + wᵣ·vᵣᵀ) that the leading matrix has not yet seen.
type reductionPanel struct {
	crew crew
	team *team
	r    *tridiagonal
	w    Matrix[float64] // wᵣ in row r−lo
	symv *symvWork
	ofW  []float64 // coefficients of the wᵣ in a combination
	ofV  []float64 // likewise of the vᵣ
	vw   Matrix[float64]
	wv   Matrix[float64]
}

func newReductionPanel(w crew, r *tridiagonal, n int) *reductionPanel {
	k := min(tridiagonalPanel+8, n)
	return &reductionPanel{
		crew: w, r: r, w: New[float64](k, n), symv: newSymvWork(n),
		ofW: make([]float64, k), ofV: make([]float64, k), vw: New[float64](2*k, n), wv: New[float64](2*k, n),
	}
}

// rowsPerMember is how many rows are worth another member of the team: with fewer, 16 threads were
// a third slower than 8 at order 1,000 and a tenth at 2,000, since all wait three times a column.
const rowsPerMember = 160

// reduce makes the reflectors of rows hi−1 down to lo.
func (p *reductionPanel) reduce(lo, hi int) {
	r, a := p.r, p.r.reflectors
	p.team = newTeam(min(par.Workers(p.crew.threads), max(hi/rowsPerMember, 1)))
	defer p.team.close()
	for i := hi - 1; i >= lo && !p.crew.stopped(); i-- {
		row := a.Data[i*a.Stride : i*a.Stride+i+1]
		p.applyPending(row, i, hi, lo)
		r.diag[i] = row[i]
		if i == 0 {
			return
		}
		v := row[:i]
		r.off[i-1], r.tau[i] = reflector(v)
		w := p.w.Row(i - lo)[:i]
		p.multiply(w, v, i, hi, lo)
		scaleVec(r.tau[i], w)
		axpyVec(-0.5*r.tau[i]*dotVec(w, v), v, w)
	}
}

// applyPending subtracts row i of the pending update from row.
func (p *reductionPanel) applyPending(row []float64, i, hi, lo int) {
	a := p.r.reflectors
	for k := i + 1; k < hi; k++ {
		p.ofW[k-i-1] = -a.Data[k*a.Stride+i]
		p.ofV[k-i-1] = -p.w.Data[(k-lo)*p.w.Stride+i]
	}
	if i+1 < hi {
		p.overColumns(len(row), func(c0, c1 int) { p.combine(row[c0:c1], c0, i, hi, lo) })
	}
}

// multiply sets w to the current leading matrix times v: A·v for the matrix as
// stored, minus the pending update times v.
func (p *reductionPanel) multiply(w, v []float64, i, hi, lo int) {
	a, pending := p.r.reflectors, hi-i-1
	const group = 8
	p.symv.multiply(p.team, a.Slice(0, i, 0, i), v, (pending+group-1)/group, func(g int) {
		k0, k1 := i+1+g*group, min(i+1+(g+1)*group, hi)
		// vₖ·v is the coefficient of wₖ, and the other way round.
		dotRows(p.ofW[k0-i-1:k1-i-1], a.Data[k0*a.Stride:], a.Stride, v)
		dotRows(p.ofV[k0-i-1:k1-i-1], p.w.Data[(k0-lo)*p.w.Stride:], p.w.Stride, v)
	})
	for k := range pending {
		p.ofW[k], p.ofV[k] = -p.ofW[k], -p.ofV[k]
	}
	p.overColumns(len(w), func(c0, c1 int) {
		p.symv.gather(w[c0:c1], c0, c1)
		p.combine(w[c0:c1], c0, i, hi, lo)
	})
}

// overColumns calls f on pieces of n columns.
func (p *reductionPanel) overColumns(n int, f func(c0, c1 int)) {
	p.team.each((n+vectorGrain-1)/vectorGrain, func(piece int) {
		f(piece*vectorGrain, min((piece+1)*vectorGrain, n))
	})
}

// combine adds columns c0 and up of Σₖ ofW[k−i−1]·wₖ + ofV[k−i−1]·vₖ, k in (i, hi), to y.
func (p *reductionPanel) combine(y []float64, c0, i, hi, lo int) {
	a := p.r.reflectors
	if i+1 == hi {
		return
	}
	axpyRows(p.ofW[:hi-i-1], p.w.Data[(i+1-lo)*p.w.Stride+c0:], p.w.Stride, y)
	axpyRows(p.ofV[:hi-i-1], a.Data[(i+1)*a.Stride+c0:], a.Stride, y)
}

// updateLeading applies the panel to the triangle of rows below lo:
// A −= [V; W]ᵀ·[W; V].
func (p *reductionPanel) updateLeading(lo, hi int) {
	if lo == 0 {
		return
	}
	a, k := p.r.reflectors, hi-lo
	for i := range k {
		v, w := a.Data[(lo+i)*a.Stride:(lo+i)*a.Stride+lo], p.w.Row(i)[:lo]
		copy(p.vw.Row(i), v)
		copy(p.vw.Row(k+i), w)
		copy(p.wv.Row(i), w)
		copy(p.wv.Row(k+i), v)
	}
	gemmFunc(p.crew, Lower, Trans, NoTrans, -1, p.vw.Slice(0, 2*k, 0, lo), p.wv.Slice(0, 2*k, 0, lo), 1, a.Slice(0, lo, 0, lo), nil)
}

// reflector overwrites x by v, with v's last component 1, such that
// (I − τ·v·vᵀ)·x = (0, …, 0, β).
func reflector(x []float64) (beta, tau float64) {
	last := len(x) - 1
	scale := 1.0
	tail := dotVec(x[:last], x[:last])
	if tail+x[last]*x[last] < 1e-240 {
		// Squares have underflowed, or are near it; a reflector made of them would
		// not be orthogonal. It does not change when x is scaled.
		largest := 0.0
		for _, v := range x {
			largest = max(largest, math.Abs(v))
		}
		if largest > 0 {
			scale = unitScale(largest)
			scaleVec(scale, x)
			tail = dotVec(x[:last], x[:last])
		}
	}
	alpha := x[last]
	x[last] = 1
	if tail == 0 {
		clear(x[:last])
		return alpha / scale, 0
	}
	beta = -math.Copysign(math.Sqrt(alpha*alpha+tail), alpha)
	scaleVec(1/(alpha-beta), x[:last])
	return beta / scale, (beta - alpha) / beta
}
