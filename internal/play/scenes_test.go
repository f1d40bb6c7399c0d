package play

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
	"github.com/mercer-ml/mercer/tune"
)

func TestTwoSampleIsTheLibrary(t *testing.T) {
	s, _ := drawnSet("shift")
	p := s.draw(60, 1, 1)
	got, fault := asking(t, &Player{}, "two-sample", map[string]any{"points": p,
		"kernel": KernelText{Text: "gaussian(lengthscale=1)"}, "permutations": 200, "alpha": 0.05, "seed": 7,
		"window": square})
	if fault != nil {
		t.Fatal(fault)
	}
	out := got["test"].(*Tested)
	want, err := stat.MMD[vec]{Kernel: kernel.Gaussian{Lengthscale: 1},
		TestSettings: stat.TestSettings{Permutations: 200, Alpha: 0.05, Seed: 7}}.Test(context.Background(), p.ofClass(0),
		p.ofClass(1))
	if err != nil {
		t.Fatal(err)
	}
	if float64(out.Statistic) != want.Statistic || readingOf(t, out.Readings, "p") != want.P || len(out.Draws) != 200 ||
		out.Reject != want.Reject {
		t.Errorf("statistic %v and p %v, the library has %v and %v", out.Statistic, readingOf(t, out.Readings, "p"),
			want.Statistic, want.P)
	}
	if got["surface"] == nil {
		t.Error("no fine witness")
	}
}

func TestIndependenceSeesARing(t *testing.T) {
	s, _ := drawnSet("ring")
	got, fault := asking(t, &Player{}, "independence", map[string]any{"points": PlanePoints{XY: s.draw(100, 0.1, 1).XY},
		"median": true, "permutations": 200, "alpha": 0.05})
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
	q := searchAsked{Points: p, Kernel: KernelText{Text: "gaussian()"}, Task: "classify", Learner: "svm",
		Across: SearchAxis{"gaussian.lengthscale", 0.1, 2, 3}, Up: SearchAxis{"C", 0.5, 50, 4}, Folds: 4, Seed: 5}
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
	s := tune.NewSearch(problem, tune.Try[vec]("svm", kernel.Gaussian{}, tune.Over("gaussian.lengthscale", across...),
		tune.Over("C", up...)))
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
		{"look", map[string]any{"kernel": k, "low": -4, "high": 4, "samples": 3, "features": 500, "terms": 4,
			"measure": "normal"}},
		{"look", map[string]any{"kernel": KernelText{Text: "sigmoid()"}, "low": -4, "high": 4, "samples": 3, "features": 500,
			"terms": 4}},
		{"components", map[string]any{"points": p, "kernel": k, "components": 3, "window": w}},
		{"correlate", map[string]any{"points": p, "kernel": k, "second": k, "permutations": 20, "window": w}},
		{"cluster", map[string]any{"points": p, "kernel": k, "method": "k-means", "clusters": 3, "window": w}},
		{"cluster", map[string]any{"points": p, "kernel": k, "method": "medoids", "clusters": 3, "window": w}},
		{"cluster", map[string]any{"points": p, "kernel": k, "method": "spectral", "clusters": 3, "neighbours": 5,
			"window": w}},
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
	got, _ := asking(t, &Player{}, "look", map[string]any{"kernel": k, "low": -4, "high": 4, "features": 2000,
		"terms": 12})
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

// The cost of medoids is the sum of squared distances to the nearest of them, by a double loop, and
// no step made it larger.
func TestMedoids(t *testing.T) {
	blobs, _ := drawnSet("blobs")
	p := PlanePoints{XY: blobs.draw(40, 1, 1).XY}
	got, fault := asking(t, &Player{}, "cluster", map[string]any{"points": p,
		"kernel": KernelText{Text: "gaussian(lengthscale=2)"}, "method": "medoids", "clusters": 3, "seed": 1,
		"window": Window{-6, 6, -6, 6}})
	if fault != nil {
		t.Fatal(fault)
	}
	out, k, x, sum := got["groups"].(*Grouped), kernel.Gaussian{Lengthscale: 2}, p.rows(), 0.0
	for i := range p.Len() {
		best := math.Inf(1)
		for _, m := range out.Medoids {
			best = min(best, 2-2*k.Eval(x.At(i), x.At(m)))
		}
		sum += best
	}
	if cost := readingOf(t, out.Readings, "cost"); math.Abs(cost-sum) > 1e-9*sum {
		t.Errorf("the cost is %g, a double loop has %g", cost, sum)
	}
	for i := 1; i < len(out.Objective); i++ {
		if out.Objective[i] > out.Objective[i-1] {
			t.Errorf("step %d goes from %g up to %g", i, out.Objective[i-1], out.Objective[i])
		}
	}
	for g, m := range out.Medoids {
		if out.Labels[m] != g {
			t.Errorf("medoid %d is of group %d", g, out.Labels[m])
		}
	}
}
