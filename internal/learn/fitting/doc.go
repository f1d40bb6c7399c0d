// Package fitting is what the fits of several families share: checks of points, targets and
// weights, kernel columns under a memory budget, explicit features, the generalised linear model
// with a squared penalty,
//
//	minimise over β, b   Σ wᵢ ℓ(yᵢ, (Xᵀβ)ᵢ + b) + (λ/2)‖β‖²
//
// (McCullagh and Nelder 1989), and the rule that a fit whose context has ended returns no model.
package fitting
