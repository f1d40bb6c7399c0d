package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
)

// Several is a fitted regression of several targets that share its kernel and centres.
type Several[T any] interface {
	Model[T]
	// Targets is how many there are.
	Targets() int
	// Of is the model of target t alone, counted from 0: a Regressor, with what else the learner
	// has.
	Of(t int) Model[T]
}

// Target is the problem of one of its targets, counted from 0.
func (p Problem[T]) Target(t int) Problem[T] {
	if t > 0 {
		p.Y = p.More[t-1]
	}
	p.More, p.Outputs = nil, nil
	return p
}

// Targets is the number of targets of a regression.
func (p Problem[T]) Targets() int { return 1 + len(p.More) }

// checkMore refuses further targets that cannot be learnt.
func (p Problem[T]) checkMore() error {
	for t, y := range p.More {
		if len(y) != p.Len() {
			return fmt.Errorf("%d points but %d values of target %d", p.Len(), len(y), t+2)
		}
		for i, v := range y {
			if math.IsNaN(v) || math.IsInf(v, 0) || math.Abs(v) > LargestTarget {
				return fmt.Errorf("target %d of row %d is %g; drop the row, fill the value in, or scale the target", t+2, i, v)
			}
		}
	}
	return nil
}

// Target is what was said of one target alone, counted from 0.
func (p Predictions) Target(t int) Predictions {
	if t > 0 {
		rows := p.Rows
		if p = p.More[t-1]; p.Rows == nil {
			p.Rows = rows
		}
	}
	p.More = nil
	return p
}

// Target is the baseline of one target, counted from 0.
func (b Baseline) Target(t int) Baseline {
	if t > 0 {
		return b.More[t-1]
	}
	b.More = nil
	return b
}

// predictTargets is PredictKnown for each target of a problem of several.
func predictTargets[T any](ctx context.Context, m Model[T], p Problem[T]) (Predictions, error) {
	s, ok := m.(Several[T])
	if !ok || s.Targets() != p.Targets() {
		return Predictions{}, fmt.Errorf("a %T for a problem of %d targets", m, p.Targets())
	}
	out, err := PredictKnown(ctx, s.Of(0), 0, p.Target(0))
	for t := 1; t < p.Targets() && err == nil; t++ {
		var other Predictions
		other, err = PredictKnown(ctx, s.Of(t), 0, p.Target(t))
		out.More = append(out.More, other)
	}
	return out, err
}

func takeEach(columns [][]float64, index []int) [][]float64 {
	if columns == nil {
		return nil
	}
	out := make([][]float64, len(columns))
	for i, c := range columns {
		out[i] = data.Take(c, index)
	}
	return out
}
