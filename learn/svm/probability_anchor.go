package svm

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/learn"
)

// sigmoidOf is Platt's sigmoid through decision values of points that were left out, unless deciding by it is clearly worse on these points than deciding by the
// sign is. The machines of the folds are different ones, and where C is small or a class has few points their decision values differ in their offset more than
// between the classes: the sigmoid is then flat, and would give every point to one class although the machine tells them apart. A sigmoid that is ½ at the
// boundary agrees with the machine; anchored says that this one was taken.
func sigmoidOf(decision []float64, positive []bool, weights []float64) (s learn.Sigmoid, anchored bool) {
	s = learn.FitSigmoid(decision, positive, weights)
	worse, variance := 0.0, 0.0
	for i, f := range decision {
		w := weightAt(weights, i)
		bySign, byOdds := f > 0, s.At(f) > 0.5
		if f == 0 || bySign == byOdds {
			continue
		}
		variance += w * w
		if bySign == positive[i] {
			worse += w
		} else {
			worse -= w
		}
	}
	if worse*worse <= variance || worse < 0 {
		return s, false
	}
	return anchoredSigmoid(decision, positive, weights), true
}

// anchoredSigmoid is the most likely 1/(1 + exp(A·f)) with A < 0, by halving: the likelihood's derivative in A is monotone.
func anchoredSigmoid(decision []float64, positive []bool, weights []float64) learn.Sigmoid {
	largest := 0.0
	var plus, minus float64
	for i, f := range decision {
		largest = math.Max(largest, math.Abs(f))
		if positive[i] {
			plus += weightAt(weights, i)
		} else {
			minus += weightAt(weights, i)
		}
	}
	slope := func(a float64) float64 { // of the log-likelihood, which is concave
		sum := 0.0
		for i, f := range decision {
			target := 1 / (minus + 2)
			if positive[i] {
				target = (plus + 1) / (plus + 2)
			}
			sum += weightAt(weights, i) * f * (learn.Sigmoid{A: a}.At(f) - target)
		}
		return sum
	}
	// From nearly flat to nearly a step at the largest value.
	steep, flat := -50/largest, -1e-3/largest
	if slope(flat) >= 0 {
		return learn.Sigmoid{A: flat}
	}
	for range 100 {
		middle := (steep + flat) / 2
		if slope(middle) < 0 {
			flat = middle
		} else {
			steep = middle
		}
	}
	return learn.Sigmoid{A: (steep + flat) / 2}
}

func weightAt(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}

// anchorDoubts says of how many machines the probabilities are ½ at the boundary because they could not be had better.
func anchorDoubts(anchored []bool) []string {
	count := 0
	for _, a := range anchored {
		if a {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("probabilities of %d of %d machines are rough: decision values of points left out say too little of the classes, so that the boundary is taken for ½", count, len(anchored))}
}
