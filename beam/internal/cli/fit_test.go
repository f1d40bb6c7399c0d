package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// wholeTable is the rows of all shards as one machine reads them.
func wholeTable(t *testing.T, folder string, o load.Options) *data.Dataset {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	var parts []*data.Dataset
	for _, f := range files {
		d, err := load.Read(context.Background(), f, o)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, d)
	}
	all, err := data.Concat(parts)
	if err != nil {
		t.Fatal(err)
	}
	all.Target, all.Weights = o.Target, o.Weights
	return all
}

// centresOf reads the centres out of a model file.
func centresOf(t *testing.T, file string, dim int) data.Points[kernel.Vec] {
	t.Helper()
	c, err := container.Read([]byte(read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, tensor := range c.Tensors {
		if len(tensor.Shape) == 2 && tensor.Shape[1] == dim {
			values, err := tensor.Float64s()
			if err != nil {
				t.Fatal(err)
			}
			return data.Rows(mat.NewDense(tensor.Shape[0], dim, values))
		}
	}
	t.Fatalf("no centres of %d features in %v", dim, c.Tensors)
	return nil
}

// TestFitIsTheSingleMachines: the model of a fit over shards is the Nyström solution of one machine
// on the same rows and centres, and its encoder that of all rows.
func TestFitIsTheSingleMachines(t *testing.T) {
	dir := t.TempDir()
	writeShards(t, filepath.Join(dir, "rows"), 4, 90)
	for _, c := range []struct{ name, target, ignore, missing, weights string }{
		{"regression", "y", "kind", "mean", ""},
		{"dropped", "y", "kind", "drop", "weight"},
		{"classes", "kind", "y", "indicator", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(dir, c.name+".mercer")
			args := []string{"fit", "rows/*.csv", "--target", c.target, "--ignore", c.ignore, "--missing", c.missing,
				"--centres", "40", "--lambda", "1e-5,1e-3", "--kernel", "gaussian(lengthscale=2)",
				"--kernel", "matern(nu=2.5,lengthscale=2)", "--output", file, "--report", file + ".json"}
			in := load.Options{Target: c.target, Ignore: []string{c.ignore}}
			if c.weights != "" {
				args, in.Weights = append(args, "--weights", c.weights), c.weights
			}
			said, _ := must(t, dir, args...)
			m, err := model.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			all := wholeTable(t, filepath.Join(dir, "rows"), in)
			e := m.Info().Encoder
			want, err := data.FitEncoder(all, e.Options)
			if err != nil {
				t.Fatal(err)
			}
			sameEncoder(t, e, want)
			var report struct {
				Rows   int
				Chosen struct {
					Kernel string
					Lambda float64
				}
				Tried []struct{ Error float64 }
			}
			if err := json.Unmarshal([]byte(read(t, file+".json")), &report); err != nil {
				t.Fatal(err)
			}
			x, err := e.TransformLabelled(all)
			if err != nil {
				t.Fatal(err)
			}
			kept := x.Len()
			for _, w := range x.Weights {
				if w == 0 {
					kept--
				}
			}
			if report.Rows != kept || len(report.Tried) != 4 || !strings.Contains(said, report.Chosen.Kernel) {
				t.Errorf("%d rows, want %d; %d settings; %s", report.Rows, kept, len(report.Tried), said)
			}
			k, err := spec.ParseKernel(report.Chosen.Kernel)
			if err != nil {
				t.Fatal(err)
			}
			r := nystrom.Regression[kernel.Vec]{Kernel: k, Lambda: report.Chosen.Lambda, PerPoint: true, Intercept: true,
				Weights: x.Weights, Given: centresOf(t, file, e.Dim), Options: nystrom.Options{Solver: nystrom.Direct}}
			p, err := m.PredictEncoded(context.Background(), x, model.Want{Scores: true})
			if err != nil {
				t.Fatal(err)
			}
			var decision *mat.Dense
			if c.target == "y" {
				one, err := r.Fit(context.Background(), x.Dense, x.Target)
				if err != nil {
					t.Fatal(err)
				}
				decision, err = one.PredictMulti(context.Background(), x.Dense)
				if err != nil {
					t.Fatal(err)
				}
			} else {
				one, err := nystrom.Classification[kernel.Vec, int]{Regression: r}.Fit(context.Background(), x.Dense, x.Codes())
				if err != nil {
					t.Fatal(err)
				}
				if decision, err = one.Decision(context.Background(), x.Dense); err != nil {
					t.Fatal(err)
				}
				sameProbabilities(t, m, one, r, x)
			}
			if !mat.EqualApprox(p.Scores, decision, 1e-9) {
				d := mat.NewDense(x.Len(), decision.RawMatrix().Cols, nil)
				d.Sub(p.Scores, decision)
				t.Errorf("predictions differ from the single machine's by %g", mat.Max(d))
			}
		})
	}
}

// sameProbabilities: they are those that decision values are worth on the rows of the first fold,
// by the single machine's fit to the others. (All rows are drawn for that, since they are few.)
func sameProbabilities(
	t *testing.T, m *model.Model, all *nystrom.Classifier[kernel.Vec, int], r nystrom.Regression[kernel.Vec],
	x *data.Encoded,
) {
	t.Helper()
	ctx := context.Background()
	var held, rest, heldCodes, restCodes []int
	for i, row := range x.Kept {
		if jobs.FoldOf(1, row/90, row%90, 5) == 0 {
			held, heldCodes = append(held, i), append(heldCodes, x.Codes()[i])
		} else {
			rest, restCodes = append(rest, i), append(restCodes, x.Codes()[i])
		}
	}
	points := data.Points[kernel.Vec](x.Dense)
	like, err := nystrom.Classification[kernel.Vec, int]{Regression: r}.Fit(ctx, data.Gather(points, rest), restCodes)
	if err != nil {
		t.Fatal(err)
	}
	calibrated, err := learn.CalibrateOn[kernel.Vec, int](ctx, all, like, data.Gather(points, held), heldCodes)
	if err != nil {
		t.Fatal(err)
	}
	want, err := calibrated.Proba(ctx, points)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.PredictEncoded(ctx, x, model.Want{Proba: true})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got.Proba, want, 1e-8) {
		t.Error("other probabilities")
	}
}

