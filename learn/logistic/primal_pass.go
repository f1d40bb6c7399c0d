package logistic

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
)

// primalProblem is the objective of two classes as a function of the weights of explicit features.
type primalProblem struct {
	// a row for each feature, less its mean, and a last one of ones where there is an intercept
	x       linalg.Matrix[float64]
	mean    []float64 // of the features; nil without an intercept
	sign    []float64 // ±1
	weight  []float64
	lambda  float64
	unit    float64 // what b is measured by, as in logisticRisk
	keep    int     // steps that a Hessian serves
	threads int

	sums   linalg.Matrix[float64] // a row for each piece of points: its part of the gradient
	values []float64              // its part of the loss

	hessians hessians
}

// passRows is how many points are read for their scores, and again, still in the cache, for the
// gradient.
const passRows = 256

// fewColumns is the number of columns up to which a Hessian costs little more than a gradient.
const fewColumns = 32

func newPrimalProblem(
	ctx context.Context, f *fitting.ExplicitFeatures, code []int, weight []float64, lambda float64, intercept bool,
	threads int,
) *primalProblem {
	n, d := len(code), f.Dim
	p := &primalProblem{sign: make([]float64, n), weight: weight, lambda: lambda, keep: 1, threads: threads}
	for i, c := range code {
		p.sign[i] = float64(2*c - 1)
	}
	cols := d
	if intercept {
		cols++
		p.mean = make([]float64, d)
	}
	p.x = linalg.New[float64](cols, n)
	p.fill(ctx, f)
	if intercept {
		ones := p.x.Row(d)
		for i := range ones {
			ones[i] = 1
		}
	}
	squares := 0.0
	for j := range d {
		row := p.x.Row(j)
		if intercept {
			p.mean[j] = simd.Dot(row, p.x.Row(d)) / float64(n)
			simd.Affine64(row, row, 1, -p.mean[j])
		}
		squares += simd.Dot(row, row) / float64(n)
	}
	if p.unit = squares / lambda; !(p.unit > 0) || math.IsInf(p.unit, 0) {
		p.unit = 1
	}
	if cols > fewColumns {
		p.keep = 4
	}
	if n*cols < 1<<14 { // too little to share
		p.threads = 1
	}
	pieces := (n + passRows - 1) / passRows
	p.sums, p.values = linalg.New[float64](pieces, cols), make([]float64, pieces)
	return p
}

// fill turns the rows of points into rows of features, a block that stays in the cache at a time.
func (p *primalProblem) fill(ctx context.Context, f *fitting.ExplicitFeatures) {
	const side = 16
	n, d := p.x.Cols, f.Dim
	points := linalg.New[float64](side, d)
	for lo := 0; lo < n && ctx.Err() == nil; lo += side {
		hi := min(lo+side, n)
		for i := lo; i < hi; i++ {
			f.Set(points.Row(i-lo), i)
		}
		for j := range d {
			at := j
			for i := lo; i < hi; i++ {
				p.x.Data[j*p.x.Stride+i] = points.Data[at]
				at += points.Stride
			}
		}
	}
}

func (p *primalProblem) state() *primalState {
	cols, n := p.x.Rows, p.x.Cols
	all := make([]float64, 2*n+2*cols)
	return &primalState{u: all[:cols:cols], grad: all[cols : 2*cols : 2*cols], slope: all[2*cols : 2*cols+n : 2*cols+n],
		curve: all[2*cols+n:]}
}

// penalised is the number of weights that are.
func (p *primalProblem) penalised() int {
	if p.mean != nil {
		return p.x.Rows - 1
	}
	return p.x.Rows
}

// visit evaluates everything at s.u.
func (p *primalProblem) visit(s *primalState) {
	par.For(p.threads, p.x.Cols, passRows, func(lo, hi int) {
		x, slope, curve := p.x.Slice(0, p.x.Rows, lo, hi), s.slope[lo:hi], s.curve[lo:hi]
		linalg.Gemv(1, linalg.Trans, 1, x, s.u, 0, curve)
		p.values[lo/passRows] = p.losses(lo, curve, slope)
		linalg.Gemv(1, linalg.NoTrans, 1, x, slope, 0, p.sums.Row(lo/passRows))
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

// losses are those of the points from first with the scores in curve, w·log(1 + e^{-m}) of the
// margin m = y·score, in sum. It sets slope to their derivatives, -w·y·σ(-m), and curve to the
// second ones, w·σ(m)·σ(-m). With e = e^{-|m|} nothing overflows.
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
