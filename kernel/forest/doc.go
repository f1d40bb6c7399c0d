// Package forest holds kernels that trees make: two points are alike as often as they fall into one
// leaf,
//
//	k(x, y) = (1/T) Σₜ 1[leafₜ(x) = leafₜ(y)] = ⟨φ(x), φ(y)⟩,
//
// φ being the indicators of all leaves of T trees divided by √T: positive semi-definite, with k(x,
// x) = 1, finite and sparse (L. Breiman, Some infinity theory for predictor ensembles, 2000; E.
// Scornet, Random forests and kernel methods, 2016).
//
// Names to know: [Supervised], [Mondrian] and [Isolation] learn a [Forest], which is the kernel.
// [Growth] says how its trees grow: by which [Criterion], on which [Sampling] of the rows, with
// which [Splits].
//
// A forest is learnt from rows, and is then a plain value that never changes. [Supervised] grows
// trees that look at a target: random forests (L. Breiman, Random forests, 2001) and extremely
// randomised trees (P. Geurts, D. Ernst & L. Wehenkel, 2006). [Mondrian] cuts space without looking
// at the rows, and its kernel has Laplace's for a limit (M. Balog et al., The Mondrian kernel,
// 2016). [Isolation] cuts rows apart at random, which is quick for those that lie alone (F. T. Liu,
// K. M. Ting & Z.-H. Zhou, Isolation forest, 2008).
//
// A tree has a stream of random numbers of its own, from the seed and its place in the forest: the
// same seed gives the same forest at any number of threads.
package forest
