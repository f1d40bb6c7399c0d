package graphs

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

func ExampleReadEdges() {
	g, names, err := ReadEdges(strings.NewReader("# a path and a node alone\nann bob 2\nbob cem 0.5\ndan\n"),
		"friends.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Nodes, names, g.Edges, g.Weights)
	// Output: 4 [ann bob cem dan] [[0 1] [1 2]] [2 0.5]
}

func ExampleGraph() {
	g := Graph{Nodes: 2, Edges: [][2]int32{{0, 1}, {1, 1}}}
	fmt.Println(g.Validate())
	fmt.Println(g.WithoutLoops().Validate(), g.WithoutLoops().Edges)
	// Output:
	// edge 1 joins node 1 to itself; drop such edges with WithoutLoops
	// <nil> [[0 1]]
}

func TestValidate(t *testing.T) {
	both := [][2]int32{{0, 1}, {1, 0}}
	for _, c := range []struct {
		g    Graph
		want string // "" is fine
	}{
		{Graph{}, ""},
		{Graph{Nodes: 3}, ""},
		{Graph{Nodes: 2, Edges: both, Weights: []float64{2, 2}, EdgeLabels: []int{1, 1}}, ""},
		{Graph{Nodes: -1}, "-1 nodes"},
		{Graph{Nodes: 2, Edges: [][2]int32{{0, 1}, {0, 2}}}, "edge 1 joins node 0 to node 2, but there are 2 nodes"},
		{Graph{Nodes: 2, Edges: [][2]int32{{-1, 0}}}, "edge 0 joins node -1"},
		{Graph{Nodes: 2, Edges: both, Weights: []float64{1, -1}}, "edge 1 (nodes 1 and 0) has the weight -1"},
		{Graph{Nodes: 2, Edges: both, Weights: []float64{1, math.NaN()}}, "weight NaN"},
		{Graph{Nodes: 2, Edges: both, Weights: []float64{1, 2}}, "with the weights 1 and 2"},
		{Graph{Nodes: 2, Edges: both, EdgeLabels: []int{1, 2}}, "with the labels 1 and 2"},
		{Graph{Nodes: 2, Edges: both, Weights: []float64{1}}, "1 weights for 2 edges"},
		{Graph{Nodes: 2, NodeLabels: []int{1}}, "1 node labels for 2 nodes"},
		{Graph{Nodes: 2, NodeLabels: []int{}}, "0 node labels for 2 nodes"},
		{Graph{Nodes: 2, NodeAttrs: [][]float64{{1}, {1, 2}}}, "node 1 has 2 attributes, node 0 has 1"},
		{Graph{Nodes: 1, NodeAttrs: [][]float64{{math.Inf(1)}}}, "attribute 0 of node 0 is +Inf"},
	} {
		err := c.g.Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.g, err, c.want)
		}
	}
}

func TestWithoutLoopsKeepsWhatIsOnEdges(t *testing.T) {
	g := Graph{Nodes: 2, Edges: [][2]int32{{0, 0}, {0, 1}}, EdgeLabels: []int{5, 6}, Weights: []float64{1, 2},
		EdgeAttrs: [][]float64{{1}, {2}}}
	want := Graph{Nodes: 2, Edges: [][2]int32{{0, 1}}, EdgeLabels: []int{6}, Weights: []float64{2},
		EdgeAttrs: [][]float64{{2}}}
	if got := g.WithoutLoops(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestReadEdgesFaults(t *testing.T) {
	for text, want := range map[string]string{
		"a b c d\n":        "f:1:1: \"a b c d\": 4 fields",
		"a b 1\na c\n":     "f:2:1: \"a c\": a weight on some edges alone",
		"a b -1\n":         "not a weight > 0",
		"a b x\n":          "not a weight > 0",
		"a b\n\nb c 1e400": "a weight on some edges alone",
	} {
		if _, _, err := ReadEdges(strings.NewReader(text), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	g, names, err := ReadEdges(strings.NewReader(""), "f")
	if err != nil || g.Nodes != 0 || len(names) != 0 {
		t.Errorf("an empty file: %v %v %v", g, names, err)
	}
}
