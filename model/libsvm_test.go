package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// needLIBSVM skips where LIBSVM's own programs are not installed.
func needLIBSVM(t *testing.T) {
	t.Helper()
	for _, p := range []string{"svm-train", "svm-predict"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("NOT TESTED: %s is not installed (package libsvm-tools)", p)
		}
	}
}

func runTool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// svmPredict runs LIBSVM's program: the lines of its output, split.
func svmPredict(t *testing.T, dataFile, modelFile string, proba bool) [][]string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	b := "0"
	if proba {
		b = "1"
	}
	runTool(t, "svm-predict", "-b", b, dataFile, modelFile, out)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for l := range strings.Lines(string(text)) {
		lines = append(lines, strings.Fields(l))
	}
	return lines
}

// libsvmFiles writes train (the first 2/3 of the rows) and test data as
// LIBSVM files; precomputed ones as kernel values.
func libsvmFiles(t *testing.T, x data.DenseRows, label []float64, k kernel.Kernel[kernel.Vec]) (train, test string) {
	t.Helper()
	dir := t.TempDir()
	n := x.Len() * 2 / 3
	write := func(name string, lo, hi int) string {
		var b strings.Builder
		for i := lo; i < hi; i++ {
			fmt.Fprintf(&b, "%g", label[i])
			if k != nil {
				fmt.Fprintf(&b, " 0:%d", i+1)
				for j := range n {
					fmt.Fprintf(&b, " %d:%.17g", j+1, k.Eval(x.At(i), x.At(j)))
				}
			} else {
				for j, v := range x.At(i) {
					if j%2 == 0 || v > 0 {
						fmt.Fprintf(&b, " %d:%.17g", j+1, v)
					}
				}
			}
			b.WriteString("\n")
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("train", 0, n), write("test", n, x.Len())
}

func readRows(t *testing.T, file string, zeroBased bool) *data.Dataset {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := libsvm.Read(f, file, libsvm.Options{ZeroBased: zeroBased})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sameAsSVMPredict compares a model with what svm-predict said.
func sameAsSVMPredict(t *testing.T, m *Model, d *data.Dataset, want [][]string, proba bool, tol float64) {
	t.Helper()
	p, err := m.Predict(t.Context(), d, Want{Proba: proba, Scores: true})
	if err != nil {
		t.Fatal(err)
	}
	var columns []int
	if proba {
		if want[0][0] != "labels" {
			t.Fatalf("svm-predict began with %v", want[0])
		}
		for _, l := range want[0][1:] {
			for c, name := range m.Classes() {
				if name == l {
					columns = append(columns, c)
				}
			}
		}
		want = want[1:]
	}
	if len(want) != p.Len() {
		t.Fatalf("%d predictions, svm-predict made %d", p.Len(), len(want))
	}
	seen := map[string]bool{}
	for i, w := range want {
		seen[w[0]] = true
		switch {
		case p.Labels != nil:
			got := p.Labels[i]
			if m.Learner() == "one-class" {
				got = map[string]string{"inside": "1", "outside": "-1"}[got]
			}
			if got != w[0] && !(m.body.record().arrays["order"] == nil && tied(p.Scores.RawRowView(i), len(m.Classes()))) {
				t.Fatalf("row %d: label %s, svm-predict says %s", i, got, w[0])
			}
		default:
			v, _ := strconv.ParseFloat(w[0], 64)
			if math.Abs(v-p.Values[i]) > tol*(1+math.Abs(v)) {
				t.Fatalf("row %d: %.17g, svm-predict says %.17g", i, p.Values[i], v)
			}
		}
		for a, c := range columns {
			v, _ := strconv.ParseFloat(w[1+a], 64)
			// svm-predict prints 6 digits, and stops coupling the pairs of more than two
			// classes at a residual of 0.005/classes where this goes on to 1e-9.
			near := 2e-6
			if len(columns) > 2 {
				near = 5e-3
			}
			if math.Abs(v-p.Proba.At(i, c)) > near {
				t.Fatalf("row %d: probability of %s is %g, svm-predict says %g", i, m.Classes()[c], p.Proba.At(i, c), v)
			}
		}
	}
	if len(seen) < 2 {
		t.Fatal("svm-predict says the same for all rows; nothing was tested")
	}
}

func TestLIBSVMModelsPredictHereAsThere(t *testing.T) {
	needLIBSVM(t)
	xm, class, value := threeClasses(150, 5)
	x := data.Rows(xm)
	// Labels that are not in the order of LIBSVM's appearance.
	three, two := make([]float64, 150), make([]float64, 150)
	for i, c := range class {
		three[i] = []float64{5, -3, 2}[c]
		two[i] = []float64{-1, 1, 1}[c]
	}
	gauss, turn := kernel.Gaussian{Lengthscale: 2}, 0
	for _, s := range []string{"-s 0", "-s 0 -b 1", "-s 1 -n 0.3", "-s 1 -n 0.3 -b 1", "-s 2 -n 0.3", "-s 3", "-s 4",
		"-s 3 -b 1"} {
		for _, k := range []string{"-t 0", "-t 1 -g 0.3 -r 1 -d 2", "-t 2 -g 0.1", "-t 3 -g 0.05 -r -0.2", "-t 4"} {
			for _, labels := range [][]float64{three, two} {
				if s[:4] == "-s 3" || s[:4] == "-s 4" {
					if labels[0] != three[0] {
						continue
					}
					labels = value
				}
				if turn++; testing.Short() && turn%3 > 0 {
					continue // a third of them, other kernels for each kind
				}
				name := fmt.Sprint(s, " ", k, " labels ", labels[:3])
				t.Run(name, func(t *testing.T) {
					var pre kernel.Kernel[kernel.Vec]
					if k == "-t 4" {
						pre = gauss
					}
					train, test := libsvmFiles(t, x, labels, pre)
					modelFile := filepath.Join(t.TempDir(), "model")
					args := append(strings.Fields(s+" "+k), "-q", train, modelFile)
					runTool(t, "svm-train", args...)
					text, err := os.ReadFile(modelFile)
					if err != nil {
						t.Fatal(err)
					}
					m, err := ReadLIBSVM(bytes.NewReader(text))
					if err != nil {
						t.Fatal(err)
					}
					proba := m.HasProba()
					if want := strings.Contains(s, "-b 1") && (s[:4] == "-s 0" || s[:4] == "-s 1"); proba != want {
						t.Fatalf("probabilities %v, want %v", proba, want)
					}
					d := readRows(t, test, k == "-t 4")
					want := svmPredict(t, test, modelFile, proba)
					sameAsSVMPredict(t, m, d, want, proba, 1e-5)

					// Out again, by way of our own file, to svm-predict.
					back, err := Decode(encodeModel(t, m))
					if err != nil {
						t.Fatal(err)
					}
					var out bytes.Buffer
					if err := back.WriteLIBSVM(&out, LIBSVMOptions{}); err != nil {
						t.Fatal(err)
					}
					again := filepath.Join(t.TempDir(), "again")
					if err := os.WriteFile(again, out.Bytes(), 0o600); err != nil {
						t.Fatal(err)
					}
					sameAsSVMPredict(t, back, d, svmPredict(t, test, again, proba), proba, 1e-5)
				})
			}
		}
	}
}

func TestOurModelsPredictTheSameInSVMPredict(t *testing.T) {
	needLIBSVM(t)
	ctx := context.Background()
	xm, class, value := threeClasses(150, 5)
	x := data.Rows(xm)
	codes, two := make([]float64, 150), make([]float64, 150)
	for i, c := range class {
		codes[i], two[i] = float64(c), float64(min(c, 1))
	}
	n := 100
	// The files leave out some values: learn from what they hold.
	trainFile, test := libsvmFiles(t, x, codes, nil)
	rows := readRows(t, trainFile, false)
	dense := mat.NewDense(n, 5, nil)
	for i := range n {
		v := rows.Sparse.At(i)
		for a, j := range v.Index {
			dense.Set(i, int(j), v.Value[a])
		}
	}
	first := data.Rows(dense)
	d := readRows(t, test, false)
	check := func(name string, m *Model, err error, proba bool) {
		t.Run(name, func(t *testing.T) {
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := m.WriteLIBSVM(&out, LIBSVMOptions{}); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "m")
			if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			wide := *d
			wide.Columns, wide.Target = nil, ""
			if m.body.domain() == domainVectors {
				wide.Sparse, wide.Columns = nil, columnsOf(d)
			}
			sameAsSVMPredict(t, m, &wide, svmPredict(t, test, file, proba), proba, 1e-5)
		})
	}
	for i, k := range []kernel.Kernel[kernel.Vec]{
		kernel.Linear{}, kernel.Polynomial{}, kernel.Gaussian{}, kernel.Sigmoid{Gamma: 0.05},
		kernel.Scale[kernel.Vec](2.5, kernel.Gaussian{Lengthscale: 3}),
	} {
		svc, err := svm.Classification[kernel.Vec, int]{Kernel: k, C: 2, Probability: i%2 == 0}.Fit(ctx, first, class[:n])
		m, err2 := New(svc, Info{Classes: []string{"-7", "0", "12"}})
		check(fmt.Sprintf("svc %T", k), m, errors.Join(err, err2), i%2 == 0)
		twice, err := svm.Classification[kernel.Vec, int]{Kernel: k, Nu: 0.2, Probability: i%2 == 1}.Fit(ctx, first,
			twoClasses(class[:n]))
		m, err2 = New(twice, Info{})
		check(fmt.Sprintf("nu-svc %T", k), m, errors.Join(err, err2), i%2 == 1)
		svr, err := svm.Regression[kernel.Vec]{Kernel: k}.Fit(ctx, first, value[:n])
		m, err2 = New(svr, Info{TargetScale: &data.Affine{Center: 3, Factor: -0.25}})
		check(fmt.Sprintf("svr %T", k), m, errors.Join(err, err2), false)
		ridge, err := ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 2}.Fit(ctx, first, value[:n])
		if err == nil { // the sigmoid is not positive definite
			m, err2 = New(ridge, Info{})
			check(fmt.Sprintf("ridge %T", k), m, err2, false)
		}
		one, err := svm.OneClass[kernel.Vec]{Kernel: k, Nu: 0.3}.Fit(ctx, first)
		m, err2 = New(one, Info{})
		check(fmt.Sprintf("one-class %T", k), m, errors.Join(err, err2), false)
	}
	var unfits *UnfitError
	rest := must(New(must(svm.Classification[kernel.Vec, int]{Kernel: kernel.Linear{},
		MultiClass: learn.OneVsRest}.Fit(ctx, first, class[:n])), Info{}))
	if err := rest.WriteLIBSVM(&bytes.Buffer{}, LIBSVMOptions{}); !errors.As(err, &unfits) {
		t.Errorf("one-vs-rest: %v, want an UnfitError", err)
	}
	matern := must(New(must(svm.Regression[kernel.Vec]{Kernel: kernel.Matern{Nu: 1.5}}.Fit(ctx, first, value[:n])),
		Info{}))
	if err := matern.WriteLIBSVM(&bytes.Buffer{}, LIBSVMOptions{}); !errors.As(err, &unfits) ||
		!strings.Contains(err.Error(), "matern") {
		t.Errorf("a Matérn kernel: %v, want an UnfitError that names it", err)
	}
}

// columnsOf is the sparse features of a data set as numeric columns.
func columnsOf(d *data.Dataset) []data.Column {
	var out []data.Column
	for j := range d.Sparse.Dim() {
		v := make([]float64, d.Len())
		for i := range v {
			row := d.Sparse.At(i)
			for a, k := range row.Index {
				if int(k) == j {
					v[i] = row.Value[a]
				}
			}
		}
		out = append(out, data.NumberColumn(fmt.Sprint("x", j+1), v))
	}
	return out
}

// TestImportedModelsSeeFeaturesTheyWereNotTrainedOn: LIBSVM counts a feature
// that no support vector has into distances.
func TestImportedModelsSeeFeaturesTheyWereNotTrainedOn(t *testing.T) {
	text := "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n2 1:1\n"
	m, err := ReadLIBSVM(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s := data.SparseOf([]data.SparseVec{{Index: []int32{0, 6}, Value: []float64{1, 2}}}, 7)
	p, err := m.Predict(t.Context(), &data.Dataset{Sparse: &s}, Want{})
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * math.Exp(-0.5*4); math.Abs(p.Values[0]-want) > 1e-14 {
		t.Errorf("value %g, want %g", p.Values[0], want)
	}
}

func TestReadLIBSVMNamesTheMistake(t *testing.T) {
	good := "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.1\nlabel 1 -1\nnr_sv 1 1\nSV\n1 " +
		"1:1 2:3\n-1 1:2\n"
	if _, err := ReadLIBSVM(strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{"c_svc", "d_svc", `"d_svc"`},
		{"rbf", "cubic", `"cubic"`},
		{"gamma 0.5", "gamma x", `line 3: gamma: "x"`},
		{"gamma 0.5", "gamma NaN", "line 3"},
		{"gamma 0.5", "gamma", `line 3: "gamma" has no value`},
		{"gamma 0.5\n", "", "-g 0"},
		{"nr_class 2", "nr_class 3", "2 labels"},
		{"nr_class 2", "nr_class 99999999999", "nr_class"},
		{"total_sv 2", "total_sv 3", "nr_sv sums to 2"},
		{"total_sv 2", "total_sv 0", "total_sv 0"},
		{"rho 0.1", "rho 0.1 0.2", "2 entries of rho"},
		{"label 1 -1", "label 1 1", "same label"},
		{"label 1 -1", "lable 1 -1", `"lable"`},
		{"SV\n", "", "line 9"},
		{"\nSV\n1 1:1 2:3\n-1 1:2\n", "\n", `no line "SV"`},
		{"-1 1:2\n", "", "cut short"},
		{"-1 1:2\n", "-1 1:2\n-1 1:2\n", "line 12: more support vectors"},
		{"1 1:1 2:3", "1 2:1 1:3", "line 10: index 1 after 2"},
		{"1 1:1 2:3", "1 0:1 2:3", `"0:1"`},
		{"1 1:1 2:3", "1 1:1 99999999999:3", `"99999999999:3"`},
		{"1 1:1 2:3", "1 1:1 2:Inf", "Inf"},
		{"1 1:1 2:3", "one 1:1", `"one"`},
		{"SV\n1 1:1", "SV\n1 1", "line 10"},
	} {
		bad := strings.Replace(good, c.from, c.to, 1)
		_, err := ReadLIBSVM(strings.NewReader(bad))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: error %v, want one with %q", c.to, c.from, err, c.want)
		}
	}
}

// tied says whether two classes have the same, highest number of votes: there
// LIBSVM takes the first class, and our own models the larger decision values.
func tied(decision []float64, k int) bool {
	if k < 3 {
		return false
	}
	votes := make([]int, k)
	order := make([]int, k)
	for c := range order {
		order[c] = c
	}
	eachPair(order, func(i, j, column int, sign float64) {
		if sign*decision[column] > 0 {
			votes[i]++
		} else {
			votes[j]++
		}
	})
	most, times := 0, 0
	for _, v := range votes {
		switch {
		case v > most:
			most, times = v, 1
		case v == most:
			times++
		}
	}
	return times > 1
}
