package svm_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
)

// wordsOf is texts of two classes that differ in some of their letters.
func wordsOf(n int, seed uint64) (data.Slice[string], []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	x, y := make(data.Slice[string], n), make([]float64, n)
	for i := range x {
		letters := "abcdeab"
		if y[i] = float64(i % 2); y[i] == 1 {
			letters = "abcdecd"
		}
		for range 4 + rng.IntN(6) {
			x[i] += string(letters[rng.IntN(len(letters))])
		}
	}
	return x, y
}

// A linear machine of a kernel with a sparse map is the machine of the kernel: by the conditions of
// the optimum f is Σ αᵢyᵢ(k(xᵢ, ·) + 1) with αᵢ = 2C·max(0, 1 - yᵢf(xᵢ)), every value by Eval.
func TestLinearMachineOfFeaturesIsThatOfTheKernel(t *testing.T) {
	ctx, c := context.Background(), 0.7
	k := kernel.Normalize[string](seq.Blended{K: 3})
	x, y := wordsOf(60, 1)
	l, err := all.ByName("linear-svm")
	if err != nil {
		t.Fatal(err)
	}
	p := learn.Problem[any]{Points: data.Erase(data.Points[string](x)), Task: data.Binary, Y: y,
		Classes: []string{"0", "1"}}
	m, err := l.Fit(ctx, learn.Settings{Kernel: kernel.Erase(k), Params: map[string]float64{"C": c}}, p)
	if err != nil {
		t.Fatal(err)
	}
	classifier := m.(learn.Classifier[any, int])
	f, err := classifier.Decision(ctx, p.Points)
	if err != nil {
		t.Fatal(err)
	}
	_, rows, err := kernel.MapSparse(ctx, 1, kernel.Erase(k), p.Points, 0)
	if err != nil {
		t.Fatal(err)
	}
	plain := svm.LinearClassification[data.SparseVec, int]{C: c}
	same, err := plain.Fit(ctx, rows, p.Codes())
	if err != nil {
		t.Fatal(err)
	}
	plain.Tol = 1e-9 // by default it is LIBLINEAR's, 0.1
	exact, err := plain.Fit(ctx, rows, p.Codes())
	if err != nil {
		t.Fatal(err)
	}
	of, err := same.Decision(ctx, rows)
	if err != nil {
		t.Fatal(err)
	}
	best, err := exact.Decision(ctx, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if f.At(i, 0) != of.At(i, 0) {
			t.Fatalf("row %d: %g of texts, %g of rows of features", i, f.At(i, 0), of.At(i, 0))
		}
		g := 0.0
		for j := range x {
			sign := 2*y[j] - 1
			g += 2 * c * max(0, 1-sign*best.At(j, 0)) * sign * (k.Eval(x[j], x[i]) + 1)
		}
		if math.Abs(g-best.At(i, 0)) > 1e-6 {
			t.Errorf("row %d: %g, by the kernel's optimum %g", i, best.At(i, 0), g)
		}
	}
	if n := m.Func().Centers.Len(); n != 1 {
		t.Errorf("%d centres; the weights are one", n)
	}
	// Points of their own, one at a time and together, through the function too.
	z, _ := wordsOf(20, 2)
	others := data.Erase(data.Points[string](z))
	together, err := classifier.Decision(ctx, others)
	if err != nil {
		t.Fatal(err)
	}
	by, err := m.Func().Evaluate(ctx, others)
	if err != nil {
		t.Fatal(err)
	}
	for i := range z {
		one, err := classifier.Decision(ctx, data.Gather(others, []int{i}))
		if err != nil {
			t.Fatal(err)
		}
		if one.At(0, 0) != together.At(i, 0) {
			t.Errorf("row %d: %g alone, %g among others", i, one.At(0, 0), together.At(i, 0))
		}
		if math.Abs(by.At(i, 0)-together.At(i, 0)) > 1e-12 {
			t.Errorf("row %d: the function has %g, the model %g", i, by.At(i, 0), together.At(i, 0))
		}
	}
	// What is saved and restored has the same bits.
	again, err := all.Restore(m.(learn.Saver[any]).Saved())
	if err != nil {
		t.Fatal(err)
	}
	restored, err := again.(learn.Classifier[any, int]).Decision(ctx, others)
	if err != nil {
		t.Fatal(err)
	}
	for i := range z {
		if restored.At(i, 0) != together.At(i, 0) {
			t.Fatalf("row %d: %g restored, %g before", i, restored.At(i, 0), together.At(i, 0))
		}
	}
}

// The same bits at any number of threads, from one text to many.
func TestLinearMachineOfFeaturesAtAnyThreads(t *testing.T) {
	x, y := wordsOf(700, 3)
	l, err := all.ByName("linear-svm")
	if err != nil {
		t.Fatal(err)
	}
	p := learn.Problem[any]{Points: data.Erase(data.Points[string](x)), Task: data.Binary, Y: y,
		Classes: []string{"0", "1"}}
	var first string
	for _, threads := range []int{1, 2, 7} {
		s := learn.Settings{Kernel: kernel.Erase[string](seq.Spectrum{K: 2}), Params: map[string]float64{"C": 1}}
		s.Threads = threads
		m, err := l.Fit(context.Background(), s, p)
		if err != nil {
			t.Fatal(err)
		}
		d, err := m.(learn.Classifier[any, int]).Decision(context.Background(), p.Points)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(d.RawMatrix().Data); first == "" {
			first = text
		} else if text != first {
			t.Errorf("other bits at %d threads", threads)
		}
	}
}
