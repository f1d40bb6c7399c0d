package tune

import (
	"context"
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Rows that are all the same say nothing of their classes or values: no learner, at no setting and
// with no kernel, is to be right on a fold more often than who calls all of it one class, or
// explain any of its variance. A label that finds its way into the score of its own row, by a
// rounding error at that, would show here: classes in runs, as in a sorted file, and in turn.
func TestNoInformationNoAccuracy(t *testing.T) {
	t.Parallel()
	turn := 0
	for _, l := range all.Learners() {
		for _, c := range []struct {
			task   data.Task
			counts []int
			at     float64 // where all rows are
		}{
			{data.Binary, []int{50, 50}, 0},
			{data.Binary, []int{30, 30}, 5},
			{data.Binary, []int{30, 30}, 1000},
			{data.Binary, []int{30, 15}, 5},
			{data.Multiclass, []int{15, 15, 15}, 0},
			{data.Multiclass, []int{15, 15, 15}, 5},
			{data.Regression, []int{30, 30}, 5},
		} {
			if !l.Does(c.task) || l.Name == "spline" { // refuses points that are all the same
				continue
			}
			for _, inTurn := range []bool{false, true} {
				p := sameRows(c.task, c.counts, c.at, inTurn)
				for _, k := range []kernel.Kernel[kernel.Vec]{kernel.Linear{}, kernel.Gaussian{Lengthscale: 1}} {
					if turn++; testing.Short() && turn%15 > 0 {
						continue // a fifteenth of them, other ones for each learner
					}
					name := fmt.Sprintf("%s %s, %v of %v at %g, in turn %v", l.Name, kernelName(vec(k)), c.counts, c.task, c.at,
						inTurn)
					metrics := []Metric{Accuracy()}
					if c.task == data.Regression {
						metrics = []Metric{R2()}
					} else if c.task == data.Binary {
						metrics = append(metrics, AUC())
					}
					for _, m := range metrics {
						noInformation(t, name, l, k, p, m)
					}
				}
			}
		}
	}
}

// noInformation searches, and asks each fold's score not to be above chance.
func noInformation(
	t *testing.T, name string, l learn.Learner, k kernel.Kernel[kernel.Vec], p learn.Problem[any], m Metric,
) {
	t.Helper()
	c := Candidate{Learner: l.Name, Kernel: vec(k), Axes: learnerAxes(l, p.Task, kernelName(vec(k)) == "linear", 1, 1)}
	s := Search{Problem: p, Candidates: []Candidate{c}, Metric: m, NoModel: true}
	r, err := s.Run(context.Background())
	if err != nil {
		t.Logf("%s: %v", name, err) // nothing is learnt, nothing is scored
		return
	}
	for _, cell := range r.Cells {
		for f, score := range cell.Scores {
			chance := 0.5
			switch m.Name {
			case "r2":
				chance = 1e-12
			case "accuracy":
				test := p.Gather(r.Folds[f].Test)
				b := learn.BaselineOf(test)
				chance = b.Shares[b.Class()]
			}
			if score > chance+1e-12 {
				t.Errorf("%s: %s %.6g on fold %d of %v, chance is %.6g", name, m.Name, score, f+1, cell, chance)
				return
			}
		}
	}
}

// sameRows is rows that differ in nothing but their targets.
func sameRows(task data.Task, counts []int, at float64, inTurn bool) learn.Problem[any] {
	var y []float64
	for left := append([]int(nil), counts...); ; {
		done := true
		for c := range left {
			for left[c] > 0 {
				y, done = append(y, float64(c)), false
				if left[c]--; inTurn {
					break
				}
			}
		}
		if done {
			break
		}
	}
	x := linalg.New[float64](len(y), 2)
	for i := range x.Data {
		x.Data[i] = at
	}
	return learn.Problem[any]{Points: data.Erase(data.RowsOf(x)), Task: task, Y: y}
}
