package tune

import (
	"bytes"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/plattscale"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// By hand: of the cells that are level with the best, the one with the best second score.
func TestSecondedByHand(t *testing.T) {
	e := &engine{metric: Accuracy(), second: Brier()}
	cell := func(second float64, scores ...float64) Cell {
		c := Cell{Scores: scores, Second: second}
		c.summarise()
		return c
	}
	best := cell(0.20, .9, .8, .9, .8)
	level := cell(0.15, .8, .9, .8, .8)  // behind by .025, with an error of .048
	better := cell(0.10, .8, .7, .8, .7) // behind by .1 on every fold
	none := cell(math.NaN(), .9, .8, .8, .9)
	failed := cell(0.01, .9, .8, .9, .8)
	failed.Failed = "singular"
	cells := []Cell{best, level, better, none, failed}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		rng.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		if got := e.seconded(cells, best); got.Second != 0.15 {
			t.Fatalf("chose %+v", got)
		}
	}
	// Repeats say nothing new: .02 behind, with an error of .0178 over all folds, is level where
	// they are two repeats, for then the error is .0252, and is not where each row is judged once.
	best, behind := cell(0.2, .9, .9, .9, .9), cell(0.1, .85, .85, .9, .92)
	e.p.Points = data.Erase(make(data.Slice[kernel.Vec], 8))
	for _, repeats := range []int{1, 2} {
		e.folds = nil
		for range 4 {
			e.folds = append(e.folds, data.Fold{Test: make([]int, 2*repeats)})
		}
		if got := e.level(behind, best); got != (repeats == 2) {
			t.Errorf("%d repeats: level is %v", repeats, got)
		}
	}
}

// brierOfSigmoids is the mean Brier score over the folds of a cell's scores, or the log-odds of its
// own probabilities, each class's turned into probabilities by one sigmoid through all folds.
func brierOfSigmoids(t *testing.T, s Search, c Cell) float64 {
	t.Helper()
	var folds []learn.Predictions
	one := s.Candidates[c.Candidate]
	one.Axes = nil
	for _, p := range c.Params {
		one.Axes = append(one.Axes, Axis{Name: p.Name, Values: []float64{p.Value}})
	}
	s.Candidates, s.Second, s.Journal, s.Threads = []Candidate{one}, Metric{}, "", 1
	s.Metric = Metric{Name: "spy", Score: func(p learn.Predictions) float64 { folds = append(folds, p); return 0 }}
	mustRun(t, s)
	k := folds[0].Classes
	for _, p := range folds {
		for i, v := range p.Prob {
			p.Score[i] = math.Log(v / (1 - v))
		}
	}
	var at []plattscale.Sigmoid
	for c := range k {
		var f []float64
		var positive []bool
		for _, p := range folds {
			for i := range p.Truth {
				f, positive = append(f, p.Score[i*k+c]), append(positive, int(p.Truth[i]) == c)
			}
		}
		at = append(at, plattscale.FitSigmoid(f, positive, nil))
	}
	mean := 0.0
	for _, p := range folds {
		for i, y := range p.Truth {
			sum, score := 0.0, 0.0
			for c := range k {
				sum += at[c].At(p.Score[i*k+c])
			}
			for c := range k {
				d := at[c].At(p.Score[i*k+c])/sum - indicator(c == int(y))
				score += d * d
			}
			if k == 2 {
				d := at[1].At(p.Score[i*k+1]) - y
				score = d * d
			}
			mean += score / float64(len(p.Truth)) / float64(len(folds))
		}
	}
	return mean
}

// The second score of every cell is its metric on the folds, with sigmoids of its scores or
// log-odds for probabilities, and a journal gives it back.
func TestSecondScores(t *testing.T) {
	t.Parallel()
	for _, task := range []data.Task{data.Binary, data.Multiclass} {
		s := Search{Problem: toy(90, task, 2), Candidates: []Candidate{grid("svm"), grid("ridge"), grid("logistic")},
			Second: Brier(), NoModel: true,
			Journal: filepath.Join(t.TempDir(), "journal")}
		r := mustRun(t, s)
		for _, c := range r.Cells {
			want := brierOfSigmoids(t, s, c)
			if !(math.Abs(c.Second-want) <= 1e-4) {
				t.Errorf("%v: Brier score %v, want %v", c, c.Second, want)
			}
			if e := (&engine{metric: r.Metric, p: s.Problem, folds: r.Folds}); e.level(c, r.Best) && c.Second < r.Chosen.Second {
				t.Errorf("%v is level with the best and has Brier score %v; chosen is %v with %v", c, c.Second, r.Chosen,
					r.Chosen.Second)
			}
		}
		again := mustRun(t, s)
		if again.Resumed != len(r.Cells) || again.Chosen.String() != r.Chosen.String() {
			t.Errorf("resumed %d of %d cells, chosen %v, before %v", again.Resumed, len(r.Cells), again.Chosen, r.Chosen)
		}
		var b bytes.Buffer
		if err := again.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for i, name := range rows[0] {
			found = found || name == "brier" && rows[1][i] != ""
		}
		if !found {
			t.Errorf("no Brier score in %v", rows[:2])
		}
	}
}

// Auto asks for a second opinion where accuracy is the metric and rows are few.
func TestAutoHasASecondOpinion(t *testing.T) {
	t.Parallel()
	d, err := data.Builtin("iris", 1)
	if err != nil {
		t.Fatal(err)
	}
	r := mustAuto(t, d, AutoOptions{Seed: 2, Learners: []string{"ridge", "logistic"}, Strategy: Random{Cells: 12}})
	least := r.Chosen
	for _, c := range r.Cells {
		if c.complete() && math.IsNaN(c.Second) {
			t.Errorf("%v has no Brier score", c)
		}
		e := &engine{metric: r.Metric, p: learn.Problem[any]{Points: data.Erase(make(data.Slice[kernel.Vec], 120))},
			folds: resultOf(r).Folds}
		if e.level(c, r.Best) && c.Second < least.Second {
			least = c
		}
	}
	if least.String() != r.Chosen.String() {
		t.Errorf("chosen %v with Brier score %v; %v is level with the best and has %v", r.Chosen, r.Chosen.Second, least,
			least.Second)
	}
	r = mustAuto(t, d, AutoOptions{Seed: 2, Learners: []string{"logistic"}, Strategy: Random{Cells: 3}, Metric: LogLoss()})
	if !math.IsNaN(r.Best.Second) || r.Best.String() != r.Chosen.String() {
		t.Errorf("by log loss: best %v, chosen %v, second score %v", r.Best, r.Chosen, r.Best.Second)
	}
	if m := autoSecond(toy(3000, data.Binary, 1)); m.Score != nil {
		t.Error("a second opinion on 3000 rows")
	}
	if m := autoSecond(toy(30, data.Regression, 1)); m.Score != nil {
		t.Error("a second opinion on numbers")
	}
}
