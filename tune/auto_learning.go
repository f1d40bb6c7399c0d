package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

// Curve is a score against the number of rows learnt from.
type Curve struct {
	Rows  []int
	Score []float64 // mean over the folds
	SE    []float64 // standard error of the mean
}

// LearningCurve judges the chosen setting on growing parts of the rows that
// were not held out, by cross-validation, on as many rows as the budget allows.
// It is empty where there are too few rows.
func (r *AutoResult) LearningCurve(ctx context.Context, d *data.Dataset, budget time.Duration) (Curve, error) {
	rows := r.Split.Train
	if most := r.learningRows(budget); len(rows) > most {
		rng := rand.New(rand.NewPCG(1, 0x6c6561726e))
		some := make([]int, most)
		for i, j := range rng.Perm(len(rows))[:most] {
			some[i] = rows[j]
		}
		rows = some
	}
	x, err := r.Encoder.TransformLabelled(d.Gather(rows))
	if err != nil {
		return Curve{}, err
	}
	metric := r.Metric
	metric.NeedsProb = false
	return r.outcome.learningCurve(ctx, learningCurve{x: x, task: r.Task, classes: r.Classes, metric: metric, budget: budget})
}

// learningRows is how many rows the curve can be drawn from within a budget:
// the chosen cell took so long on the rows of the search, parts from scratch take about seven times as long
// as the cell did beside its neighbours, and time grows as n²·².
func (r *AutoResult) learningRows(budget time.Duration) int {
	n := float64(r.outcome.searched()) * math.Pow(budget.Seconds()/(7*max(r.Chosen.Seconds, 1e-4)), 1/2.2)
	return int(min(max(n, 200), 3000))
}

// learningCurve is what a curve is drawn from.
type learningCurve struct {
	x       *data.Encoded
	task    data.Task
	classes []string
	metric  Metric
	budget  time.Duration
}

// learningCurve judges one setting on growing parts of each fold's rows.
func (f found[T]) learningCurve(ctx context.Context, c learningCurve) (Curve, error) {
	const parts = 6
	p := learn.Problem[T]{Points: f.points(c.x), Task: c.task, Y: c.x.Target, Classes: c.classes}
	protocol := Protocol{Folds: 5, Seed: 1}
	if c.task.Classification() {
		if protocol.Folds = min(5, smallestClass(p)); protocol.Folds < 2 {
			return Curve{}, nil // a class that cannot be on both sides
		}
	}
	whole, err := Split(protocol, p)
	if err != nil {
		return Curve{}, err
	}
	var folds []data.Fold
	var sizes []int
	for part := 1; part <= parts; part++ {
		share := math.Pow(float64(part)/parts, 1.5)
		for _, f := range whole {
			n := max(int(share*float64(len(f.Train))), 2)
			folds = append(folds, data.Fold{Train: dealt(f.Train, p)[:n], Test: f.Test})
		}
		sizes = append(sizes, len(folds[len(folds)-1].Train))
	}
	one := Candidate[T]{Learner: f.Model.Learner, Kernel: f.Model.Kernel, Use: f.Model.use}
	for name, v := range f.Model.Params {
		one.Axes = append(one.Axes, Axis{Name: name, Values: []float64{v}, Linear: v <= 0})
	}
	search := Search[T]{Problem: p, Candidates: []Candidate[T]{one}, Metric: c.metric, Strategy: Grid{}, NoModel: true, Budget: c.budget}
	for {
		search.Folds = folds
		res, err := search.Run(ctx)
		if err == nil && len(res.Cells) == 1 && len(res.Cells[0].Scores) == len(folds) {
			return averaged(res.Cells[0].Scores, sizes, len(whole)), nil
		}
		// The smallest parts may lack a class.
		if len(sizes) <= 2 || err == nil {
			return Curve{}, err
		}
		folds, sizes = folds[len(whole):], sizes[1:]
	}
}

// dealt orders rows so that classes come in turn, for a first part of any size
// to have its share of each.
func dealt[T any](rows []int, p learn.Problem[T]) []int {
	if !p.Task.Classification() {
		return rows
	}
	by := map[int][]int{}
	k := 0
	for _, i := range rows {
		c := int(p.Y[i])
		by[c] = append(by[c], i)
		k = max(k, c+1)
	}
	out := make([]int, 0, len(rows))
	for step := 0; len(out) < len(rows); step++ {
		for c := range k {
			if step < len(by[c]) {
				out = append(out, by[c][step])
			}
		}
	}
	return out
}

// averaged is the mean and its standard error over the folds of each size.
func averaged(scores []float64, sizes []int, folds int) (out Curve) {
	for i, n := range sizes {
		sum, sq, m := 0.0, 0.0, 0.0
		for _, v := range scores[i*folds : (i+1)*folds] {
			if !math.IsNaN(v) {
				sum, sq, m = sum+v, sq+v*v, m+1
			}
		}
		if m == 0 {
			continue
		}
		mean := sum / m
		out.Rows, out.Score = append(out.Rows, n), append(out.Score, mean)
		out.SE = append(out.SE, math.Sqrt(max(sq/m-mean*mean, 0)/max(m-1, 1)))
	}
	return out
}
