package cli

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// TestFitOfSeveralTargets: each is what one machine fits with all of them, and rows without one of
// them are left out.
func TestFitOfSeveralTargets(t *testing.T) {
	dir := t.TempDir()
	writeShards(t, filepath.Join(dir, "rows"), 3, 70)
	file := filepath.Join(dir, "several.mercer")
	said, _ := must(t, dir, "fit", "rows/*.csv", "--target", "y,b", "--ignore", "kind", "--missing", "mean", "--centres",
		"30", "--lambda", "1e-6,1e-2", "--kernel", "gaussian(lengthscale=1)",
		"--kernel", "gaussian(lengthscale=3)", "--output", file, "--report", file+".json")
	m, err := model.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	all := wholeTable(t, filepath.Join(dir, "rows"), load.Options{Ignore: []string{"kind"}})
	if err := all.SetTargets("y", "b"); err != nil {
		t.Fatal(err)
	}
	e := m.Info().Encoder
	want, err := data.FitEncoder(all, e.Options)
	if err != nil {
		t.Fatal(err)
	}
	sameEncoder(t, e, want)
	x, err := want.TransformLabelled(all)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Rows    int
		Targets []string
		Chosen  struct {
			Kernel string
			Lambda float64
			Error  float64
			Rmse   []float64 `json:"rmse_by_target"`
		}
	}
	if err := json.Unmarshal([]byte(read(t, file+".json")), &report); err != nil {
		t.Fatal(err)
	}
	if report.Rows != x.Len() || x.Len() >= all.Len() || strings.Join(report.Targets, " ") != "y b" ||
		len(report.Chosen.Rmse) != 2 || !strings.Contains(said, "y rmse") {
		t.Errorf("%d rows, want %d of %d; %+v\n%s", report.Rows, x.Len(), all.Len(), report, said)
	}
	k, err := spec.ParseKernel(report.Chosen.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	y := mat.NewDense(x.Len(), 2, nil)
	y.SetCol(0, x.Target)
	y.SetCol(1, x.More[0])
	one, err := nystrom.Regression[kernel.Vec]{Kernel: k, Lambda: report.Chosen.Lambda, PerPoint: true, Intercept: true,
		Given: centresOf(t, file, e.Dim), Options: nystrom.Options{Solver: nystrom.Direct}}.FitMulti(context.Background(),
		x.Dense, y)
	if err != nil {
		t.Fatal(err)
	}
	values, err := one.PredictMulti(context.Background(), x.Dense)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"y", "b"} {
		of, err := m.Of(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := of.PredictEncoded(context.Background(), x, model.Want{})
		if err != nil {
			t.Fatal(err)
		}
		for row, v := range p.Values {
			if w := values.At(row, i); math.Abs(v-w) > 1e-9*max(1, math.Abs(w)) {
				t.Fatalf("%s of row %d: %g, one machine says %g", name, row, v, w)
			}
		}
	}
	must(t, dir, "predict", file, "rows/*.csv", "--output", "predictions", "--missing", "mean")
	if head, _, _ := strings.Cut(read(t, filepath.Join(dir, "predictions", "part-0.csv")),
		"\n"); head != "prediction(y),prediction(b)" {
		t.Errorf("columns %s", head)
	}
}

// TestSeveralTargetsAreNumbers: what cannot be is said before work begins.
func TestSeveralTargetsAreNumbers(t *testing.T) {
	dir := t.TempDir()
	writeShards(t, filepath.Join(dir, "rows"), 1, 20)
	for _, c := range []struct {
		want string
		more []string
	}{
		{`target "kind" is categorical`, []string{"--target", "y,kind"}},
		{"another target", []string{"--target", "y,y"}},
		{`no column "z"`, []string{"--target", "y,z"}},
		{"one target", []string{"--target", "y,a", "--task", "classification"}},
		{"tells classes apart", []string{"--target", "y,a", "--learner", "nystrom-logistic"}},
	} {
		_, said, status := program(t, dir, append([]string{"fit", "rows/*.csv", "--missing", "mean", "--output", "m.mercer"},
			c.more...)...)
		if status != 2 || !strings.Contains(said, c.want) {
			t.Errorf("%v: status %d, %s; want %q", c.more, status, said, c.want)
		}
	}
}
