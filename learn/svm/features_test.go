package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// featureCase is points of a kernel with a sparse map, in classes that differ somewhat.
type featureCase struct {
	name   string
	kernel kernel.Kernel[any]
	points func(n, classes int, rng *rand.Rand) (data.Points[any], []int)
}

// lettersOf is texts whose classes prefer some letters.
func lettersOf(apart string) func(n, classes int, rng *rand.Rand) (data.Points[any], []int) {
	return func(n, classes int, rng *rand.Rand) (data.Points[any], []int) {
		x, y := make(data.Slice[string], n), make([]int, n)
		for i := range x {
			y[i] = rng.IntN(classes)
			var parts []string
			for range 3 + rng.IntN(6) {
				letter := rng.IntN(6)
				if rng.IntN(3) == 0 {
					letter = 2 * y[i]
				}
				parts = append(parts, string("abcdefgh"[letter]))
			}
			x[i] = strings.Join(parts, apart)
		}
		return data.Erase(data.Points[string](x)), y
	}
}

func featureCases(t *testing.T) []featureCase {
	t.Helper()
	linear, err := kernel.OnSparse(kernel.Linear{}, 8)
	if err != nil {
		t.Fatal(err)
	}
	counts := func(n, classes int, rng *rand.Rand) (data.Points[any], []int) {
		texts, y := lettersOf("")(n, classes, rng)
		rows := make([]data.SparseVec, n)
		for i := range rows {
			var have [8]float64
			for _, letter := range texts.At(i).(string) {
				have[letter-'a']++
			}
			for j, v := range have {
				if v > 0 {
					rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, v)
				}
			}
		}
		return data.EraseSparse(data.SparseOf(rows, 8)), y
	}
	graphs := func(n, classes int, rng *rand.Rand) (data.Points[any], []int) {
		x, y := make(data.Slice[graph.Graph], n), make([]int, n)
		for i := range x {
			y[i] = rng.IntN(classes)
			nodes := 4 + rng.IntN(5)
			g := graph.Graph{Nodes: nodes}
			for v := range nodes {
				g.NodeLabels = append(g.NodeLabels, rng.IntN(2+y[i]))
				if v > 0 {
					g.Edges = append(g.Edges, [2]int32{int32(rng.IntN(v)), int32(v)})
				}
			}
			x[i] = g
		}
		return data.Erase(data.Points[graph.Graph](x)), y
	}
	return []featureCase{
		{"spectrum", kernel.Erase[string](seq.Spectrum{K: 2}), lettersOf("")},
		{"normalised runs", kernel.Erase(kernel.Normalize[string](seq.Blended{K: 3})), lettersOf("")},
		{"words", kernel.Erase[string](seq.BagOfWords{}), lettersOf(" ")},
		{"a sum and a product", kernel.Erase(kernel.Sum(kernel.Scale[string](0.5, seq.Spectrum{K: 1}),
			kernel.Product[string](seq.Spectrum{K: 1}, kernel.Normalize[string](seq.Spectrum{K: 2})))), lettersOf("")},
		{"polynomial", kernel.Erase(kernel.Power(kernel.Sum(kernel.Scale[string](0.3, seq.BagOfCharacters{}),
			kernel.Constant[string](1)), 2)), lettersOf("")},
		{"linear", kernel.Erase(linear), counts},
		{"graphs", kernel.Erase(kernel.Normalize[graph.Graph](graph.WL{Iterations: 2})), graphs},
	}
}

