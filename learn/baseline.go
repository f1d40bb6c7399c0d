package learn

import (
	"math"

	"github.com/mercer-ml/mercer/data"
)

// Baseline is what somebody would say who has seen the targets of a problem and nothing else: the
// commonest class, with the shares of the classes as probabilities, or the mean. A score means
// little without that of its baseline beside it.
type Baseline struct {
	Shares    []float64 `json:"shares,omitempty"` // of the classes, by weight
	Mean      float64   `json:"mean,omitempty"`   // of the target of a regression
	Deviation float64   `json:"deviation,omitempty"`
	// More is those of the further targets of a problem of several.
	More []Baseline `json:"more,omitempty"`
}

// BaselineOf is the baseline of a problem.
func BaselineOf[T any](p Problem[T]) Baseline {
	b := Baseline{}
	if k := p.ClassCount(); k > 0 {
		b.Shares = make([]float64, k)
		total := 0.0
		for i, y := range p.Y {
			b.Shares[int(y)] += weightAt(p.Weights, i)
			total += weightAt(p.Weights, i)
		}
		for c := range b.Shares {
			b.Shares[c] /= total
		}
		return b
	}
	if p.Task != data.Regression {
		return b
	}
	b.Mean = Mean(p.Y, p.Weights)
	off := make([]float64, len(p.Y))
	for i, y := range p.Y {
		off[i] = y - b.Mean
	}
	b.Deviation = RootMeanSquare(off, p.Weights)
	for t := range p.More {
		b.More = append(b.More, BaselineOf(p.Target(t+1)))
	}
	return b
}

// Class is the commonest class, the first of equals.
func (b Baseline) Class() int { return ArgMax(b.Shares) }

// Predict is what the baseline says of points about which a model has said something: the same for
// each.
func (b Baseline) Predict(of Predictions) Predictions {
	n := len(of.Truth)
	out := Predictions{Rows: of.Rows, Truth: of.Truth, Classes: of.Classes, Positive: of.Positive, Weights: of.Weights,
		Groups: of.Groups}
	if k := len(b.Shares); k > 0 {
		out.Class = make([]int, n)
		for i := range n {
			out.Class[i] = b.Class()
			out.Prob = append(out.Prob, b.Shares...)
		}
		out.Score = out.Prob
		return out
	}
	out.Value = make([]float64, n)
	for i := range n {
		out.Value[i] = b.Mean
	}
	if of.LogDensity != nil && b.Deviation > 0 {
		for _, y := range of.Truth {
			z := (y - b.Mean) / b.Deviation
			out.LogDensity = append(out.LogDensity, -z*z/2-math.Log(b.Deviation)-math.Log(2*math.Pi)/2)
		}
	}
	for t, other := range of.More {
		out.More = append(out.More, b.More[t].Predict(other))
	}
	return out
}
