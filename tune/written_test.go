package tune

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// otherValue is a value of a domain that nobody would take by default.
func otherValue(d kernel.Domain) float64 {
	for _, v := range []float64{0.37, 7, 3, 0.9, 1.3} {
		if d.Contains(v) && !(d.High > 1 && d.OpenLow && v < 0) {
			return v
		}
	}
	return math.NaN()
}

// A number that was written of a learner stands in the model that is saved: every parameter of
// every learner, on rows that a search takes all of and on more, with time for everything and with
// nearly none.
func TestNumbersOfLearnersStay(t *testing.T) {
	t.Parallel()
	kept, nth := 0, 0
	for _, l := range all.Learners() {
		for _, task := range []data.Task{data.Regression, data.Binary} {
			if !l.Does(task) || testing.Short() && task == data.Binary && l.Values {
				continue
			}
			for _, p := range l.ParamsFor(task) {
				if nth++; testing.Short() && nth%4 > 0 { // some of all learners
					continue
				}
				v := otherValue(p.Domain)
				switch {
				case p.Choices != nil || math.IsNaN(v):
					continue
				case p.Name == "centres" || p.Name == "inducing" || p.Name == "count" || p.Name == "frequencies" ||
					p.Name == "trees" || p.Name == "k":
					v = 23
				case p.Name == "order":
					v = 2
				}
				for _, n := range []int{60, 700} {
					if testing.Short() && n == 60 {
						continue
					}
					text := fmt.Sprintf("%s(%s=%g)", l.Name, p.Name, v)
					what := fmt.Sprintf("%s, %v, %d rows", text, task, n)
					clock, scores := newWorkClock(), 0
					o := AutoOptions{Budget: time.Second, Seed: 1, Threads: 1, clock: clock, Learners: []string{text},
						Strategy: Random{Cells: 2},
						Metric: costly(Metrics(task)[0], func(int) {
							if scores++; scores == 12 {
								clock.pass(400 * time.Millisecond)
							}
						})}
					if !l.OwnKernel {
						o.Kernel, o.Written = kernel.Gaussian{Lengthscale: 3}, "gaussian(lengthscale=3)"
					}
					r, err := Auto(t.Context(), taskRows(n, columnsFor(l), task), o)
					if unfit := (*NotFitted)(nil); errors.As(err, &unfit) {
						continue // refused, which is the other thing that a request may be
					}
					if err != nil {
						t.Errorf("%s: %v", what, err)
						continue
					}
					kept++
					if got := resultOf(r).Model.Params[p.Name]; got != v {
						t.Errorf("%s: the model has %s = %g (%v)", what, p.Name, got, r.Chosen)
					}
					m, err := r.Model(model.Info{})
					if err != nil {
						t.Errorf("%s: %v", what, err)
						continue
					}
					if set := m.Info().Spec; !strings.Contains(set, fmt.Sprintf("%s=%g", p.Name, v)) {
						t.Errorf("%s: the file says %q", what, set)
					}
					written := m.Kernel()
					if strings.HasPrefix(l.Name, "features") { // the file has frequencies that were drawn of the kernel
						written = m.Info().Spec
					}
					if !l.OwnKernel && !strings.Contains(written, "lengthscale=3)") {
						t.Errorf("%s: the kernel of the file is %s", what, m.Kernel())
					}
				}
			}
		}
	}
	if kept < 40 && !testing.Short() || kept < 8 {
		t.Errorf("%d numbers were tried", kept)
	}
}

// A number that was written of a kernel stands in the model that is saved, with learners that
// search for others: every kernel of the language with each of its parameters.
func TestNumbersOfKernelsStay(t *testing.T) {
	t.Parallel()
	learners, rows := []string{"ridge", "gp", "sgpr", "nystrom"}, datatest.Size(700, 80)
	tried, nth := 0, 0
	for _, e := range spec.Vectors() {
		if e.Operates() || len(e.Samples) == 0 {
			continue
		}
		k, err := spec.ParseKernel(e.Samples[0])
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range kernel.Params(k) {
			value := 1.25*p.Value + 0.125
			if p.Domain.Integer {
				value = p.Value + 1
			}
			other, err := kernel.Set(k, p.Name, value)
			if err != nil {
				continue
			}
			text, err := spec.FormatKernel(other)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range learners {
				if nth++; testing.Short() && nth%13 > 0 { // some kernels with each learner
					continue
				}
				d := taskRows(rows, 2, data.Regression)
				x := data.NumberColumn("x2", slices.Clone(d.Columns[0].Numbers))
				d.Columns = slices.Insert(d.Columns, 2, x) // the samples are on three coordinates
				o := AutoOptions{Budget: time.Second, Seed: 1, Threads: 1, clock: newWorkClock(), Learners: []string{l},
					Kernel: other, Written: text, Strategy: Random{Cells: 1}}
				r, err := Auto(t.Context(), d, o)
				if err != nil {
					continue // a kernel for other points, or one that the learner refuses
				}
				tried++
				found := resultOf(r).Model.Kernel
				params := kernel.Params(found)
				if got := params[len(params)-len(kernel.Params(k))+i]; got.Value != value {
					t.Errorf("%s with %s: %s = %g in the model", l, text, got.Name, got.Value)
				}
			}
		}
	}
	if tried < 10 && !testing.Short() || tried < 4 {
		t.Errorf("%d numbers were tried", tried)
	}
}

// What was not written is found, as it was: a length-scale that is left out is varied.
func TestOthersAreFound(t *testing.T) {
	for _, l := range []string{"ridge", "gp"} {
		r, err := Auto(t.Context(), taskRows(150, 2, data.Regression),
			AutoOptions{Seed: 1, Learners: []string{l}, Kernel: kernel.Gaussian{}, Written: "gaussian()", clock: newWorkClock()})
		if err != nil {
			t.Fatal(err)
		}
		params := kernel.Params(resultOf(r).Model.Kernel)
		if p := params[len(params)-1]; p.Value == 1 || p.Value == 3 {
			t.Errorf("%s: %s = %g", l, p.Name, p.Value)
		}
	}
}

// The values of a list are all that is tried.
func TestListedValues(t *testing.T) {
	r, err := Auto(t.Context(), taskRows(150, 2, data.Regression),
		AutoOptions{Seed: 1, Learners: []string{"ridge(lambda=[0.01, 1])"}, clock: newWorkClock()})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cells {
		if v := c.Param("lambda"); v != 0.01 && v != 1 {
			t.Errorf("%v was tried", c)
		}
	}
}
