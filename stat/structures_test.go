package stat

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// pairCounts is a kernel on strings written by a user, by Eval alone: the inner
// product of the counts of adjacent letters (Leslie, Eskin and Noble 2002).
type pairCounts struct{}

func (pairCounts) Eval(s, t string) float64 {
	count := pairsIn(s)
	sum := 0
	for p, n := range pairsIn(t) {
		sum += n * count[p]
	}
	return float64(sum)
}

// pairsIn counts the 16 pairs of ACGT.
func pairsIn(s string) (count [16]int) {
	last := -1
	for i := range len(s) {
		at := strings.IndexByte("ACGT", s[i])
		if last >= 0 {
			count[4*last+at]++
		}
		last = at
	}
	return count
}

// graph is a graph by the neighbours of each node.
type graph [][]int

func (g graph) degrees() (count [nodes]int) {
	for _, n := range g {
		count[len(n)]++
	}
	return count
}

// nodes of every graph here.
const nodes = 12

// degreeCounts compares graphs by how many nodes they have of each degree.
type degreeCounts struct{}

func (degreeCounts) Eval(a, b graph) float64 {
	sum, of := 0, b.degrees()
	for d, n := range a.degrees() {
		sum += n * of[d]
	}
	return float64(sum)
}

// chain draws a string in which a letter follows itself with probability stay.
func chain(rng *rand.Rand, stay float64) string {
	s := []byte{"ACGT"[rng.IntN(4)]}
	for len(s) < 40 {
		next := s[len(s)-1]
		if rng.Float64() > stay {
			next = "ACGT"[rng.IntN(4)]
		}
		s = append(s, next)
	}
	return string(s)
}

// randomGraph draws ties among the nodes, each with probability p.
func randomGraph(rng *rand.Rand, p float64) graph {
	g := make(graph, nodes)
	for i := range g {
		for j := range i {
			if rng.Float64() < p {
				g[i], g[j] = append(g[i], j), append(g[j], i)
			}
		}
	}
	return g
}

func many[T any](n int, draw func() T) (out data.Slice[T]) {
	for range n {
		out = append(out, draw())
	}
	return out
}

// TestStringsAndGraphs: over 40 repeats at 5 %, two samples and pairs of
// structures that differ are told apart, and of those that do not at most 6 are
// (the chance of more is 0.003).
func TestStringsAndGraphs(t *testing.T) {
	const n, repeats, level = 40, 40, 6
	text, ties := kernel.Normalize[string](pairCounts{}), kernel.Normalize[graph](degreeCounts{})
	for name, c := range map[string]struct {
		test   func(rng *rand.Rand, s TestSettings) (*TestResult, error)
		differ bool
	}{
		"strings of two chains": {func(rng *rand.Rand, s TestSettings) (*TestResult,
			error) {
			return twoChains(rng, text, s, n, 0.2, 0.5)
		}, true},
		"strings of one chain": {func(rng *rand.Rand, s TestSettings) (*TestResult,
			error) {
			return twoChains(rng, text, s, n, 0.2, 0.2)
		}, false},
		"graphs of two densities": {func(rng *rand.Rand, s TestSettings) (*TestResult, error) {
			return twoGraphs(rng, ties, s, n, 0.3, 0.5)
		}, true},
		"graphs of one density": {func(rng *rand.Rand, s TestSettings) (*TestResult, error) {
			return twoGraphs(rng, ties, s, n, 0.3, 0.3)
		}, false},
		"strings with graphs": {func(rng *rand.Rand, s TestSettings) (*TestResult, error) {
			return stringsWithGraphs(rng, text, ties, s, n, true)
		}, true},
		"strings with others": {func(rng *rand.Rand, s TestSettings) (*TestResult, error) {
			return stringsWithGraphs(rng, text, ties, s, n, false)
		}, false},
	} {
		rejected := 0
		for i := range uint64(repeats) {
			r, err := c.test(rand.New(rand.NewPCG(i, 17)), TestSettings{Permutations: 99, Seed: i})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if r.Reject {
				rejected++
			}
		}
		if c.differ && rejected < repeats-level || !c.differ && rejected > level {
			t.Errorf("%s: rejected %d of %d", name, rejected, repeats)
		}
	}
}

func twoChains(rng *rand.Rand, k kernel.Kernel[string], s TestSettings, n int, p, q float64) (*TestResult, error) {
	x, y := many(n, func() string { return chain(rng, p) }), many(n, func() string { return chain(rng, q) })
	return MMD[string]{Kernel: k, TestSettings: s}.Test(context.Background(), x, y)
}

func twoGraphs(rng *rand.Rand, k kernel.Kernel[graph], s TestSettings, n int, p, q float64) (*TestResult, error) {
	x, y := many(n, func() graph { return randomGraph(rng, p) }), many(n, func() graph { return randomGraph(rng, q) })
	return MMD[graph]{Kernel: k, TestSettings: s}.Test(context.Background(), x, y)
}

// stringsWithGraphs draws both of an object by one number, or by two.
func stringsWithGraphs(
	rng *rand.Rand, text kernel.Kernel[string], ties kernel.Kernel[graph], s TestSettings, n int, one bool,
) (*TestResult, error) {
	var x data.Slice[string]
	var y data.Slice[graph]
	for range n {
		p, q := 0.1+0.8*rng.Float64(), 0.1+0.8*rng.Float64()
		if one {
			q = p
		}
		x, y = append(x, chain(rng, p)), append(y, randomGraph(rng, q))
	}
	return HSIC[string, graph]{KernelX: text, KernelY: ties, TestSettings: s}.Test(context.Background(), x, y)
}
