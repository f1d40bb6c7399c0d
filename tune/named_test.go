package tune

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// taskRows is a table of numbers with a target of a task: of one column where a learner takes no
// more.
func taskRows(n, columns int, task data.Task) *data.Dataset {
	p := toy(n, task, 5)
	x, _ := data.VectorsOf(p.Points)
	d := &data.Dataset{Name: "toy", Target: "y"}
	for j := range columns {
		c := data.Column{Name: fmt.Sprintf("x%d", j), Kind: data.Numeric}
		for i := range n {
			c.Numbers = append(c.Numbers, x.At(i)[j])
		}
		d.Columns = append(d.Columns, c)
	}
	y := data.Column{Name: "y", Kind: data.Numeric}
	if task.Classification() {
		y = data.Column{Name: "y", Kind: data.Categorical,
			Levels: []string{"a", "b", "c"}[:2+int(indicator(task == data.Multiclass))]}
	}
	for i := range n {
		if task.Classification() {
			y.Codes = append(y.Codes, int32(p.Y[i]))
		} else {
			y.Numbers = append(y.Numbers, p.Y[i])
		}
	}
	d.Columns = append(d.Columns, y)
	return d
}

// columnsFor is the columns that a learner takes.
func columnsFor(l learn.Learner) int {
	if l.Name == "spline" {
		return 1
	}
	return 2
}

// Whatever learner is named and however soon the time is over, what is saved is that learner, or
// nothing is: the whole table of learners and tasks, with a budget that ends at the first score, in
// the middle of the first answer, and in the search; on rows that a search takes all of, and on
// more.
func TestNamedLearnerOrNothing(t *testing.T) {
	t.Parallel()
	fitted, refused, nth := 0, 0, 0
	for _, l := range all.Learners() {
		for _, task := range []data.Task{data.Regression, data.Binary, data.Multiclass} {
			if !l.Does(task) {
				continue
			}
			for _, c := range []struct{ rows, at int }{{60, 1}, {60, 4}, {60, 20}, {700, 1}, {700, 9}} {
				if testing.Short() && (c.at == 20 || c.at == 4 || c.rows == 700 && c.at == 1) {
					continue
				}
				if nth++; testing.Short() && (nth%7 > 0 || c.rows == 700 && nth%4 > 0) {
					continue
				}
				what := fmt.Sprintf("%s, %v, %d rows, %d scores", l.Name, task, c.rows, c.at)
				clock, scores := newWorkClock(), 0
				r, err := Auto(t.Context(), taskRows(c.rows, columnsFor(l), task),
					AutoOptions{Budget: time.Second, Seed: 1, Threads: 1, clock: clock, Learners: []string{l.Name},
						Strategy: Random{Cells: 2},
						Metric: costly(Metrics(task)[0], func(int) {
							if scores++; scores == c.at {
								clock.pass(time.Hour)
							}
						})})
				var unfit *NotFitted
				if err != nil {
					if refused++; !errors.As(err, &unfit) || !slices.Equal(unfit.Learners, []string{l.Name}) {
						t.Errorf("%s: %v", what, err)
					}
					continue
				}
				fitted++
				m, err := r.Model(model.Info{})
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				if r.Chosen.Learner != l.Name || resultOf(r).Model.Learner != l.Name || r.StandIn != "" {
					t.Errorf("%s: chosen is %v, the model of %s (%s), stand-in %q", what, r.Chosen, resultOf(r).Model.Learner,
						m.Learner(), r.StandIn)
				}
				if _, ok := l.Saved[m.Learner()]; !ok && l.Saved != nil && len(l.Saved) > 0 && !probabilistic(m.Learner()) {
					t.Errorf("%s: the file holds a model of %q", what, m.Learner())
				}
			}
		}
	}
	if fitted < 20 && !testing.Short() || fitted < 8 {
		t.Errorf("%d were fitted and %d refused", fitted, refused)
	}
}

// probabilistic says whether a saved model is one of another, calibrated.
func probabilistic(name string) bool { return name == "calibrated" }

// Where the program chose the learners, few centres may stand in for them, and the result says so.
func TestStandInIsSaid(t *testing.T) {
	clock, scores := newWorkClock(), 0
	r, err := Auto(t.Context(), taskRows(600, 2, data.Binary),
		AutoOptions{Budget: time.Second, Seed: 1, Threads: 1, clock: clock, answered: func() { scores = 0 },
			Metric: costly(Metrics(data.Binary)[0], func(int) {
				if scores++; scores > 80 { // after the first answer
					clock.pass(200 * time.Millisecond)
				}
			})})
	if err != nil {
		t.Fatal(err)
	}
	if r.StandIn == "" || r.Chosen.Learner != "nystrom" {
		t.Errorf("chosen %v, stand-in %q", r.Chosen, r.StandIn)
	}
}

// Centres and solvers that a learner does not have are refused, and no other learner is fitted with
// them.
func TestCentersOfOthers(t *testing.T) {
	d := taskRows(150, 2, data.Binary)
	for _, o := range []AutoOptions{
		{Learners: []string{"svm"}, Centers: 20},
		{Learners: []string{"svm"}, Solver: "falkon"},
		{Learners: []string{"gp(noise=0.1), nystrom"}, Solver: "nystrom", Task: data.Regression},
	} {
		if r, err := Auto(t.Context(), d, o); err == nil {
			t.Errorf("%v with %d centres by %q: %v", o.Learners, o.Centers, o.Solver, r.Chosen)
		}
	}
	r, err := Auto(t.Context(), d, AutoOptions{Learners: []string{"snacks"}, Centers: 20, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Chosen.Learner != "snacks" || r.Chosen.Param("centres") != 20 || r.Centers() > 20 {
		t.Errorf("chosen %v with %d centres", r.Chosen, r.Centers())
	}
}

// Every learner of the table that is named keeps to the time, with a tenth and what is under way at
// its end: here scores of folds take all of it, and nothing else does. Of 60 rows 12 are held out,
// by whose resampling an interval is told, and a fold has no more than 10. What is under way, and
// the baselines that are told beside the cells, are a few scores more.
func TestNamedLearnersKeepToTheTime(t *testing.T) {
	t.Parallel()
	const budget, each = 2 * time.Second, 20 * time.Millisecond
	fitted, nth := 0, 0
	for _, l := range all.Learners() {
		for _, task := range []data.Task{data.Regression, data.Binary, data.Multiclass} {
			if !l.Does(task) {
				continue
			}
			if nth++; testing.Short() && nth%5 > 0 {
				continue
			}
			clock, scores := newWorkClock(), 0
			r, err := Auto(t.Context(), taskRows(60, columnsFor(l), task),
				AutoOptions{Budget: budget, Seed: 1, Threads: 1, clock: clock, Learners: []string{l.Name},
					Metric: costly(Metrics(task)[0], func(rows int) {
						if rows <= 10 {
							scores++
							clock.pass(each)
						}
					})})
			if err != nil {
				t.Errorf("%s, %v: %v", l.Name, task, err)
				continue
			}
			fitted++
			if r.Elapsed > budget*11/10+5*each || r.Chosen.Learner != l.Name {
				t.Errorf("%s, %v: %v took %v of %v, with %d scores", l.Name, task, r.Chosen, r.Elapsed, budget, scores)
			}
		}
	}
	if fitted < 5 {
		t.Errorf("%d were fitted", fitted)
	}
}
