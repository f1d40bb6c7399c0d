package graph

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

// A path of three nodes from its middle: the star at once, with the degrees 2, 1, 1. A cycle of
// five from any node: a path of three, then the cycle.
func TestComplexityTraces(t *testing.T) {
	star := 1.5 * math.Ln2 // ½ ln 2 + 2·¼ ln 4
	cycle := segments(5)
	cycle.Edges = append(cycle.Edges, [2]int32{4, 0})
	apart := segments(3)
	apart.Nodes += 2 // two nodes alone
	for i, c := range []struct {
		g    Graph
		want []float64
	}{
		{segments(3), []float64{star}}, {cycle, []float64{star, math.Log(5)}}, {Graph{Nodes: 1}, []float64{0}},
		{Graph{}, nil}, {apart, []float64{star}},
		{segments(4), []float64{star, 2*math.Log(3)/3 + math.Log(6)/3}}, // from a middle node: the star, then the path
	} {
		got := complexityTrace(c.g)
		if len(got) != len(c.want) {
			t.Errorf("%d: trace %v, want %v", i, got, c.want)
			continue
		}
		for j, w := range c.want {
			if math.Abs(got[j]-w) > 1e-14 {
				t.Errorf("%d: trace %v, want %v", i, got, c.want)
			}
		}
	}
}

// traceByDefinition follows the words of the paper: distances by Floyd's program, the centres with
// the least variance of them, subgraphs cut out of the matrix of edges, and where a random walk on
// each spends its time by walking, half of the steps standing still, until nothing changes.
func traceByDefinition(g Graph) []float64 {
	g.Weights = nil
	d := floyd(g)
	_, bond := adjacency(g)
	var best []float64
	most, least := 0, math.Inf(1)
	for v := range d {
		d[v][v] = 0
		var reached []float64
		for _, far := range d[v] {
			if !math.IsInf(far, 1) {
				reached = append(reached, far)
			}
		}
		mean := sum(reached) / float64(len(reached))
		variance := 0.0
		for _, far := range reached {
			variance += (far - mean) * (far - mean) / float64(len(reached))
		}
		if len(reached) < most || len(reached) == most && variance > least+1e-12 {
			continue
		}
		if len(reached) > most || variance < least-1e-12 {
			best = nil
		}
		most, least = len(reached), variance
		var trace []float64
		for layer := 1.0; layer <= max(slices.Max(reached), 1); layer++ {
			var inside []int
			for u, far := range d[v] {
				if far <= layer {
					inside = append(inside, u)
				}
			}
			trace = append(trace, walkEntropy(bond, inside))
		}
		if best == nil || slices.CompareFunc(trace, best, func(a, b float64) int {
			if math.Abs(a-b) < 1e-9 {
				return 0
			}
			return cmp.Compare(a, b)
		}) > 0 {
			best = trace
		}
	}
	return best
}

// walkEntropy is the entropy of the time that a random walk spends at the nodes of a subgraph.
func walkEntropy(bond [][]int, inside []int) float64 {
	p := make([]float64, len(inside))
	p[0] = 1
	for range 800 {
		next := make([]float64, len(p))
		for i, v := range inside {
			var to []int
			for j, u := range inside {
				if bond[v][u] >= 0 {
					to = append(to, j)
				}
			}
			if len(to) == 0 {
				next[i] += p[i]
				continue
			}
			next[i] += p[i] / 2
			for _, j := range to {
				next[j] += p[i] / 2 / float64(len(to))
			}
		}
		p = next
	}
	h := 0.0
	for _, v := range p {
		if v > 0 {
			h -= v * math.Log(v)
		}
	}
	return h
}

func TestTracesByDefinition(t *testing.T) {
	x := plain(randomGraphs(53, 25, 8), true, false)
	for n := 2; n < 8; n++ {
		cycle := segments(n)
		x = append(x, cycle)
		if n > 2 {
			cycle.Edges = append(slices.Clone(cycle.Edges), [2]int32{int32(n - 1), 0})
			x = append(x, cycle)
		}
	}
	deep := 0
	for i, g := range x {
		got, want := complexityTrace(g), traceByDefinition(g)
		if len(got) != len(want) {
			t.Fatalf("graph %d %+v: trace %v, want %v", i, g, got, want)
		}
		for l, w := range want {
			if !(math.Abs(got[l]-w) <= 1e-9) {
				t.Errorf("graph %d, layer %d: %v, want %v", i, l, got[l], w)
			}
		}
		if len(want) > 2 {
			deep++
		}
	}
	if deep < 5 {
		t.Errorf("%d traces of more than two layers: the sample proves little", deep)
	}
}

// alignments adds up all alignments one by one.
func alignments(x, y []float64, sigma float64) float64 {
	if len(x) == 0 || len(y) == 0 {
		if len(x) == len(y) {
			return 1
		}
		return 0
	}
	a, b := len(x)-1, len(y)-1
	e := math.Exp(-(x[a] - y[b]) * (x[a] - y[b]) / (2 * sigma * sigma))
	rest := alignments(x[:a], y[:b], sigma)
	if a+b > 0 {
		rest = alignments(x[:a], y, sigma) + alignments(x, y[:b], sigma) + alignments(x[:a], y[:b], sigma)
	}
	return e / (2 - e) * rest
}

func TestTraceKernels(t *testing.T) {
	x := plain(randomGraphs(52, 12, 8), true, false)
	x[1] = segments(7)
	x[1].NodeLabels = make([]int, 7)
	for _, sigma := range []float64{0.3, 1} {
		agrees(t, TraceAlignment{Sigma: sigma}, x, 1e-12, func(a, b Graph) float64 {
			p, q := complexityTrace(a), complexityTrace(b)
			if len(p) == 0 || len(q) == 0 {
				return 0
			}
			return alignments(p, q, sigma)
		})
	}
	agrees(t, TraceReproducing{Layers: 3}, x, 1e-14, func(a, b Graph) float64 {
		p, q := complexityTrace(a), complexityTrace(b)
		if len(p) == 0 || len(q) == 0 {
			return 0
		}
		s := 0.0
		for i := range 3 {
			s += 0.5 * math.Exp(-math.Abs(p[min(i, len(p)-1)]-q[min(i, len(q)-1)]))
		}
		return s
	})
	conforms(t, TraceAlignment{Sigma: 0.5}, x)
	conforms(t, TraceReproducing{}, x)
	if (TraceAlignment{-1}).Validate() == nil || (TraceReproducing{-1}).Validate() == nil {
		t.Error("negative parameters: no error")
	}
}
