package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// onnxPython finds a Python that has onnxruntime: MERCER_PYTHON, else python3.
func onnxPython(t *testing.T) string {
	t.Helper()
	python := os.Getenv("MERCER_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import onnxruntime").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: %s has no onnxruntime (pip install onnxruntime, or set MERCER_PYTHON): %v %s", python, err,
			bytes.TrimSpace(out))
	}
	return python
}

// onnxCase is a model, what it is fed there, and what it says here.
type onnxCase struct {
	model  *Model
	core   bool
	inputs map[string]any
	here   *Prediction
	tol    float64
}

func rowsOf(x *mat.Dense) [][]any {
	n, d := x.Dims()
	out := make([][]any, n)
	for i := range out {
		for j := range d {
			out[i] = append(out[i], x.At(i, j))
		}
	}
	return out
}

type onnxResult struct {
	Label         []string
	Prediction    [][]float64
	Probabilities [][]float64
	Scores        [][]float64
	Error         string
}

// runONNX exports all cases and runs them in one process of onnxruntime.
func runONNX(t *testing.T, cases map[string]onnxCase) map[string]onnxResult {
	t.Helper()
	python := onnxPython(t)
	dir := t.TempDir()
	names := container.SortedKeys(cases)
	for i, name := range names {
		c := cases[name]
		var b bytes.Buffer
		if err := c.model.WriteONNX(&b, ONNXOptions{Single: !c.core}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := must(json.Marshal(c.inputs))
		base := filepath.Join(dir, fmt.Sprintf("%03d", i))
		if err := errors.Join(os.WriteFile(base+".onnx", b.Bytes(), 0o600),
			os.WriteFile(base+".json", text, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	runTool(t, python, "testdata/run_onnx.py", dir)
	out := map[string]onnxResult{}
	for i, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%03d.out.json", i)))
		if err != nil {
			continue // not exported: said above
		}
		var r onnxResult
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v in %s", name, err, text)
		}
		out[name] = r
	}
	return out
}

func nearRows(t *testing.T, what string, got [][]float64, want *mat.Dense, tol float64) {
	t.Helper()
	n, d := want.Dims()
	if len(got) != n || len(got[0]) != d {
		t.Errorf("%s: %d rows, want %d×%d", what, len(got), n, d)
		return
	}
	for i := range n {
		for j := range d {
			if w := want.At(i, j); !(math.Abs(got[i][j]-w) <= tol*(1+math.Abs(w))) {
				t.Errorf("%s (%d, %d): onnxruntime says %.17g, we %.17g", what, i, j, got[i][j], w)
				return
			}
		}
	}
}

func TestONNXRuntimeSaysTheSame(t *testing.T) {
	ctx := context.Background()
	xm, class, value := threeClasses(90, 4)
	n := 60
	train := data.Rows(xm.Slice(0, n, 0, 4).(*mat.Dense))
	test := mat.DenseCopyOf(xm.Slice(n, 90, 0, 4))
	abs := func(m *mat.Dense) *mat.Dense { // for kernels on histograms
		out := mat.DenseCopyOf(m)
		out.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, out)
		return out
	}
	cases := map[string]onnxCase{}
	add := func(name string, m *Model, core bool, x *mat.Dense, tol float64) {
		here := must(m.PredictEncoded(t.Context(), encoded(data.Rows(x)), Want{Scores: true, Proba: m.HasProba()}))
		cases[name] = onnxCase{m, core, map[string]any{"features": rowsOf(x)}, here, tol}
	}
	g := kernel.Gaussian{Lengthscale: 1.5}
	for name, k := range map[string]kernel.Kernel[kernel.Vec]{
		"linear": kernel.Linear{}, "poly": kernel.Polynomial{Offset: 1}, "gaussian": g,
		"sigmoid": kernel.Sigmoid{Gamma: 0.05}, "hartley": kernel.Hartley{},
		"scaled": kernel.Scale[kernel.Vec](1.7, g),
	} {
		svr := must(New(must(svm.Regression[kernel.Vec]{Kernel: k}.Fit(ctx, train, value[:n])),
			Info{TargetScale: &data.Affine{Center: 2, Factor: 3}}))
		two := must(New(must(svm.Classification[kernel.Vec, int]{Kernel: k}.Fit(ctx, train, twoClasses(class[:n]))),
			Info{Classes: []string{"no", "yes"}}))
		three := must(New(must(svm.Classification[kernel.Vec, int]{Kernel: k}.Fit(ctx, train, class[:n])),
			Info{Classes: []string{"a", "b", "c"}}))
		for _, core := range []bool{false, true} {
			tol := 1e-4 // single precision
			if core {
				tol = 1e-9
			}
			add(fmt.Sprint("svr ", name, core), svr, core, test, tol)
			add(fmt.Sprint("svc2 ", name, core), two, core, test, tol)
			add(fmt.Sprint("svc3 ", name, core), three, core, test, tol)
		}
		// The operator couples pairs as LIBSVM does, to a residual of 0.005/classes.
		probable := must(New(must(svm.Classification[kernel.Vec, int]{Kernel: k, Probability: true}.Fit(ctx, train,
			class[:n])), Info{}))
		add("probability3 "+name, probable, false, test, 5e-3)
		add("probability3 core "+name, probable, true, test, 1e-6)
		likely := must(New(must(svm.Classification[kernel.Vec, int]{Kernel: k, Probability: true}.Fit(ctx, train,
			twoClasses(class[:n]))), Info{}))
		add("probability2 "+name, likely, false, test, 5e-3)
		add("probability2 core "+name, likely, true, test, 1e-9)
		rest := must(New(must(svm.Classification[kernel.Vec, int]{Kernel: k, Probability: true,
			MultiClass: learn.OneVsRest}.Fit(ctx, train, class[:n])), Info{}))
		restTol := 1e-9
		if name == "linear" {
			// No plane tells the middle class from the others: its decision values are -1 to six
			// digits, its sigmoid has the slope 8e4, and so has the rounding of a decision value in
			// the probability.
			restTol = 1e-7
		}
		add("one-vs-rest "+name, rest, false, test, restTol)
		one := must(New(must(svm.OneClass[kernel.Vec]{Kernel: k, Nu: 0.3}.Fit(ctx, train)), Info{}))
		add("one-class "+name, one, false, test, 1e-9)
	}
	positive, positiveTest := data.Rows(abs(xm.Slice(0, n, 0, 4).(*mat.Dense))), abs(test)
	for name, k := range map[string]kernel.Kernel[kernel.Vec]{
		"laplace": kernel.Laplace{Lengthscale: 2}, "laplacel1": kernel.LaplaceL1{Lengthscale: 2},
		"rq":         kernel.RationalQuadratic{Alpha: 0.7},
		"matern 1/2": kernel.Matern{Nu: 0.5}, "matern 3/2": kernel.Matern{Nu: 1.5, Lengthscale: 2},
		"matern 7/2": kernel.Matern{Nu: 3.5},
		"periodic":   kernel.Periodic{Period: 3}, "exponential": kernel.Exponential{Gamma: 0.1},
		"chi2":    kernel.ChiSquare{Gamma: 0.5},
		"addchi2": kernel.AdditiveChiSquare{}, "intersection": kernel.Intersection{}, "cosine": kernel.Cosine{},
		"ard":       kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{1, 2, 0.5, 3}},
		"columns":   kernel.On(g, 3, 1),
		"quadratic": kernel.QuadraticForm{A: mat.NewSymDense(4, []float64{2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3})},
		"algebra": kernel.Sum(kernel.Constant[kernel.Vec](0.5), kernel.Product[kernel.Vec](g, kernel.Polynomial{Offset: 1}),
			kernel.Power[kernel.Vec](kernel.Linear{}, 2), kernel.Normalize[kernel.Vec](kernel.Polynomial{Offset: 2}),
			kernel.Exp[kernel.Vec](kernel.Cosine{})),
		"polynomial": kernel.Powers[kernel.Vec](g, 0.1, 1, 0.5),
	} {
		m := must(New(must(ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 0.1}.Fit(ctx, positive, value[:n])), Info{}))
		add("ridge "+name, m, false, positiveTest, 1e-6)
	}
	for _, c := range fittedCases(t) { // every learner, in core operators
		if c.name == "gp-classifier 3" {
			var unfits *UnfitError
			if err := c.model.WriteONNX(&bytes.Buffer{}, ONNXOptions{}); !errors.As(err, &unfits) {
				t.Errorf("%s: error %v, want an UnfitError", c.name, err)
			}
			continue
		}
		add("fitted "+c.name, c.model, true, matOf(c.x), 1e-6)
		if strings.HasPrefix(c.name, "gp-classifier") {
			here := cases["fitted "+c.name]
			here.here.Proba = nil // averages of sigmoids are not exported
		}
	}
	for _, c := range append(machineCases[kernel.Vec](g, data.Rows(xm), encoded(data.Rows(xm)), class, value, "", true),
		splineCase()) {
		if strings.HasPrefix(c.name, "knn") || c.name == "spline" || c.name == "rvm classifier 3" {
			var unfits *UnfitError
			if err := c.model.WriteONNX(&bytes.Buffer{}, ONNXOptions{}); !errors.As(err, &unfits) {
				t.Errorf("%s: error %v, want an UnfitError", c.name, err)
			}
			continue
		}
		add("machine "+c.name, c.model, false, matOf(c.x), 1e-6)
		if c.name == "rvm classifier 2" {
			here := cases["machine "+c.name]
			here.here.Proba = nil // they depend on variances, and are not exported
		}
	}
	for name, r := range runONNX(t, cases) {
		c := cases[name]
		if r.Error != "" {
			t.Errorf("%s: onnxruntime: %s", name, r.Error)
			continue
		}
		if c.here.Labels == nil {
			nearRows(t, name, r.Prediction, c.here.Scores, c.tol)
			continue
		}
		if !reflect.DeepEqual(r.Label, c.here.Labels) {
			t.Errorf("%s: onnxruntime labels\n%v, we\n%v", name, r.Label, c.here.Labels)
		}
		if r.Scores != nil {
			nearRows(t, name+" scores", r.Scores, c.here.Scores, c.tol)
		}
		if c.here.Proba != nil {
			nearRows(t, name+" probabilities", r.Probabilities, c.here.Proba, c.tol)
		}
	}
}

