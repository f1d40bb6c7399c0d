package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// learningSet is a regression of three columns that matter differently, by the order of its target:
// as a sorted file has it.
func learningSet(n int, task data.Task) *data.Dataset {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	x := linalg.New[float64](n, 3)
	y := make([]float64, n)
	order := make([]int, n)
	for i := range n {
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64())
		}
		y[i] = 10*math.Sin(2*x.At(i, 0)) + x.At(i, 1) + 0.1*rng.NormFloat64()
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return y[order[a]] < y[order[b]] })
	d := &data.Dataset{Name: "sorted", Target: "y"}
	for j, name := range []string{"a", "b", "c"} {
		column := make([]float64, n)
		for at, i := range order {
			column[at] = x.At(i, j)
		}
		d.Columns = append(d.Columns, data.NumberColumn(name, column))
	}
	sorted := data.Take(y, order)
	if task == data.Regression {
		d.Columns = append(d.Columns, data.NumberColumn("y", sorted))
		return d
	}
	class := make([]string, n)
	for i, v := range sorted {
		class[i] = map[bool]string{true: "high", false: "low"}[v > 5]
	}
	d.Columns = append(d.Columns, data.LevelColumn("y", class))
	return d
}

// Each point of a learning curve is the mean over the folds of what a fit to so many rows scores,
// by the learner and the kernel that the search chose: a Gaussian process finds its length-scales
// and noise from those rows, a support vector machine has its probabilities of them.
func TestLearningCurveIsOfFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		learner string
		task    data.Task
		metric  Metric
	}{
		{"gp", data.Regression, RMSE()},
		{"svm", data.Regression, RMSE()},
		{"svm", data.Binary, LogLoss()},
		{"ridge", data.Binary, Accuracy()},
	} {
		d := learningSet(110, c.task)
		o := AutoOptions{Learners: []string{c.learner}, Kernel: kernel.Gaussian{Lengthscale: 1}, Metric: c.metric,
			Strategy: Random{Cells: 2}, Folds: 2, Budget: time.Hour}
		r, err := Auto(context.Background(), d, o)
		if err != nil {
			t.Fatal(err)
		}
		curve, err := r.LearningCurve(context.Background(), d, time.Hour)
		if err != nil || len(curve.Rows) < 4 || !slices.IsSorted(curve.Rows) {
			t.Fatalf("%s: %v, %v", c.learner, curve, err)
		}
		x, err := r.Encoder.TransformLabelled(d.Gather(r.Split.Train))
		if err != nil {
			t.Fatal(err)
		}
		p := learn.Problem[any]{Points: data.Erase(x.Dense), Task: r.Task, Y: x.Target, Classes: r.Classes}
		entry, settings := chosenOf(t, r, p, o)
		sizes, err := learningParts(p)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range curve.Rows {
			at := slices.IndexFunc(sizes, func(folds []data.Fold) bool { return len(folds[0].Train) == n })
			mean := 0.0
			for _, fold := range sizes[at] {
				m, err := entry.Fit(context.Background(), settings, p.Gather(fold.Train))
				if err != nil {
					t.Fatal(err)
				}
				known, err := learn.PredictKnown(context.Background(), m, p.ClassCount(), p.Gather(fold.Test))
				if err != nil {
					t.Fatal(err)
				}
				mean += c.metric.Score(known) / float64(len(sizes[at]))
			}
			if !(math.Abs(mean-curve.Score[i]) <= 1e-9*(1+mean)) {
				t.Errorf("%s: %g at %d rows, fits give %g", c.learner, curve.Score[i], n, mean)
			}
		}
	}
}

