package online

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// LinearPerceptron is the perceptron with an explicit weight vector, on dense or
// sparse vectors: at a mistake, y⟨w, x⟩ ≤ 0, it adds y·x to w. It makes the same
// mistakes as Perceptron with the linear kernel, in time and memory of one row
// instead of one kernel column for each.
type LinearPerceptron[T any, L cmp.Ordered] struct {
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class, the length of its steps
	Weights      []float64     // weight of a point; nil means 1
	PerceptronOptions
	learn.Resources
}

// Fit learns from points and their labels.
func (c LinearPerceptron[T, L]) Fit(
	ctx context.Context, x data.Points[T], y []L,
) (*LinearPerceptronClassifier[T, L], error) {
	m, err := c.fit(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("linear perceptron: %w", err)
	}
	return m, nil
}

func (c LinearPerceptron[T, L]) fit(
	ctx context.Context, x data.Points[T], y []L,
) (*LinearPerceptronClassifier[T, L], error) {
	start := time.Now()
	if x == nil || x.Len() == 0 {
		return nil, learn.ErrNoPoints
	}
	if x.Len() != len(y) {
		return nil, fmt.Errorf("%d points but %d labels", x.Len(), len(y))
	}
	labels, err := learn.EncodeLabels(y)
	if err == nil {
		err = c.check()
	}
	if err == nil {
		c.Resources, err = c.Resources.WithDefaults()
	}
	if err == nil {
		err = fitting.RefuseNonFinite(x)
	}
	var weights []float64
	if err == nil {
		weights, err = labels.PointWeights(c.Balance, c.ClassWeights, c.Weights)
	}
	if err != nil {
		return nil, err
	}
	d := 0
	for i := range x.Len() {
		switch v := any(x.At(i)).(type) {
		case kernel.Vec:
			if i > 0 && len(v) != d {
				return nil, fmt.Errorf("row %d has %d coordinates, row 0 has %d", i, len(v), d)
			}
			d = len(v)
		case data.SparseVec:
			if k := len(v.Index); k > 0 {
				d = max(d, int(v.Index[k-1])+1)
			}
		default:
			return nil, fmt.Errorf("points are %T; a linear machine needs vectors, dense or sparse (for other kinds, "+
				"Perceptron with a kernel on them)", v)
		}
	}
	tasks := labels.Tasks(learn.OneVsRest)
	// Weights of every machine and of the one at work.
	bytes := 8 * int64(d*(len(tasks)+1))
	if bytes > c.Bytes {
		return nil, &learn.OverBudget{Learner: "linear perceptron", Points: len(y), Needs: bytes, Budget: c.Bytes,
			Instead: "give it more memory, or hash the columns into fewer"}
	}
	machines, bias := make([][]float64, len(tasks)), make([]float64, len(tasks))
	going := &votesSoFar{voted: c.Voted, intercept: c.Intercept}
	if d > 0 {
		going.last = mat.NewDense(d, len(tasks), nil)
	}
	report := learn.Report{Learner: "linear perceptron", Certified: "mistakes of the last pass", Converged: true,
		Bytes: bytes}
	for o, t := range tasks {
		step, w, b := weightedTargets(t, weights), make([]float64, d), 0.0
		machines[o] = make([]float64, d)
		early, earlyBias := machines[o], 0.0 // mistakes times the votes that were cast before them
		add := func(w []float64, b *float64, i int, scale float64) {
			addRow(w, any(x.At(i)), scale)
			if c.Intercept {
				*b += scale
			}
		}
		run, err := runPerceptron(ctx, c.PerceptronOptions, weights, 0,
			func(i int) float64 { return step[i] * (dotRow(w, any(x.At(i))) + b) },
			func(i, seen int) {
				add(w, &b, i, step[i])
				if c.Voted {
					add(early, &earlyBias, i, step[i]*float64(seen))
				}
			}, c.Trace)
		if err != nil {
			return nil, err
		}
		run.report(&report)
		// Σ votes·w after each mistake: a mistake counts in all functions from it on.
		all := 1.0
		if c.Voted {
			all = float64(run.seen)
		}
		for j := range early {
			early[j] = all*w[j] - early[j]
			going.last.Set(j, o, w[j])
		}
		bias[o] = all*b - earlyBias
		going.bias, going.votes, going.mistakes = append(going.bias, b), append(going.votes, float64(run.seen)),
			append(going.mistakes, float64(run.made))
	}
	report.Elapsed = time.Since(start)
	return &LinearPerceptronClassifier[T, L]{learn.NewLinearClassifier[T](linearName, labels.Classes, machines, bias,
		report).Like(x), going}, nil
}

func dotRow(w []float64, row any) float64 {
	s := 0.0
	switch v := row.(type) {
	case kernel.Vec:
		for j, a := range v {
			s += w[j] * a
		}
	case data.SparseVec:
		for e, j := range v.Index {
			s += w[j] * v.Value[e]
		}
	}
	return s
}

func addRow(w []float64, row any, scale float64) {
	switch v := row.(type) {
	case kernel.Vec:
		for j, a := range v {
			w[j] += scale * a
		}
	case data.SparseVec:
		for e, j := range v.Index {
			w[j] += scale * v.Value[e]
		}
	}
}