// TestONNXEncodesColumns runs a graph that scales numbers, fills in what is
// missing and codes categories.
func TestONNXEncodesColumns(t *testing.T) {
	d := table()
	d.Columns = append([]data.Column{data.LevelColumn("shape", nil)}, append(d.Columns, data.NumberColumn("b", nil))...)
	for i := range 60 {
		shape := []string{"round", "square", ""}[i%5%3]
		d.Columns[0].Codes = append(d.Columns[0].Codes, 0)
		d.Columns[0].Strings = append(d.Columns[0].Strings, shape)
		b := math.Sqrt(float64(i))
		if i%11 == 4 {
			b = math.NaN()
		}
		d.Columns[4].Numbers = append(d.Columns[4].Numbers, b)
	}
	d.Columns[0] = data.LevelColumn("shape", d.Columns[0].Strings)
	cases := map[string]onnxCase{}
	for _, missing := range []data.MissingPolicy{"mean", "indicator"} {
		for _, coded := range []data.CategoryPolicy{"onehot", "code"} {
			e := must(data.FitEncoder(d, data.EncoderOptions{Missing: missing, Categories: coded, Unseen: "zero"}))
			x := must(e.TransformLabelled(d))
			var y []int
			for _, v := range x.Target {
				y = append(y, int(v))
			}
			m := must(New(must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Matern{Nu: 1.5},
				C: 5}.Fit(context.Background(), x.Dense, y)), Info{Encoder: e}))
			inputs := map[string]any{}
			var features [][]any
			var shape, colour [][]any
			for i := range d.Len() {
				var row []any
				for _, v := range []float64{d.Columns[1].Numbers[i], d.Columns[4].Numbers[i]} {
					if math.IsNaN(v) {
						row = append(row, "nan")
					} else {
						row = append(row, v)
					}
				}
				features = append(features, row)
				shape, colour = append(shape, []any{d.Columns[0].String(i)}), append(colour, []any{d.Columns[2].String(i)})
			}
			inputs["features"], inputs["shape"], inputs["c"] = features, shape, colour
			cases[fmt.Sprint(missing, " ", coded)] = onnxCase{m, false, inputs,
				must(m.Predict(t.Context(), d, Want{Scores: true})), 1e-7}
		}
	}
	for name, r := range runONNX(t, cases) {
		c := cases[name]
		if r.Error != "" {
			t.Errorf("%s: onnxruntime: %s", name, r.Error)
			continue
		}
		if !reflect.DeepEqual(r.Label, c.here.Labels) {
			t.Errorf("%s: onnxruntime labels %v, we %v", name, r.Label, c.here.Labels)
		}
		nearRows(t, name+" scores", r.Scores, c.here.Scores, c.tol)
	}
}