// By sparse features every machine is the one by K: decision values at points it was fitted to and at
// others, the gap of the objectives, probabilities.
func TestMachinesByFeaturesAreThoseByTheKernel(t *testing.T) {
	ctx := context.Background()
	for _, a := range featureCases(t) {
		t.Run(a.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, uint64(len(a.name))))
			x, y := a.points(120, 3, rng)
			others, _ := a.points(40, 3, rng)
			two, weights := slices.Clone(y), make([]float64, len(y))
			for i := range two {
				two[i], weights[i] = min(y[i], 1), float64(i%4)/2
			}
			o := Options{Tol: 1e-6, MaxIterations: 1 << 30}
			f := featuresOf(t, a.kernel, x)
			for name, c := range map[string]featureClassification{
				"two":     {classification{kernel: a.kernel, c: 0.7, Options: o}, false},
				"small":   {classification{kernel: a.kernel, c: 1e-3, Options: o}, false},
				"weights": {classification{kernel: a.kernel, c: 0.5, Options: o}, false},
				"pairs":   {classification{kernel: a.kernel, c: 0.3, Options: o}, false},
				"rest":    {classification{kernel: a.kernel, c: 0.3, rule: learn.OneVsRest, Options: o}, false},
				"proba":   {classification{kernel: a.kernel, c: 0.3, probability: true, Options: o}, false},
				"no bias": {classification{kernel: a.kernel, c: 0.3, noBias: true, Options: o}, false},
				"squared": {classification{kernel: a.kernel, c: 0.3, Options: o}, true},
			} {
				codes := y
				if name == "two" || name == "small" || name == "weights" {
					codes = two
				}
				var each []float64
				if name == "weights" {
					each = weights
				}
				labels, w, err := fitting.CheckClassification(a.kernel, x, codes, learn.Unbalanced, nil, each)
				if err != nil {
					t.Fatal(err)
				}
				of, machines, _, err := c.fitRows(ctx, f, labels, w, c.nothing(labels), time.Time{})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got := newClassifier(of.Kernel, of, labels.Classes, machines)
				var want *Classifier[any, int]
				if c.squared {
					want, err = PrimalClassification[any, int]{Kernel: a.kernel, C: c.c, Options: Options{Tol: 1e-10}}.Fit(ctx, x,
						codes)
				} else {
					want, err = Classification[any, int]{Kernel: a.kernel, C: c.c, MultiClass: c.rule, Weights: each,
						Probability: c.probability, NoBias: c.noBias, Options: o}.Fit(ctx, x, codes)
				}
				if err != nil {
					t.Fatal(err)
				}
				if !got.Report().Converged || !(math.Abs(got.DualityGap()) < 1e-3) {
					t.Errorf("%s: gap %g, %v", name, got.DualityGap(), got.Report())
				}
				for _, at := range []data.Points[any]{x, others} {
					d, err := got.Decision(ctx, at)
					if err != nil {
						t.Fatal(err)
					}
					e, err := want.Decision(ctx, at)
					if err != nil {
						t.Fatal(err)
					}
					for i := range at.Len() {
						for k := range got.Decisions() {
							if math.Abs(d.At(i, k)-e.At(i, k)) > 1e-4 {
								t.Fatalf("%s: row %d, machine %d: %g, by K %g", name, i, k, d.At(i, k), e.At(i, k))
							}
						}
					}
				}
				if c.probability {
					p, err := got.Proba(ctx, others)
					if err != nil {
						t.Fatal(err)
					}
					q, err := want.Proba(ctx, others)
					if err != nil {
						t.Fatal(err)
					}
					// The folds are dealt in another order: they are near, not the same.
					for i := range others.Len() {
						for k := range 3 {
							if math.Abs(p.At(i, k)-q.At(i, k)) > 0.15 {
								t.Errorf("row %d, class %d: probability %g, by K %g", i, k, p.At(i, k), q.At(i, k))
							}
						}
					}
				}
				if !c.noBias && !c.squared && got.Objectives()[0] > want.Objectives()[0]+1e-4*math.Abs(want.Objectives()[0]) {
					t.Errorf("%s: objective %g, by K %g", name, got.Objectives()[0], want.Objectives()[0])
				}
			}
			values := make([]float64, len(y))
			for i := range values {
				values[i] = 10 + float64(y[i]) + 0.3*rng.NormFloat64()
			}
			for _, r := range []Regression[any]{{Kernel: a.kernel, C: 0.5, Options: o},
				{Kernel: a.kernel, C: 0.2, NoTube: true, Weights: weights, Options: o}} {
				by := regression{kernel: r.Kernel, c: r.C, noTube: r.NoTube, weights: r.Weights, Options: o}
				_, p, held, err := by.programme(x, values)
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := tubeByFeatures(ctx, f, p, held, time.Time{})
				if err != nil {
					t.Fatal(err)
				}
				want, err := r.Fit(ctx, x, values)
				if err != nil {
					t.Fatal(err)
				}
				if !got.Report().Converged || !(math.Abs(got.DualityGap()) < 1e-3) || got.Tube() != want.Tube() {
					t.Errorf("regression: gap %g, tube %g, %v", got.DualityGap(), got.Tube(), got.Report())
				}
				d, err := got.Predict(ctx, others)
				if err != nil {
					t.Fatal(err)
				}
				e, err := want.Predict(ctx, others)
				if err != nil {
					t.Fatal(err)
				}
				for i := range d {
					if math.Abs(d[i]-e[i]) > 1e-4 {
						t.Fatalf("regression: row %d: %g, by K %g", i, d[i], e[i])
					}
				}
			}
		})
	}
}

