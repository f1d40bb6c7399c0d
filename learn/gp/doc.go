// Package gp is Gaussian processes: a prior over functions whose covariance is the kernel, and the
// posterior given data,
//
//	f ~ GP(0, k),   y = f(x) + ε,   f(x) | y ~ N( k(x)ᵀA⁻¹y,  k(x, x) - k(x)ᵀA⁻¹k(x) ),   A = K + σ²I
//
// (Rasmussen and Williams 2006). [Regression] is exact, [Joint] is several outputs as one process;
// [Laplace] has counts or heavy tails for a likelihood, [Classification] has a logistic or softmax
// likelihood and Laplace's approximation. Parameters of the kernel and the noise are those of
// largest marginal likelihood unless they are held; see [HyperOptions].
//
// Names to know: [Regression] and [Classification] are exact, [SparseRegression] and
// [SparseClassification] have inducing points, [Joint] has several outputs and [Laplace] other
// likelihoods. [HyperOptions] says which parameters are found, [Evidence] and [LeaveOneOut] judge
// them.
package gp
