// Package logistic is kernel logistic regression: log odds that are a function of an RKHS,
//
//	minimise over f, b   Σ wᵢ log(1 + e^{-yᵢ(f(xᵢ) + b)}) + (λ/2)‖f‖²
//
// (Zhu and Hastie 2005), in [Regression] with the softmax loss for more than two classes. [L1] has
// λ Σ|αⱼ| of the coefficients in place of the norm, which leaves many of them 0 (Krishnapuram et
// al. 2005). [Ordinal] is for grades, classes in an order. Models have probabilities.
//
// Names to know: [Regression], [L1] and [Ordinal] are the learners. A [Classifier] or
// [OrdinalClassifier] is what they are fitted to, [Path] fits many λ, and [Method] says how.
package logistic
