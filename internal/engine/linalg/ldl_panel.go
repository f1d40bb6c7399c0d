package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// growthBound is the α of Bunch and Kaufman that balances the growth of 1×1
// and 2×2 steps.
var growthBound = (1 + math.Sqrt(17)) / 8

// ldlPanel is a block of columns being eliminated. a is what remains of the
// matrix, lower triangle; the first done columns of a hold L, those of w hold
// L·D with the same rows.
type ldlPanel struct {
	crew crew
	a, w Matrix[float64]
}

// panel eliminates up to ldlBlock columns from k on and updates the rest; it
// returns how many.
func (f *LDL) panel(w crew, k int) int {
	n := f.l.Rows - k
	width := min(ldlBlock, n)
	p := ldlPanel{crew: w, a: f.l.Slice(k, k+n, k, k+n), w: New[float64](n, width)}
	done := 0
	for done < n && !w.stopped() && (done < width-1 || width == n) {
		swap, order := p.choose(done)
		last := done + order - 1 // the row that swap changes places with
		if swap != last {
			p.exchange(done, last, swap)
			f.exchangeLeft(k, k+last, k+swap)
		}
		if order == 1 {
			p.eliminateOne(done)
			f.diag[k+done] = p.w.At(done, done)
		} else {
			p.eliminatePair(done)
			f.diag[k+done] = p.w.At(done, done)
			f.diag[k+done+1] = p.w.At(done+1, done+1)
			f.off[k+done] = p.w.At(done+1, done)
			f.pair[k+done] = true
		}
		done += order
	}
	if done < n {
		gemmFunc(w, Lower, NoTrans, Trans, -1, p.a.Slice(done, n, 0, done), p.w.Slice(done, n, 0, done), 1, p.a.Slice(done, n, done, n), nil)
	}
	return done
}

// fill sets column dst of w, from row k on, to column j of the matrix as it
// stands after the first k eliminations.
func (p ldlPanel) fill(dst, j, k int) {
	wj := p.w.Row(j)[:k]
	p.crew.each(p.a.Rows-k, 512, func(lo, hi int) {
		for i := k + lo; i < k+hi; i++ {
			v := p.a.At(max(i, j), min(i, j))
			p.w.Set(i, dst, v-simd.Dot(p.a.Row(i)[:k], wj))
		}
	})
}

// choose brings column k up to date and picks the next pivot: a 1×1 at row
// swap, or a 2×2 of rows k and swap.
func (p ldlPanel) choose(k int) (swap, order int) {
	n := p.a.Rows
	p.fill(k, k, k)
	here := math.Abs(p.w.At(k, k))
	at, colMax := k, 0.0
	for i := k + 1; i < n; i++ {
		if v := math.Abs(p.w.At(i, k)); v > colMax {
			at, colMax = i, v
		}
	}
	if here >= growthBound*colMax {
		return k, 1
	}
	p.fill(k+1, at, k)
	rowMax := 0.0
	for i := k; i < n; i++ {
		if i != at {
			rowMax = math.Max(rowMax, math.Abs(p.w.At(i, k+1)))
		}
	}
	if here >= growthBound*colMax*(colMax/rowMax) {
		return k, 1
	}
	if math.Abs(p.w.At(at, k+1)) >= growthBound*rowMax {
		for i := k; i < n; i++ {
			p.w.Set(i, k, p.w.At(i, k+1))
		}
		return at, 1
	}
	return at, 2
}

// exchange swaps rows and columns last and swap of what remains, where the
// columns from k to last are already in w: the old column last, as yet not
// updated, takes the place of column swap.
func (p ldlPanel) exchange(k, last, swap int) {
	a := p.a
	a.Set(swap, swap, a.At(last, last))
	rs := a.Row(swap)
	for j := last + 1; j < swap; j++ {
		rs[j] = a.At(j, last)
	}
	for i := swap + 1; i < a.Rows; i++ {
		a.Set(i, swap, a.At(i, last))
	}
	rl := a.Row(last)
	for j := range k {
		rl[j], rs[j] = rs[j], rl[j]
	}
	wl, ws := p.w.Row(last), p.w.Row(swap)
	for j := range last + 1 {
		wl[j], ws[j] = ws[j], wl[j]
	}
}

// exchangeLeft swaps two rows of the columns of L before the panel at k, so
// that one permutation stands for all of L.
func (f *LDL) exchangeLeft(k, i, j int) {
	ri, rj := f.l.Row(i)[:k], f.l.Row(j)[:k]
	for c := range ri {
		ri[c], rj[c] = rj[c], ri[c]
	}
	f.perm[i], f.perm[j] = f.perm[j], f.perm[i]
}

func (p ldlPanel) eliminateOne(k int) {
	d := p.w.At(k, k)
	for i := k + 1; i < p.a.Rows; i++ {
		v := p.w.At(i, k)
		if v != 0 { // a zero column with d = 0 is left: A is singular there
			v /= d
		}
		p.a.Set(i, k, v)
	}
}

func (p ldlPanel) eliminatePair(k int) {
	d21 := p.w.At(k+1, k)
	d11, d22 := p.w.At(k+1, k+1)/d21, p.w.At(k, k)/d21
	s := 1 / (d11*d22 - 1) / d21
	for i := k + 2; i < p.a.Rows; i++ {
		u, v := p.w.At(i, k), p.w.At(i, k+1)
		p.a.Set(i, k, s*(d11*u-v))
		p.a.Set(i, k+1, s*(d22*v-u))
	}
	p.a.Set(k+1, k, 0) // L has no entry inside a block of D
}
