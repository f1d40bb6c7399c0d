package solve

import (
	"context"

	"github.com/mercer-ml/mercer/internal/linalg"
)

// Where many variables are free (high C, wide kernels) pairs converge slowly,
// and one Cholesky factorisation of the free block is worth tens of thousands
// of them. newton optimises a large working set, all free variables and all violators at
// bounds, by the primal-dual active set method (Hintermüller, Ito & Kunisch,
// SIAM J. Optim. 13, 2003): guess who is at which bound, solve
//
//	K_II δ_I + b·1 = z_I - K_IB δ_B,   Σδ = 0
//
// for the others exactly, correct the guess by the signs of what comes out, and
// repeat until it stands. Then the set is at its optimum.
type newton struct {
	vars   []int
	points []int
	a      linalg.Matrix[float64] // K on the set
	store  []float64
	block  []float64
	z      []float64 // c - Kβ at the start
	delta  []float64
	lo, hi []float64 // room of δ
	side   []int8    // -1, 0, +1: at the lower bound, free, at the upper bound
	index  []int
	rhs    []float64

	pairs, sets int     // the pairs' work since the last attempt
	patience    float64 // how many times a factorisation's price they may cost first
}

// begin forgets the last problem.
func (w *newton) begin() { w.pairs, w.sets, w.patience = 0, 0, newtonPatience }

// due says whether pairs have cost so much that a factorisation is worth an
// attempt. An attempt that fails makes the next one wait four times as long.
func (w *newton) due(size, n, free int) bool {
	if w.sets < 1 || pairPrice(w.pairs, w.sets, size, n) <= w.patience*newtonPrice(free) {
		return false
	}
	w.pairs, w.sets = 0, 0
	w.patience *= 4
	return true
}

const (
	newtonMost  = 2200 // largest set: beyond it the cube is dearer than pairs
	newtonLeast = 48
	newtonTurns = 12
	// newtonPatience is the number of factorisations that an attempt is
	// expected to take.
	newtonPatience = 6.0
)

// Rough prices in seconds, which decide when pairs have cost as much as a
// factorisation would: then changing over costs at most twice the best plan.
// They are estimates from counts, not clocks, so that runs repeat to the bit.
func pairPrice(iterations, sets, size, n int) float64 {
	return float64(iterations)*float64(size)*6.5e-10 + float64(sets)*float64(size)*(float64(n)*3e-10+float64(size)*3e-9)
}

func newtonPrice(m int) float64 {
	f := float64(m)
	return f*f*f*1.1e-11 + f*f*8e-9
}

// tryNewton runs one newton step on the free variables and the violators; it
// reports whether the variables moved.
func (s *SharedSMO) tryNewton(ctx context.Context, q BoxQP, beta, f []float64, tol float64) (bool, error) {
	w := &s.newton
	b := Multiplier(q, beta, f)
	w.vars, w.points = w.vars[:0], w.points[:0]
	for t, v := range beta {
		z := q.Linear[t] - f[q.Point[t]] - b
		up, down := v < q.Upper[t], v > q.Lower[t]
		if up && down || up && z > 0.5*tol || down && z < -0.5*tol {
			w.vars = append(w.vars, t)
			w.points = append(w.points, q.Point[t])
		}
	}
	m := len(w.vars)
	if m < newtonLeast || m > newtonMost {
		return false, nil
	}
	w.grow(m)
	for a, p := range w.points {
		row, dst := s.K.Row(p), w.a.Row(a)
		for c, o := range w.points[:a+1] {
			dst[c] = float64(row[o])
		}
	}
	linalg.MirrorLower(1, w.a)
	for a, t := range w.vars {
		v := beta[t]
		w.z[a] = q.Linear[t] - f[w.points[a]]
		w.lo[a], w.hi[a] = q.Lower[t]-v, q.Upper[t]-v
		w.side[a] = 0
		w.delta[a] = 0
	}
	done, err := w.run(ctx, tol)
	if err != nil || !done {
		return false, err
	}
	s.rows, s.weights = s.rows[:0], s.weights[:0]
	for a, t := range w.vars {
		d := w.delta[a]
		switch {
		case w.side[a] > 0:
			beta[t] = q.Upper[t]
		case w.side[a] < 0:
			beta[t] = q.Lower[t]
		default:
			beta[t] = min(max(beta[t]+d, q.Lower[t]), q.Upper[t])
		}
		if d != 0 {
			s.rows, s.weights = append(s.rows, s.K.Row(w.points[a])), append(s.weights, d)
		}
	}
	addRows(1, f, s.rows, s.weights, 0)
	w.patience = newtonPatience
	return true, nil
}

