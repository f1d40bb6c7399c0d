package graphs

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// Builder makes one undirected graph of edges as people write them: between nodes with names, in one
// direction or both, some of them twice, from a node to itself. What it decides is counted in Built.
type Builder struct {
	number   map[string]int32
	names    []string
	from, to []int32
	weight   []float64
	weighted bool
}

// Built is what became of the edges.
type Built struct {
	Edges    int // that were added
	Loops    int // from a node to itself: left out
	Zero     int // of weight 0: left out
	Repeated int // in the direction of another: their weights are added up, and without weights they count once
	BothWays int // pairs of nodes with an edge each way
	Unequal  int // of those, with two weights: their mean is taken
}

// Node is the number of the node of a name, which is new or not.
func (b *Builder) Node(name string) int32 {
	if b.number == nil {
		b.number = map[string]int32{}
	}
	i, ok := b.number[name]
	if !ok {
		i = int32(len(b.names))
		b.number[name] = i
		b.names = append(b.names, name)
	}
	return i
}

// Find is the number of a node, where there is one of that name.
func (b *Builder) Find(name string) (int32, bool) {
	i, ok := b.number[name]
	return i, ok
}

// Names is the names of the nodes by number.
func (b *Builder) Names() []string { return b.names }

// Numbered adds the nodes 1, 2, …, n, of a matrix, say.
func (b *Builder) Numbered(n int) {
	for i := range n {
		b.Node(phrase.Number(float64(i + 1)))
	}
}

// Add adds an edge without a weight.
func (b *Builder) Add(from, to int32) {
	b.from, b.to, b.weight = append(b.from, from), append(b.to, to), append(b.weight, 1)
}

// AddWeighted adds an edge with a weight, finite and not negative.
func (b *Builder) AddWeighted(from, to int32, w float64) error {
	if !(w >= 0) || math.IsInf(w, 0) {
		return fmt.Errorf("an edge of weight %g: weights say how much two nodes are alike, and are finite and not negative",
			w)
	}
	b.weighted = true
	b.from, b.to, b.weight = append(b.from, from), append(b.to, to), append(b.weight, w)
	return nil
}

// Graph is the graph of all edges.
func (b *Builder) Graph() (Graph, Built) {
	g, said := Graph{Nodes: len(b.names)}, Built{Edges: len(b.from)}
	type edge struct {
		low, high int32
		back      bool // from high to low
		w         float64
	}
	list := make([]edge, 0, len(b.from))
	for i, from := range b.from {
		to, w := b.to[i], b.weight[i]
		switch {
		case from == to:
			said.Loops++
			continue
		case w == 0:
			said.Zero++
			continue
		}
		list = append(list, edge{min(from, to), max(from, to), from > to, w})
	}
	slices.SortStableFunc(list, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high))
	})
	for i := 0; i < len(list); {
		var sum [2]float64 // by direction
		var count [2]int
		j := i
		for ; j < len(list) && list[j].low == list[i].low && list[j].high == list[i].high; j++ {
			way := 0
			if list[j].back {
				way = 1
			}
			if count[way]++; count[way] > 1 {
				said.Repeated++
			}
			if b.weighted || count[way] == 1 {
				sum[way] += list[j].w
			}
		}
		w := sum[0] + sum[1]
		if count[0] > 0 && count[1] > 0 {
			said.BothWays++
			if w = sum[0]; sum[0] != sum[1] {
				said.Unequal++
				w = sum[0]/2 + sum[1]/2
			}
		}
		g.Edges = append(g.Edges, [2]int32{list[i].low, list[i].high})
		if b.weighted {
			g.Weights = append(g.Weights, w)
		}
		i = j
	}
	return g, said
}
