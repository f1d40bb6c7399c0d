// Package rkhs holds elements of the reproducing kernel Hilbert space H of a
// kernel: finite expansions
//
//	f = Σᵢ αᵢ k(cᵢ, ·) + b,  ⟨Σ αᵢ k(cᵢ, ·), Σ βⱼ k(dⱼ, ·)⟩ = αᵀ·K(C, D)·β,
//
// and what can be done with them: evaluation, gradients, inner products,
// projections, mean embeddings. ⟨f, k(x, ·)⟩ = f(x) is the reproducing property
// (Aronszajn 1950).
//
// Names to know: [Func] is a function and [New] makes one; it has Eval, Norm and Inner.
// [MeanEmbedding] is the mean of a sample in the space. [NewMercer], [NewHermite] and [OnCircle]
// are expansions. [Representer] minimises a [Loss] with a [Penalty], and [Certificate] says how
// well.
//
// Coordinates come in three forms. EmpiricalMap is Λ^{1/2}·Uᵀ of a sample;
// Mercer continues its eigenvectors to eigenfunctions (Nyström 1930; Williams
// and Seeger 2001). Hermite is the expansion of the Gaussian kernel under a
// Gaussian measure in closed form (Zhu et al. 1998; Rasmussen and Williams
// 2006, §4.3). Fourier is the space of a periodic kernel on the circle, with
// its norm by Fourier coefficients.
//
// Representer minimises (1/n)·Σ ℓ(yᵢ, f(xᵢ)) + (λ/2)·‖f‖² for any convex differentiable loss; by
// the representer theorem (Kimeldorf and Wahba 1971; Schölkopf, Herbrich and Smola 2001) the
// minimiser is such an expansion on the sample. Of the penalty it asks no more than that it
// increases with ‖f‖, and a Penalty may be any such.
package rkhs
