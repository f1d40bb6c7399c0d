package play

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

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
		{"classify", map[string]any{"points": p, "kernel": KernelText{Text: "gausian()"}, "learner": "svm", "window": square},
			"kernel", `did you mean "gaussian"`},
		{"classify", map[string]any{"points": p, "kernel": KernelText{Text: strings.Repeat("(", 5000)}, "learner": "svm",
			"window": square}, "kernel", "longer"},
		{"classify", map[string]any{"points": p, "kernel": KernelText{Text: "gaussian()",
			Set: map[string]float64{"gaussian.lengthscale": -1}}, "learner": "svm", "window": square}, "kernel", "-1"},
		{"classify", map[string]any{"points": many, "kernel": k, "learner": "svm", "window": square}, "points",
			"2,001 points"},
		{"classify", map[string]any{"points": PlanePoints{XY: []float64{1, 2}, Class: []int{0}}, "kernel": k,
			"learner": "svm", "window": square}, "points", "two"},
		{"classify", map[string]any{"points": PlanePoints{}, "kernel": k, "learner": "svm", "window": square}, "points",
			"no points"},
		{"classify", map[string]any{"points": PlanePoints{XY: []float64{1e300, 0, 1, 1}, Class: []int{0, 1}}, "kernel": k,
			"learner": "svm", "window": square}, "points", "1e9"},
		{"classify", map[string]any{"points": PlanePoints{XY: []float64{1, 0, 1, 1}, Class: []int{0, 9}}, "kernel": k,
			"learner": "svm", "window": square}, "points", "class 9"},
		{"classify", map[string]any{"points": p, "kernel": k, "learner": "svm", "params": map[string]float64{"C": 0},
			"window": square}, "params.C", "above 0"},
		{"classify", map[string]any{"points": p, "kernel": k, "learner": "oracle", "window": square}, "learner", "oracle"},
		{"classify", map[string]any{"points": p, "kernel": k, "learner": "svm", "window": Window{}}, "window", "empty"},
		{"regress", map[string]any{"points": PlanePoints{}, "kernel": k, "learner": "ridge", "window": square}, "points",
			"no points"},
		{"regress", map[string]any{"points": p, "kernel": k, "learner": "gp", "samples": 99, "window": square}, "samples",
			"99"},
		{"regress", map[string]any{"points": p, "kernel": KernelText{Text: "sobolev()"}, "learner": "ridge",
			"window": square}, "kernel", ""},
		{"two-sample", map[string]any{"points": PlanePoints{XY: []float64{1, 2}, Class: []int{0}}, "kernel": k,
			"permutations": 100, "alpha": 0.05, "window": square}, "points", "each colour"},
		{"two-sample", map[string]any{"points": p, "kernel": k, "permutations": 1, "alpha": 0.05, "window": square},
			"permutations", "20"},
		{"independence", map[string]any{"points": PlanePoints{XY: []float64{1, 2}}, "kernel": k, "permutations": 100,
			"alpha": 0.05}, "points", "four"},
		{"independence", map[string]any{"points": p, "kernel": k, "second": KernelText{Text: "?"}, "permutations": 100,
			"alpha": 0.05}, "second", ""},
		{"search", map[string]any{"points": p, "kernel": k, "task": "classify", "learner": "svm",
			"across": SearchAxis{"nothing", 1, 2, 3}, "up": SearchAxis{"C", 1, 2, 3}, "folds": 3}, "across", "nothing"},
		{"search", map[string]any{"points": p, "kernel": k, "task": "classify", "learner": "svm",
			"across": SearchAxis{"gaussian.lengthscale", -1, 2, 3}, "up": SearchAxis{"C", 1, 2, 3}, "folds": 3}, "across",
			"positive"},
		{"cluster", map[string]any{"points": p, "kernel": k, "method": "k-means", "clusters": 0, "window": square},
			"clusters", "0 groups"},
		{"data", map[string]any{"name": "csv", "text": ""}, "data", "empty"},
		{"data", map[string]any{"name": "csv", "text": "a\n1\n2\n"}, "data", "two"},
		{"data", map[string]any{"name": "csv", "text": "a,b\n1,NaN\n"}, "data", ""},
		{"data", map[string]any{"name": "csv", "text": strings.Repeat("1,2\n", 2<<20)}, "data", "4 MB"},
		{"data", map[string]any{"name": "moons", "n": 1000000}, "points", "1,000,000"},
		{"data", map[string]any{"name": "own"}, "data", "no file"},
		{"data", map[string]any{"name": "unheard-of"}, "data", "unheard-of"},
		{"strings", map[string]any{"kernel": KernelText{Text: "spectrum()"}, "x": strings.Repeat("a", 5000)}, "objects",
			"5000"},
		{"trees", map[string]any{"kernel": KernelText{Text: "subtree()"}, "x": "(S", "y": "(S a)"}, "x", ""},
		{"graphs", map[string]any{"kernel": KernelText{Text: "wl(h=1)"}, "x": DrawnGraph{Labels: []string{"CC"}},
			"y": DrawnGraph{}}, "x", "one letter"},
		{"graphs", map[string]any{"kernel": KernelText{Text: "wl(h=1)"},
			"x": DrawnGraph{Labels: []string{"C"}, Edges: [][2]int32{{0, 5}}}, "y": DrawnGraph{}}, "x", ""},
		{"denoise", map[string]any{"image": []float64{1}, "lengthscale": 5, "components": 10, "method": "fixed-point"},
			"image", "16"},
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
	if text, fault := last(Request{Scene: "kernel", Page: "a", Number: 1, Fields: fields(t, whole)}); fault != nil ||
		text == "" {
		t.Fatal(text, fault)
	}
	if text, fault := last(Request{Scene: "kernel", Page: "a", Number: 2, Base: 1,
		Fields: fields(t, map[string]any{"on": nil})}); fault != nil || text != "gaussian(lengthscale=2)" {
		t.Errorf("built on the first: %q, %v", text, fault)
	}
	if text, fault := last(Request{Scene: "kernel", Page: "a", Number: 3, Base: 2,
		Fields: fields(t, map[string]any{"kernel": KernelText{Text: "linear()"}})}); fault != nil || text != "linear()" {
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
	if _, fault := last(Request{Scene: "kernel", Page: "a", Number: 7, Base: 1}); fault == nil ||
		fault.Code != CodeForgotten {
		t.Errorf("the memory has no end: %v", fault)
	}
}

func TestACancelledQuestionIsLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	sent := 0
	err := (&Player{}).Handle(ctx, Request{Scene: "classify",
		Fields: fields(t, map[string]any{"points": moons(60), "kernel": KernelText{Text: "gaussian()"}, "learner": "svm",
			"window": square})}, func(Part) error {
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
