package nystrom

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// heldOut is the mean squared error on rows held out of ridge regression on centres fitted to
// others, as a function of the kernel's parameters and of λ. With K = K(X, C) and the weights W of
// the n rows fitted to, V = K(X', C) and W' of those held out, and S = K(C, C) + ε it is
//
//	α = H⁻¹KᵀWy, H = KᵀWK + nλS,   r = Vα - y',   E = rᵀW'r/ΣW',
//
// and with q = 2W'r/ΣW', s = H⁻¹·∂E/∂α = H⁻¹Vᵀq and e = y - Kα its differential is
//
//	dE = ⟨dV, qαᵀ⟩ + ⟨dK, W(esᵀ - Ksαᵀ)⟩ - nλ⟨dS, sαᵀ⟩ - n·dλ·⟨s, Sα⟩.
//
// It implements solve.Smooth with ½·log E, the logarithm of the root of the mean square; a
// coordinate is the logarithm of the factor of a group of parameters, the last one that of λ.
type heldOut struct {
	ctx     context.Context
	kernel  kernel.Kernel[any]
	groups  [][]int // places in the kernel's parameters that share a factor
	theta   []float64
	lambda  float64
	jitter  float64 // ε
	threads int

	fitted, judged, centers data.Points[any]
	y, z                    linalg.Matrix[float64] // targets of fitted and judged, about the mean of the former
	w, v                    []float64              // their weights; nil: 1
	floor                   float64                // below what rounding leaves of an error: a constant target has none

	best  []float64 // where the value was least
	least float64
	calls int
	last  struct { // a search asks for the place that it took once more
		u, grad []float64
		value   float64
	}
}

// The factors stay within e^±reach of where they began: beyond, a column is as good as left out, or
// each row alone.
const reach = 9

// at is the kernel and λ at a place.
func (h *heldOut) at(u []float64) (kernel.Kernel[any], float64, error) {
	theta := slices.Clone(h.theta)
	for g, places := range h.groups {
		for _, p := range places {
			theta[p] *= math.Exp(clamp(u[g]))
		}
	}
	lambda := h.lambda * math.Exp(clamp(u[len(h.groups)]))
	if len(theta) == 0 {
		return h.kernel, lambda, nil
	}
	k, err := kernel.With(h.kernel, theta)
	return k, lambda, err
}

func clamp(u float64) float64 { return math.Max(math.Min(u, reach), -reach) }

// Dot is that of Rⁿ.
func (h *heldOut) Dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// Eval is ½·log E and its gradient; infinite where the equations cannot be solved, or the context
// has ended.
func (h *heldOut) Eval(u, grad []float64) float64 {
	if slices.Equal(u, h.last.u) {
		copy(grad, h.last.grad)
		return h.last.value
	}
	clear(grad)
	mean, err := h.eval(u, grad)
	mean += h.floor
	value := math.Log(mean) / 2
	if err != nil || math.IsNaN(value) {
		clear(grad)
		return math.Inf(1)
	}
	for i, v := range u {
		if grad[i] /= 2 * mean; math.Abs(v) > reach {
			grad[i] = 0
		}
	}
	if h.calls++; value < h.least {
		h.least, h.best = value, slices.Clone(u)
	}
	h.last.u, h.last.grad, h.last.value = slices.Clone(u), slices.Clone(grad), value
	return value
}

