package graph

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
)

// Graphlet compares how often each small graph comes among the subgraphs on k = Size nodes (3 when
// zero, at most 5),
//
//	k(G, G') = Σ_g φ_g(G)·φ_g(G'),
//
// φ_g the share of the k-subsets of nodes whose edges make the graph g, up to the order of the
// nodes; there are 4, 11 and 34 graphs of 3, 4 and 5 nodes (N. Shervashidze et al., Efficient
// graphlet kernels for large graph comparison, AISTATS 2009). With Connected it is the share among
// the subsets that hang together (2, 6 and 21 graphs), which are listed without visiting the others
// (S. Wernicke 2006). With Samples > 0 the shares are estimated from that many random subsets;
// GraphletSamples says how many. Labels, weights and attributes are not read; a graph of fewer than
// k nodes has no subgraphs, and all its values are 0.
type Graphlet struct {
	Size      int
	Connected bool
	Samples   int
	Seed      uint64
}

// GraphletSamples is the number of samples for which the estimated shares of the graphs of a size
// are off by more than epsilon in sum, |φ − φ̂|₁ > ε, with probability delta at most: 2(ln 2·a + ln
// 1/δ)/ε² for a graphs (T. Weissman et al. 2003; Shervashidze et al. 2009).
func GraphletSamples(size int, epsilon, delta float64) int {
	if size < 3 || size > 5 {
		panic(fmt.Sprintf("graph: samples of graphlets of %d nodes, want 3, 4 or 5", size))
	}
	a := float64(graphletClasses(size).kinds)
	return int(math.Ceil(2 * (math.Ln2*a + math.Log(1/delta)) / (epsilon * epsilon)))
}

// Name is "graphlet".
func (Graphlet) Name() string { return "graphlet" }

func (k Graphlet) size() int {
	if k.Size == 0 {
		return 3
	}
	return k.Size
}

func (k Graphlet) embed(ctx context.Context, _ *reader, all []*form) features {
	classes := graphletClasses(k.size())
	index, value := make([][]int32, len(all)), make([][]float64, len(all))
	par.For(0, len(all), 1, func(lo, hi int) {
		for g := lo; g < hi && ctx.Err() == nil; g++ {
			index[g], value[g] = shares(k.counts(all[g]), classes)
		}
	})
	return features{rows: joined(index, value, classes.kinds)}
}

// counts are how often each code of edges comes.
func (k Graphlet) counts(f *form) []int {
	switch {
	case f.n < k.size():
		return nil
	case k.Connected:
		return connectedSubsets(f, k.size())
	case k.Samples > 0:
		return sampledSubsets(f, k.size(), k.Samples, k.Seed)
	}
	return allSubsets(f, k.size())
}

// shares turns counts of codes to shares of classes.
func shares(counts []int, classes *classes) (index []int32, value []float64) {
	sums, all := make([]int, classes.kinds), 0
	for code, n := range counts {
		sums[classes.of[code]] += n
		all += n
	}
	for c, n := range sums {
		if n > 0 {
			index, value = append(index, int32(c)), append(value, float64(n)/float64(all))
		}
	}
	return index, value
}

// sampledSubsets draws subsets of k nodes, all alike.
func sampledSubsets(f *form, k, samples int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, uint64(f.n)))
	counts, nodes := make([]int, 1<<(k*(k-1)/2)), make([]int, 0, k)
	for range samples {
		for nodes = nodes[:0]; len(nodes) < k; {
			if v := rng.IntN(f.n); !slices.Contains(nodes, v) {
				nodes = append(nodes, v)
			}
		}
		counts[codeOf(f, nodes)]++
	}
	return counts
}

// Eval compares the shares.
func (k Graphlet) Eval(x, y Graph) float64 { return evalFeatures(x, y, k.embed) }

// PreparePoints counts the subgraphs of each graph once.
func (k Graphlet) PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle {
	return prepareFeatures(ctx, x, y, k.embed)
}

// EachFeature adds the share of each graph, which is named by its number.
func (k Graphlet) EachFeature(x Graph, add func(name string, value float64)) {
	index, value := shares(k.counts(newForm(x)), graphletClasses(k.size()))
	for i, c := range index {
		add(strconv.Itoa(int(c)), value[i])
	}
}

// Params is the size.
func (k Graphlet) Params() []kernel.Param {
	return []kernel.Param{{Name: "graphlet.size", Value: float64(k.size()),
		Domain: kernel.Domain{Low: 3, High: 5, Integer: true}}}
}

// With sets the size.
func (k Graphlet) With(theta []float64) kernel.Kernel[Graph] {
	k.Size = int(theta[0])
	return k
}

// Validate refuses sizes other than 3, 4 and 5, and samples of connected subgraphs.
func (k Graphlet) Validate() error {
	switch {
	case k.size() < 3 || k.size() > 5:
		return fmt.Errorf("kernel: graphlet: size = %d, want 3, 4 or 5", k.Size)
	case k.Samples < 0:
		return fmt.Errorf("kernel: graphlet: samples = %d, want 0 (all subgraphs) or more", k.Samples)
	case k.Samples > 0 && k.Connected:
		return fmt.Errorf("kernel: graphlet: connected subgraphs are listed, not sampled; set Samples to 0")
	}
	return nil
}

// mostSubsets is the number of subsets of a graph that are looked at one by one.
const mostSubsets = 1e10

// CheckPoints refuses graphs that make no sense, and those with too many subsets to look at.
func (k Graphlet) CheckPoints(x data.Points[Graph]) error {
	if err := checkGraphs("graphlet", x); err != nil || k.Connected || k.Samples > 0 {
		return err
	}
	for i := range x.Len() {
		n, subsets := x.At(i).Nodes, 1.0
		for j := range k.size() {
			subsets *= float64(n-j) / float64(j+1)
		}
		if n >= k.size() && subsets > mostSubsets {
			return fmt.Errorf("kernel: graphlet: graph %d has %d nodes and so %.3g subsets of %d; set Samples, or Connected", i,
				n, subsets, k.size())
		}
	}
	return nil
}

// Properties of shares that sum to 1.
func (Graphlet) Properties() kernel.Properties { return psd(1) }
