package all

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// use is one thing a model can be asked for, in both shapes: new returns how many rows it got, to
// writes into a destination with room for the given number of rows.
type use struct {
	name string
	new  func(ctx context.Context, x data.Points[kernel.Vec]) (int, error)
	to   func(ctx context.Context, rows int, x data.Points[kernel.Vec]) error
	// rows is what is said about each point, as text that tells every bit.
	rows func(ctx context.Context, x data.Points[kernel.Vec]) ([]string, error)
}

// column is a use that has a value for each point.
func column[R any](
	name string, f func(context.Context, data.Points[kernel.Vec]) ([]R, error),
	to func(context.Context, []R, data.Points[kernel.Vec]) error,
) use {
	return use{name,
		func(ctx context.Context, x data.Points[kernel.Vec]) (int, error) {
			v, err := f(ctx, x)
			if err != nil && v != nil {
				return 0, errors.New("values beside an error")
			}
			return len(v), err
		},
		func(ctx context.Context, rows int, x data.Points[kernel.Vec]) error {
			return to(ctx, make([]R, rows), x)
		},
		func(ctx context.Context, x data.Points[kernel.Vec]) (rows []string, err error) {
			v, err := f(ctx, x)
			for _, r := range v {
				rows = append(rows, fmt.Sprint(r))
			}
			return rows, err
		}}
}

// matrix is a use that has a row of columns values for each point.
func matrix(
	name string, columns int, f func(context.Context, data.Points[kernel.Vec]) (*mat.Dense, error),
	to func(context.Context, *mat.Dense, data.Points[kernel.Vec]) error,
) use {
	return use{name,
		func(ctx context.Context, x data.Points[kernel.Vec]) (int, error) {
			m, err := f(ctx, x)
			if err != nil {
				if m != nil {
					err = errors.New("values beside an error")
				}
				return 0, err
			}
			rows, _ := m.Dims()
			return rows, nil
		},
		func(ctx context.Context, rows int, x data.Points[kernel.Vec]) error {
			dst := new(mat.Dense)
			if rows > 0 {
				dst = mat.NewDense(rows, columns, nil)
			}
			return to(ctx, dst, x)
		},
		func(ctx context.Context, x data.Points[kernel.Vec]) (rows []string, err error) {
			m, err := f(ctx, x)
			if err != nil {
				return nil, err
			}
			for i := range x.Len() {
				rows = append(rows, fmt.Sprint(m.RawRowView(i)))
			}
			return rows, nil
		}}
}

type points = data.Points[kernel.Vec]

// usesOf lists what a model can be asked for.
func usesOf(m learn.Model[kernel.Vec]) (out []use) {
	decision, classes := 1, 2
	if c, ok := m.(learn.Classifier[kernel.Vec, string]); ok {
		decision, classes = c.Decisions(), len(c.Classes())
		out = append(out, column("Predict", c.Predict, c.PredictTo))
	}
	switch p := m.(type) {
	case learn.Classifier[kernel.Vec, bool]:
		out = append(out, column("Predict", p.Predict, p.PredictTo))
	case learn.Regressor[kernel.Vec]:
		out = append(out, column("Predict", p.Predict, p.PredictTo))
	}
	if d, ok := m.(interface {
		Decision(context.Context, points) (*mat.Dense, error)
		DecisionTo(context.Context, *mat.Dense, points) error
	}); ok {
		out = append(out, matrix("Decision", decision, d.Decision, d.DecisionTo))
	}
	if p, ok := m.(learn.Probabilistic[kernel.Vec]); ok && p.HasProba() {
		out = append(out, matrix("Proba", classes, p.Proba, p.ProbaTo))
	}
	if p, ok := m.(learn.Uncertain[kernel.Vec]); ok {
		out = append(out, column("Std", p.Std, p.StdTo), column("ObservationStd", p.ObservationStd, p.ObservationStdTo))
	}
	if v, ok := m.(interface {
		Variance(context.Context, points) ([]float64, error)
		VarianceTo(context.Context, []float64, points) error
	}); ok {
		out = append(out, column("Variance", v.Variance, v.VarianceTo))
	}
	if v, ok := m.(interface {
		Variance(context.Context, points) (*mat.Dense, error)
		VarianceTo(context.Context, *mat.Dense, points) error
	}); ok {
		out = append(out, matrix("Variance", decision, v.Variance, v.VarianceTo))
	}
	if v, ok := m.(interface {
		Votes(context.Context, points) (*mat.Dense, error)
		VotesTo(context.Context, *mat.Dense, points) error
	}); ok {
		out = append(out, matrix("Votes", decision, v.Votes, v.VotesTo))
	}
	if v, ok := m.(*ridge.Regressor[kernel.Vec]); ok {
		out = append(out, matrix("PredictMulti", v.Func().Outputs(), v.PredictMulti, v.PredictMultiTo))
	}
	return out
}

