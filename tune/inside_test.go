package tune

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Inside judges the chosen cell by encoders that have not seen the rows of the fold: by hand, with
// an encoder of its own for each.
func TestInsideIsFitsOfEncodersOfTheirOwn(t *testing.T) {
	d := learningSet(60, data.Regression)
	for i := range d.Columns[0].Numbers {
		if i%4 == 1 {
			d.Columns[0].Numbers[i] = math.NaN()
		}
	}
	o := AutoOptions{Learners: []string{"ridge"}, Kernel: kernel.Gaussian{Lengthscale: 2},
		Axes: []Axis{Over("lambda", 0.1)}, Folds: 3, Budget: time.Hour,
		Encoder: data.EncoderOptions{Missing: "mean"}}
	r, err := Auto(context.Background(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Inside.Scores) != 3 || !strings.Contains(strings.Join(r.Why, "\n"), "its own fitted rows") {
		t.Fatalf("%v, %q", r.Inside.Scores, r.Why)
	}
	for f, fold := range resultOf(r).Folds {
		train, test := d.Gather(data.Take(r.Split.Train, fold.Train)), d.Gather(data.Take(r.Split.Train, fold.Test))
		e, err := data.FitEncoder(train, r.Encoder.Options)
		if err != nil {
			t.Fatal(err)
		}
		x, _ := e.TransformLabelled(train)
		y, _ := e.TransformLabelled(test)
		m, err := resultOf(r).refit(context.Background(), learn.Regress[kernel.Vec](x.Dense, x.Target).Erase())
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.known(context.Background(), learn.Regress[kernel.Vec](y.Dense, y.Target).Erase())
		if err != nil {
			t.Fatal(err)
		}
		near(t, "fold", r.Inside.Scores[f], RMSE().Score(p))
		if r.Inside.Scores[f] == r.Chosen.Scores[f] {
			t.Error("the encoder has seen the fold")
		}
	}
}
