// Package discrete holds kernels on finite things: sets, bags of points, fuzzy sets, rankings.
//
// Names to know: [SharedSubsets], [Jaccard] and [MultiInstance] compare sets and bags,
// [NewPyramidMatch] bags by histograms, [FuzzyCross] fuzzy sets. [Kendall], [Spearman] and
// [Mallows] compare a [Ranking] with another, and [Permutation] makes one.
//
// A set is a slice of distinct elements in any order (whole numbers or texts: a slice of float64 is
// a vector to the rest of mercer). A bag is a slice of points, which may come twice. A ranking is a
// Ranking: who is better than whom, as far as it is known.
//
// Values grow with the size of sets and bags; kernel.Normalize divides that away. An empty set or
// bag is a point like others: each kernel says what its value is there.
package discrete
