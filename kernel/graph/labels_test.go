package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// hashLabels is the definition on strings of 0 and 1.
func hashLabels(k NeighbourhoodHash, g Graph) [][]string {
	b := k.width()
	rot := func(s string, by int) string { return s[by%b:] + s[:by%b] }
	xor := func(a, c string) string {
		out := []byte(a)
		for i := range out {
			out[i] = '0' + (a[i] ^ c[i])
		}
		return string(out)
	}
	number := func(n int) string { // the last b bits
		s := fmt.Sprintf("%0*b", b, n)
		return s[len(s)-b:]
	}
	_, bond := adjacency(g)
	now := make([]string, g.Nodes)
	for v := range now {
		now[v] = fmt.Sprintf("%0*b", b, k.startBits(labelOf(g, v)))
	}
	out := [][]string{now}
	for range k.Iterations {
		next := make([]string, g.Nodes)
		for v := range next {
			next[v] = rot(now[v], 1)
			same := map[string]int{}
			for u, e := range bond[v] {
				if e >= 0 {
					same[now[u]]++
					if !k.CountSensitive {
						next[v] = xor(next[v], now[u])
					}
				}
			}
			for label, o := range same {
				if k.CountSensitive {
					next[v] = xor(next[v], rot(xor(label, number(o)), o))
				}
			}
		}
		now = next
		out = append(out, now)
	}
	return out
}

func TestNeighbourhoodHashOnStrings(t *testing.T) {
	x := plain(randomGraphs(41, 12, 8), true, false)
	for _, k := range []NeighbourhoodHash{{Iterations: 3}, {Iterations: 3, CountSensitive: true}, {Iterations: 2, Bits: 3},
		{Iterations: 4, Bits: 64, CountSensitive: true}, {Iterations: 2, Bits: 2, CountSensitive: true}} {
		agrees(t, k, x, 1e-14, func(a, b Graph) float64 {
			if a.Nodes+b.Nodes == 0 {
				return 0
			}
			ha, hb := hashLabels(k, a), hashLabels(k, b)
			s := 0.0
			for level := range ha {
				common, left := 0, slices.Clone(hb[level])
				for _, l := range ha[level] {
					if at := slices.Index(left, l); at >= 0 {
						left = slices.Delete(left, at, at+1)
						common++
					}
				}
				s += float64(common) / float64(a.Nodes+b.Nodes-common)
			}
			return s / float64(len(ha))
		})
	}
	conforms(t, NeighbourhoodHash{Iterations: 2, CountSensitive: true}, x)
	if (NeighbourhoodHash{Bits: 65}).Validate() == nil {
		t.Error("65 bits: no error")
	}
}

func TestWLAlignmentFromBlocks(t *testing.T) {
	x := plain(randomGraphs(42, 12, 7), true, false)
	k := WLAlignment{Iterations: 2}
	agrees(t, k, x, 1e-13, func(a, b Graph) float64 {
		s := 0.0
		for level := range 3 {
			na, ea := labelBlocks(a, level)
			nb, eb := labelBlocks(b, level)
			for pair, m := range ea {
				o, both := eb[pair]
				if !both {
					continue
				}
				p, q, _ := strings.Cut(pair, "|")
				possible := func(n map[string]float64) float64 {
					if p == q {
						return n[p] * (n[p] - 1)
					}
					return n[p] * n[q]
				}
				s += math.Sqrt(2*m/possible(na)*2*o/possible(nb)) * min(na[p], nb[p]) * min(na[q], nb[q])
			}
		}
		return s
	})
	conforms(t, k, x)
}

// The definition with matrices: nodes of a label are lined up with those of that label in the other
// graph, one beside the other, and what stands at two places that both graphs have is multiplied.
// The aligned adjacency matrix has at every two places of labels a and b the root of how dense the
// edges between a and b are, and k is the sum over all entries of the product of two such matrices.
func TestWLAlignmentOfAlignedMatrices(t *testing.T) {
	x := plain(randomGraphs(47, 10, 7), true, false)
	agrees(t, WLAlignment{Iterations: 2}, x, 1e-13, func(a, b Graph) float64 {
		s := 0.0
		for level := range 3 {
			p, q := alignedMatrix(a, level), alignedMatrix(b, level)
			for at, v := range p {
				s += v * q[at]
			}
		}
		return s
	})
}

