package graphs

import (
	"math"
	"reflect"
	"testing"
)

func TestBuilder(t *testing.T) {
	b := &Builder{}
	a, c, d, e := b.Node("a"), b.Node("9007199254740993"), b.Node("9007199254740992"), b.Node("e")
	for _, w := range []struct {
		from, to int32
		w        float64
	}{{a, c, 2}, {c, a, 2}, {a, d, 1}, {d, a, 3}, {c, d, 1}, {c, d, 0.5}, {d, d, 7}, {a, e, 0}} {
		if err := b.AddWeighted(w.from, w.to, w.w); err != nil {
			t.Fatal(err)
		}
	}
	g, said := b.Graph()
	want := Graph{Nodes: 4, Edges: [][2]int32{{a, c}, {a, d}, {c, d}}, Weights: []float64{2, 2, 1.5}}
	if !reflect.DeepEqual(g, want) || g.Validate() != nil {
		t.Errorf("%+v, want %+v", g, want)
	}
	if want := (Built{Edges: 8, Loops: 1, Zero: 1, Repeated: 1, BothWays: 2, Unequal: 1}); said != want {
		t.Errorf("%+v, want %+v", said, want)
	}
	for _, w := range []float64{-1, math.NaN(), math.Inf(1)} {
		if b.AddWeighted(a, c, w) == nil {
			t.Errorf("an edge of weight %g: no error", w)
		}
	}
	if i, ok := b.Find("9007199254740992"); !ok || i != d {
		t.Errorf("a name beyond 2^53: %d %v", i, ok)
	}
	if _, ok := (&Builder{}).Find("a"); ok {
		t.Error("a node of nothing")
	}
	// Without weights an edge counts once, however often it stands there.
	b = &Builder{}
	b.Numbered(3)
	b.Add(0, 1)
	b.Add(0, 1)
	b.Add(1, 0)
	g, said = b.Graph()
	if !reflect.DeepEqual(g, Graph{Nodes: 3, Edges: [][2]int32{{0, 1}}}) || said.Repeated != 1 || said.BothWays != 1 ||
		said.Unequal != 0 || b.Names()[2] != "3" {
		t.Errorf("%+v %+v %v", g, said, b.Names())
	}
	if g, said = (&Builder{}).Graph(); g.Nodes != 0 || said.Edges != 0 {
		t.Errorf("nothing: %+v", g)
	}
}
