package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
	"gonum.org/v1/gonum/mat"
)

// structuredC are the prices that are tried.
var structuredC = []float64{0.1, 1, 10, 100, 1000}

func (s structuredSet) protocol(run structuredRun) string {
	if s.test != "" {
		return "official test rows"
	}
	folds := "10 folds"
	if s.groups != "" {
		folds = "10 grouped folds"
	}
	if n := s.repeatsIn(run); n > 1 {
		folds += fmt.Sprintf(" × %d", n)
	}
	return folds
}

func (s structuredSet) repeatsIn(run structuredRun) int {
	switch {
	case s.test != "":
		return 1
	case run.repeats > 0:
		return run.repeats
	}
	return max(s.repeats, 1)
}

// tuned is the score of each fold (of each repeat, where folds are repeated), and the kernel chosen
// in each fold.
func (s structuredSet) tuned(ctx context.Context, run structuredRun) (scores []float64, kernels []string, err error) {
	d, folds, err := s.folds(ctx, s.repeatsIn(run))
	if err != nil {
		return nil, nil, err
	}
	judge, err := s.judge(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	var known []learn.Predictions
	for _, f := range folds {
		p, chosen, err := judge(f)
		if err != nil {
			return nil, nil, err
		}
		known, kernels = append(known, p), append(kernels, chosen)
	}
	return s.scores(known, s.repeatsIn(run)), kernels, nil
}

// scores is that of each fold, or of each repeat, which has seen every row once. Balanced accuracy
// is of all rows of a repeat together, as that of its reference: a fold of a few groups may have
// hardly any row of the rarer class.
func (s structuredSet) scores(known []learn.Predictions, repeats int) (out []float64) {
	if repeats == 1 && !s.balanced {
		for _, p := range known {
			out = append(out, s.metric().Score(p))
		}
		return out
	}
	for each := len(known) / repeats; len(known) > 0; known = known[each:] {
		all, sum := learn.Predictions{Classes: known[0].Classes, Positive: known[0].Positive}, 0.0
		for _, p := range known[:each] {
			all.Truth, all.Class = append(all.Truth, p.Truth...), append(all.Class, p.Class...)
			sum += s.metric().Score(p) / float64(each)
		}
		if s.balanced {
			sum = s.metric().Score(all)
		}
		out = append(out, sum)
	}
	return out
}

// read loads the set as mercer fit does, with columns joined that are one thing.
func (s structuredSet) read(ctx context.Context, file string) (*data.Dataset, error) {
	d, err := load.Read(ctx, filepath.Join(structuredFolder, file),
		load.Options{Target: s.target, Groups: s.groups, Told: data.Kinds(s.kinds)})
	if err != nil {
		return nil, err
	}
	if d, err = d.Join(d.GuessJoins()...); err != nil {
		return nil, err
	}
	for i := range d.Columns { // a text without words is a text, of strings that are kept too
		if c := &d.Columns[i]; c.Kind == data.Text {
			for row, s := range c.Strings {
				if s == "" {
					c.Strings[row] = " "
				}
			}
		}
	}
	c, err := d.Column(d.Target)
	if err != nil {
		return nil, err
	}
	*c, err = c.As(data.Categorical)
	return d, err
}

// folds is the rows with those to fit on and to judge by: the official ones, or ten folds some
// times.
func (s structuredSet) folds(ctx context.Context, repeats int) (*data.Dataset, []data.Fold, error) {
	d, err := s.read(ctx, s.file)
	if err != nil {
		return nil, nil, err
	}
	if s.test != "" {
		more, err := s.read(ctx, s.test)
		if err != nil {
			return nil, nil, err
		}
		n := d.Len()
		if d, err = data.Concat([]*data.Dataset{d, more}); err != nil {
			return nil, nil, err
		}
		all := upTo(d.Len())
		return d, []data.Fold{{Train: all[:n], Test: all[n:]}}, nil
	}
	c, err := d.Column(d.Target)
	if err != nil {
		return nil, nil, err
	}
	codes := make([]int, d.Len())
	for i, v := range c.Codes {
		codes[i] = int(v)
	}
	groups, err := d.RowGroups(upTo(d.Len()))
	if err != nil {
		return nil, nil, err
	}
	folds, err := data.Repeated(repeats, 1, func(seed uint64) ([]data.Fold, error) {
		if groups != nil {
			return data.Grouped(groups, 10, seed)
		}
		return data.Stratified(codes, 10, seed)
	})
	return d, folds, err
}

func (s structuredSet) metric() tune.Metric {
	if s.balanced {
		return tune.BalancedAccuracy()
	}
	return tune.Accuracy()
}

// encode makes rows of a table by an encoder that is fitted to some of them.
func (s structuredSet) encode(
	d *data.Dataset, fit []int,
) (mixed.Schema, data.Slice[mixed.Row], []float64, []string, error) {
	options := data.EncoderOptions{Text: "keep"}
	e, err := data.FitEncoder(d.Gather(fit), options)
	if err != nil {
		return mixed.Schema{}, nil, nil, nil, err
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		return mixed.Schema{}, nil, nil, nil, err
	}
	schema := mixing.SchemaOf(e)
	rows, err := schema.Rows(x)
	return schema, rows, x.Target, e.Target.Classes, err
}

// judge returns what chooses on the fitted rows of a fold and scores on the others. Where the
// encoder learns nothing from rows (strings, trees, graphs) the Gram matrices of all rows are made
// once.
func (s structuredSet) judge(
	ctx context.Context, d *data.Dataset,
) (func(data.Fold) (learn.Predictions, string, error), error) {
	groups, err := d.RowGroups(upTo(d.Len()))
	if err != nil {
		return nil, err
	}
	if !s.whole {
		return func(f data.Fold) (learn.Predictions, string, error) {
			schema, rows, y, classes, err := s.encode(d, f.Train)
			if err != nil {
				return learn.Predictions{}, "", err
			}
			kernels, names, err := s.kernels(schema, data.Gather(data.Points[mixed.Row](rows), f.Train))
			if err != nil {
				return learn.Predictions{}, "", err
			}
			return chooseAndAsk(ctx, learn.Problem[mixed.Row]{Points: rows, Task: taskOfClasses(classes), Y: y, Classes: classes,
				Groups: groups}, kernels, names, f, s.metric())
		}, nil
	}
	schema, rows, y, classes, err := s.encode(d, upTo(d.Len()))
	if err != nil {
		return nil, err
	}
	kernels, names, err := s.kernels(schema, rows)
	if err != nil {
		return nil, err
	}
	grams := make([]kernel.Kernel[int], len(kernels))
	for i, k := range kernels {
		m := mat.NewDense(len(rows), len(rows), nil)
		if err := kernel.Block(ctx, k, m, data.Points[mixed.Row](rows), data.Points[mixed.Row](rows)); err != nil {
			return nil, fmt.Errorf("%s: %w", names[i], err)
		}
		grams[i] = kernel.Precomputed{K: m}
	}
	p := learn.Problem[int]{Points: data.Slice[int](upTo(len(rows))), Task: taskOfClasses(classes), Y: y, Classes: classes,
		Groups: groups}
	return func(f data.Fold) (learn.Predictions, string, error) {
		if s.balanced {
			p.ClassWeights = evenClasses(data.Take(y, f.Train), len(classes))
		}
		return chooseAndAsk(ctx, p, grams, names, f, s.metric())
	}, nil
}

func taskOfClasses(classes []string) data.Task {
	if len(classes) > 2 {
		return data.Multiclass
	}
	return data.Binary
}

// evenClasses weighs classes so that all have the same weight together, as they have in balanced
// accuracy.
func evenClasses(y []float64, classes int) []float64 {
	out := make([]float64, classes)
	for _, c := range y {
		out[int(c)]++
	}
	for c := range out {
		out[c] = float64(len(y)) / float64(classes) / max(out[c], 1)
	}
	return out
}

// chooseAndAsk searches on the rows to fit on and asks what it found about the others.
func chooseAndAsk[T any](
	ctx context.Context, p learn.Problem[T], kernels []kernel.Kernel[T], names []string, f data.Fold, metric tune.Metric,
) (learn.Predictions, string, error) {
	var candidates []tune.Candidate
	for i, k := range kernels {
		candidates = append(candidates, tune.Candidate{Learner: "svm", Kernel: kernel.Erase(k), KernelName: names[i],
			Axes: []tune.Axis{{Name: "C", Values: structuredC}}})
	}
	erased := p.Erase()
	r, err := tune.Search{Problem: erased.Gather(f.Train), Candidates: candidates, Metric: metric,
		Protocol: tune.Protocol{Seed: 1}}.Run(ctx)
	if err != nil {
		return learn.Predictions{}, "", err
	}
	known, err := r.Model.PredictAll(ctx, data.Gather(erased.Points, f.Test))
	known.Truth, known.Classes = data.Take(p.Y, f.Test), len(p.Classes)
	return known, names[r.Chosen.Candidate], err
}

// kernels reads the texts of the kernels to choose from; those of word weights are fitted to the
// texts of the rows given.
func (s structuredSet) kernels(
	schema mixed.Schema, rows data.Points[mixed.Row],
) (out []kernel.Kernel[mixed.Row], names []string, err error) {
	for _, text := range s.choices {
		k, err := spec.ParseRows(schema, text)
		if err != nil {
			return nil, nil, err
		}
		out, names = append(out, k), append(names, text)
	}
	if s.more != nil {
		more, named, err := s.more(schema, rows)
		if err != nil {
			return nil, nil, err
		}
		out, names = append(out, more...), append(names, named...)
	}
	return out, names, nil
}

// upTo is 0, 1, …, n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
