package nodes

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/learn"
)

// Space is a graph made ready for many fits: its components, and of the part that can be learnt
// about the Laplacians, their spectra and eigenvectors, each computed once where it is asked for.
// It is not for concurrent use.
type Space struct {
	Resources learn.Resources // Threads, Bytes and Trace
	// Iterative has small graphs solved as large ones are.
	Iterative bool

	nodes     int
	component []int // of each node of the whole graph
	size      []int // nodes of each component
	part      graph.Graph
	place     []int32 // of each node of the whole graph, its number in the part; -1: none
	kinds     [2]*kind
}

// kind is what is known of one Laplacian.
type kind struct {
	l        *graph.Laplacian
	spectrum *graph.Spectrum
	low      *graph.Low
	degree   float64 // mean
}

// NewSpace looks at a graph. Components without any of the nodes that have an answer are left out of
// all that is computed.
func NewSpace(g graph.Graph, known []int) (*Space, error) {
	if err := g.Validate(); err != nil {
		return nil, fmt.Errorf("nodes: %w", err)
	}
	s := &Space{nodes: g.Nodes}
	s.component, s.size = components(g)
	useful := make([]bool, len(s.size))
	for _, v := range known {
		if v < 0 || v >= g.Nodes {
			return nil, fmt.Errorf("nodes: node %d of a graph of %d", v, g.Nodes)
		}
		useful[s.component[v]] = true
	}
	s.place = make([]int32, g.Nodes)
	for v := range s.place {
		s.place[v] = -1
		if useful[s.component[v]] {
			s.place[v] = int32(s.part.Nodes)
			s.part.Nodes++
		}
	}
	for i, e := range g.Edges {
		if s.place[e[0]] < 0 {
			continue
		}
		s.part.Edges = append(s.part.Edges, [2]int32{s.place[e[0]], s.place[e[1]]})
		if g.Weights != nil {
			s.part.Weights = append(s.part.Weights, g.Weights[i])
		}
	}
	return s, nil
}

// components numbers the connected components in the order of their first nodes, by joining the
// ends of edges (R. Tarjan 1975).
func components(g graph.Graph) (component, size []int) {
	parent := make([]int32, g.Nodes)
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, e := range g.Edges {
		a, b := root(e[0]), root(e[1])
		parent[max(a, b)] = min(a, b)
	}
	component = make([]int, g.Nodes)
	for i := range component {
		if r := root(int32(i)); int(r) == i {
			component[i] = len(size)
			size = append(size, 0)
		} else {
			component[i] = component[r]
		}
		size[component[i]]++
	}
	return component, size
}

// Nodes is the number of nodes of the graph.
func (s *Space) Nodes() int { return s.nodes }

// Components is the number of each node's component, and the nodes of each component.
func (s *Space) Components() (component, size []int) { return s.component, s.size }

// exact says that Laplacians are decomposed whole.
func (s *Space) exact() bool { return !s.Iterative && s.part.Nodes <= graph.ExactNodes }

// Exact says whether systems are solved directly, on all eigenvectors.
func (s *Space) Exact() bool { return s.exact() }

// kind is the Laplacian of a kind.
func (s *Space) kind(ctx context.Context, combinatorial bool) (*kind, error) {
	at := 0
	if combinatorial {
		at = 1
	}
	if s.kinds[at] != nil {
		return s.kinds[at], nil
	}
	k := &kind{}
	var err error
	if combinatorial {
		k.l, err = graph.NewLaplacian(s.part)
	} else {
		k.l, err = graph.NewNormalisedLaplacian(s.part)
	}
	if err != nil {
		return nil, fmt.Errorf("nodes: %w", err)
	}
	if k.spectrum, err = k.l.Spectrum(ctx, s.Resources.Threads); err != nil {
		return nil, err
	}
	k.degree = 1
	if combinatorial {
		sum := 0.0
		for _, d := range k.l.Diagonal() {
			sum += d
		}
		if k.degree = sum / float64(max(s.part.Nodes, 1)); k.degree == 0 {
			k.degree = 1
		}
	}
	s.kinds[at] = k
	return k, nil
}

// Spectrum is how the eigenvalues of a Laplacian are distributed.
func (s *Space) Spectrum(ctx context.Context, combinatorial bool) (*graph.Spectrum, error) {
	k, err := s.kind(ctx, combinatorial)
	if err != nil {
		return nil, err
	}
	return k.spectrum, nil
}

// What Lanczos' method may take for the eigenvectors of a step function on a large graph: pairs, the
// columns that it multiplies for them, and the residual relative to the largest eigenvalue.
const (
	lowPairs     = 33
	lowProducts  = 192
	lowTolerance = 1e-4
)

// lowest are the eigenpairs of a large graph that a step function may keep.
func (s *Space) lowest(ctx context.Context, k *kind, pairs int) (*graph.Low, error) {
	if k.low != nil {
		return k.low, nil
	}
	var err error
	k.low, err = k.l.Lowest(ctx, min(pairs, lowPairs), lowTolerance, lowProducts, s.Resources.Threads)
	return k.low, err
}

// Largest is a bound on the eigenvalues of a Laplacian.
func (s *Space) Largest(ctx context.Context, combinatorial bool) (float64, error) {
	k, err := s.kind(ctx, combinatorial)
	if err != nil {
		return 0, err
	}
	return k.l.Largest(), nil
}
