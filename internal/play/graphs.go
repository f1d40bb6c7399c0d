package play

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel/graph"
)

type graphsAsked struct {
	Kernel KernelText `json:"kernel"`
	X      DrawnGraph `json:"x"`
	Y      DrawnGraph `json:"y"`
}

// DrawnGraph is a small graph as a page draws it: a letter for each node.
type DrawnGraph struct {
	Labels []string   `json:"labels"`
	Edges  [][2]int32 `json:"edges"`
}

// largestGraph bounds what is drawn.
const largestGraph = 60

func (g DrawnGraph) read(field string) (graph.Graph, error) {
	out := graph.Graph{Nodes: len(g.Labels), Edges: g.Edges}
	if out.Nodes > largestGraph {
		return out, &Fault{Field: field, Message: fmt.Sprintf("a graph of %d nodes; up to %d can be drawn", out.Nodes,
			largestGraph)}
	}
	for i, l := range g.Labels {
		letters := []rune(l)
		if len(letters) != 1 {
			return out, &Fault{Field: field, Message: fmt.Sprintf("node %d is called %q; give it one letter", i+1, l)}
		}
		out.NodeLabels = append(out.NodeLabels, int(letters[0]))
	}
	for _, e := range g.Edges {
		if e[0] == e[1] {
			return out, &Fault{Field: field, Message: fmt.Sprintf("an edge from node %d to itself", e[0]+1)}
		}
	}
	return out, at(field, out.Validate())
}

// compareGraphs says which labels, neighbourhoods or paths two graphs share.
func compareGraphs(_ context.Context, _ *Player, q graphsAsked, send sender) error {
	x, err := q.X.read("x")
	if err != nil {
		return err
	}
	y, err := q.Y.read("y")
	if err != nil {
		return err
	}
	out, err := compare(spec.Graphs(), q.Kernel, x, y, graphFeatures)
	if err != nil {
		return err
	}
	return send("compared", out)
}

// graphFeatures takes the kernels apart that count something.
func graphFeatures(k any) (mapping, bool) {
	even := func(string) float64 { return 1 }
	switch k := k.(type) {
	case graph.WL:
		if k.EdgeLabels {
			return mapping{}, false
		}
		return mappingOf(func(g graph.Graph) (counts, error) { return refined(g, k.Iterations) }, even, nil), true
	case graph.ShortestPath:
		if k.Attributes != nil {
			return mapping{}, false
		}
		return mappingOf(func(g graph.Graph) (counts, error) { return paths(g), nil }, even, nil), true
	}
	return mapping{}, false
}

// adjacent lists the nodes next to each, an edge once however often it is written.
func adjacent(g graph.Graph) [][]int {
	out := make([][]int, g.Nodes)
	seen := map[[2]int32]bool{}
	for _, e := range g.Edges {
		if e[0] > e[1] {
			e[0], e[1] = e[1], e[0]
		}
		if !seen[e] {
			seen[e] = true
			out[e[0]], out[e[1]] = append(out[e[0]], int(e[1])), append(out[e[1]], int(e[0]))
		}
	}
	return out
}

// refined counts the labels of the Weisfeiler–Lehman test after each round, written out: C[CCO] is
// a C next to two C and an O, and its tree of neighbours to the depth of the round follows.
func refined(g graph.Graph, rounds int) (counts, error) {
	label := make([]string, g.Nodes)
	for i, l := range g.NodeLabels {
		label[i] = string(rune(l))
	}
	next, out := adjacent(g), counts{}
	for round := 0; ; round++ {
		written := 0
		for _, l := range label {
			out[strconv.Itoa(round)+": "+l]++
			written += len(l)
		}
		if round == rounds {
			return out, nil
		}
		if written > 1<<20 {
			return nil, tooLarge("a graph", 1<<20)
		}
		after := make([]string, g.Nodes)
		for i := range label {
			around := make([]string, len(next[i]))
			for j, n := range next[i] {
				around[j] = label[n]
			}
			slices.Sort(around)
			after[i] = label[i] + "[" + strings.Join(around, " ") + "]"
		}
		label = after
	}
}

// paths counts the ordered pairs of nodes by their labels and the number of edges between them.
func paths(g graph.Graph) counts {
	next, out := adjacent(g), counts{}
	for from := range g.Nodes {
		far := make([]int, g.Nodes)
		for i := range far {
			far[i] = -1
		}
		far[from] = 0
		for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
			for _, n := range next[queue[0]] {
				if far[n] < 0 {
					far[n] = far[queue[0]] + 1
					queue = append(queue, n)
				}
			}
		}
		for to, d := range far {
			if d > 0 {
				out[fmt.Sprintf("%c –%d– %c", g.NodeLabels[from], d, g.NodeLabels[to])]++
			}
		}
	}
	return out
}