// eval is E and its gradient.
func (h *heldOut) eval(u, grad []float64) (float64, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	k, lambda, err := h.at(u)
	if err != nil {
		return 0, err
	}
	m, n, outputs := h.centers.Len(), h.fitted.Len(), h.y.Cols
	ridge := lambda * float64(n)
	s := linalg.New[float64](m, m)
	if err := kernel.FillSym(h.threads, blas64.General(s), kernel.Prepare(h.ctx, k, h.centers, h.centers)); err != nil {
		return 0, err
	}
	for i := range m {
		s.Row(i)[i] += h.jitter
	}
	root, err := linalg.NewCholeskyContext(h.ctx, h.threads, s.Clone())
	if err != nil {
		return 0, err
	}
	kn, kv := linalg.New[float64](n, m), linalg.New[float64](h.judged.Len(), m)
	columns := kernel.NewBase(k, h.centers)
	if err := errors.Join(kernel.Fill(h.threads, blas64.General(kn), columns.Prepare(h.ctx, h.fitted)),
		kernel.Fill(h.threads, blas64.General(kv), columns.Prepare(h.ctx, h.judged))); err != nil {
		return 0, err
	}
	system, err := h.factorise(kn, root, ridge)
	if err != nil {
		return 0, err
	}
	// H⁻¹b = L⁻ᵀ(ΦᵀWΦ + nλ)⁻¹L⁻¹b, Φ = KL⁻ᵀ.
	solve := func(b linalg.Matrix[float64]) linalg.Matrix[float64] {
		root.SolveL(h.threads, b)
		system.Solve(h.threads, b)
		root.SolveLT(h.threads, b)
		return b
	}
	times := func(op linalg.Op, a, b linalg.Matrix[float64], rows int) linalg.Matrix[float64] {
		out := linalg.New[float64](rows, outputs)
		linalg.Gemm(h.threads, op, linalg.NoTrans, 1, a, b, 0, out)
		return out
	}
	alpha := solve(times(linalg.Trans, kn, scaledRows(h.y.Clone(), h.w, 1), m))
	q, e := times(linalg.NoTrans, kv, alpha, kv.Rows), times(linalg.NoTrans, kn, alpha, n)
	value, total := 0.0, 0.0
	for i := range q.Rows {
		w := weightAt(h.v, i)
		total += w
		for o := range q.Row(i) {
			r := q.At(i, o) - h.z.At(i, o)
			value += w * r * r
			q.Set(i, o, r)
		}
	}
	value /= total
	scaledRows(q, h.v, 2/total)
	for i, y := range h.y.Data {
		e.Data[i] = y - e.Data[i]
	}
	scaledRows(e, h.w, 1)
	adjoint := solve(times(linalg.Trans, kv, q, m))
	ks := scaledRows(times(linalg.NoTrans, kn, adjoint, n), h.w, -1)
	sa := linalg.New[float64](m, outputs)
	linalg.Symm(h.threads, linalg.Left, linalg.Lower, 1, s, alpha, 0, sa)
	grad[len(h.groups)] = -ridge * h.Dot(adjoint.Data, sa.Data)
	if len(h.groups) == 0 {
		return value, h.ctx.Err()
	}
	parts := []weighted{
		{h.judged, [][2]linalg.Matrix[float64]{{q, alpha}}, 1},
		{h.fitted, [][2]linalg.Matrix[float64]{{e, adjoint}, {ks, alpha}}, 1},
		{h.centers, [][2]linalg.Matrix[float64]{{adjoint, alpha}}, -ridge},
	}
	return value, h.slopes(k, grad, parts)
}

// factorise is the Cholesky factor of ΦᵀWΦ + ridge, some rows of Φ = KL⁻ᵀ at a time.
func (h *heldOut) factorise(k linalg.Matrix[float64], root *linalg.Cholesky, ridge float64) (*linalg.Cholesky, error) {
	a := linalg.New[float64](k.Cols, k.Cols)
	for lo := 0; lo < k.Rows; lo += gradRows {
		phi := k.Slice(lo, min(lo+gradRows, k.Rows), 0, k.Cols).Clone()
		if err := linalg.TrsmContext(h.ctx, h.threads, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, root.L,
			phi); err != nil {
			return nil, err
		}
		for i := 0; i < phi.Rows && h.w != nil; i++ {
			simd.Scal(math.Sqrt(h.w[lo+i]), phi.Row(i))
		}
		if err := linalg.SyrkContext(h.ctx, h.threads, linalg.Lower, linalg.Trans, 1, phi, 1, a); err != nil {
			return nil, err
		}
	}
	for i := range a.Rows {
		a.Row(i)[i] += ridge
	}
	return linalg.NewCholeskyContext(h.ctx, h.threads, a)
}

// gradRows is how many rows have their weights of dK in memory at a time.
const gradRows = 4096

// weighted is ⟨dK(x, C), scale·Σ a·bᵀ⟩.
type weighted struct {
	x     data.Points[any]
	pairs [][2]linalg.Matrix[float64]
	scale float64
}

// slopes adds the parts of the gradient by the kernel's parameters.
func (h *heldOut) slopes(k kernel.Kernel[any], grad []float64, parts []weighted) error {
	theta := kernel.Values(k)
	one, wanted := make([]float64, len(theta)), make([]bool, len(theta))
	for _, places := range h.groups {
		for _, p := range places {
			wanted[p] = true
		}
	}
	m := h.centers.Len()
	for _, part := range parts {
		for lo := 0; lo < part.x.Len(); lo += gradRows {
			hi := min(lo+gradRows, part.x.Len())
			w := linalg.New[float64](hi-lo, m)
			for _, p := range part.pairs {
				linalg.Gemm(h.threads, linalg.NoTrans, linalg.Trans, part.scale, p[0].Slice(lo, hi, 0, p[0].Cols), p[1], 1, w)
			}
			if err := kernel.ParamGradDot(h.ctx, k, one, wanted, linalg.Dense(w), data.Span(part.x, lo, hi),
				h.centers); err != nil {
				return err
			}
			for g, places := range h.groups {
				for _, p := range places {
					grad[g] += theta[p] * one[p]
				}
			}
		}
	}
	return h.ctx.Err()
}

// scaledRows multiplies row i by scale·w[i].
func scaledRows(m linalg.Matrix[float64], w []float64, scale float64) linalg.Matrix[float64] {
	for i := range m.Rows {
		for j := range m.Row(i) {
			m.Row(i)[j] *= scale * weightAt(w, i)
		}
	}
	return m
}

func weightAt(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}
