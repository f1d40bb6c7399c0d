package solve

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/internal/simd"
)

// Where many variables are free (high C, wide kernels) pairs converge slowly,
// and one Cholesky factorisation of the free block is worth tens of thousands
// of them. newton optimises the whole programme by the primal-dual active set method
// (Hintermüller, Ito & Kunisch, SIAM J. Optim. 13, 2003): guess who is at which
// bound, solve
//
//	K_II δ_I + b·1 = z_I,   Σδ = what the others leave
//
// for the free ones I, correct the guess by the signs of what comes out, and
// repeat until it stands. Then the programme is at its optimum. The factorisation is
// in single precision, twice as fast; since the gradient is brought up to date in double
// precision after each solution, solving again for what is left refines it. Where that does not settle
// (blocks that are singular to single precision) the factorisation is done again in double.
type newton struct {
	x     []float64 // the variables, which may leave their boxes on the way
	f     []float64 // Kx, by point
	g     []float64 // c - Kx, by variable
	side  []int8    // -1, 0, +1: at the lower bound, free, at the upper bound
	free  []int
	index []int32
	half  factor[float32]
	whole factor[float64]

	rows    [][]float32
	weights []float64

	points   int
	hard     bool    // the last problem was settled here: the next is likely to be, too
	spent    float64 // what pairs cost since the last attempt
	patience float64 // how many times an attempt's price they may cost first
}

// factor is room for the factorisation of the free block and for the two
// right-hand sides.
type factor[F linalg.Float] struct {
	block, rhs []F
	c          *linalg.CholeskyOf[F]
}

// begin forgets the last problem, but for whether it was hard.
func (w *newton) begin(points int) {
	w.points, w.spent, w.patience = points, 0, newtonPatience
	if w.hard {
		w.patience = newtonHaste
	}
}

