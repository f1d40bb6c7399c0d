// Package smooth finds the curve behind noisy targets without a formula for it,
// and the distribution of the target around the curve.
//
// Names to know: [NadarayaWatson], [LocalRegression] and [MixtureRegression] find the curve. A
// [Band] lies about it, and [Conditional] is the distribution of the target. Each is fitted to a
// model such as [NadarayaWatsonModel].
//
// Kernel regression is the mean of p(t|x) when p(x, t) is a kernel density
// estimate of the pairs,
//
//	y(x) = Σ tₙ·k((x − xₙ)/h) / Σ k((x − xₙ)/h)
//
// (E. Nadaraya, On estimating regression, Theory Probab. Appl. 9, 1964).
// LocalRegression fits a polynomial around each point, with a band;
// MixtureRegression conditions a mixture of Gaussians. The smoothing kernels are
// those of package density.
//
// A fitted model is used in one way: Predict(ctx, x) and Conditional(ctx, x)
// return a value for each point, PredictTo(ctx, dst, x) and
// ConditionalTo(ctx, dst, x) write them into memory of the caller. Points of another
// dimension, NaN and infinities are refused with an error that names the row.
package smooth
