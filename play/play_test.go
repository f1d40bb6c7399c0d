package play

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/stat"
	"github.com/mercer-ml/mercer/tune"
)

// fields writes settings as a page does.
func fields(t *testing.T, settings map[string]any) map[string]json.RawMessage {
	t.Helper()
	out := map[string]json.RawMessage{}
	for name, v := range settings {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = raw
	}
	return out
}

// asking asks once and returns the parts by stage, and the fault.
func asking(t *testing.T, p *Player, scene string, settings map[string]any) (map[string]any, *Fault) {
	t.Helper()
	parts, done := map[string]any{}, 0
	var fault *Fault
	err := p.Handle(context.Background(), Request{Scene: scene, Fields: fields(t, settings)}, func(part Part) error {
		if done > 0 {
			t.Error("a part after the last")
		}
		if _, err := json.Marshal(part); err != nil {
			t.Errorf("%s, %s: %v", scene, part.Stage, err)
		}
		if part.Done {
			done++
			fault = part.Fault
		} else {
			parts[part.Stage] = part.Value
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if done != 1 {
		t.Fatalf("%s: %d last parts", scene, done)
	}
	return parts, fault
}

func readingOf(t *testing.T, readings []Reading, name string) float64 {
	t.Helper()
	for _, r := range readings {
		if r.Name == name {
			return float64(r.Value)
		}
	}
	t.Fatalf("no reading %q in %v", name, readings)
	return 0
}

var square = Window{-2, 3, -2, 2}

func moons(n int) PlanePoints {
	s, _ := drawnSet("moons")
	return s.draw(n, 0.1, 1)
}

// near says whether numbers agree to rounding of the way they were summed.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func TestClassifyIsTheLibrary(t *testing.T) {
	p := moons(60)
	got, fault := asking(t, &Player{}, "classify", map[string]any{"points": p, "kernel": map[string]any{"text": "gaussian()", "set": map[string]float64{"gaussian.lengthscale": 0.4}}, "learner": "svm", "params": map[string]float64{"C": 3}, "window": square})
	if fault != nil {
		t.Fatal(fault)
	}
	fit := got["fit"].(*Classified)
	m, err := svm.Classification[vec, int]{Kernel: kernel.Gaussian{Lengthscale: 0.4}, C: 3}.Fit(context.Background(), p.rows(), p.Class)
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
			got, fault := asking(t, &Player{}, "classify", map[string]any{"points": p, "kernel": KernelText{Text: "gaussian(lengthscale=0.5)"}, "learner": l.Name, "proba": true, "window": square})
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
	m, err := l.fit(context.Background(), planeSettings{kernel: kernel.Gaussian{Lengthscale: 0.5}, params: params, proba: true}, p.rows(), p.Class)
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
		got, fault := asking(t, &Player{}, "classify", map[string]any{"points": p, "kernel": KernelText{Text: "gaussian(lengthscale=0.5)"}, "learner": "perceptron", "params": map[string]float64{"examples": n}, "window": square})
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

func TestEveryLearnerOfTheLine(t *testing.T) {
	s, _ := drawnSet("sinc")
	p := s.draw(40, 0.1, 1)
	p.Class = nil
	for _, l := range lineLearners() {
		got, fault := asking(t, &Player{}, "regress", map[string]any{"points": p, "kernel": KernelText{Text: "gaussian(lengthscale=1)"}, "learner": l.Name, "bumps": true, "samples": 2, "window": Window{-6, 6, -1, 2}})
		if fault != nil {
			t.Errorf("%s: %s", l.Name, fault.Message)
			continue
		}
		fit, curve := got["fit"].(*Regressed), got["curve"].(*Curve)
		if len(fit.F) != curvePoints || len(curve.Errors) != judgedValues {
			t.Errorf("%s: a curve of %d points, errors of %d", l.Name, len(fit.F), len(curve.Errors))
		}
		if best := float64(curve.Best); !(best > 0) {
			t.Errorf("%s: the best setting is %g", l.Name, best)
		}
		if l.Name == "gp" && (len(fit.Prior) != 2 || len(fit.Posterior[1]) != curvePoints) {
			t.Errorf("gp: %d and %d samples", len(fit.Prior), len(fit.Posterior))
		}
		if l.Kernel && len(fit.Bumps) == 0 {
			t.Errorf("%s: no bumps", l.Name)
		}
	}
}

// The bumps and the bias add up to f.
func TestBumpsAddUp(t *testing.T) {
	s, _ := drawnSet("sinc")
	p := s.draw(30, 0.1, 2)
	for _, l := range []string{"ridge", "svr", "gp"} {
		got, fault := asking(t, &Player{}, "regress", map[string]any{"points": PlanePoints{XY: p.XY}, "kernel": KernelText{Text: "gaussian(lengthscale=1)"}, "learner": l, "bumps": true, "window": Window{-6, 6, -1, 2}})
		if fault != nil {
			t.Fatal(fault)
		}
		fit := got["fit"].(*Regressed)
		for i, f := range fit.F {
			sum := 0.0
			if b := float64(fit.Bias); !math.IsNaN(b) {
				sum = b
			}
			for _, b := range fit.Bumps {
				sum += b[i]
			}
			if math.Abs(sum-f) > 1e-8 {
				t.Fatalf("%s: the bumps add up to %g at %g, f is %g", l, sum, fit.X[i], f)
			}
		}
	}
}

// The curve of a process is that of refits without each point.
func TestLeaveOneOutOfAProcessIsRefitting(t *testing.T) {
	s, _ := drawnSet("sinc")
	p := s.draw(12, 0.1, 3)
	x, y := p.column(0), targets(p)
	l, params, err := lineLearnerOf("gp", map[string]float64{"noise": 0.3})
	if err != nil {
		t.Fatal(err)
	}
	st := lineSettings{kernel: kernel.Gaussian{Lengthscale: 1}, params: params}
	got, err := l.leaveOut(context.Background(), st, x, y, []float64{0.3})
	if err != nil {
		t.Fatal(err)
	}
	folds, _ := data.LeaveOneOut(len(y))
	sum := 0.0
	for i, f := range folds {
		m, err := l.fit(context.Background(), st, data.Gather(x, f.Train), data.Take(y, f.Train))
		if err != nil {
			t.Fatal(err)
		}
		at, _ := m.predict(context.Background(), data.Gather(x, []int{i}))
		sum += (y[i] - at[0]) * (y[i] - at[0])
	}
	if want := math.Sqrt(sum / float64(len(y))); math.Abs(got[0]-want) > 1e-8 {
		t.Errorf("by formula %g, by refits %g", got[0], want)
	}
}

func TestTwoSampleIsTheLibrary(t *testing.T) {
	s, _ := drawnSet("shift")
	p := s.draw(60, 1, 1)
	got, fault := asking(t, &Player{}, "two-sample", map[string]any{"points": p, "kernel": KernelText{Text: "gaussian(lengthscale=1)"}, "permutations": 200, "alpha": 0.05, "seed": 7, "window": square})
	if fault != nil {
		t.Fatal(fault)
	}
	out := got["test"].(*Tested)
	want, err := stat.MMD[vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, TestSettings: stat.TestSettings{Permutations: 200, Alpha: 0.05, Seed: 7}}.Test(context.Background(), p.ofClass(0), p.ofClass(1))
	if err != nil {
		t.Fatal(err)
	}
	if float64(out.Statistic) != want.Statistic || readingOf(t, out.Readings, "p") != want.P || len(out.Draws) != 200 || out.Reject != want.Reject {
		t.Errorf("statistic %v and p %v, the library has %v and %v", out.Statistic, readingOf(t, out.Readings, "p"), want.Statistic, want.P)
	}
	if got["surface"] == nil {
		t.Error("no fine witness")
	}
}

func TestIndependenceSeesARing(t *testing.T) {
	s, _ := drawnSet("ring")
	got, fault := asking(t, &Player{}, "independence", map[string]any{"points": PlanePoints{XY: s.draw(100, 0.1, 1).XY}, "median": true, "permutations": 200, "alpha": 0.05})
	if fault != nil {
		t.Fatal(fault)
	}
	if out := got["test"].(*Tested); !out.Reject || out.Second == nil {
		t.Errorf("p = %v", out.Readings)
	}
}

// A map judged kernel by kernel is the map of one search.
func TestSearchIsTheLibrary(t *testing.T) {
	p := moons(50)
	q := searchAsked{Points: p, Kernel: KernelText{Text: "gaussian()"}, Task: "classify", Learner: "svm", Across: SearchAxis{"gaussian.lengthscale", 0.1, 2, 3}, Up: SearchAxis{"C", 0.5, 50, 4}, Folds: 4, Seed: 5}
	cells := map[[2]float64]float64{}
	var found Found
	err := search(context.Background(), nil, q, func(stage string, v any) error {
		switch v := v.(type) {
		case []SearchCell:
			for _, c := range v {
				cells[[2]float64{float64(c.X), float64(c.Y)}] = float64(c.Mean)
			}
		case Found:
			found = v
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	problem, err := q.problem()
	if err != nil {
		t.Fatal(err)
	}
	across, _ := q.Across.values("")
	up, _ := q.Up.values("")
	s := tune.NewSearch(problem, tune.Try[vec]("svm", kernel.Gaussian{}, tune.Over("gaussian.lengthscale", across...), tune.Over("C", up...)))
	s.Protocol, s.NoModel = tune.Protocol{Folds: 4, Seed: 5}, true
	want, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(cells) != 12 || len(want.Cells) != 12 {
		t.Fatalf("%d cells, the library has %d", len(cells), len(want.Cells))
	}
	for _, c := range want.Cells {
		if got := cells[[2]float64{c.Param("gaussian.lengthscale"), c.Param("C")}]; got != c.Mean {
			t.Errorf("%v: %g, the library has %g", c.Params, got, c.Mean)
		}
	}
	if float64(found.Best.Mean) != want.Best.Mean {
		t.Errorf("best %v, the library has %v", found.Best.Mean, want.Best.Mean)
	}
}

func TestLookAndProjections(t *testing.T) {
	blobs, _ := drawnSet("blobs")
	p := PlanePoints{XY: blobs.draw(40, 1, 1).XY}
	w := Window{-6, 6, -6, 6}
	k := KernelText{Text: "gaussian(lengthscale=2)"}
	for _, q := range []struct {
		scene    string
		settings map[string]any
	}{
		{"look", map[string]any{"kernel": k, "low": -4, "high": 4, "samples": 3, "features": 500, "terms": 4, "measure": "normal"}},
		{"look", map[string]any{"kernel": KernelText{Text: "sigmoid()"}, "low": -4, "high": 4, "samples": 3, "features": 500, "terms": 4}},
		{"components", map[string]any{"points": p, "kernel": k, "components": 3, "window": w}},
		{"correlate", map[string]any{"points": p, "kernel": k, "second": k, "permutations": 20, "window": w}},
		{"cluster", map[string]any{"points": p, "kernel": k, "method": "k-means", "clusters": 3, "window": w}},
		{"cluster", map[string]any{"points": p, "kernel": k, "method": "spectral", "clusters": 3, "neighbours": 5, "window": w}},
		{"denoise", map[string]any{"image": Digits(1, 9).At(0), "lengthscale": 5, "components": 10, "method": "fixed-point"}},
		{"denoise", map[string]any{"image": Digits(1, 9).At(0), "lengthscale": 5, "components": 10, "method": "learned"}},
		{"digit", map[string]any{"digit": 3, "seed": 2}},
		{"catalogue", map[string]any{}}, {"gallery", map[string]any{}},
		{"data", map[string]any{"name": "iris"}}, {"data", map[string]any{"name": "mcycle"}},
		{"data", map[string]any{"name": "csv", "text": "a,b,kind\n1,2,x\n3,4,y\n,5,y\n"}},
	} {
		if parts, fault := asking(t, &Player{}, q.scene, q.settings); fault != nil || len(parts) == 0 {
			t.Errorf("%s: %v", q.scene, fault)
		}
	}
	got, _ := asking(t, &Player{}, "look", map[string]any{"kernel": k, "low": -4, "high": 4, "features": 2000, "terms": 12})
	l := got["look"].(*Looked)
	if e := readingOf(t, l.Readings, "feature-error"); !(e > 0 && e < 0.15) {
		t.Errorf("2000 random frequencies are off by %g", e)
	}
	for i, v := range l.Expansion {
		if math.Abs(v-l.Section[i]) > 1e-3 {
			t.Fatalf("twelve eigenfunctions make %g of %g", v, l.Section[i])
		}
	}
}

func TestFaultsSayWhere(t *testing.T) {
	p, k := moons(20), KernelText{Text: "gaussian()"}
	many := PlanePoints{XY: make([]float64, 2*(mostPoints+1)), Class: make([]int, mostPoints+1)}
	for _, c := range []struct {
		scene    string
		settings map[string]any
		field    string
		says     string
	}{
		{"nowhere", nil, "scene", "no scene"},
		{"classify", map[string]any{"nonsense": 1}, "", "nonsense"},
		{"classify", map[string]any{"learner": 7}, "learner", "learner is a number"},
		{"classify", map[string]any{"points": p, "kernel": KernelText{Text: "gausian()"}, "learner": "svm", "window": square}, "kernel", `did you mean "gaussian"`},
		{"classify", map[string]any{"points": p, "kernel": KernelText{Text: strings.Repeat("(", 5000)}, "learner": "svm", "window": square}, "kernel", "longer"},
		{"classify", map[string]any{"points": p, "kernel": KernelText{Text: "gaussian()", Set: map[string]float64{"gaussian.lengthscale": -1}}, "learner": "svm", "window": square}, "kernel", "-1"},
		{"classify", map[string]any{"points": many, "kernel": k, "learner": "svm", "window": square}, "points", "2,001 points"},
		{"classify", map[string]any{"points": PlanePoints{XY: []float64{1, 2}, Class: []int{0}}, "kernel": k, "learner": "svm", "window": square}, "points", "two"},
		{"classify", map[string]any{"points": PlanePoints{}, "kernel": k, "learner": "svm", "window": square}, "points", "no points"},
		{"classify", map[string]any{"points": PlanePoints{XY: []float64{1e300, 0, 1, 1}, Class: []int{0, 1}}, "kernel": k, "learner": "svm", "window": square}, "points", "1e9"},
		{"classify", map[string]any{"points": PlanePoints{XY: []float64{1, 0, 1, 1}, Class: []int{0, 9}}, "kernel": k, "learner": "svm", "window": square}, "points", "class 9"},
		{"classify", map[string]any{"points": p, "kernel": k, "learner": "svm", "params": map[string]float64{"C": 0}, "window": square}, "params.C", "above 0"},
		{"classify", map[string]any{"points": p, "kernel": k, "learner": "oracle", "window": square}, "learner", "oracle"},
		{"classify", map[string]any{"points": p, "kernel": k, "learner": "svm", "window": Window{}}, "window", "empty"},
		{"regress", map[string]any{"points": PlanePoints{}, "kernel": k, "learner": "ridge", "window": square}, "points", "no points"},
		{"regress", map[string]any{"points": p, "kernel": k, "learner": "gp", "samples": 99, "window": square}, "samples", "99"},
		{"regress", map[string]any{"points": p, "kernel": KernelText{Text: "sobolev()"}, "learner": "ridge", "window": square}, "kernel", ""},
		{"two-sample", map[string]any{"points": PlanePoints{XY: []float64{1, 2}, Class: []int{0}}, "kernel": k, "permutations": 100, "alpha": 0.05, "window": square}, "points", "each colour"},
		{"two-sample", map[string]any{"points": p, "kernel": k, "permutations": 1, "alpha": 0.05, "window": square}, "permutations", "20"},
		{"independence", map[string]any{"points": PlanePoints{XY: []float64{1, 2}}, "kernel": k, "permutations": 100, "alpha": 0.05}, "points", "four"},
		{"independence", map[string]any{"points": p, "kernel": k, "second": KernelText{Text: "?"}, "permutations": 100, "alpha": 0.05}, "second", ""},
		{"search", map[string]any{"points": p, "kernel": k, "task": "classify", "learner": "svm", "across": SearchAxis{"nothing", 1, 2, 3}, "up": SearchAxis{"C", 1, 2, 3}, "folds": 3}, "across", "nothing"},
		{"search", map[string]any{"points": p, "kernel": k, "task": "classify", "learner": "svm", "across": SearchAxis{"gaussian.lengthscale", -1, 2, 3}, "up": SearchAxis{"C", 1, 2, 3}, "folds": 3}, "across", "positive"},
		{"cluster", map[string]any{"points": p, "kernel": k, "method": "k-means", "clusters": 0, "window": square}, "clusters", "0 groups"},
		{"data", map[string]any{"name": "csv", "text": ""}, "data", "empty"},
		{"data", map[string]any{"name": "csv", "text": "a\n1\n2\n"}, "data", "two"},
		{"data", map[string]any{"name": "csv", "text": "a,b\n1,NaN\n"}, "data", ""},
		{"data", map[string]any{"name": "csv", "text": strings.Repeat("1,2\n", 2<<20)}, "data", "4 MB"},
		{"data", map[string]any{"name": "moons", "n": 1000000}, "points", "1,000,000"},
		{"data", map[string]any{"name": "own"}, "data", "no file"},
		{"data", map[string]any{"name": "unheard-of"}, "data", "unheard-of"},
		{"strings", map[string]any{"kernel": KernelText{Text: "spectrum()"}, "x": strings.Repeat("a", 5000)}, "objects", "5000"},
		{"trees", map[string]any{"kernel": KernelText{Text: "subtree()"}, "x": "(S", "y": "(S a)"}, "x", ""},
		{"graphs", map[string]any{"kernel": KernelText{Text: "wl(h=1)"}, "x": DrawnGraph{Labels: []string{"CC"}}, "y": DrawnGraph{}}, "x", "one letter"},
		{"graphs", map[string]any{"kernel": KernelText{Text: "wl(h=1)"}, "x": DrawnGraph{Labels: []string{"C"}, Edges: [][2]int32{{0, 5}}}, "y": DrawnGraph{}}, "x", ""},
		{"denoise", map[string]any{"image": []float64{1}, "lengthscale": 5, "components": 10, "method": "fixed-point"}, "image", "16"},
	} {
		_, fault := asking(t, &Player{}, c.scene, c.settings)
		if fault == nil {
			t.Errorf("%s %.60v: no fault", c.scene, c.settings)
			continue
		}
		if fault.Field != c.field || !strings.Contains(fault.Message, c.says) || fault.Message == "" {
			t.Errorf("%s: at %q: %q; want at %q with %q", c.scene, fault.Field, fault.Message, c.field, c.says)
		}
	}
}

func TestOnlyWhatChangedIsSent(t *testing.T) {
	p := &Player{}
	last := func(r Request) (string, *Fault) {
		var text string
		var fault *Fault
		if err := p.Handle(context.Background(), r, func(part Part) error {
			if k, ok := part.Value.(KernelFacts); ok {
				text = k.Text
			}
			fault = part.Fault
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return text, fault
	}
	whole := map[string]any{"kernel": KernelText{Text: "gaussian(lengthscale=2)"}, "on": ""}
	if text, fault := last(Request{Scene: "kernel", Page: "a", Number: 1, Fields: fields(t, whole)}); fault != nil || text == "" {
		t.Fatal(text, fault)
	}
	if text, fault := last(Request{Scene: "kernel", Page: "a", Number: 2, Base: 1, Fields: fields(t, map[string]any{"on": nil})}); fault != nil || text != "gaussian(lengthscale=2)" {
		t.Errorf("built on the first: %q, %v", text, fault)
	}
	if text, fault := last(Request{Scene: "kernel", Page: "a", Number: 3, Base: 2, Fields: fields(t, map[string]any{"kernel": KernelText{Text: "linear()"}})}); fault != nil || text != "linear()" {
		t.Errorf("one field changed: %q, %v", text, fault)
	}
	for name, r := range map[string]Request{
		"another page":  {Scene: "kernel", Page: "b", Number: 4, Base: 1},
		"another scene": {Scene: "data", Page: "a", Number: 5, Base: 1},
		"never asked":   {Scene: "kernel", Page: "a", Number: 6, Base: 99},
	} {
		if _, fault := last(r); fault == nil || fault.Code != CodeForgotten {
			t.Errorf("%s: %v", name, fault)
		}
	}
	for i := range questionsKept {
		last(Request{Scene: "kernel", Page: "c", Number: i + 1, Fields: fields(t, whole)})
	}
	if _, fault := last(Request{Scene: "kernel", Page: "a", Number: 7, Base: 1}); fault == nil || fault.Code != CodeForgotten {
		t.Errorf("the memory has no end: %v", fault)
	}
}

func TestACancelledQuestionIsLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	sent := 0
	err := (&Player{}).Handle(ctx, Request{Scene: "classify", Fields: fields(t, map[string]any{"points": moons(60), "kernel": KernelText{Text: "gaussian()"}, "learner": "svm", "window": square})}, func(Part) error {
		sent++
		cancel()
		return nil
	})
	if sent != 1 || err != context.Canceled {
		t.Errorf("%d parts after the page had gone, %v", sent, err)
	}
}

func TestNumbersThatJSONDoesNotHave(t *testing.T) {
	raw, err := json.Marshal(struct {
		A, B, C, D Number
		E          Drawn
	}{Number(math.NaN()), Number(math.Inf(1)), Number(math.Inf(-1)), 0.1, Drawn{1, math.NaN(), math.Inf(1), 1.0 / 3}})
	if want := `{"A":null,"B":"∞","C":"-∞","D":0.1,"E":[1,null,null,0.333333]}`; err != nil || string(raw) != want {
		t.Errorf("%s, %v; want %s", raw, err, want)
	}
}
