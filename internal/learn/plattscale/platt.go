// Package plattscale turns decision values into probabilities, as Platt does.
package plattscale

import (
	"math"

	"github.com/mercer-ml/mercer/learn"
)

// Sigmoid is what a fit finds.
type Sigmoid = learn.Sigmoid

// FitSigmoid is Platt's (2000) maximum-likelihood sigmoid through decision
// values, by the damped Newton method of Lin, Lin & Weng (Machine Learning
// 68, 2007), whose targets are (n₊+1)/(n₊+2) and 1/(n₋+2) rather than 1 and 0. weight is nil or has
// one weight for each value. The values must come from points the machine was not fitted on, or the
// probabilities are too sure of themselves.
//
// A is below 0: a larger value never makes its class less likely. The likelihood may be largest for
// another A where few points are positive and the values come from machines of several folds, whose
// offsets differ by more than the values of a fold do; rows would then be in the opposite order.
func FitSigmoid(f []float64, positive []bool, weight []float64) Sigmoid {
	s, _ := FitSigmoidTo(1e-8, f, positive, weight)
	return rising(s, f, positive, weight)
}

// leastRise is how much log odds change over a mean deviation of decision values, at least.
const leastRise = 1e-3

// rising is the sigmoid, or the likeliest that rises by leastRise where it rises by less: the
// likelihood is concave, so that the best of those that rise enough lies at the bound.
func rising(s Sigmoid, f []float64, positive []bool, weight []float64) Sigmoid {
	mean, spread, n := 0.0, 0.0, float64(len(f))
	for _, v := range f {
		mean += v / n
	}
	for _, v := range f {
		spread += math.Abs(v-mean) / n
	}
	if !(spread > 0) {
		spread = 1
	}
	if s.A <= -leastRise/spread {
		return s
	}
	weight, target, _ := plattTargets(positive, weight)
	s.A = -leastRise / spread
	// B is where the derivative Σ w(target - p), which grows with it, is 0.
	far := 50 + math.Abs(s.A*mean)
	low, high := -far, far
	for range 100 {
		s.B = (low + high) / 2
		sum := 0.0
		for i, v := range f {
			sum += weight[i] * (target[i] - s.At(v))
		}
		if sum > 0 {
			high = s.B
		} else {
			low = s.B
		}
	}
	return s
}

// plattTargets is a weight and a target for each value, and B where A is 0.
func plattTargets(positive []bool, weight []float64) (weights, target []float64, offset float64) {
	if weight == nil {
		weight = make([]float64, len(positive))
		for i := range weight {
			weight[i] = 1
		}
	}
	var plus, minus float64
	for i, p := range positive {
		if p {
			plus += weight[i]
		} else {
			minus += weight[i]
		}
	}
	high, low := (plus+1)/(plus+2), 1/(minus+2)
	target = make([]float64, len(positive))
	for i, p := range positive {
		target[i] = low
		if p {
			target[i] = high
		}
	}
	return weight, target, math.Log((minus + 1) / (plus + 1))
}

// SigmoidStop says why the search of FitSigmoidTo ended.
type SigmoidStop int

// The gradient is below the tolerance, or no step along Newton's direction
// improves the likelihood, or a hundred steps were taken.
const (
	SigmoidConverged SigmoidStop = iota
	SigmoidLineSearch
	SigmoidIterations
)

// FitSigmoidTo is the same with a tolerance for the gradient and whatever A the likelihood has, as
// in LIBSVM.
func FitSigmoidTo(tol float64, f []float64, positive []bool, weight []float64) (Sigmoid, SigmoidStop) {
	weight, target, offset := plattTargets(positive, weight)
	s := Sigmoid{B: offset}
	loss := func(s Sigmoid) float64 {
		sum := 0.0
		for i := range f {
			t := s.A*f[i] + s.B
			if t >= 0 {
				sum += weight[i] * (target[i]*t + math.Log1p(math.Exp(-t)))
			} else {
				sum += weight[i] * ((target[i]-1)*t + math.Log1p(math.Exp(t)))
			}
		}
		return sum
	}
	value := loss(s)
	for range 100 {
		h11, h22, h12, g1, g2 := 1e-12, 1e-12, 0.0, 0.0, 0.0
		for i := range f {
			p := s.At(f[i])
			d1, d2 := weight[i]*(target[i]-p), weight[i]*p*(1-p)
			h11 += f[i] * f[i] * d2
			h22 += d2
			h12 += f[i] * d2
			g1 += f[i] * d1
			g2 += d1
		}
		if math.Abs(g1) < tol && math.Abs(g2) < tol {
			return s, SigmoidConverged
		}
		det := h11*h22 - h12*h12
		da, db := -(h22*g1-h12*g2)/det, -(-h12*g1+h11*g2)/det
		slope := g1*da + g2*db
		step := 1.0
		for ; step >= 1e-10; step /= 2 {
			next := Sigmoid{A: s.A + step*da, B: s.B + step*db}
			if v := loss(next); v < value+1e-4*step*slope {
				s, value = next, v
				break
			}
		}
		if step < 1e-10 {
			return s, SigmoidLineSearch
		}
	}
	return s, SigmoidIterations
}
