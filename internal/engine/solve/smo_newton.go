package solve

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Where many variables are free (high C, wide kernels) pairs converge slowly,
// and one Cholesky factorisation of the free block is worth tens of thousands
// of them. newton optimises the active part by the primal-dual active set method
// (Hintermüller, Ito & Kunisch, SIAM J. Optim. 13, 2003): guess who is at which
// bound, solve
//
//	K_II δ_I + b·1 = z_I,   Σδ = what the others leave
//
// for the free ones I, correct the guess by the signs of what comes out, and repeat until it
// stands. Then the part is at its optimum. The last turns change few variables, and reach their
// blocks from the factorisation before (freeFactor). Factorisations are in single precision, twice
// as fast; since the gradient is brought up to date in double precision after each solution,
// solving again for what is left refines it. Where that does not settle (blocks that are singular
// to single precision) the factorisation is done again in double.
type newton struct {
	x    []float64 // the variables, which may leave their boxes on the way
	f    []float64 // Kx
	g    []float64 // c - Kx
	side []int8    // -1, 0, +1: at the lower bound, free, at the upper bound
	free []int32
	half freeFactor[float32]
	full freeFactor[float64]

	rows    [][]float32
	weights []float64

	hard     bool    // the last problem was settled here: the next is likely to be, too
	double   bool    // single precision did not do in this problem
	again    int     // times that the part may start here, since it has just been solved here
	spent    float64 // what pairs cost since the last attempt
	patience float64 // how many times an attempt's price they may cost first
}

// begin forgets the last problem, but for whether it was hard and for the
// factorisations.
func (w *newton) begin() {
	w.spent, w.patience, w.double, w.again = 0, newtonPatience, false, 0
	if w.hard {
		w.patience = newtonHaste
	}
}

// forget drops the factorisations: the variables have other numbers now.
func (w *newton) forget() {
	w.half.forget()
	w.full.forget()
}

// due says whether pairs have cost so much that an attempt is worth it. One
// that fails makes the next wait four times as long.
func (w *newton) due(part, free int) bool {
	if free > newtonMost || free < newtonLeast || w.spent <= w.patience*newtonPrice(part, free) {
		return false
	}
	w.spent = 0
	w.patience *= 4
	return true
}

const (
	newtonMost     = 3000 // most free variables: beyond it the cube is dearer than pairs
	newtonLeast    = 24
	newtonTurns    = 20
	newtonRefines  = 6
	newtonRough    = 0.02 // of a margin: a worse solution is no guide to the next guess
	newtonAgain    = 4    // starts here in a row, while the part takes in who was forgotten
	newtonHaste    = 0.2  // the same as newtonPatience where the problem before needed one
	newtonPatience = 0.3  // times the price of an attempt that pairs may cost before it
	newtonSettling = 3    // turns without fewer changes after which an attempt is given up
	halfLeast      = 640  // free variables: below it the factorisation is in double precision
)

// Rough prices in seconds, which decide when pairs have cost as much as a
// factorisation would. They are estimates from counts, not clocks, so that runs
// repeat to the bit.
func pairPrice(pairs, size int) float64 { return float64(pairs) * (1.5e-7 + float64(size)*8e-10) }

func newtonPrice(part, free int) float64 {
	f := float64(free)
	return 4 * (f*f*f*4.5e-12 + f*f*2e-9 + f*float64(part)*4e-10)
}

// run optimises q, the programme of the part with matrix k, from beta and f = Kβ, to a
// violation of about tol; it reports whether it did. Otherwise nothing is changed.
func (w *newton) run(
	ctx context.Context, k linalg.Matrix[float32], q BoxQP, beta, f []float64, tol float64,
) (bool, error) {
	w.start(q, beta, f, tol)
	sum := 0.0
	for _, v := range beta {
		sum += v
	}
	// A guess that sets everybody free leads nowhere.
	most := min(2*freeCount(q, beta)+newtonLeast, newtonMost)
	fewest, since := math.MaxInt, 0
	for range newtonTurns {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		w.toBounds(k, q)
		if m := len(w.free); m < 2 || m > most {
			return false, nil
		}
		bias, left, ok := w.solve(k, q, sum, tol)
		if !ok {
			return false, nil
		}
		changed := w.correct(q, bias, tol)
		if changed == 0 && left > 0.1*tol {
			bias, left = w.refine(k, q, sum, bias, left, 0.1*tol)
			changed = w.correct(q, bias, tol)
		}
		if changed == 0 {
			if left > 0.25*tol {
				return false, nil
			}
			copy(beta, w.x)
			copy(f, w.f)
			w.patience = newtonHaste
			return true, nil
		}
		if changed < fewest {
			fewest, since = changed, 0
		} else if since++; since > newtonSettling {
			return false, nil
		}
	}
	return false, nil
}

