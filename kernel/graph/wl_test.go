package graph

import (
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
)

// nodesAlike is the number of levels at which two nodes have the same tree.
func nodesAlike(x, y Graph, v, u, h int, edges bool) int {
	_, bx := adjacency(x)
	_, by := adjacency(y)
	n := 0
	for t := range h + 1 {
		if tree(x, bx, v, t, edges) == tree(y, by, u, t, edges) {
			n++
		}
	}
	return n
}

func TestWLCountsTrees(t *testing.T) {
	x := randomGraphs(1, datatest.Size(14, 8), 7)
	for _, k := range []WL{{0, false}, {1, false}, {3, false}, {2, true}} {
		for _, labels := range []bool{true, false} {
			agrees(t, k, plain(x, labels, true), 0, func(a, b Graph) float64 {
				s := 0
				for v := range a.Nodes {
					for u := range b.Nodes {
						s += nodesAlike(a, b, v, u, k.Iterations, k.EdgeLabels)
					}
				}
				return float64(s)
			})
		}
	}
	conforms(t, WL{Iterations: 2, EdgeLabels: true}, plain(x, true, false))
}

// bestAssignment tries all assignments of the nodes of x to different nodes of y.
func bestAssignment(value [][]int, v int, taken []bool) int {
	if v == len(value) {
		return 0
	}
	best := bestAssignment(value, v+1, taken)
	for u := range value[v] {
		if !taken[u] {
			taken[u] = true
			best = max(best, value[v][u]+bestAssignment(value, v+1, taken))
			taken[u] = false
		}
	}
	return best
}

func TestWLAssignmentIsTheBest(t *testing.T) {
	x := plain(randomGraphs(2, 10, 5), true, false)
	for _, k := range []WLAssignment{{0, false}, {2, false}, {2, true}} {
		agrees(t, k, x, 0, func(a, b Graph) float64 {
			value := make([][]int, a.Nodes)
			for v := range value {
				value[v] = make([]int, b.Nodes)
				for u := range value[v] {
					value[v][u] = nodesAlike(a, b, v, u, k.Iterations, k.EdgeLabels)
				}
			}
			return float64(bestAssignment(value, 0, make([]bool, b.Nodes)))
		})
	}
	conforms(t, WLAssignment{Iterations: 3}, x)
}

func TestWLEdgeCountsEdges(t *testing.T) {
	x := randomGraphs(3, 12, 6)
	for _, k := range []WLEdge{{0, false}, {2, false}, {1, true}} {
		agrees(t, k, plain(x, true, true), 0, func(a, b Graph) float64 {
			_, ba := adjacency(a)
			_, bb := adjacency(b)
			s := 0.0
			for level := range k.Iterations + 1 {
				for v := range ba {
					for u := range v {
						for p := range bb {
							for q := range p {
								if ba[v][u] < 0 || bb[p][q] < 0 || k.EdgeLabels && ba[v][u] != bb[p][q] {
									continue
								}
								tv, tu := tree(a, ba, v, level, k.EdgeLabels), tree(a, ba, u, level, k.EdgeLabels)
								tp, tq := tree(b, bb, p, level, k.EdgeLabels), tree(b, bb, q, level, k.EdgeLabels)
								if tv == tp && tu == tq || tv == tq && tu == tp {
									s++
								}
							}
						}
					}
				}
			}
			return s
		})
	}
	conforms(t, WLEdge{Iterations: 2}, plain(x, true, false))
}

func TestWLPathCountsPaths(t *testing.T) {
	x := randomGraphs(4, 12, 6)
	for _, k := range []WLPath{{0, false}, {2, true}} {
		for _, weights := range []bool{true, false} {
			agrees(t, k, plain(x, true, weights), 0, func(a, b Graph) float64 {
				_, ba := adjacency(a)
				_, bb := adjacency(b)
				s := 0.0
				for level := range k.Iterations + 1 {
					s += pathPairs(a, b, func(v, u int) float64 {
						if tree(a, ba, v, level, k.EdgeLabels) == tree(b, bb, u, level, k.EdgeLabels) {
							return 1
						}
						return 0
					})
				}
				return s
			})
		}
	}
	conforms(t, WLPath{Iterations: 1}, plain(x, true, false))
}

// The labels do not depend on how the graphs are cut into two sets, nor on their number.
func TestWLOnManyGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var x data.Slice[Graph]
	for range 300 {
		g := randomGraph(rng, 30, 0.15)
		g.NodeAttrs = nil
		x = append(x, g)
	}
	k := WL{Iterations: 3}
	r := learner(false).refine(t.Context(), forms(x), 3, false)
	for range 200 {
		i, j := rng.IntN(len(x)), rng.IntN(len(x))
		s := 0
		for level := range 4 {
			for _, a := range r.of(level, i) {
				for _, b := range r.of(level, j) {
					if a == b {
						s++
					}
				}
			}
		}
		if got := k.Eval(x[i], x[j]); got != float64(s) {
			t.Errorf("k(%d, %d) = %v, want %d", i, j, got, s)
		}
	}
}

func forms(x data.Slice[Graph]) []*form {
	out := make([]*form, len(x))
	for i, g := range x {
		out[i] = newForm(g)
	}
	return out
}
