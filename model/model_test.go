package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// threeClasses is points around three centres, with class codes and a number.
func threeClasses(n, d int) (x *mat.Dense, class []int, value []float64) {
	rng := rand.New(rand.NewPCG(7, 11))
	x = mat.NewDense(n, d, nil)
	for i := range n {
		c := i % 3
		class = append(class, c)
		sum := 0.0
		for j := range d {
			v := rng.NormFloat64() + float64(c*(1+j%2))
			x.Set(i, j, v)
			sum += v * float64(j+1)
		}
		value = append(value, sum/float64(d)+0.1*rng.NormFloat64())
	}
	return x, class, value
}

func twoClasses(class []int) []int {
	out := make([]int, len(class))
	for i, c := range class {
		out[i] = min(c, 1)
	}
	return out
}

func sparsely(x *mat.Dense) data.SparseRows {
	r, d := x.Dims()
	rows := make([]data.SparseVec, r)
	for i := range rows {
		for j := range d {
			if v := x.At(i, j); v > 0 {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, v)
			}
		}
	}
	return data.SparseOf(rows, d)
}

// fittedCase is a fitted model and its own predictions.
type fittedCase struct {
	name   string
	model  *Model
	x      *data.Encoded
	values []float64
	codes  []int
	proba  *mat.Dense
	std    []float64
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func encoded(x data.DenseRows) *data.Encoded {
	e := &data.Encoded{Dense: x}
	for i := range x.Len() {
		e.Kept = append(e.Kept, i)
	}
	return e
}

func encodedSparse(x data.SparseRows) *data.Encoded {
	e := &data.Encoded{Sparse: &x}
	for i := range x.Len() {
		e.Kept = append(e.Kept, i)
	}
	return e
}

// fittedCases fits every learner that can be saved.
func fittedCases(t testing.TB) []fittedCase {
	t.Helper()
	return slices.Clip(keptCases())
}

// keptCases fits them once for all tests.
var keptCases = sync.OnceValue(func() []fittedCase {
	ctx := context.Background()
	xm, class, value := threeClasses(90, 4)
	x, sx := data.Rows(xm), sparsely(xm)
	test := encoded(x)
	k := kernel.Gaussian{Lengthscale: 1.7}
	var out []fittedCase

	svc := must(svm.Classification[kernel.Vec, int]{Kernel: k, C: 3, Probability: true}.Fit(ctx, x, class))
	out = append(out, fittedCase{"svc", must(New(svc, Info{Classes: []string{"a", "b", "c"}})), test, nil,
		must(svc.Predict(context.Background(), x)), must(svc.Proba(context.Background(), x)), nil})
	rest := must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Sum[kernel.Vec](kernel.Linear{},
		kernel.Scale[kernel.Vec](0.3, kernel.Matern{Nu: 2.5, Lengthscale: 2})), MultiClass: learn.OneVsRest}.Fit(ctx, x,
		class))
	out = append(out, fittedCase{"svc one-vs-rest", must(New(rest, Info{})), test, nil,
		must(rest.Predict(context.Background(), x)), nil, nil})
	two := must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Polynomial{Degree: 2, Offset: 1}, Nu: 0.4}.Fit(ctx, x,
		twoClasses(class)))
	out = append(out, fittedCase{"nu-svc", must(New(two, Info{})), test, nil, must(two.Predict(context.Background(), x)),
		nil, nil})

	svr := must(svm.Regression[kernel.Vec]{Kernel: k, C: 10}.Fit(ctx, x, value))
	out = append(out, fittedCase{"svr", must(New(svr, Info{})), test, must(svr.Predict(context.Background(), x)), nil, nil,
		nil})
	ridge := must(ridge.Regression[kernel.Vec]{Kernel: kernel.ARD{Kernel: kernel.Gaussian{},
		Lengthscales: []float64{1, 2, 3, 0.7}}, Lambda: 0.1}.Fit(ctx, x, value))
	out = append(out, fittedCase{"ridge", must(New(ridge, Info{})), test, must(ridge.Predict(context.Background(), x)),
		nil, nil, nil})

	sk := must(kernel.OnSparse(k, 4))
	sparse := must(svm.Classification[data.SparseVec, int]{Kernel: sk, C: 3}.Fit(ctx, sx, class))
	out = append(out, fittedCase{"sparse svc", must(New(sparse, Info{})), encodedSparse(sx), nil,
		must(sparse.Predict(context.Background(), sx)), nil, nil})

	one := must(svm.OneClass[kernel.Vec]{Kernel: k, Nu: 0.3}.Fit(ctx, x))
	var inside []int
	for _, in := range must(one.Predict(context.Background(), x)) {
		c := 0
		if in {
			c = 1
		}
		inside = append(inside, c)
	}
	out = append(out, fittedCase{"one-class", must(New(one, Info{})), test, nil, inside, nil, nil})

	out = append(out, moreCases(x, sx, class, value, k, sk)...)
	gram := mat.NewDense(90, 90, nil)
	kernel.Block(context.Background(), k, gram, x, x)
	pre := kernel.Precomputed{K: gram}
	index := data.Indices(90)
	pc := must(svm.Classification[int, int]{Kernel: pre, C: 3}.Fit(ctx, index, class))
	out = append(out, fittedCase{"precomputed svc", must(New(pc, Info{})), encoded(data.Rows(gram)), nil,
		must(pc.Predict(context.Background(), index)), nil, nil})
	return out
})