// fittedToUse is every learner, fitted: classifiers to two and to three classes, regressions, the
// detector and a calibrated classifier. Points have two coordinates, but those of the spline, which
// has one.
func fittedToUse(t *testing.T) map[string]learn.Model[kernel.Vec] {
	t.Helper()
	if keptToUse == nil {
		keptToUse = fitToUse(t)
	}
	return keptToUse
}

var keptToUse map[string]learn.Model[kernel.Vec] // of the first test that asks

func fitToUse(t *testing.T) map[string]learn.Model[kernel.Vec] {
	t.Helper()
	out := map[string]learn.Model[kernel.Vec]{}
	k := kernel.Gaussian{Lengthscale: 1}
	keep := func(name string, m learn.Model[kernel.Vec], err error) {
		t.Helper()
		if err != nil {
			t.Fatal(name, err)
		}
		out[name] = m
	}
	for suffix, classes := range map[string]int{" of 2": 2, " of 3": 3} {
		x, code := learntest.Blobs(40, 2, classes, 0.7, 88)
		label := make([]string, len(code))
		for i, c := range code {
			label[i] = []string{"ash", "birch", "cedar"}[c]
		}
		for name, fit := range classMachines[kernel.Vec, string]() {
			m, err := fit(t.Context(), k, fitOptions[string]{}, data.Rows(x), label)
			keep(name+suffix, m, err)
		}
	}
	x, y := learntest.Wave(40, 2, 89)
	for name, fit := range valueMachines[kernel.Vec]() {
		if name == "smoothing spline" {
			continue // in this table it is given the first of several coordinates
		}
		m, err := fit(t.Context(), k, fitOptions[int]{}, data.Rows(x), y)
		keep(name, m, err)
	}
	spline, err := ridge.Spline{}.Fit(t.Context(), firstOf(data.Rows(x)), y)
	keep("smoothing spline", spline, err)
	detector, err := svm.OneClass[kernel.Vec]{Kernel: k, Nu: 0.3}.Fit(t.Context(), data.Rows(x))
	keep("one-class", detector, err)
	return out
}

// TestRowsStandAlone: what a model says about a point has the same bits in any company.
func TestRowsStandAlone(t *testing.T) {
	for name, m := range fittedToUse(t) {
		dim := 2
		if name == "smoothing spline" {
			dim = 1
		}
		x, _ := learntest.Wave(70, dim, 5)
		rows := data.Rows(x)
		rows.At(69)[0] = 1e3 // far from all others
		for _, u := range usesOf(m) {
			whole, err := u.rows(t.Context(), rows)
			if err != nil {
				t.Fatalf("%s %s: %v", name, u.name, err)
			}
			for _, size := range []int{1, 2, 3, 7, 16, 33} {
				for start := 0; start+size <= 70; start += max(size, 11) {
					index := make([]int, size)
					for i := range index {
						index[i] = start + i
					}
					part, err := u.rows(t.Context(), data.Gather(data.Points[kernel.Vec](rows), index))
					if err != nil {
						t.Fatalf("%s %s: %v", name, u.name, err)
					}
					if !slices.Equal(part, whole[start:start+size]) {
						t.Errorf("%s %s: rows %d to %d alone are %v, among others %v", name, u.name, start, start+size-1, part[:1],
							whole[start:start+1])
						size, start = 100, 100
					}
				}
			}
		}
	}
}

