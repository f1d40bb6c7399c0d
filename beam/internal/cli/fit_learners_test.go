package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/features"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// fittedModel is a model over shards with the rows it was fitted to, as its encoder makes them.
type fittedModel struct {
	*model.Model
	file   string
	x      *data.Encoded
	lambda float64 // a row
	kernel kernel.Kernel[kernel.Vec]
	passes int
	said   string
	raw    *data.Dataset
}

// fitted runs a fit over the shards in rows/ and reads what came of it.
func fitted(t *testing.T, dir, target, ignore string, args ...string) *fittedModel {
	t.Helper()
	f := &fittedModel{file: filepath.Join(t.TempDir(), "m.mercer")}
	f.said, _ = must(t, dir, append([]string{"fit", "rows/*.csv", "--target", target, "--ignore", ignore, "--missing",
		"mean", "--weights", "weight", "--output", f.file, "--report", f.file + ".json"}, args...)...)
	var err error
	if f.Model, err = model.Load(f.file); err != nil {
		t.Fatal(err)
	}
	f.raw = wholeTable(t, filepath.Join(dir, "rows"), load.Options{Target: target, Ignore: []string{ignore},
		Weights: "weight"})
	if f.x, err = f.Info().Encoder.TransformLabelled(f.raw); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Passes int
		Chosen struct {
			Kernel string
			Lambda float64
		}
	}
	if err := json.Unmarshal([]byte(read(t, f.file+".json")), &report); err != nil {
		t.Fatal(err)
	}
	f.lambda, f.passes = report.Chosen.Lambda, report.Passes
	if f.kernel, err = spec.ParseKernel(report.Chosen.Kernel); err != nil {
		t.Fatal(err)
	}
	return f
}

// rows is how many of a weight there are.
func (f *fittedModel) rows() (n float64) {
	for _, w := range f.x.Weights {
		if w > 0 {
			n++
		}
	}
	return n
}

// same compares the scores of the model with those of another machine's.
func (f *fittedModel) same(t *testing.T, what string, want *mat.Dense, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.PredictEncoded(context.Background(), f.x, model.Want{Scores: true})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(p.Scores, want, 1e-9) {
		var d mat.Dense
		d.Sub(p.Scores, want)
		t.Errorf("%s: scores differ from the single machine's by %g", what, math.Max(mat.Max(&d), -mat.Min(&d)))
	}
}

const twoKernels = "--kernel gaussian(lengthscale=2) --kernel matern(nu=2.5,lengthscale=2) --quiet"

// TestFitOnFeaturesIsTheSingleMachines: on random features the model is that of package features
// with the same draw.
func TestFitOnFeaturesIsTheSingleMachines(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	writeShards(t, filepath.Join(dir, "rows"), 3, 80)
	args := strings.Fields("--learner features --frequencies 20 --lambda 1e-5,1e-3 --seed 4 " + twoKernels)
	m := fitted(t, dir, "y", "kind", args...)
	options := features.Options{Frequencies: 20, Orthogonal: true, Seed: 4}
	one, err := features.Regression[kernel.Vec]{Kernel: m.kernel, Lambda: m.lambda * m.rows(), Intercept: true,
		Weights: m.x.Weights, Options: options}.Fit(ctx, m.x.Dense, m.x.Target)
	if err != nil {
		t.Fatal(err)
	}
	values, err := one.Predict(ctx, m.x.Dense)
	m.same(t, "regression", mat.NewDense(len(values), 1, values), err)
	if !strings.Contains(m.said, "20 random frequencies") || m.Info().Encoder == nil ||
		!strings.HasPrefix(m.Info().Spec, "features(") {
		t.Errorf("%s\n%s", m.said, m.Info().Spec)
	}
	m = fitted(t, dir, "kind", "y", append(args, "--independent", "--runner", "loop")...)
	options.Orthogonal = false
	classes, err := features.Classification[kernel.Vec, int]{Kernel: m.kernel, Lambda: m.lambda * m.rows(),
		Intercept: true, Weights: m.x.Weights, Options: options}.Fit(ctx, m.x.Dense, m.x.Codes())
	if err != nil {
		t.Fatal(err)
	}
	scores, err := classes.Decision(ctx, m.x.Dense)
	m.same(t, "classes", scores, err)
}

