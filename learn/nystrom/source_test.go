package nystrom

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// fromDisk gives rows as a file does: each block in memory that the next one overwrites.
type fromDisk struct{ data.InMemory[kernel.Vec] }

func (s fromDisk) Pass(ctx context.Context, size int, f func(data.Block[kernel.Vec]) error) error {
	var rows *mat.Dense
	return s.InMemory.Pass(ctx, size, func(b data.Block[kernel.Vec]) error {
		if rows == nil {
			rows = mat.NewDense(b.Len(), len(b.Points.At(0)), nil)
		}
		for i := range b.Len() {
			rows.SetRow(i, b.Points.At(i))
		}
		own := b
		own.Points = data.Rows(rows.Slice(0, b.Len(), 0, len(b.Points.At(0))))
		own.Targets = slices.Clone(b.Targets)
		err := f(own)
		rows.Zero()
		for i := range own.Targets {
			own.Targets[i] = math.NaN()
		}
		return err
	})
}

// TestSourcesGiveTheSameModel: memory or disk, and any number of threads, give the same bits; and
// the model is that of points at hand.
func TestSourcesGiveTheSameModel(t *testing.T) {
	x, y := wavy(datatest.Size(3000, 700), 3, 8) // several tiles of rows
	codes := make([]float64, len(y))
	for i, v := range y {
		codes[i] = math.Min(math.Max(math.Round(v)+1, 0), 2)
	}
	k := kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 1.1})
	options := func(threads int) Options {
		return Options{Centers: 60, Solver: Falkon, Precision: gram.Single, Resources: learn.Resources{Threads: threads}}
	}
	memory := func(y []float64) data.InMemory[kernel.Vec] {
		return data.NewInMemory[kernel.Vec](data.RowsOf(x), y, 1, nil)
	}
	for _, c := range []struct {
		name string
		fit  func(threads int, rows data.Source[kernel.Vec]) (learn.Model[kernel.Vec], error)
		y    []float64
	}{
		{"regression", func(threads int, rows data.Source[kernel.Vec]) (learn.Model[kernel.Vec], error) {
			return fitting.Fitted(Regression[kernel.Vec]{Kernel: k, Lambda: 0.1, Intercept: true,
				Options: options(threads)}.FitSource(t.Context(), rows))
		}, y},
		{"direct", func(threads int, rows data.Source[kernel.Vec]) (learn.Model[kernel.Vec], error) {
			o := options(threads)
			o.Solver = Direct
			return fitting.Fitted(Regression[kernel.Vec]{Kernel: k, Lambda: 0.1, Intercept: true,
				Options: o}.FitSource(t.Context(), rows))
		}, y},
		{"classification", func(threads int, rows data.Source[kernel.Vec]) (learn.Model[kernel.Vec], error) {
			return fitting.Fitted(Classification[kernel.Vec, string]{Regression: Regression[kernel.Vec]{Kernel: k,
				Intercept: true,
				Options:   options(threads)}}.FitSource(t.Context(), rows, []string{"a", "b", "c"}))
		}, codes},
		{"logistic", func(threads int, rows data.Source[kernel.Vec]) (learn.Model[kernel.Vec], error) {
			return fitting.Fitted(Logistic[kernel.Vec, string]{Kernel: k, Intercept: true,
				Options: options(threads)}.FitSource(t.Context(), rows, []string{"a", "b", "c"}))
		}, codes},
	} {
		var first *mat.Dense
		for _, threads := range datatest.Threads() {
			for _, rows := range []data.Source[kernel.Vec]{memory(c.y), fromDisk{memory(c.y)}} {
				m, err := c.fit(threads, rows)
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				coef := m.Func().Coef
				if first == nil {
					first = coef
				} else if !mat.Equal(first, coef) {
					t.Errorf("%s: other bits with %d threads from %T", c.name, threads, rows)
				}
			}
		}
	}
	// Points at hand, by their labels: the same function.
	labels := make([]string, len(codes))
	for i, c := range codes {
		labels[i] = []string{"a", "b", "c"}[int(c)]
	}
	want, err := Logistic[kernel.Vec, string]{Kernel: k, Intercept: true, Options: options(2)}.Fit(t.Context(),
		data.RowsOf(x), labels)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Logistic[kernel.Vec, string]{Kernel: k, Intercept: true, Options: options(2)}.FitSource(t.Context(),
		memory(codes), []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(want.Func().Coef, got.Func().Coef, 1e-9) || !slices.Equal(want.Classes(), got.Classes()) {
		t.Error("logistic: rows and points give different functions")
	}
}

// TestSourcesOfCodesRefuse: a target that is no class names its row.
func TestSourcesOfCodesRefuse(t *testing.T) {
	x, y := wavy(500, 2, 8)
	for i := range y {
		y[i] = float64(i % 2)
	}
	fit := func(y []float64, outputs int, classes []string) error {
		_, err := Logistic[kernel.Vec, string]{Kernel: kernel.Gaussian{},
			Options: Options{Centers: 10}}.FitSource(t.Context(), data.NewInMemory[kernel.Vec](data.RowsOf(x), y, outputs, nil),
			classes)
		_, other := Classification[kernel.Vec, string]{Regression: Regression[kernel.Vec]{Kernel: kernel.Gaussian{},
			Options: Options{Centers: 10}}}.FitSource(t.Context(), data.NewInMemory[kernel.Vec](data.RowsOf(x), y, outputs, nil),
			classes)
		if (err == nil) != (other == nil) {
			t.Errorf("one refuses (%v), the other does not (%v)", err, other)
		}
		return err
	}
	two := []string{"a", "b"}
	if err := fit(y, 1, two); err != nil {
		t.Fatal(err)
	}
	bad := slices.Clone(y)
	bad[423] = 2
	if err := fit(bad, 1, two); err == nil || !strings.Contains(err.Error(), "row 423") {
		t.Errorf("a class that there is not: %v", err)
	}
	for _, classes := range [][]string{nil, {"a"}, {"b", "a"}, {"a", "a"}} {
		if fit(y, 1, classes) == nil {
			t.Errorf("classes %q: no error", classes)
		}
	}
	if fit(nil, 0, two) == nil {
		t.Error("no targets: no error")
	}
}

// TestSourceOfOtherPoints: rows that are no vectors have the bits that the same points have whose
// type was forgotten, whether they are at hand or come from a disk.
func TestSourceOfOtherPoints(t *testing.T) {
	words, y := make(data.Slice[string], 200), make([]float64, 200)
	for i := range words {
		words[i] = strings.Repeat("ab", i%5) + strings.Repeat("c", i%7) + "a"
		y[i] = float64(i%5 - i%7)
	}
	k := kernel.Kernel[string](seq.Spectrum{K: 2})
	o := Options{Centers: 12}
	erased := Regression[any]{Kernel: kernel.Erase(k), Lambda: 0.1, Options: o}
	want, err := erased.FitSource(t.Context(), data.NewInMemory(data.Erase[string](words), y, 1, nil))
	if err != nil {
		t.Fatal(err)
	}
	rows := data.NewInMemory[string](words, y, 1, nil)
	for _, source := range []data.Source[string]{rows, slowly{rows}} {
		got, err := Regression[string]{Kernel: k, Lambda: 0.1, Options: o}.FitSource(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(want.Func().Coef, got.Func().Coef) {
			t.Errorf("other bits from %T", source)
		}
		if _, ok := data.Concrete(got.Func().Centers).(data.Points[string]); !ok {
			t.Errorf("centres are %T", got.Func().Centers)
		}
	}
}

// slowly is rows that are at hand, as a source that is not known to have them there.
type slowly struct{ data.Source[string] }
