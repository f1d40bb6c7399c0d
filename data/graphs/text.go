package graphs

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxNodes bounds what a short text can ask for.
const maxNodes = 1 << 22

// text is a graph as JSON.
type text struct {
	Nodes      int         `json:"nodes"`
	Edges      [][2]int32  `json:"edges"`
	NodeLabels []int       `json:"node_labels,omitempty"`
	EdgeLabels []int       `json:"edge_labels,omitempty"`
	NodeAttrs  [][]float64 `json:"node_attributes,omitempty"`
	EdgeAttrs  [][]float64 `json:"edge_attributes,omitempty"`
	Weights    []float64   `json:"weights,omitempty"`
}

// Parse reads a graph written as JSON, as a cell of a table holds it:
//
//	{"nodes": 3, "edges": [[0, 1], [1, 2]], "node_labels": [6, 6, 8]}
//
// Nodes are numbered from 0. There are as many as "nodes" says, or as the edges name. Edges may
// have "edge_labels", "edge_attributes" and "weights", nodes "node_attributes". The empty text is
// the graph without nodes.
func Parse(s string) (Graph, error) {
	if strings.TrimSpace(s) == "" {
		return Graph{}, nil
	}
	var t text
	d := json.NewDecoder(strings.NewReader(s))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return Graph{}, fmt.Errorf("no graph as JSON: %w", err)
	}
	for _, e := range t.Edges {
		t.Nodes = max(t.Nodes, int(e[0])+1, int(e[1])+1)
	}
	if t.Nodes > maxNodes {
		return Graph{}, fmt.Errorf("%d nodes; a graph in a table has at most %d", t.Nodes, maxNodes)
	}
	g := Graph(t)
	return g, g.Validate()
}

// Text writes the graph so that Parse gives it back.
func (g Graph) Text() string {
	t := text(g)
	if t.Edges == nil {
		t.Edges = [][2]int32{}
	}
	out, err := json.Marshal(t)
	if err != nil {
		panic("graphs: " + err.Error()) // an attribute that is not finite, which Validate refuses
	}
	return string(out)
}
