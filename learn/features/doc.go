// Package features holds learners on random Fourier features: a stationary kernel is k(x, y) = E
// φ(x)φ(y) over waves whose frequencies ω follow its spectral measure, and m frequencies stand for
// the expectation (A. Rahimi and B. Recht, Random features for large-scale kernel machines, 2007;
// orthogonal ones by F. Yu and others, 2016),
//
//	minimise over f = Σ vⱼφⱼ   Σ wᵢ ℓ(yᵢ, f(xᵢ) + b) + (λ/2)‖v‖².
//
// Rows are seen once, from memory or from a stream (data.Source); what is held grows with the
// features, not with the rows. Squares are added up in that one pass and solved exactly. The
// logistic loss and the hinge take a stochastic step for each row: steps of constant length on its
// expansion at the average so far for the logistic loss (F. Bach and E. Moulines,
// Non-strongly-convex smooth stochastic approximation with convergence rate O(1/n), 2013), the
// steps of Pegasos for the hinge (S. Shalev-Shwartz, Y. Singer, N. Srebro and A. Cotter 2011),
// averaged with weights that grow (O. Shamir and T. Zhang 2013).
//
// Names to know: [Regression] and [Classification] are the learners, told by [Options]; [Loss] is
// one of [Squares], [Logistic] and [Hinge]. [NewEquations] adds rows up where they lie in several
// places.
package features
