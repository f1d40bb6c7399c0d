package forest

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// What is grown one tree after the other predicts what scikit-learn's gradient boosting by
// histograms does of the same rows (testdata/sklearn_boosted.py): numbers, weighted rows, missing
// values, two classes and three.
func TestBoostedOfScikitLearn(t *testing.T) {
	var file struct {
		X, Gaps                            []*float64
		Y, W                               []float64
		Code                               []int
		Numbers, Weighted, Faster, Missing []float64
		Plain, Importances                 []float64
		Two, Three                         []float64
	}
	if err := json.Unmarshal(modeltest.Must(os.ReadFile("testdata/sklearn_boosted.json"))(t), &file); err != nil {
		t.Fatal(err)
	}
	x := table(file.X, 4)
	growth := Growth{Trees: 30, Depth: 3, Min: 5}
	gaps := growth
	gaps.Missing = true
	for name, c := range map[string]struct {
		b    Boosted
		x    data.Slice[kernel.Vec]
		want []float64
	}{
		"numbers":  {Boosted{Growth: growth}, x, file.Numbers},
		"weighted": {Boosted{Growth: growth, Weights: file.W}, x, file.Weighted},
		"faster":   {Boosted{Growth: growth, Rate: 0.3}, x, file.Faster},
		"missing":  {Boosted{Growth: gaps}, table(file.Gaps, 4), file.Missing},
	} {
		f := modeltest.Must(c.b.Fit(t.Context(), c.x, file.Y))(t)
		near(t, name, modeltest.Must(f.Average(t.Context(), c.x))(t), c.want)
	}
	trees := modeltest.Must(Boosted{Growth: growth, Weights: file.W}.Fit(t.Context(), x, file.Y))(t)
	near(t, "without bins", modeltest.Must(trees.Average(t.Context(), x))(t), file.Plain)
	near(t, "importances", trees.Importances(), file.Importances)
	near(t, "importances of a file", modeltest.Must(FromArrays(trees.Arrays()))(t).Importances(), file.Importances)
	two := make([]int, len(file.Code))
	for i, c := range file.Code {
		two[i] = min(c, 1)
	}
	f := modeltest.Must(Boosted{Growth: growth}.FitClasses(t.Context(), x, two, 2))(t)
	odds := modeltest.Must(f.Average(t.Context(), x))(t)
	for i, v := range odds {
		odds[i] = 1 / (1 + math.Exp(-v))
	}
	near(t, "two classes", odds, file.Two)
	f = modeltest.Must(Boosted{Growth: growth}.FitClasses(t.Context(), x, file.Code, 3))(t)
	scores := modeltest.Must(f.Average(t.Context(), x))(t)
	var shares []float64
	for row := range slices.Chunk(scores, 3) {
		for c := range row {
			shares = append(shares, softmaxOf(row, c))
		}
	}
	near(t, "three classes", shares, file.Three)
}

func near(t *testing.T, name string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, scikit-learn has %d", name, len(got), len(want))
		return
	}
	for i, v := range want {
		if math.Abs(got[i]-v) > 1e-6*max(math.Abs(v), 1) { // scikit-learn keeps derivatives in 32 bits
			t.Errorf("%s: row %d is %.9g, scikit-learn's %.9g", name, i, got[i], v)
			return
		}
	}
}

// A round lowers the squares, and the logistic loss, of the rows that it is grown by; so does one of
// samples, whose other rows go through the tree.
func TestBoostedLowersTheLoss(t *testing.T) {
	x, y := make(data.Slice[kernel.Vec], 200), make([]float64, 200)
	code := make([]int, 200)
	for i := range x {
		a, b := math.Sin(float64(3*i)), math.Cos(float64(7*i))
		x[i], y[i] = kernel.Vec{a, b}, a*b+a
		if y[i] > 0.2 {
			code[i] = 1
		}
	}
	for _, sampling := range []Sampling{AllRows, Bootstrap} {
		last, lastLoss := math.Inf(1), math.Inf(1)
		for _, rounds := range []int{1, 4, 16, 64} {
			g := Growth{Trees: rounds, Depth: 3, Sampling: sampling, Seed: 5}
			squares, loss := 0.0, 0.0
			f := modeltest.Must(Boosted{Growth: g}.Fit(t.Context(), x, y))(t)
			for i, v := range modeltest.Must(f.Average(t.Context(), x))(t) {
				squares += (v - y[i]) * (v - y[i])
			}
			f = modeltest.Must(Boosted{Growth: g, Penalty: 1}.FitClasses(t.Context(), x, code, 2))(t)
			for i, v := range modeltest.Must(f.Average(t.Context(), x))(t) {
				loss += math.Log1p(math.Exp(v)) - v*float64(code[i])
			}
			if !(squares < last && loss < lastLoss) {
				t.Errorf("sampling %d, %d rounds: squares %g after %g, loss %g after %g", sampling, rounds, squares, last, loss,
					lastLoss)
			}
			last, lastLoss = squares, loss
		}
	}
}

