package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
)

// exportCase is a model of a data set whose columns its encoder changes, and how exactly another
// program can be expected to say the same.
type exportCase struct {
	name  string
	model *Model
	d     *data.Dataset
}

// exportTable has two columns far from 0 and of unlike sizes, so that forgetting to scale them
// cannot be missed, and a category.
func exportTable(n int, target string) *data.Dataset {
	rng := rand.New(rand.NewPCG(4, 2))
	a, b, y := make([]float64, n), make([]float64, n), make([]float64, n)
	c, two, three := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		a[i], b[i] = 1000+50*rng.NormFloat64(), -0.003+0.001*rng.NormFloat64()
		c[i] = []string{"red", "green", "blue"}[rng.IntN(3)]
		s := math.Sin((a[i]-1000)/40) + 400*(b[i]+0.003)
		if c[i] == "red" {
			s++
		}
		y[i] = 5e4 + 300*s
		two[i] = map[bool]string{true: "yes", false: "no"}[s+0.2*rng.NormFloat64() > 0.3]
		three[i] = []string{"low", "middle", "high"}[min(max(int(s+1), 0), 2)]
	}
	d := &data.Dataset{Name: "table", Target: target, Columns: []data.Column{
		data.NumberColumn("a", a), data.NumberColumn("b", b), data.LevelColumn("c", c),
	}}
	switch target {
	case "y":
		d.Columns = append(d.Columns, data.NumberColumn("y", y))
	case "two":
		d.Columns = append(d.Columns, data.LevelColumn("two", two))
	case "three":
		d.Columns = append(d.Columns, data.LevelColumn("three", three))
	}
	return d
}

// without is a data set less a column.
func without(d *data.Dataset, name string) *data.Dataset {
	out := *d
	out.Columns = nil
	for _, c := range d.Columns {
		if c.Name != name {
			out.Columns = append(out.Columns, c)
		}
	}
	return &out
}

// exported are the cases with categories and those without, fitted by the first test that asks.
var exported = map[bool][]exportCase{}

// exportCases is every kind of decision on every kind of scaling; with categories or without.
func exportCases(t *testing.T, categories bool) []exportCase {
	t.Helper()
	if exported[categories] == nil {
		exported[categories] = fitExportCases(t, categories)
	}
	return slices.Clip(exported[categories])
}