func predictAll(t testing.TB, m *Model, x *data.Encoded) *Prediction {
	t.Helper()
	p, err := m.PredictEncoded(t.Context(), x, Want{Scores: true, Proba: m.HasProba(), Std: m.HasStd()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func encodeModel(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPredictionsKeepEveryBitThroughAFile(t *testing.T) { roundTrip(t, fittedCases(t)) }

// roundTrip holds predictions before and after a file against those of the
// fitted model.
func roundTrip(t *testing.T, cases []fittedCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := predictAll(t, c.model, c.x)
			if c.values != nil && !reflect.DeepEqual(before.Values, c.values) {
				t.Errorf("values differ from the fitted model's")
			}
			if c.codes != nil && !reflect.DeepEqual(before.Codes, c.codes) {
				t.Errorf("classes differ from the fitted model's")
			}
			if c.proba != nil && !reflect.DeepEqual(before.Proba, c.proba) {
				t.Errorf("probabilities differ from the fitted model's")
			}
			if c.std != nil && !reflect.DeepEqual(before.Std, c.std) {
				t.Errorf("standard deviations differ from the fitted model's")
			}
			b := encodeModel(t, c.model)
			back, err := Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			if after := predictAll(t, back, c.x); !reflect.DeepEqual(before, after) {
				t.Errorf("predictions changed in the file")
			}
			if again := encodeModel(t, back); !bytes.Equal(b, again) {
				t.Errorf("the file of the loaded model differs")
			}
			if back.Learner() != c.model.Learner() || back.Kernel() != c.model.Kernel() ||
				!reflect.DeepEqual(back.Classes(), c.model.Classes()) {
				t.Errorf("came back as %s of %s with classes %v", back.Learner(), back.Kernel(), back.Classes())
			}
		})
	}
}

// table is a data set with a number, a category and a target.
func table() *data.Dataset {
	var a []float64
	var c, y []string
	for i := range 60 {
		a = append(a, float64(i%7))
		c = append(c, []string{"red", "green", "blue"}[i%3])
		y = append(y, []string{"no", "yes"}[(i%7)/4])
	}
	return &data.Dataset{Name: "table", Target: "y", Columns: []data.Column{data.NumberColumn("a", a),
		data.LevelColumn("c", c), data.LevelColumn("y", y)}}
}

func tableModel(t testing.TB) *Model {
	d := table()
	e := must(data.FitEncoder(d, data.EncoderOptions{}))
	x := must(e.TransformLabelled(d))
	var y []int
	for _, v := range x.Target {
		y = append(y, int(v))
	}
	fit := must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 1},
		C: 100}.Fit(context.Background(), x.Dense, y))
	return must(New(fit, Info{
		Spec: "svm(kernel=gaussian(lengthscale=1), c=100)", Encoder: e, DataName: "table.csv", DataHash: "abc", Rows: 60,
		Seed: 42, Version: "0.1",
		Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Notes: map[string]string{"score": "1.0"},
	}))
}

func TestModelFindsColumnsByName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.mercer")
	m := tableModel(t)
	if err := m.Save(file); err != nil {
		t.Fatal(err)
	}
	back, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back.Info(), m.Info()) {
		t.Errorf("info came back as %+v, want %+v", back.Info(), m.Info())
	}
	if back.Target() != "y" || back.Task() != data.Binary {
		t.Errorf("target %q, task %v", back.Target(), back.Task())
	}
	d := table()
	// Reordered, without the target, with a column too many.
	other := &data.Dataset{Name: "other", Columns: []data.Column{d.Columns[1], data.NumberColumn("z", make([]float64, 60)),
		d.Columns[0]}}
	p, err := back.Predict(context.Background(), other, Want{})
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i := range p.Len() {
		if p.Text(i) != d.Columns[2].String(i) {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of 60 wrong on separable data", wrong)
	}
	_, err = back.Predict(t.Context(), &data.Dataset{Name: "other", Columns: d.Columns[:1]}, Want{})
	if err == nil || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("a missing column: %v", err)
	}
	if _, err = back.Predict(context.Background(), other, Want{Proba: true}); !errors.Is(err, ErrNoProbabilities) {
		t.Errorf("probabilities of a model without them: %v", err)
	}
	if _, err = back.Predict(context.Background(), other, Want{Std: true}); !errors.Is(err, ErrNoDeviations) {
		t.Errorf("standard deviations of a model without them: %v", err)
	}
}

