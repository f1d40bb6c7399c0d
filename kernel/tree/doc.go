// Package tree holds kernels on ordered labelled trees, as package data/bracket reads them: sums
// over all pairs of nodes
//
//	k(x, y) = Σ_{n ∈ x} Σ_{m ∈ y} Δ(n, m),
//
// Δ(n, m) the weighted number of fragments that both trees have at these two nodes. The kernels
// differ in what a fragment is:
//
//   - Subtree: a node with all its descendants (Vishwanathan & Smola, Fast kernels for string and
//     tree matching, NIPS 2002),
//   - SubsetTree: every node has all of its children or none (Collins & Duffy, Convolution kernels
//     for natural language, NIPS 2001; New ranking algorithms for parsing and tagging, ACL 2002),
//   - Partial: every node has some of its children, in order (Moschitti, Efficient convolution
//     kernels for dependency and constituent syntactic trees, ECML 2006).
//
// Large trees have large values; kernel.Normalize divides them away.
//
// # How values are computed
//
// Most pairs of nodes have Δ = 0: their productions (or labels) differ. Moschitti (Making tree
// kernels practical for natural language learning, EACL 2006) meets only those that match. Trees of
// one language moreover share most of their lower parts, and Δ(n, m) depends on nothing but the
// subtrees below n and m. So all trees of a Gram matrix become one directed acyclic graph of
// distinct subtrees (Aiolli, Da San Martino, Sperduti & Moschitti, Efficient kernel-based learning
// for trees, CIDM 2007), and a row of the matrix asks once for each subtree that occurs among its
// columns, however often it occurs.
package tree
