package graph

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// The numbers of GraKeL (bench/fixtures/graph_grakel.py) where the definitions are the same.
func TestGraKeL(t *testing.T) {
	text, err := os.ReadFile("testdata/grakel.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Graphs []struct {
			Nodes  int
			Edges  [][2]int32
			Labels []int
		}
		Kernels map[string][][]float64
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	var x, bare data.Slice[Graph]
	for _, g := range f.Graphs {
		x = append(x, Graph{Nodes: g.Nodes, Edges: g.Edges, NodeLabels: g.Labels})
		bare = append(bare, Graph{Nodes: g.Nodes, Edges: g.Edges})
	}
	for name, c := range map[string]struct {
		k kernel.Kernel[Graph]
		x data.Slice[Graph]
	}{
		"wl": {WL{Iterations: 3}, x}, "wlpath": {WLPath{Iterations: 2}, x}, "wlassignment": {WLAssignment{Iterations: 3}, x},
		"shortestpath": {ShortestPath{}, x}, "shortestpath_unlabelled": {ShortestPath{}, bare},
		"geometricwalk": {GeometricWalk{Lambda: 0.01}, bare}, "exponentialwalk": {ExponentialWalk{Lambda: 0.05}, bare},
		"geometricwalk_labelled": {GeometricWalk{Lambda: 0.01}, x},
	} {
		want := f.Kernels[name]
		if len(want) != len(x) {
			t.Fatalf("%s: no numbers", name)
		}
		for i := range x {
			for j := range x {
				w := want[i][j]
				if name == "geometricwalk_labelled" { // GraKeL adds 1 for every pair of nodes whose labels differ
					for a := range x[i].Nodes {
						for b := range x[j].Nodes {
							if labelOf(x[i], a) != labelOf(x[j], b) {
								w--
							}
						}
					}
				}
				if got := c.k.Eval(c.x[i], c.x[j]); math.Abs(got-w) > 1e-11*math.Abs(w) {
					t.Errorf("%s: k(%d, %d) = %v, GraKeL has %v", name, i, j, got, w)
				}
			}
		}
	}
}
