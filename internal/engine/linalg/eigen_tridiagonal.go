package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
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
// rank-2k update. Both cut the triangle into the same runs of rows, so that a core finds
// its part in its own cache.
func newTridiagonal(w crew, a Matrix[float64]) *tridiagonal {
	n := a.Rows
	r := &tridiagonal{diag: make([]float64, n), off: make([]float64, max(n-1, 0)), tau: make([]float64, n), reflectors: a}
	if n == 0 {
		return r
	}
	p := newReductionPanel(w, r, n)
	defer p.team.close()
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
	now  pendingUpdate // times the vector at hand
	next pendingUpdate // of the row that comes next
	tile *simd.Tile[float64]
}

// pendingUpdate is a combination of the pending wᵣ and vᵣ.
type pendingUpdate struct{ ofW, ofV []float64 }

func newReductionPanel(w crew, r *tridiagonal, n int) *reductionPanel {
	k := min(tridiagonalPanel+8, n)
	update := func() pendingUpdate { return pendingUpdate{make([]float64, k), make([]float64, k)} }
	return &reductionPanel{
		crew: w, r: r, w: New[float64](k, n), symv: newSymvWork(n), now: update(), next: update(),
		tile: simd.TileOf[float64](),
		team: newTeam(min(par.Workers(w.threads), max(n/rowsPerMember, 1))),
	}
}

// rowsPerMember is how many rows are worth another member of the team.
const rowsPerMember = 48

// reduce makes the reflectors of rows hi−1 down to lo.
func (p *reductionPanel) reduce(lo, hi int) {
	r, a := p.r, p.r.reflectors
	for i := hi - 1; i >= lo && !p.crew.stopped(); i-- {
		row := a.Data[i*a.Stride : i*a.Stride+i+1]
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
		if i > lo { // what this column adds to the update of the row that comes next
			next := a.Data[(i-1)*a.Stride : (i-1)*a.Stride+i]
			axpyVec(-v[i-1], w, next)
			axpyVec(-w[i-1], v, next)
		}
	}
}

// multiply sets w to the current leading matrix times v: A·v for the matrix as
// stored, minus the pending update times v. Meanwhile it takes the pending update from row i−1.
func (p *reductionPanel) multiply(w, v []float64, i, hi, lo int) {
	a, pending := p.r.reflectors, hi-i-1
	now, next := p.now, p.next
	p.symv.multiply(p.team, a.Slice(0, i, 0, i), v, pending, func(k0, k1 int) {
		// vₖ·v is the coefficient of wₖ, and the other way round.
		dotRows(now.ofW[k0:k1], a.Data[(i+1+k0)*a.Stride:], a.Stride, v)
		dotRows(now.ofV[k0:k1], p.w.Data[(i+1+k0-lo)*p.w.Stride:], p.w.Stride, v)
	})
	for k := range pending {
		now.ofW[k], now.ofV[k] = -now.ofW[k], -now.ofV[k]
		next.ofW[k] = -a.Data[(i+1+k)*a.Stride+i-1]
		next.ofV[k] = -p.w.Data[(i+1+k-lo)*p.w.Stride+i-1]
	}
	row := a.Data[(i-1)*a.Stride : (i-1)*a.Stride+i]
	p.team.each(pieces(i, vectorGrain), func(piece int) {
		c0 := piece * vectorGrain
		c1 := min(c0+vectorGrain, i)
		p.symv.gather(w[c0:c1], c0, c1)
		p.combine(now, w[c0:c1], c0, i, hi, lo)
		if i > lo {
			p.combine(next, row[c0:c1], c0, i, hi, lo)
		}
	})
}

// combine adds columns c0 and up of Σₖ ofW[k−i−1]·wₖ + ofV[k−i−1]·vₖ, k in (i, hi), to y.
func (p *reductionPanel) combine(u pendingUpdate, y []float64, c0, i, hi, lo int) {
	a := p.r.reflectors
	if i+1 == hi {
		return
	}
	axpyRows(u.ofW[:hi-i-1], p.w.Data[(i+1-lo)*p.w.Stride+c0:], p.w.Stride, y)
	axpyRows(u.ofV[:hi-i-1], a.Data[(i+1)*a.Stride+c0:], a.Stride, y)
}

// updateColumns is how many columns of a run of rows are updated at a time, of about this many:
// what they are multiplied by stays in the second-level cache.
const updateColumns = 192

// updateLeading applies the panel to the triangle of rows below lo:
// A −= [V; W]ᵀ·[W; V].
func (p *reductionPanel) updateLeading(lo, hi int) {
	if lo == 0 || p.crew.stopped() {
		return
	}
	a, t, k := p.r.reflectors, p.tile, hi-lo
	v, w := byColumn[float64](a.Slice(lo, hi, 0, lo)), byColumn[float64](p.w.Slice(0, k, 0, lo))
	store := borrow[float64](2 * k * (roundUp(lo, t.MR) + roundUp(lo, t.NR)))
	defer giveBack(store)
	left := panels[float64]{(*store)[:2*k*roundUp(lo, t.MR)], 2 * k}
	right := panels[float64]{(*store)[2*k*roundUp(lo, t.MR):], 2 * k}
	ofLeft, ofRight := roundUp(vectorGrain, t.MR), roundUp(vectorGrain, t.NR)
	lefts := pieces(lo, ofLeft)
	p.team.each(lefts+pieces(lo, ofRight), func(piece int) {
		if piece < lefts {
			i, n := piece*ofLeft, min(ofLeft, lo-piece*ofLeft)
			some := panels[float64]{left.data[i*2*k:], 2 * k}
			some.packLeft(t, v, i, n, 0, 0, k)
			some.packLeft(t, w, i, n, 0, k, k)
			return
		}
		j := (piece - lefts) * ofRight
		n := min(ofRight, lo-j)
		some := panels[float64]{right.data[j*2*k:], 2 * k}
		some.packRight(t, w, j, n, 0, 0, k)
		some.packRight(t, v, j, n, 0, k, k)
	})
	runs := p.symv.cut(lo)
	columns := roundUp(updateColumns, t.NR)
	p.team.each(runs, func(run int) {
		r0, r1 := p.symv.boundary[run]/t.MR*t.MR, p.symv.boundary[run+1]/t.MR*t.MR
		if run == runs-1 {
			r1 = lo
		}
		scratch := borrow[float64](t.MR * t.NR)
		defer giveBack(scratch)
		whole := min(roundUp(r1, t.NR), lo) // panels are as wide as they were packed
		for c0 := 0; c0 < whole; c0 += columns {
			panelProduct[float64]{
				tile: t, part: Lower, alpha: -1, left: panels[float64]{left.data[r0*2*k:], 2 * k},
				right: panels[float64]{right.data[c0*2*k:], 2 * k}, c: a, scratch: *scratch,
			}.add(1, r0, r1, c0, min(c0+columns, whole), 0, 0, 2*k)
		}
	})
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
