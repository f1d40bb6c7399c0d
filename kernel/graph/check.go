package graph

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// checkGraphs refuses graphs that make no sense, and sets of graphs of which some alone have
// labels or attributes. The error names the row.
func checkGraphs(name string, x data.Points[Graph]) error {
	shown := -1 // a graph with nodes
	for i := range x.Len() {
		g := x.At(i)
		if err := g.Validate(); err != nil {
			return fmt.Errorf("kernel: %s: graph %d: %w", name, i, err)
		}
		if g.Nodes == 0 {
			continue
		}
		if shown < 0 {
			shown = i
		}
		first := x.At(shown)
		for _, c := range []struct {
			what      string
			here, one bool
		}{
			{"node labels", g.NodeLabels != nil, first.NodeLabels != nil},
			{"node attributes", g.NodeAttrs != nil, first.NodeAttrs != nil},
		} {
			if c.here != c.one {
				with, without := i, shown
				if c.one {
					with, without = shown, i
				}
				return fmt.Errorf("kernel: %s: graph %d has %s and graph %d has none; give them to all graphs, or to none", name,
					with, c.what, without)
			}
		}
		if g.NodeAttrs != nil && len(g.NodeAttrs[0]) != len(first.NodeAttrs[0]) {
			return fmt.Errorf("kernel: %s: the nodes of graph %d have %d attributes, those of graph %d have %d", name, i,
				len(g.NodeAttrs[0]), shown, len(first.NodeAttrs[0]))
		}
	}
	return nil
}

// checkEdgeLabels refuses sets of graphs of which some alone have labels on their edges.
func checkEdgeLabels(name string, x data.Points[Graph]) error {
	shown := -1
	for i := range x.Len() {
		g := x.At(i)
		if len(g.Edges) == 0 {
			continue
		}
		if shown < 0 {
			shown = i
		}
		if here, one := g.EdgeLabels != nil, x.At(shown).EdgeLabels != nil; here != one {
			with, without := i, shown
			if one {
				with, without = shown, i
			}
			return fmt.Errorf("kernel: %s: graph %d has edge labels and graph %d has none; give them to all graphs, or to none",
				name, with, without)
		}
	}
	return nil
}

// count describes a parameter in 0, 1, 2, ….
func count(name string, value int) kernel.Param {
	return kernel.Param{Name: name, Value: float64(value), Domain: kernel.Domain{Low: 0, High: 1000, Integer: true}}
}

func mustBeCount(name, field string, v int) error {
	if v < 0 || v > 1000 {
		return fmt.Errorf("kernel: %s: %s = %d, want 0 to 1000", name, field, v)
	}
	return nil
}

// positive describes a parameter in (0, ∞).
func positive(name string, value float64) kernel.Param {
	return kernel.Param{Name: name, Value: value, Domain: kernel.Domain{Low: 0, High: math.Inf(1), OpenLow: true,
		LogScale: true}}
}

func mustBePositive(name, field string, v float64) error {
	if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("kernel: %s: %s = %g, want a finite number > 0", name, field, v)
	}
	return nil
}

func orDefault(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return v
}
