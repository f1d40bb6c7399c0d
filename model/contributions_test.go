package model_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
)

// houses is a table of four columns, of which one becomes three features, one two and one has gaps.
func houses(n int) *data.Dataset {
	rng := rand.New(rand.NewPCG(11, 12))
	area, age, price := make([]float64, n), make([]float64, n), make([]float64, n)
	town, garden, kind := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		area[i], age[i] = 50+100*rng.Float64(), 40*rng.Float64()
		town[i], garden[i] = []string{"north", "south", "west"}[rng.IntN(3)], []string{"no", "yes"}[rng.IntN(2)]
		price[i] = 2*area[i] - age[i] + 0.02*area[i]*age[i] + 30*float64(len(town[i])) + 5*rng.NormFloat64()
		kind[i] = []string{"cheap", "dear", "fair"}[rng.IntN(3)]
		if i%9 == 4 {
			age[i] = math.NaN()
		}
	}
	return &data.Dataset{Name: "houses", Target: "price", Columns: []data.Column{data.NumberColumn("area", area),
		data.NumberColumn("age", age),
		data.LevelColumn("town", town), data.LevelColumn("garden", garden), data.NumberColumn("price", price),
		data.LevelColumn("kind", kind)}}
}

// oracle is the Shapley values of the outputs of row i by their definition, on tables: for each
// order of the columns, each row of the background takes the values of the row one after the other,
// and is predicted.
func oracle(
	t *testing.T, m *model.Model, d, background *data.Dataset, i int, columns []string,
) (share [][]float64, base []float64) {
	t.Helper()
	size := background.Len()
	value := func(set int) []float64 {
		mixed := *background
		mixed.Columns = nil
		for _, c := range background.Columns {
			for j, name := range columns {
				if name == c.Name && set>>j&1 == 1 {
					own, _ := d.Column(name)
					same := make([]int, size)
					for k := range same {
						same[k] = i
					}
					c = own.Gather(same)
				}
			}
			mixed.Columns = append(mixed.Columns, c)
		}
		p, err := m.Predict(context.Background(), &mixed, model.Want{Scores: true})
		if err != nil {
			t.Fatal(err)
		}
		_, outputs := p.Scores.Dims()
		out := make([]float64, outputs)
		for o := range out {
			for k := range size {
				out[o] += p.Scores.At(k, o) / float64(size)
			}
		}
		return out
	}
	values := make([][]float64, 1<<len(columns))
	for set := range values {
		values[set] = value(set)
	}
	share = make([][]float64, len(values[0]))
	for o := range share {
		share[o] = make([]float64, len(columns))
	}
	orders := 0.0
	var walk func(set int)
	var came []int
	walk = func(set int) {
		if len(came) == len(columns) {
			orders++
			s := 0
			for _, j := range came {
				for o := range share {
					share[o][j] += values[s|1<<j][o] - values[s][o]
				}
				s |= 1 << j
			}
			return
		}
		for j := range columns {
			if set>>j&1 == 0 {
				came = append(came, j)
				walk(set | 1<<j)
				came = came[:len(came)-1]
			}
		}
	}
	walk(0)
	for o := range share {
		for j := range share[o] {
			share[o][j] /= orders
		}
	}
	return share, values[0]
}

