package learn

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Predictions is what a model says about rows it was not fitted on, with the
// truth. Fields that a learner does not have are nil.
type Predictions struct {
	Rows       []int     // rows of the problem
	Truth      []float64 // value, or index of the class
	Classes    int       // number of classes; 0 for regression
	Positive   int       // the class that a measure of one class is of; below 0: none is named
	Value      []float64 // regression: the predicted value
	Class      []int     // classification: the predicted class
	Score      []float64 // classification: a row of Classes scores for each point, larger is likelier
	Prob       []float64 // classification: a row of Classes probabilities for each point
	LogDensity []float64 // log p(truth) under the predictive distribution, or log density of the point
	Weights    []float64 // of the rows; nil: all 1
	Groups     []int     // of the rows, for ranking by query
	// More is what a model of several targets says of the others, each with its own truth.
	More []Predictions
}

// ClassScorer is a classifier whose decision values are not a score for each class, and which makes
// them so.
type ClassScorer interface {
	// ClassScores writes a score for each class, larger is likelier, of a row of decision values.
	ClassScores(score, decision []float64)
}

// Density is a regressor with a predictive distribution.
type Density[T any] interface {
	// LogDensity is log p(yᵢ) of an observation at each point.
	LogDensity(ctx context.Context, x data.Points[T], y []float64) ([]float64, error)
}

// PredictKnown asks a model, a Regressor or a Classifier on the codes of k classes, for all it can
// say about the points of a problem (part of one with all k classes), beside what is known of them.
// It is what metrics judge, whoever asks: a search, a final test, a saved model.
func PredictKnown[T any](ctx context.Context, m Model[T], k int, p Problem[T]) (Predictions, error) {
	if len(p.More) > 0 {
		return predictTargets(ctx, m, p)
	}
	out, err := PredictAll(ctx, m, k, p.Points)
	if err != nil {
		return out, err
	}
	if p.Noise != nil && p.Task == data.Regression && p.Len() > 0 {
		out.LogDensity, err = noisyDensity(ctx, m, out.Value, p)
	} else if d, ok := m.(Density[T]); ok && p.Task == data.Regression && p.Len() > 0 {
		out.LogDensity, err = d.LogDensity(ctx, p.Points, p.Y)
	}
	return p.Complete(k, out), err
}

// Complete adds what a problem of k classes knows of its points to predictions of all of them.
func (p Problem[T]) Complete(k int, out Predictions) Predictions {
	out.Truth, out.Weights, out.Groups = p.Y, p.Weights, p.Groups
	out.Classes, out.Positive = k, p.PositiveCode()
	for t := range out.More {
		out.More[t].Truth, out.More[t].Weights, out.More[t].Groups, out.More[t].Positive = p.More[t], p.Weights, p.Groups,
			out.Positive
	}
	return out
}

// PredictAll asks a model, a Regressor or a Classifier on the codes of k classes, for all it can
// say about points.
func PredictAll[T any](ctx context.Context, m Model[T], k int, x data.Points[T]) (Predictions, error) {
	out := Predictions{Classes: k}
	if r, ok := m.(Regressor[T]); ok {
		var err error
		out.Value, err = r.Predict(ctx, x)
		return out, err
	}
	c := m.(Classifier[T, int])
	if d, ok := m.(decidesByProba); ok && d.DecidesByProba() && x.Len() > 0 {
		return saidByProba(ctx, m.(Probabilistic[T]), k, x)
	}
	var err error
	if out.Class, err = c.Predict(ctx, x); err != nil {
		return out, err
	}
	if p, ok := m.(Probabilistic[T]); ok && p.HasProba() && x.Len() > 0 {
		prob, err := p.Proba(ctx, x)
		if err != nil {
			return out, err
		}
		out.Prob = make([]float64, 0, x.Len()*k)
		for i := range x.Len() {
			out.Prob = append(out.Prob, prob.RawRowView(i)...)
		}
	}
	d, err := c.Decision(ctx, x)
	if err != nil {
		return out, err
	}
	out.Score = classScores(m, d, x.Len(), k)
	return out, nil
}

// decidesByProba is a classifier all of whose answers follow from its probabilities: the class is the
// likeliest, of equals the first, and the decisions are the probabilities, of two classes their
// difference. One look at its points does for all of them.
type decidesByProba interface{ DecidesByProba() bool }

// saidByProba is everything that such a classifier says.
func saidByProba[T any](ctx context.Context, m Probabilistic[T], k int, x data.Points[T]) (Predictions, error) {
	out := Predictions{Classes: k}
	prob, err := m.Proba(ctx, x)
	if err != nil {
		return out, err
	}
	for i := range x.Len() {
		row := prob.RawRowView(i)
		out.Prob, out.Class = append(out.Prob, row...), append(out.Class, ArgMax(row))
		if k == 2 {
			out.Score = append(out.Score, row[0]-row[1], row[1]-row[0])
		} else {
			out.Score = append(out.Score, row...)
		}
	}
	return out, nil
}

// classScores turns decision values into a score for each class.
func classScores(m any, decision *mat.Dense, n, k int) []float64 {
	out := make([]float64, n*k)
	scorer, own := m.(ClassScorer)
	for i := range n {
		from, row := decision.RawRowView(i), out[i*k:(i+1)*k]
		switch {
		case k == 2 && len(from) == 1:
			row[0], row[1] = -from[0], from[0]
		case own:
			scorer.ClassScores(row, from)
		default:
			copy(row, from)
		}
	}
	return out
}

// Ranking orders the points by how likely they are to be of class c rather than of another, larger
// is likelier: the log-odds of the probabilities or, where there are none, the score of two
// classes. The scores of more classes, each against the rest, say which class of a point is
// likeliest, but not which of two points is likelier to be of a class: there is no ranking then,
// and it is nil. Log-odds are taken from the probabilities of the other classes, as 1 - p is 0 long
// before they are.
func (p Predictions) Ranking(c int) []float64 {
	k := p.Classes
	out := make([]float64, len(p.Truth))
	switch {
	case p.Prob != nil:
		for i := range out {
			others := 0.0
			for b, v := range p.Prob[i*k : (i+1)*k] {
				if b != c {
					others += v
				}
			}
			out[i] = math.Log(p.Prob[i*k+c]) - math.Log(others)
		}
	case p.Score != nil && k == 2:
		for i := range out {
			out[i] = p.Score[i*k+c]
		}
	default:
		return nil
	}
	return out
}

// Gather is the predictions of some rows.
func (p Predictions) Gather(rows []int) Predictions {
	q := p
	q.Rows, q.Truth, q.Value, q.Class = data.Take(p.Rows, rows), data.Take(p.Truth, rows), data.Take(p.Value, rows),
		data.Take(p.Class, rows)
	q.LogDensity, q.Weights, q.Groups = data.Take(p.LogDensity, rows), data.Take(p.Weights, rows),
		data.Take(p.Groups, rows)
	wide := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		out := make([]float64, 0, len(rows)*p.Classes)
		for _, r := range rows {
			out = append(out, v[r*p.Classes:(r+1)*p.Classes]...)
		}
		return out
	}
	q.Score, q.Prob = wide(p.Score), wide(p.Prob)
	q.More = nil
	for _, other := range p.More {
		q.More = append(q.More, other.Gather(rows))
	}
	return q
}
