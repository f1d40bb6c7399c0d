package graph

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// peers are the numbers of other programs in a file of testdata, and the graphs of GraKeL's.
type peers struct {
	Graphs []struct {
		Nodes  int
		Edges  [][2]int32
		Labels []int
	}
	Kernels map[string][][]float64
}

func readPeers(t *testing.T, name string) (f peers) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// The numbers of GraKeL (bench/fixtures/graph_grakel.py) where the definitions are the same.
func TestGraKeL(t *testing.T) {
	f := readPeers(t, "grakel.json")
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
		"multiscale_0":           {Multiscale{Gamma: 0.1, Eta: 0.2}, x},
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
				if name == "multiscale_0" { // GraKeL leaves out the ½ of |½S₁⁻¹ + ½S₂⁻¹|, and there are 3 labels
					w *= math.Pow(2, 1.5)
				}
				if got := c.k.Eval(c.x[i], c.x[j]); math.Abs(got-w) > 1e-11*math.Abs(w) {
					t.Errorf("%s: k(%d, %d) = %v, GraKeL has %v", name, i, j, got, w)
				}
			}
		}
	}
}

// The numbers of the programs that the authors of the two kernels published with their papers.
func TestAuthorsPrograms(t *testing.T) {
	f := readPeers(t, "authors.json")
	var x data.Slice[Graph]
	for _, g := range readPeers(t, "grakel.json").Graphs {
		x = append(x, Graph{Nodes: g.Nodes, Edges: g.Edges, NodeLabels: g.Labels})
	}
	cuts := []float64{5, 3, 2}
	for name, c := range map[string]struct {
		k   Kernel
		tol float64 // the program of filtrations has float32
	}{
		"wlalignment_0": {WLAlignment{}, 1e-13}, "wlalignment_2": {WLAlignment{Iterations: 2}, 1e-13},
		"filtration_gamma_1": {Filtration{2, 1, cuts}, 1e-6}, "filtration_gamma_0.5": {Filtration{2, 0.5, cuts}, 1e-6},
	} {
		want := f.Kernels[name]
		if len(want) != len(x) {
			t.Fatalf("%s: no numbers", name)
		}
		for i := range x {
			for j := range x {
				if got, w := c.k.Eval(x[i], x[j]), want[i][j]; !(math.Abs(got-w) <= c.tol*(1+w)) {
					t.Errorf("%s: k(%d, %d) = %v, the authors have %v", name, i, j, got, w)
				}
			}
		}
	}
}