// agrees holds contributions against the oracle on some rows.
func agrees(
	t *testing.T, m *model.Model, d *data.Dataset, rows, background []int, how string, tol float64,
) *model.Contributions {
	t.Helper()
	few, behind := d.Gather(rows), d.Gather(background)
	x, err := m.Encode(few)
	if err != nil {
		t.Fatal(err)
	}
	z, err := m.Encode(behind)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Contributions(context.Background(), x, model.ContributionOptions{Background: z})
	if err != nil {
		t.Fatal(err)
	}
	if got.How != how {
		t.Fatalf("by %s, want %s", got.How, how)
	}
	p, err := m.Predict(context.Background(), few, model.Want{Scores: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		want, base := oracle(t, m, few, behind, i, got.Columns)
		for o := range got.Outputs {
			sum := got.Base[o]
			for j, name := range got.Columns {
				sum += got.Share[o].At(i, j)
				limit := tol
				if got.Error != nil {
					limit = 4.5*got.Error[o].At(i, j) + tol
				}
				if off := math.Abs(got.Share[o].At(i, j) - want[o][j]); !(off <= limit*(1+math.Abs(p.Scores.At(i, o)))) {
					t.Errorf("row %d, output %d, %s: %g, want %g", i, o, name, got.Share[o].At(i, j), want[o][j])
				}
			}
			scale := 1 + math.Abs(p.Scores.At(i, o))
			if math.Abs(sum-p.Scores.At(i, o)) > 1e-9*scale || math.Abs(got.Base[o]-base[o]) > 1e-9*scale ||
				math.Abs(got.Value.At(i, o)-p.Scores.At(i, o)) > 1e-12*scale {
				t.Errorf("row %d, output %d: base %g (want %g) and shares sum to %g, predicted %g", i, o, got.Base[o], base[o], sum,
					p.Scores.At(i, o))
			}
		}
	}
	return got
}

func houseModel(t *testing.T, d *data.Dataset, text string) *model.Model {
	t.Helper()
	k, err := spec.ParseKernel(text)
	if err != nil {
		t.Fatal(err)
	}
	few := *d
	few.Columns = d.Columns[:5]
	e, err := data.FitEncoder(&few, data.EncoderOptions{Missing: "indicator"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(&few)
	if err != nil {
		t.Fatal(err)
	}
	scale := data.Affine{Center: 200, Factor: 0.01}
	y := make([]float64, x.Len())
	for i, v := range x.Target {
		y[i] = scale.Apply(v)
	}
	f, err := ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 1e-2, Intercept: true}.Fit(context.Background(), x.Dense, y)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(f, model.Info{Encoder: e, TargetScale: &scale})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Kernels that are sums of products over columns have closed forms, which are the sums over all
// subsets of columns; those of a category's features, and of a gap and its flag, count as one.
func TestContributionsInClosedForm(t *testing.T) {
	d := houses(40)
	for _, text := range []string{
		"gaussian(lengthscale=2)", "ard(gaussian(), lengthscales=[1, 2, 3, 0.5, 2, 1, 3, 2])", "laplacel1(lengthscale=3)",
		"linear()", "poly(degree=3, offset=1, gamma=0.3)",
		"exponential(gamma=0.1)", "periodic(period=5, lengthscale=2)", "linear() + 0.5*gaussian(lengthscale=1)",
		"(1 + linear())*gaussian(lengthscale=3)",
		"exp(0.1*linear())", "normalize(exponential(gamma=0.2))", "sinusoidbasis(degree=2, period=7)",
		"gaussian(lengthscale=2)^2",
		"0.3 + on(matern(nu=1.5), columns=[1, 2]) + on(gaussian(lengthscale=2), columns=[0, 3, 4, 5])",
	} {
		t.Run(text, func(t *testing.T) {
			agrees(t, houseModel(t, d, text), d, []int{3, 4}, []int{0, 5, 13, 22, 31}, "closed form", 1e-9)
		})
	}
}

// Others are exact of few columns, by all subsets.
func TestContributionsByAllSubsets(t *testing.T) {
	d := houses(40)
	for _, text := range []string{"matern(nu=1.5, lengthscale=3)", "laplace(lengthscale=2)", "rq(alpha=1)"} {
		t.Run(text, func(t *testing.T) {
			agrees(t, houseModel(t, d, text), d, []int{3, 4}, []int{0, 5, 13, 22, 31}, "all subsets", 1e-9)
		})
	}
}

// Of classes the shares are of decision values, with a name for each.
func TestContributionsOfClasses(t *testing.T) {
	d := houses(60)
	d.Target = "kind"
	ctx := context.Background()
	d.Columns = append(d.Columns[:4:4], d.Columns[5])
	e, err := data.FitEncoder(d, data.EncoderOptions{Missing: "mean"})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	k := kernel.Gaussian{Lengthscale: 1.5}
	saver := func(m learn.Saver[kernel.Vec], err error) learn.Saver[kernel.Vec] {
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, c := range map[string]struct {
		m         learn.Saver[kernel.Vec]
		how, unit string
		outputs   int
	}{
		"logistic": {saver(logistic.Regression[kernel.Vec, int]{Kernel: k, Lambda: 0.1}.Fit(ctx, x.Dense, x.Codes())),
			"closed form", "log-odds", 3},
		"svm": {saver(svm.Classification[kernel.Vec, int]{Kernel: k, C: 3}.Fit(ctx, x.Dense, x.Codes())),
			"closed form", "decision value", 3},
		"neighbours": {saver(neighbours.Classification[kernel.Vec, int]{Kernel: k, Options: neighbours.Options{K: 5}}.Fit(ctx,
			x.Dense, x.Codes())), "all subsets", "decision value", 3},
		"process": {saver(gp.Classification[kernel.Vec, int]{Kernel: k}.Fit(ctx, x.Dense, x.Codes())), "closed form",
			"decision value", 3},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := model.New(c.m, model.Info{Encoder: e})
			if err != nil {
				t.Fatal(err)
			}
			got := agrees(t, m, d, []int{1, 7}, []int{0, 20, 40}, c.how, 1e-9)
			if got.Unit != c.unit || len(got.Outputs) != c.outputs {
				t.Errorf("%q of %d outputs, want %q of %d", got.Unit, len(got.Outputs), c.unit, c.outputs)
			}
		})
	}
}

// Many columns and a kernel that is no product: the values are drawn, say how far off they may be,
// and add up all the same. The model is a sum over columns in truth, of a matern kernel that sees
// few of them, so that the oracle is of those alone.
func TestContributionsSampled(t *testing.T) {
	const n, wide = 50, 14
	rng := rand.New(rand.NewPCG(21, 22))
	d := &data.Dataset{Name: "wide", Target: "y"}
	y := make([]float64, n)
	for j := range wide {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
			if j < 4 {
				y[i] += v[i] * math.Sin(v[i]+float64(j))
			}
		}
		d.Columns = append(d.Columns, data.NumberColumn(string(rune('a'+j)), v))
	}
	d.Columns = append(d.Columns, data.NumberColumn("y", y))
	k, err := spec.ParseKernel("on(matern(nu=1.5, lengthscale=2), columns=[0, 1, 2, 3])")
	if err != nil {
		t.Fatal(err)
	}
	e, err := data.FitEncoder(d, data.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 1e-2}.Fit(context.Background(), x.Dense, x.Target)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(f, model.Info{Encoder: e})
	if err != nil {
		t.Fatal(err)
	}
	behind := d.Gather([]int{0, 9, 18, 27, 36})
	z, _ := m.Encode(behind)
	few := d.Gather([]int{2, 3})
	fx, _ := m.Encode(few)
	got, err := m.Contributions(context.Background(), fx, model.ContributionOptions{Background: z, Draws: 400, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if got.How != "sampled" || got.Exact() {
		t.Fatalf("by %s", got.How)
	}
	for i := range 2 {
		want, _ := oracle(t, m, few, behind, i, []string{"a", "b", "c", "d"})
		sum := got.Base[0]
		for j := range wide {
			sum += got.Share[0].At(i, j)
			truth := 0.0
			if j < 4 {
				truth = want[0][j]
			}
			se := got.Error[0].At(i, j)
			if off := math.Abs(got.Share[0].At(i, j) - truth); off > 4*se+1e-12 || j < 4 && !(se > 0 && se < 0.1) {
				t.Errorf("row %d, column %d: %g ± %g, want %g", i, j, got.Share[0].At(i, j), se, truth)
			}
		}
		if math.Abs(sum-got.Value.At(i, 0)) > 1e-9 {
			t.Errorf("row %d: the shares sum to %g, predicted is %g", i, sum, got.Value.At(i, 0))
		}
	}
	same, err := m.Contributions(context.Background(), fx, model.ContributionOptions{Background: z, Draws: 400, Seed: 3,
		Threads: 3})
	if err != nil || same.Share[0].At(1, 2) != got.Share[0].At(1, 2) {
		t.Errorf("the same seed gives %v and %v", same.Share[0].At(1, 2), got.Share[0].At(1, 2))
	}
}

// The bits do not depend on the number of threads, nor on which rows are asked for together.
func TestContributionsHaveOneValue(t *testing.T) {
	d := houses(90)
	m := houseModel(t, d, "gaussian(lengthscale=2)")
	x, _ := m.Encode(d)
	z, _ := m.Encode(d.Gather([]int{1, 2, 3}))
	first, err := m.Contributions(context.Background(), x, model.ContributionOptions{Background: z, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 8} {
		again, err := m.Contributions(context.Background(), x, model.ContributionOptions{Background: z, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 90 {
			for j := range 4 {
				if a, b := first.Share[0].At(i, j), again.Share[0].At(i, j); a != b {
					t.Fatalf("%d threads: %v and %v", threads, a, b)
				}
			}
		}
	}
	one, _ := m.Encode(d.Gather([]int{77}))
	alone, err := m.Contributions(context.Background(), one, model.ContributionOptions{Background: z})
	if err != nil || alone.Share[0].At(0, 1) != first.Share[0].At(77, 1) {
		t.Errorf("alone a row has %v, among others %v (%v)", alone.Share[0].At(0, 1), first.Share[0].At(77, 1), err)
	}
}

// What has no columns is refused; no rows have no contributions; a row of the means stands in where
// a file keeps no rows.
func TestContributionsOfLittle(t *testing.T) {
	ctx := context.Background()
	d := houses(30)
	m := houseModel(t, d, "gaussian(lengthscale=2)")
	none, err := m.Encode(d.Gather(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Contributions(ctx, none, model.ContributionOptions{}); err != nil || len(got.Columns) != 4 ||
		got.Rows != 1 || got.From != "the mean of each column" {
		t.Errorf("no rows: %+v, %v", got, err)
	}
	x, _ := m.Encode(d)
	if _, err := m.Contributions(ctx, x, model.ContributionOptions{Background: none}); err == nil {
		t.Error("a background without rows is taken")
	}
	bare, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 1}.Fit(ctx, data.Line([]float64{1, 2, 4}),
		[]float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	b, err := model.New(bare, model.Info{})
	if err != nil {
		t.Fatal(err)
	}
	line := &data.Encoded{Kept: []int{0}, Dense: data.Line([]float64{3})}
	if _, err := b.Contributions(ctx, line, model.ContributionOptions{}); err == nil {
		t.Error("without rows to compare with there are contributions")
	}
	if got, err := b.Contributions(ctx, line, model.ContributionOptions{Background: &data.Encoded{Kept: []int{0},
		Dense: data.Line([]float64{1})}}); err != nil || got.Columns[0] != "x1" {
		t.Errorf("%v, %v", got, err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := m.Contributions(stopped, x, model.ContributionOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
