// Package graph holds kernels between graphs, and kernels on the nodes of one graph.
//
// Names to know: [Graph] is a point. [WL], [ShortestPath], [GeometricWalk] and [Graphlet] are where
// most begin. [NewLaplacian] and [Nodes] make a kernel on the nodes of one graph, with a
// [Transform] such as [Diffusion] or [Regularised].
//
// A kernel between graphs compares two of them by their parts: walks, shortest paths, small
// subgraphs, the labels of the Weisfeiler–Lehman test. Most are inner products of counts, so each
// graph is mapped once and a Gram matrix is a product of sparse rows. None of them scales its
// values to 1: kernel.Normalize does that to any kernel.
//
// A kernel on nodes (see Nodes) is a function r of a graph's Laplacian, K = Σ r(λᵢ)φᵢφᵢᵀ.
//
// Graphs are undirected; an edge listed in both directions is one edge. An edge from a node to
// itself, to a node that is not there, or of weight ≤ 0 is an error that names the graph and the
// edge. A graph without nodes is like nothing, itself included: its values are 0 where the kernel
// does not say otherwise.
package graph

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/graphs"
	"github.com/mercer-ml/mercer/kernel"
)

// Graph is the type of the points; see graphs.Graph.
type Graph = graphs.Graph

// Kernel is what every kernel between graphs of this package has.
type Kernel interface {
	Eval(x, y Graph) float64
	PreparePoints(ctx context.Context, x, y data.Points[Graph]) kernel.Rectangle
	Name() string
	Params() []kernel.Param
	With(theta []float64) kernel.Kernel[Graph]
	Validate() error
	CheckPoints(x data.Points[Graph]) error
	Properties() kernel.Properties
}

// psd is what is known of a kernel of counts: positive semi-definite, and blind to the order of the
// nodes, hence not strict.
func psd(bound float64) kernel.Properties {
	return kernel.Properties{PSD: kernel.Yes, Strict: kernel.No, Stationary: kernel.No, Isotropic: kernel.No,
		Bound: bound, Smoothness: math.NaN()}
}
