// Package prob holds kernels on probability distributions, and kernels that probability models
// make.
//
// Names to know: [Normal] and [Mixture] are points, as are histograms. [Product], [Hilbertian] and
// [MeanEmbedding] compare distributions. [Model] is a generative model, such as [HMM]; [Fisher],
// [Latent] and [Marginalized] are the kernels it makes.
//
// Points are distributions themselves: histograms (vectors of probabilities), Normal distributions,
// Mixtures of them, or samples of them (MeanEmbedding). Or points are what a model speaks of, and
// are alike when the model explains them alike: Fisher kernels (how a point would move the
// parameters), kernels of a common latent cause, marginalised kernels, covariance kernels of
// Bayesian models.
//
//	T. Jebara, R. Kondor, A. Howard, Probability product kernels, JMLR 5, 2004.
//	M. Hein, O. Bousquet, Hilbertian metrics and positive definite kernels on probability measures, AISTATS 2005.
//	T. Jaakkola, D. Haussler, Exploiting generative models in discriminative classifiers, NIPS 1998.
//	K. Tsuda, T. Kin, K. Asai, Marginalized kernels for biological sequences, Bioinformatics 18, 2002.
package prob