// TestONNXRuntimeEncodesAsHere runs every encoder and every decision by onnxruntime.
func TestONNXRuntimeEncodesAsHere(t *testing.T) {
	onnxPython(t)
	cases, from := map[string]onnxCase{}, map[string]exportCase{}
	for _, c := range append(exportCases(t, true), missingCases(t)...) {
		inputs := map[string]any{}
		for name, x := range onnxInputs(c.d) {
			var rows [][]any
			for i := range x.dims[0] {
				var row []any
				for j := range x.dims[1] {
					switch at := i*x.dims[1] + j; {
					case x.str != nil:
						row = append(row, x.str[at])
					case math.IsNaN(x.num[at]):
						row = append(row, "nan")
					default:
						row = append(row, x.num[at])
					}
				}
				rows = append(rows, row)
			}
			inputs[name] = rows
		}
		cases[c.name], from[c.name] = onnxCase{model: c.model, core: true, inputs: inputs}, c
	}
	for name, r := range runONNX(t, cases) {
		if r.Error != "" {
			t.Errorf("%s: onnxruntime: %s", name, r.Error)
			continue
		}
		flat := func(rows [][]float64) (x nd) {
			for _, row := range rows {
				x.num = append(x.num, row...)
			}
			return x
		}
		compareONNX(t, from[name], map[string]nd{"label": {str: r.Label}, "prediction": flat(r.Prediction),
			"scores": flat(r.Scores), "probabilities": flat(r.Probabilities)})
	}
}