// featuresOf is the features of points, however few they are.
func featuresOf(t *testing.T, k kernel.Kernel[any], x data.Points[any]) *fitting.SparseFeatures {
	t.Helper()
	f, err := fitting.SparseFeaturesOf(context.Background(), k, x, learn.Resources{})
	if f == nil || err != nil {
		t.Fatal(f, err)
	}
	return f
}

// Through the table of learners a machine of many texts goes by features, says so, keeps weights and
// names alone, has the same bits at any number of threads, and comes back from plain data.
func TestSVMThroughTheTableGoesByFeatures(t *testing.T) {
	ctx := context.Background()
	k := kernel.Erase(kernel.Normalize[string](seq.Blended{K: 2}))
	x, y := lettersOf("")(fitting.SparseFrom, 3, rand.New(rand.NewPCG(1, 1)))
	others, _ := lettersOf("")(30, 3, rand.New(rand.NewPCG(2, 1)))
	values := make([]float64, len(y))
	for i, c := range y {
		values[i] = float64(c)
	}
	classes := learn.Problem[any]{Points: x, Task: data.Multiclass, Y: values, Classes: []string{"a", "b", "c"}}
	numbers := learn.Problem[any]{Points: x, Task: data.Regression, Y: values}
	var svm learn.Learner
	for _, l := range Learners() {
		if l.Name == "svm" {
			svm = l
		}
	}
	for name, c := range map[string]struct {
		p      learn.Problem[any]
		params map[string]float64
	}{
		"classes":       {classes, map[string]float64{"C": 1}},
		"one-vs-rest":   {classes, map[string]float64{"C": 1, "classes": 1}},
		"squared hinge": {classes, map[string]float64{"C": 1, "form": 1}},
		"numbers":       {numbers, map[string]float64{"C": 1, "epsilon": 0.1}},
	} {
		t.Run(name, func(t *testing.T) {
			var first []float64
			for _, threads := range []int{1, 2, 7} {
				s := learn.Settings{Kernel: k, Params: c.params, Proba: name == "classes"}
				s.Threads = threads
				m, err := svm.Fit(ctx, s, c.p)
				if err != nil {
					t.Fatal(err)
				}
				f := m.Func()
				if _, ok := f.Kernel.(*kernel.FeatureSpace); !ok || f.Centers.Len() != f.Outputs() ||
					!strings.Contains(strings.Join(m.Report().Notes, " "), "sparse features") {
					t.Fatalf("it went by %T: %d centres, %q", f.Kernel, f.Centers.Len(), m.Report().Notes)
				}
				values, err := f.Evaluate(ctx, others)
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = values.RawMatrix().Data
				} else if !slices.Equal(first, values.RawMatrix().Data) {
					t.Errorf("other bits at %d threads", threads)
				}
				saved := m.(learn.Saver[any]).Saved()
				again, err := svm.Saved[saved.Learner](saved)
				if err != nil {
					t.Fatal(err)
				}
				back, err := again.Func().Evaluate(ctx, others)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(first, back.RawMatrix().Data) {
					t.Error("other bits after it was restored")
				}
			}
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			if _, err := svm.Fit(ctx, learn.Settings{Kernel: k, Params: c.params}, c.p); err == nil {
				t.Error("a context that had ended was not heeded")
			}
		})
	}
	// What is solved by K keeps weights of features all the same, of the same function.
	by := Classification[any, int]{Kernel: k, Nu: 0.3}
	wantClasses, err := by.Fit(ctx, x, y)
	if err != nil {
		t.Fatal(err)
	}
	wantNumbers, err := Regression[any]{Kernel: k, C: 1, Nu: 0.3}.Fit(ctx, x, values)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    learn.Problem[any]
		want *rkhs.Func[any]
	}{{classes, wantClasses.Func()}, {numbers, wantNumbers.Func()}} {
		m, err := svm.Fit(ctx, learn.Settings{Kernel: k, Params: map[string]float64{"C": 1, "nu": 0.3}}, c.p)
		if err != nil {
			t.Fatal(err)
		}
		if f := m.Func(); f.Centers.Len() != f.Outputs() {
			t.Errorf("%d points are kept", f.Centers.Len())
		}
		got, err := m.Func().Evaluate(ctx, others)
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.want.Evaluate(ctx, others)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want.RawMatrix().Data {
			if math.Abs(v-got.RawMatrix().Data[i]) > 1e-10*max(1, math.Abs(v)) {
				t.Fatalf("%v: value %d is %g, by K %g", c.p.Task, i, got.RawMatrix().Data[i], v)
			}
		}
	}
}

