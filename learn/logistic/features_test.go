package logistic

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Through the table of learners logistic regression of many texts goes by features, says so, and is
// the one by K: scores and probabilities at other points, the objective; the same bits at any number
// of threads and after it was restored.
func TestLogisticByFeaturesIsThatByTheKernel(t *testing.T) {
	ctx := context.Background()
	k := kernel.Normalize[string](seq.Blended{K: 2})
	rng := rand.New(rand.NewPCG(5, 5))
	texts, y, weights := make(data.Slice[string], fitting.SparseFrom), make([]float64, fitting.SparseFrom),
		make([]float64, fitting.SparseFrom)
	for i := range texts {
		class := rng.IntN(3)
		y[i], weights[i] = float64(class), float64(rng.IntN(3))
		for range 3 + rng.IntN(5) {
			letter := rng.IntN(6)
			if rng.IntN(3) == 0 {
				letter = 2 * class
			}
			texts[i] += string("abcdef"[letter])
		}
	}
	others := data.Erase(data.Points[string](data.Slice[string]{"abc", "ccc", "", "xyz", "eefa", "aab"}))
	three := learn.Problem[any]{Points: data.Erase(data.Points[string](texts)), Task: data.Multiclass, Y: y,
		Classes: []string{"a", "b", "c"}}
	two := three
	two.Task, two.Classes, two.Y, two.Weights = data.Binary, two.Classes[:2], slices.Clone(y), weights
	for i := range two.Y {
		two.Y[i] = min(two.Y[i], 1)
	}
	for name, p := range map[string]learn.Problem[any]{"two": two, "three": three} {
		for _, intercept := range []float64{0, 1} { // 1: no
			var first []float64
			for _, threads := range []int{1, 2, 7} {
				s := learn.Settings{Kernel: kernel.Erase(k), Params: map[string]float64{"lambda": 0.3, "intercept": intercept}}
				s.Threads = threads
				m, err := Learners()[0].Fit(ctx, s, p)
				if err != nil {
					t.Fatal(err)
				}
				got := m.(*Classifier[any, int])
				if n := m.Func().Centers.Len(); n != m.Func().Outputs() ||
					!strings.Contains(strings.Join(m.Report().Notes, " "), "sparse features") {
					t.Fatalf("%s: %d centres, %q", name, n, m.Report().Notes)
				}
				f, err := got.Decision(ctx, others)
				if err != nil {
					t.Fatal(err)
				}
				if first != nil {
					if !slices.Equal(first, f.RawMatrix().Data) {
						t.Errorf("%s: other bits at %d threads", name, threads)
					}
					continue
				}
				first = f.RawMatrix().Data
				want, err := Regression[string, int]{Kernel: hidden{k}, Lambda: 0.3, Intercept: intercept == 0, Weights: p.Weights,
					Method: Truncated}.Fit(ctx, texts, p.Codes())
				if err != nil {
					t.Fatal(err)
				}
				if a, b := m.Report().Objective, want.Report().Objective; math.Abs(a-b) > 1e-8*math.Abs(b) {
					t.Errorf("%s: objective %g, by K %g", name, a, b)
				}
				plain, _ := data.Typed[string](others)
				g, err := want.Decision(ctx, plain)
				if err != nil {
					t.Fatal(err)
				}
				a, err := got.Proba(ctx, others)
				if err != nil {
					t.Fatal(err)
				}
				b, err := want.Proba(ctx, plain)
				if err != nil {
					t.Fatal(err)
				}
				for i := range others.Len() {
					for c := range got.Decisions() {
						if math.Abs(f.At(i, c)-g.At(i, c)) > 1e-6 {
							t.Errorf("%s, row %d: score %g, by K %g", name, i, f.At(i, c), g.At(i, c))
						}
					}
					if math.Abs(a.At(i, 1)-b.At(i, 1)) > 1e-6 {
						t.Errorf("%s, row %d: probability %g, by K %g", name, i, a.At(i, 1), b.At(i, 1))
					}
				}
				again, err := restoreClassifier(got.Saved())
				if err != nil {
					t.Fatal(err)
				}
				back, err := again.(learn.Classifier[any, int]).Decision(ctx, others)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(first, back.RawMatrix().Data) {
					t.Errorf("%s: other bits after it was restored", name)
				}
			}
		}
	}
}

// hidden is a kernel that is known by its values alone.
type hidden struct{ kernel.Kernel[string] }

func (hidden) Name() string { return "hidden" }

// Block is the values of all pairs at once.
func (k hidden) Block(dst *mat.Dense, x, y data.Points[string]) {
	kernel.Block(context.Background(), k.Kernel, dst, x, y)
}

// The cells of a search by features are judged as those on K.
func TestLogisticCellsByFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 5))
	texts, y := make(data.Slice[string], fitting.SparseFrom), make([]float64, fitting.SparseFrom)
	for i := range texts {
		y[i] = float64(i % 2)
		for range 2 + rng.IntN(4) {
			texts[i] += string("abcdef"[(rng.IntN(4) + 2*int(y[i]))])
		}
	}
	p := learn.Problem[any]{Points: data.Erase(data.Points[string](texts)), Task: data.Binary, Y: y,
		Classes: []string{"a", "b"}}
	folds := make([]data.Fold, 2)
	for i := range y {
		folds[i/2%2].Test = append(folds[i/2%2].Test, i)
		folds[1-i/2%2].Train = append(folds[1-i/2%2].Train, i)
	}
	k := seq.Spectrum{K: 1}
	c := &learn.Cells{
		Problem: p, Kernel: kernel.Erase[string](k), Folds: folds, Threads: 2, Bytes: 1 << 20,
		Params: []map[string]float64{{"lambda": 1}, {"lambda": 0.1}},
		Alive:  func(int, int) bool { return true }, Doubt: func(int, float64) {},
	}
	judged := 0
	c.Judge = func(cell, fold int, got learn.Predictions) {
		judged++
		f := folds[fold]
		var x data.Slice[string]
		for _, i := range f.Train {
			x = append(x, texts[i])
		}
		m, err := Regression[string, int]{Kernel: hidden{k}, Lambda: c.Params[cell]["lambda"],
			Intercept: true}.Fit(context.Background(), x, p.Gather(f.Train).Codes())
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range f.Test {
			want, err := m.Proba(context.Background(), texts[row:row+1])
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Prob[2*i+1]-want.At(0, 1)) > 1e-4 {
				t.Fatalf("cell %d, fold %d, row %d: %g, by K %g", cell, fold, row, got.Prob[2*i+1], want.At(0, 1))
			}
		}
	}
	if !cellsByFeatures(c) {
		t.Fatal("they do not go by features")
	}
	c.Threads, c.InOrder = 1, true
	if err := judgeCells(context.Background(), c); err != nil || judged != 4 {
		t.Fatal(judged, err)
	}
}
