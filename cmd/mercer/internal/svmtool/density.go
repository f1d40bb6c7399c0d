package svmtool

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Probabilities of a single class are those of LIBSVM since 3.31 (Z. Que and C.-J. Lin, One-class
// SVM probabilistic outputs, 2022): the decision values of the training rows, in order, are cut
// into five parts of as many values below 0 and five above, and a value is told by the part that it
// falls in.

// densityMarks is how many marks there are between the parts.
const densityMarks = 10

// mark finds the marks of a machine where probabilities are asked for. With fewer than five values
// on a side there are none, which is said.
func mark[T any](ctx context.Context, t *trainer, p problem[T], m *machines, sv []int) error {
	if !t.Probable {
		return nil
	}
	d, err := decideBy(ctx, t, m, p.k, rowsAt(p.x, sv), rowsAt(p.x, par.Indices(0, len(p.y))))
	if err != nil {
		return err
	}
	values := make([]float64, len(p.y))
	for i := range values {
		values[i] = d.At(i, 0)
	}
	if m.Marks = marksOf(values); m.Marks == nil {
		fmt.Fprintf(t.warn,
			"WARNING: number of positive or negative decision values <%d; too few to do a probability estimation.\n",
			densityMarks/2)
	}
	return nil
}

// marksOf are the middles between the bounds of the parts, 0 among them; nil where a side has too
// few values.
func marksOf(values []float64) []float64 {
	slices.Sort(values)
	const half = densityMarks / 2
	below := max(slices.IndexFunc(values, func(v float64) bool { return v >= 0 }), 0)
	above := len(values) - below
	if below < half || above < half {
		return nil
	}
	var bounds [densityMarks + 1]float64 // the one in the middle is 0
	for i := range half {
		bounds[i] = values[i*below/half]
		bounds[half+1+i] = values[below-1+(i+1)*above/half]
	}
	marks := make([]float64, densityMarks)
	for i := range marks {
		marks[i] = (bounds[i] + bounds[i+1]) / 2
	}
	return marks
}

// normality is the probability that a row of a decision value is of the class: a tenth for each
// mark that the value has reached. One that is the last mark itself gets 0, as LIBSVM has it.
func normality(marks []float64, value float64) float64 {
	switch {
	case value < marks[0]:
		return 0.001
	case value > marks[len(marks)-1]:
		return 0.999
	}
	for i := 1; i < len(marks); i++ {
		if value < marks[i] {
			return float64(i) / float64(len(marks))
		}
	}
	return 0
}
