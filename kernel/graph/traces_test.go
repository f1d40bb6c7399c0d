package graph

import (
	"math"
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
		{segments(3), []float64{star}}, {cycle, []float64{star, math.Log(5)}}, {Graph{Nodes: 1}, []float64{0}}, {Graph{}, nil}, {apart, []float64{star}},
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