// alignedMatrix is the entries of an aligned adjacency matrix, by the labels and the numbers of its
// places: the i-th node of label p and the j-th of label q.
func alignedMatrix(g Graph, level int) map[string]float64 {
	_, bond := adjacency(g)
	label := make([]string, g.Nodes)
	places := map[string]int{}
	for v := range label {
		label[v] = tree(g, bond, v, level, false)
		places[label[v]]++
	}
	out := map[string]float64{}
	for p, n := range places {
		for q, m := range places {
			ends, pairs := 0.0, 0.0 // ordered pairs of nodes with these labels, and those with an edge
			for v := range bond {
				for u := range bond {
					if v != u && label[v] == p && label[u] == q {
						pairs++
						if bond[v][u] >= 0 {
							ends++
						}
					}
				}
			}
			for i := range n {
				for j := range m {
					if ends > 0 {
						out[fmt.Sprint(p, "|", i, "|", q, "|", j)] = math.Sqrt(ends / pairs)
					}
				}
			}
		}
	}
	return out
}

// labelBlocks counts the nodes of each tree, and the edges between trees.
func labelBlocks(g Graph, level int) (nodes, edges map[string]float64) {
	_, bond := adjacency(g)
	nodes, edges = map[string]float64{}, map[string]float64{}
	for v := range bond {
		tv := tree(g, bond, v, level, false)
		nodes[tv]++
		for u := range v {
			if bond[v][u] >= 0 {
				tu := tree(g, bond, u, level, false)
				edges[min(tv, tu)+"|"+max(tv, tu)]++
			}
		}
	}
	return nodes, edges
}

// Stages one by one, trees as strings, and the Wasserstein distance as a largest difference of
// means.
func TestFiltrationStageByStage(t *testing.T) {
	x := randomGraphs(43, 10, 6)
	for _, k := range []Filtration{{2, 0.7, []float64{1.5, 1, 0.2}}, {1, 0, []float64{3, 1}}, {1, 2, []float64{1}},
		{2, 1, nil}} {
		for _, weights := range []bool{true, false} {
			agrees(t, k, plain(x, true, weights), 1e-12, func(a, b Graph) float64 {
				ha, hb := stageHistograms(k, a), stageHistograms(k, b)
				s := 0.0
				for l, p := range ha {
					q, both := hb[l]
					if !both {
						continue
					}
					mp, mq := sum(p), sum(q)
					s += mp * mq * math.Exp(-orDefault(k.Gamma, 1)*moved(k.Cuts, p, q, mp, mq))
				}
				return s
			})
		}
	}
	conforms(t, Filtration{1, 1, []float64{3, 1}}, plain(x, true, false))
	for _, k := range []Filtration{{Cuts: []float64{1, 1}}, {Cuts: []float64{math.NaN()}}, {Gamma: -1}, {Iterations: -1}} {
		if k.Validate() == nil {
			t.Errorf("%+v: no error", k)
		}
	}
	y := plain(x, true, false)
	k := Filtration{Iterations: 2}
	for i := range y {
		if a, b := k.Eval(y[i], y[0]), (WL{Iterations: 2}).Eval(y[i], y[0]); a != b {
			t.Errorf("without cuts k = %v, WL has %v", a, b)
		}
	}
}

func stageHistograms(k Filtration, g Graph) map[string][]float64 {
	w, bond := adjacency(g)
	degree := make([]float64, g.Nodes)
	for v := range bond {
		for _, e := range bond[v] {
			if e >= 0 {
				degree[v]++
			}
		}
	}
	cuts := k.Cuts
	if cuts == nil {
		cuts = []float64{0}
	}
	out := map[string][]float64{}
	for s, cut := range cuts {
		_, kept := adjacency(g)
		for v := range bond {
			for u := range bond {
				value := w[v][u]
				if g.Weights == nil {
					value = max(degree[v], degree[u])
				}
				if value < cut {
					kept[v][u] = -1
				}
			}
		}
		for v := range bond {
			for t := range k.Iterations + 1 {
				l := fmt.Sprint(t, tree(g, kept, v, t, false))
				if out[l] == nil {
					out[l] = make([]float64, len(cuts))
				}
				out[l][s]++
			}
		}
	}
	return out
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// moved is the Wasserstein distance by its dual (L. Kantorovich and G. Rubinstein 1958): the
// largest Σ f·(p − q) over the functions f of the cuts that change by no more than the cuts do; on
// a line the largest is had where f goes up or down by all of each step, so that all signs are
// tried.
func moved(cuts, p, q []float64, mp, mq float64) float64 {
	best := 0.0
	for signs := range 1 << max(len(p)-1, 0) {
		f, s := 0.0, 0.0
		for i := range p {
			if i > 0 {
				step := (cuts[i-1] - cuts[i]) / (cuts[0] - cuts[len(cuts)-1])
				if signs>>(i-1)&1 == 1 {
					step = -step
				}
				f += step
			}
			s += f * (p[i]/mp - q[i]/mq)
		}
		best = max(best, s)
	}
	return best
}
