package model

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/libsvm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
)

// exportCase is a model of a data set whose columns its encoder changes, and how exactly another program can be
// expected to say the same.
type exportCase struct {
	name  string
	model *Model
	d     *data.Dataset
}

// exportTable has two columns far from 0 and of unlike sizes, so that forgetting to scale them cannot be missed, and
// a category.
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

// exportCases fits every kind of decision to every kind of scaling; with categories or without.
func exportCases(t *testing.T, categories bool) []exportCase {
	t.Helper()
	ctx := t.Context()
	gauss := kernel.Gaussian{Lengthscale: 1.2}
	var out []exportCase
	fit := func(name string, d *data.Dataset, o data.EncoderOptions, scale *data.Affine, learn func(x data.DenseRows, y []float64, codes []int) (learn.Saver[kernel.Vec], error)) {
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
	for _, scaling := range []data.Scaling{data.NoScaling, data.Standardize, data.MinMax, data.Robust, data.MaxAbs} {
		o := data.EncoderOptions{Scaling: scaling}
		width := gauss
		if scaling == data.NoScaling {
			width.Lengthscale = 50
		}
		fit(fmt.Sprint("svr ", scaling), exportTable(n, "y"), o, nil, func(x data.DenseRows, y []float64, _ []int) (learn.Saver[kernel.Vec], error) {
			return svm.Regression[kernel.Vec]{Kernel: width, C: 1000, Epsilon: 1}.Fit(ctx, x, y)
		})
		fit(fmt.Sprint("ridge, target scaled ", scaling), exportTable(n, "y"), o, &data.Affine{Center: 5e4, Factor: 0.01}, func(x data.DenseRows, y []float64, _ []int) (learn.Saver[kernel.Vec], error) {
			return ridge.Regression[kernel.Vec]{Kernel: width, Lambda: 0.1, Intercept: true}.Fit(ctx, x, y)
		})
		fit(fmt.Sprint("svc ", scaling), exportTable(n, "two"), o, nil, func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
			return svm.Classification[kernel.Vec, int]{Kernel: width, C: 10}.Fit(ctx, x, codes)
		})
		fit(fmt.Sprint("svc of 3 with probabilities ", scaling), exportTable(n, "three"), o, nil, func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
			return svm.Classification[kernel.Vec, int]{Kernel: width, C: 10, Probability: true}.Fit(ctx, x, codes)
		})
	}
	o := data.EncoderOptions{}
	fit("svc of 3 by votes", exportTable(n, "three"), o, nil, func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
		return svm.Classification[kernel.Vec, int]{Kernel: gauss, C: 10}.Fit(ctx, x, codes)
	})
	fit("svc with probabilities", exportTable(n, "two"), o, nil, func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
		return svm.Classification[kernel.Vec, int]{Kernel: kernel.Linear{}, Probability: true}.Fit(ctx, x, codes)
	})
	fit("svc one against the rest", exportTable(n, "three"), o, nil, func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
		return svm.Classification[kernel.Vec, int]{Kernel: kernel.Polynomial{Degree: 2, Gamma: 0.5, Offset: 1}, Probability: true, MultiClass: learn.OneVsRest}.Fit(ctx, x, codes)
	})
	fit("ridge classifier", exportTable(n, "two"), o, nil, func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
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
		fit("logistic "+target, exportTable(n, target), o, nil, func(x data.DenseRows, _ []float64, codes []int) (learn.Saver[kernel.Vec], error) {
			return logistic.Regression[kernel.Vec, int]{Kernel: kernel.Scale[kernel.Vec](2, gauss), Lambda: 0.1, Intercept: true}.Fit(ctx, x, codes)
		})
	}
	fit("gp of a sum", exportTable(n, "y"), o, nil, func(x data.DenseRows, y []float64, _ []int) (learn.Saver[kernel.Vec], error) {
		k := kernel.Sum(kernel.Scale[kernel.Vec](1e5, gauss), kernel.Kernel[kernel.Vec](kernel.Linear{}))
		return gp.Regression[kernel.Vec]{Kernel: k, Noise: 100, FitMean: true, HyperOptions: gp.HyperOptions{FixedKernel: true}, FixedNoise: true}.Fit(ctx, x, y)
	})
	return out
}

