package graph

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// everyKernel is one of each kind.
func everyKernel() []Kernel {
	return []Kernel{
		WL{Iterations: 3}, WLEdge{Iterations: 2}, WLPath{Iterations: 1}, WLAssignment{Iterations: 2},
		WLAlignment{Iterations: 2}, ShortestPath{},
		GeometricWalk{Lambda: 0.001}, StepWalk{Steps: 3, Lambda: 0.1}, ExponentialWalk{Lambda: 0.01}, Marginalised{},
		Graphlet{Size: 4}, Graphlet{Size: 4, Samples: 50, Seed: 1},
		NeighbourhoodHash{Iterations: 2}, Filtration{Iterations: 1, Cuts: []float64{4, 2}}, Multiscale{Levels: 1},
		TraceAlignment{}, TraceReproducing{},
	}
}

// A value has the same bits at any number of threads, and whatever other graphs stand beside.
func TestSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var x data.Slice[Graph]
	for range 40 {
		x = append(x, randomGraph(rng, 3+rng.IntN(10), 0.3))
	}
	x = plain(x, true, false)
	few := x[10:14]
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, k := range everyKernel() {
		var first *mat.Dense
		for _, threads := range datatest.Threads() {
			runtime.GOMAXPROCS(threads)
			m := fillGram(t, k, x)
			if first == nil {
				first = m
			} else if !mat.Equal(first, m) {
				t.Errorf("%s: other values with %d threads", k.Name(), threads)
			}
		}
		m := fillGram(t, k, few)
		for i := range few {
			for j := range few {
				if a, b := first.At(10+i, 10+j), m.At(i, j); math.Abs(a-b) > 1e-15*math.Abs(a) {
					t.Errorf("%s: k = %v among many and %v among few", k.Name(), a, b)
				}
			}
		}
	}
}

// A context that has ended ends the preparation, and what it leaves may be called.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := plain(randomGraphs(8, 10, 6), true, false)
	for _, k := range everyKernel() {
		k.PreparePoints(ctx, x, x)(mat.NewDense(2, 2, nil), 0, 0)
	}
	if _, err := Nearest(ctx, kernel.Kernel[int](kernel.Precomputed{K: mat.NewDense(2, 2, []float64{1, 0.5, 0.5, 1})}),
		data.Indices(2), 1); err == nil {
		t.Error("nearest neighbours after the end: no error")
	}
}

// Graphs without nodes or edges have values, all 0 for a kernel of counts; large labels and many
// are told apart.
func TestSmallestGraphs(t *testing.T) {
	empty, one, two := Graph{}, Graph{Nodes: 1}, Graph{Nodes: 2}
	for _, k := range everyKernel() {
		for _, x := range []Graph{empty, one, two} {
			for _, y := range []Graph{empty, one, two} {
				v := k.Eval(x, y)
				if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
					t.Errorf("%s: k of %d and %d nodes = %v", k.Name(), x.Nodes, y.Nodes, v)
				}
				if _, scaled := k.(Multiscale); x.Nodes*y.Nodes == 0 && v != 0 && !scaled {
					t.Errorf("%s: k of %d and %d nodes = %v, want 0", k.Name(), x.Nodes, y.Nodes, v)
				}
			}
		}
		dst := mat.NewDense(1, 1, nil)
		k.PreparePoints(t.Context(), data.Slice[Graph]{empty}, data.Slice[Graph]{one})(dst, 0, 0)
	}
	far := Graph{Nodes: 2, NodeLabels: []int{math.MaxInt, math.MinInt}}
	near := Graph{Nodes: 2, NodeLabels: []int{math.MaxInt, math.MinInt + 1}}
	if v := (WL{}).Eval(far, near); v != 1 {
		t.Errorf("labels at the ends of the integers: %v, want 1", v)
	}
}

func TestNegativeIterations(t *testing.T) {
	for _, k := range []Kernel{WL{Iterations: -1}, WLEdge{Iterations: -1}, WLPath{Iterations: -1},
		WLAssignment{Iterations: -1}, WLAlignment{Iterations: -1},
		GeometricWalk{Lambda: -1}, StepWalk{Steps: -1}, StepWalk{Lambda: -1}, ExponentialWalk{Lambda: math.NaN()},
		NeighbourhoodHash{Iterations: -1}} {
		if err := k.Validate(); err == nil || !strings.Contains(err.Error(), k.Name()) {
			t.Errorf("%+v: error %v", k, err)
		}
	}
	half := data.Slice[Graph]{{Nodes: 2, Edges: [][2]int32{{0, 1}}, EdgeLabels: []int{1}},
		{Nodes: 2, Edges: [][2]int32{{0, 1}}}}
	for _, k := range []Kernel{WL{EdgeLabels: true}, Marginalised{EdgeLabels: true}} {
		if err := k.CheckPoints(half); err == nil ||
			!strings.Contains(err.Error(), "graph 0 has edge labels and graph 1 has none") {
			t.Errorf("edge labels on one graph alone: %v", err)
		}
	}
}

// Sums of the Gram matrices of NCI1 by GraKeL 0.1.11: WeisfeilerLehman(n_iter=5) and
// ShortestPath().
func TestSumsOnNCI1(t *testing.T) {
	if testing.Short() {
		t.Skip("a second or two")
	}
	x := readSet(t, "NCI1").Points()
	for _, c := range []struct {
		k    Kernel
		want float64
	}{{WL{Iterations: 5}, 10508907614}, {ShortestPath{}, 408380864374}} {
		if got := mat.Sum(fillGram(t, c.k, x)); got != c.want {
			t.Errorf("%s: sum %.0f, want %.0f", c.k.Name(), got, c.want)
		}
	}
}