// start makes the first guess: at a bound is who is there and does not ask to
// leave it.
func (w *newton) start(q BoxQP, beta, f []float64, tol float64) {
	w.x, w.f = append(w.x[:0], beta...), append(w.f[:0], f...)
	w.g, w.side = w.g[:0], w.side[:0]
	b := multiplier(q, beta, f)
	for t, v := range beta {
		g, side := q.Linear[t]-f[t], int8(0)
		if v <= q.Lower[t] && g-b <= 0.5*tol {
			side = -1
		} else if v >= q.Upper[t] && g-b >= -0.5*tol {
			side = 1
		}
		w.g, w.side = append(w.g, g), append(w.side, side)
	}
}

// toBounds puts there who is said to be at one, and lists the others.
func (w *newton) toBounds(k linalg.Matrix[float32], q BoxQP) {
	w.rows, w.weights, w.free = w.rows[:0], w.weights[:0], w.free[:0]
	for t, s := range w.side {
		to := w.x[t]
		switch s {
		case 0:
			w.free = append(w.free, int32(t))
		case 1:
			to = q.Upper[t]
		case -1:
			to = q.Lower[t]
		}
		if d := to - w.x[t]; d != 0 {
			w.x[t] = to
			w.rows, w.weights = append(w.rows, k.Row(t)), append(w.weights, d)
		}
	}
	w.add(q)
}

// solve finds the best values of the free variables to about tol of the gradient, by the
// cheapest factorisation that gets there; left is the residual.
func (w *newton) solve(k linalg.Matrix[float32], q BoxQP, sum, tol float64) (bias, left float64, ok bool) {
	for {
		double := w.double || len(w.free) < halfLeast
		if double {
			ok = w.full.prepare(k, w.free, w.side, 1e-10)
		} else {
			ok = w.half.prepare(k, w.free, w.side, 3e-6)
		}
		if ok {
			bias, left = w.refine(k, q, sum, 0, math.Inf(1), tol)
			if left <= newtonRough {
				return bias, left, true
			}
		}
		switch {
		case double && (!ok || !w.full.bordered()):
			return 0, 0, false
		case double:
			w.full.forget()
		case ok && w.half.bordered():
			w.half.forget()
		default:
			w.double = true
		}
	}
}

// refine solves for what is left of the gradient of the free variables until it is at most enough
// or does not shrink any more: they move by δ with K_II δ + b·1 = g_I and Σx = sum.
func (w *newton) refine(k linalg.Matrix[float32], q BoxQP, sum, bias, left, enough float64) (float64, float64) {
	for range newtonRefines {
		rest := sum
		for _, v := range w.x {
			rest -= v
		}
		w.weights = w.weights[:0]
		if w.double || len(w.free) < halfLeast {
			bias, w.weights = w.full.solve(w.free, w.side, w.g, rest, w.weights)
		} else {
			bias, w.weights = w.half.solve(w.free, w.side, w.g, rest, w.weights)
		}
		w.rows = w.rows[:0]
		for i, t := range w.free {
			w.x[t] += w.weights[i]
			w.rows = append(w.rows, k.Row(int(t)))
		}
		w.add(q)
		before := left
		left = w.residual(bias)
		if left <= enough || left > 0.5*before {
			break
		}
	}
	return bias, left
}

// add brings Kx and the gradient up to date with what moved.
func (w *newton) add(q BoxQP) {
	addRows(1, w.f, w.rows, w.weights, 0)
	for t, c := range q.Linear {
		w.g[t] = c - w.f[t]
	}
}

// residual is how far the gradient of the free variables is from their bias.
func (w *newton) residual(bias float64) float64 {
	worst := 0.0
	for _, t := range w.free {
		worst = max(worst, math.Abs(w.g[t]-bias))
	}
	return worst
}

// correct moves who is beyond a bound to it, sets free who wants to leave one,
// and counts them.
func (w *newton) correct(q BoxQP, bias, tol float64) int {
	changed := 0
	for t, s := range w.side {
		to := s
		switch {
		case s == 0 && w.x[t] > q.Upper[t]:
			to = 1
		case s == 0 && w.x[t] < q.Lower[t]:
			to = -1
		case s > 0 && w.g[t]-bias < -0.25*tol, s < 0 && w.g[t]-bias > 0.25*tol:
			to = 0
		}
		if to != s {
			w.side[t] = to
			changed++
		}
	}
	return changed
}