func sameEncoder(t *testing.T, got, want *data.Encoder) {
	t.Helper()
	if got.Dim != want.Dim || fmt.Sprint(got.Names()) != fmt.Sprint(want.Names()) {
		t.Fatalf("features %v, want %v", got.Names(), want.Names())
	}
	for i, c := range got.Columns {
		for j, a := range c.Scale {
			b := want.Columns[i].Scale[j]
			if math.Abs(a.Center-b.Center) > 1e-12*max(1, math.Abs(b.Center)) || math.Abs(a.Factor-b.Factor) > 1e-12*b.Factor {
				t.Errorf("column %q: scale %v, want %v", c.Name, a, b)
			}
		}
	}
}

// TestFitIsTheSameOnEveryEngine: a plain loop draws the same centres and folds as Prism; sums
// differ by rounding at the most.
func TestFitIsTheSameOnEveryEngine(t *testing.T) {
	dir := t.TempDir()
	writeShards(t, filepath.Join(dir, "rows"), 3, 60)
	args := []string{"fit", "rows/*.csv", "--target", "y", "--ignore", "kind", "--missing", "mean", "--centres", "30",
		"--quiet"}
	loop, _ := must(t, dir, append(args, "--runner", "loop", "--output", "a.mercer")...)
	prism, _ := must(t, dir, append(args, "--output", "b.mercer")...)
	if a, b := strings.ReplaceAll(loop, "a.mercer", ""), strings.ReplaceAll(prism, "b.mercer", ""); a != b {
		t.Errorf("a loop says\n%s\nPrism says\n%s", a, b)
	}
	a, err := model.Load(filepath.Join(dir, "a.mercer"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := model.Load(filepath.Join(dir, "b.mercer"))
	if err != nil {
		t.Fatal(err)
	}
	rows := wholeTable(t, filepath.Join(dir, "rows"), load.Options{Target: "y"})
	p, err := a.Predict(context.Background(), rows, model.Want{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := b.Predict(context.Background(), rows, model.Want{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range p.Values {
		if math.Abs(v-q.Values[i]) > 1e-9 {
			t.Fatalf("row %d: %g and %g", i, v, q.Values[i])
		}
	}
}
