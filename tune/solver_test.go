package tune

import (
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// A solver that is a learner fits all rows but those held out, with as many centres as were asked
// for.
func TestSolversThatAreLearners(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		solver, learner, count string
		task                   data.Task
		centers                int
	}{
		{"snacks", "snacks", "centres", data.Binary, 12},
		{"features", "features", "frequencies", data.Regression, 20},
		{"features", "features", "frequencies", data.Binary, 20},
		{"sgpr", "sgpr", "inducing", data.Regression, 6},
		{"sgpr", "sgpr", "inducing", data.Regression, 0},
	} {
		const rows = 90
		p := toy(rows, c.task, 5)
		a, b, y := make([]float64, rows), make([]float64, rows), data.NumberColumn("y", p.Y)
		class := make([]string, rows)
		for i := range rows {
			a[i], b[i] = p.Points.At(i).(kernel.Vec)[0], p.Points.At(i).(kernel.Vec)[1]
			class[i] = string(rune('a' + int(p.Y[i])))
		}
		if c.task == data.Binary {
			y = data.LevelColumn("y", class)
		}
		d := &data.Dataset{Name: "toy", Target: "y", Columns: []data.Column{data.NumberColumn("a", a),
			data.NumberColumn("b", b), y}}
		r, err := Auto(t.Context(), d, AutoOptions{Solver: c.solver, Centers: c.centers, Budget: time.Hour, Seed: 1, Folds: 2,
			Kernel: kernel.Gaussian{Lengthscale: 1},
			Axes:   []Axis{Over("lengthscale", 1)}, clock: newWorkClock()})
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		m := resultOf(r).Model
		if m.Learner != c.learner || m.Rows != rows-len(r.Split.Test) || m.Params[c.count] != float64(c.centers) {
			t.Errorf("%+v: %s with %v on %d rows, %d held out", c, m.Learner, m.Params, m.Rows, len(r.Split.Test))
		}
	}
	// Classes only, and a learner that is another's.
	d := &data.Dataset{Name: "line", Target: "y", Columns: []data.Column{data.NumberColumn("x", make([]float64, 30)),
		data.NumberColumn("y", toy(30, data.Regression, 1).Y)}}
	if _, err := Auto(t.Context(), d, AutoOptions{Solver: "snacks", Budget: time.Hour,
		clock: newWorkClock()}); err == nil {
		t.Error("snacks on a regression: no error")
	}
}