// Bits are the same at any number of threads; a forest of a file is the same; rows of weight 0 are
// not seen; classes without rows, one class, constant targets and far targets end well.
func TestBoostedOnDegenerateInput(t *testing.T) {
	x := data.Rows(mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6}))
	code := []int{0, 0, 1, 1, 3, 3}
	g := Growth{Trees: 10}
	one := modeltest.Must(Boosted{Growth: g, Threads: 1}.FitClasses(t.Context(), x, code, 4))(t)
	many := modeltest.Must(Boosted{Growth: g, Threads: 7}.FitClasses(t.Context(), x, code, 4))(t)
	a, b := modeltest.Must(one.Average(t.Context(), x))(t), modeltest.Must(many.Average(t.Context(), x))(t)
	back := modeltest.Must(FromArrays(one.Arrays()))(t)
	if c := modeltest.Must(back.Average(t.Context(), x))(t); !slices.Equal(a, b) || !slices.Equal(a, c) ||
		slices.ContainsFunc(a, func(v float64) bool { return v-v != 0 }) {
		t.Errorf("1 thread %v, 7 threads %v, of a file %v", a, b, c)
	}
	for i, row := 0, 0; row < 6; i, row = i+4, row+1 {
		best := 0
		for c := range 4 {
			if a[i+c] > a[i+best] {
				best = c
			}
		}
		if best != code[row] {
			t.Errorf("row %d: class %d of %v", row, best, a[i:i+4])
		}
	}
	for name, y := range map[string][]float64{"constant": {7, 7, 7, 7, 7, 7},
		"far": {1e12, 1e12 + 1, 1e12 + 2, 1e12 + 3, 1e12 + 4, 1e12 + 5}, "large": {1e140, 0, 0, 0, 0, 1e140}} {
		f := modeltest.Must(Boosted{Growth: Growth{Trees: 300}}.Fit(t.Context(), x, y))(t)
		for i, v := range modeltest.Must(f.Average(t.Context(), x))(t) {
			if math.Abs(v-y[i]) > 1e-12*math.Abs(y[i])+1e-9*(slices.Max(y)-slices.Min(y)) {
				t.Errorf("%s: row %d is %g, want %g", name, i, v, y[i])
			}
		}
	}
	light := modeltest.Must(Boosted{Growth: g, Weights: []float64{1, 1, 1, 1, 1, 0}}.Fit(t.Context(), x,
		[]float64{1, 2, 3, 4, 5, 1e9}))(t)
	short := modeltest.Must(Boosted{Growth: g}.Fit(t.Context(), data.Line([]float64{1, 2, 3, 4, 5}),
		[]float64{1, 2, 3, 4, 5}))(t)
	u, v := modeltest.Must(light.Average(t.Context(), x))(t), modeltest.Must(short.Average(t.Context(), x))(t)
	for i := range u {
		if math.Abs(u[i]-v[i]) > 1e-12 {
			t.Errorf("row %d: %g with a row of weight 0, %g without it", i, u[i], v[i])
		}
	}
	for name, b := range map[string]Boosted{"rate": {Rate: 2}, "negative rate": {Rate: -1},
		"penalty": {Penalty: math.NaN()}, "depth": {Growth: Growth{Depth: -1}}} {
		if _, err := b.Fit(t.Context(), x, make([]float64, 6)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (Boosted{}).Fit(t.Context(), x, make([]float64, 5)); err == nil {
		t.Error("five targets of six rows: no error")
	}
}

// The columns of a large node are looked at by several threads, and the forest is the same to the
// bit: with missing values, categories, columns that are constant, and columns that are equal, of
// which the one drawn first is taken.
func TestBoostedOneOutputAtAnyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x, y, code := make(data.Slice[kernel.Vec], 2400), make([]float64, 2400), make([]int, 2400)
	for i := range x {
		row := make(kernel.Vec, 9)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		row[3], row[4], row[5] = float64(rng.IntN(6)), 7, row[1]
		y[i] = row[0]*row[1] + row[3] + 0.1*rng.NormFloat64()
		if code[i] = 0; y[i] > 2 {
			code[i] = 1
		}
		if rng.IntN(5) == 0 {
			row[2] = math.NaN()
		}
		x[i] = row
	}
	g := Growth{Trees: 8, Missing: true, Categories: []int{3}}
	fit := func(threads int) (numbers, classes map[string]*mat.Dense) {
		b := Boosted{Growth: g, Threads: threads}
		return modeltest.Must(b.Fit(t.Context(), x, y))(t).Arrays(),
			modeltest.Must(b.FitClasses(t.Context(), x, code, 2))(t).Arrays()
	}
	one, two := fit(1)
	for _, threads := range []int{2, 3, 8} {
		numbers, classes := fit(threads)
		if !reflect.DeepEqual(numbers, one) || !reflect.DeepEqual(classes, two) {
			t.Errorf("%d threads grow another forest", threads)
		}
	}
	if len(one["nodes"].RawMatrix().Data) < 8*3*20 {
		t.Error("hardly a tree")
	}
}