func fitExportCases(t *testing.T, categories bool) []exportCase {
	t.Helper()
	ctx := t.Context()
	gauss := kernel.Gaussian{Lengthscale: 1.2}
	var out []exportCase
	fit := func(name string, d *data.Dataset, o data.EncoderOptions, scale *data.Affine,
		learn func(x data.DenseRows, y []float64, codes []int) (learn.Saver[kernel.Vec], error)) {
		if !categories {
			d = without(d, "c")
		}
		e := must(data.FitEncoder(d, o))
		x := must(e.TransformLabelled(d))
		y := x.Target
		if scale != nil {
			y = make([]float64, len(x.Target))
			for i, v := range x.Target {
				y[i] = scale.Apply(v)
			}
		}
		m, err := learn(x.Dense, y, x.Codes())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, exportCase{name, must(New(m, Info{Encoder: e, TargetScale: scale})), d})
	}
	const n = 60
	for _, scaling := range []data.Scaling{"none", "standardize", "minmax", "robust", "maxabs"} {
		o := data.EncoderOptions{Scaling: scaling}
		width := gauss
		if scaling == "none" {
			width.Lengthscale = 50
		}
		fit(fmt.Sprint("svr ", scaling), exportTable(n, "y"), o, nil,
			func(x data.DenseRows, y []float64, _ []int) (learn.Saver[kernel.Vec], error) {
				return svm.Regression[kernel.Vec]{Kernel: width, C: 1000, Epsilon: 1}.Fit(ctx, x, y)
			})
		fit(fmt.Sprint("ridge, target scaled ", scaling), exportTable(n, "y"), o, &data.Affine{Center: 5e4, Factor: 0.01},
			func(x data.DenseRows, y []float64, _ []int) (learn.Saver[kernel.Vec], error) {
				return ridge.Regression[kernel.Vec]{Kernel: width, Lambda: 0.1, Intercept: true}.Fit(ctx, x, y)
			})
		fit(fmt.Sprint("svc ", scaling), exportTable(n, "two"), o, nil,
			func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
				return svm.Classification[kernel.Vec, int]{Kernel: width, C: 10}.Fit(ctx, x, codes)
			})
		fit(fmt.Sprint("svc of 3 with probabilities ", scaling), exportTable(n, "three"), o, nil,
			func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
				return svm.Classification[kernel.Vec, int]{Kernel: width, C: 10, Probability: true}.Fit(ctx, x, codes)
			})
	}
	o := data.EncoderOptions{}
	fit("svc of 3 by votes", exportTable(n, "three"), o, nil,
		func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
			return svm.Classification[kernel.Vec, int]{Kernel: gauss, C: 10}.Fit(ctx, x, codes)
		})
	fit("svc with probabilities", exportTable(n, "two"), o, nil,
		func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
			return svm.Classification[kernel.Vec, int]{Kernel: kernel.Linear{}, Probability: true}.Fit(ctx, x, codes)
		})
	fit("svc one against the rest", exportTable(n, "three"), o, nil,
		func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
			return svm.Classification[kernel.Vec, int]{Kernel: kernel.Polynomial{Degree: 2, Gamma: 0.5, Offset: 1},
				Probability: true, MultiClass: learn.OneVsRest}.Fit(ctx, x, codes)
		})
	fit("ridge classifier", exportTable(n, "two"), o, nil,
		func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
			c := ridge.Classification[kernel.Vec, int]{Regression: ridge.Regression[kernel.Vec]{Kernel: gauss, Lambda: 0.1}}
			m, err := c.Fit(ctx, x, codes)
			if err != nil {
				return nil, err
			}
			return learn.Calibrate(ctx, m, func(ctx context.Context, rows []int) (learn.Classifier[kernel.Vec, int], error) {
				return c.Fit(ctx, data.Gather(data.Points[kernel.Vec](x), rows), data.Take(codes, rows))
			}, data.Points[kernel.Vec](x), codes, 1)
		})
	for _, target := range []string{"two", "three"} {
		fit("logistic "+target, exportTable(n, target), o, nil,
			func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
				return logistic.Regression[kernel.Vec, int]{Kernel: kernel.Scale[kernel.Vec](2, gauss), Lambda: 0.1,
					Intercept: true}.Fit(ctx, x, codes)
			})
	}
	fit("grades", exportTable(n, "three"), o, nil, func(x data.DenseRows, _ []float64,
		codes []int) (learn.Saver[kernel.Vec], error) {
		return logistic.Ordinal[kernel.Vec, int]{Kernel: gauss, Lambda: 0.1}.Fit(ctx, x, codes)
	})
	fit("gp of a sum", exportTable(n, "y"), o, nil, func(x data.DenseRows, y []float64, _ []int) (learn.Saver[kernel.Vec],
		error) {
		k := kernel.Sum(kernel.Scale[kernel.Vec](1e5, gauss), kernel.Kernel[kernel.Vec](kernel.Linear{}))
		return gp.Regression[kernel.Vec]{Kernel: k, Noise: 100, FitMean: true,
			HyperOptions: gp.HyperOptions{FixedKernel: true}, FixedNoise: true}.Fit(ctx, x, y)
	})
	return out
}

// sparseOf is the numeric columns as rows of LIBSVM, scaled where there is a range.
func sparseOf(t *testing.T, d *data.Dataset, ranges string) data.SparseRows {
	t.Helper()
	features := without(d, d.Target)
	features.Target = ""
	x := must(must(data.FitEncoder(features, data.EncoderOptions{Scaling: "none"})).Transform(features))
	rows := libsvm.ToSparse(x.Dense)
	if ranges != "" {
		rows = must(libsvm.ReadRange(strings.NewReader(ranges), "range")).Transform(rows)
	}
	return rows
}

// sameValues compares numbers relative to their spread.
func sameValues(t *testing.T, name string, got, want []float64, tol float64) {
	t.Helper()
	low, high := want[0], want[0]
	for _, v := range want {
		low, high = min(low, v), max(high, v)
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tol*(high-low)) {
			t.Errorf("%s: row %d: %.12g there, %.12g here", name, i, got[i], v)
			return
		}
	}
}
