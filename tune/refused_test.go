package tune

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// What the last fit would refuse is not scored: with a kernel that is not positive definite some
// learners are fitted and others are not. The fit of what is chosen succeeds.
func TestIndefiniteKernelsAreNotScored(t *testing.T) {
	p := toy(60, data.Binary, 3)
	k := kernel.Sigmoid{Gamma: 0.5, Offset: -1}
	s := Search{Problem: p, Candidates: []Candidate{
		Try("ridge", k, Over("lambda", 1e-6, 1e-3, 1, 1000)), Try("svm", k, Over("C", 1, 10)),
		Try("l1vm", k, Over("lambda", 1)),
	}}
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.engine()
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, c := range r.Cells {
		_, err := e.fitRows(context.Background(), c, p)
		if err != nil && c.Failed == "" {
			t.Errorf("%v: the search has a score of %g, and a fit says %v", c, c.Mean, err)
		}
		if c.Failed != "" {
			failed++
		}
	}
	if failed == 0 || failed == len(r.Cells) || r.Model == nil {
		t.Errorf("%d of %d cells failed", failed, len(r.Cells))
	}
}

// A learner that can be fitted to folds and not to all rows: its best cell is failed with what the
// fit says, and the next best one is fitted. Where all are refused, the error is that of the best.
func TestLastFitRefused(t *testing.T) {
	p := toy(60, data.Regression, 3)
	refuse := 2.0 // levels from which on all rows are too many
	c := Candidate{Learner: "level", Kernel: vec(kernel.Linear{}),
		Axes: []Axis{{Name: "level", Values: []float64{1, 2, 3}}}, Custom: &Custom{
			Params: []kernel.Param{{Name: "level", Value: 1, Domain: fitting.Positive}},
			Fit: func(_ context.Context, _ kernel.Kernel[any], params map[string]float64, q learn.Problem[any]) (Predictor,
				error) {
				if q.Len() == p.Len() && params["level"] >= refuse {
					return nil, fmt.Errorf("%g is too much", params["level"])
				}
				return PredictorFunc(func(_ context.Context, x data.Points[any]) (learn.Predictions, error) {
					out := make([]float64, x.Len())
					for i := range out {
						out[i] = 100 - params["level"] // the highest is the least wrong
					}
					return learn.Predictions{Value: out}, nil
				}), nil
			}}}
	s := Search{Problem: p, Candidates: []Candidate{c}}
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if r.Chosen.Param("level") != 1 || r.Best.Param("level") != 1 || r.Model == nil || len(r.Warnings) != 2 ||
		!strings.Contains(r.Warnings[0], "3 is too much") {
		t.Errorf("chose %v; %q", r.Chosen, r.Warnings)
	}
	for _, cell := range r.Cells {
		if (cell.Failed != "") != (cell.Param("level") >= refuse) {
			t.Errorf("%v: %q", cell, cell.Failed)
		}
	}
	refuse = 0
	if _, err = s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "3 is too much") {
		t.Error(err)
	}
}

// Rows held out that lie outside the domain of the kernel are refused by the model: they are
// counted, said, and not scored.
func TestRefusedTestRows(t *testing.T) {
	const n = 60
	a, y := make([]float64, n), make([]float64, n)
	for i := range n {
		a[i] = float64(i) / n
		y[i] = math.Sin(6 * a[i])
	}
	d := &data.Dataset{Name: "line", Target: "y", Columns: []data.Column{data.NumberColumn("a", a),
		data.NumberColumn("y", y)}}
	o := AutoOptions{Learners: []string{"ridge"}, Kernel: kernel.Sobolev{},
		Encoder: data.EncoderOptions{Scaling: "none"}, Folds: 2, Seed: 4, Budget: time.Hour}
	r, err := Auto(context.Background(), d, o)
	if err != nil || r.Refused != 0 {
		t.Fatal(r, err)
	}
	all := len(r.Split.Test)
	outside := r.Split.Test[3]
	a[outside] = 2
	if r, err = Auto(context.Background(), d, o); err != nil {
		t.Fatal(err)
	}
	if r.Refused != 1 || len(r.TestPredictions.Truth) != all-1 || len(r.Test) == 0 {
		t.Fatalf("%d refused, %d scored of %d", r.Refused, len(r.TestPredictions.Truth), all)
	}
	for i, row := range r.TestPredictions.Rows {
		if row == outside || r.TestPredictions.Truth[i] != y[row] {
			t.Errorf("row %d is scored with the target %g", row, r.TestPredictions.Truth[i])
		}
	}
	if why := strings.Join(r.Why, "\n"); !strings.Contains(why, "1 of 12 test rows are refused") {
		t.Error(why)
	}
	for _, row := range r.Split.Test { // all of them
		a[row] = 2
	}
	if r, err = Auto(context.Background(), d, o); err != nil || r.Refused != all || len(r.Test) != 0 {
		t.Errorf("%d refused: %v", r.Refused, err)
	}
}
