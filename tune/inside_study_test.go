package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/datatest"
)

// TestInsideStudy measures what encoders fitted to all rows of a search add to its scores: the
// table of docs/model-selection.md. MERCER_STUDY=inside.
func TestInsideStudy(t *testing.T) {
	if os.Getenv("MERCER_STUDY") != "inside" {
		t.Skip("a study, not a test: set MERCER_STUDY=inside")
	}
	for _, s := range []struct {
		file    string
		rows    int
		holes   float64 // share of the numbers made missing, and filled in by means
		learner string
		scaling data.Scaling
		draws   int
	}{
		{"reuters40.csv", 30, 0, "svm", "", 20},
		{"sms_spam.csv", 60, 0, "svm", "", 20},
		{"news20_4cat_train.csv.gz", 80, 0, "svm", "", 20},
		{"boston.csv", 40, 0.3, "ridge", "", 30},
		{"boston.csv", 40, 0, "ridge", "", 30},
		{"sonar.csv", 40, 0.3, "svm", "", 30},
		{"breast_cancer.csv", 40, 0.3, "ridge", "", 30},
		{"breast_cancer.csv", 30, 0, "svm", data.Scaling("minmax"), 20},
	} {
		d, err := load.Read(context.Background(), datatest.Path(t, s.file), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var outside, inside, difference, test Cell
		for draw := range s.draws {
			rng := rand.New(rand.NewPCG(uint64(draw), 99))
			some := d.Gather(rng.Perm(d.Len())[:min(d.Len(), s.rows+400)])
			punch(some, s.holes, rng)
			r, err := Auto(context.Background(), some, AutoOptions{Learners: []string{s.learner},
				Holdout: 1 - float64(s.rows)/float64(some.Len()), Budget: time.Hour, Seed: uint64(draw),
				Strategy: Grid{}, NoProbabilities: true, Encoder: data.EncoderOptions{Missing: "mean",
					Unseen: "zero", Scaling: s.scaling}})
			if err != nil {
				t.Fatal(err)
			}
			outside.Scores, inside.Scores = append(outside.Scores, r.Chosen.Mean), append(inside.Scores, r.Inside.Mean)
			difference.Scores, test.Scores = append(difference.Scores, r.Chosen.Mean-r.Inside.Mean),
				append(test.Scores, r.Test[0].Value)
		}
		for _, c := range []*Cell{&outside, &inside, &difference, &test} {
			c.summarise()
		}
		t.Logf("%s, %d rows, %g missing, %s %s: outside %.4f, inside %.4f, difference %.4f ± %.4f, test %.4f", s.file, s.rows,
			s.holes, s.learner, s.scaling,
			outside.Mean, inside.Mean, difference.Mean, difference.SE, test.Mean)
	}
}

// punch makes a share of the numbers missing.
func punch(d *data.Dataset, share float64, rng *rand.Rand) {
	for i := range d.Columns {
		if c := &d.Columns[i]; share > 0 && c.Kind == data.Numeric && c.Name != d.Target {
			numbers := append([]float64(nil), c.Numbers...)
			for j := range numbers {
				if rng.Float64() < share {
					numbers[j] = math.NaN()
				}
			}
			*c = data.NumberColumn(c.Name, numbers)
		}
	}
}