func TestTargetScaleIsMappedBack(t *testing.T) {
	xm, _, value := threeClasses(60, 3)
	a := must(data.FitScaling("standardize", value))
	var scaled []float64
	for _, v := range value {
		scaled = append(scaled, a.Apply(v))
	}
	fit := must(ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1},
		Lambda: 1e-3}.Fit(context.Background(), data.Rows(xm), scaled))
	m := must(New(fit, Info{TargetScale: &a}))
	back := must(Decode(encodeModel(t, m)))
	raw := must(fit.Predict(context.Background(), data.Rows(xm)))
	p := predictAll(t, back, encoded(data.Rows(xm)))
	for i, v := range p.Values {
		if v != a.Invert(raw[i]) || p.Scores.At(i, 0) != v {
			t.Fatalf("value %d is %g, want %g", i, v, a.Invert(raw[i]))
		}
	}
}

func TestNewerFilesAreRefusedPolitely(t *testing.T) {
	c := must(tableModel(t).container())
	c.Metadata[keyFormat] = fmt.Sprint(formatVersion + 1)
	c.Tensors["strange"] = container.Tensor{DType: "U8", Shape: []int{3}, Bytes: []byte{1, 2, 3}}
	b := encode(t, c)
	b = bytes.Replace(b, []byte(`"U8"`), []byte(`"Q4"`), 1) // a number type of the future
	_, err := Decode(b)
	var newer *versionError
	if !errors.As(err, &newer) || newer.File != formatVersion+1 || newer.Known != formatVersion {
		t.Fatalf("error %v, want a VersionError", err)
	}
	if !strings.Contains(err.Error(), "update mercer") {
		t.Errorf("message %q does not say what to do", err)
	}
}