func (w *newton) grow(m int) {
	if cap(w.store) < m*m {
		w.store, w.block = make([]float64, m*m), make([]float64, m*m)
	}
	w.a = linalg.Matrix[float64]{Rows: m, Cols: m, Stride: m, Data: w.store[:m*m]}
	if cap(w.z) < m {
		w.z, w.delta, w.lo, w.hi = make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
		w.side, w.rhs = make([]int8, m), make([]float64, 2*m)
	}
	w.z, w.delta, w.lo, w.hi, w.side = w.z[:m], w.delta[:m], w.lo[:m], w.hi[:m], w.side[:m]
}

// run finds the active set. done is false when the guesses do not settle, the
// block is not positive definite, or nothing is left free: pairs go on then.
func (w *newton) run(ctx context.Context, tol float64) (done bool, err error) {
	m := len(w.z)
	for range newtonTurns {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		w.index = w.index[:0]
		fixed := 0.0
		for a := range m {
			switch w.side[a] {
			case 0:
				w.index = append(w.index, a)
			case 1:
				w.delta[a] = w.hi[a]
				fixed += w.hi[a]
			case -1:
				w.delta[a] = w.lo[a]
				fixed += w.lo[a]
			}
		}
		bias, ok := w.solve(fixed)
		if !ok {
			return false, nil
		}
		changed := 0
		for a := range m {
			switch w.side[a] {
			case 0:
				if w.delta[a] > w.hi[a] {
					w.side[a] = 1
					changed++
				} else if w.delta[a] < w.lo[a] {
					w.side[a] = -1
					changed++
				}
			default:
				slope := w.z[a] - bias
				for c, v := range w.a.Row(a) {
					slope -= v * w.delta[c]
				}
				if w.side[a] > 0 && slope < -0.25*tol || w.side[a] < 0 && slope > 0.25*tol {
					w.side[a] = 0
					changed++
				}
			}
		}
		if changed == 0 {
			return true, nil
		}
	}
	return false, nil
}

// solve finds δ on the free part of the set and the multiplier b.
func (w *newton) solve(fixed float64) (bias float64, ok bool) {
	m := len(w.index)
	if m < 2 {
		return 0, false
	}
	k := linalg.Matrix[float64]{Rows: m, Cols: m, Stride: m, Data: w.block[:m*m]}
	r := linalg.Matrix[float64]{Rows: m, Cols: 2, Stride: 2, Data: w.rhs[:2*m]}
	for i, a := range w.index {
		from, to := w.a.Row(a), k.Row(i)
		for j, c := range w.index[:i+1] {
			to[j] = from[c]
		}
		// Twins (equal rows) leave the block singular to rounding.
		to[i] += 1e-9 * (1 + from[a])
		rest := w.z[a]
		for c, s := range w.side {
			if s != 0 {
				rest -= from[c] * w.delta[c]
			}
		}
		r.Set(i, 0, rest)
		r.Set(i, 1, 1)
	}
	c, err := linalg.NewCholesky(1, k)
	if err != nil {
		return 0, false
	}
	c.Solve(1, r)
	u, v := 0.0, 0.0
	for i := range m {
		u += r.At(i, 0)
		v += r.At(i, 1)
	}
	if !(v > 0) {
		return 0, false
	}
	bias = (u + fixed) / v
	for i, a := range w.index {
		w.delta[a] = r.At(i, 0) - bias*r.At(i, 1)
	}
	return bias, true
}
