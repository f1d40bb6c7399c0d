package logistic

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/learn/internal/fitting"
)

// primalProblem is the objective of two classes as a function of the weights of explicit features.
type primalProblem struct {
	x       linalg.Matrix[float64] // features, less their mean and with a last column of ones where there is an intercept
	mean    []float64              // nil where there is none
	sign    []float64              // ±1
	weight  []float64
	lambda  float64
	unit    float64 // what b is measured by, as in logisticRisk
	keep    int     // steps that a Hessian serves
	threads int

	sums    linalg.Matrix[float64] // a row for each piece of rows: its part of the gradient
	values  []float64              // its part of the loss
	scaled  linalg.Matrix[float64] // √W·Φ
	partial []linalg.Matrix[float64]
}

// passRows is how many rows are read for their scores, and again, still in the cache, for the gradient.
const passRows = 256

// fewColumns is the number of columns up to which a Hessian costs little more than a gradient.
const fewColumns = 32

func newPrimalProblem(ctx context.Context, f *fitting.ExplicitFeatures, code []int, weight []float64, lambda float64, intercept bool, threads int) *primalProblem {
	n, d := len(code), f.Dim
	p := &primalProblem{sign: make([]float64, n), weight: weight, lambda: lambda, keep: 1, threads: threads}
	for i, c := range code {
		p.sign[i] = float64(2*c - 1)
	}
	cols := d
	if intercept {
		cols++
	}
	p.x = linalg.New[float64](n, cols)
	f.Fill(ctx, p.x.Slice(0, n, 0, d))
	squares := 0.0
	if intercept {
		p.mean = make([]float64, cols)
		for i := range n {
			simd.Axpy(1/float64(n), p.x.Row(i), p.mean)
		}
	}
	for i := range n {
		row := p.x.Row(i)
		if intercept {
			simd.Axpy(-1, p.mean, row)
			row[d] = 0
		}
		if squares += simd.Dot(row, row) / float64(n); intercept {
			row[d] = 1
		}
	}
	if p.unit = squares / lambda; !(p.unit > 0) || math.IsInf(p.unit, 0) {
		p.unit = 1
	}
	if cols > fewColumns {
		p.keep = 2
	}
	if n*cols < 1<<14 { // too little to share
		p.threads = 1
	}
	pieces := (n + passRows - 1) / passRows
	p.sums, p.values = linalg.New[float64](pieces, cols), make([]float64, pieces)
	return p
}

func (p *primalProblem) state() *primalState {
	n, cols := p.x.Rows, p.x.Cols
	all := make([]float64, 2*n+2*cols)
	return &primalState{u: all[:cols:cols], grad: all[cols : 2*cols : 2*cols], slope: all[2*cols : 2*cols+n : 2*cols+n], curve: all[2*cols+n:]}
}

// penalised is the number of weights that are.
func (p *primalProblem) penalised() int {
	if p.mean != nil {
		return p.x.Cols - 1
	}
	return p.x.Cols
}

// visit evaluates everything at s.u.
func (p *primalProblem) visit(s *primalState) {
	cols := p.x.Cols
	par.For(p.threads, p.x.Rows, passRows, func(lo, hi int) {
		rows, slope, curve := p.x.Slice(lo, hi, 0, cols), s.slope[lo:hi], s.curve[lo:hi]
		linalg.Gemv(1, linalg.NoTrans, 1, rows, s.u, 0, curve)
		p.values[lo/passRows] = p.losses(lo, curve, slope)
		linalg.Gemv(1, linalg.Trans, 1, rows, slope, 0, p.sums.Row(lo/passRows))
	})
	d := p.penalised()
	s.value = 0.5 * p.lambda * simd.Dot(s.u[:d], s.u[:d])
	clear(s.grad)
	for i, v := range p.values {
		s.value += v
		simd.Axpy(1, p.sums.Row(i), s.grad)
	}
	simd.Axpy(p.lambda, s.u[:d], s.grad[:d])
	size := simd.Dot(s.grad[:d], s.grad[:d]) / p.lambda
	if p.mean != nil {
		size += s.grad[d] * s.grad[d] * p.unit
	}
	s.norm = math.Sqrt(size)
}

// losses are those of the rows from first with the scores in curve, w·log(1 + e^{-m}) of the margin m = y·score, in sum. It sets slope to their
// derivatives, -w·y·σ(-m), and curve to the second ones, w·σ(m)·σ(-m). With e = e^{-|m|} nothing overflows.
func (p *primalProblem) losses(first int, curve, slope []float64) float64 {
	sign, weight := p.sign[first:][:len(curve)], p.weight[first:][:len(curve)]
	sum := 0.0
	for i, s := range curve {
		sum += weight[i] * max(-sign[i]*s, 0)
		slope[i] = -math.Abs(s)
	}
	var logs [passRows]float64
	e, log := slope, logs[:len(curve)]
	simd.Exp64(e, e)
	simd.Log1p64(log, e)
	for i, s := range curve {
		w, r := weight[i], 1/(1+e[i])
		sum += w * log[i]
		small := e[i] * r // σ(-|m|)
		curve[i] = w * small * r
		if sign[i]*s < 0 {
			small = r
		}
		slope[i] = -w * sign[i] * small
	}
	return sum
}

// hessianPieces is in how many pieces of rows a Hessian is summed, at the most.
const hessianPieces = 4

// hessian is Φᵀ·W·Φ + λI, the lower triangle.
func (p *primalProblem) hessian(at *primalState) linalg.Matrix[float64] {
	n, cols := p.x.Rows, p.x.Cols
	rows := max((n+hessianPieces-1)/hessianPieces, 4*cols, passRows)
	if p.scaled.Rows == 0 {
		p.scaled = linalg.New[float64](n, cols)
		for lo := 0; lo < n; lo += rows {
			p.partial = append(p.partial, linalg.New[float64](cols, cols))
		}
	}
	par.For(p.threads, n, rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			simd.Affine64(p.scaled.Row(i), p.x.Row(i), math.Sqrt(at.curve[i]), 0)
		}
		linalg.Syrk(1, linalg.Lower, linalg.Trans, 1, p.scaled.Slice(lo, hi, 0, cols), 0, p.partial[lo/rows])
	})
	h := p.partial[0]
	for _, part := range p.partial[1:] {
		simd.Axpy(1, part.Data, h.Data)
	}
	for j := range p.penalised() {
		h.Data[j*h.Stride+j] += p.lambda
	}
	return h
}
