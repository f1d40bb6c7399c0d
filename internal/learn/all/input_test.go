package all

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// TestMachinesOnDegenerateInput: what cannot be learnt from is refused with what
// and where; all else gives a model whose predictions are numbers.
func TestMachinesOnDegenerateInput(t *testing.T) {
	ctx := context.Background()
	rows := func(d int, at func(i, j int) float64) data.Points[kernel.Vec] {
		m := mat.NewDense(12, d, nil)
		for i := range 12 {
			for j := range d {
				m.Set(i, j, at(i, j))
			}
		}
		return data.Rows(m)
	}
	wavy := func(i, j int) float64 { return math.Sin(float64(3*i + 5*j)) }
	code, y := make([]int, 12), make([]float64, 12)
	for i := range y {
		code[i], y[i] = i%2, math.Cos(float64(i))
	}
	nan := slices.Clone(y)
	nan[7] = math.NaN()
	nothing := data.Points[kernel.Vec](data.Slice[kernel.Vec]{})
	empty := make(data.Slice[kernel.Vec], 12)
	for i := range empty {
		empty[i] = kernel.Vec{}
	}
	mayFit := func(error) bool { return true } // but if it fits, its predictions are finite
	says := func(words ...string) func(error) bool {
		return func(err error) bool {
			ok := err != nil
			for _, w := range words {
				ok = ok && strings.Contains(err.Error(), w)
			}
			return ok
		}
	}
	is := func(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }
	fits := func(err error) bool { return err == nil }
	twoPlaces, onALine := says("two different"), says("lie on a line")
	splineRow := map[string]func(error) bool{"smoothing spline": says("row 5")}
	cases := []struct {
		name   string
		x      data.Points[kernel.Vec]
		code   []int
		y      []float64
		ok     func(error) bool // of classifiers
		okReg  func(error) bool // of regressions; nil: as ok
		except map[string]func(error) bool
	}{
		{"no points", nothing, nil, nil, is(learn.ErrNoPoints), nil, nil},
		{"nil points", nil, nil, nil, is(learn.ErrNoPoints), nil, nil},
		{"one point", data.Gather(rows(2, wavy), []int{0}), code[:1], y[:1], is(learn.ErrOneClass), fits,
			map[string]func(error) bool{"smoothing spline": twoPlaces, "thin plate": says("1 points for the 3")}},
		{"one class", rows(2, wavy), make([]int, 12), y, is(learn.ErrOneClass), fits, nil},
		{"constant targets", rows(2, wavy), code, make([]float64, 12), fits, nil, nil},
		{"constant column", rows(2, func(i, j int) float64 { return float64(j) * wavy(i, j) }), code, y, fits, nil,
			// it looks at the first column, the constant one
			map[string]func(error) bool{"smoothing spline": twoPlaces, "thin plate": onALine}},
		{"all points the same", rows(2, func(i, j int) float64 { return 1 }), code, y, fits, nil,
			map[string]func(error) bool{"interpolation": says("positive definite", "duplicate"),
				"hard margin": says("not separable"), "smoothing spline": twoPlaces, "thin plate": onALine}},
		{"duplicate rows", rows(2, func(i, j int) float64 { return wavy(i/2, j) }), code, y, fits, nil,
			map[string]func(error) bool{"interpolation": says("positive definite", "duplicate"),
				"hard margin": says("not separable")}},
		{"more columns than rows", rows(40, wavy), code, y, fits, nil,
			map[string]func(error) bool{"thin plate": says("use fewer columns")}},
		{"no columns", empty, code, y, mayFit, nil, nil},
		{"NaN", rows(2, func(i, j int) float64 {
			if i == 5 && j == 0 {
				return math.NaN()
			}
			return wavy(i, j)
		}), code, y, says("row 5", "column 0"), nil, splineRow},
		{"infinite", rows(2, func(i, j int) float64 {
			if i == 5 && j == 0 {
				return math.Inf(-1)
			}
			return wavy(i, j)
		}), code, y, says("row 5", "column 0"), nil, splineRow},
		{"NaN target", rows(2, wavy), code, nan, fits, says("row 7"), nil},
		{"huge target", rows(2, wavy), code, []float64{1e308, -1e308, 1e308, 0, 0, 0, 0, 0, 0, 0, 0, 0}, fits,
			says("row 0", "scale"), nil},
		{"1e308", rows(2, func(i, j int) float64 { return 1e308 * wavy(i, j) }), code, y, mayFit, nil, nil},
		{"1e-308", rows(2, func(i, j int) float64 { return 1e-308 * wavy(i, j) }), code, y, mayFit, nil, nil},
		{"too few labels", rows(2, wavy), code[:11], y[:11], says("12 points", "11"), nil, nil},
	}
	regressions := valueMachines[kernel.Vec]()
	for _, k := range []kernel.Kernel[kernel.Vec]{kernel.Gaussian{}, kernel.Polynomial{Offset: 1}} {
		for name, fit := range allMachines[kernel.Vec]() {
			for _, c := range cases {
				ok := c.ok
				if _, regression := regressions[name]; regression && c.okReg != nil {
					ok = c.okReg
				}
				if special := c.except[name]; special != nil {
					ok = special
				}
				_, smooth := k.(kernel.Gaussian)
				if !smooth && name == "interpolation" {
					ok = mayFit // the matrix of the polynomial kernel is singular
				}
				m, err := fit(ctx, k, fitOptions[int]{}, c.x, c.code, c.y)
				if !ok(err) {
					t.Errorf("%s, %T, %s: error %v", name, k, c.name, err)
				}
				if err == nil && !learntest.Finite(m.predict(t, c.x)) {
					t.Errorf("%s, %T, %s: predictions %v", name, k, c.name, m.predict(t, c.x))
				}
				if err == nil && (m.Report().Learner == "" || m.Report().Certified == "") {
					t.Errorf("%s: report %+v", name, m.Report())
				}
			}
			if linear[name] || name == "smoothing spline" || name == "thin plate" || strings.HasPrefix(name, "forest") {
				continue // has no kernel, or its own
			}
			if _, err := fit(ctx, nil, fitOptions[int]{}, rows(2, wavy), code, y); err == nil {
				t.Errorf("%s: no kernel was accepted", name)
			}
		}
	}
}

