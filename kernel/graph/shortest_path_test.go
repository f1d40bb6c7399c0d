package graph

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// pathPairs is the definition: four loops over nodes.
func pathPairs(a, b Graph, node func(v, u int) float64) float64 {
	da, db := floyd(a), floyd(b)
	s := 0.0
	for v := range da {
		for w := range da {
			for p := range db {
				for q := range db {
					if v != w && p != q && da[v][w] == db[p][q] && !math.IsInf(da[v][w], 1) {
						s += node(v, p) * node(w, q)
					}
				}
			}
		}
	}
	return s
}

func TestShortestPathCountsPairs(t *testing.T) {
	x := randomGraphs(5, 14, 7)
	for _, labels := range []bool{true, false} {
		for _, weights := range []bool{true, false} {
			agrees(t, ShortestPath{}, plain(x, labels, weights), 0, func(a, b Graph) float64 {
				return pathPairs(a, b, func(v, u int) float64 {
					if labelOf(a, v) == labelOf(b, u) {
						return 1
					}
					return 0
				})
			})
		}
	}
	conforms(t, ShortestPath{}, plain(x, true, false))
}

func TestShortestPathOfAttributes(t *testing.T) {
	x := randomGraphs(6, 12, 6)
	g := kernel.Gaussian{Lengthscale: 1.5}
	k := ShortestPath{Attributes: g}
	agrees(t, k, x, 1e-12, func(a, b Graph) float64 {
		return pathPairs(a, b, func(v, u int) float64 {
			if labelOf(a, v) != labelOf(b, u) {
				return 0
			}
			return g.Eval(a.NodeAttrs[v], b.NodeAttrs[u])
		})
	})
	conforms(t, k, x)
	err := k.CheckPoints(data.Slice[Graph]{{}, {Nodes: 1}})
	if err == nil || !strings.Contains(err.Error(), "graph 1 have no attributes") {
		t.Errorf("no attributes: %v", err)
	}
	if p := kernel.Params(kernel.Kernel[Graph](k)); len(p) != 1 || p[0].Value != 1.5 {
		t.Errorf("parameters %v", p)
	}
	if err := (ShortestPath{Attributes: kernel.Gaussian{Lengthscale: -1}}).Validate(); err == nil {
		t.Error("a negative length-scale: no error")
	}
}

// Lengths that are sums of the same weights in another order are one length.
func TestLengthsToSixDigits(t *testing.T) {
	path := func(w ...float64) Graph {
		g := Graph{Nodes: len(w) + 1, Weights: w}
		for i := range w {
			g.Edges = append(g.Edges, [2]int32{int32(i), int32(i + 1)})
		}
		return g
	}
	a, b := path(0.1, 0.2, 0.3), path(0.3, 0.2, 0.1)
	k := ShortestPath{}
	if got, want := k.Eval(a, b), k.Eval(a, a); got != want {
		t.Errorf("k of a path and the same from its other end is %v, want %v", got, want)
	}
}
