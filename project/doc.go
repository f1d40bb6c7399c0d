// Package project finds directions in feature space: kernel principal
// components with pre-images and denoising, and kernel canonical correlation; and latent points.
//
// Names to know: [PCA], [SparsePCA], [CCA] and [GPLVM] are the projections, and [NewView] a view
// for [CCA]. [Denoise] takes points to the components and back, [FixedPoint] and [LearnedMap] find
// pre-images.
//
// Kernel PCA (Schölkopf, Smola and Müller 1998) diagonalises the covariance of
// φ(x₁), …, φ(xₙ) in the feature space of a kernel. Its eigenvectors are
// v = Σᵢ αᵢ φ̃(xᵢ) with φ̃ the centred map, where
//
//	K̃·α = nλ·α,   nλ·⟨α, α⟩ = 1,   K̃ = H·K·H,   H = I − 1·1ᵀ/n,
//
// λ is the variance along v, and a point has the score ⟨φ̃(x), v⟩ = Σᵢ αᵢ k̃(xᵢ, x),
// centred with the means of the training points.
//
// Kernel CCA (Bach and Jordan 2002) finds functions f₁, …, f_M of M views of
// the same objects that are most correlated, as the largest eigenvalues ρ of
//
//	[   0     K̃₁·K̃₂ … ] [α₁]     [(K̃₁+κI)²     0      … ] [α₁]
//	[ K̃₂·K̃₁    0    … ] [α₂] = ρ [    0     (K̃₂+κI)² … ] [α₂]
//	[   ⋮               ] [ ⋮]     [    ⋮                 ] [ ⋮]
//
// The Gaussian process latent variable model (Lawrence 2005) goes the other way: points of few
// coordinates are found of which all columns are Gaussian processes.
//
// A fitted projection of the first two is an rkhs.Func with one output for each component.
package project
