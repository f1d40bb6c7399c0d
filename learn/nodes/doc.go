// Package nodes learns a function on all nodes of one graph from the nodes whose answer is known:
// semi-supervised classification and regression.
//
// Names to know: [NewSpace] makes a [Space] of a graph, [Search] learns from the nodes that are
// [Known] and returns a [Model]. A [Setting] is what it tries, a [Choice] what it chose.
//
// With L the Laplacian of the graph, r a spectral transform and K = r(L) the kernel that it makes
// (package kernel/graph), f minimises
//
//	Σ_{i known} (yᵢ − b − fᵢ)² + λ·fᵀK⁻¹f,
//
// where b is the mean of the known answers: kernel ridge regression on the nodes that have one,
// f = K·α with (K_known + λI)α = y − b (A. Smola and R. Kondor 2003). Classes are told apart each
// from the rest by targets ±1.
//
// No n×n matrix is made of a large graph. K is applied to vectors by a Chebyshev series of products
// with the sparse L, and α found in one Krylov space for all columns and all λ; the regularised
// Laplacian K = (L + εI)⁻¹ leads to a sparse system that is solved as it is; a step function keeps
// the eigenvectors below it, from Lanczos' method. Graphs of up to graph.ExactNodes nodes are
// decomposed whole. Every result is the same to the bit at any number of threads.
//
// A component of the graph without a known answer learns nothing: its nodes get b, or the shares of
// the classes, and Model.Alone says so.
package nodes