type colour string

// TestMachinesTakeAnyOrderedLabels: strings, floats, bytes and named types give
// the classes of the codes, and a weight for a class that is not there is no mistake.
func TestMachinesTakeAnyOrderedLabels(t *testing.T) {
	ctx := context.Background()
	x, code := learntest.Blobs(60, 2, 3, 1, 81)
	k := kernel.Gaussian{Lengthscale: 0.7} // narrow, so that a hard margin is found soon
	p := data.Rows(x)
	for name, fit := range classMachines[kernel.Vec, int]() {
		weights := map[int]float64{0: 1, 1: 2, 9: 5}
		m, err := fit(ctx, k, fitOptions[int]{class: weights}, p, code)
		if err != nil {
			t.Fatal(name, err)
		}
		want := modeltest.Predict(t, m, p)
		if !slices.Equal(m.Classes(), []int{0, 1, 2}) {
			t.Errorf("%s: classes %v", name, m.Classes())
		}
		sameAs(t, name, want, classMachines[kernel.Vec, string]()[name], k, p, code, []string{"ash", "birch", "cedar"},
			weights)
		sameAs(t, name, want, classMachines[kernel.Vec, float64]()[name], k, p, code, []float64{-0.5, 0, math.Inf(1)},
			weights)
		sameAs(t, name, want, classMachines[kernel.Vec, uint8]()[name], k, p, code, []uint8{1, 2, 255}, weights)
		sameAs(t, name, want, classMachines[kernel.Vec, colour]()[name], k, p, code, []colour{"blue", "green", "red"},
			weights)
	}
	for name, fit := range classMachines[kernel.Vec, float64]() {
		y := make([]float64, 60)
		y[0], y[4] = 1, math.NaN()
		if _, err := fit(ctx, k, fitOptions[float64]{}, p, y); err == nil || !strings.Contains(err.Error(), "row 4") {
			t.Errorf("%s: a NaN label: %v", name, err)
		}
	}
}

func sameAs[L interface {
	~string | ~float64 | ~uint8
}](t *testing.T, name string, want []int, fit classFit[kernel.Vec, L], k kernel.Kernel[kernel.Vec],
	x data.Points[kernel.Vec], code []int, labels []L, weights map[int]float64) {
	t.Helper()
	y := make([]L, len(code))
	for i, c := range code {
		y[i] = labels[c]
	}
	class := map[L]float64{labels[0]: weights[0], labels[1]: weights[1]}
	m, err := fit(context.Background(), k, fitOptions[L]{class: class}, x, y)
	if err != nil {
		t.Errorf("%s, %T: %v", name, labels, err)
		return
	}
	for i, v := range modeltest.Predict(t, m, x) {
		if v != labels[want[i]] {
			t.Errorf("%s, %T: point %d is %v, by codes %v", name, labels, i, v, labels[want[i]])
			return
		}
	}
}

