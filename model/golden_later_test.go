package model

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

// goldenColumns is what a golden file of format 2 or 3 makes of rows, beside it as JSON: numbers by
// column.
type goldenColumns struct {
	X       [][]number
	Columns map[string][]number
}

// severalCases are models of two targets, with their encoder, errors and baselines.
func severalCases() map[string]*Model {
	x := newPoints(8, 24, 2)
	d := goldenRows(x)
	y := mat.NewDense(x.Len(), 2, nil)
	for i := range x.Len() {
		y.SetRow(i, []float64{x.At(i)[0] * x.At(i)[1], 100 + 50*x.At(i)[0]})
	}
	d.Columns = append(d.Columns, data.NumberColumn("small", mat.Col(nil, 0, y)),
		data.NumberColumn("large", mat.Col(nil, 1, y)))
	if err := d.SetTargets("small", "large"); err != nil {
		panic(err)
	}
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	points := must(e.TransformLabelled(d)).Dense
	info := func() Info {
		return Info{Encoder: e, Rows: x.Len(), Residuals: []float64{0.1, 0.2, 0.4},
			More: []TargetInfo{{Residuals: []float64{1, 2, 3}}}}
	}
	k := kernel.Gaussian{Lengthscale: 1.5}
	ctx := context.Background()
	return map[string]*Model{
		"ridge-several": must(New(must(ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 0.1, Intercept: true}.FitMulti(ctx,
			points, y)), info())),
		"gp-several": must(New(must(gp.Regression[kernel.Vec]{Kernel: k, Noise: 0.05, FixedNoise: true, FitMean: true,
			HyperOptions: gp.HyperOptions{FixedKernel: true}}.FitMulti(ctx, points, y)), info())),
	}
}

func goldenRows(x data.DenseRows) *data.Dataset {
	d := &data.Dataset{Name: "golden"}
	for j, name := range []string{"x1", "x2"} {
		v := make([]float64, x.Len())
		for i := range v {
			v[i] = x.At(i)[j]
		}
		d.Columns = append(d.Columns, data.NumberColumn(name, v))
	}
	return d
}

// saidOf is all that a model of either format says of rows.
func saidOf(t *testing.T, m *Model, d *data.Dataset) map[string][]number {
	t.Helper()
	out := map[string][]number{}
	if m.Role() != rolePredictor {
		for _, c := range must(m.Transform(context.Background(), d, TransformOptions{Level: level})).Columns {
			if c.Kind == data.Numeric {
				out[c.Name] = numbers(c.Numbers)
			}
		}
		return out
	}
	if len(m.Classes()) > 0 {
		p := must(m.Predict(context.Background(), d, Want{Proba: true}))
		for c, name := range m.Classes() {
			out["probability of "+name] = numbers(mat.Col(nil, c, p.Proba))
		}
		return out
	}
	p := must(m.Predict(context.Background(), d, Want{Interval: 0.7, Std: m.HasStd()}))
	for i, name := range m.Targets() {
		one := p.Target(i)
		out[name], out["low "+name] = numbers(one.Values), numbers(one.Low)
		if m.HasStd() {
			out["std "+name] = numbers(one.ObservationStd)
		}
	}
	return out
}

