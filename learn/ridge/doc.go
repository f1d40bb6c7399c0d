// Package ridge is least squares in an RKHS, with a price on the norm:
//
//	minimise over f, b   Σ wᵢ (yᵢ - f(xᵢ) - b)² + λ‖f‖²,   f = Σ αᵢ k(xᵢ, ·),   (K + λW⁻¹)α = y - b
//
// (Kimeldorf and Wahba 1971; Saunders, Gammerman and Vovk 1998). [Regression] solves the equations
// by a factorisation, in mixed precision or by conjugate gradients, and has all λ at once as a
// [Path]. [Classification] regresses on ±1, [Interpolation] is λ = 0, and [Spline] the smoothing
// spline, the same problem with a Sobolev kernel.
//
// Names to know: [Regression] is the learner, [Classification], [Interpolation], [Spline] and
// [ThinPlate] its relatives, and [Bounded] the same with a bound on the norm. [Path] has all λ from
// one factor; [Method] says how it is solved.
package ridge
