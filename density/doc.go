// Package density estimates the density that points were drawn from.
//
// Names to know: [KDE], [KNN] and [Mixture] are the estimates; [KNNPosterior] tells classes apart
// by them. [SelectMixture] chooses how many components. [SheatherJonesRule] and [SilvermanRule] are
// rules for the bandwidth, [Gaussian] and [Epanechnikov] kernels to smooth with.
//
// A kernel density estimate spreads each point with a smoothing kernel k,
//
//	p(x) = 1/n Σ |H|^{-1/2}·k(H^{-1/2}(x − xᵢ)),
//
// with a bandwidth H that is given, follows from a rule, or is chosen by
// cross-validation (E. Parzen, On estimation of a probability density function
// and mode, Ann. Math. Stat. 33, 1962). KNN takes the volume that holds so many
// points, and Mixture a few Gaussians.
//
// A fitted model is used in one way: LogDensity(ctx, x) and Density(ctx, x)
// return a number for each point, LogDensityTo(ctx, dst, x) and
// DensityTo(ctx, dst, x) write them into memory of the caller. Points of another
// dimension, NaN and infinities are refused with an error that names the row.
package density
