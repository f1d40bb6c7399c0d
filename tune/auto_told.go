package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// splitAsTold takes the rows fitted on and held out that were given, less those that cannot be
// used.
func (r *AutoResult) splitAsTold(usable []int, rows int, told data.Fold) error {
	able := make([]bool, rows)
	for _, i := range usable {
		able[i] = true
	}
	side := make([]bool, rows)
	keep := func(from []int) ([]int, error) {
		var out []int
		for _, i := range from {
			switch {
			case i < 0 || i >= rows:
				return nil, fault.Errorf("tune", "Split names row %d; there are rows 0 to %d", i, rows-1)
			case side[i]:
				return nil, fault.Errorf("tune", "Split names row %d twice", i)
			}
			if side[i] = true; able[i] {
				out = append(out, i)
			}
		}
		return out, nil
	}
	var err error
	if r.Split.Train, err = keep(told.Train); err != nil {
		return err
	}
	if r.Split.Test, err = keep(told.Test); err != nil {
		return err
	}
	if len(r.Split.Train) == 0 {
		return fault.Errorf("tune", "Split leaves no row to fit on")
	}
	r.because("%d rows fitted on and %d held out, as told", len(r.Split.Train), len(r.Split.Test))
	return nil
}

// classWeights is the weight of each class in fits; nil: all 1.
func (o AutoOptions) classWeights(task data.Task, x *data.Encoded, classes []string) ([]float64, error) {
	if o.Balance == learn.Unbalanced && len(o.ClassWeights) == 0 {
		return nil, nil
	}
	if !task.Classification() {
		return nil, fault.Errorf("tune", "weights of classes, and the task is %v", task)
	}
	out := make([]float64, len(classes))
	for c := range out {
		out[c] = 1
	}
	if o.Balance == learn.Balanced {
		out = learn.Problem[int]{Points: data.Indices(x.Len()), Task: task, Y: x.Target, Classes: classes,
			Weights: x.Weights}.BalancedWeights()
	}
	for name, w := range o.ClassWeights {
		c := slices.Index(classes, name)
		switch {
		case c < 0:
			return nil, fault.Errorf("tune", "weight of class %q, which is not there (there are: %s)", name,
				strings.Join(classes, ", "))
		case !(w > 0) || math.IsInf(w, 0):
			return nil, fault.Errorf("tune", "weight of class %q is %g; give a positive number", name, w)
		}
		out[c] = w
	}
	return out, nil
}

func weightText(classes []string, weights []float64) string {
	var out []string
	for c, w := range weights {
		out = append(out, fmt.Sprintf("%s %.4g", classes[c], w))
	}
	return strings.Join(out, ", ")
}

// refitAll fits the chosen setting on all rows, those held out among them, encoded by all of them.
// What was judged stays as it is.
func (r *AutoResult) refitAll(ctx context.Context, d *data.Dataset) error {
	switch {
	case len(r.Split.Test) == 0:
		return nil // it is of all rows
	case r.Interrupted || r.outcome.wide():
		r.note("the model is that of the rows not held out: there was no time to fit it on all rows")
		return nil
	}
	rows := slices.Concat(r.Split.Train, r.Split.Test)
	if r.timeColumn == "" {
		slices.Sort(rows)
	}
	all := d.Gather(rows)
	e, err := r.Encoder.Refit(all)
	if err != nil {
		return data.PlaceRow(rows, err)
	}
	e.Options = r.Encoder.Options
	x, err := e.TransformLabelled(all)
	if err != nil {
		return data.PlaceRow(rows, err)
	}
	if err := r.outcome.refitOn(ctx, x); err != nil {
		return fault.Errorf("tune", "the fit on all rows, after the test: %w", err)
	}
	r.Encoder, r.Refitted = e, r.outcome.rows()
	r.because("fitted once more, on all %d rows, after the test was judged by a model of %d", r.Refitted,
		len(r.Split.Train)-r.Dropped)
	return nil
}

// refitOn puts a fit of the chosen cell to other rows in place of the model.
func (f found) refitOn(ctx context.Context, x *data.Encoded) error {
	p, err := f.problem(x)
	if err != nil {
		return err
	}
	p, _ = p.Weighty()
	m, err := f.refit(ctx, p)
	if err != nil {
		return err
	}
	f.Result.Model = m
	return nil
}

// Nested is an honest estimate of what a whole Auto is worth: each of so many folds of the rows is
// held out of a search of its own, with an equal share of the budget, and judged by what that
// chose. Groups stay together, times are in order. Scores are of the metric of the search, or where
// there are no folds (Evidence) of the first of the task.
func (o AutoOptions) Nested(ctx context.Context, d *data.Dataset, folds int) (*NestedResult, error) {
	if folds < 2 {
		return nil, fault.Errorf("tune", "%d outer folds; give 2 or more", folds)
	}
	outer, err := o.outerFolds(d, folds)
	if err != nil {
		return nil, err
	}
	o.Journal, o.Refit, o.Spent = "", false, 0
	if o.Budget == 0 {
		o.Budget = time.Minute
	}
	o.Budget /= time.Duration(len(outer))
	out := &NestedResult{}
	var c Cell
	for f := range outer {
		one := o
		one.Split = &outer[f]
		r, err := Auto(ctx, d, one)
		if err != nil {
			if ctx.Err() != nil && f > 0 {
				out.Partial = true
				break
			}
			return nil, fmt.Errorf("outer fold %d: %w", f+1, err)
		}
		if len(r.Test) == 0 {
			return nil, fault.Errorf("tune", "outer fold %d: no row of it can be judged", f+1)
		}
		out.Metric, out.Fits, out.Chosen = r.Test[0].by, out.Fits+r.Fits, append(out.Chosen, r.Chosen)
		c.Scores = append(c.Scores, r.Test[0].Value)
		if r.Interrupted && ctx.Err() != nil {
			out.Partial = f+1 < len(outer)
			break
		}
	}
	c.summarise()
	out.Scores, out.Mean, out.SE, out.Low, out.High = c.Scores, c.Mean, c.SE, c.Low, c.High
	return out, nil
}

// outerFolds are folds of the usable rows of a data set.
func (o AutoOptions) outerFolds(d *data.Dataset, folds int) ([]data.Fold, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	target, err := d.Column(d.Target)
	if err != nil {
		return nil, err
	}
	task := o.Task
	if task == data.Unsupervised {
		if task, _, err = data.InferTask(target); err != nil {
			return nil, data.PlaceError(d.Name, 0, err)
		}
	}
	rows, codes, _, err := (&AutoResult{}).usable(d, task)
	if err != nil {
		return nil, err
	}
	p := learn.Problem[int]{Points: data.Indices(len(rows)), Task: task, Y: make([]float64, len(rows))}
	for i, c := range codes {
		p.Y[i] = float64(max(c, 0))
	}
	if p.Groups, err = d.RowGroups(rows); err != nil {
		return nil, err
	}
	if p.Times, err = timesOf(d, o.Time, rows); err != nil {
		return nil, err
	}
	var found []data.Fold
	switch {
	case p.Times != nil:
		found, err = data.TimeOrdered(p.Times, folds)
	case p.Groups != nil:
		found, err = data.Grouped(p.Groups, folds, o.Seed)
	case task.Classification():
		found, err = data.Stratified(p.Codes(), folds, o.Seed)
	default:
		found, err = data.KFold(len(rows), folds, o.Seed)
	}
	if err != nil {
		return nil, fault.In("tune", err)
	}
	for i, f := range found {
		found[i] = data.Fold{Train: data.Take(rows, f.Train), Test: data.Take(rows, f.Test)}
	}
	return found, nil
}
