package tune

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/model"
)

func severalSet(n int) *data.Dataset {
	rng := rand.New(rand.NewPCG(5, 5))
	columns := make([][]float64, 4)
	for range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		for j, v := range []float64{a, b, math.Sin(a) + 0.1*rng.NormFloat64(), 300 + 1000*(a*b+0.1*rng.NormFloat64())} {
			columns[j] = append(columns[j], v)
		}
	}
	d := &data.Dataset{Name: "several"}
	for j, name := range []string{"a", "b", "small", "large"} {
		d.Columns = append(d.Columns, data.NumberColumn(name, columns[j]))
	}
	if err := d.SetTargets("small", "large"); err != nil {
		panic(err)
	}
	return d
}

// One search finds one model of both targets; saved and loaded, each is what a fit of it alone,
// with the kernel and the λ that were found, gives.
func TestAutoOfSeveralTargets(t *testing.T) {
	d := severalSet(60)
	for _, learner := range []string{"ridge", "gp"} {
		o := AutoOptions{Learners: []string{learner}, Strategy: Grid{}, Folds: 3, Seed: 2}
		if learner == "ridge" {
			o.Axes = []Axis{Over("lambda", 0.01, 0.1, 1)}
		}
		r, err := Auto(t.Context(), d, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Metric.Name != "rmse/sd" || len(r.Targets) != 2 || r.Targets[1].Name != "large" || len(r.Test) == 0 ||
			len(r.Targets[0].Test) == 0 {
			t.Fatalf("%s: metric %q, targets %+v", learner, r.Metric.Name, r.Targets)
		}
		mean := 0.0
		for _, of := range r.Targets {
			mean += of.Test[0].Value / of.Baseline.Deviation / 2
			if of.Test[0].Metric != "rmse" || of.Test[0].Value > 0.6*of.Test[0].Baseline {
				t.Errorf("%s: %s has %+v", learner, of.Name, of.Test[0])
			}
		}
		if math.Abs(r.Test[0].Value-mean) > 1e-12*mean {
			t.Errorf("%s: %s %g, the mean of the targets is %g", learner, r.Test[0].Metric, r.Test[0].Value, mean)
		}
		file := filepath.Join(t.TempDir(), "m.mercer")
		if err := r.Save(file); err != nil {
			t.Fatal(err)
		}
		m, err := model.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Targets(), []string{"small", "large"}) {
			t.Fatalf("targets %v", m.Targets())
		}
		p, err := m.Predict(t.Context(), d, model.Want{Interval: 0.8})
		if err != nil || len(p.More) != 1 || len(p.More[0].Low) != 60 {
			t.Fatalf("%s: %v", learner, err)
		}
		x, err := r.Encoder.Transform(d)
		if err != nil {
			t.Fatal(err)
		}
		for target, name := range m.Targets() {
			one, err := m.Of(name)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := one.Predict(t.Context(), d, model.Want{Interval: 0.8})
			if err != nil {
				t.Fatal(err)
			}
			said := p.Target(target)
			near := func(what string, got, want []float64) {
				for i := range want { // in units of the target: an end of an interval may be next to 0
					if !(math.Abs(got[i]-want[i]) <= 1e-10*r.Targets[target].Baseline.Deviation) {
						t.Fatalf("%s, %s: %s of row %d is %.15g, not %.15g", learner, name, what, i, got[i], want[i])
					}
				}
			}
			near("value by itself", alone.Values, said.Values)
			near("lower end by itself", alone.Low, said.Low)
			if learner != "ridge" {
				continue
			}
			found := resultOf(r).Model
			column, err := d.Column(name)
			if err != nil {
				t.Fatal(err)
			}
			fit, err := ridge.Regression[any]{Kernel: found.Kernel, Lambda: found.Params["lambda"],
				Intercept: true}.Fit(t.Context(), data.Erase(data.Gather[kernel.Vec](x.Dense, r.Split.Train)),
				data.Take(column.Numbers, r.Split.Train))
			if err != nil {
				t.Fatal(err)
			}
			want, err := fit.Predict(t.Context(), data.Erase(x.Dense))
			if err != nil {
				t.Fatal(err)
			}
			near("value of a fit of its own", said.Values, want)
		}
	}
}

// Missing answers of either target, and what learns one target only.
func TestSeveralTargetsAreChecked(t *testing.T) {
	d := severalSet(30)
	var several *SeveralError
	if _, err := Auto(t.Context(), d, AutoOptions{Learners: []string{"svm"}}); !errors.As(err, &several) ||
		!slices.Contains(several.Can, "ridge") || !slices.Contains(several.Can, "gp") {
		t.Errorf("svm: %v", err)
	}
	if _, err := Auto(t.Context(), d, AutoOptions{Task: data.Binary}); err == nil {
		t.Error("classes of two targets")
	}
	if _, err := Auto(t.Context(), d, AutoOptions{Centers: 10}); err == nil {
		t.Error("few centres of two targets")
	}
	d.Columns[3].Numbers[4] = math.NaN()
	if _, err := Auto(t.Context(), d, AutoOptions{Learners: []string{"ridge"},
		Axes: []Axis{Over("lambda", 1)}}); !errors.Is(err, data.ErrMissing) {
		t.Errorf("a gap in the second target: %v", err)
	}
	r, err := Auto(t.Context(), d, AutoOptions{Learners: []string{"ridge"}, Axes: []Axis{Over("lambda", 1)},
		Encoder: data.EncoderOptions{Missing: "mean"}})
	if err != nil || r.Rows()+len(r.TestPredictions.Truth) != 29 {
		t.Errorf("a gap in the second target, others filled in: %v", err)
	}
	for _, names := range [][]string{{"small", "small"}, {"small", "nothing"}, {}} {
		if err := severalSet(30).SetTargets(names...); err == nil {
			t.Errorf("targets %v", names)
		}
	}
}
