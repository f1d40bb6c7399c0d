// Package graphs holds graphs as points: nodes, edges, and what is written on them.
package graphs

import (
	"fmt"
	"math"
)

// Graph is an undirected graph. An edge may stand in Edges once or in both directions, as in
// the files of TUDataset: either way it is one edge. A graph without nodes is a graph.
type Graph struct {
	Nodes      int
	Edges      [][2]int32  // node numbers from 0
	NodeLabels []int       // nil: none
	EdgeLabels []int       // by entry of Edges; nil: none
	NodeAttrs  [][]float64 // nil: none
	EdgeAttrs  [][]float64 // by entry of Edges; nil: none
	Weights    []float64   // by entry of Edges, > 0; nil: all 1
}

// Validate says what is wrong with the graph, and where: an edge to a node that is not there, an
// edge from a node to itself, a weight that is not positive, one edge listed with two weights or
// labels, labels or attributes that are too few.
func (g Graph) Validate() error {
	if g.Nodes < 0 || g.Nodes > math.MaxInt32 {
		return fmt.Errorf("%d nodes; a graph has 0 to %d", g.Nodes, math.MaxInt32)
	}
	for _, c := range []struct {
		what      string
		have      int
		each      string
		want      int
		isPresent bool
	}{
		{"node labels", len(g.NodeLabels), "nodes", g.Nodes, g.NodeLabels != nil},
		{"node attributes", len(g.NodeAttrs), "nodes", g.Nodes, g.NodeAttrs != nil},
		{"edge labels", len(g.EdgeLabels), "edges", len(g.Edges), g.EdgeLabels != nil},
		{"edge attributes", len(g.EdgeAttrs), "edges", len(g.Edges), g.EdgeAttrs != nil},
		{"weights", len(g.Weights), "edges", len(g.Edges), g.Weights != nil},
	} {
		if c.isPresent && c.have != c.want {
			return fmt.Errorf("%d %s for %d %s; give one for each, or none (nil)", c.have, c.what, c.want, c.each)
		}
	}
	if err := finiteRows("node", g.NodeAttrs); err != nil {
		return err
	}
	if err := finiteRows("edge", g.EdgeAttrs); err != nil {
		return err
	}
	return g.validateEdges()
}

func (g Graph) validateEdges() error {
	first := make(map[[2]int32]int, len(g.Edges))
	for i, e := range g.Edges {
		a, b := e[0], e[1]
		switch {
		case a < 0 || b < 0 || int(a) >= g.Nodes || int(b) >= g.Nodes:
			return fmt.Errorf("edge %d joins node %d to node %d, but there are %d nodes, numbered from 0", i, a, b, g.Nodes)
		case a == b:
			return fmt.Errorf("edge %d joins node %d to itself; drop such edges with WithoutLoops", i, a)
		}
		if g.Weights != nil {
			if w := g.Weights[i]; !(w > 0) || math.IsInf(w, 0) {
				return fmt.Errorf("edge %d (nodes %d and %d) has the weight %g, want a finite number > 0; leave out edges "+
					"of weight 0", i, a, b, w)
			}
		}
		if g.Weights == nil && g.EdgeLabels == nil {
			continue
		}
		at, again := first[[2]int32{min(a, b), max(a, b)}]
		if !again {
			first[[2]int32{min(a, b), max(a, b)}] = i
			continue
		}
		if g.Weights != nil && g.Weights[at] != g.Weights[i] {
			return fmt.Errorf("edges %d and %d both join nodes %d and %d, with the weights %g and %g; edges have no direction",
				at, i, a, b, g.Weights[at], g.Weights[i])
		}
		if g.EdgeLabels != nil && g.EdgeLabels[at] != g.EdgeLabels[i] {
			return fmt.Errorf("edges %d and %d both join nodes %d and %d, with the labels %d and %d; edges have no direction",
				at, i, a, b, g.EdgeLabels[at], g.EdgeLabels[i])
		}
	}
	return nil
}

func finiteRows(what string, rows [][]float64) error {
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return fmt.Errorf("%s %d has %d attributes, %s 0 has %d", what, i, len(row), what, len(rows[0]))
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("attribute %d of %s %d is %g; impute or drop it", j, what, i, v)
			}
		}
	}
	return nil
}

// WithoutLoops is the graph without the edges from a node to itself. The rest is shared with g.
func (g Graph) WithoutLoops() Graph {
	out := g
	out.Edges, out.EdgeLabels, out.EdgeAttrs, out.Weights = nil, nil, nil, nil
	for i, e := range g.Edges {
		if e[0] == e[1] {
			continue
		}
		out.Edges = append(out.Edges, e)
		if g.EdgeLabels != nil {
			out.EdgeLabels = append(out.EdgeLabels, g.EdgeLabels[i])
		}
		if g.EdgeAttrs != nil {
			out.EdgeAttrs = append(out.EdgeAttrs, g.EdgeAttrs[i])
		}
		if g.Weights != nil {
			out.Weights = append(out.Weights, g.Weights[i])
		}
	}
	return out
}
