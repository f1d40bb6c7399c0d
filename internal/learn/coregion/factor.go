package coregion

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
)

// Form is how a B that is found is written: LLᵀ with any lower triangular L, or, with a Rank, WWᵀ +
// diag q² with W of so many columns.
type Form struct {
	Outputs, Rank int
}

// Size is the number of its parameters.
func (f Form) Size() int {
	if f.Rank == 0 {
		return f.Outputs * (f.Outputs + 1) / 2
	}
	return f.Outputs * (f.Rank + 1)
}

// Apart is the parameters at which the outputs are independent with the variance given, and with a
// Rank a step off that: W = 0 is a saddle, from which no slope leads.
func (f Form) Apart(variance float64) []float64 {
	v, at := make([]float64, f.Size()), 0
	if f.Rank == 0 {
		for t := range f.Outputs {
			at += t
			v[at] = math.Sqrt(variance)
			at++
		}
		return v
	}
	for t := range f.Outputs {
		for r := range f.Rank {
			if v[at] = 0.1 * math.Sqrt(variance); t%f.Rank != r {
				v[at] /= 4
			}
			at++
		}
	}
	for range f.Outputs {
		v[at] = math.Sqrt(variance)
		at++
	}
	return v
}

// Of is B at parameters.
func (f Form) Of(v []float64) linalg.Matrix[float64] {
	l := f.root(v)
	b := linalg.New[float64](f.Outputs, f.Outputs)
	linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1, l, l, 0, b)
	for t := range b.Rows {
		if f.Rank > 0 {
			q := v[f.Outputs*f.Rank+t]
			b.Row(t)[t] += q * q
		}
		for u := range t {
			b.Row(u)[t] = b.At(t, u)
		}
	}
	return b
}

// root is L or W.
func (f Form) root(v []float64) linalg.Matrix[float64] {
	if f.Rank > 0 {
		l := linalg.New[float64](f.Outputs, f.Rank)
		copy(l.Data, v[:f.Outputs*f.Rank])
		return l
	}
	l, at := linalg.New[float64](f.Outputs, f.Outputs), 0
	for t := range f.Outputs {
		at += copy(l.Row(t)[:t+1], v[at:])
	}
	return l
}

// Slopes turns derivatives by B into those by the parameters: 2GL, and 2Gₜₜqₜ.
func (f Form) Slopes(dst, v []float64, g linalg.Matrix[float64]) {
	l := f.root(v)
	by := linalg.New[float64](l.Rows, l.Cols)
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 2, g, l, 0, by)
	at := 0
	for t := range f.Outputs {
		if f.Rank > 0 {
			at += copy(dst[at:], by.Row(t))
		} else {
			at += copy(dst[at:], by.Row(t)[:t+1])
		}
	}
	for t := 0; f.Rank > 0 && t < f.Outputs; t++ {
		dst[at+t] = 2 * g.At(t, t) * v[at+t]
	}
}

// Climb finds the B of highest evidence on a spectrum, and the noise too where it is free, from a
// place: parameters of the form, noise variances. The kernel stays as it is, so that a step costs
// n·m².
func (f Form) Climb(
	ctx context.Context, s *Spectrum, from, noise []float64, free bool, steps int,
) (v, found []float64, err error) {
	h := &climb{f: f, s: s, noise: noise}
	u := append([]float64(nil), from...)
	if free {
		h.free = true
		for _, w := range noise {
			u = append(u, math.Log(w))
		}
	}
	if _, err := solve.LBFGS(ctx, h, u, solve.Settings{Tol: 1e-5, MaxIter: steps}); err != nil {
		return nil, nil, err
	}
	v, found = h.split(u)
	return v, found, nil
}

type climb struct {
	f     Form
	s     *Spectrum
	noise []float64
	free  bool
}

// lowest is the least noise variance of the search, of targets in units of their deviation.
const lowest = 1e-8

func (h *climb) split(u []float64) (v, noise []float64) {
	n := h.f.Size()
	v = append([]float64(nil), u[:n]...)
	if !h.free {
		return v, h.noise
	}
	for _, w := range u[n:] {
		noise = append(noise, math.Exp(w)+lowest)
	}
	return v, noise
}

// Eval implements solve.Smooth.
func (h *climb) Eval(u, grad []float64) float64 {
	v, noise := h.split(u)
	st, err := h.s.At(h.f.Of(v), noise)
	if err != nil {
		clear(grad)
		return math.Inf(1)
	}
	byB, byNoise := st.OutputSlopes()
	h.f.Slopes(grad[:len(v)], v, byB)
	for i := len(v); i < len(u); i++ {
		grad[i] = byNoise[i-len(v)] * math.Exp(u[i])
	}
	for i := range grad {
		grad[i] = -grad[i]
	}
	return -st.Value
}

// Dot is that of Rⁿ.
func (h *climb) Dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
