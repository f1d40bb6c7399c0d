package play

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Ways through the pipe, added up over all beams of one direction, are the areas of oil and water.
func TestBeamsSeeTheAreas(t *testing.T) {
	const oil, water, steps = 0.35, 0.25, 20000
	for name, look := range map[string]func(at float64) (o, w float64){
		"layers from above":    func(at float64) (float64, float64) { return layers(oil, water, at, true) },
		"layers from the side": func(at float64) (float64, float64) { return layers(oil, water, at, false) },
		"rings":                func(at float64) (float64, float64) { return rings(oil, water, at) },
	} {
		o, w := 0.0, 0.0
		for i := range steps {
			a, b := look(-1 + 2*(float64(i)+0.5)/steps)
			o, w = o+2*a/steps, w+2*b/steps
		}
		if math.Abs(o-math.Pi*oil) > 1e-3 || math.Abs(w-math.Pi*water) > 1e-3 {
			t.Errorf("%s: areas %.4f and %.4f, there are %.4f and %.4f", name, o, w, math.Pi*oil, math.Pi*water)
		}
	}
}

func TestLatentSeparatesTheFlows(t *testing.T) {
	n := 60
	got, fault := asking(t, &Player{}, "latent", map[string]any{"set": "flow", "n": n, "seed": 1,
		"kernel": KernelText{Text: "gaussian(lengthscale=2)"}})
	if fault != nil {
		t.Fatal(fault)
	}
	wrong := map[string]float64{}
	for _, method := range []string{"pca", "kernel-pca", "gplvm"} {
		out := got[method].(*Latent)
		if len(out.XY) != 2 || len(out.XY[0]) != n || len(out.Class) != n {
			t.Fatalf("%s: %d columns, %d classes", method, len(out.XY), len(out.Class))
		}
		wrong[method] = readingOf(t, out.Readings, "neighbour-"+method)
	}
	if !(wrong["gplvm"] < wrong["pca"]) {
		t.Errorf("rows beside a stranger: %v", wrong)
	}
	if s := got["gplvm"].(*Latent).Surface; s == nil || len(s.Values[0]) != latentSurface*latentSurface {
		t.Error("no surface")
	}
}

func TestStrangers(t *testing.T) {
	xy := mat.NewDense(4, 2, []float64{0, 0, 1, 0, 10, 0, 11, 0})
	if n := strangers(xy, []int{0, 0, 1, 1}); n != 0 {
		t.Errorf("%d strangers of none", n)
	}
	if n := strangers(xy, []int{0, 1, 1, 1}); n != 2 {
		t.Errorf("%d strangers of two", n)
	}
}

func TestLatentOfTables(t *testing.T) {
	ask := func(p *Player, set string, n int) (map[string]any, *Fault) {
		return asking(t, p, "latent", map[string]any{"set": set, "n": n,
			"kernel": KernelText{Text: "gaussian(lengthscale=2)"}})
	}
	own := &data.Dataset{Name: "mine", Columns: []data.Column{data.NumberColumn("a",
		[]float64{1, 2, 3, 4, 5, 6, 7, math.NaN()}), data.NumberColumn("b", []float64{2, 1, 2, 4, 9, 3, 1, 1}),
		data.LevelColumn("kind", []string{"x", "y", "x", "y", "x", "y", "x", "y"})}}
	got, fault := ask(&Player{Own: own}, "own", 20)
	if fault != nil {
		t.Fatal(fault)
	}
	if out := got["pca"].(*Latent); len(out.Class) != 7 || len(out.Names) != 2 || out.Note == "" {
		t.Errorf("of seven whole rows: %d, %v, %q", len(out.Class), out.Names, out.Note)
	}
	for _, set := range []string{"iris", "digits"} {
		if _, fault := ask(&Player{}, set, 12); fault != nil {
			t.Errorf("%s: %v", set, fault)
		}
	}
	for _, q := range []struct {
		set string
		n   int
	}{{"own", 20}, {"nothing", 20}, {"flow", 3}, {"flow", 1000}} {
		if _, fault := ask(&Player{}, q.set, q.n); fault == nil {
			t.Errorf("%s with %d rows is no fault", q.set, q.n)
		}
	}
	few := &data.Dataset{Name: "few", Columns: own.Columns[:1]}
	if _, fault := ask(&Player{Own: few}, "own", 20); fault == nil {
		t.Error("one column is no fault")
	}
}
