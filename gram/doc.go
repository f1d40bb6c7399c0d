// Package gram is the Gram matrix K(X, Y) = [k(xᵢ, yⱼ)] as an operator: stored,
// cached or computed when asked, within a byte budget.
//
// Names to know: [New] makes the [Gram] of points within the bytes of [Options], [Cross] the matrix
// between two lots of points. [CheckPSD] says whether a matrix is positive semi-definite, and
// [RepairKernel] mends a kernel that is not. [IncompleteCholesky], [Nystrom] and [FourierFeatures]
// are the low-rank forms. [OpenDevice] finds GPUs.
//
// A solver sees K only as a Gram: products K·V, the diagonal, columns. New
// chooses how to keep it:
//
//	full     8n² bytes (4n² in float32)   fastest products
//	half     4n² bytes (2n² in float32)   tiles of the lower triangle
//	columns  what the budget allows       least recently used columns (for SMO)
//	lazy     tiles, no n² anywhere        every product evaluates the kernel anew
//
// and Describe says which and why. Where the kernel is a sum over sparse features that are few
// beside the entries of K, and the layout is open, products go by these, K = ΦΦᵀ. When even an
// exact product is too much, the low-rank constructors give K ≈ F·Fᵀ with a report of the error made:
// pivoted incomplete Cholesky (Fine and Scheinberg 2001; Harbrecht, Peters and
// Schneider 2012), Nyström (Williams and Seeger 2001) on uniform, k-means++
// (Oglic and Gärtner 2017) or ridge-leverage-score centres (Musco and Musco
// 2017), random Fourier features (Rahimi and Recht 2007) and orthogonal ones
// (Yu et al. 2016).
//
// Results do not depend on the number of threads: work is cut by position
// only.
package gram
