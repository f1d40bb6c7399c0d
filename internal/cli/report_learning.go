package cli

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/plot"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/tune"
)

// learning draws the score of the chosen setting against the number of rows it
// learns from, by cross-validation on the training rows.
func (p *reportPage) learning(ctx context.Context, d *data.Dataset, r *tune.AutoResult, budget time.Duration) error {
	rows := r.Split.Train
	if most := learningRows(r, budget); len(rows) > most {
		rng := rand.New(rand.NewPCG(1, 0x6c6561726e))
		some := make([]int, most)
		for i, j := range rng.Perm(len(rows))[:most] {
			some[i] = rows[j]
		}
		rows = some
	}
	x, err := r.Encoder.TransformLabelled(d.Gather(rows))
	if err != nil {
		return err
	}
	var s plot.Series
	if r.Sparse != nil {
		s, err = learningCurve(ctx, tune.Problem[data.SparseVec]{Points: *x.Sparse, Task: r.Task, Y: x.Target, Classes: r.Classes}, r.Sparse.Model, r.Metric, budget)
	} else {
		s, err = learningCurve(ctx, tune.Problem[kernel.Vec]{Points: x.Dense, Task: r.Task, Y: x.Target, Classes: r.Classes}, r.Dense.Model, r.Metric, budget)
	}
	if err != nil || len(s.X) < 2 {
		return nil // too few rows for a curve
	}
	f, err := plot.LearningCurve(r.Metric.Name, s)
	return p.add("Learning curve", fmt.Sprintf("Cross-validated %s of the chosen setting against the number of rows learnt from; the band is one standard error. Where it still moves at the right, more rows would help.", r.Metric.Name), f, err)
}

// learningRows is how many rows the curve can be drawn from within a budget:
// the chosen cell took so long on the rows of the search, parts from scratch take about seven times as long
// as the cell did beside its neighbours, and time grows as n²·².
func learningRows(r *tune.AutoResult, budget time.Duration) int {
	searched := 0
	if r.Sparse != nil {
		searched = len(r.Sparse.Folds[0].Train) + len(r.Sparse.Folds[0].Test)
	} else {
		searched = len(r.Dense.Folds[0].Train) + len(r.Dense.Folds[0].Test)
	}
	n := float64(searched) * math.Pow(budget.Seconds()/(7*max(r.Chosen.Seconds, 1e-4)), 1/2.2)
	return int(min(max(n, 200), 3000))
}

// learningCurve judges one setting on growing parts of each fold's rows.
func learningCurve[T any](ctx context.Context, p tune.Problem[T], fitted *tune.Fitted[T], metric tune.Metric, budget time.Duration) (plot.Series, error) {
	const parts = 6
	metric.NeedsProb = false
	whole, err := tune.Split(tune.Protocol{Seed: 1}, p)
	if err != nil {
		return plot.Series{}, err
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
	c := tune.Candidate[T]{Learner: fitted.Learner, Kernel: fitted.Kernel}
	for name, v := range fitted.Params {
		c.Axes = append(c.Axes, tune.Axis{Name: name, Values: []float64{v}, Linear: v <= 0})
	}
	search := tune.Search[T]{Problem: p, Candidates: []tune.Candidate[T]{c}, Folds: folds, Metric: metric, Strategy: tune.Grid{}, NoModel: true, Budget: budget}
	for {
		search.Folds = folds
		res, err := search.Run(ctx)
		if err == nil && len(res.Cells) == 1 && len(res.Cells[0].Scores) == len(folds) {
			return averaged(res.Cells[0].Scores, sizes, len(whole)), nil
		}
		// The smallest parts may lack a class.
		if len(sizes) <= 2 || err == nil {
			return plot.Series{}, err
		}
		folds, sizes = folds[len(whole):], sizes[1:]
	}
}

// dealt orders rows so that classes come in turn, for a first part of any size
// to have its share of each.
func dealt[T any](rows []int, p tune.Problem[T]) []int {
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

func averaged(scores []float64, sizes []int, folds int) plot.Series {
	s := plot.Series{Name: "rows left out"}
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
		se := math.Sqrt(max(sq/m-mean*mean, 0) / max(m-1, 1))
		s.X, s.Y = append(s.X, float64(n)), append(s.Y, mean)
		s.Low, s.High = append(s.Low, mean-se), append(s.High, mean+se)
	}
	return s
}