// TestUseIsChecked: whatever is wrong with points, context or destination is an error that names
// the row where there is one, of every learner and everything it can be asked for; nothing panics.
func TestUseIsChecked(t *testing.T) {
	for name, m := range fittedToUse(t) {
		dim := 2
		if name == "smoothing spline" {
			dim = 1
		}
		at := func(v ...float64) kernel.Vec { return append(kernel.Vec{0.25, 0.5}[:dim-1:dim-1], v...) }
		good := data.Slice[kernel.Vec]{at(0.1), at(0.2), at(0.3)}
		bad := map[string]struct {
			x    points
			says string
		}{
			"a coordinate more": {data.Slice[kernel.Vec]{at(0.1), at(0.2), at(0.3, 0.4)}, "row 2"},
			"a coordinate less": {data.Slice[kernel.Vec]{at(0.1), at(), at(0.3)}, "row 1"},
			"all rows longer":   {data.Slice[kernel.Vec]{at(0.1, 1), at(0.2, 1)}, "row 0"},
			"no coordinates":    {data.Slice[kernel.Vec]{at(0.1), kernel.Vec{}}, "row 1"},
			"nil row":           {data.Slice[kernel.Vec]{at(0.1), nil}, "row 1"},
			"NaN":               {data.Slice[kernel.Vec]{at(0.1), at(math.NaN()), at(0.3)}, "row 1"},
			"+Inf":              {data.Slice[kernel.Vec]{at(0.1), at(0.2), at(math.Inf(1))}, "row 2"},
			"-Inf":              {data.Slice[kernel.Vec]{at(math.Inf(-1))}, "row 0"},
			"nil points":        {nil, "nil"},
		}
		for _, u := range usesOf(m) {
			what := name + " " + u.name
			if n, err := u.new(t.Context(), good); err != nil || n != 3 {
				t.Errorf("%s: %d rows of 3, error %v", what, n, err)
			}
			if err := u.to(t.Context(), 3, good); err != nil {
				t.Errorf("%sTo: %v", what, err)
			}
			for problem, c := range bad {
				n := 0
				if c.x != nil {
					n = c.x.Len()
				}
				if _, err := u.new(t.Context(), c.x); err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s, %s: error %v, want one that says %q", what, problem, err, c.says)
				}
				if err := u.to(t.Context(), n, c.x); err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%sTo, %s: error %v, want one that says %q", what, problem, err, c.says)
				}
			}
			// No points are no mistake: there is nothing to say about them.
			nothing := data.Slice[kernel.Vec]{}
			if n, err := u.new(t.Context(), nothing); err != nil || n != 0 {
				t.Errorf("%s of no points: %d rows, error %v", what, n, err)
			}
			if err := u.to(t.Context(), 0, nothing); err != nil {
				t.Errorf("%sTo of no points: %v", what, err)
			}
			for _, rows := range []int{0, 2, 4} {
				if err := u.to(t.Context(), rows, good); err == nil || !strings.Contains(err.Error(), "destination") {
					t.Errorf("%sTo with room for %d of 3: error %v", what, rows, err)
				}
			}
			if err := u.to(t.Context(), 2, nothing); err == nil {
				t.Errorf("%sTo with room for 2 of 0: no error", what)
			}
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := u.new(gone, good); !errors.Is(err, context.Canceled) {
				t.Errorf("%s after the end of the context: %v", what, err)
			}
			if err := u.to(gone, 3, good); !errors.Is(err, context.Canceled) {
				t.Errorf("%sTo after the end of the context: %v", what, err)
			}
		}
		matrixDestinations(t, name, m, good)
	}
}

// matrixDestinations: a destination of another width, or none at all, is refused.
func matrixDestinations(t *testing.T, name string, m learn.Model[kernel.Vec], x points) {
	t.Helper()
	to := map[string]func(context.Context, *mat.Dense, points) error{}
	if d, ok := m.(interface {
		DecisionTo(context.Context, *mat.Dense, points) error
	}); ok {
		to["DecisionTo"] = d.DecisionTo
	}
	if p, ok := m.(learn.Probabilistic[kernel.Vec]); ok && p.HasProba() {
		to["ProbaTo"] = p.ProbaTo
	} else if ok {
		if err := p.ProbaTo(t.Context(), mat.NewDense(3, 2, nil), x); !errors.Is(err, learn.ErrNoProba) {
			t.Errorf("%s was fitted without probabilities: error %v", name, err)
		}
	}
	for what, f := range to {
		for _, dst := range []*mat.Dense{nil, mat.NewDense(3, 9, nil)} {
			if err := f(t.Context(), dst, x); err == nil || !strings.Contains(err.Error(), "destination") {
				t.Errorf("%s %s with a destination %T of another width: %v", name, what, dst, err)
			}
		}
	}
}

// allocates is how often a prediction of one row may allocate, where it is not at all: machines
// whose labels are copied or whose votes are counted, and models that are no expansion in kernel
// functions.
var allocates = []struct {
	prefix string
	most   float64
}{
	{"nw local", 60}, {"knn", 44}, {"gp classifier of 3", 50}, {"svgp of 3", 66}, {"smoothing spline", 4},
	{"thin plate", 50}, {"rvm classifier of 3", 36}, {"svc probability of 3", 12},
	{"linear svc", 2}, {"linear perceptron", 2}, {"voted linear perceptron", 2},
	{"c-svc", 1}, {"nu-svc", 1}, {"svc", 1}, {"primal svc", 1}, {"hard margin", 1}, {"one-class", 1},
}

