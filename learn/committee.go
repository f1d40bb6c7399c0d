package learn

import (
	"fmt"
	"math"
)

// Blend is what a committee says of points: the mean of what its members say, by weights that are
// not negative and sum to 1. Of numbers it is Σ wₘ·valueₘ; of classes P(c) = Σ wₘ·Pₘ(c), of which
// the most probable is the answer, and the scores are log P(c), of two classes ± log P(1)/P(0). A
// member that has all of the weight answers alone, to the bit and with all that it knows. Members
// that have no probabilities cannot take part in a committee on classes.
func Blend(weights []float64, members []Predictions) (Predictions, error) {
	if len(weights) != len(members) || len(members) == 0 {
		return Predictions{}, fmt.Errorf("%d weights of %d members", len(weights), len(members))
	}
	if len(members) == 1 {
		return members[0], nil
	}
	first := members[0]
	out := Predictions{Rows: first.Rows, Truth: first.Truth, Classes: first.Classes, Positive: first.Positive,
		Weights: first.Weights, Groups: first.Groups}
	of := func(p Predictions) []float64 { return p.Value }
	if first.Classes > 0 {
		of = func(p Predictions) []float64 { return p.Prob }
	}
	n := len(of(first))
	sum := make([]float64, n)
	for m, p := range members {
		said := of(p)
		if p.Classes != first.Classes || len(said) != n || said == nil && len(first.Class) > 0 {
			return Predictions{}, fmt.Errorf("member %d of a committee says %d numbers of %d classes, the first %d of %d", m+1,
				len(said), p.Classes, n, first.Classes)
		}
		for i, v := range said {
			sum[i] += weights[m] * v
		}
	}
	if first.Classes == 0 {
		out.Value = sum
		return out, nil
	}
	out.Prob = sum
	k := out.Classes
	out.Class, out.Score = make([]int, n/k), make([]float64, n)
	for i := range out.Class {
		p := sum[i*k : (i+1)*k]
		out.Class[i] = ArgMax(p)
		LogScores(out.Score[i*k:(i+1)*k], p)
	}
	return out, nil
}

// LogScores writes a score for each class of their probabilities: log P(c), of two classes ± log
// P(1)/P(0). What rounding made 0 is taken for the smallest there is.
func LogScores(score, p []float64) {
	for c, v := range p {
		score[c] = math.Log(math.Max(v, math.SmallestNonzeroFloat64))
	}
	if len(p) == 2 {
		odds := score[1] - score[0]
		score[0], score[1] = -odds, odds
	}
}
