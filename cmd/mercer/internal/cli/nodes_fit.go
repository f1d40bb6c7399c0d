package cli

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nodes"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

const (
	leastJudged = 10    // known nodes below which none is held out for a test
	leastChosen = 4     // known nodes below which nothing is chosen
	oneTurn     = 20000 // nodes above which one fold of five is held out
)

// chooseNodes holds nodes out for the test, and chooses by others.
func (a *App) chooseNodes(ctx context.Context, o *nodesOptions, r *nodesRun, start time.Time) error {
	r.split.Train = make([]int, len(r.known.Nodes))
	for i := range r.split.Train {
		r.split.Train[i] = i
	}
	if o.Holdout > 0 && len(r.known.Nodes) >= leastJudged {
		parts := max(int(math.Round(1/o.Holdout)), 2)
		r.split = data.Fold{}
		for i, p := range r.known.Folds(parts, o.Seed+1) {
			if p == 0 {
				r.split.Test = append(r.split.Test, i)
			} else {
				r.split.Train = append(r.split.Train, i)
			}
		}
	}
	candidates, err := r.candidates(ctx, o)
	if err != nil {
		return err
	}
	lambdas := nodes.Lambdas()
	if o.Lambda > 0 {
		lambdas = []float64{o.Lambda}
	}
	train := r.known.Gather(r.split.Train)
	if len(train.Nodes) < leastChosen || len(candidates) == 1 && len(lambdas) == 1 && len(train.Nodes) < 2 {
		r.setting = nodes.Setting{Combinatorial: candidates[0].Combinatorial, Transform: candidates[0].Transform,
			Lambda: lambdas[min(1, len(lambdas)-1)]}
		r.reasons = append(r.reasons,
			fmt.Sprintf("%s: too few to choose a transform by, or to tell how sure probabilities are; the first that would be "+
				"tried is taken", plural(len(train.Nodes), "known node")))
		return nil
	}
	search := nodes.Search{Candidates: candidates, Lambdas: lambdas, Folds: o.Folds, Seed: o.Seed}
	r.tried = fmt.Sprintf("%d-fold", min(max(o.Folds, 5), len(train.Nodes)))
	if o.Folds > 0 {
		r.tried = fmt.Sprintf("%d-fold", min(o.Folds, len(train.Nodes)))
	}
	if o.Folds == 0 && r.g.Graph.Nodes > oneTurn {
		search.Turns = 1
		r.tried = "a fifth of them held out once"
	}
	search.Over = func() bool { return time.Since(start) > o.Time }
	trace, done := a.meter(&o.exploreOptions, "choosing", len(candidates))
	r.space.Resources.Trace = trace
	r.choice, err = r.space.Choose(ctx, train, search)
	r.space.Resources.Trace = nil
	done()
	if err != nil {
		return lookError(r.g.Name, err)
	}
	r.setting = r.choice.Best.Setting
	if r.choice.Tried < len(candidates) {
		r.reasons = append(r.reasons, fmt.Sprintf("the time was over after %d of %d transforms (--time)", r.choice.Tried,
			len(candidates)))
	}
	return nil
}

// candidates are the transforms asked for, or all, of the Laplacians asked for.
func (r *nodesRun) candidates(ctx context.Context, o *nodesOptions) ([]nodes.Candidate, error) {
	kinds := map[string][]bool{"normalised": {false}, "combinatorial": {true}, "both": {false, true}}[o.Laplacian]
	var out []nodes.Candidate
	for _, combinatorial := range kinds {
		var families []string
		for _, text := range o.Transforms {
			t, given, err := graph.ParseTransform(text)
			if err != nil {
				return nil, usage("--transform: %w", err)
			}
			if given {
				if err := r.validate(ctx, t, combinatorial); err != nil {
					return nil, usage("--transform: %w", err)
				}
				out = append(out, nodes.Candidate{Combinatorial: combinatorial, Transform: t})
			} else {
				families = append(families, t.Name())
			}
		}
		if len(families) == 0 && len(o.Transforms) > 0 {
			continue
		}
		more, reasons, err := r.space.Candidates(ctx, combinatorial, r.known.Classes, families...)
		if err != nil {
			return nil, lookError(r.g.Name, err)
		}
		out = append(out, more...)
		if len(o.Transforms) > 0 || len(kinds) == 1 && !combinatorial {
			r.reasons = append(r.reasons, reasons...)
		}
	}
	if len(out) == 0 {
		return nil, usage("--transform: %s cannot be tried on this graph with the %s Laplacian: %s",
			joinedTransforms(o.Transforms), o.Laplacian, joined(r.reasons))
	}
	return out, nil
}

