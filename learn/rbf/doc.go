// Package rbf is radial basis function networks: a linear model on kernels at few centres,
//
//	f(x) = Σⱼ βⱼ k(cⱼ, x) + b,   minimise over β, b   Σ wᵢ ℓ(yᵢ, f(xᵢ)) + (λ/2)‖β‖²
//
// (Broomhead and Lowe 1988; Moody and Darken 1989). Centres are given, or drawn at random, by
// k-means, or one after the other by orthogonal least squares (Chen, Cowan and Grant 1991); see
// [CenterChoice]. [Network] predicts values, [Classification] labels with probabilities.
//
// Names to know: [Network] and [Classification] are the learners and [NormalisedClassification]
// divides by the sum of the bases. [CenterChoice] is one of [RandomCenters], [KMeansCenters] and
// [OrthogonalLeastSquares], or centres are given.
package rbf