// TestMachineWeights: bad weights are refused with their row, and a point of
// weight 0 is as good as not there.
func TestMachineWeights(t *testing.T) {
	ctx := context.Background()
	x, code := learntest.Blobs(60, 2, 2, 1, 82)
	y := make([]float64, 60)
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)) + 0.2*float64(i%5)
	}
	k := kernel.Gaussian{Lengthscale: 2}
	all, keep := data.Rows(x), par.Indices(0, 45)
	few := data.Gather(data.Points[kernel.Vec](all), keep)
	// Neighbours keep their place without a vote; centres are drawn from all
	// points, and the functions k(x, ·) of vector machines are those of all
	// points (their weights are in TestVectorMachinesAreOptimal).
	other := map[string]bool{"knn": true, "knn classifier": true, "rbf random": true}
	for name, fit := range allMachines[kernel.Vec]() {
		if unweighted[name] {
			continue
		}
		for _, bad := range []struct {
			w    []float64
			says string
		}{{make([]float64, 59), "59"}, {make([]float64, 60), "0"}, {learntest.WeightsWith(60, 3, -1), "row 3"},
			{learntest.WeightsWith(60, 8, math.NaN()), "row 8"}, {learntest.WeightsWith(60, 8, math.Inf(1)), "row 8"}} {
			if _, err := fit(ctx, k, fitOptions[int]{sample: bad.w}, all, code, y); err == nil ||
				!strings.Contains(err.Error(), bad.says) {
				t.Errorf("%s: weights %v: error %v", name, bad.w[:10], err)
			}
		}
		if other[name] || strings.Contains(name, "vm") || strings.Contains(name, "rbf") {
			continue
		}
		w := learntest.WeightsWith(60, 0, 1)
		for i := 45; i < 60; i++ {
			w[i] = 0
		}
		if strings.Contains(name, "perceptron") || strings.HasPrefix(name, "norma") {
			// The order of examples is drawn for 60 points or for 45.
			if name == "voted perceptron" || name == "norma hinge" || name == "norma tube" {
				continue
			}
		}
		if name == "features hinge" || name == "features logistic" {
			continue // likewise
		}
		a, err := fit(ctx, k, fitOptions[int]{sample: w}, all, code, y)
		if err != nil {
			t.Fatal(name, err)
		}
		b, err := fit(ctx, k, fitOptions[int]{}, few, code[:45], y[:45])
		if err != nil {
			t.Fatal(name, err)
		}
		tol := 1e-9
		if strings.Contains(name, "sv") {
			tol = 1e-5 // what their stopping rule of 1e-6 leaves
		}
		if strings.HasPrefix(name, "representer") {
			tol = 1e-6 // a gap of 1e-13 bounds the square of the difference
		}
		pa, pb := a.predict(t, all), b.predict(t, all)
		for i := range pa {
			if math.Abs(pa[i]-pb[i]) > tol*(1+math.Abs(pb[i])) {
				t.Errorf("%s: weight 0 predicts %g at %d, without the points %g", name, pa[i], i, pb[i])
				break
			}
		}
	}
}

// TestClassWeightsMoveTheBoundary: a class that weighs more is predicted at
// least as often, where weights mean anything.
func TestClassWeightsMoveTheBoundary(t *testing.T) {
	x, code := learntest.Blobs(80, 2, 2, 2.5, 83)
	p, k := data.Rows(x), kernel.Gaussian{Lengthscale: 2}
	names := slices.Sorted(maps.Keys(classMachines[kernel.Vec, int]()))
	for _, name := range names {
		if classless[name] || strings.Contains(name, "perceptron") || strings.HasPrefix(name, "norma") {
			continue // no class weights; an online pass is not monotone in them
		}
		count := func(w float64) (n int) {
			m, err := classMachines[kernel.Vec, int]()[name](context.Background(), k,
				fitOptions[int]{class: map[int]float64{1: w}}, p, code)
			if err != nil {
				t.Fatal(name, err)
			}
			for _, c := range modeltest.Predict(t, m, p) {
				n += c
			}
			return n
		}
		if low, high := count(0.1), count(10); low >= high {
			t.Errorf("%s: class 1 is predicted %d times at weight 0.1 and %d at 10", name, low, high)
		}
	}
}
