// Package fisher is the kernel Fisher discriminant: directions of feature space along which the
// means of the classes are far apart for the scatter within them,
//
//	maximise over w   (wᵀ S_B w) / (wᵀ (S_W + μI) w)
//
// (Fisher 1936; with kernels Mika, Rätsch, Weston, Schölkopf and Müller 1999; Baudat and Anouar
// 2000). A point is given the class that linear discriminant analysis would give it in feature
// space.
package fisher
