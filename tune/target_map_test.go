package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// grown is rows whose target is e to the power of a plane, with noise that multiplies; or the plane
// itself.
func grown(n int, seed uint64, exp bool) *data.Dataset {
	rng := rand.New(rand.NewPCG(seed, 31))
	a, b, y := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		a[i], b[i] = rng.NormFloat64(), rng.NormFloat64()
		if y[i] = 1 + 0.8*a[i] - 0.5*b[i] + 0.2*rng.NormFloat64(); exp {
			y[i] = math.Exp(y[i])
		}
	}
	return &data.Dataset{Name: "grown", Target: "y", Columns: []data.Column{data.NumberColumn("a", a),
		data.NumberColumn("b", b), data.NumberColumn("y", y)}}
}

func mapOptions(transform string) AutoOptions {
	return AutoOptions{Transform: transform, Seed: 1, Threads: 1, Folds: 4, Repeats: 1, Holdout: 0.25,
		clock:    newWorkClock(),
		Learners: []string{"ridge"}, Kernel: kernel.Linear{}, Axes: []Axis{Over("lambda", 0.01, 1)}}
}

func mapAuto(t *testing.T, d *data.Dataset, o AutoOptions) *AutoResult {
	t.Helper()
	r, err := Auto(context.Background(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Where the target grows by factors the logarithm is better on the folds and on the rows held out;
// auto finds that, and leaves a plane as it is.
func TestTransformsOfTheTarget(t *testing.T) {
	d := grown(120, 1, true)
	none, logs, ranks := mapAuto(t, d, mapOptions(transformNone)), mapAuto(t, d, mapOptions(transformLog)),
		mapAuto(t, d, mapOptions(transformRank))
	fresh := grown(1000, 9, true)
	rmse := func(r *AutoResult) float64 {
		x, err := r.Encoder.TransformLabelled(fresh)
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Predict(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		return RMSE().Score(learn.Predictions{Value: p.Value, Truth: x.Target})
	}
	if !(logs.Chosen.Mean < 0.9*none.Chosen.Mean && rmse(logs) < 0.9*rmse(none)) {
		t.Errorf("log has rmse %g on the folds and %g on fresh rows, none %g and %g", logs.Chosen.Mean, rmse(logs),
			none.Chosen.Mean, rmse(none))
	}
	for _, r := range []*AutoResult{none, logs, ranks} {
		if r.Baseline.Mean != none.Baseline.Mean || r.Chance.Mean != none.Chance.Mean ||
			r.Test[0].Baseline != none.Test[0].Baseline || r.Metric.Name != "rmse" {
			t.Errorf("%v: the baseline depends on the transform: %+v, %g on the folds", r.TargetMap, r.Baseline, r.Chance.Mean)
		}
		if math.Abs(r.Inside.Mean-r.Chosen.Mean) > 0.1*r.Chosen.Mean {
			t.Errorf("%v: %g with encoders inside the folds, %g outside", r.TargetMap, r.Inside.Mean, r.Chosen.Mean)
		}
	}
	if !strings.Contains(strings.Join(logs.Notes, "; "), "median") {
		t.Errorf("nothing is said of medians: %q", logs.Notes)
	}
	if r := mapAuto(t, d, mapOptions(transformAuto)); r.TargetMap == nil || r.TargetMap.Kind != "log" ||
		r.Chosen.Mean != logs.Chosen.Mean || !strings.Contains(r.Notes[len(r.Notes)-1], "log, chosen by the folds") {
		t.Errorf("auto: %+v, %q", r.TargetMap, r.Notes)
	}
	if r := mapAuto(t, grown(120, 2, false), mapOptions(transformAuto)); r.TargetMap != nil ||
		!strings.Contains(r.Notes[len(r.Notes)-1], "none, chosen by the folds") {
		t.Errorf("auto of a plane: %+v, %q", r.TargetMap, r.Notes)
	}
}

// A fit with a transform is the fit to a target that was mapped by hand, to the bit: in what it
// predicts of rows held out, from the result and from its file.
func TestTransformIsTheFitByHand(t *testing.T) {
	d := grown(60, 3, true)
	r := mapAuto(t, d, mapOptions(transformLog))
	byHand := grown(60, 3, true)
	y := byHand.Columns[2].Numbers
	for i, v := range y {
		y[i] = math.Log(v)
	}
	o := mapOptions(transformNone)
	o.Metric = Metric{Name: "rmse", Score: func(p learn.Predictions) float64 {
		back := p
		back.Value, back.Truth = nil, nil
		for i := range p.Value {
			back.Value, back.Truth = append(back.Value, math.Exp(p.Value[i])), append(back.Truth, math.Exp(p.Truth[i]))
		}
		return RMSE().Score(back)
	}}
	h := mapAuto(t, byHand, o)
	if r.Chosen.String() != h.Chosen.String() || r.Chosen.Mean != h.Chosen.Mean {
		t.Fatalf("chosen: %v %g, by hand %v %g", r.Chosen, r.Chosen.Mean, h.Chosen, h.Chosen.Mean)
	}
	for i, v := range h.TestPredictions.Value {
		if got := r.TestPredictions.Value[i]; got != math.Exp(v) {
			t.Errorf("test row %d: %g, by hand %g", i, got, math.Exp(v))
		}
	}
	file := filepath.Join(t.TempDir(), "m.mercer")
	if err := r.Save(file); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(t.Context(), d.Gather(r.Split.Test), model.Want{Interval: 0.8})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range p.Values {
		if v != r.TestPredictions.Value[i] || !(p.Low[i] > 0 && p.Low[i] < v && v < p.High[i]) {
			t.Errorf("test row %d from the file: %g in %g to %g, before %g", i, v, p.Low[i], p.High[i],
				r.TestPredictions.Value[i])
		}
	}
}

// A committee, a refit on all rows and a search without rows held out know the map, too.
func TestTransformBesideOtherOptions(t *testing.T) {
	d := grown(80, 5, true)
	for name, change := range map[string]func(*AutoOptions){
		"committee": func(o *AutoOptions) { o.Best = BestCommittee; o.Learners = []string{"ridge", "nw"} },
		"refit":     func(o *AutoOptions) { o.Refit = true },
		"no test":   func(o *AutoOptions) { o.Holdout = -1 },
	} {
		for _, transform := range []string{transformLog, transformRank} {
			o := mapOptions(transform)
			o.Kernel, o.Axes = nil, []Axis{Over("lambda", 0.01, 1), Over("lengthscale", 1, 4)}
			change(&o)
			r := mapAuto(t, d, o)
			m, err := r.Model(model.Info{})
			if err != nil {
				t.Fatal(name, err)
			}
			p, err := m.Predict(t.Context(), d, model.Want{Interval: 0.8})
			if err != nil {
				t.Fatal(name, err)
			}
			off, inside := 0.0, 0.0
			for i, v := range p.Values {
				y := d.Columns[2].Numbers[i]
				off += math.Abs(math.Log(v/y)) / float64(len(p.Values))
				inside += indicator(p.Low[i] <= y && y <= p.High[i]) / float64(len(p.Values))
			}
			if !(off < 0.6) || inside < 0.6 {
				t.Errorf("%s, %s: off by a factor of e^%g, %g of the rows inside their intervals", name, transform, off, inside)
			}
		}
	}
}

func TestTransformsThatAreRefused(t *testing.T) {
	d := grown(40, 1, true)
	d.Columns[2].Numbers[17] = 0
	var e *data.Error
	if _, err := Auto(t.Context(), d, mapOptions(transformLog)); !errors.As(err, &e) || e.Row != 18 || e.Column != "y" ||
		!errors.Is(err, data.ErrTarget) {
		t.Errorf("a target of 0: %v", err)
	}
	if r := mapAuto(t, d, mapOptions(transformAuto)); !strings.Contains(strings.Join(r.Notes, "; "), "not positive") {
		t.Errorf("auto of a target of 0: %q", r.Notes)
	}
	classes := grown(40, 1, true)
	classes.Columns[2] = data.NumberColumn("y", make([]float64, 40))
	for i := range 40 {
		classes.Columns[2].Numbers[i] = float64(i % 2)
	}
	for want, try := range map[string]func() error{
		"no transform": func() error { _, err := Auto(t.Context(), d, mapOptions("root")); return err },
		"no number": func() error {
			o := mapOptions(transformLog)
			o.Task = data.Binary
			_, err := Auto(t.Context(), classes, o)
			return err
		},
		"several targets": func() error {
			two := grown(40, 1, true)
			if err := two.SetTargets("y", "a"); err != nil {
				t.Fatal(err)
			}
			_, err := Auto(t.Context(), two, mapOptions(transformRank))
			return err
		},
		"marginal likelihoods": func() error {
			o := mapOptions(transformAuto)
			o.Evidence, o.Learners, o.Axes, o.Kernel = true, nil, nil, nil
			_, err := Auto(t.Context(), d, o)
			return err
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