// TestLogisticFitIsTheSingleMachines: Newton's passes arrive where nystrom.Logistic does on the
// same centres; predict gives probabilities then.
func TestLogisticFitIsTheSingleMachines(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	writeShards(t, filepath.Join(dir, "rows"), 3, 80)
	m := fitted(t, dir, "kind", "y", strings.Fields("--learner nystrom-logistic --centres 25 --lambda 1e-4,1e-2 "+
		twoKernels)...)
	// PerPoint would count rows without a weight, too
	one := nystrom.Logistic[kernel.Vec, int]{Kernel: m.kernel, Lambda: m.lambda * m.rows(), Intercept: true,
		Weights: m.x.Weights, Given: centresOf(t, m.file, m.Info().Encoder.Dim), Options: nystrom.Options{Tol: 1e-12}}
	want, err := one.Fit(ctx, m.x.Dense, m.x.Codes())
	if err != nil {
		t.Fatal(err)
	}
	d, err := want.Decision(ctx, m.x.Dense)
	m.same(t, "three classes", d, err)
	if !m.HasProba() || m.passes < 3 || m.passes > 20 ||
		!strings.Contains(m.said, fmt.Sprintf("%d steps of Newton's method, a job each", m.passes)) ||
		!strings.Contains(m.said, "log loss") {
		t.Errorf("%d passes:\n%s", m.passes, m.said)
	}
	must(t, dir, "predict", m.file, "rows/part-0.csv", "--proba", "--output", "proba", "--quiet")
	if head, _, _ := strings.Cut(read(t, filepath.Join(dir, "proba", "part-0.csv")), "\n"); strings.Count(head, ",") != 3 {
		t.Errorf("columns %s", head)
	}
}

