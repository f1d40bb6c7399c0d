package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// What `mercer fit` says of the rows it held out is what `mercer eval` says of the saved model on
// the same rows: every metric, of every learner, with weights and groups, and with probabilities
// and without.
func TestEvalIsTheTestOfFit(t *testing.T) {
	turn := 0
	for _, l := range all.Learners() {
		for _, task := range []data.Task{data.Regression, data.Binary, data.Multiclass} {
			if !l.Does(task) {
				continue
			}
			for _, plain := range []bool{true, false} {
				if turn++; testing.Short() && turn%5 > 0 {
					continue // a fifth of them, other ones for each learner
				}
				t.Run(fmt.Sprintf("%s/%v/%v", l.Name, task, plain), func(t *testing.T) {
					if testing.Short() && l.Name == "sgpr" && task != data.Regression {
						t.Skip("its bound takes seconds of quadratures; not with -short")
					}
					evalIsTheTest(t, l.Name, task, plain)
				})
			}
		}
	}
}

func evalIsTheTest(t *testing.T, learner string, task data.Task, plain bool) {
	d := judgedSet(task)
	o := &fitOptions{Seed: 1}
	auto := tune.AutoOptions{Learners: []string{learner}, Kernel: kernel.Gaussian{Lengthscale: 2}, NoProbabilities: plain,
		Seed: 1, Folds: 2,
		Axes: []tune.Axis{tune.Over("gaussian.lengthscale", 2)}, Holdout: 0.4}
	switch learner {
	case "gp", "interpolation": // take none
	default:
		d.Weights = "w"
	}
	if learner == "sgpr" { // as many as it would take itself, for three classes, take a minute
		auto.Axes = append(auto.Axes, tune.Over("inducing", 5))
	}
	if l, _ := all.Described(learner); l.OwnKernel {
		auto.Kernel, auto.Axes = nil, nil
	}
	if learner == "spline" { // of one column
		d.Columns = append(d.Columns[:1:1], d.Columns[2:]...)
		d.Groups = "g"
	}
	if plain || learner == "thinplate" { // whose polynomials in a column for each group are more than the rows
		d.Groups = "g"
	}
	r, err := tune.Auto(context.Background(), d, auto)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newFittedModel(d, r, o)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "m.mercer")
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	if m, err = model.Load(file); err != nil {
		t.Fatal(err)
	}
	held := d.Gather(r.Split.Test)
	held.Weights, held.Groups = "", ""
	takeRoles(m, held)
	p, base, err := m.Judged(context.Background(), held)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]tune.TestScore{}
	for _, s := range tune.Judge(p, base, measuresOf(m, task)...) {
		got[s.Metric] = s
	}
	if len(got) != len(r.Test) || len(got) < 3 {
		t.Errorf("%d metrics, the test of the fit has %d", len(got), len(r.Test))
	}
	for _, want := range r.Test {
		s, ok := got[want.Metric]
		if near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) || a != a && b != b }; !ok ||
			!near(s.Value, want.Value) || !near(s.Baseline, want.Baseline) {
			t.Errorf("%s: %.10g, baseline %.10g; the test of the fit says %.10g, %.10g", want.Metric, s.Value, s.Baseline,
				want.Value, want.Baseline)
		}
	}
}

// judgedSet is rows of two columns, classes or values that overlap, weights, and groups.
func judgedSet(task data.Task) *data.Dataset {
	const n = 64
	a, b, w := make([]float64, n), make([]float64, n), make([]float64, n)
	value, class, group := make([]float64, n), make([]string, n), make([]string, n)
	k := 2
	if task == data.Multiclass {
		k = 3
	}
	for i := range n {
		c := i % k
		a[i] = math.Sin(7*float64(i)) + 0.8*float64(c)
		b[i] = math.Cos(11*float64(i)) - 0.5*float64(c*c)
		w[i] = 0.5 + float64(i%5)
		class[i], group[i] = string(rune('a'+c)), string(rune('p'+i%7))
		value[i] = math.Floor(4*math.Abs(a[i]+b[i])) + 0.25*math.Sin(float64(i*i))
	}
	d := &data.Dataset{Name: "judged", Target: "y", Columns: []data.Column{data.NumberColumn("a", a),
		data.NumberColumn("b", b),
		data.NumberColumn("w", w), data.LevelColumn("g", group), data.LevelColumn("y", class)}}
	if task == data.Regression {
		d.Columns[4] = data.NumberColumn("y", value)
	}
	return d
}
