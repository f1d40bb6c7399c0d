package online

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// linearName is that of the linear perceptron in a file.
const linearName = "linear-perceptron"

// LinearPerceptronClassifier is a fitted LinearPerceptron, which goes on learning by Update.
type LinearPerceptronClassifier[T any, L cmp.Ordered] struct {
	*learn.LinearClassifier[T, L]
	going *votesSoFar // nil: of a file of before
}

// Updatable says whether the model knows its last weights.
func (m *LinearPerceptronClassifier[T, L]) Updatable() bool { return m.going != nil }

// Update learns from further points, in their order, as one more pass over them would; y is the
// places of their labels among Classes, weights may be nil. It returns the model that knows them,
// too, and the class it said of each before it learnt from it.
func (m *LinearPerceptronClassifier[T, L]) Update(
	ctx context.Context, x data.Points[T], y, weights []float64,
) (learn.Model[T], []float64, error) {
	if m.going == nil {
		return nil, nil, fmt.Errorf("linear perceptron: the model does not know how it was learnt; fit it again")
	}
	n, k := x.Len(), len(m.Classes())
	before := make([]float64, n)
	if n == 0 {
		return m, before, nil
	}
	sum, err := m.Decision(ctx, x) // checks the points
	if err != nil {
		return nil, nil, fmt.Errorf("linear perceptron: %w", err)
	}
	dim := len(m.column(0))
	last := make([][]float64, m.Decisions())
	ways := make([]*output, len(last))
	for o := range last {
		last[o] = m.column(o)
		ways[o] = m.going.begin(o, m.Intercepts()[o])
	}
	said := make([]float64, len(last))
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		row := within(any(x.At(i)), dim)
		with := func(t term) float64 { return dotRows(row, within(any(x.At(t.example)), dim)) }
		for o, u := range ways {
			said[o] = u.observe(i, dotRow(last[o], row)+u.start, sum.At(i, o), signOf(y[i], o, k), w, with)
		}
		before[i] = float64(learn.DecideOneVsRest(said))
	}
	going := m.going.after(ways)
	old := m.Weights()
	machines, bias := make([][]float64, len(ways)), make([]float64, len(ways))
	if dim > 0 {
		going.last = mat.NewDense(dim, len(ways), nil)
	}
	for o, u := range ways {
		machines[o], bias[o] = make([]float64, dim), u.constant()
		for j := range dim {
			machines[o][j] = old.At(o, j) + u.growth()*last[o][j]
		}
		for _, t := range u.terms {
			row := within(any(x.At(t.example)), dim)
			addRow(last[o], row, t.step)
			addRow(machines[o], row, t.step*u.worth(t))
		}
		for j, v := range last[o] {
			going.last.Set(j, o, v)
		}
	}
	return &LinearPerceptronClassifier[T, L]{learn.NewLinearClassifier[T](linearName, m.Classes(), machines, bias,
		going.report("linear perceptron", ways)).Like(x), going}, before, nil
}

// column is the last weights of an output, in memory of their own.
func (m *LinearPerceptronClassifier[T, L]) column(o int) []float64 {
	if m.going.last == nil {
		return nil
	}
	return mat.Col(nil, o, m.going.last)
}

// within is a row without the columns of sparse points that the model has never seen, which count
// for nothing.
func within(row any, dim int) any {
	v, ok := row.(data.SparseVec)
	if !ok {
		return row
	}
	n := len(v.Index)
	for n > 0 && int(v.Index[n-1]) >= dim {
		n--
	}
	return data.SparseVec{Index: v.Index[:n], Value: v.Value[:n]}
}

// dotRows is the inner product of two rows of one sort.
func dotRows(a, b any) float64 {
	switch v := a.(type) {
	case kernel.Vec:
		return dotRow(v, b)
	case data.SparseVec:
		w := b.(data.SparseVec)
		s, j := 0.0, 0
		for e, at := range v.Index {
			for j < len(w.Index) && w.Index[j] < at {
				j++
			}
			if j < len(w.Index) && w.Index[j] == at {
				s += v.Value[e] * w.Value[j]
			}
		}
		return s
	}
	return 0
}

// Saved returns the model as plain data, with all that it needs to go on learning.
func (m *LinearPerceptronClassifier[T, L]) Saved() learn.Saved[T] {
	s := m.LinearClassifier.Saved()
	if m.going != nil {
		s.Numbers, s.Arrays = map[string]float64{}, maps.Clone(s.Arrays)
		m.going.put(s.Numbers, s.Arrays)
	}
	return s
}

func restoreLinearPerceptron[T any](s learn.Saved[T]) (learn.Model[T], error) {
	plain := s
	plain.Numbers = nil // the slope goes around the whole
	base, err := fitting.RestoreLinear(plain)
	if err != nil {
		return nil, err
	}
	m := &LinearPerceptronClassifier[T, int]{LinearClassifier: base.(*learn.LinearClassifier[T, int])}
	_, dim := s.Arrays["weights"].Dims()
	if m.going, err = takeVotes(s, dim, m.Decisions(), mat.DenseCopyOf(s.Arrays["weights"].T())); err != nil {
		return nil, err
	}
	return learn.RestoreSlope(s, m)
}

// Saved returns the model as plain data, with all that it needs to go on learning.
func (m *PerceptronClassifier[T, L]) Saved() learn.Saved[T] {
	s := m.ExpansionClassifier.Saved()
	if m.going != nil {
		s.Numbers, s.Arrays = map[string]float64{}, maps.Clone(s.Arrays)
		if s.Arrays == nil {
			s.Arrays = map[string]*mat.Dense{}
		}
		m.going.put(s.Numbers, s.Arrays)
	}
	return s
}

func restorePerceptron[T any](s learn.Saved[T]) (learn.Model[T], error) {
	base, err := s.Classifier()
	if err != nil {
		return nil, err
	}
	m := &PerceptronClassifier[T, int]{ExpansionClassifier: *base, intercept: s.Func.Bias != nil}
	if m.going, err = takeVotes(s, s.Func.Centers.Len(), base.Decisions(), s.Func.Coef); err != nil {
		return nil, err
	}
	return learn.RestoreSlope(s, m)
}
