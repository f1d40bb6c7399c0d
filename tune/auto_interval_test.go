package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// noisyWave is a curve with noise of heavy tails: a tenth of the rows is five times as far off.
func noisyWave(n int, seed uint64) *data.Dataset {
	rng := rand.New(rand.NewPCG(seed, 9))
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 6 * rng.Float64()
		noise := 20 * rng.NormFloat64()
		if rng.IntN(10) == 0 {
			noise *= 5
		}
		y[i] = 500 + 100*math.Sin(2*x[i]) + noise
	}
	return &data.Dataset{Name: "wave", Target: "y", Columns: []data.Column{data.NumberColumn("x", x),
		data.NumberColumn("y", y)}}
}

// covered is the share of the rows of d whose target lies in the model's interval.
func covered(t *testing.T, m *model.Model, d *data.Dataset, w model.Want) float64 {
	t.Helper()
	p, err := m.Predict(t.Context(), d, w)
	if err != nil {
		t.Fatal(err)
	}
	y, err := d.Column(d.Target)
	if err != nil {
		t.Fatal(err)
	}
	inside := 0
	for i, row := range p.Rows {
		if p.Low[i] <= y.Numbers[row] && y.Numbers[row] <= p.High[i] {
			inside++
		}
	}
	return float64(inside) / float64(p.Len())
}

