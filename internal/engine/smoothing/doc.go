// Package smoothing is what density estimates and smoothers are made of: the
// smoothing kernels k, and sums of them over points,
//
//	q ↦ Σ wᵢ·k((q - zᵢ)/λᵢ),
//
// by vector instructions, by a tree with bounds on every node (A. Gray and
// A. Moore, Nonparametric density estimation: toward computational
// tractability, SIAM data mining 2003), by the fast Gauss transform
// (L. Greengard and J. Strain 1991) or on a grid. Beside them stand bandwidths
// as metrics, mixtures of Gaussians and the spread of columns.
package smoothing
