package solve

import (
	"context"
	"math"
	"math/bits"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// singlePairs does pair updates with the gradient z = c - Kβ in single
// precision, over all variables at a time: two passes over z for each pair, one that steps and
// finds the next i, one that finds its partner. Whoever calls it computes the
// gradient afresh in double precision from what moved, so that rounding here
// costs pairs and never exactness.
//
// A variable may have a kink at 0, where c falls by a given gap as β becomes positive: the two
// variables of a point of a regression, of which one at most is not 0, as one. What raising it
// gains, z, and what lowering it gains, fall, then differ.
type singlePairs struct {
	z, diag  []float32  // padded to whole vectors
	fall     []float32  // z for those that are lowered; nil where it is z
	up, down [][]uint32 // by group, bits: who may be raised, who may be lowered
	best     []float32  // by group: the largest z of those in up
	kink     []float32  // gap at 0 of each variable; nil where there is none
}

// singleRounding is how far the gradient in single precision drifts while pairs bring a violation
// down, as a share of it: steps, and the entries that matter, are of its size.
const singleRounding = 2e-6

// padded is n rounded up to whole vectors of the passes.
func padded(n int) int { return (n + 31) &^ 31 }

// PaddedStride is the row length with which a matrix of n columns is fastest in
// SharedSMO: whole vectors.
func PaddedStride(n int) int { return padded(n) }

// begin makes room for n variables, none of which can move.
func (w *singlePairs) begin(n, groups int, kinks bool) {
	n = padded(n)
	if cap(w.z) < n {
		w.z, w.diag = make([]float32, n), make([]float32, n)
		w.fall, w.kink = nil, nil
		w.up, w.down = nil, nil
	}
	w.z, w.diag = w.z[:n], w.diag[:n]
	clear(w.z)
	for len(w.up) < groups {
		w.up, w.down = append(w.up, make([]uint32, cap(w.z)/32)), append(w.down, make([]uint32, cap(w.z)/32))
	}
	w.up, w.down = w.up[:groups], w.down[:groups]
	w.best = make([]float32, groups)
	for g := range w.up {
		w.up[g], w.down[g] = w.up[g][:n/32], w.down[g][:n/32]
		clear(w.up[g])
		clear(w.down[g])
	}
	if !kinks {
		w.fall, w.kink = nil, nil
		return
	}
	if cap(w.fall) < n {
		w.fall, w.kink = make([]float32, n), make([]float32, n)
	}
	w.fall, w.kink = w.fall[:n], w.kink[:n]
	clear(w.fall)
	clear(w.kink)
}

// place notes on which sides variable t of a group may still move.
func (w *singlePairs) place(t, group int, beta, lower, upper float64) {
	word, bit := t>>5, uint32(1)<<(t&31)
	w.up[group][word] &^= bit
	w.down[group][word] &^= bit
	if beta < upper {
		w.up[group][word] |= bit
	}
	if beta > lower {
		w.down[group][word] |= bit
	}
}

// start gives variable t its gradient for β > 0 and its kink.
func (w *singlePairs) start(t int, z, kink, beta float64) {
	w.z[t] = float32(z)
	if w.kink == nil {
		return
	}
	w.kink[t] = float32(kink)
	w.fall[t] = w.z[t]
	if beta < 0 {
		w.z[t] += w.kink[t]
	}
	if beta <= 0 {
		w.fall[t] += w.kink[t]
	}
}

// turn brings z and fall of variable t across its kink when β moves.
func (w *singlePairs) turn(t int, before, after float64) {
	if before < 0 && after >= 0 {
		w.z[t] -= w.kink[t]
	} else if before >= 0 && after < 0 {
		w.z[t] += w.kink[t]
	}
	if before <= 0 && after > 0 {
		w.fall[t] -= w.kink[t]
	} else if before > 0 && after <= 0 {
		w.fall[t] += w.kink[t]
	}
}

// pairsRun is the programme of a run.
type pairsRun struct {
	row          func(t int) []float32 // with room for whole vectors; nil where it has to be made first
	diag         []float64
	lower, upper []float64
	group        func(t int) int // nil where there is one
	beta         []float64
}

// run updates pairs until the violation is at most eps, or budget of them are
// done, or a row is missing, which it then returns, else -1.
func (w *singlePairs) run(ctx context.Context, p pairsRun, eps float64, budget int) (done, missing int, err error) {
	for t, d := range p.diag {
		w.diag[t] = float32(d)
	}
	fall := w.fall
	if fall == nil {
		fall = w.z
	}
	for g := range w.best {
		w.best[g] = simd.StepMasked(0, w.z, w.z, w.z, w.up[g])
	}
	for done := range budget {
		if done&1023 == 1023 {
			if err := ctx.Err(); err != nil {
				return done, -1, err
			}
		}
		i, j, missing := w.choose(p, fall, eps)
		if missing >= 0 || i < 0 {
			return done, missing, nil
		}
		ki, kj := p.row(i), p.row(j)
		if kj == nil {
			return done, j, nil
		}
		gi := 0
		if p.group != nil {
			gi = p.group(i)
		}
		upper, lower := p.upper[i], p.lower[j]
		bi, bj := p.beta[i], p.beta[j]
		if w.kink != nil {
			if bi < 0 && w.kink[i] > 0 {
				upper = 0
			}
			if bj > 0 && w.kink[j] > 0 {
				lower = 0
			}
		}
		curve := max(p.diag[i]+p.diag[j]-2*float64(ki[j]), smallCurvature)
		step := (float64(w.z[i]) - float64(fall[j])) / curve
		step, p.beta[i], p.beta[j] = stepInBox(step, bi, upper, bj, lower)
		w.place(i, gi, p.beta[i], p.lower[i], p.upper[i])
		w.place(j, gi, p.beta[j], p.lower[j], p.upper[j])
		if w.kink != nil {
			w.turn(i, bi, p.beta[i])
			w.turn(j, bj, p.beta[j])
			simd.StepMasked(float32(step), ki, kj, fall, w.up[0])
		}
		w.best[0] = simd.StepMasked(float32(step), ki, kj, w.z, w.up[0])
		for g := 1; g < len(w.best); g++ {
			w.best[g] = simd.StepMasked(0, w.z, w.z, w.z, w.up[g])
		}
	}
	return budget, -1, nil
}

// choose is the second-order choice of a pair, over the groups the one that promises most; -1 where
// the violation is at most eps, and the row that is missing for a choice, else -1.
func (w *singlePairs) choose(p pairsRun, fall []float32, eps float64) (bi, bj, missing int) {
	bi, bj = -1, -1
	most := 0.0
	for g, zi := range w.best {
		if math.IsInf(float64(zi), -1) {
			continue
		}
		i := simd.FirstEqual(w.z, w.up[g], zi)
		ki := p.row(i)
		if ki == nil {
			return -1, -1, i
		}
		// Rounding may leave z and fall of i itself apart: it is no partner of its own.
		word, own := &w.down[g][i>>5], w.down[g][i>>5]
		*word &^= 1 << (i & 31)
		j, low := simd.PartnerMasked(fall, w.down[g], w.diag, ki, zi, w.diag[i], smallCurvature)
		*word = own
		if float64(zi-low) <= eps || j < 0 {
			continue
		}
		if len(w.best) == 1 {
			return i, j, -1
		}
		d := float64(zi) - float64(fall[j])
		if gain := d * d / max(p.diag[i]+p.diag[j]-2*float64(ki[j]), smallCurvature); gain > most {
			bi, bj, most = i, j, gain
		}
	}
	return bi, bj, -1
}

// likely lists the variables among those with a bit in wanted that are furthest from where they
// should be by the gradient as it stands: count of those to be raised and count of those to be
// lowered, in turn, the worst first.
func (w *singlePairs) likely(count int, wanted []uint32) []int {
	fall := w.fall
	if fall == nil {
		fall = w.z
	}
	up, down := make([]ranked, 0, count+1), make([]ranked, 0, count+1)
	// The least that is worth a place in each list: nearly all points are below it.
	most, least := float32(math.Inf(-1)), float32(math.Inf(1))
	if count == 0 {
		return nil
	}
	for word, have := range wanted {
		if have == 0 {
			continue
		}
		var rise, sink uint32
		for g := range w.up {
			rise |= w.up[g][word]
			sink |= w.down[g][word]
		}
		for m := rise & have; m != 0; m &= m - 1 {
			t := 32*word + bits.TrailingZeros32(m)
			if w.z[t] > most {
				if up = insertWorst(up, count, float64(w.z[t]), t); len(up) == count {
					most = float32(up[count-1].score)
				}
			}
		}
		for m := sink & have; m != 0; m &= m - 1 {
			t := 32*word + bits.TrailingZeros32(m)
			if fall[t] < least {
				if down = insertWorst(down, count, -float64(fall[t]), t); len(down) == count {
					least = -float32(down[count-1].score)
				}
			}
		}
	}
	out := make([]int, 0, 2*count)
	for a := range max(len(up), len(down)) {
		if a < len(up) {
			out = append(out, int(up[a].t))
		}
		if a < len(down) {
			out = append(out, int(down[a].t))
		}
	}
	return out
}

// insertWorst keeps the count highest scores, the highest first, of equals the first that came.
func insertWorst(list []ranked, count int, score float64, t int) []ranked {
	if len(list) == count && (count == 0 || !(score > list[count-1].score)) {
		return list
	}
	list = append(list, ranked{score, int32(t)})
	for i := len(list) - 1; i > 0 && list[i].score > list[i-1].score; i-- {
		list[i], list[i-1] = list[i-1], list[i]
	}
	return list[:min(len(list), count)]
}

// middles is what is taken off the gradient of each group, the middle between its worst violators:
// only differences count, and those who are still to move are then near 0, where single precision
// has digits, however large Kβ is.
func middles(low, high []float64) []float64 {
	out := make([]float64, len(low))
	for g := range out {
		if m := (low[g] + high[g]) / 2; !math.IsInf(m, 0) && !math.IsNaN(m) {
			out[g] = m
		}
	}
	return out
}
