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
		{"a sum and a product", kernel.Erase(kernel.Sum(kernel.Scale[string](0.5, seq.Spectrum{K: 1}), kernel.Product[string](seq.Spectrum{K: 1}, kernel.Normalize[string](seq.Spectrum{K: 2})))), lettersOf("")},
		{"polynomial", kernel.Erase(kernel.Power(kernel.Sum(kernel.Scale[string](0.3, seq.BagOfCharacters{}), kernel.Constant[string](1)), 2)), lettersOf("")},
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
				"two":     {Classification[any, int]{Kernel: a.kernel, C: 0.7, Options: o}, false},
				"small":   {Classification[any, int]{Kernel: a.kernel, C: 1e-3, Options: o}, false},
				"weights": {Classification[any, int]{Kernel: a.kernel, C: 0.5, Weights: weights, Options: o}, false},
				"pairs":   {Classification[any, int]{Kernel: a.kernel, C: 0.3, Options: o}, false},
				"rest":    {Classification[any, int]{Kernel: a.kernel, C: 0.3, MultiClass: learn.OneVsRest, Options: o}, false},
				"proba":   {Classification[any, int]{Kernel: a.kernel, C: 0.3, Probability: true, Options: o}, false},
				"no bias": {Classification[any, int]{Kernel: a.kernel, C: 0.3, NoBias: true, Options: o}, false},
				"squared": {Classification[any, int]{Kernel: a.kernel, C: 0.3, Options: o}, true},
			} {
				codes := y
				if name == "two" || name == "small" || name == "weights" {
					codes = two
				}
				labels, w, err := fitting.CheckClassification(c.Kernel, x, codes, c.Balance, c.ClassWeights, c.Weights)
				if err != nil {
					t.Fatal(err)
				}
				got, _, err := c.fitRows(ctx, f, labels, w, c.nothing(labels), time.Now())
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				var want *Classifier[any, int]
				if c.squared {
					want, err = PrimalClassification[any, int]{Kernel: c.Kernel, C: c.C, Options: Options{Tol: 1e-10}}.Fit(ctx, x, codes)
				} else {
					want, err = c.Classification.Fit(ctx, x, codes)
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
				if c.Probability {
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
				if !c.NoBias && !c.squared && got.Objectives()[0] > want.Objectives()[0]+1e-4*math.Abs(want.Objectives()[0]) {
					t.Errorf("%s: objective %g, by K %g", name, got.Objectives()[0], want.Objectives()[0])
				}
			}
			values := make([]float64, len(y))
			for i := range values {
				values[i] = 10 + float64(y[i]) + 0.3*rng.NormFloat64()
			}
			for _, r := range []Regression[any]{{Kernel: a.kernel, C: 0.5, Options: o}, {Kernel: a.kernel, C: 0.2, NoTube: true, Weights: weights, Options: o}} {
				got, _, err := (featureRegression{r}).fitRows(ctx, f, values, r.Weights, nil, time.Now())
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
