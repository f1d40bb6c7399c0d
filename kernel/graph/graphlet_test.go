package graph

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// isomorphic tries all orders of the nodes.
func isomorphic(a, b [][]bool) bool {
	for _, p := range permutations(len(a)) {
		same := true
		for i := range a {
			for j := range a {
				same = same && a[i][j] == b[p[i]][p[j]]
			}
		}
		if same {
			return true
		}
	}
	return false
}

func hangsTogether(a [][]bool) bool {
	seen, queue := map[int]bool{0: true}, []int{0}
	for ; len(queue) > 0; queue = queue[1:] {
		for j, e := range a[queue[0]] {
			if e && !seen[j] {
				seen[j] = true
				queue = append(queue, j)
			}
		}
	}
	return len(seen) == len(a)
}

// subgraphs lists the induced subgraphs of k nodes.
func subgraphs(g Graph, k int, connected bool) [][][]bool {
	_, bond := adjacency(g)
	var out [][][]bool
	for set := range 1 << g.Nodes {
		var nodes []int
		for v := range g.Nodes {
			if set>>v&1 == 1 {
				nodes = append(nodes, v)
			}
		}
		if len(nodes) != k {
			continue
		}
		a := make([][]bool, k)
		for i, v := range nodes {
			for _, u := range nodes {
				a[i] = append(a[i], bond[v][u] >= 0)
			}
		}
		if !connected || hangsTogether(a) {
			out = append(out, a)
		}
	}
	return out
}

// The share of pairs of subgraphs that are isomorphic.
func TestGraphletsByIsomorphism(t *testing.T) {
	x := randomGraphs(31, 9, 7)
	for _, k := range []Graphlet{{}, {Size: 4}, {Size: 5}, {Size: 3, Connected: true}, {Size: 4, Connected: true},
		{Size: 5, Connected: true}} {
		agrees(t, k, x, 1e-13, func(a, b Graph) float64 {
			sa, sb := subgraphs(a, k.size(), k.Connected), subgraphs(b, k.size(), k.Connected)
			n := 0
			for _, p := range sa {
				for _, q := range sb {
					if isomorphic(p, q) {
						n++
					}
				}
			}
			return float64(n) / max(float64(len(sa)*len(sb)), 1)
		})
	}
	for i, g := range randomGraphs(33, 20, 8) { // each once
		for size := 3; size <= 5; size++ {
			found := 0
			for _, n := range connectedSubsets(newForm(g), size) {
				found += n
			}
			if want := len(subgraphs(g, size, true)); found != want {
				t.Errorf("graph %d: %d connected subgraphs of %d nodes, want %d", i, found, size, want)
			}
		}
	}
	conforms(t, Graphlet{Size: 4}, plain(x, true, false))
	conforms(t, Graphlet{Size: 4, Samples: 200, Seed: 3}, plain(x, true, false))
}

// There are 4, 11 and 34 graphs of 3, 4 and 5 nodes (OEIS A000088).
func TestNumberOfGraphlets(t *testing.T) {
	for k, want := range map[int]int{3: 4, 4: 11, 5: 34} {
		if got := graphletClasses(k).kinds; got != want {
			t.Errorf("%d graphs of %d nodes, want %d", got, k, want)
		}
	}
}

// With the number of samples of the bound, the shares are within ε.
func TestGraphletSamples(t *testing.T) {
	const epsilon, delta = 0.1, 1e-6
	samples := GraphletSamples(4, epsilon, delta)
	if want := int(math.Ceil(2 * (11*math.Ln2 + math.Log(1e6)) / 0.01)); samples != want {
		t.Errorf("%d samples, want %d", samples, want)
	}
	for i, g := range randomGraphs(32, 12, 15) {
		f := []*form{newForm(g)}
		exact := Graphlet{Size: 4}.embed(context.Background(), learner(false), f).rows.ToDense()
		drawn := Graphlet{Size: 4, Samples: samples, Seed: 7}.embed(context.Background(), learner(false), f).rows.ToDense()
		off := 0.0
		for c, v := range exact.Row(0) {
			off += math.Abs(v - drawn.At(0, c))
		}
		if off > epsilon {
			t.Errorf("graph %d: shares are off by %v, more than %v", i, off, epsilon)
		}
		if off == 0 && g.Nodes > 8 && len(g.Edges) > 8 {
			t.Errorf("graph %d: samples that are exact", i)
		}
	}
}

func TestGraphletRefuses(t *testing.T) {
	for _, k := range []Graphlet{{Size: 2}, {Size: 6}, {Samples: -1}, {Samples: 5, Connected: true}} {
		if k.Validate() == nil {
			t.Errorf("%+v: no error", k)
		}
	}
	large := data.Slice[Graph]{{Nodes: 5000}}
	if err := (Graphlet{Size: 5}).CheckPoints(large); err == nil ||
		!strings.Contains(err.Error(), "graph 0 has 5000 nodes") {
		t.Errorf("too many subsets: %v", err)
	}
	if err := (Graphlet{Size: 5, Samples: 10}).CheckPoints(large); err != nil {
		t.Error(err)
	}
}
