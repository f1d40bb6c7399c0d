// Package svm is support vector machines: of all functions of an RKHS that tell two classes apart,
// the flattest one, with a price on what lies on the wrong side of the margin:
//
//	minimise over f, b   ½‖f‖² + C Σ wᵢ max(0, 1 - yᵢ(f(xᵢ) + b))
//
// (Boser, Guyon and Vapnik 1992; Cortes and Vapnik 1995). [Classification] solves the dual, for any
// number of classes; [Regression] has the ε-insensitive loss, [OneClass] no labels at all.
// [LinearClassification] keeps weights in place of training points, [PrimalClassification] smooths
// the hinge and solves the primal. The duals are solved by sequential minimal optimisation on
// working sets (Platt 1998; Fan, Chen and Lin 2005) to the optimum of LIBSVM at the same tolerance;
// a [learn.Report] holds the KKT violation that is left.
//
// Names to know: [Classification], [Regression] and [OneClass] are the learners;
// [LinearClassification] is for many rows or sparse text, and [PrimalClassification] solves the
// primal. [Options] is what they share. A [Classifier], [Regressor] or [Detector] is what they are
// fitted to.
package svm
