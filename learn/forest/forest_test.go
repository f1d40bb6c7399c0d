package forest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/internal/savedtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// On trees that part nothing but leaves of one size, the estimate is that of neighbours.KernelMean
// with the forest for a kernel: the double loop stands in kernel/forest.
func TestForestIsAKernelMean(t *testing.T) {
	// Sixteen places on a line, twice each: trees of depth 2 on all rows have four leaves of eight
	// rows.
	x, y := mat.NewDense(32, 1, nil), make([]float64, 32)
	for i := range y {
		x.Set(i, 0, float64(i/2))
		y[i] = float64(i / 8)
	}
	m := modeltest.Must(Regression{Growth: forest.Growth{Trees: 3, Depth: 2, Sampling: forest.AllRows}}.Fit(t.Context(),
		data.Rows(x), y))(t)
	nw := modeltest.Must(neighbours.KernelMean[kernel.Vec]{Kernel: m.Forest()}.Fit(t.Context(), data.Rows(x), y))(t)
	at := data.Line([]float64{-3, 2.2, 7.9, 11, 99})
	learntest.AllNear(t, "kernel mean", modeltest.Predict(t, m, at), modeltest.Predict(t, nw, at), 1e-12)
	if m.OutOfBag() != nil || m.Forest().Leaves() != 12 {
		t.Errorf("out of bag %v, %d leaves", m.OutOfBag(), m.Forest().Leaves())
	}
}

