package play

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
)

func TestClassifyIsTheLibrary(t *testing.T) {
	p := moons(60)
	got, fault := asking(t, &Player{}, "classify", map[string]any{"points": p,
		"kernel":  map[string]any{"text": "gaussian()", "set": map[string]float64{"gaussian.lengthscale": 0.4}},
		"learner": "svm", "params": map[string]float64{"C": 3}, "window": square})
	if fault != nil {
		t.Fatal(fault)
	}
	fit := got["fit"].(*Classified)
	m, err := svm.Classification[vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.4}, C: 3}.Fit(context.Background(),
		p.rows(), p.Class)
	if err != nil {
		t.Fatal(err)
	}
	if want := m.Func().Norm(); !near(readingOf(t, fit.Readings, "norm"), want) {
		t.Errorf("‖f‖ is %g, the library has %g", readingOf(t, fit.Readings, "norm"), want)
	}
	if want := float64(len(m.Support())); readingOf(t, fit.Readings, "support") != want {
		t.Errorf("%g support vectors, the library has %g", readingOf(t, fit.Readings, "support"), want)
	}
	if fit.Kernel.Text != "gaussian(lengthscale=0.4)" {
		t.Errorf("the kernel is %s", fit.Kernel.Text)
	}
	for stage, s := range map[string]Surface{"fit": fit.Surface, "surface": got["surface"].(Surface)} {
		d, err := m.Decision(context.Background(), square.grid(s.Size))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range s.Values[0] {
			if !near(v, d.At(i, 0)) {
				t.Fatalf("%s: cell %d is %g, the library has %g", stage, i, v, d.At(i, 0))
			}
		}
	}
	if got["surface"].(Surface).Size <= fit.Surface.Size {
		t.Error("the second surface is no finer than the first")
	}
	if e := readingOf(t, got["judged"].(*Judged).Readings, "cv-error"); !(e >= 0 && e <= 0.5) {
		t.Errorf("cross-validated error %g", e)
	}
}

func TestEveryLearnerOfThePlane(t *testing.T) {
	for _, classes := range []int{2, 3} {
		p := moons(40)
		for i := range p.Class {
			if classes == 3 && i%5 == 0 {
				p.Class[i] = 4
			}
		}
		for _, l := range planeLearners() {
			got, fault := asking(t, &Player{}, "classify", map[string]any{"points": p,
				"kernel": KernelText{Text: "gaussian(lengthscale=0.5)"}, "learner": l.Name, "proba": true, "window": square})
			if fault != nil {
				t.Errorf("%s, %d classes: %s", l.Name, classes, fault.Message)
				continue
			}
			s := got["surface"].(Surface)
			several := classes > 2 && !l.detector
			if several != (len(s.Class) == fine*fine) || len(s.Values[0]) != fine*fine {
				t.Errorf("%s: a surface of %d and %d cells", l.Name, len(s.Class), len(s.Values[0]))
			}
			if !several {
				checkSigns(t, l, p, s)
			}
			if (l.Proba != "") != (len(s.Values) == 2) {
				t.Errorf("%s: %d values of a cell, probabilities %q", l.Name, len(s.Values), l.Proba)
			}
		}
	}
}

// checkSigns holds the sign of a surface of two classes against what the learner predicts there.
func checkSigns(t *testing.T, l planeLearner, p PlanePoints, s Surface) {
	t.Helper()
	params, err := settle(l.Settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := l.fit(context.Background(), planeSettings{kernel: kernel.Gaussian{Lengthscale: 0.5}, params: params,
		proba: true}, p.rows(), p.Class)
	if err != nil {
		t.Fatal(err)
	}
	predicted, err := m.predict(context.Background(), square.grid(s.Size))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range predicted {
		v := s.Values[0][i]
		if len(s.Values) == 2 { // machines with probabilities go by these
			v = s.Values[1][i] - 0.5
		}
		if (v > 0) != (c == m.classes[1]) && math.Abs(v) > 1e-12 {
			t.Fatalf("%s: %g in cell %d, but class %d is predicted", l.Name, v, i, c)
		}
	}
}

func TestPerceptronStepByStep(t *testing.T) {
	p := moons(40)
	before := -1
	for _, n := range []float64{1, 2, 5, 17, 40, 400} {
		got, fault := asking(t, &Player{}, "classify", map[string]any{"points": p,
			"kernel": KernelText{Text: "gaussian(lengthscale=0.5)"}, "learner": "perceptron",
			"params": map[string]float64{"examples": n}, "window": square})
		if fault != nil {
			t.Fatal(fault)
		}
		made := got["fit"].(*Classified).Mistakes
		if len(made) < before || len(made) > int(n) {
			t.Errorf("%d mistakes after %g examples, %d before", len(made), n, before)
		}
		before = len(made)
	}
	if before < 2 {
		t.Errorf("%d mistakes in all", before)
	}
}

// Of three classes a Gaussian process predicts the likeliest: the surface has what the library
// predicts, without asking it twice.
func TestSurfaceOfTheLikeliestClass(t *testing.T) {
	p := moons(30)
	for i := range p.Class {
		if i%4 == 0 {
			p.Class[i] = 5
		}
	}
	s := planeSettings{kernel: kernel.Gaussian{Lengthscale: 0.5}, params: map[string]float64{}}
	m, err := fitProcess(context.Background(), s, p.rows(), p.Class)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.surface(context.Background(), square, 12)
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.predict(context.Background(), square.grid(12))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Class, want) || !slices.Contains(want, 5) {
		t.Errorf("the surface has %v, the library %v", got.Class, want)
	}
}
