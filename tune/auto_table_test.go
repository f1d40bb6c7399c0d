package tune

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// memoryTable is a table whose chunks are in memory; passes are counted.
type memoryTable struct {
	chunks []*data.Dataset
	passes int
	broken int // the pass that finds a gap in the last chunk; 0: none
}

func (t *memoryTable) Head() *data.Dataset { return t.chunks[0] }

func (t *memoryTable) Pass(ctx context.Context, f func(*data.Dataset) error) error {
	t.passes++
	for i, d := range t.chunks {
		if t.passes == t.broken && i == len(t.chunks)-1 {
			d = d.Gather([]int{0, 1, 2})
			d.Columns[0].Numbers[2] = math.NaN()
		}
		if err := f(d); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func tableOfToy(rows int) *memoryTable {
	p := toy(rows, data.Regression, 3)
	t := &memoryTable{}
	for lo := 0; lo < rows; lo += 700 {
		hi := min(lo+700, rows)
		a, b := make([]float64, hi-lo), make([]float64, hi-lo)
		for i := range a {
			a[i], b[i] = p.Points.At(lo + i).(kernel.Vec)[0], p.Points.At(lo + i).(kernel.Vec)[1]
		}
		t.chunks = append(t.chunks, &data.Dataset{Name: "toy", Target: "y",
			Columns: []data.Column{data.NumberColumn("a", a), data.NumberColumn("b", b), data.NumberColumn("y", p.Y[lo:hi])}})
	}
	return t
}

func tableOptions(threads int) AutoOptions {
	return AutoOptions{Budget: time.Minute, Bytes: 8 << 20, Seed: 1, Threads: threads, Learners: []string{"ridge"},
		Kernel: kernel.Gaussian{Lengthscale: 1}, Strategy: Grid{}, Centers: 80,
		Axes: []Axis{Over("lengthscale", 1), Over("lambda", 1e-2)}, clock: newWorkClock()}
}

// TestAutoTable: all rows but those held out are fitted to, as well as noise allows, to the same
// bits at any number of threads; a fault in a later pass names its row.
func TestAutoTable(t *testing.T) {
	t.Parallel()
	rows := datatest.Size(6000, 1500) // some chunks
	var first []float64
	for _, threads := range []int{1, 3} {
		table := tableOfToy(rows)
		r, sample, err := AutoTable(t.Context(), table, tableOptions(threads))
		if err != nil {
			t.Fatal(err)
		}
		if held := len(r.Split.Test); r.Rows() != rows-held || held < 100 || sample.Len() > rows || r.Given != r.Rows() ||
			table.passes < 4 {
			t.Errorf("%d rows, %d held out of %d drawn, %d passes", r.Rows(), held, sample.Len(), table.passes)
		}
		if e := r.Test[0].Value; e > 0.33 { // the noise is 0.3
			t.Errorf("error %g", e)
		}
		if first == nil {
			first = r.TestPredictions.Value
		}
		for i, v := range r.TestPredictions.Value {
			if v != first[i] {
				t.Fatalf("other bits with %d threads", threads)
			}
		}
	}
	table := tableOfToy(rows)
	table.broken = 2
	_, _, err := AutoTable(t.Context(), table, tableOptions(1))
	var fault *data.Error
	if !errors.Is(err, data.ErrMissing) || !errors.As(err, &fault) {
		t.Errorf("a gap in a later pass: %v", err)
	}
}

// TestAutoTableKeepsMoreCentres: centres of all rows so few that they are worse than more of the
// rows that were drawn are known to be.
func TestAutoTableKeepsMoreCentres(t *testing.T) {
	o := tableOptions(1)
	a := &tableFit{table: tableOfToy(2000), o: o, clock: o.clock, start: o.clock.now()}
	for _, step := range []func(context.Context) error{a.survey, a.search} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	many := a.found.Model
	x, err := a.encoder.TransformLabelled(a.sample)
	if err != nil {
		t.Fatal(err)
	}
	r := nystrom.Regression[any]{Kernel: many.Kernel, Lambda: 1e-6, PerPoint: true, Intercept: true,
		Options: nystrom.Options{Centers: 2}}
	m, err := r.Fit(t.Context(), data.Erase(x.Dense), x.Target)
	if err != nil {
		t.Fatal(err)
	}
	few := *many
	few.Model = m
	worse, better, err := a.compare(t.Context(), &few, many)
	if err != nil || !a.found.Metric.better(better, worse) || worse < 1.2*better {
		t.Errorf("two centres %g, %g centres %g, %v", worse, many.Params["centres"], better, err)
	}
}

// A table that is read in passes is not fitted by another solver than was asked for.
func TestAutoTableSolvers(t *testing.T) {
	for _, name := range []string{"exact", "cg", "askotch", "snacks", "features", "sgpr", "magic"} {
		o := tableOptions(1)
		o.Solver, o.Learners, o.Centers = name, nil, 0
		if _, _, err := AutoTable(t.Context(), tableOfToy(700), o); err == nil ||
			!strings.Contains(err.Error(), "in memory") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSolverOptions: names that there are not, and askings that contradict each other, are refused.
func TestSolverOptions(t *testing.T) {
	for _, o := range []AutoOptions{{Solver: "magic"}, {Centers: -1}, {Solver: "exact", Centers: 5},
		{Solver: "cg", Learners: []string{"svm"}}, {Solver: "cg", Centers: 5},
		{Solver: "features", Learners: []string{"features-svm", "svm"}}} {
		if err := o.settleSolver(); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	for name, want := range map[string]contest{"": everyone, "exact": onlyExact, "nystrom": onlyCenters,
		"falkon": onlyCenters, "cg": straight, "askotch": straight, "snacks": straight, "features": straight,
		"sgpr": straight} {
		o := AutoOptions{Solver: name}
		if err := o.settleSolver(); err != nil || o.only != want {
			t.Errorf("%q: %v, %v", name, o.only, err)
		}
	}
	o := AutoOptions{Centers: 7}
	if err := o.settleSolver(); err != nil || o.only != onlyCenters {
		t.Errorf("centres alone: %v, %v", o.only, err)
	}
}
