package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// mustAuto runs Auto with a small search and all the time in the world: its clock stands still.
func mustAuto(t *testing.T, d *data.Dataset, o AutoOptions) *AutoResult {
	t.Helper()
	if o.Budget == 0 {
		o.Budget = time.Minute
	}
	o.clock = newWorkClock()
	r, err := Auto(context.Background(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Nothing of the rows held out reaches the search: with other features and
// targets there, the same cells get the same scores and the model says the same.
func TestAutoNeverSeesTheTest(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sinc", "iris"} {
		d, err := data.Builtin(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		d = d.Gather(par.Indices(0, 100))
		if name == "iris" {
			d, _ = data.Builtin(name, 1)
		}
		o := AutoOptions{Seed: 3, Learners: []string{"ridge", "svm"}, Strategy: Random{Cells: 8}}
		want := mustAuto(t, d, o)
		other := d.Gather(par.Indices(0, d.Len()))
		rng := rand.New(rand.NewPCG(1, 1))
		for c := range other.Columns {
			col := &other.Columns[c]
			if col.Kind != data.Numeric || col.Name == d.Target && want.Task != data.Regression {
				continue // classes of the rows held out are stratified, so they stay
			}
			for _, i := range want.Split.Test {
				col.Numbers[i] = 100 * rng.NormFloat64()
			}
		}
		got := mustAuto(t, other, o)
		if !slices.Equal(got.Split.Test, want.Split.Test) || got.Chosen.String() != want.Chosen.String() ||
			len(got.Cells) != len(want.Cells) {
			t.Fatalf("%s: chosen %v, with other test rows %v", name, want.Chosen, got.Chosen)
		}
		for i, c := range got.Cells {
			if math.Float64bits(c.Mean) != math.Float64bits(want.Cells[i].Mean) {
				t.Fatalf("%s: %v: %v, with other test rows %v", name, c, want.Cells[i].Mean, c.Mean)
			}
		}
		x, err := want.Encoder.Transform(d.Gather(want.Split.Train))
		if err != nil {
			t.Fatal(err)
		}
		a, _ := want.Predict(context.Background(), x)
		b, _ := got.Predict(context.Background(), x)
		if !slices.Equal(a.Value, b.Value) || !slices.Equal(a.Score, b.Score) {
			t.Errorf("%s: the models differ", name)
		}
		if got.Test[0].Value == want.Test[0].Value {
			t.Errorf("%s: the test score did not change with the test rows", name)
		}
	}
}

// Words decide the class.
func textSet(n int) *data.Dataset {
	rng := rand.New(rand.NewPCG(4, 4))
	words := [][]string{{"goal", "match", "team", "score"}, {"flour", "oven", "butter", "sugar"}}
	common := []string{"the", "a", "with", "and", "of"}
	text, label := make([]string, n), make([]string, n)
	for i := range n {
		c := rng.IntN(2)
		var b []string
		for range 8 {
			b = append(b, common[rng.IntN(5)])
			if rng.IntN(2) == 0 {
				b = append(b, words[c][rng.IntN(4)])
			}
		}
		text[i], label[i] = strings.Join(b, " "), []string{"sport", "food"}[c]
	}
	d := &data.Dataset{Name: "texts", Columns: []data.Column{data.TextColumn("text", text),
		data.LevelColumn("label", label)}}
	d.Target = "label"
	return d
}

func TestAutoOnText(t *testing.T) {
	t.Parallel()
	r := mustAuto(t, textSet(120), AutoOptions{Seed: 1, Strategy: Random{Cells: 12}})
	if r.Test[0].Value < 0.9 || !strings.Contains(strings.Join(r.Why, "\n"), "tf-idf") {
		t.Errorf("accuracy %v, %q", r.Test[0], r.Why)
	}
}

func TestAutoOnSparse(t *testing.T) {
	t.Parallel()
	const n, dim = 150, 200
	rng := rand.New(rand.NewPCG(5, 5))
	rows := make([]data.SparseVec, n)
	label := make([]float64, n)
	for i := range rows {
		c := rng.IntN(2)
		label[i] = float64(2*c - 1)
		columns := map[int]bool{c: true}
		for range 6 {
			columns[2+rng.IntN(dim-2)] = true
		}
		for j := range dim {
			if columns[j] {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, 1+rng.Float64())
			}
		}
	}
	s := data.SparseOf(rows, dim)
	d := &data.Dataset{Name: "sparse", Columns: []data.Column{data.NumberColumn("y", label)}, Sparse: &s, Target: "y"}
	r := mustAuto(t, d, AutoOptions{Seed: 1, Strategy: Random{Cells: 20}})
	if !searchedOn[data.SparseVec](r) || searchedOn[kernel.Vec](r) {
		t.Fatal("the rows were not kept sparse")
	}
	if r.Test[0].Value < 0.9 {
		t.Errorf("accuracy %v by %v", r.Test[0], r.Chosen)
	}
	if r.TestPredictions.Prob == nil {
		t.Errorf("%v gives no probabilities", r.Chosen)
	}
}

// Whole groups are held out, and folds never cut one.
func TestAutoOnGroups(t *testing.T) {
	d, _ := data.Builtin("sinc", 1)
	d = d.Gather(par.Indices(0, 120))
	names := make([]string, d.Len())
	for i := range names {
		names[i] = fmt.Sprintf("g%d", i/8)
	}
	d.Columns = append(d.Columns, data.LevelColumn("person", names))
	d.Groups = "person"
	r := mustAuto(t, d, AutoOptions{Seed: 2, Learners: []string{"ridge"}, Strategy: Random{Cells: 6}})
	held := map[string]bool{}
	for _, i := range r.Split.Test {
		held[names[i]] = true
	}
	for _, i := range r.Split.Train {
		if held[names[i]] {
			t.Fatalf("group %s is on both sides of the test", names[i])
		}
	}
	for _, f := range resultOf(r).Folds {
		side := map[string]bool{}
		for _, i := range f.Train {
			side[names[r.Split.Train[i]]] = true
		}
		for _, i := range f.Test {
			if side[names[r.Split.Train[i]]] {
				t.Fatal("a group is on both sides of a fold")
			}
		}
	}
}

// The latest rows are held out, and folds judge the future by the past.
func TestAutoOnTimes(t *testing.T) {
	n := 90
	at, y := make([]float64, n), make([]float64, n)
	rng := rand.New(rand.NewPCG(6, 6))
	for i, p := range rng.Perm(n) {
		at[i] = float64(p)
		y[i] = 0.1*at[i] + 0.1*rng.NormFloat64()
	}
	d := &data.Dataset{Name: "series", Columns: []data.Column{data.NumberColumn("t", at), data.NumberColumn("y", y)},
		Target: "y"}
	r := mustAuto(t, d, AutoOptions{Seed: 2, Time: "t", Learners: []string{"ridge"}, Strategy: Random{Cells: 12}})
	latest := func(rows []int) (lo, hi float64) {
		lo, hi = math.Inf(1), math.Inf(-1)
		for _, i := range rows {
			lo, hi = min(lo, at[i]), max(hi, at[i])
		}
		return lo, hi
	}
	_, before := latest(r.Split.Train)
	if after, _ := latest(r.Split.Test); before >= after || len(r.Split.Test) != 18 {
		t.Errorf("%d rows held out, from %g; fitted up to %g", len(r.Split.Test), after, before)
	}
	for f, fold := range resultOf(r).Folds {
		_, past := latest(data.Take(r.Split.Train, fold.Train))
		if future, _ := latest(data.Take(r.Split.Train, fold.Test)); past >= future {
			t.Errorf("fold %d judges %g by %g", f, future, past)
		}
	}
	if r.Test[0].Value > 1 {
		t.Errorf("RMSE %v of a line by %v", r.Test[0], r.Chosen)
	}
	if _, err := Auto(context.Background(), d, AutoOptions{Time: "when"}); err == nil {
		t.Error("a column of times that is not there was taken")
	}
}

// Ctrl-C leaves the best model so far.
func TestAutoCancelled(t *testing.T) {
	t.Parallel()
	d, _ := data.Builtin("moons", 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := 0
	r, err := Auto(ctx, d, AutoOptions{Seed: 1, clock: newWorkClock(), Trace: func(Event) {
		if seen++; seen == 3 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || resultOf(r).Model == nil || len(r.Test) == 0 || len(r.Cells) == 0 {
		t.Errorf("interrupted %v, %d cells, model %v, test %v", r.Interrupted, len(r.Cells), resultOf(r).Model, r.Test)
	}
	for _, c := range r.Cells {
		if c.complete() && r.Metric.better(c.Mean, r.Best.Mean) {
			t.Errorf("%v is better than the best, %v", c, r.Best)
		}
	}
	if !strings.Contains(strings.Join(r.Why, "\n"), "best so far") {
		t.Errorf("does not say that it was stopped: %q", r.Why)
	}
	before, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Auto(before, d, AutoOptions{}); err == nil {
		t.Error("cancelled before any cell, and no error")
	}
}

// Every classifier that a search may choose ends with probabilities of sum 1,
// whose largest is at the predicted class wherever they are made of decision values.
func TestAutoGivesProbabilities(t *testing.T) {
	t.Parallel()
	d, _ := data.Builtin("iris", 1)
	for _, l := range []string{"ridge", "perceptron", "medoid", "fisher", "svm", "logistic", "knn"} {
		r := mustAuto(t, d, AutoOptions{Seed: 1, Strategy: Random{Cells: 2}, Folds: 2, Learners: []string{l}})
		p := r.TestPredictions
		if p.Prob == nil {
			t.Errorf("%v gives no probabilities", r.Chosen)
			continue
		}
		for i := range p.Truth {
			row := p.Prob[3*i : 3*i+3]
			if sum := row[0] + row[1] + row[2]; math.Abs(sum-1) > 1e-9 {
				t.Fatalf("%s: probabilities of row %d sum to %g", l, i, sum)
			}
			if most := learn.ArgMax(row); l != "svm" && most != p.Class[i] {
				t.Errorf("%s: row %d is class %d, but %v", l, i, p.Class[i], row)
			}
		}
	}
}

// What cannot be learned from is said before any work.
func TestAutoRefuses(t *testing.T) {
	d, _ := data.Builtin("iris", 1)
	one := d.Gather(par.Indices(0, 40)) // one class
	untold := d.Gather(par.Indices(0, 150))
	untold.Target = ""
	texts := d.Gather(par.Indices(0, 150))
	for what, run := range map[string]func() error{
		"one class":   func() error { _, err := Auto(context.Background(), one, AutoOptions{}); return err },
		"no target":   func() error { _, err := Auto(context.Background(), untold, AutoOptions{}); return err },
		"no data set": func() error { _, err := Auto(context.Background(), nil, AutoOptions{}); return err },
		"Budget is -1s": func() error {
			_, err := Auto(context.Background(), d, AutoOptions{Budget: -time.Second})
			return err
		},
		"needs numbers": func() error {
			_, err := Auto(context.Background(), texts, AutoOptions{Task: data.Regression})
			return err
		},
		"\"C\": -1 is outside": func() error {
			_, err := Auto(context.Background(), d, AutoOptions{Axes: []Axis{{Name: "C", Values: []float64{1, -1}}},
				Trace: func(Event) { t.Error("work started") }})
			return err
		},
		"no parameter \"gama\"": func() error {
			_, err := Auto(context.Background(), d, AutoOptions{Axes: []Axis{{Name: "gama", Values: []float64{1}}},
				Trace: func(Event) { t.Error("work started") }})
			return err
		},
		"unknown learner": func() error {
			_, err := Auto(context.Background(), d, AutoOptions{Learners: []string{"thicket"}})
			return err
		},
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("error %v, want one with %q", err, what)
		}
	}
}