func mostAllocations(name string) float64 {
	for _, a := range allocates {
		if strings.HasPrefix(name, a.prefix) {
			return a.most
		}
	}
	return 0
}

// A restored model, whose function comes from a file and was never used, is asked for one row at no
// other price.
func TestRestoredModelsAllocateAsLittle(t *testing.T) {
	if datatest.Race {
		t.Skip("allocations are not counted under the race detector")
	}
	one := data.Erase[kernel.Vec](data.Rows(mat.NewDense(1, 2, []float64{0.1, 0.2})))
	restored := 0
	for name, m := range fittedToUse(t) {
		saver, ok := m.(interface {
			Saved() learn.Saved[kernel.Vec]
		})
		if !ok || name == "smoothing spline" {
			continue
		}
		s := saver.Saved()
		s.Func = &rkhs.Func[kernel.Vec]{Kernel: s.Func.Kernel, Centers: s.Func.Centers, Coef: s.Func.Coef, Bias: s.Func.Bias}
		r, err := Restore(s.Erase())
		if err != nil {
			t.Fatal(name, err)
		}
		restored++
		var predict func() error
		switch p := r.(type) {
		case learn.Classifier[any, int]:
			dst := make([]int, 1)
			predict = func() error { return p.PredictTo(t.Context(), dst, one) }
		case learn.Regressor[any]:
			dst := make([]float64, 1)
			predict = func() error { return p.PredictTo(t.Context(), dst, one) }
		default:
			t.Fatalf("%s predicts nothing", name)
		}
		// A class of machines that calibrates its scores asks through one more layer, which copies
		// the labels.
		if n := testing.AllocsPerRun(20, func() {
			if err := predict(); err != nil {
				t.Fatal(name, err)
			}
		}); n > mostAllocations(name)+1 {
			t.Errorf("%s, restored: %g allocations for one row, want at most %g", name, n, mostAllocations(name)+1)
		}
	}
	if restored < 20 {
		t.Errorf("%d models were restored", restored)
	}
}

// TestUseLeavesNothingBehind: a service predicts row after row; one prediction allocates nothing,
// or little, and that does not grow with those before it.
func TestUseLeavesNothingBehind(t *testing.T) {
	if datatest.Race {
		t.Skip("allocations are not counted under the race detector")
	}
	const runs = 40
	for name, m := range fittedToUse(t) {
		var one data.Points[kernel.Vec] = data.Rows(mat.NewDense(1, 2, []float64{0.1, 0.2}))
		if name == "smoothing spline" {
			one = data.Line([]float64{0.1})
		}
		var predict func() error
		switch p := m.(type) {
		case learn.Classifier[kernel.Vec, string]:
			dst := make([]string, 1)
			predict = func() error { return p.PredictTo(t.Context(), dst, one) }
		case learn.Classifier[kernel.Vec, bool]:
			dst := make([]bool, 1)
			predict = func() error { return p.PredictTo(t.Context(), dst, one) }
		case learn.Regressor[kernel.Vec]:
			dst := make([]float64, 1)
			predict = func() error { return p.PredictTo(t.Context(), dst, one) }
		default:
			t.Fatalf("%s predicts nothing", name)
		}
		f := func() {
			if err := predict(); err != nil {
				t.Fatal(name, err)
			}
		}
		first := testing.AllocsPerRun(runs, f)
		bytes := bytesPerRun(runs, f)
		for range 10 * runs {
			f()
		}
		later := testing.AllocsPerRun(runs, f)
		// The average is cut to a whole number, and a collection between may empty a pool.
		if later > first+1 {
			t.Errorf("%s: %g allocations at first, %g after %d predictions", name, first, later, 10*runs)
		}
		if most := mostAllocations(name); later > most {
			t.Errorf("%s: %g allocations for one row, want at most %g", name, later, most)
		}
		if bytes > 32<<10 {
			t.Errorf("%s: %d bytes for one row of a model of 40 points", name, bytes)
		}
		t.Logf("%-30s %3g allocations, %6d bytes", name, later, bytes)
	}
}

func bytesPerRun(runs int, f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / uint64(runs)
}
