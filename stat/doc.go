// Package stat tests hypotheses about distributions by kernels.
//
// Names to know: [MMD] compares two samples, [HSIC] tests for dependence, [ConditionalIndependence]
// given a third, [DHSIC] of several. [TestSettings] has the number of permutations and the seed,
// [TestResult] the p-value with its doubts. [Witness] says where two samples differ.
//
// Two samples x₁…x_m ~ P and y₁…y_n ~ Q are compared by the distance of their
// mean embeddings in the RKHS of a kernel k,
//
//	MMD²(P, Q) = ‖μ_P − μ_Q‖² = E k(x,x') + E k(y,y') − 2 E k(x,y),
//
// which for a characteristic kernel is zero only when P = Q (A. Gretton,
// K. Borgwardt, M. Rasch, B. Schölkopf and A. Smola, A kernel two-sample test,
// JMLR 13, 2012). Dependence of pairs (x, y) is the same distance between the
// joint distribution and the product of its margins (HSIC), the norm of the
// cross-covariance operator (COCO), or the correlations that remain after
// regularisation (kernel canonical correlation, KGV). Tests take any kernel on
// any type of point: strings and graphs are tested like vectors.
package stat