// TestLogisticFitOnFeatures: at the solution the derivative of the penalised risk by every
// coefficient is 0, by a plain loop over the rows.
func TestLogisticFitOnFeatures(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	writeShards(t, filepath.Join(dir, "rows"), 2, 80)
	m := fitted(t, dir, "kind", "y",
		strings.Fields("--learner features-logistic --frequencies 10 --lambda 1e-3 --folds 1 --kernel "+
			"gaussian(lengthscale=2) --quiet --runner loop")...)
	p, err := m.PredictEncoded(ctx, m.x, model.Want{Proba: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := container.Read([]byte(read(t, m.file)))
	if err != nil {
		t.Fatal(err)
	}
	waves := centresOf(t, m.file, m.Info().Encoder.Dim)
	var coef []float64
	for _, tensor := range c.Tensors {
		if len(tensor.Shape) == 2 && tensor.Shape[0] == waves.Len() && tensor.Shape[1] == 3 {
			if coef, err = tensor.Float64s(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(coef) != 60 {
		t.Fatalf("%d coefficients in %v", len(coef), c.Tensors)
	}
	// f = Σ vⱼ s·h(cⱼ, ·), s² = 1/20: the file has s·v, and the derivative by v is s·Σ w(p - y)h +
	// nλv.
	const s2 = 1. / 20
	codes, worst, size := m.x.Codes(), 0.0, 0.0
	for j := range waves.Len() {
		for class := range 3 {
			sum, at0 := 0.0, 0.0
			for i := range m.x.Len() {
				y := 0.0
				if codes[i] == class {
					y = 1
				}
				h := m.x.Weights[i] * kernel.Hartley{}.Eval(waves.At(j), m.x.Dense.At(i))
				sum += (p.Proba.At(i, class) - y) * h
				at0 += (1./3 - y) * h
			}
			worst = math.Max(worst, math.Abs(s2*sum+m.rows()*m.lambda*coef[j*3+class]))
			size = math.Max(size, math.Abs(s2*at0))
		}
	}
	if worst > 1e-9*size {
		t.Errorf("a derivative of %g, %g at f = 0", worst, size)
	}
}

// TestFitByLeverageIsTheSingleMachines: centres drawn by leverage scores are rows of the table, the
// same on every engine, and the model is the single machine's on them.
func TestFitByLeverageIsTheSingleMachines(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	writeShards(t, filepath.Join(dir, "rows"), 3, 80)
	args := strings.Fields("--draw leverage --centres 20 --lambda 1e-4 " + twoKernels)
	m := fitted(t, dir, "y", "kind", args...)
	centers := centresOf(t, m.file, m.Info().Encoder.Dim)
	one, err := nystrom.Regression[kernel.Vec]{Kernel: m.kernel, Lambda: m.lambda, PerPoint: true, Intercept: true,
		Weights: m.x.Weights, Given: centers, Options: nystrom.Options{Solver: nystrom.Direct}}.Fit(ctx, m.x.Dense,
		m.x.Target)
	if err != nil {
		t.Fatal(err)
	}
	values, err := one.PredictMulti(ctx, m.x.Dense)
	m.same(t, "leverage", values, err)
	rows := map[string]bool{}
	for i := range m.x.Len() {
		if m.x.Weights[i] > 0 {
			rows[fmt.Sprint(m.x.Dense.At(i))] = true
		}
	}
	for i := range centers.Len() {
		if !rows[fmt.Sprint(centers.At(i))] {
			t.Errorf("centre %d is no row of a weight", i)
		}
	}
	loop := fitted(t, dir, "y", "kind", append(args, "--runner", "loop")...)
	again := centresOf(t, loop.file, loop.Info().Encoder.Dim)
	for i := range again.Len() {
		if again.Len() != centers.Len() || fmt.Sprint(again.At(i)) != fmt.Sprint(centers.At(i)) {
			t.Fatalf("another centre %d without an engine", i)
		}
	}
}

// TestFitReadsEveryFormat: shards of every format are fitted as one machine fits their rows on the
// same centres.
func TestFitReadsEveryFormat(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	writeFormats(t, dir)
	for _, c := range []struct{ format, target, ignore string }{{"csv", "y", "kind"}, {"jsonl", "v", ""},
		{"npy", "x2", ""}, {"parquet", "small", "when"}, {"arrow", "small", "when"}} {
		in, file := load.Options{Target: c.target}, filepath.Join(dir, c.format+".mercer")
		args := []string{"fit", c.format + "/*", "--target", c.target, "--task", "regression", "--missing", "drop",
			"--unseen", "zero", "--centres", "8", "--kernel", "gaussian(lengthscale=2)", "--lambda", "1e-3", "--folds", "1",
			"--runner", "loop", "--quiet", "--output", file}
		if c.ignore != "" {
			in.Ignore = []string{c.ignore}
			args = append(args, "--ignore", c.ignore)
		}
		must(t, dir, args...)
		m, err := model.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		x, err := m.Info().Encoder.TransformLabelled(wholeTable(t, filepath.Join(dir, c.format), in))
		if err != nil {
			t.Fatal(c.format, err)
		}
		k := kernel.Gaussian{Lengthscale: 2}
		one, err := nystrom.Regression[kernel.Vec]{Kernel: k, Lambda: 1e-3, PerPoint: true, Intercept: true,
			Given: centresOf(t, file, m.Info().Encoder.Dim), Options: nystrom.Options{Solver: nystrom.Direct}}.Fit(ctx, x.Dense,
			x.Target)
		if err != nil {
			t.Fatal(err)
		}
		want, err := one.PredictMulti(ctx, x.Dense)
		(&fittedModel{Model: m, x: x}).same(t, c.format, want, err)
	}
}
