package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// Curve is a score against the number of rows learnt from.
type Curve struct {
	Rows  []int
	Score []float64 // mean over the folds
	SE    []float64 // standard error of the mean
}

// LearningCurve judges the chosen setting on growing parts of the rows that were not held out, by
// cross-validation: each point is the mean score of fits like the last one, of so many rows drawn
// at random. It goes as far as the budget allows, and is empty where there are too few rows. The
// error of a budget that is too short for two points is a TooShort.
func (r *AutoResult) LearningCurve(ctx context.Context, d *data.Dataset, budget time.Duration) (Curve, error) {
	if budget <= 0 {
		return Curve{}, fault.In("tune", tooShort(budget, 0, "there is no time for a fit"))
	}
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
	rows = data.Take(rows, x.Kept)
	groups, err := d.RowGroups(rows)
	if err != nil {
		return Curve{}, err
	}
	times, err := timesOf(d, r.timeColumn, rows)
	if err != nil {
		return Curve{}, err
	}
	within, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	return r.outcome.learningCurve(within, x, groups, times)
}

// learningRows is how many rows the curve can be drawn from within a budget: the chosen cell took
// so long on the rows of the search, parts from scratch take about seven times as long as the cell
// did beside its neighbours, and time grows as n²·².
func (r *AutoResult) learningRows(budget time.Duration) int {
	n := float64(r.outcome.searched()) * math.Pow(budget.Seconds()/(7*max(r.Chosen.Seconds, 1e-4)), 1/2.2)
	return int(min(max(n, 200), 3000))
}

// learningCurve fits the chosen cell to growing parts of each fold's rows, until the context ends.
func (f found) learningCurve(
	ctx context.Context, x *data.Encoded, groups []int, times []float64,
) (out Curve, err error) {
	p, err := f.problem(x)
	if err != nil {
		return out, err
	}
	p.Groups, p.Times = groups, times
	sizes, err := learningParts(p)
	if err != nil {
		return out, err
	}
	for _, folds := range sizes {
		if checkFolds(folds, p) != nil {
			continue // the smallest parts may lack a class
		}
		point := Cell{Scores: make([]float64, len(folds))}
		errs := make([]error, len(folds))
		par.For(min(2, par.Workers(0)), len(folds), 1, func(i, _ int) {
			point.Scores[i], errs[i] = f.judgeOn(ctx, p.Gather(folds[i].Train), p.Gather(folds[i].Test))
		})
		if ctx.Err() != nil {
			if len(out.Rows) < 2 {
				err = fault.In("tune", tooShort(0, 0, "the fits of a curve take longer"))
			}
			return out, err
		}
		if failed(errs) {
			continue // too few rows for this learner
		}
		if point.summarise(); !math.IsNaN(point.Mean) {
			out.Rows, out.Score, out.SE = append(out.Rows, len(folds[0].Train)), append(out.Score, point.Mean),
				append(out.SE, point.SE)
		}
	}
	return out, nil
}

func failed(errs []error) bool {
	for _, err := range errs {
		if err != nil {
			return true
		}
	}
	return false
}

// judgeOn is the score of a fit like the last one to some rows, on others.
func (f found) judgeOn(ctx context.Context, train, test learn.Problem[any]) (float64, error) {
	m, err := f.refit(ctx, train)
	if err != nil {
		return math.NaN(), err
	}
	known, err := m.known(ctx, test)
	if err != nil {
		return math.NaN(), err
	}
	return f.Metric.Score(known), nil
}

// learningParts is folds of which ever more rows are fitted on, a set for each size: all folds of a
// set have equally many, drawn at random whatever the order of the file, and those of a smaller set
// are among those of a larger one.
func learningParts(p learn.Problem[any]) (sizes [][]data.Fold, err error) {
	const parts = 6
	protocol := Protocol{Folds: 5, Seed: 1}
	if p.Task.Classification() {
		if protocol.Folds = min(5, smallestClass(p)); protocol.Folds < 2 {
			return nil, nil // a class that cannot be on both sides
		}
	}
	whole, err := split(protocol, p)
	if err != nil {
		return nil, err
	}
	longest := 0
	for _, f := range whole {
		longest = max(longest, len(f.Train))
	}
	least := longest
	var folds []data.Fold
	rng := rand.New(rand.NewPCG(1, 0x7061727473))
	for _, f := range whole {
		if 3*len(f.Train) >= 2*longest { // the first ones of time-ordered folds have few
			least = min(least, len(f.Train))
			folds = append(folds, data.Fold{Train: dealt(f.Train, p, rng), Test: f.Test})
		}
	}
	before := 1
	for part := 1; part <= parts; part++ {
		n := int(math.Pow(float64(part)/parts, 1.5) * float64(least))
		if n <= before {
			continue
		}
		before = n
		cut := make([]data.Fold, len(folds))
		for i, f := range folds {
			cut[i] = data.Fold{Train: f.Train[:n], Test: f.Test}
		}
		sizes = append(sizes, cut)
	}
	return sizes, nil
}

// dealt is rows in random order, but for classes, which come in turn as long as there are rows of
// them: a first part of any size has its share of each.
func dealt(rows []int, p learn.Problem[any], rng *rand.Rand) []int {
	mixed := make([]int, len(rows))
	for i, j := range rng.Perm(len(rows)) {
		mixed[i] = rows[j]
	}
	if !p.Task.Classification() {
		return mixed
	}
	// Row a of the m rows of a class has its turn at (a + ½)/m of the way.
	count := make([]int, p.ClassCount())
	for _, i := range mixed {
		count[int(p.Y[i])]++
	}
	turn := make([]float64, len(rows))
	seen := make([]int, len(count))
	for at, i := range mixed {
		c := int(p.Y[i])
		turn[at] = (float64(seen[c]) + 0.5) / float64(count[c])
		seen[c]++
	}
	order := descending(turn)
	out := make([]int, len(rows))
	for a, at := range order {
		out[len(rows)-1-a] = mixed[at]
	}
	return out
}