// chosenOf is the learner that a search chose, and its setting, from the candidates that it was
// given.
func chosenOf(t *testing.T, r *AutoResult, p learn.Problem[any], o AutoOptions) (learn.Learner, learn.Settings) {
	t.Helper()
	candidates, err := autoCandidates(&AutoResult{}, p, lifted, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	chosen := candidates[r.Chosen.Candidate]
	entry, err := chosen.entry()
	if err != nil {
		t.Fatal(err)
	}
	out := learn.Settings{Params: map[string]float64{}, Proba: true, Tol: 1e-3 * p.Deviation()}
	theta := kernel.Values(chosen.Kernel)
	for i, param := range kernel.Params(chosen.Kernel) {
		if v := r.Chosen.Param(param.Name); !math.IsNaN(v) {
			theta[i] = v
		}
	}
	if out.Kernel, err = kernel.With(chosen.Kernel, theta); err != nil {
		t.Fatal(err)
	}
	for _, param := range entry.ParamsFor(p.Task) {
		if out.Params[param.Name] = param.Default; !math.IsNaN(r.Chosen.Param(param.Name)) {
			out.Params[param.Name] = r.Chosen.Param(param.Name)
		}
	}
	return entry, out
}

// The order of a file is nothing to a learning curve: parts of a sorted file are drawn from all of
// it, classes in proportion; groups stay on one side; of times the past is learnt from.
func TestLearningParts(t *testing.T) {
	const n = 200
	p := learn.Problem[int]{Points: data.Slice[int](make([]int, n)), Task: data.Regression}
	for i := range n {
		p.Y = append(p.Y, float64(i))
	}
	check := func(p learn.Problem[int], fold data.Fold) {
		mean := 0.0
		for _, i := range fold.Train {
			mean += float64(i) / float64(len(fold.Train))
		}
		// The mean of m of 200 places in order has a standard deviation of 58/√m.
		if off := math.Abs(mean - 99.5); off > 4*58/math.Sqrt(float64(len(fold.Train))) {
			t.Errorf("the mean place of %d rows is %g", len(fold.Train), mean)
		}
		if err := checkFolds([]data.Fold{fold}, p.Erase()); err != nil {
			t.Error(err)
		}
	}
	sizes, err := learningParts(p.Erase())
	if err != nil || len(sizes) != 6 {
		t.Fatal(len(sizes), err)
	}
	for a, folds := range sizes {
		for f, fold := range folds {
			check(p, fold)
			if len(fold.Train) != len(folds[0].Train) {
				t.Errorf("%d rows beside %d", len(fold.Train), len(folds[0].Train))
			}
			if a > 0 && !slices.Equal(fold.Train[:len(sizes[a-1][f].Train)], sizes[a-1][f].Train) {
				t.Error("a smaller part is not in the larger one")
			}
		}
	}
	classes := p
	classes.Task, classes.Y = data.Binary, slices.Clone(p.Y)
	for i := range n {
		classes.Y[i] = indicator(i >= 160) // a run of each class
	}
	if sizes, err = learningParts(classes.Erase()); err != nil {
		t.Fatal(err)
	}
	for _, folds := range sizes {
		for _, fold := range folds {
			ones := 0.0
			for _, i := range fold.Train {
				ones += classes.Y[i]
			}
			if m := float64(len(fold.Train)); math.Abs(ones-0.2*m) > 1 {
				t.Errorf("%g of %g rows are of the rarer fifth", ones, m)
			}
			check(classes, fold)
		}
	}
	grouped := p
	for i := range n {
		grouped.Groups = append(grouped.Groups, i%20)
	}
	if sizes, err = learningParts(grouped.Erase()); err != nil {
		t.Fatal(err)
	}
	for _, fold := range sizes[5] {
		for _, i := range fold.Test {
			if slices.ContainsFunc(fold.Train, func(j int) bool { return j%20 == i%20 }) {
				t.Fatal("a group is on both sides")
			}
		}
	}
	timed := p
	timed.Times = p.Y
	if sizes, err = learningParts(timed.Erase()); err != nil {
		t.Fatal(err)
	}
	for _, fold := range sizes[5] {
		if slices.Max(fold.Train) > slices.Min(fold.Test) || len(fold.Train) < 100 {
			t.Fatalf("%d rows up to %d say something of row %d", len(fold.Train), slices.Max(fold.Train), slices.Min(fold.Test))
		}
	}
}