// due says whether pairs have cost so much that an attempt is worth it. One
// that fails makes the next wait four times as long.
func (w *newton) due(free int) bool {
	if free > newtonMost || free < newtonLeast || w.spent <= w.patience*newtonPrice(w.points, free) {
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
	newtonRough    = 0.02 // of a margin: as exact as a guess needs to be that will be corrected
	newtonHaste    = 0.2  // the same where the problem before needed one
	newtonPatience = 0.3  // times the price of an attempt that pairs may cost before it
	newtonSettling = 3    // turns without fewer changes after which an attempt is given up
	wholeLeast     = 640  // free variables: below it the factorisation is in double precision
)

// Rough prices in seconds, which decide when pairs have cost as much as a
// factorisation would. They are estimates from counts, not clocks, so that runs
// repeat to the bit.
func pairPrice(pairs, size int) float64 { return float64(pairs) * (1.5e-7 + float64(size)*8e-10) }

func newtonPrice(points, free int) float64 {
	f := float64(free)
	return 4 * (f*f*f*4.5e-12 + f*f*2e-9 + f*float64(points)*4e-10)
}

// run optimises q, with the rows of k, from beta and f = Kβ, to a violation of
// about tol; it reports whether it did. Otherwise nothing is changed.
func (w *newton) run(ctx context.Context, k linalg.Matrix[float32], q BoxQP, beta, f []float64, tol float64) (bool, error) {
	m := len(beta)
	if cap(w.x) < m {
		w.x, w.g, w.side = make([]float64, m), make([]float64, m), make([]int8, m)
	}
	w.x, w.g, w.side = w.x[:m], w.g[:m], w.side[:m]
	copy(w.x, beta)
	w.f = append(w.f[:0], f...)
	b := Multiplier(q, beta, f)
	sum := 0.0
	for t, v := range beta {
		w.g[t] = q.Linear[t] - f[q.Point[t]]
		sum += v
		w.side[t] = 0
		if v <= q.Lower[t] && w.g[t]-b <= 0.5*tol {
			w.side[t] = -1
		} else if v >= q.Upper[t] && w.g[t]-b >= -0.5*tol {
			w.side[t] = 1
		}
	}
	// A guess that sets everybody free leads nowhere.
	most := min(2*freeCount(q, beta)+newtonLeast, newtonMost)
	fewest, since := math.MaxInt, 0
	for range newtonTurns {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		bias, ok := w.turn(k, q, sum, most)
		if !ok {
			return false, nil
		}
		changed := w.correct(q, bias, tol)
		for range newtonRefines {
			if left := w.residual(bias); left <= 0.1*tol || changed > 0 && left <= newtonRough {
				break
			}
			bias = w.refine(k, q, sum)
			changed = w.correct(q, bias, tol)
		}
		if changed == 0 {
			if w.residual(bias) > 0.25*tol {
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

// turn puts the others at their bounds and solves for the free ones.
func (w *newton) turn(k linalg.Matrix[float32], q BoxQP, sum float64, most int) (bias float64, ok bool) {
	w.rows, w.weights = w.rows[:0], w.weights[:0]
	w.free, w.index = w.free[:0], w.index[:0]
	for t, s := range w.side {
		to := w.x[t]
		switch s {
		case 0:
			w.free, w.index = append(w.free, t), append(w.index, int32(q.Point[t]))
		case 1:
			to = q.Upper[t]
		case -1:
			to = q.Lower[t]
		}
		if d := to - w.x[t]; d != 0 {
			w.x[t] = to
			w.rows, w.weights = append(w.rows, k.Row(q.Point[t])), append(w.weights, d)
		}
	}
	w.add(q)
	m := len(w.free)
	if m < 2 || m > most {
		return 0, false
	}
	w.half.c, w.whole.c = nil, nil
	if m >= wholeLeast && w.half.factorise(k, w.index, 3e-6) || w.whole.factorise(k, w.index, 1e-10) {
		return w.refine(k, q, sum), true
	}
	return 0, false
}

// factorise the free block, its diagonal raised by ridge, relatively: twins
// (equal rows) leave it singular to rounding.
func (w *factor[F]) factorise(k linalg.Matrix[float32], index []int32, ridge float64) bool {
	m := len(index)
	if cap(w.block) < m*m {
		w.block = make([]F, m*m+m*m/4)
	}
	if cap(w.rhs) < 2*m {
		w.rhs = make([]F, 3*m)
	}
	a := linalg.Matrix[F]{Rows: m, Cols: m, Stride: m, Data: w.block[:m*m]}
	for i, t := range index {
		from, to := k.Row(int(t)), a.Row(i)
		if single, ok := any(to).([]float32); ok {
			simd.GatherRow(single, from, index[:i+1])
		} else {
			for j, c := range index[:i+1] {
				to[j] = F(from[c])
			}
		}
		to[i] += F(ridge * (1 + float64(to[i])))
	}
	c, err := linalg.NewCholesky(1, a)
	if err != nil {
		return false
	}
	w.c = c
	return true
}

// refine solves for what is left of the gradient of the free variables: they
// move by δ with K_II δ + b·1 = g_I and Σx = sum.
func (w *newton) refine(k linalg.Matrix[float32], q BoxQP, sum float64) (bias float64) {
	for _, v := range w.x {
		sum -= v
	}
	w.weights = w.weights[:0]
	if w.half.c != nil {
		bias, w.weights = w.half.solve(w.free, w.g, sum, w.weights)
	} else {
		bias, w.weights = w.whole.solve(w.free, w.g, sum, w.weights)
	}
	w.rows = w.rows[:0]
	for i, t := range w.free {
		w.x[t] += w.weights[i]
		w.rows = append(w.rows, k.Row(q.Point[t]))
	}
	w.add(q)
	return bias
}

// add brings Kx and the gradient up to date with what moved.
func (w *newton) add(q BoxQP) {
	addRows(1, w.f, w.rows, w.weights, 0)
	for t, p := range q.Point {
		w.g[t] = q.Linear[t] - w.f[p]
	}
}

// solve appends δ to delta: its sum is sum.
func (w *factor[F]) solve(free []int, g []float64, sum float64, delta []float64) (bias float64, _ []float64) {
	m := len(free)
	r := linalg.Matrix[F]{Rows: m, Cols: 2, Stride: 2, Data: w.rhs[:2*m]}
	// About the mean, which single precision can hold more digits of.
	mean := 0.0
	for _, t := range free {
		mean += g[t] / float64(m)
	}
	for i, t := range free {
		r.Set(i, 0, F(g[t]-mean))
		r.Set(i, 1, 1)
	}
	w.c.Solve(1, r)
	u, v := 0.0, 0.0
	for i := range m {
		u += float64(r.At(i, 0))
		v += float64(r.At(i, 1))
	}
	bias = (u - sum) / v
	for i := range m {
		delta = append(delta, float64(r.At(i, 0))-bias*float64(r.At(i, 1)))
	}
	return bias + mean, delta
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
