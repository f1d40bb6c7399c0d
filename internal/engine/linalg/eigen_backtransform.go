package linalg

// backtransformBlock is the number of reflectors applied at once.
const backtransformBlock = 64

// applyRight replaces the rows of x, each a vector in the basis in which A is
// tridiagonal, by Q times them: x ← x·Qᵀ = x·H₁·H₂···H₍ₙ₋₁₎.
//
// Consecutive reflectors are aggregated in the compact form
// H₍ₗₒ₎···H₍ₕᵢ₋₁₎ = I − Vᵀ·T·V with T upper triangular (Schreiber & Van Loan
// 1989), so that nearly all work is Gemm.
func (r *tridiagonal) applyRight(w crew, x Matrix[float64]) {
	n := r.reflectors.Rows
	if x.Rows == 0 || n < 2 {
		return
	}
	kb := min(backtransformBlock, n)
	v := New[float64](kb, n)
	tm := New[float64](kb, kb)
	gram := New[float64](kb, kb)
	xv := New[float64](x.Rows, kb)
	xvt := New[float64](x.Rows, kb)
	for lo := 1; lo < n && !w.stopped(); lo += kb {
		hi := min(lo+kb, n)
		k, m := hi-lo, hi-1
		for i := lo; i < hi; i++ {
			row := v.Row(i - lo)
			copy(row, r.reflectors.Data[i*r.reflectors.Stride:i*r.reflectors.Stride+i])
			clear(row[i:])
		}
		vk := v.Slice(0, k, 0, m)
		compactFactor(w, vk, r.tau[lo:hi], gram.Slice(0, k, 0, k), tm.Slice(0, k, 0, k))
		xk := x.Slice(0, x.Rows, 0, m)
		left, right := xv.Slice(0, x.Rows, 0, k), xvt.Slice(0, x.Rows, 0, k)
		gemm(w, NoTrans, Trans, 1, xk, vk, 0, left)
		gemm(w, NoTrans, NoTrans, 1, left, tm.Slice(0, k, 0, k), 0, right)
		gemm(w, NoTrans, NoTrans, -1, right, vk, 1, xk)
	}
}

// compactFactor sets tm to the upper triangular T of
// H₀·H₁···H₍ₖ₋₁₎ = I − Vᵀ·T·V, for reflectors in the rows of v.
func compactFactor(w crew, v Matrix[float64], tau []float64, gram, tm Matrix[float64]) {
	gemm(w, NoTrans, Trans, 1, v, v, 0, gram)
	for j := range v.Rows {
		for i := range v.Rows {
			tm.Set(i, j, 0)
		}
		// T[:j, j] = −τⱼ·T[:j, :j]·(V[:j]·vⱼ)
		for i := range j {
			s := 0.0
			for l := i; l < j; l++ {
				s += tm.At(i, l) * gram.At(l, j)
			}
			tm.Set(i, j, -tau[j]*s)
		}
		tm.Set(j, j, tau[j])
	}
}
