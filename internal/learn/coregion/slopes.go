package coregion

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// KernelSlopes is the n×n matrix G such that the derivative of the evidence by a parameter of the
// kernel is Σᵢⱼ Gᵢⱼ ∂Kᵢⱼ: ½(αBαᵀ - U·diag(Σⱼ sⱼ/(1 + λᵢsⱼ))·Uᵀ).
func (st *State) KernelSlopes(ctx context.Context) (linalg.Matrix[float64], error) {
	n, m := len(st.Values), st.Outputs()
	g := linalg.New[float64](n, n)
	inner, outer := linalg.New[float64](n, m), linalg.New[float64](n, m)
	less, more := linalg.New[float64](n, n), linalg.New[float64](n, m)
	for i := range n {
		sum := 0.0
		for j, s := range st.Scale {
			sum += s * st.shrunk.At(i, j)
			inner.Set(i, j, st.alpha.At(i, j))
		}
		for r := range n {
			less.Set(r, i, sum*st.Vectors.At(r, i))
		}
	}
	if err := linalg.GemmContext(ctx, st.Threads, linalg.NoTrans, linalg.Trans, -0.5, less, st.Vectors, 0, g); err != nil {
		return g, err
	}
	linalg.Gemm(st.Threads, linalg.NoTrans, linalg.NoTrans, 1, st.Vectors, inner, 0, outer)
	for i := range n {
		for j, s := range st.Scale {
			more.Set(i, j, s*outer.At(i, j))
		}
	}
	return g, linalg.GemmContext(ctx, st.Threads, linalg.NoTrans, linalg.Trans, 0.5, more, outer, 1, g)
}

// OutputSlopes is the symmetric matrix of derivatives by the entries of B, so that the evidence
// moves by Σ Gₜᵤ dBₜᵤ, and the derivatives by the noise variances:
//
//	G = ½Σ^-½V(aᵀΛa - diag Σᵢ λᵢ/(1+λᵢsⱼ))VᵀΣ^-½,  a = α in the coordinates of U and V.
func (st *State) OutputSlopes() (byB linalg.Matrix[float64], byNoise []float64) {
	m := st.Outputs()
	inB, inNoise := linalg.New[float64](m, m), linalg.New[float64](m, m)
	for i, l := range st.Values {
		row := st.alpha.Row(i)
		for j, a := range row {
			for u, b := range row {
				inB.Row(j)[u] += l * a * b
				inNoise.Row(j)[u] += a * b
			}
			inB.Row(j)[j] -= l * st.shrunk.At(i, j)
			inNoise.Row(j)[j] -= st.shrunk.At(i, j)
		}
	}
	byB = st.turned(inB)
	all := st.turned(inNoise)
	byNoise = make([]float64, m)
	for t, v := range st.Noise {
		byNoise[t] = all.At(t, t) - 0.5*st.repeats/v
	}
	return byB, byNoise
}

// turned is ½Σ^-½V·a·VᵀΣ^-½.
func (st *State) turned(a linalg.Matrix[float64]) linalg.Matrix[float64] {
	m := a.Rows
	half, out := linalg.New[float64](m, m), linalg.New[float64](m, m)
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 0.5, st.Turn, a, 0, half)
	linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1, half, st.Turn, 0, out)
	for t, v := range st.Noise {
		for u, w := range st.Noise {
			out.Row(t)[u] /= math.Sqrt(v * w)
		}
	}
	return out
}
