// Package svmtool is LIBSVM's programs svm-train, svm-predict and svm-scale
// over mercer's own solvers: the same options, files and lines of output
// (C.-C. Chang and C.-J. Lin, LIBSVM: a library for support vector machines,
// ACM TIST 2(3), 2011), so that scripts written for one run on the other.
//
// The solutions are those of LIBSVM to the tolerance -e asks for; counts of
// iterations are the solver's own. Cross-validation draws its folds from the
// generator behind C's rand() on GNU systems, seed 1, so that accuracies of -v
// agree with LIBSVM's there.
package svmtool