// TestIntervalsCover asks saved models about 1,000 rows that nobody has seen. With 80 rows held out
// the coverage of conformal intervals is itself random, 0.9 ± 0.033; of five draws together ±
// 0.015. On folds the rows that are fitted to are fewer than in the end, so that intervals cover a
// little more.
func TestIntervalsCover(t *testing.T) {
	t.Parallel()
	const draws = 5
	fresh := noisyWave(1000, 100)
	learners := []string{"ridge", "knn", "gp", "svm", "rvm"}
	if testing.Short() {
		learners = learners[:2] // of processes: TestProcessCoversObservations
	}
	for _, learner := range learners {
		for _, holdout := range []float64{0.4, -1} {
			if testing.Short() && (learner == "ridge") != (holdout > 0) {
				continue
			}
			share := map[float64]float64{}
			for seed := range uint64(draws) {
				r, err := Auto(t.Context(), noisyWave(200, seed+1),
					AutoOptions{Learners: []string{learner}, Kernel: kernel.Gaussian{Lengthscale: 0.5},
						Holdout: holdout, Folds: 4, Strategy: Random{Cells: 4}, Budget: time.Hour, Seed: seed})
				if err != nil {
					t.Fatalf("%s: %v", learner, err)
				}
				file := filepath.Join(t.TempDir(), "model.mercer")
				if err := r.Save(file); err != nil {
					t.Fatal(err)
				}
				m, err := model.Load(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, level := range []float64{0.5, 0.9, 0.95} {
					share[level] += covered(t, m, fresh, model.Want{Interval: level}) / draws
				}
			}
			for level, got := range share {
				if math.Abs(got-level) > 0.05 {
					t.Errorf("%s, holdout %g: intervals of %g cover %.3f of new rows", learner, holdout, level, got)
				}
			}
			t.Logf("%s, holdout %g: %v", learner, holdout, share)
		}
	}
}

// Intervals of every level cover what they say on models of few rows, each of them and not only on
// average over many: with 60 rows held out alone, the coverage of a model at 50 % would be off by
// 0.065 in the root mean square, and was.
func TestIntervalsOfEachModelCover(t *testing.T) {
	t.Parallel()
	const draws, rows = 8, 300
	sets := map[string]func(n int, seed uint64) *data.Dataset{
		"heavy tails":    noisyWave,
		"five columns":   func(n int, seed uint64) *data.Dataset { return data.Friedman1(n, 1, seed) },
		"whole numbers":  func(n int, seed uint64) *data.Dataset { return roundedTarget(data.Friedman1(n, 1, seed), 3) },
		"skewed targets": skewedWave,
	}
	for name, draw := range sets {
		fresh := draw(2000, 999)
		off, mean := map[float64]float64{}, map[float64]float64{}
		for seed := range uint64(draws) {
			r, err := Auto(t.Context(), draw(rows, seed+1), AutoOptions{Task: data.Regression,
				Learners: []string{"ridge(lambda=0.1)"}, Strategy: Random{Cells: 2}, Repeats: 1, Seed: seed, Threads: 1,
				clock: newWorkClock()})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			m, err := r.Model(model.Info{})
			if err != nil {
				t.Fatal(err)
			}
			for _, level := range []float64{0.5, 0.8, 0.9, 0.95} {
				c := covered(t, m, fresh, model.Want{Interval: level})
				off[level] += (c - level) * (c - level) / draws
				mean[level] += c / draws
			}
		}
		// 300 residuals: √(p(1-p)/300), 0.029 at 50 %, and what fits to four fifths of the rows
		// add, which are more off: intervals are rather too wide.
		for level, most := range map[float64]float64{0.5: 0.06, 0.8: 0.05, 0.9: 0.04, 0.95: 0.03} {
			if spread := math.Sqrt(off[level]); spread > most || mean[level] < level-0.03 {
				t.Errorf("%s: intervals of %g cover %.3f on average, a model is off by %.3f; want %g", name, level, mean[level],
					spread, most)
			}
		}
		t.Logf("%s: mean %v, squares %v", name, mean, off)
	}
}

// Intervals of every level cover what they say on real tables, none of which a width was chosen on:
// over four draws of 300 rows each, asked about the others.
func TestIntervalsCoverRealTables(t *testing.T) {
	t.Parallel()
	const draws, rows = 4, 300
	names := []string{"airfoil.csv", "concrete.csv", "abalone.csv", "powerplant.csv", "quakes.csv", "diabetes_sklearn.csv",
		"boston.csv"}
	for _, name := range names[:datatest.Size(len(names), 2)] {
		all, err := load.Read(t.Context(), datatest.Path(t, name), load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mean := map[float64]float64{}
		for seed := range uint64(draws) {
			order := rand.New(rand.NewPCG(seed, 18)).Perm(all.Len())
			some := min(rows, all.Len()*3/5)
			r, err := Auto(t.Context(), all.Gather(order[:some]), AutoOptions{Task: data.Regression, Learners: []string{"ridge"},
				Kernel: kernel.Gaussian{Lengthscale: 2}, Strategy: Random{Cells: 4}, Repeats: 1, Seed: seed, Threads: 1,
				clock: newWorkClock()})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			m, err := r.Model(model.Info{})
			if err != nil {
				t.Fatal(err)
			}
			rest := all.Gather(order[some:min(some+1500, all.Len())])
			for _, level := range []float64{0.5, 0.8, 0.9, 0.95} {
				mean[level] += covered(t, m, rest, model.Want{Interval: level}) / draws
			}
		}
		// Chance is 0.023 at 50 %, of 4 × 300 residuals and 4 × 120 rows or more that are asked about.
		// Errors on folds are of fits to four fifths of the rows, and larger than those of the whole:
		// where rows are worth much (concrete) intervals cover more than they say.
		for level, most := range map[float64][2]float64{0.5: {0.05, 0.09}, 0.8: {0.04, 0.06}, 0.9: {0.03, 0.04},
			0.95: {0.025, 0.03}} {
			if off := mean[level] - level; off < -most[0] || off > most[1] {
				t.Errorf("%s: intervals of %g cover %.3f", name, level, mean[level])
			}
		}
		t.Logf("%s: %v", name, mean)
	}
}

// roundedTarget is a data set whose target comes in steps of a unit.
func roundedTarget(d *data.Dataset, unit float64) *data.Dataset {
	for i := range d.Columns {
		if c := &d.Columns[i]; c.Name == d.Target {
			for j := range c.Numbers {
				c.Numbers[j] = unit * math.Round(c.Numbers[j]/unit)
			}
		}
	}
	return d
}

// skewedWave is a curve whose noise lies on one side.
func skewedWave(n int, seed uint64) *data.Dataset {
	rng := rand.New(rand.NewPCG(seed, 11))
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 6 * rng.Float64()
		y[i] = math.Sin(2*x[i]) + rng.ExpFloat64()/2
	}
	return &data.Dataset{Name: "skewed", Target: "y", Columns: []data.Column{data.NumberColumn("x", x),
		data.NumberColumn("y", y)}}
}

// TestProcessCoversObservations holds out each fifth of mcycle in turn. The curve is known far
// better than what is observed: intervals of the mean cover less than half.
func TestProcessCoversObservations(t *testing.T) {
	d, err := data.Builtin("mcycle", 1)
	if err != nil {
		t.Fatal(err)
	}
	folds, err := data.KFold(d.Len(), 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	observations, mean := 0.0, 0.0
	for _, f := range folds {
		r, err := Auto(t.Context(), d.Gather(f.Train), AutoOptions{Learners: []string{"gp"}, Kernel: kernel.Gaussian{},
			Holdout: -1, Folds: 2, Budget: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		m, err := r.Model(model.Info{})
		if err != nil {
			t.Fatal(err)
		}
		test := d.Gather(f.Test)
		observations += covered(t, m, test, model.Want{Interval: 0.9}) * float64(test.Len()) / float64(d.Len())
		mean += covered(t, m, test, model.Want{Interval: 0.9, OfMean: true}) * float64(test.Len()) / float64(d.Len())
	}
	if observations < 0.85 || observations > 0.97 || mean > 0.6 {
		t.Errorf("of held-out rows intervals of observations cover %.3f, want 0.9; those of the mean %.3f, want less than 0.6",
			observations, mean)
	}
}

// TestAutoModelHasItsEncoder: what Auto gives predicts from a data set what it predicted on the
// rows held out, in the units of the file, and there is no way to a model without the encoder.
func TestAutoModelHasItsEncoder(t *testing.T) {
	d := noisyWave(120, 1)
	r, err := Auto(context.Background(), d, AutoOptions{Learners: []string{"ridge"}, Folds: 3, Budget: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Model(model.Info{Notes: map[string]string{"by": "a test"}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(t.Context(), d.Gather(r.TestPredictions.Rows), model.Want{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Values, r.TestPredictions.Value) || m.Info().Encoder != r.Encoder || m.Info().Rows != r.Rows() ||
		m.Target() != "y" || m.Info().Notes["by"] != "a test" {
		t.Errorf("the model predicts %v, the search %v; its info is %+v", p.Values[:3], r.TestPredictions.Value[:3], m.Info())
	}
}
