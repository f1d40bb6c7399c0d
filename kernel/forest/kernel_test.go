package forest

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
)

// grown is a forest of each kind on the same rows.
func grown(
	t testing.TB, x data.Points[kernel.Vec], y []float64, code []int, classes int, threads int,
) map[string]*Forest {
	t.Helper()
	s := Supervised{Growth: Growth{Trees: 12, Seed: 3}, Threads: threads}
	numbers, _, err := s.Fit(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	s.Min, s.Criterion, s.Categories = 2, Entropy, []int{0}
	labels, _, err := s.FitClasses(t.Context(), x, code, classes)
	if err != nil {
		t.Fatal(err)
	}
	s.Splits, s.Depth = RandomSplits, 4
	random, _, err := s.FitClasses(t.Context(), x, code, classes)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*Forest{
		"numbers": numbers, "classes": labels, "random": random,
		"isolation": modeltest.Must(Isolation{Trees: 12, Sample: 20, Seed: 3, Threads: threads}.Fit(t.Context(), x))(t),
		"mondrian":  modeltest.Must(Mondrian{Trees: 12, Lifetime: 0.7, Seed: 3, Threads: threads}.Fit(t.Context(), x))(t),
	}
}

// A forest is a kernel as others are.
func TestForestsAreKernels(t *testing.T) {
	x, y, code := sample(40, 3, 6, 1)
	for name, f := range grown(t, x, y, code, 4, 0) {
		t.Run(name, func(t *testing.T) {
			kerneltest.Run(t, f, kerneltest.Options[kernel.Vec]{Points: kerneltest.Vectors(1, 24, 3),
				Adversarial: []data.Points[kernel.Vec]{x}, Kinks: true})
		})
	}
}

// Features have the values of the kernel for inner products, and the kernel those of its
// definition.
func TestFeaturesAreTheKernel(t *testing.T) {
	x, y, code := sample(40, 3, 6, 2)
	for name, f := range grown(t, x, y, code, 4, 0) {
		rows, err := f.Features(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if err := rows.CSR().Check(); err != nil {
			t.Error(name, err)
		}
		if rows.Len() != 40 || rows.Dim() != f.Leaves() {
			t.Errorf("%s: %d rows of %d columns", name, rows.Len(), rows.Dim())
		}
		a, b := make([]int32, f.Trees()), make([]int32, f.Trees())
		for i := range x {
			f.leavesOf(a, x[i])
			for j := range x {
				f.leavesOf(b, x[j])
				same, product := 0.0, 0.0
				for tree := range a {
					if a[tree] == b[tree] {
						same++
					}
				}
				for p, c := range rows.At(i).Index {
					if q, ok := slices.BinarySearch(rows.At(j).Index, c); ok {
						product += rows.At(i).Value[p] * rows.At(j).Value[q]
					}
				}
				if v := f.Eval(x[i], x[j]); v != same/12 || math.Abs(product-v) > 1e-14 {
					t.Fatalf("%s: k(%d, %d) is %g, %g trees of 12 agree, features have %g", name, i, j, v, same, product)
				}
			}
		}
	}
}

// The same forest at any number of threads, and back from its arrays; another one of another seed.
func TestForestsHaveTheSameBits(t *testing.T) {
	x, y, code := sample(80, 3, 6, 3)
	first := grown(t, x, y, code, 4, 1)
	for _, threads := range datatest.Threads() {
		for name, f := range grown(t, x, y, code, 4, threads) {
			if !sameForest(f, first[name]) {
				t.Errorf("%s: another forest at %d threads", name, threads)
			}
			back, err := FromArrays(f.Arrays())
			if err != nil {
				t.Fatal(name, err)
			}
			if !sameForest(f, back) {
				t.Errorf("%s: another forest after a round trip", name)
			}
		}
	}
	other := modeltest.Must(Mondrian{Trees: 12, Lifetime: 0.7, Seed: 4}.Fit(t.Context(), x))(t)
	if sameForest(other, first["mondrian"]) {
		t.Error("two seeds give one forest")
	}
}

func sameForest(a, b *Forest) bool {
	return a.name == b.name && a.dim == b.dim && a.outputs == b.outputs && a.sample == b.sample &&
		a.missing == b.missing && slices.Equal(a.nodes, b.nodes) &&
		slices.Equal(a.sets, b.sets) && slices.Equal(a.roots, b.roots) && slices.Equal(a.values, b.values) &&
		slices.EqualFunc(a.categories, b.categories, slices.Equal[[]float64])
}

// A context that has ended gives no forest.
func TestForestsHeedTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x, y, code := sample(40, 3, 6, 4)
	fits := map[string]func() (*Forest, error){
		"numbers":   func() (*Forest, error) { f, _, err := Supervised{}.Fit(ctx, x, y); return f, err },
		"classes":   func() (*Forest, error) { f, _, err := Supervised{}.FitClasses(ctx, x, code, 4); return f, err },
		"isolation": func() (*Forest, error) { return Isolation{}.Fit(ctx, x) },
		"mondrian":  func() (*Forest, error) { return Mondrian{}.Fit(ctx, x) },
	}
	for name, fit := range fits {
		if f, err := fit(); f != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	f := grown(t, x, y, code, 4, 0)["numbers"]
	if err := f.AverageTo(ctx, make([]float64, 40), x); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := f.Features(ctx, x); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
