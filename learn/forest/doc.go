// Package forest is forests of trees as learners: the mean over T trees of what the leaf of a point
// holds,
//
//	y(x) = (1/T) Σₜ Σᵢ wₜᵢ yᵢ 1[xᵢ in leafₜ(x)] / Σᵢ wₜᵢ 1[xᵢ in leafₜ(x)],
//
// wₜᵢ being how often tree t has drawn row i (L. Breiman, Random forests, 2001), which is as likely
// as its weight says, or its weight where trees see all rows. Trees that all see all rows make it
// the estimate of Nadaraya and Watson with a kernel, the share of trees in which x and xᵢ are in
// one leaf, each divided by the weight of the leaf (E. Scornet, Random forests and kernel methods,
// 2016). [Regression] and [Classification] grow the trees of package kernel/forest, whose kernel is
// that of the model's Forest. [Boosting] and [BoostingClassification] grow one tree after the other,
// each by what those before it have left over, and their sum is the mean of a forest, too.
package forest
