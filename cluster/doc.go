// Package cluster groups points by a kernel: k-medoids, kernel k-means and
// spectral clustering, with indices that judge a grouping.
//
// Names to know: [KMeans], [KMedoids] and [Spectral] group points; a fitted model assigns new ones.
// [Silhouette], [CalinskiHarabasz] and [DaviesBouldin] judge a grouping by itself, [AdjustedRand]
// and [NormalizedMutualInformation] compare two.
//
// A kernel gives distances in its feature space,
//
//	‖φ(x) − φ(y)‖² = k(x, x) − 2k(x, y) + k(y, y),
//
// which is all that k-medoids (Kaufman and Rousseeuw 1987; Schubert and
// Rousseeuw 2021) needs. Kernel k-means (Schölkopf, Smola and Müller 1998;
// Dhillon, Guan and Kulis 2004) minimises
//
//	Σᵢ ‖φ(xᵢ) − μ_{z(i)}‖²,   ‖φ(x) − μ_c‖² = k(x, x) − (2/n_c) Σ_{j∈c} k(x, xⱼ) + (1/n_c²) Σ_{j,l∈c} k(xⱼ, x_l),
//
// and spectral clustering (Ng, Jordan and Weiss 2001; von Luxburg 2007) cuts
// the graph whose weights are kernel values, or that of nearest neighbours.
//
// Labels are 0, 1, …, in the order in which clusters first appear among the
// points, so that equal groupings have equal labels.
package cluster