// validate says whether a transform fits a Laplacian.
func (r *nodesRun) validate(ctx context.Context, t graph.Transform, combinatorial bool) error {
	largest, err := r.space.Largest(ctx, combinatorial)
	if err != nil {
		return err
	}
	return t.Validate(largest)
}

// fitNodes judges the choice by the nodes held out, and fits it again to all.
func (a *App) fitNodes(ctx context.Context, o *nodesOptions, r *nodesRun) error {
	done := a.busy(&o.exploreOptions, "fitting")
	defer done()
	slope := 0.0
	if r.choice != nil {
		slope = r.choice.Best.Slope
	}
	encoder := model.NodesEncoder(r.answers.Columns[0].Name, r.g.Names, r.target)
	info := model.Info{Spec: r.spec(), Encoder: encoder, DataName: r.g.Name, DataHash: r.g.Hash, Rows: len(r.known.Nodes),
		Seed: o.Seed, Version: Version, Notes: map[string]string{}}
	if len(r.split.Test) > 0 {
		fitted, err := r.space.Fit(ctx, r.known.Gather(r.split.Train), r.setting, slope)
		if err != nil {
			return lookError(r.g.Name, err)
		}
		train, test := r.problem(r.split.Train), r.problem(r.split.Test)
		base := learn.BaselineOf(train)
		said := test.Complete(r.known.Classes, fitted.Predict(r.known.Gather(r.split.Test).Nodes))
		r.tested, r.base = said, base
		r.scores = tune.JudgeWithin(said, base, o.Seed, tune.Metrics(r.target.Task)...)
		for _, t := range r.scores {
			info.Notes["test "+t.Metric] = scoreText(t, plural(len(r.split.Test), "node")) + "; baseline " + number(t.Baseline)
		}
		if r.known.Classes == 0 {
			var off []float64
			for i, v := range said.Value {
				off = append(off, math.Abs(v-said.Truth[i]))
			}
			info.Residuals = model.ThinResiduals(off)
		}
	}
	var err error
	if r.final, err = r.space.Fit(ctx, r.known, r.setting, slope); err != nil {
		return lookError(r.g.Name, err)
	}
	all := r.problem(nil)
	info.Yardstick = model.Yardstick{Baseline: learn.BaselineOf(all)}
	if c := all.PositiveCode(); c >= 0 {
		info.Yardstick.Positive = r.target.Classes[c]
	}
	rows := make([]int, r.answers.Len())
	for i := range rows {
		rows[i] = i
	}
	info.Trained = model.TrainedRows(encoder, r.answers, rows)
	if r.choice != nil {
		best := r.choice.Best
		info.Notes["search"] = fmt.Sprintf("%s %s, %s", r.metric(), number(best.Score), r.tried)
	}
	r.model, err = model.NewNodes(r.final, info)
	return err
}

// metric is what the search went by.
func (r *nodesRun) metric() string { return tune.Metrics(r.target.Task)[0].Name }

// problem is known nodes as metrics see them, by place; nil: all.
func (r *nodesRun) problem(places []int) learn.Problem[int] {
	known := r.known
	if places != nil {
		known = known.Gather(places)
	}
	return learn.Problem[int]{Points: data.Slice[int](known.Nodes), Task: r.target.Task, Y: known.Y,
		Classes: r.target.Classes}
}

// writeNodes writes what is said of every node.
func (a *App) writeNodes(ctx context.Context, o *nodesOptions, r *nodesRun) error {
	column := r.answers.Columns[0].Name
	all := &data.Dataset{Name: r.g.Name, Columns: []data.Column{data.TextColumn(column, r.g.Names)}}
	want := model.Want{Proba: r.known.Classes > 0}
	p, err := r.model.Predict(ctx, all, want)
	if err != nil {
		return err
	}
	table, _ := r.model.Table(all, p, want, true)
	answers := make([]string, len(r.g.Names))
	for i, v := range r.known.Nodes {
		answers[v] = r.answers.Columns[1].String(i)
	}
	component, _ := r.space.Components()
	number, alone := make([]float64, len(component)), make([]string, len(component))
	for v, c := range component {
		number[v], alone[v] = float64(c+1), "no"
		if r.final.Alone(v) {
			alone[v] = "yes"
		}
	}
	columns := append(table.Columns, data.TextColumn("answer", answers), data.NumberColumn("component", number),
		data.TextColumn("nothing_known", alone))
	return a.writeColumns(o.Output, columns...)
}