// What is learnt is far better than the mean, and what is said out of the bag is about what new
// rows show.
func TestForestsLearn(t *testing.T) {
	x, y := learntest.Wave(400, 3, 5)
	fresh, truth := learntest.Wave(400, 3, 6)
	for name, g := range map[string]forest.Growth{"best": {Seed: 1},
		"random": {Splits: forest.RandomSplits, Sampling: forest.Bootstrap}} {
		m := modeltest.Must(Regression{Growth: g}.Fit(t.Context(), data.Rows(x), y))(t)
		off, spread, mean := 0.0, 0.0, learn.Mean(truth, nil)
		for i, v := range modeltest.Predict(t, m, data.Rows(fresh)) {
			off += (v - truth[i]) * (v - truth[i])
			spread += (truth[i] - mean) * (truth[i] - mean)
		}
		if r2 := 1 - off/spread; r2 < 0.7 || math.Abs(r2-m.OutOfBag().Score) > 0.1 {
			t.Errorf("%s: R² %g on new rows, %g out of the bag", name, r2, m.OutOfBag().Score)
		}
		if notes := m.Report().Notes; len(notes) != 1 || !strings.Contains(notes[0], "out of bag") {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
	points, code := learntest.NoisyCorners(600, 3, 7)
	c := modeltest.Must(Classification[int]{}.Fit(t.Context(), points, code))(t)
	test, want := learntest.NoisyCorners(600, 3, 8)
	right := 0.0
	for i, v := range modeltest.Predict(t, c, test) {
		if v == want[i] {
			right += 1.0 / 600
		}
	}
	if right < 0.65 || math.Abs(right-c.OutOfBag().Score) > 0.08 {
		t.Errorf("%g of new rows are right, %g out of the bag", right, c.OutOfBag().Score)
	}
}

// Missing values are refused unless they are said to be some, when a model is fitted and when it is
// used; its file remembers.
func TestMissingValues(t *testing.T) {
	x := mat.NewDense(20, 2, nil)
	y := make([]float64, 20)
	for i := range y {
		x.SetRow(i, []float64{float64(i % 5), math.NaN()})
		if y[i] = float64(i % 2); i%2 == 1 {
			x.Set(i, 1, 1)
		}
	}
	if _, err := (Regression{}).Fit(t.Context(), data.Rows(x), y); err == nil ||
		!strings.Contains(err.Error(), "row 0, column 1") {
		t.Errorf("a missing value: %v", err)
	}
	m := modeltest.Must(Regression{Growth: forest.Growth{Missing: true, Sampling: forest.AllRows}}.Fit(t.Context(),
		data.Rows(x), y))(t)
	back := modeltest.Must(restoreRegressor(m.Saved()))(t).(*Regressor)
	for name, m := range map[string]*Regressor{"fitted": m, "restored": back} {
		learntest.AllNear(t, name, modeltest.Predict(t, m, data.Rows(x)), y, 0)
	}
	plain := modeltest.Must(Regression{}.Fit(t.Context(), data.Line([]float64{1, 2, 3}), []float64{1, 2, 3}))(t)
	if _, err := plain.Predict(t.Context(), data.Line([]float64{1, math.NaN()})); err == nil ||
		!strings.Contains(err.Error(), "row 1") {
		t.Errorf("a missing value to predict: %v", err)
	}
}

func TestForestsComeBack(t *testing.T) {
	x, y := learntest.Wave(60, 3, 9)
	m := modeltest.Must(Regression{Growth: forest.Growth{Trees: 7}}.Fit(t.Context(), data.Rows(x), y))(t)
	savedtest.RoundTrip[float64](t, "regression", m, restoreRegressor, data.Rows(x))
	for _, classes := range []int{2, 4} {
		p, code := learntest.NoisyCorners(60, classes, 3)
		c := modeltest.Must(Classification[int]{Growth: forest.Growth{Trees: 7, Categories: []int{0}}}.Fit(t.Context(), p,
			code))(t)
		savedtest.RoundTrip[int](t, fmt.Sprint(classes, " classes"), c, restoreClassifier, p)
		for what, alter := range map[string]func(s *learn.Saved[kernel.Vec]){
			"negative share": func(s *learn.Saved[kernel.Vec]) { s.Arrays["values"].Set(0, 0, -1) },
			"shares of 2":    func(s *learn.Saved[kernel.Vec]) { s.Arrays["values"].Set(0, 0, 2) },
			"no nodes":       func(s *learn.Saved[kernel.Vec]) { delete(s.Arrays, "nodes") },
			"mondrian":       func(s *learn.Saved[kernel.Vec]) { s.Arrays["forest"].Set(0, 0, 1) },
			"more columns":   func(s *learn.Saved[kernel.Vec]) { s.Arrays["forest"].Set(0, 1, 5) },
			"no constant": func(s *learn.Saved[kernel.Vec]) {
				f := *s.Func
				f.Bias = nil
				s.Func = &f
			},
		} {
			s := c.Saved()
			s.Arrays = maps.Clone(s.Arrays)
			if alter(&s); errorOf(restoreClassifier(s)) == nil {
				t.Errorf("%d classes, %s: restored", classes, what)
			}
		}
	}
	if errorOf(restoreRegressor(learn.Saved[kernel.Vec]{Func: m.Func(), Classes: 2})) == nil ||
		errorOf(onVectors(restoreRegressor)(learn.Saved[any]{Func: &rkhs.Func[any]{Kernel: kernel.Erase[string](seq.Spectrum{K: 1}),
			Centers: data.Erase[string](data.Slice[string]{"a"})}})) == nil {
		t.Error("classes, or strings, are restored as a regression")
	}
}

func errorOf[M any](_ M, err error) error { return err }

// The entry of the table reads its parameters: each changes the forest as it says.
func TestSettings(t *testing.T) {
	x, y := learntest.Wave(90, 12, 4)
	code := make([]int, 90)
	for i := range code {
		code[i] = int(math.Abs(2*y[i])) % 3
	}
	entry := Learners()[0]
	defaults := func(task data.Task) map[string]float64 {
		out := map[string]float64{}
		for _, p := range entry.ParamsFor(task) {
			out[p.Name] = p.Default
		}
		return out
	}
	numbers := learn.Regress[kernel.Vec](data.Rows(x), y)
	classes := modeltest.Must(learn.Classify[kernel.Vec](data.Rows(x), code))(t)
	for _, p := range []learn.Problem[kernel.Vec]{numbers, classes} {
		leaves := map[string]string{}
		for name, set := range map[string]map[string]float64{"plain": {}, "trees": {"trees": 7}, "depth": {"depth": 2},
			"min": {"min": 9}, "splits": {"splits": 1}, "sample": {"sample": 2}, "seed": {"seed": 5}, "columns": {"columns": 1},
			"third": {"columns": 2}} {
			s := learn.Settings{Params: defaults(p.Task)}
			maps.Copy(s.Params, set)
			m := modeltest.Must(entry.Fit(t.Context(), s, p.Erase()))(t)
			f := m.(interface{ Concrete() any }).Concrete().(interface{ Forest() *forest.Forest }).Forest()
			rows := modeltest.Must(f.Features(t.Context(), data.Rows(x)))(t)
			leaves[name] = fmt.Sprint(rows.CSR().Index)
			if name == "trees" && f.Trees() != 7 || name == "plain" && f.Trees() != 100 || name == "depth" && f.Leaves() > 400 ||
				name == "min" && f.Leaves() > 1000 {
				t.Errorf("%s: %d trees with %d leaves", name, f.Trees(), f.Leaves())
			}
		}
		for name, l := range leaves {
			if name != "plain" && l == leaves["plain"] {
				t.Errorf("%v: %s makes no difference", p.Task, name)
			}
		}
	}
	if g := growth(learn.Settings{Params: defaults(data.Regression)}, data.Regression, 9); g.Columns != 9 {
		t.Errorf("%d columns for numbers, want all", g.Columns)
	}
	if g := growth(learn.Settings{Params: defaults(data.Binary)}, data.Binary, 9); g.Columns != 3 {
		t.Errorf("%d columns for classes, want √9", g.Columns)
	}
	if _, err := Learners()[0].Fit(t.Context(), learn.Settings{Params: defaults(data.Regression)},
		learn.Regress[string](data.Slice[string]{"a"}, []float64{1}).Erase()); err == nil ||
		!strings.Contains(err.Error(), "columns of a table") {
		t.Errorf("strings: %v", err)
	}
}

// Weights of classes count, and a budget too small is told before a tree grows.
func TestWeightsAndBudget(t *testing.T) {
	p, code := learntest.NoisyCorners(200, 2, 11)
	even := modeltest.Must(Classification[int]{Growth: forest.Growth{Min: 20}}.Fit(t.Context(), p, code))(t)
	heavy := modeltest.Must(Classification[int]{Growth: forest.Growth{Min: 20},
		ClassWeights: map[int]float64{1: 20}}.Fit(t.Context(), p, code))(t)
	count := func(m *Classifier[int]) (n int) {
		for _, c := range modeltest.Predict(t, m, p) {
			n += c
		}
		return n
	}
	if a, b := count(even), count(heavy); b < a+20 {
		t.Errorf("%d of class 1, %d where it weighs 20 times as much", a, b)
	}
	var over *learn.OverBudget
	_, err := Classification[int]{Growth: forest.Growth{Trees: math.MaxInt}}.Fit(t.Context(), p, code)
	if !errors.As(err, &over) || over.Needs <= 0 {
		t.Errorf("more trees than memory: %v", err)
	}
	if !slices.Equal(even.Classes(), []int{0, 1}) {
		t.Errorf("classes %v", even.Classes())
	}
}
