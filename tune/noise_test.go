package tune

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/refusal"
	"github.com/mercer-ml/mercer/model"
)

// noisySet is a sine that every second row knows to a hundredth, and every other to 2: the column
// "v" has the variances.
func noisySet(n int) *data.Dataset {
	rng := rand.New(rand.NewPCG(8, 8))
	columns := make([][]float64, 3)
	for i := range n {
		x, v := 6*rng.Float64()-3, 1e-4
		if i%2 == 0 {
			v = 4
		}
		for j, c := range []float64{x, v, math.Sin(x) + math.Sqrt(v)*rng.NormFloat64()} {
			columns[j] = append(columns[j], c)
		}
	}
	d := &data.Dataset{Name: "noisy", Target: "y", Noise: "v"}
	for j, name := range []string{"x", "v", "y"} {
		d.Columns = append(d.Columns, data.NumberColumn(name, columns[j]))
	}
	return d
}

// The noise of each row is heeded from the table to the file: the learner is one that heeds it,
// what is learnt is the sine, new rows have their own noise in the deviation of an observation
// where it is known, and densities count it.
func TestAutoHeedsTheNoiseOfRows(t *testing.T) {
	d := noisySet(100)
	r, err := Auto(t.Context(), d, AutoOptions{Folds: 3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Chosen.Learner != "gp" || !strings.Contains(strings.Join(r.Notes, "\n"), `"v" is the noise variance`) {
		t.Errorf("%s was chosen; notes %q", r.Chosen.Learner, r.Notes)
	}
	m, err := r.Model(model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "noise.mercer")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	if m, err = model.Load(file); err != nil {
		t.Fatal(err)
	}
	if m.Info().Encoder.Noise != "v" || m.Summary().Noise != "v" || m.Dim() != 1 {
		t.Errorf("the file says noise %q, %d features", m.Info().Encoder.Noise, m.Dim())
	}
	known, err := m.Predict(t.Context(), d, model.Want{Std: true, Interval: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	without := &data.Dataset{Name: "new", Columns: d.Columns[:1]}
	plain, err := m.Predict(t.Context(), without, model.Want{Std: true, Interval: 0.9})
	if err != nil {
		t.Fatal(err)
	}
	off := 0.0
	for i, x := range d.Columns[0].Numbers {
		off += math.Abs(known.Values[i]-math.Sin(x)) / 100
		v := d.Columns[1].Numbers[i]
		if want := math.Hypot(plain.ObservationStd[i], math.Sqrt(v)); math.Abs(known.ObservationStd[i]-want) > 1e-9 {
			t.Fatalf("row %d: the deviation of an observation is %g, want %g", i, known.ObservationStd[i], want)
		}
		if known.Values[i] != plain.Values[i] || known.Std[i] != plain.Std[i] ||
			known.High[i]-known.Low[i] < plain.High[i]-plain.Low[i] {
			t.Fatalf("row %d: %g ± %g, and %g ± %g where its noise is not known", i, known.Values[i], known.Std[i],
				plain.Values[i], plain.Std[i])
		}
	}
	if off > 0.1 { // without the noise it is 0.5 and more
		t.Errorf("%.3g away from the sine in the mean", off)
	}
	judged, _, err := m.Judged(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range judged.LogDensity {
		s := known.ObservationStd[i]
		z := (judged.Truth[i] - known.Values[i]) / s
		if want := -z*z/2 - math.Log(s) - math.Log(2*math.Pi)/2; math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("row %d: log density %g, want %g", i, got, want)
		}
	}
}

// What does not go with it is refused by name, before anything is fitted.
func TestNoiseOfRowsIsRefused(t *testing.T) {
	var learner *refusal.NoiseError
	for name, c := range map[string]struct {
		o     AutoOptions
		alter func(d *data.Dataset)
		says  string
	}{
		"another learner": {AutoOptions{Learners: []string{"ridge"}}, nil, "ridge does not heed the noise"},
		"one of several":  {AutoOptions{Learners: []string{"gp", "svm"}}, nil, "svm does not heed the noise"},
		"a mapped target": {AutoOptions{Transform: transformRank}, nil, "the unit of the target"},
		"few centres":     {AutoOptions{Solver: "falkon"}, nil, "few centres"},
		"several targets": {AutoOptions{}, func(d *data.Dataset) { d.More = []string{"x"} }, "one target"},
		"classes": {AutoOptions{Task: data.Multiclass}, func(d *data.Dataset) {
			d.Columns[2] = data.LevelColumn("y", strings.Split(strings.Repeat("a b c ", 33)+"a", " "))
		}, "variance of numbers"},
		"a negative one": {AutoOptions{}, func(d *data.Dataset) { d.Columns[1].Numbers[3] = -1 },
			"a variance is finite and not negative"},
		"one that is not": {AutoOptions{}, func(d *data.Dataset) { d.Columns[1].Numbers[3] = math.NaN() },
			"a variance is finite and not negative"},
		"no such a column": {AutoOptions{}, func(d *data.Dataset) { d.Noise = "w" }, `no column "w"`},
	} {
		d := noisySet(100)
		if c.alter != nil {
			c.alter(d)
		}
		_, err := Auto(t.Context(), d, c.o)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		if len(c.o.Learners) > 0 && !errors.As(err, &learner) {
			t.Errorf("%s: a %T", name, err)
		}
	}
}