// sparseOf is the numeric columns as rows of LIBSVM, scaled where there is a range.
func sparseOf(t *testing.T, d *data.Dataset, ranges string) data.SparseRows {
	t.Helper()
	features := without(d, d.Target)
	features.Target = ""
	x := must(must(data.FitEncoder(features, data.EncoderOptions{Scaling: data.NoScaling})).Transform(features))
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

// TestLIBSVMExportKeepsScaling reads what is exported back, with rows scaled by the range file: the same numbers come out
// whatever the encoder did, or the export is refused.
func TestLIBSVMExportKeepsScaling(t *testing.T) {
	ranged := 0
	for _, c := range exportCases(t, false) {
		var text, ranges bytes.Buffer
		err := c.model.WriteLIBSVM(&text, LIBSVMOptions{Range: &ranges})
		var unfit *UnfitError
		if errors.As(err, &unfit) {
			if !strings.HasPrefix(c.name, "logistic three") && !strings.HasPrefix(c.name, "svc one against") && !strings.HasPrefix(c.name, "gp of a sum") {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if ranges.Len() > 0 {
			ranged++
			if err := c.model.WriteLIBSVM(&bytes.Buffer{}, LIBSVMOptions{}); !errors.As(err, &unfit) {
				t.Errorf("%s: without a place for the scaling the error is %v, want an UnfitError", c.name, err)
			}
		}
		back := must(ReadLIBSVM(&text))
		here := must(c.model.Predict(t.Context(), c.d, Want{}))
		rows := sparseOf(t, c.d, ranges.String())
		there := must(back.PredictEncoded(t.Context(), &data.Encoded{Sparse: &rows, Kept: here.Rows}, Want{}))
		if here.Values != nil {
			sameValues(t, c.name, there.Values, here.Values, 1e-9)
			continue
		}
		labels := c.model.LIBSVMLabels()
		for i, code := range here.Codes {
			if there.Labels[i] != strconv.Itoa(labels[code]) {
				t.Errorf("%s: row %d is %s there, %s here", c.name, i, there.Labels[i], here.Labels[i])
				break
			}
		}
	}
	if ranged < 16 {
		t.Errorf("%d models had a range file, want those of 4 scalings", ranged)
	}
}

// TestLIBSVMExportRefusesWhatRowsCannotHold has columns that LIBSVM's rows have no place for.
func TestLIBSVMExportRefusesWhatRowsCannotHold(t *testing.T) {
	for _, c := range exportCases(t, true)[:4] {
		var unfit *UnfitError
		if err := c.model.WriteLIBSVM(&bytes.Buffer{}, LIBSVMOptions{Range: &bytes.Buffer{}}); !errors.As(err, &unfit) || !strings.Contains(err.Error(), `column "c" is`) {
			t.Errorf("%s: error %v, want one about column c", c.name, err)
		}
		// For rows that are encoded already it is as good as any other.
		var text bytes.Buffer
		if err := c.model.WriteLIBSVM(&text, LIBSVMOptions{Encoded: true}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		back, here := must(ReadLIBSVM(&text)), must(c.model.Predict(t.Context(), c.d, Want{}))
		x := must(c.model.Info().Encoder.Transform(c.d))
		rows := libsvm.ToSparse(x.Dense)
		there := must(back.PredictEncoded(t.Context(), &data.Encoded{Sparse: &rows, Kept: here.Rows}, Want{}))
		if here.Values != nil {
			sameValues(t, c.name, there.Values, here.Values, 1e-9)
		}
	}
}

// TestLIBSVMLabels: classes that are different whole numbers are the labels, others their codes, which
// is what a data set that is written as LIBSVM's rows has for them.
func TestLIBSVMLabels(t *testing.T) {
	for _, c := range []struct{ classes, want string }{{"-1 1", "[-1 1]"}, {"no yes", "[0 1]"}, {"01 1", "[0 1]"}, {"2 3 x", "[0 1 2]"}} {
		m := &Model{info: Info{Classes: strings.Fields(c.classes)}}
		if got := fmt.Sprint(m.LIBSVMLabels()); got != c.want {
			t.Errorf("classes %s: labels %s, want %s", c.classes, got, c.want)
		}
	}
}

// TestRealSVMPredictSaysTheSame runs svm-scale and svm-predict themselves.
func TestRealSVMPredictSaysTheSame(t *testing.T) {
	needLIBSVM(t)
	for _, c := range exportCases(t, false) {
		var text, ranges bytes.Buffer
		if err := c.model.WriteLIBSVM(&text, LIBSVMOptions{Range: &ranges}); err != nil {
			continue // refused, as another test has it
		}
		dir := t.TempDir()
		file := func(name string) string { return filepath.Join(dir, name) }
		var rows bytes.Buffer
		x := sparseOf(t, c.d, "")
		must(0, errors.Join(libsvm.Write(&rows, x, make([]float64, x.Len()), nil), os.WriteFile(file("rows"), rows.Bytes(), 0o600),
			os.WriteFile(file("model"), text.Bytes(), 0o600), os.WriteFile(file("range"), ranges.Bytes(), 0o600)))
		given := file("rows")
		if ranges.Len() > 0 {
			given = file("scaled")
			scaled, err := exec.Command("svm-scale", "-r", file("range"), file("rows")).Output()
			must(0, errors.Join(err, os.WriteFile(given, scaled, 0o600)))
		}
		proba := c.model.HasProba() && c.model.Learner() == "svc"
		said := svmPredict(t, given, file("model"), proba)
		here := must(c.model.Predict(t.Context(), c.d, Want{Proba: proba}))
		if proba {
			said = said[1:]
		}
		labels := c.model.LIBSVMLabels()
		wrong := 0
		there := make([]float64, len(said))
		for i, line := range said {
			there[i] = must(strconv.ParseFloat(line[0], 64))
			if here.Values == nil && int(there[i]) != labels[here.Codes[i]] {
				wrong++
			}
		}
		if here.Values != nil {
			sameValues(t, c.name, there, here.Values, 1e-4) // svm-scale and svm-predict write 6 digits
		} else if wrong > 0 {
			t.Errorf("%s: svm-predict says another class for %d of %d rows", c.name, wrong, len(said))
		}
	}
}

// asCSV writes the columns of a data set; numbers read back as they are, and what is missing is empty.
func asCSV(t *testing.T, d *data.Dataset) string {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := make([][]string, d.Len()+1)
	for _, c := range d.Columns {
		rows[0] = append(rows[0], c.Name)
		for i := range d.Len() {
			text := c.String(i)
			if c.IsMissing(i) {
				text = ""
			}
			rows[i+1] = append(rows[i+1], text)
		}
	}
	must(0, w.WriteAll(rows))
	return b.String()
}

// needPython finds a Python.
func needPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv("MERCER_PYTHON")
	if python == "" {
		python = "python3"
	}
	if err := exec.Command(python, "-c", "import json").Run(); err != nil {
		t.Skipf("NOT TESTED: no Python (%s): %v", python, err)
	}
	return python
}

// TestPythonReadsJSON lets a Python program without packages predict from the JSON file.
func TestPythonReadsJSON(t *testing.T) {
	python := needPython(t)
	dir := t.TempDir()
	for i, c := range append(exportCases(t, true), missingCases(t)...) {
		modelFile, rows := filepath.Join(dir, fmt.Sprint(i, ".json")), filepath.Join(dir, fmt.Sprint(i, ".csv"))
		var text bytes.Buffer
		if err := c.model.WriteJSON(&text); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		must(0, errors.Join(os.WriteFile(modelFile, text.Bytes(), 0o600), os.WriteFile(rows, []byte(asCSV(t, c.d)), 0o600)))
		said := runTool(t, python, "testdata/run_json.py", modelFile, rows)
		comparePython(t, c, must(csv.NewReader(strings.NewReader(said)).ReadAll()))
	}
}

func comparePython(t *testing.T, c exportCase, lines [][]string) {
	t.Helper()
	how, _ := c.model.body.record().rule("")
	here := must(c.model.Predict(t.Context(), c.d, Want{Proba: how.proba != ""}))
	if len(lines) != here.Len() {
		t.Errorf("%s: %d predictions there, %d here", c.name, len(lines), here.Len())
		return
	}
	values := make([]float64, len(lines))
	for i, line := range lines {
		if here.Values != nil {
			values[i] = must(strconv.ParseFloat(line[0], 64))
			continue
		}
		if line[0] != here.Labels[i] {
			t.Errorf("%s: row %d is %s there, %s here", c.name, i, line[0], here.Labels[i])
			return
		}
		for k, p := range line[1:] {
			if there := must(strconv.ParseFloat(p, 64)); math.Abs(there-here.Proba.At(i, k)) > 1e-6 {
				t.Errorf("%s: row %d: probability %d is %g there, %g here", c.name, i, k, there, here.Proba.At(i, k))
				return
			}
		}
	}
	if here.Values != nil {
		sameValues(t, c.name, values, here.Values, 1e-9)
	}
}

// missingCases have holes that are filled in, marked, or coded.
func missingCases(t *testing.T) []exportCase {
	t.Helper()
	var out []exportCase
	for _, missing := range []data.MissingPolicy{data.MissingMean, data.MissingIndicator} {
		for _, coded := range []data.CategoryPolicy{data.CategoryOneHot, data.CategoryCode} {
			d := exportTable(60, "y")
			var levels []string
			for i := range d.Len() {
				level := d.Columns[2].String(i)
				if i%7 == 3 {
					d.Columns[0].Numbers[i] = math.NaN()
				}
				if i%11 == 5 {
					level = ""
				}
				levels = append(levels, level)
			}
			d.Columns[2] = data.LevelColumn("c", levels)
			e := must(data.FitEncoder(d, data.EncoderOptions{Missing: missing, Categories: coded}))
			x := must(e.TransformLabelled(d))
			m := must(ridge.Regression[kernel.Vec]{Kernel: kernel.Laplace{Lengthscale: 2}, Lambda: 0.1}.Fit(t.Context(), x.Dense, x.Target))
			out = append(out, exportCase{fmt.Sprint("ridge ", missing, " ", coded), must(New(m, Info{Encoder: e})), d})
		}
	}
	return out
}

// TestTenLinesOfPython runs the program of the documentation.
func TestTenLinesOfPython(t *testing.T) {
	python := needPython(t)
	program := string(must(os.ReadFile("testdata/ten_lines.py")))
	if n := strings.Count(program, "\n"); n > 10 {
		t.Errorf("the program has %d lines", n)
	}
	if page := string(must(os.ReadFile("../docs/models.md"))); !strings.Contains(page, program) {
		t.Error("docs/models.md does not show testdata/ten_lines.py")
	}
	dir := t.TempDir()
	for i, c := range exportCases(t, true) {
		if !strings.HasPrefix(c.name, "svr") && c.name != "ridge classifier" {
			continue
		}
		modelFile, rows := filepath.Join(dir, fmt.Sprint(i, ".json")), filepath.Join(dir, fmt.Sprint(i, ".csv"))
		var text bytes.Buffer
		must(0, errors.Join(c.model.WriteJSON(&text), os.WriteFile(modelFile, text.Bytes(), 0o600), os.WriteFile(rows, []byte(asCSV(t, c.d)), 0o600)))
		var lines [][]string
		for line := range strings.Lines(runTool(t, python, "testdata/ten_lines.py", modelFile, rows)) {
			lines = append(lines, []string{strings.TrimSpace(line)})
		}
		comparePython(t, c, lines)
	}
}

// onnxInputs is what a graph is fed of a data set.
func onnxInputs(d *data.Dataset) map[string]nd {
	in := map[string]nd{}
	var numbers [][]float64
	for _, c := range d.Columns {
		switch {
		case c.Name == d.Target:
		case c.Kind == data.Numeric:
			numbers = append(numbers, c.Numbers)
		default:
			x := nd{dims: []int{d.Len(), 1}}
			for i := range d.Len() {
				text := c.String(i)
				if c.IsMissing(i) {
					text = ""
				}
				x.str = append(x.str, text)
			}
			in[c.Name] = x
		}
	}
	x := nd{dims: []int{d.Len(), len(numbers)}}
	for i := range d.Len() {
		for _, column := range numbers {
			x.num = append(x.num, column[i])
		}
	}
	in["features"] = x
	return in
}

// TestONNXGraphsSayTheSame runs the graphs by the operators' definitions: numbers, classes and probabilities are
// those of the model, for every encoder.
func TestONNXGraphsSayTheSame(t *testing.T) {
	for _, c := range append(exportCases(t, true), missingCases(t)...) {
		var file bytes.Buffer
		if err := c.model.WriteONNX(&file, ONNXOptions{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		compareONNX(t, c, evaluateONNX(t, file.Bytes(), onnxInputs(c.d)))
	}
}

func compareONNX(t *testing.T, c exportCase, there map[string]nd) {
	t.Helper()
	how, _ := c.model.body.record().rule("")
	here := must(c.model.Predict(t.Context(), c.d, Want{Scores: true, Proba: how.proba != ""}))
	if here.Values != nil {
		sameValues(t, c.name, there["prediction"].num, here.Values, 1e-9)
		return
	}
	if !slices.Equal(there["label"].str, here.Labels) {
		t.Errorf("%s: labels %v there, %v here", c.name, there["label"].str, here.Labels)
	}
	sameValues(t, c.name+" scores", there["scores"].num, here.Scores.RawMatrix().Data, 1e-9)
	if here.Proba != nil {
		sameValues(t, c.name+" probabilities", there["probabilities"].num, here.Proba.RawMatrix().Data, 1e-6)
	}
}

// TestONNXLabelOfNothing: a row with a hole that Predict would refuse has no label there.
func TestONNXLabelOfNothing(t *testing.T) {
	for _, c := range exportCases(t, true) {
		if c.model.Classes() == nil {
			continue
		}
		var file bytes.Buffer
		must(0, c.model.WriteONNX(&file, ONNXOptions{}))
		in := onnxInputs(c.d)
		in["features"].num[0] = math.NaN()
		if said := evaluateONNX(t, file.Bytes(), in)["label"].str; said[0] != "" || said[1] == "" {
			t.Errorf("%s: labels %q and %q, want none for the first row alone", c.name, said[0], said[1])
		}
	}
}

// TestONNXColumnsNamedAsOutputs: a column may be called label, or features, or as a node of the graph.
func TestONNXColumnsNamedAsOutputs(t *testing.T) {
	for _, name := range []string{"label", "features", "scores", "constant_3", "MatMul_20"} {
		d := exportTable(60, "two")
		d.Columns[2].Name = name
		e := must(data.FitEncoder(d, data.EncoderOptions{}))
		x := must(e.TransformLabelled(d))
		m := must(New(must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{}}.Fit(t.Context(), x.Dense, x.Codes())), Info{Encoder: e}))
		var file bytes.Buffer
		must(0, m.WriteONNX(&file, ONNXOptions{}))
		in := onnxInputs(d)
		for _, taken := range []string{"label", "features", "scores"} {
			if name == taken {
				in[name+"_"] = in[name]
				if name != "features" {
					delete(in, name)
				}
			}
		}
		if name == "features" { // both are called so; onnxInputs has the numbers last
			other := exportTable(60, "two")
			in["features_"] = onnxInputs(other)["c"]
		}
		compareONNX(t, exportCase{name, m, d}, evaluateONNX(t, file.Bytes(), in))
	}
}