func TestLoadTellsKindsOfFailureApart(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(filepath.Join(dir, "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Load(dir); !errors.Is(err, container.ErrNone) {
		t.Errorf("a folder: %v", err)
	}
	other := filepath.Join(dir, "other.safetensors")
	os.WriteFile(other, encode(t, &container.File{Metadata: map[string]string{"a": "b"}}), 0o600)
	if _, err := Load(other); !errors.Is(err, container.ErrNone) {
		t.Errorf("somebody else's safetensors: %v", err)
	}
	var bad *container.DamagedError
	b := encodeModel(t, tableModel(t))
	b[len(b)-1] ^= 1
	if _, err := Decode(b); !errors.As(err, &bad) {
		t.Errorf("a flipped bit: %v", err)
	}
}

// TestInconsistentFilesAreRefused breaks one thing at a time and signs the
// file anew, as an attacker would.
func TestInconsistentFilesAreRefused(t *testing.T) {
	for name, breakIt := range map[string]func(c *container.File){
		"no kernel":      func(c *container.File) { delete(c.Metadata, keyKernel) },
		"unknown kernel": func(c *container.File) { c.Metadata[keyKernel] = "exec(\"rm\")" },
		"deep kernel":    func(c *container.File) { c.Metadata[keyKernel] = strings.Repeat("(", 1<<19) },
		"long kernel": func(c *container.File) {
			c.Metadata[keyKernel] = strings.Repeat("linear()+", 1<<18) +
				"linear()"
		},
		"unknown learner": func(c *container.File) { c.Metadata[keyLearner] = "oracle" },
		"unknown domain":  func(c *container.File) { c.Metadata[keyDomain] = "trees" },
		"sparse domain":   func(c *container.File) { c.Metadata[keyDomain] = domainSparse },
		"wrong dim":       func(c *container.File) { c.Metadata[keyDim] = "5" },
		"huge dim":        func(c *container.File) { c.Metadata[keyDim] = "99999999999999" },
		"three classes":   func(c *container.File) { c.Metadata[keyClasses] = `["a","b","c"]` },
		"no classes":      func(c *container.File) { delete(c.Metadata, keyClasses) },
		"no coefficients": func(c *container.File) { delete(c.Tensors, tensorCoef) },
		"no centres":      func(c *container.File) { delete(c.Tensors, tensorCenters) },
		"no rows":         func(c *container.File) { c.Tensors[tensorCenters] = container.Float64s(nil, 0, 4) },
		"odd bias":        func(c *container.File) { c.Tensors[tensorBias] = container.Float64s([]float64{1, 2}, 2) },
		"infinite bias":   func(c *container.File) { c.Tensors[tensorBias] = container.Float64s([]float64{1 / zero}, 1) },
		"integer centres": func(c *container.File) { c.Tensors[tensorCenters] = container.Int32s([]int32{1}) },
		"odd sigmoids": func(c *container.File) {
			c.Tensors[arrayPrefix+"platt"] = container.Float64s([]float64{1, 2, 3},
				1, 3)
		},
		"bad report":     func(c *container.File) { c.Metadata[keyReport] = `{"iterations":"many"}` },
		"bad encoder":    func(c *container.File) { c.Metadata[keyEncoder] = `{"dim":4}` },
		"encoder offset": func(c *container.File) { swap(c, keyEncoder, `"offset":1`, `"offset":-1`) },
		"encoder width":  func(c *container.File) { swap(c, keyEncoder, `"width":3`, `"width":2`) },
		"encoder levels": func(c *container.File) { swap(c, keyEncoder, `["blue","green","red"]`, `["blue"]`) },
		"encoder scale":  func(c *container.File) { swap(c, keyEncoder, `"scale":[`, `"scala":[`) },
		"encoder fill":   func(c *container.File) { swap(c, keyEncoder, `"fill":[`, `"fall":[`) },
		"encoder policy": func(c *container.File) { swap(c, keyEncoder, `"Missing":"error"`, `"Missing":"ignore"`) },
	} {
		t.Run(name, func(t *testing.T) {
			c := must(tableModel(t).container())
			breakIt(c)
			m, err := Decode(encode(t, c))
			var bad *container.DamagedError
			if !errors.As(err, &bad) {
				t.Fatalf("error %v (model %v), want a CorruptError", err, m)
			}
		})
	}
}

var zero float64

func swap(c *container.File, key, from, to string) {
	if !strings.Contains(c.Metadata[key], from) {
		panic(key + " has no " + from + ": " + c.Metadata[key])
	}
	c.Metadata[key] = strings.Replace(c.Metadata[key], from, to, 1)
}

func moreCases(
	x data.DenseRows, sx data.SparseRows, class []int, value []float64, k kernel.Kernel[kernel.Vec],
	sk kernel.Kernel[data.SparseVec],
) (out []fittedCase) {
	ctx := context.Background()
	test := encoded(x)
	root := func(v []float64) []float64 {
		for i := range v {
			v[i] = math.Sqrt(v[i])
		}
		return v
	}
	for _, fitMean := range []bool{false, true} {
		gp := must(gp.Regression[kernel.Vec]{Kernel: k, Noise: 0.1, FitMean: fitMean}.Fit(ctx, x, value))
		out = append(out, fittedCase{fmt.Sprint("gp ", fitMean), must(New(gp, Info{})), test,
			must(gp.Predict(context.Background(), x)), nil, nil, root(must(gp.Variance(context.Background(), x)))})
	}
	for name, y := range map[string][]int{"2": twoClasses(class), "3": class} {
		gp := must(gp.Classification[kernel.Vec, int]{Kernel: k, Samples: 50}.Fit(ctx, x, y))
		out = append(out, fittedCase{"gp-classifier " + name, must(New(gp, Info{})), test, nil,
			must(gp.Predict(context.Background(), x)), must(gp.Proba(context.Background(), x)), nil})
		logistic := must(logistic.Regression[kernel.Vec, int]{Kernel: k, Lambda: 0.5}.Fit(ctx, x, y))
		out = append(out, fittedCase{"logistic " + name, must(New(logistic, Info{})), test, nil,
			must(logistic.Predict(context.Background(), x)), must(logistic.Proba(context.Background(), x)), nil})
		ridge := must(ridge.Classification[kernel.Vec, int]{Regression: ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 0.5,
			Intercept: true}}.Fit(ctx, x, y))
		out = append(out, fittedCase{"ridge-classifier " + name, must(New(ridge, Info{})), test, nil,
			must(ridge.Predict(context.Background(), x)), nil, nil})
		linear := must(svm.LinearClassification[kernel.Vec, int]{}.Fit(ctx, x, y))
		out = append(out, fittedCase{"linear-svc " + name, must(New(linear, Info{})), test, nil,
			must(linear.Predict(context.Background(), x)), nil, nil})
		sparse := must(svm.LinearClassification[data.SparseVec, int]{}.Fit(ctx, sx, y))
		out = append(out, fittedCase{"sparse linear-svc " + name, must(New(sparse, Info{})), encodedSparse(sx), nil,
			must(sparse.Predict(context.Background(), sx)), nil, nil})
	}
	svr := must(svm.Regression[data.SparseVec]{Kernel: sk, Nu: 0.3}.Fit(ctx, sx, value))
	return append(out, fittedCase{"sparse nu-svr", must(New(svr, Info{})), encodedSparse(sx),
		must(svr.Predict(context.Background(), sx)), nil, nil, nil})
}
