package solve

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// freeFactor solves with K_II for sets I of free variables that change a little
// from one to the next. It factorises one of them, B, and reaches the others by a
// border: with A = I∖B come and D = B∖I gone, K_BB = LLᵀ and U = L⁻¹[K_BA E_D],
//
//	┌ K_BB  K_BA  E_D ┐ ┌ x_B ┐   ┌ g_B ┐
//	│ K_AB  K_AA   0  │ │ x_A │ = │ g_A │
//	└ E_Dᵀ   0     0  ┘ └  μ  ┘   └  0  ┘
//
// leaves for (x_A, μ) a system of |A| + |D| unknowns, the Schur complement. r changes of
// m cost rm² operations in place of m³/3, and the factor is good for the next price too.
type freeFactor[F linalg.Float] struct {
	base  []int32 // B, in the order of L
	place []int32 // by variable: 1 + its row in L, 0 outside B
	c     *linalg.CholeskyOf[F]
	block []F

	added, removed []int32
	u              linalg.Matrix[F] // m × (|A| + |D|)
	cross          linalg.Matrix[F] // UᵀU
	gone, come     *linalg.Cholesky // of U_DᵀU_D and of the complement of A
	q              linalg.Matrix[float64]
	border, square []F
	rhs            []F
	small          [2][]float64
}

// borderShare is the part of B, one in so many, that may change before a new
// factorisation is the cheaper way.
const borderShare = 6

// forget drops the factorisation.
func (w *freeFactor[F]) forget() {
	for _, t := range w.base {
		w.place[t] = 0
	}
	w.base, w.added, w.removed, w.c = w.base[:0], w.added[:0], w.removed[:0], nil
}

// bordered says whether the factorisation is of another set than asked for.
func (w *freeFactor[F]) bordered() bool { return len(w.added)+len(w.removed) > 0 }

// prepare makes ready to solve with the block of free, the variables of k whose side is 0;
// its diagonal is raised by ridge, relatively: twins (equal rows) leave it singular to rounding.
func (w *freeFactor[F]) prepare(k linalg.Matrix[float32], free []int32, side []int8, ridge float64) bool {
	if len(w.place) < len(side) {
		w.place = append(w.place, make([]int32, len(side)-len(w.place))...)
	}
	if w.c != nil {
		w.added, w.removed = w.added[:0], w.removed[:0]
		for _, t := range free {
			if w.place[t] == 0 {
				w.added = append(w.added, t)
			}
		}
		for _, t := range w.base {
			if side[t] != 0 {
				w.removed = append(w.removed, t)
			}
		}
		r := len(w.added) + len(w.removed)
		if r == 0 || borderShare*r <= len(w.base) && w.makeBorder(k, ridge) {
			return true
		}
	}
	return w.factorise(k, free, ridge)
}

func (w *freeFactor[F]) factorise(k linalg.Matrix[float32], free []int32, ridge float64) bool {
	w.forget()
	m := len(free)
	w.block = room(w.block, m*m)
	a := linalg.Matrix[F]{Rows: m, Cols: m, Stride: m, Data: w.block}
	for i, t := range free {
		to := a.Row(i)
		gatherRow(to[:i+1], k.Row(int(t)), free[:i+1])
		to[i] += F(ridge * (1 + float64(to[i])))
	}
	c, err := linalg.NewCholeskyOf(1, a)
	if err != nil {
		return false
	}
	w.c = c
	w.base = append(w.base, free...)
	for i, t := range free {
		w.place[t] = int32(i + 1)
	}
	return true
}

// makeBorder computes U and factorises the Schur complement, in double precision.
func (w *freeFactor[F]) makeBorder(k linalg.Matrix[float32], ridge float64) bool {
	m, na, nd := len(w.base), len(w.added), len(w.removed)
	r := na + nd
	w.border, w.square = room(w.border, m*r), room(w.square, r*r)
	w.u = linalg.Matrix[F]{Rows: m, Cols: r, Stride: r, Data: w.border}
	w.cross = linalg.Matrix[F]{Rows: r, Cols: r, Stride: r, Data: w.square}
	for i, t := range w.base {
		row := w.u.Row(i)
		gatherRow(row[:na], k.Row(int(t)), w.added)
		clear(row[na:])
	}
	for j, t := range w.removed {
		w.u.Set(int(w.place[t])-1, na+j, 1)
	}
	w.c.SolveL(1, w.u)
	linalg.Syrk(1, linalg.Lower, linalg.Trans, 1, w.u, 0, w.cross)

	// N = U_DᵀU_D, Q = U_AᵀU_D, P = K_AA - U_AᵀU_A: μ goes first, and
	// P + QN⁻¹Qᵀ is left for A.
	gone := linalg.New[float64](nd, nd)
	w.q = linalg.New[float64](nd, na) // Qᵀ
	for i := range nd {
		for j := range i + 1 {
			gone.Set(i, j, float64(w.cross.At(na+i, na+j)))
		}
		for j := range na {
			w.q.Set(i, j, float64(w.cross.At(na+i, j)))
		}
	}
	come := linalg.New[float64](na, na)
	for i, t := range w.added {
		row := k.Row(int(t))
		for j, o := range w.added[:i+1] {
			come.Set(i, j, float64(row[o])-float64(w.cross.At(i, j)))
		}
		come.Set(i, i, come.At(i, i)+ridge*(1+float64(row[t])))
	}
	var err error
	if w.gone, err = linalg.NewCholesky(1, gone); err != nil {
		return false
	}
	if nd > 0 && na > 0 {
		half := w.q.Clone()
		w.gone.SolveL(1, half)
		linalg.Syrk(1, linalg.Lower, linalg.Trans, 1, half, 1, come)
	}
	w.come, err = linalg.NewCholesky(1, come)
	return err == nil
}

