package nystrom

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
)

// point is a place (v, b) of a machine.
type point struct {
	v []float64
	b float64
}

func newPoint(m int) point { return point{v: make([]float64, m)} }

func (p *point) copyFrom(q point) {
	copy(p.v, q.v)
	p.b = q.b
}

// dualPoint is α with 0 ≤ αᵢ ≤ wᵢ by what the dual asks of it: D = C Σα - ½C²‖Σαyφ‖², and Σαy = 0
// where there is an intercept. So the two classes are added up apart, each Σα with its Σαφ.
type dualPoint struct {
	sum   [2]float64
	image [2][]float64
}

func newDual(m int) dualPoint {
	return dualPoint{image: [2][]float64{make([]float64, m), make([]float64, m)}}
}

func (d *dualPoint) clear() {
	d.sum = [2]float64{}
	clear(d.image[0])
	clear(d.image[1])
}

// add counts α of a row of one class.
func (d *dualPoint) add(y, alpha float64, phi []float64) {
	side := 0
	if y > 0 {
		side = 1
	}
	d.sum[side] += alpha
	simd.Axpy(alpha, phi, d.image[side])
}

// even makes the α of the side that has too much smaller, so that Σαy = 0.
func (d *dualPoint) even() {
	least := min(d.sum[0], d.sum[1])
	for side, have := range d.sum {
		if have <= least {
			continue
		}
		for j := range d.image[side] {
			d.image[side][j] *= least / have
		}
		d.sum[side] = least
	}
}

// hinge is one machine: F(v, b) = (λ/2)‖v‖² + (1/W)Σ w max(0, 1 - y(⟨v, φ⟩ + b)), λ = 1/CW, which
// is the objective divided by CW.
type hinge struct {
	c, weight, lambda float64
	intercept         bool
	seat              float64 // b is √seat times a coordinate beside those of v

	at, center, sum point // where it is, the centre of the ball, the sum of the places of the stage
	steps           int
	length, radius  float64
	seen            dualPoint // violations met in the pass

	best         point
	primal, dual float64 // of the best of each
	bestDual     dualPoint
	settled      bool
}

func newHinge(m int, c, weight float64, intercept bool) *hinge {
	return &hinge{c: c, weight: weight, lambda: 1 / (c * weight), intercept: intercept, seat: 1, at: newPoint(m),
		center: newPoint(m), sum: newPoint(m), best: newPoint(m),
		seen: newDual(m), bestDual: newDual(m), primal: c * weight}
}

// relativeGap is how far the best objective may be above the least, relative to it.
func (h *hinge) relativeGap() float64 {
	if h.primal == 0 {
		return 0
	}
	return math.Max(h.primal-h.dual, 0) / h.primal
}

// begin starts a stage of so many steps. Since F is within ε = gap/CW of its least and grows by
// (λ/2)‖v - v*‖², v* is no further than D = √(2ε/λ): the radius of the ball. Steps of length D/G√t,
// G² being the size of ‖φ‖², are those for which the bound on the average of t of them, D²/2ηt +
// ηG²/2, is least (Xu, Lin and Yang 2017, lemma 1).
func (h *hinge) begin(size float64, steps int) {
	epsilon := math.Max(h.primal-h.dual, 0) / (h.c * h.weight)
	h.radius = math.Sqrt(2*epsilon/h.lambda) + 1/math.Sqrt(h.seat) // b, which has no penalty, may be a margin further
	h.length = math.Min(math.Sqrt(2*epsilon/(h.lambda*size*float64(steps))), 1/h.lambda)
	h.at.copyFrom(h.best)
	h.center.copyFrom(h.best)
	clear(h.sum.v)
	h.sum.b, h.steps = 0, 0
}

// step is that of one row, share its weight over the mean one.
func (h *hinge) step(y, share, weight float64, phi []float64) {
	v := h.at.v
	violated := y*(simd.Dot(phi, v)+h.at.b) < 1
	shrink, move := 1-h.length*h.lambda, 0.0
	if violated {
		move = h.length * share * y
		h.seen.add(y, weight, phi)
		if h.intercept {
			h.at.b += h.seat * move
		}
	}
	far := (h.at.b - h.center.b) * (h.at.b - h.center.b) / h.seat
	for j, c := range h.center.v {
		v[j] = shrink*v[j] + move*phi[j]
		far += (v[j] - c) * (v[j] - c)
	}
	if far > h.radius*h.radius {
		back := h.radius / math.Sqrt(far)
		for j, c := range h.center.v {
			v[j] = c + back*(v[j]-c)
		}
		h.at.b = h.center.b + back*(h.at.b-h.center.b)
	}
	simd.Axpy(1, v, h.sum.v)
	h.sum.b += h.at.b
	h.steps++
}

// average is the mean of the places of the stage.
func (h *hinge) average() point {
	p := newPoint(len(h.sum.v))
	simd.Axpy(1/float64(h.steps), h.sum.v, p.v)
	p.b = h.sum.b / float64(h.steps)
	return p
}

// primalAt keeps a place whose losses are known if it is the best.
func (h *hinge) primalAt(p point, losses float64) {
	if value := 0.5*fitting.SquaredNorm(p.v) + h.c*losses; value < h.primal {
		h.primal = value
		h.best.copyFrom(p)
	}
}

// combine moves the best dual point as far towards another, which it balances, as the dual rises: a
// step of Frank and Wolfe, since who is violated is where its gradient leads.
func (h *hinge) combine(d *dualPoint) {
	if h.intercept {
		d.even()
	}
	m := len(h.best.v)
	z, dz := make([]float64, m), make([]float64, m)
	for j := range m {
		z[j] = h.bestDual.image[1][j] - h.bestDual.image[0][j]
		dz[j] = d.image[1][j] - d.image[0][j] - z[j]
	}
	now := h.bestDual.sum[0] + h.bestDual.sum[1]
	slope := h.c*(d.sum[0]+d.sum[1]-now) - h.c*h.c*simd.Dot(z, dz)
	curve := h.c * h.c * fitting.SquaredNorm(dz)
	if !(slope > 0) {
		return
	}
	t := 1.0
	if curve > slope {
		t = slope / curve
	}
	for side := range d.sum {
		h.bestDual.sum[side] += t * (d.sum[side] - h.bestDual.sum[side])
		for j, v := range d.image[side] {
			h.bestDual.image[side][j] += t * (v - h.bestDual.image[side][j])
		}
	}
	for j := range m {
		z[j] += t * dz[j]
	}
	h.dual = math.Max(h.dual, h.c*(h.bestDual.sum[0]+h.bestDual.sum[1])-0.5*h.c*h.c*fitting.SquaredNorm(z))
}

// meanNorm is the mean of ‖φ‖².
func meanNorm(phi linalg.Matrix[float64]) float64 {
	s := 0.0
	for i := range phi.Rows {
		s += fitting.SquaredNorm(phi.Row(i)) / float64(phi.Rows)
	}
	return s
}
