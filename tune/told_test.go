package tune

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Texts of learners become candidates with the axes that they say: numbers and words fixed or
// tried, what they replace not varied, the kernel their own.
func TestLearnersAsWritten(t *testing.T) {
	p := toy(30, data.Binary, 1)
	found, err := autoCandidates(&AutoResult{}, p, lifted,
		AutoOptions{Learners: []string{"svm(nu=[0.1, 0.2], classes=one-vs-rest), logistic(l1=0.5)",
			"knn(kernel=linear(), k=3, votes=distance)", "linear-svm(C=2)"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	axis := func(c Candidate, name string) []float64 {
		for _, a := range c.Axes {
			if a.Name == name {
				return a.Values
			}
		}
		return nil
	}
	seen := map[string]int{}
	for _, c := range found {
		seen[c.Learner]++
		switch c.Learner {
		case "svm":
			if axis(c, "C") != nil || !slices.Equal(axis(c, "nu"), []float64{0.1, 0.2}) ||
				!slices.Equal(axis(c, "classes"), []float64{1}) {
				t.Errorf("%+v", c.Axes)
			}
		case "logistic":
			if axis(c, "lambda") != nil || !slices.Equal(axis(c, "l1"), []float64{0.5}) {
				t.Errorf("%+v", c.Axes)
			}
		case "knn":
			if c.Kernel != vec(kernel.Linear{}) || !slices.Equal(axis(c, "k"), []float64{3}) {
				t.Errorf("%v %+v", c.Kernel, c.Axes)
			}
		case "linear-svm":
			if c.KernelName != ownKernel || len(c.Axes) != 1 {
				t.Errorf("%v %+v", c.KernelName, c.Axes)
			}
		}
	}
	if seen["svm"] == 0 || seen["logistic"] != 1 || seen["knn"] != 1 || seen["linear-svm"] != 1 {
		t.Errorf("candidates %v", seen)
	}
	r, err := Search{Problem: p, Candidates: found[len(found)-2:], Protocol: Protocol{Folds: 2}}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Cells[0].String(); text != "knn linear(), k=3, votes=distance" {
		t.Error(text)
	}
	if text := r.Cells[1].String(); text != "linear-svm its own kernel, C=2" {
		t.Error(text)
	}
	for text, want := range map[string]string{
		"thicket": `unknown learner "thicket" at column 1`, "svm(nuu=1)": `did you mean "nu"?`,
		"svm, knn(k=0)":   "k is 0 at column 10; write a number in [1, +Inf)",
		"svm(bias=maybe)": "write yes or no", "svm(C=one)": "where a number was expected", "svm(bias=1)": "write yes or no",
		"svm(C=1": "not closed", "svm(3)": "by its name",
		"svm(C=1, C=2)": "once", "linear-svm(kernel=linear())": "kernel of its own",
		"svm(kernel=rbf())": `did you mean "gaussian"?`, "": "no learner", "svm(C=[1, word])": "numbers or words",
		"centroid(k=1)": "no parameters of its own", "svm(C=gaussian())": "write a number or a word",
	} {
		err := CheckLearners([]string{text}, data.Binary)
		var bad *spec.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Every parameter of the table has a summary, words that parse, and a default that its domain
// holds.
func TestParametersAreDeclared(t *testing.T) {
	for _, name := range all.Names() {
		l, _ := all.Described(name)
		for _, task := range []data.Task{data.Binary, data.Regression} {
			if !l.Does(task) {
				continue
			}
			for _, p := range l.ParamsFor(task) {
				if p.Summary == "" || !p.Domain.Contains(p.Default) && p.Default != 0 {
					t.Errorf("%s(%s): summary %q, default %g in %v", name, p.Name, p.Summary, p.Default, p.Domain)
				}
				for i, word := range p.Choices {
					got, err := askedFor([]string{name + "(" + p.Name + "=" + word + ")"}, task)
					if err != nil || got[0].axes[0].Values[0] != float64(i) {
						t.Errorf("%s(%s=%s): %v", name, p.Name, word, err)
					}
				}
			}
		}
	}
}

// Weights of classes are those of repeated rows, in fits; scores do not know them.
func TestClassWeightsAreOfFits(t *testing.T) {
	p := toy(60, data.Binary, 2)
	twice := par.Indices(0, 60)
	for i, y := range p.Y {
		if y == 1 {
			twice = append(twice, i)
		}
	}
	weighed := p
	weighed.ClassWeights = []float64{1, 2}
	for _, name := range []string{"ridge", "svm", "logistic", "fisher", "nw", "knn", "linear-svm"} {
		l, err := all.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		set := learn.Settings{Kernel: vec(kernel.Gaussian{Lengthscale: 1}),
			Params: map[string]float64{"C": 1, "lambda": 0.5, "mu": 1e-2, "k": 60}, Tol: 1e-8}
		if name == "linear-svm" {
			set.Params["loss"] = 0
		}
		a, err := l.Fit(t.Context(), set, weighed)
		if err != nil {
			t.Fatal(name, err)
		}
		set.Params["k"] = float64(len(twice)) // all of them, as before
		b, err := l.Fit(t.Context(), set, p.Gather(twice))
		if err != nil {
			t.Fatal(name, err)
		}
		x, _ := a.(learn.Classifier[any, int]).Decision(t.Context(), p.Points)
		y, _ := b.(learn.Classifier[any, int]).Decision(t.Context(), p.Points)
		for i := range 60 {
			if d := math.Abs(x.At(i, 0) - y.At(i, 0)); d > 2e-2 && name == "linear-svm" || d > 1e-3 && name != "linear-svm" {
				t.Fatalf("%s: point %d is %g, with rows twice %g", name, i, x.At(i, 0), y.At(i, 0))
			}
		}
	}
	// A search judges by plain accuracy: by hand on the folds.
	s := Search{Problem: weighed, Candidates: []Candidate{Try("ridge", kernel.Gaussian{Lengthscale: 1},
		Over("lambda", 1))}, Protocol: Protocol{Folds: 3}, NoModel: true}
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l, _ := all.ByName("ridge")
	for f, fold := range r.Folds {
		m, err := l.Fit(t.Context(), learn.Settings{Kernel: vec(kernel.Gaussian{Lengthscale: 1}),
			Params: map[string]float64{"lambda": 1}}, weighed.Gather(fold.Train))
		if err != nil {
			t.Fatal(err)
		}
		test := p.Gather(fold.Test)
		said, _ := m.(learn.Classifier[any, int]).Predict(t.Context(), test.Points)
		right := 0.0
		for i, c := range said {
			right += indicator(float64(c) == test.Y[i])
		}
		if got, want := r.Cells[0].Scores[f], right/float64(len(said)); math.Abs(got-want) > 1e-12 {
			t.Errorf("fold %d scores %g, by hand %g", f, got, want)
		}
	}
	if w := p.BalancedWeights(); math.Abs(w[0]*count01(p.Y, 0)-w[1]*count01(p.Y, 1)) > 1e-9 {
		t.Errorf("balanced weights %v", w)
	}
}

func count01(y []float64, c float64) (n float64) {
	for _, v := range y {
		n += indicator(v == c)
	}
	return n
}

// autoOf is a short Auto of ridge regression on a built-in set.
func autoOf(t *testing.T, d *data.Dataset, o AutoOptions) *AutoResult {
	t.Helper()
	o.Learners, o.Kernel, o.Axes, o.Folds, o.Budget = []string{"ridge"}, kernel.Gaussian{Lengthscale: 2},
		[]Axis{Over("lambda", 0.1, 1), Over("lengthscale", 2)}, 3, time.Hour
	r, err := Auto(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A split that is given is kept to; with Refit the model is one of all rows, while what was judged
// is that of the fitted rows alone.
func TestSplitAndRefit(t *testing.T) {
	d, err := data.Builtin("iris", 1)
	if err != nil {
		t.Fatal(err)
	}
	told := &data.Fold{}
	for i := range 150 {
		if i%3 == 0 {
			told.Test = append(told.Test, i)
		} else {
			told.Train = append(told.Train, i)
		}
	}
	plain := autoOf(t, d, AutoOptions{Split: told})
	if !slices.Equal(plain.Split.Train, told.Train) || !slices.Equal(plain.Split.Test, told.Test) || plain.Rows() != 100 {
		t.Fatalf("split %v, %d rows", plain.Split, plain.Rows())
	}
	again := autoOf(t, d, AutoOptions{Split: told, Refit: true})
	if again.Rows() != 150 || again.Refitted != 150 || again.Test[0].Value != plain.Test[0].Value {
		t.Errorf("%d rows, %d refitted, test %v, without it %v", again.Rows(), again.Refitted, again.Test[0], plain.Test[0])
	}
	// The model is that of all rows by the chosen setting, encoded by all of them.
	e, err := data.FitEncoder(d, data.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x, _ := e.TransformLabelled(d)
	l, _ := all.ByName("ridge")
	m, err := l.Fit(t.Context(), learn.Settings{Kernel: vec(kernel.Gaussian{Lengthscale: 2}),
		Params: map[string]float64{"lambda": again.Chosen.Param("lambda")}},
		learn.Problem[any]{Points: data.Erase(x.Dense), Y: x.Target, Task: data.Multiclass})
	if err != nil {
		t.Fatal(err)
	}
	own, _ := again.Encoder.TransformLabelled(d)
	got, err := again.Predict(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := learn.PredictAll(t.Context(), m, 3, data.Erase(x.Dense))
	for i := range want.Score {
		if math.Abs(want.Score[i]-got.Score[i]) > 1e-8 {
			t.Fatalf("score %d is %g, of all rows %g", i, got.Score[i], want.Score[i])
		}
	}
	for _, bad := range []*data.Fold{{Train: []int{0, 0}}, {Train: []int{0, 150}}, {Test: []int{3}}} {
		if _, err := Auto(t.Context(), d, AutoOptions{Split: bad, Learners: []string{"ridge"}}); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

// Outer folds each have a search of their own, and are judged by rows that it never saw: by hand
// with the same splits.
func TestNestedAuto(t *testing.T) {
	t.Parallel()
	d, err := data.Builtin("iris", 1)
	if err != nil {
		t.Fatal(err)
	}
	o := AutoOptions{Learners: []string{"ridge"}, Kernel: kernel.Gaussian{Lengthscale: 2},
		Axes: []Axis{Over("lambda", 0.1, 1), Over("lengthscale", 2)}, Folds: 3, Budget: time.Hour}
	r, err := o.Nested(t.Context(), d, 3)
	if err != nil || len(r.Scores) != 3 || r.Metric.Name != "accuracy" {
		t.Fatal(r, err)
	}
	outer, err := o.outerFolds(d, 3)
	if err != nil {
		t.Fatal(err)
	}
	for f := range outer {
		if got := autoOf(t, d, AutoOptions{Split: &outer[f]}).Test[0].Value; got != r.Scores[f] {
			t.Errorf("outer fold %d scores %g, by hand %g", f, r.Scores[f], got)
		}
	}
	if _, err := o.Nested(t.Context(), d, 1); err == nil {
		t.Error("one outer fold was accepted")
	}
	if _, err := o.Nested(t.Context(), d, 1000); err == nil {
		t.Error("more folds than rows were accepted")
	}
}

// Of rows like the fitted ones about ν lie outside; rows that are known to be novel are not fitted
// on, and are told apart.
func TestNovelty(t *testing.T) {
	d, err := data.Builtin("iris", 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Novelty(t.Context(), d, NoveltyOptions{Nu: 0.1, Target: d.Target, Novel: "virginica", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Novel != 50 || r.Tested != 20 || len(r.Split.Train) != 80 ||
		r.Fitted > 0.15 /* points of the margin are on either side of it */ || r.AUC < 0.9 || r.Caught < 0.5 ||
		!(r.AlarmsLow <= r.Alarms && r.Alarms <= r.AlarmsHigh) {
		t.Errorf("%+v", r)
	}
	for _, c := range r.Encoder.Columns {
		if c.Name == d.Target {
			t.Error("the answer is a feature")
		}
	}
	if _, err := Novelty(t.Context(), d, NoveltyOptions{Nu: 2}); err == nil {
		t.Error("ν = 2 was accepted")
	}
	one := *d
	one.Columns = []data.Column{d.Columns[4].Gather(par.Indices(0, 50))}
	one.Target = ""
	if _, err := Novelty(t.Context(), &one, NoveltyOptions{Target: d.Target, Novel: "setosa"}); err == nil {
		t.Error("rows that are all novel were fitted")
	}
}

// By evidence a process is the one that its marginal likelihood is highest for, with no fold.
func TestAutoByEvidence(t *testing.T) {
	r, err := Auto(t.Context(), noisyWave(60, 1), AutoOptions{Evidence: true, Budget: time.Hour, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Metric.Name != "evidence" || r.Chosen.Learner != "gp" || len(r.Chosen.Scores) != 1 || r.Test[0].Metric != "rmse" {
		t.Errorf("%s of %v, %d scores, test %+v", r.Metric.Name, r.Chosen, len(r.Chosen.Scores), r.Test)
	}
	for _, c := range r.Cells {
		if c.Mean > r.Best.Mean {
			t.Errorf("%v has %g, the best %g", c, c.Mean, r.Best.Mean)
		}
	}
}
