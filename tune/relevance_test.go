package tune

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
)

// manyColumns is rows of six columns of which two have a say: one quickly, one slowly.
func manyColumns(n int, classes bool, seed uint64) *data.Dataset {
	rng, speed := rand.New(rand.NewPCG(seed, 6)), 4.0
	if classes { // of which a row says less
		speed = 2
	}
	columns := make([]data.Column, 7)
	for c, name := range []string{"a", "b", "c", "d", "e", "f", "y"} {
		columns[c] = data.Column{Name: name, Kind: data.Numeric, Numbers: make([]float64, n)}
	}
	for i := range n {
		for c := range 6 {
			columns[c].Numbers[i] = rng.NormFloat64()
		}
		y := math.Sin(speed*columns[0].Numbers[i]) + 0.5*columns[3].Numbers[i] + 0.1*rng.NormFloat64()
		if classes {
			y = indicator(y > 0)
		}
		columns[6].Numbers[i] = y
	}
	return &data.Dataset{Name: "columns", Columns: columns, Target: "y"}
}

// relevantSearch is Auto in a time in which the evidence is climbed on few rows.
func relevantSearch(t *testing.T, d *data.Dataset, o AutoOptions) *AutoResult {
	t.Helper()
	o.Budget, o.Seed, o.clock = 8*time.Second, 1, newWorkClock()
	r, err := Auto(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Columns without a say get long length-scales, and the process with them, which is fitted to all
// rows, is wrong by little more than the noise.
func TestRelevanceOfColumns(t *testing.T) {
	t.Parallel()
	r := relevantSearch(t, manyColumns(1900, false, 1), AutoOptions{Learners: []string{"gp"}, Repeats: 1})
	if r.Chosen.Learner != "gp" || !strings.Contains(r.Chosen.Label, "rows") {
		t.Fatalf("chosen is %v", r.Chosen)
	}
	length := lengthsOf(t, r)
	for _, c := range []int{1, 2, 4, 5} {
		if length[c] < 10*length[0] || length[c] < 2*length[3] {
			t.Errorf("column %d says nothing and has the length-scale %.3g; those that say something %.3g and %.3g", c,
				length[c], length[0], length[3])
		}
	}
	if r.Chosen.Mean > 0.2 { // the noise is 0.1
		t.Errorf("the error is %.3g, and the noise 0.1", r.Chosen.Mean)
	}
}

// lengthsOf is the length-scales of the chosen kernel.
func lengthsOf(t *testing.T, r *AutoResult) []float64 {
	t.Helper()
	var out []float64
	for _, p := range kernel.Params(r.outcome.(found).Model.Kernel) {
		if strings.Contains(p.Name, ".lengthscale[") {
			out = append(out, p.Value)
		}
	}
	if len(out) != 6 {
		t.Fatalf("%d length-scales of columns", len(out))
	}
	return out
}

// Machines for classes take the length-scales of their codes.
func TestRelevanceForClasses(t *testing.T) {
	t.Parallel()
	r := relevantSearch(t, manyColumns(700, true, 2), AutoOptions{Learners: []string{"svm(C=10)"}, Repeats: 1,
		NoProbabilities: true})
	best, plain := 0.0, 0.0
	for _, c := range r.Cells {
		if strings.Contains(c.Label, "ard") {
			best = max(best, c.Mean)
		} else {
			plain = max(plain, c.Mean)
		}
	}
	if best < plain+0.05 {
		t.Errorf("accuracy with relevance %.3g, without %.3g", best, plain)
	}
}

// Rows held out for the test have no part in the length-scales; neither has the number of threads.
func TestRelevanceKnowsNoTestRows(t *testing.T) {
	t.Parallel()
	o := AutoOptions{Learners: []string{"gp"}, Repeats: 1, Threads: 1}
	d := manyColumns(1900, false, 3)
	one := relevantSearch(t, d, o)
	for _, i := range one.Split.Test {
		d.Columns[6].Numbers[i] = -d.Columns[6].Numbers[i]
		d.Columns[0].Numbers[i]++
	}
	o.Threads = 3
	two := relevantSearch(t, d, o)
	if a, b := lengthsOf(t, one), lengthsOf(t, two); !slices.Equal(a, b) {
		t.Errorf("length-scales %v, and with other test rows and threads %v", a, b)
	}
}

// A search that goes on has the length-scales that it began with, whatever time it has.
func TestRelevanceInJournal(t *testing.T) {
	t.Parallel()
	journal := filepath.Join(t.TempDir(), "j")
	d, o := manyColumns(1900, false, 4), AutoOptions{Learners: []string{"gp"}, Repeats: 1, Journal: journal}
	one := relevantSearch(t, d, o)
	if text, err := os.ReadFile(journal); err != nil || !strings.Contains(string(text), `"relevance"`) {
		t.Fatalf("the journal has no length-scales (%v)", err)
	}
	o.Budget, o.Seed, o.clock = 10*time.Minute, 1, newWorkClock()
	two, err := Auto(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := lengthsOf(t, one), lengthsOf(t, two); !slices.Equal(a, b) || two.Resumed < len(two.Cells) {
		t.Errorf("length-scales %v, then %v; %d of %d cells were known", a, b, two.Resumed, len(two.Cells))
	}
}

// A kernel, axes or learners that were asked for are what is tried, and few rows climb in folds.
func TestRelevanceOnlyWhereNothingIsSaid(t *testing.T) {
	d := manyColumns(1300, false, 5)
	x := mat6(d)
	for _, c := range []struct {
		name string
		o    AutoOptions
		rows int
		want bool
	}{
		{"nothing is said", AutoOptions{}, 1300, true},
		{"few rows", AutoOptions{}, 900, false},
		{"a kernel", AutoOptions{Kernel: kernel.Gaussian{Lengthscale: 1}}, 1300, false},
		{"values", AutoOptions{Axes: []Axis{Over("lambda", 1)}}, 1300, false},
		{"gp", AutoOptions{Learners: []string{"gp"}}, 1300, true},
		{"a learner without", AutoOptions{Learners: []string{"knn"}}, 1300, false},
		{"a kernel of the learner", AutoOptions{Learners: []string{"ridge(kernel=linear())"}}, 1300, false},
		{"evidence", AutoOptions{Evidence: true, Learners: []string{"gp"}}, 1300, false},
	} {
		rows := make([]int, c.rows)
		for i := range rows {
			rows[i] = i
		}
		a := autoRun{r: &AutoResult{}, o: c.o, part: x.Gather(rows)}
		if got := a.wantsRelevance(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func mat6(d *data.Dataset) learn.Problem[any] {
	x := make([]kernel.Vec, d.Len())
	for i := range x {
		for c := range 6 {
			x[i] = append(x[i], d.Columns[c].Numbers[i])
		}
	}
	return learn.Problem[any]{Points: data.Erase(data.Slice[kernel.Vec](x)), Task: data.Regression,
		Y: d.Columns[6].Numbers}
}

// How many rows the evidence is climbed on goes with the cube root of the time.
func TestRelevanceRows(t *testing.T) {
	var got []int
	for _, c := range []struct {
		seconds float64
		rows    int
	}{{1, 5000}, {10, 5000}, {60, 5000}, {60, 900}, {600, 5000}, {36000, 9000}} {
		got = append(got, relevanceRows(time.Duration(c.seconds*1e9), c.rows))
	}
	if want := []int{250, 500, 1000, 500, 2000, 2000}; !reflect.DeepEqual(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

// A climb on one target ends where a regression in units of its deviation does.
func TestClimbIsARegressionInUnits(t *testing.T) {
	p := mat6(manyColumns(120, false, 6))
	k := kernel.OnVectors(kernel.Scale(1, kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 1})))
	found, err := gp.Climb(t.Context(), k, 0.1, 0, nil, p, learn.Resources{})
	if err != nil {
		t.Fatal(err)
	}
	// The evidence of y is that of y in units of s, less n·ln s.
	unit := p.Deviation()
	scaled := make([]float64, p.Len())
	for i, y := range p.Y {
		scaled[i] = y / unit
	}
	at := gp.Regression[any]{Kernel: found.Kernel, Noise: found.Noise, FitMean: true}
	e, err := at.Evidence(t.Context(), p.Points, scaled)
	if err != nil {
		t.Fatal(err)
	}
	if want := e.LogMarginal - float64(p.Len())*math.Log(unit); math.Abs(found.LogMarginal-want) > 1e-6*math.Abs(want) {
		t.Errorf("the climb ended at %.10g, the evidence there is %.10g", found.LogMarginal, want)
	}
	for i, slope := range append(slices.Clone(e.Kernel), e.Noise) {
		theta := append(kernel.Values(found.Kernel), found.Noise)
		if math.Abs(slope*theta[i]) > 0.05 {
			t.Errorf("parameter %d: the slope by its logarithm is %.3g at the end of the climb", i, slope*theta[i])
		}
	}
}
