package graph

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// explicitProduct is the adjacency of the product graph, and 1 for the pairs of nodes that agree.
func explicitProduct(a, b Graph, edgeLabels bool) (*mat.Dense, *mat.VecDense) {
	wa, ba := adjacency(a)
	wb, bb := adjacency(b)
	n := a.Nodes * b.Nodes
	m, one := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	same := func(v, u int) bool { return labelOf(a, v) == labelOf(b, u) }
	for v := range wa {
		for u := range wb {
			if !same(v, u) {
				continue
			}
			one.SetVec(v*b.Nodes+u, 1)
			for p := range wa {
				for q := range wb {
					if same(p, q) && (!edgeLabels || ba[v][p] == bb[u][q]) {
						m.Set(v*b.Nodes+u, p*b.Nodes+q, wa[v][p]*wb[u][q])
					}
				}
			}
		}
	}
	return m, one
}

func TestGeometricWalkByTheInverse(t *testing.T) {
	x := randomGraphs(21, 10, 6)
	for _, edges := range []bool{false, true} {
		for _, labels := range []bool{true, false} {
			k := GeometricWalk{Lambda: 0.02, EdgeLabels: edges}
			agrees(t, k, plain(x, labels, true), 1e-11, func(a, b Graph) float64 {
				if a.Nodes*b.Nodes == 0 {
					return 0
				}
				m, one := explicitProduct(a, b, edges)
				n, _ := m.Dims()
				m.Scale(-k.Lambda, m)
				for i := range n {
					m.Set(i, i, 1+m.At(i, i))
				}
				var z mat.VecDense
				if err := z.SolveVec(m, one); err != nil {
					t.Fatal(err)
				}
				return mat.Dot(one, &z)
			})
		}
	}
	conforms(t, GeometricWalk{Lambda: 0.02}, plain(x, true, false))
	conforms(t, GeometricWalk{Lambda: 0.02}, plain(x, false, true))
}

func TestGeometricWalkHasALimit(t *testing.T) {
	triangle := Graph{Nodes: 3, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 0}}} // ρ = 2
	err := GeometricWalk{Lambda: 0.25}.CheckPoints(data.Slice[Graph]{{}, triangle})
	if err == nil || !strings.Contains(err.Error(),
		"graph 1, whose adjacency has the largest eigenvalue 2, need λ < 0.25") {
		t.Errorf("λρ² = 1: %v", err)
	}
	if err := (GeometricWalk{Lambda: 0.2499}).CheckPoints(data.Slice[Graph]{triangle}); err != nil {
		t.Error(err)
	}
	for i, g := range randomGraphs(3, 10, 9) { // the bound on ρ is a bound, and close
		if len(g.Edges) == 0 {
			continue
		}
		w, _ := adjacency(g)
		s := mat.NewSymDense(g.Nodes, nil)
		for i := range w {
			for j := range i + 1 {
				s.SetSym(i, j, w[i][j])
			}
		}
		var e mat.EigenSym
		e.Factorize(s, false)
		top := e.Values(nil)[g.Nodes-1]
		if got := radius(newForm(g)); got < top-1e-12 || got > top*1.01 {
			t.Errorf("graph %d: ρ ≤ %v, and it is %v", i, got, top)
		}
	}
}

// countWalks adds up walks one by one, from a pair of nodes on.
func countWalks(a, b Graph, v, u, steps int, edges bool, wa, wb [][]float64, ba, bb [][]int, lambda float64) float64 {
	if labelOf(a, v) != labelOf(b, u) {
		return 0
	}
	s := 1.0
	if steps == 0 {
		return s
	}
	for p := range wa {
		for q := range wb {
			if ba[v][p] >= 0 && bb[u][q] >= 0 && (!edges || ba[v][p] == bb[u][q]) {
				s += lambda * wa[v][p] * wb[u][q] * countWalks(a, b, p, q, steps-1, edges, wa, wb, ba, bb, lambda)
			}
		}
	}
	return s
}

func TestStepWalkOneByOne(t *testing.T) {
	x := randomGraphs(22, 9, 4)
	for _, k := range []StepWalk{{0, 0.5, false}, {3, 0.5, false}, {3, 0, true}} {
		for _, labels := range []bool{true, false} {
			agrees(t, k, plain(x, labels, true), 1e-12, func(a, b Graph) float64 {
				wa, ba := adjacency(a)
				wb, bb := adjacency(b)
				s := 0.0
				for v := range wa {
					for u := range wb {
						s += countWalks(a, b, v, u, k.Steps, k.EdgeLabels, wa, wb, ba, bb, k.lambda())
					}
				}
				return s
			})
		}
	}
	conforms(t, StepWalk{Steps: 3, Lambda: 0.3}, plain(x, true, false))
	conforms(t, StepWalk{Steps: 3, Lambda: 0.3}, plain(x, false, false))
}

func TestExponentialWalkByTheMatrix(t *testing.T) {
	x := randomGraphs(23, 9, 5)
	for _, labels := range []bool{true, false} {
		k := ExponentialWalk{Lambda: 0.4}
		agrees(t, k, plain(x, labels, true), 1e-11, func(a, b Graph) float64 {
			if a.Nodes*b.Nodes == 0 {
				return 0
			}
			m, one := explicitProduct(a, b, false)
			m.Scale(k.Lambda, m)
			var e mat.Dense
			e.Exp(m)
			return mat.Inner(one, &e, one)
		})
	}
	conforms(t, ExponentialWalk{Lambda: 0.2}, plain(x, true, false))
	conforms(t, ExponentialWalk{Lambda: 0.2}, plain(x, false, false))
}

// The equations of the paper, with the transition probabilities as they stand.
func TestMarginalisedByItsEquations(t *testing.T) {
	x := randomGraphs(24, 10, 6)
	for _, k := range []Marginalised{{0, false}, {0.3, true}} {
		for _, labels := range []bool{true, false} {
			agrees(t, k, plain(x, labels, true), 1e-11, func(a, b Graph) float64 {
				if a.Nodes*b.Nodes == 0 {
					return 0
				}
				m, one := explicitProduct(a, b, k.EdgeLabels)
				n, _ := m.Dims()
				r := mat.NewVecDense(n, nil)
				da, db := degrees(newForm(a)), degrees(newForm(b))
				for v, d := range da {
					for u, e := range db {
						row, q := v*b.Nodes+u, 1.0
						if d > 0 {
							q *= k.stop()
						}
						if e > 0 {
							q *= k.stop()
						}
						r.SetVec(row, q)
						for c := range n {
							p := 0.0
							if m.At(row, c) != 0 {
								p = m.At(row, c) * (1 - k.stop()) * (1 - k.stop()) / (d * e)
							}
							m.Set(row, c, -p)
						}
						m.Set(row, row, 1)
					}
				}
				var z mat.VecDense
				if err := z.SolveVec(m, r); err != nil {
					t.Fatal(err)
				}
				return mat.Dot(one, &z) / float64(n)
			})
		}
	}
	conforms(t, Marginalised{Stop: 0.2}, plain(x, true, false))
	for _, stop := range []float64{-0.1, 1, math.NaN()} {
		if (Marginalised{Stop: stop}).Validate() == nil {
			t.Errorf("stop = %v: no error", stop)
		}
	}
}
