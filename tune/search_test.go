package tune

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

func simple(l string, task data.Task) Search {
	return Search{Problem: toy(120, task, 2), Candidates: []Candidate{grid(l)}}
}

func mustRun(t *testing.T, s Search) *Result {
	t.Helper()
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBadInput(t *testing.T) {
	for want, change := range map[string]func(s *Search){
		"no points":             func(s *Search) { s.Problem.Points = data.Erase(data.RowsOf(linalg.New[float64](0, 2))) },
		"no candidates":         func(s *Search) { s.Candidates = nil },
		"use at most":           func(s *Search) { s.Protocol = Protocol{Folds: 200, Plain: true} },
		"at least 2":            func(s *Search) { s.Protocol.Folds = 1 },
		"is outside (0, +Inf)":  func(s *Search) { s.Candidates[0].Axes[0].Values = []float64{1, -2} },
		"\"C\": 0 is outside":   func(s *Search) { s.Candidates[0].Axes[1].Values = []float64{0, 1} },
		"no parameter \"gama\"": func(s *Search) { s.Candidates[0].Axes[0].Name = "gama" },
		"has no values":         func(s *Search) { s.Candidates[0].Axes[0].Values = nil },
		"two axes": func(s *Search) {
			s.Candidates[0].Axes = append(s.Candidates[0].Axes, s.Candidates[0].Axes[0])
		},
		"unknown learner":         func(s *Search) { s.Candidates[0].Learner = "thicket" },
		"no kernel":               func(s *Search) { s.Candidates[0].Kernel = nil },
		"of one class":            func(s *Search) { s.Problem.Y = make([]float64, 120) },
		"is NaN; a class":         func(s *Search) { s.Problem.Y[3] = math.NaN() },
		"120 points but 1 target": func(s *Search) { s.Problem.Y = s.Problem.Y[:1] },
		"weight of row 2 is -1": func(s *Search) {
			s.Problem.Weights = make([]float64, 120)
			for i := range s.Problem.Weights {
				s.Problem.Weights[i] = 1
			}
			s.Problem.Weights[2] = -1
		},
		"Budget is -1s": func(s *Search) { s.Budget = -time.Second },
		"Refine is -1":  func(s *Search) { s.Strategy = Grid{Refine: -1} },
		"Random.Cells":  func(s *Search) { s.Strategy = Random{Cells: -1} },
		"Bayes.Cells":   func(s *Search) { s.Strategy = Bayes{Cells: -1} },
		"Halving":       func(s *Search) { s.Strategy = Halving{Eta: 1} },
		"Tol is -1":     func(s *Search) { s.Tol = -1 },
		"Bytes is -1":   func(s *Search) { s.Bytes = -1 },
		"to fit on in fold 1": func(s *Search) {
			s.Folds = []data.Fold{{}}
			for i, y := range s.Problem.Y {
				if y == 0 {
					s.Folds[0].Test = append(s.Folds[0].Test, i)
				} else {
					s.Folds[0].Train = append(s.Folds[0].Train, i)
				}
			}
		},
		"names row 500": func(s *Search) { s.Folds = []data.Fold{{Train: []int{0, 500}, Test: []int{1}}} },
		"twice":         func(s *Search) { s.Folds = []data.Fold{{Train: []int{0, 1}, Test: []int{1}}} },
		"column 1 is":   func(s *Search) { s.Problem.Points.At(5).(kernel.Vec)[1] = math.Inf(1) },
	} {
		s := simple("svm", data.Binary)
		change(&s)
		s.Trace = func(Event) { t.Errorf("%q: work started", want) }
		if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			if want == "column 1 is" && err != nil && strings.Contains(err.Error(), "Inf") {
				continue
			}
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestDegenerate(t *testing.T) {
	constant := simple("ridge", data.Regression)
	for i := range constant.Problem.Y {
		constant.Problem.Y[i] = 5
	}
	if r := mustRun(t, constant); r.Best.Mean > 1e-9 {
		t.Errorf("constant target: RMSE %g", r.Best.Mean)
	}
	same := simple("svm", data.Binary)
	m := linalg.New[float64](120, 1)
	same.Problem.Points = data.Erase(data.RowsOf(m)) // all rows are duplicates, the column constant
	mustRun(t, same)
	few := simple("svm", data.Binary)
	few.Problem = few.Problem.Gather([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	few.Protocol = Protocol{Folds: 2}
	mustRun(t, few)
	for _, l := range []string{"svm", "ridge"} {
		loo := simple(l, data.Regression)
		loo.Problem = loo.Problem.Gather([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
		loo.Protocol = Protocol{LOO: true}
		if r := mustRun(t, loo); len(r.Folds) != 12 {
			t.Errorf("%d folds", len(r.Folds))
		}
	}
	huge := simple("svm", data.Binary)
	for i := range huge.Problem.Len() {
		huge.Problem.Points.At(i).(kernel.Vec)[0] *= 1e200
	}
	// Squares of such distances are infinite and the kernel of two points is 0:
	// every point is alone, and a machine can only say the commoner class.
	r := mustRun(t, huge)
	for _, c := range r.Cells {
		if c.Failed == "" && (math.IsNaN(c.Mean) || c.Mean < 0 || c.Mean > 1) {
			t.Errorf("huge values: %v has accuracy %g", c, c.Mean)
		}
	}
	p, err := r.Model.PredictAll(context.Background(), huge.Problem.Points)
	if err != nil || len(p.Class) != 120 {
		t.Errorf("huge values: %d predictions, %v", len(p.Class), err)
	}
}

func TestOneSE(t *testing.T) {
	s := simple("ridge", data.Regression)
	s.OneSE = true
	r := mustRun(t, s)
	if r.Chosen.Param("lambda") < r.Best.Param("lambda") || r.Chosen.Mean > r.Best.Mean+r.Best.SE {
		t.Errorf("chosen %v (%g), best %v (%g ± %g)", r.Chosen, r.Chosen.Mean, r.Best, r.Best.Mean, r.Best.SE)
	}
}

// A grid plans as many cells as it then judges: values that are given are not refined, nor is what
// is known judged again.
func TestPlannedCells(t *testing.T) {
	for _, axes := range [][]Axis{
		{{Name: "gaussian.lengthscale", Values: []float64{1}}, {Name: "lambda", Values: []float64{0.1}}},
		{{Name: "gaussian.lengthscale", Values: []float64{1}}, {Name: "lambda", Values: []float64{1e-3, 0.1, 10}}},
	} {
		s := simple("ridge", data.Regression)
		s.Candidates[0].Axes, s.Strategy = axes, Grid{Refine: 2}
		var last Event
		s.Trace = func(e Event) { last = e }
		if r := mustRun(t, s); last.Planned != len(r.Cells) || last.Done != len(r.Cells) {
			t.Errorf("%v: %d of %d cells, there are %d", axes, last.Done, last.Planned, len(r.Cells))
		}
	}
}

func TestStrategies(t *testing.T) {
	t.Parallel()
	base := mustRun(t, simple("ridge", data.Regression))
	refined := simple("ridge", data.Regression)
	refined.Strategy = Grid{Refine: 3}
	if r := mustRun(t, refined); !(r.Best.Mean < base.Best.Mean) || len(r.Cells) <= len(base.Cells) {
		t.Errorf("refined %g with %d cells, plain %g with %d", r.Best.Mean, len(r.Cells), base.Best.Mean, len(base.Cells))
	}
	wide := func(s Strategy) Search {
		w := simple("ridge", data.Regression)
		w.Candidates[0].Axes = []Axis{{Name: "gaussian.lengthscale", Values: []float64{0.01, 100}},
			{Name: "lambda", Values: []float64{1e-8, 1e4}}}
		w.Strategy, w.Seed = s, 4
		return w
	}
	random, bayes := mustRun(t, wide(Random{Cells: 24})), mustRun(t, wide(Bayes{Cells: 24}))
	if len(random.Cells) != 24 || len(bayes.Cells) != 24 {
		t.Errorf("%d and %d cells, want 24", len(random.Cells), len(bayes.Cells))
	}
	if bayes.Best.Mean > random.Best.Mean || bayes.Best.Mean > 1.1*base.Best.Mean {
		t.Errorf("Bayes %g, random %g, grid %g", bayes.Best.Mean, random.Best.Mean, base.Best.Mean)
	}
	halved := simple("svm", data.Binary)
	halved.Problem = toy(600, data.Binary, 2)
	full := mustRun(t, halved)
	halved.Strategy = Halving{Least: 60}
	if r := mustRun(t, halved); len(r.Cells) >= len(full.Cells) || r.Best.Mean < full.Best.Mean-0.02 {
		t.Errorf("halving %g from %d cells, grid %g from %d", r.Best.Mean, len(r.Cells), full.Best.Mean, len(full.Cells))
	}
	raced := simple("svm", data.Binary)
	raced.Race, raced.Protocol = true, Protocol{Folds: 10}
	plain := raced
	plain.Race = false
	a, b := mustRun(t, raced), mustRun(t, plain)
	if a.Fits >= b.Fits || a.Best.Mean < b.Best.Mean-0.01 {
		t.Errorf("racing: %d fits and %g, without %d and %g", a.Fits, a.Best.Mean, b.Fits, b.Best.Mean)
	}
}

func TestGPAndNested(t *testing.T) {
	s := Search{Problem: toy(80, data.Regression, 2), Metric: MeanLogDensity(),
		Candidates: []Candidate{{Learner: "gp", Kernel: vec(kernel.Scale[kernel.Vec](1, kernel.Gaussian{}))}}}
	r := mustRun(t, s)
	if !(r.Best.Mean > -1.2) || r.Model.Model == nil {
		t.Errorf("mean log density %g", r.Best.Mean)
	}
	n, err := Nested(context.Background(), simple("ridge", data.Regression), Protocol{Folds: 3, Seed: 8})
	if err != nil || len(n.Scores) != 3 || len(n.Chosen) != 3 || !(n.Low <= n.Mean && n.Mean <= n.High) || n.Mean > 0.6 {
		t.Errorf("nested %+v, %v", n, err)
	}
}

func TestProtocols(t *testing.T) {
	p := toy(60, data.Regression, 3)
	for i := range p.Y {
		p.Times = append(p.Times, float64(i))
	}
	for _, l := range []string{"svm", "ridge"} {
		s := Search{Problem: p, Candidates: []Candidate{grid(l)}, Protocol: Protocol{Folds: 3}}
		r := mustRun(t, s)
		for f, fold := range r.Folds {
			if fold.Train[len(fold.Train)-1] >= fold.Test[0] {
				t.Errorf("fold %d judges the past by the future", f)
			}
		}
	}
	p.Times = nil
	for i := range p.Y {
		p.Groups = append(p.Groups, i/6)
	}
	s := Search{Problem: p, Candidates: []Candidate{grid("ridge")}}
	for _, fold := range mustRun(t, s).Folds {
		in := map[int]bool{}
		for _, r := range fold.Train {
			in[p.Groups[r]] = true
		}
		for _, r := range fold.Test {
			if in[p.Groups[r]] {
				t.Error("a group is on both sides")
			}
		}
	}
	repeated := simple("ridge", data.Regression)
	repeated.Protocol = Protocol{Repeats: 3}
	if r := mustRun(t, repeated); len(r.Folds) != 15 || len(r.Best.Scores) != 15 {
		t.Errorf("%d folds", len(r.Folds))
	}
}

func TestTablesAndHeatMap(t *testing.T) {
	s := simple("svm", data.Binary)
	s.Metric = LogLoss() // calibrated by the other folds
	r := mustRun(t, s)
	if !(r.Best.Mean < 0.6) {
		t.Errorf("log loss %g", r.Best.Mean)
	}
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 13 || rows[0][2] != "gaussian.lengthscale" || rows[0][3] != "C" {
		t.Errorf("%d rows, %v, %v", len(rows), rows[0], err)
	}
	b.Reset()
	r.Cells[0].Scores[0] = math.NaN()
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Cells []struct {
			Mean   float64
			Scores []*float64
			Params []Setting
		}
	}
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || len(back.Cells) != 12 ||
		back.Cells[1].Mean != r.Cells[1].Mean || back.Cells[0].Scores[0] != nil || len(back.Cells[0].Params) != 2 {
		t.Errorf("%v: %+v", err, back.Cells)
	}
	h := r.HeatMap(0, "gaussian.lengthscale", "C")
	if len(h.X) != 3 || len(h.Y) != 4 || h.Mean[h.Best[1]][h.Best[0]] != r.Best.Mean || h.Chosen != h.Best {
		t.Errorf("heat map %+v, best %v", h, r.Best)
	}
}

// A custom learner and a custom metric take part like any other.
func TestCustom(t *testing.T) {
	c := Candidate{Learner: "mean", Kernel: vec(kernel.Linear{}),
		Axes: []Axis{{Name: "shift", Values: []float64{-1, 0, 1}, Linear: true}},
		Custom: &Custom{
			Params: []kernel.Param{{Name: "shift", Domain: kernel.Domain{Low: -10, High: 10}}},
			Fit: func(_ context.Context, _ kernel.Kernel[any], params map[string]float64, p learn.Problem[any]) (Predictor,
				error) {
				mean := 0.0
				for _, y := range p.Y {
					mean += y / float64(len(p.Y))
				}
				return PredictorFunc(func(_ context.Context, x data.Points[any]) (learn.Predictions, error) {
					out := learn.Predictions{Value: make([]float64, x.Len())}
					for i := range out.Value {
						out.Value[i] = mean + params["shift"]
					}
					return out, nil
				}), nil
			}}}
	worst := Metric{Name: "worst", Score: func(p learn.Predictions) float64 {
		m := 0.0
		for i, y := range p.Truth {
			m = max(m, math.Abs(y-p.Value[i]))
		}
		return m
	}}
	s := Search{Problem: toy(60, data.Regression, 1), Candidates: []Candidate{c}, Metric: worst}
	if r := mustRun(t, s); r.Best.Param("shift") != 0 || r.Model.Custom == nil {
		t.Errorf("best %v", r.Best)
	}
}