// solve appends δ to delta, in the order of free: K_II δ + bias·1 = g_I, Σδ = sum.
func (w *freeFactor[F]) solve(
	free []int32, side []int8, g []float64, sum float64, delta []float64,
) (bias float64, _ []float64) {
	m, na := len(w.base), len(w.added)
	w.rhs = room(w.rhs, 2*m)
	r := linalg.Matrix[F]{Rows: m, Cols: 2, Stride: 2, Data: w.rhs}
	// About the mean, which single precision can hold more digits of.
	mean := 0.0
	for _, t := range free {
		mean += g[t] / float64(len(free))
	}
	for i, t := range w.base {
		if side[t] == 0 {
			r.Set(i, 0, F(g[t]-mean))
			r.Set(i, 1, 1)
		} else {
			r.Set(i, 0, 0)
			r.Set(i, 1, 0)
		}
	}
	w.c.SolveL(1, r)
	var come linalg.Matrix[float64]
	if w.bordered() {
		come = w.solveBorder(r, g, mean)
	}
	w.c.SolveLT(1, r)
	u, v := 0.0, 0.0
	for i, t := range w.base {
		if side[t] == 0 {
			u += float64(r.At(i, 0))
			v += float64(r.At(i, 1))
		}
	}
	for a := range na {
		u += come.At(a, 0)
		v += come.At(a, 1)
	}
	bias = (u - sum) / v
	a := 0
	for _, t := range free {
		if i := int(w.place[t]) - 1; i >= 0 {
			delta = append(delta, float64(r.At(i, 0))-bias*float64(r.At(i, 1)))
			continue
		}
		delta = append(delta, come.At(a, 0)-bias*come.At(a, 1))
		a++
	}
	return bias + mean, delta
}

// solveBorder finds x_A and μ for both right-hand sides from y = L⁻¹g_B in r,
// and leaves y - U(x_A, μ) in r.
func (w *freeFactor[F]) solveBorder(r linalg.Matrix[F], g []float64, mean float64) linalg.Matrix[float64] {
	na, nd := len(w.added), len(w.removed)
	n := na + nd
	for c := range w.small {
		w.small[c] = room(w.small[c], n)
		clear(w.small[c])
	}
	s0, s1 := w.small[0], w.small[1]
	for i := range r.Rows {
		y0, y1 := float64(r.At(i, 0)), float64(r.At(i, 1))
		for j, u := range w.u.Row(i) {
			s0[j] += float64(u) * y0
			s1[j] += float64(u) * y1
		}
	}
	x, mu := linalg.New[float64](na, 2), linalg.New[float64](nd, 2)
	for a, t := range w.added {
		x.Set(a, 0, g[t]-mean-s0[a])
		x.Set(a, 1, 1-s1[a])
	}
	for d := range nd {
		mu.Set(d, 0, s0[na+d])
		mu.Set(d, 1, s1[na+d])
	}
	if nd > 0 {
		first := mu.Clone()
		w.gone.Solve(1, first)
		if na > 0 {
			linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1, w.q, first, 1, x)
		}
	}
	if na > 0 {
		w.come.Solve(1, x)
		if nd > 0 {
			linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, -1, w.q, x, 1, mu)
		}
	}
	if nd > 0 {
		w.gone.Solve(1, mu)
	}
	for j := range n {
		if j < na {
			s0[j], s1[j] = x.At(j, 0), x.At(j, 1)
		} else {
			s0[j], s1[j] = mu.At(j-na, 0), mu.At(j-na, 1)
		}
	}
	for i := range r.Rows {
		y0, y1 := float64(r.At(i, 0)), float64(r.At(i, 1))
		for j, u := range w.u.Row(i) {
			y0 -= float64(u) * s0[j]
			y1 -= float64(u) * s1[j]
		}
		r.Set(i, 0, F(y0))
		r.Set(i, 1, F(y1))
	}
	return x
}

// gatherRow sets dst[j] = row[index[j]].
func gatherRow[F linalg.Float](dst []F, row []float32, index []int32) {
	if single, ok := any(dst).([]float32); ok {
		simd.GatherRow(single, row, index)
		return
	}
	for j, c := range index {
		dst[j] = F(row[c])
	}
}

// room is a slice of n numbers, in s where it has room for them, with some to spare.
func room[F linalg.Float](s []F, n int) []F {
	if cap(s) < n {
		return make([]F, n, n+n/4)
	}
	return s[:n]
}