// The cells of a search by features are judged as fits of each by itself.
func TestCellsByFeatures(t *testing.T) {
	x, y := lettersOf("")(fitting.SparseFrom, 2, rand.New(rand.NewPCG(3, 1)))
	values := make([]float64, len(y))
	for i, c := range y {
		values[i] = float64(c)
	}
	for _, task := range []data.Task{data.Binary, data.Regression} {
		p := learn.Problem[any]{Points: x, Task: task, Y: values}
		if task == data.Binary {
			p.Classes = []string{"a", "b"}
		}
		folds := make([]data.Fold, 2)
		for i := range y {
			folds[i%2].Test = append(folds[i%2].Test, i)
			folds[1-i%2].Train = append(folds[1-i%2].Train, i)
		}
		c := &learn.Cells{
			Problem: p, Kernel: kernel.Erase(kernel.Normalize[string](seq.Blended{K: 2})), Folds: folds, Threads: 2,
			Bytes:  1 << 20,
			Params: []map[string]float64{{"C": 1, "epsilon": 0.1}, {"C": 0.1, "epsilon": 0.1}, {"C": 1, "epsilon": 0.3}},
			Alive:  func(int, int) bool { return true }, Doubt: func(int, float64) {},
		}
		got := make([]learn.Predictions, len(c.Params)*len(folds))
		c.Judge = func(cell, fold int, p learn.Predictions) { got[cell*len(folds)+fold] = p }
		if !cellsByFeatures(c) {
			t.Fatal("where the matrix has no room, the cells do not go by features")
		}
		if err := judgeCells(context.Background(), c); err != nil {
			t.Fatal(err)
		}
		for cell := range c.Params {
			for fold, f := range folds {
				m, err := fitSettings(context.Background(), c.Settings(cell, c.Kernel, 1), p.Gather(f.Train))
				if err != nil {
					t.Fatal(err)
				}
				want, err := learn.PredictKnown(context.Background(), m, p.ClassCount(), p.Gather(f.Test))
				if err != nil {
					t.Fatal(err)
				}
				have := got[cell*len(folds)+fold]
				for i := range want.Class {
					if score := have.Score[2*i+1]; have.Class[i] != want.Class[i] && math.Abs(score) > 5e-3 {
						t.Errorf("cell %d, fold %d: row %d is of class %d at %g, not %d", cell, fold, i, have.Class[i], score,
							want.Class[i])
					}
				}
				for i, v := range want.Value {
					if math.Abs(have.Value[i]-v) > 5e-3 {
						t.Errorf("cell %d, fold %d: row %d has %g, not %g", cell, fold, i, have.Value[i], v)
					}
				}
			}
		}
	}
}
