package tune

import (
	"math"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/kernel"
)

// inUnits is a data set with its target times a factor plus an offset.
func inUnits(d *data.Dataset, factor, offset float64) *data.Dataset {
	out := *d
	out.Columns = append([]data.Column(nil), d.Columns...)
	for j, c := range out.Columns {
		if c.Name != d.Target {
			continue
		}
		values := make([]float64, c.Len())
		for i, v := range c.Numbers {
			values[i] = factor*v + offset
		}
		out.Columns[j] = data.NumberColumn(c.Name, values)
	}
	return &out
}

// TestUnitOfTheTarget fits metres, then millimetres counted from elsewhere: every learner is as
// good, with a kernel of one's own, too, whose values know nothing of the unit.
func TestUnitOfTheTarget(t *testing.T) {
	t.Parallel()
	d := noisyWave(datatest.Size(150, 90), 1)
	for _, l := range all.Learners() {
		if !l.Does(data.Regression) || l.Name == "interpolation" { // which goes through noise, in any unit
			continue
		}
		var own kernel.Kernel[kernel.Vec]
		if !l.OwnKernel {
			own = kernel.Gaussian{Lengthscale: 0.5}
		}
		rmse := func(d *data.Dataset) float64 {
			r, err := Auto(t.Context(), d, AutoOptions{Learners: []string{l.Name}, Kernel: own, Folds: 3,
				Strategy: Random{Cells: datatest.Size(4, 2)}, Budget: time.Hour, Seed: 1})
			if err != nil {
				t.Fatalf("%s: %v", l.Name, err)
			}
			return r.Test[0].Value
		}
		want := rmse(d)
		for _, factor := range []float64{1e-4, 1e4} {
			if testing.Short() && factor > 1 {
				continue
			}
			if got := rmse(inUnits(d, factor, 300*factor)) / factor; math.Abs(got-want) > 0.02*want {
				t.Errorf("%s: test rmse %.4g, in units of %g %.4g", l.Name, want, 1/factor, got)
			}
		}
	}
}

// TestProcessWithOwnKernel: a kernel that somebody typed has the variance 1, the targets that of
// their unit.
func TestProcessWithOwnKernel(t *testing.T) {
	d := noisyWave(150, 1)
	score := func(k kernel.Kernel[kernel.Vec]) float64 {
		r, err := Auto(t.Context(), d, AutoOptions{Learners: []string{"gp"}, Kernel: k, Folds: 3, Budget: time.Hour, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r.Test[0].Value
	}
	own, scaled := score(kernel.Gaussian{}), score(kernel.Scale[kernel.Vec](5000, kernel.Gaussian{}))
	if own > 1.05*scaled {
		t.Errorf("gaussian() has a test rmse of %.4g, 5000*gaussian() of %.4g", own, scaled)
	}
}

// TestUnitOfTheKernel: a factor before a kernel changes what a price or a penalty of 1 is, and not
// how good a search gets.
func TestUnitOfTheKernel(t *testing.T) {
	t.Parallel()
	wave, err := data.Builtin("moons", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*data.Dataset{noisyWave(150, 1), wave.Gather(par.Indices(0, 120))} {
		task := data.Regression
		if d.Name == "moons" {
			task = data.Binary
		}
		for _, l := range all.Learners() {
			switch l.Name {
			case "interpolation", "norma", "perceptron": // goes through noise; take steps beside an intercept of 1
				continue
			case "gp", "sgpr": // a factor that is typed is where its search starts
				continue
			}
			if !l.Does(task) || l.OwnKernel || testing.Short() && l.Name != "ridge" && l.Name != "logistic" && l.Name != "svm" {
				continue
			}
			score := func(factor float64) float64 {
				r, err := Auto(t.Context(), d, AutoOptions{Learners: []string{l.Name},
					Kernel: kernel.Scale[kernel.Vec](factor, kernel.Gaussian{Lengthscale: 0.5}), Folds: 3, Strategy: Random{Cells: 4},
					Budget: time.Hour, Seed: 1})
				if err != nil {
					t.Fatalf("%s: %v", l.Name, err)
				}
				return r.Test[0].Value
			}
			want := score(1)
			for _, factor := range []float64{1e-6, 1e6} {
				if got := score(factor); math.Abs(got-want) > 0.05*want {
					t.Errorf("%s, %s: test score %.4g, with %g times the kernel %.4g", d.Name, l.Name, want, factor, got)
				}
			}
		}
	}
}