// TestGoldenFilesOfLaterFormats is TestGoldenFilesStayLoadable for what is no predictor (format 2)
// for several targets (format 3) for committees (format 4) and for mapped targets (format 5): a
// file of every kind, which is never written again, must load and say what it said.
func TestGoldenFilesOfLaterFormats(t *testing.T) {
	x := newPoints(9, 5, 2)
	if *writeGolden {
		write := func(dir, name string, m *Model) {
			path := filepath.Join("testdata", "golden", dir, strings.ReplaceAll(name, " ", "-"))
			if _, err := os.Stat(path + ".mercer"); err == nil {
				return
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := m.Save(path + ".mercer"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+".json",
				must(json.Marshal(goldenColumns{numbersOf(mat.DenseCopyOf(matOf(encoded(x)))), saidOf(t, m, goldenRows(x))})),
				0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range transformCases(t) {
			info := Info{DataName: "rows.csv", Rows: 40}
			if c.role == roleDensity {
				info.HeldDensity = held(30)
			}
			write("v2", c.name, must(NewTransform(c.fitted, info)))
		}
		for name, m := range severalCases() {
			write("v3", name, m)
		}
		for name, m := range committeeCases() {
			write("v4", name, m)
		}
		for name, m := range mappedCases() {
			write("v5", name, m)
		}
	}
	for dir, least := range map[string]int{"v2": 18, "v3": 2, "v4": 3, "v5": 6} {
		files, _ := filepath.Glob(filepath.Join("testdata", "golden", dir, "*.mercer"))
		if len(files) < least {
			t.Fatalf("%s: %d golden files", dir, len(files))
		}
		for _, file := range files {
			m, err := Load(file)
			if err != nil {
				t.Error(err)
				continue
			}
			var g goldenColumns
			if err := json.Unmarshal(must(os.ReadFile(strings.TrimSuffix(file, ".mercer")+".json")), &g); err != nil {
				t.Fatal(err)
			}
			rows := mat.NewDense(len(g.X), len(g.X[0]), nil)
			for i, row := range g.X {
				for j, v := range row {
					rows.Set(i, j, float64(v))
				}
			}
			got := saidOf(t, m, goldenRows(data.Rows(rows)))
			if len(g.Columns) == 0 {
				t.Errorf("%s: nothing is recorded", file)
			}
			for name, want := range g.Columns {
				for i, w := range want {
					if i >= len(got[name]) {
						t.Errorf("%s: no %s of row %d", file, name, i)
						break
					}
					if d := float64(got[name][i]) - float64(w); !(d*d <= 1e-20*(1+float64(w*w))) {
						t.Errorf("%s: %s of row %d is %.17g, recorded %.17g", file, name, i, float64(got[name][i]), float64(w))
					}
				}
			}
		}
	}
}

// A model of several targets that is asked about all at once, or of a target that it does not have,
// says so; one whose encoder and outputs differ is refused.
func TestSeveralTargetsInAFile(t *testing.T) {
	for name, m := range severalCases() {
		back := must(Decode(encodeModel(t, m)))
		if len(back.Targets()) != 2 || back.Summary().Format != severalFormat || back.Info().More[0].Residuals[2] != 3 {
			t.Errorf("%s: %v, format %d", name, back.Targets(), back.Summary().Format)
		}
		if _, err := back.Of("nothing"); err == nil {
			t.Error("a target that is not there")
		}
		d := goldenRows(newPoints(3, 4, 2))
		d.Columns = append(d.Columns, data.NumberColumn("large", []float64{1, 2, 3, 4}))
		d.Target = "large"
		if _, _, err := back.Judged(context.Background(), d); err == nil {
			t.Error("two targets were judged at once")
		}
		one := must(back.Of("large"))
		p, base, err := one.Judged(context.Background(), d)
		if err != nil || len(p.Value) != 4 || base.Deviation == 0 {
			t.Errorf("%s: one target: %v", name, err)
		}
		again := must(Decode(encodeModel(t, one)))
		if again.Summary().Format != predictorFormat || again.Target() != "large" || again.HasStd() != back.HasStd() {
			t.Errorf("%s: one target in a file has format %d", name, again.Summary().Format)
		}
		if a, b := must(one.Predict(context.Background(), d, Want{Interval: 0.7})), must(again.Predict(context.Background(),
			d, Want{Interval: 0.7})); !sameBits(a.Low, b.Low) || !sameBits(a.Values, b.Values) {
			t.Errorf("%s: one target in a file predicts %v, before %v", name, b.Values, a.Values)
		}
		bad := back.Info()
		bad.Encoder = bad.Encoder.ForTarget(0)
		if _, err := assemble(back.body, bad); err == nil {
			t.Errorf("%s: an encoder of one target for two", name)
		}
	}
}
