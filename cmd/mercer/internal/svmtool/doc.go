// Package svmtool is LIBSVM's programs svm-train, svm-predict and svm-scale
// over mercer's own solvers: the same options, files and lines of output
// (C.-C. Chang and C.-J. Lin, LIBSVM: a library for support vector machines,
// ACM TIST 2(3), 2011), so that scripts written for one run on the other.
//
// Problems are solved by mercer's own solver (package learn/svm), whose solutions are the same to
// the tolerance -e. With -i 1, and where rows and columns are so few that it takes no time, the
// working set, shrinking, single-precision kernel rows and the order of every sum are LIBSVM's, as
// are exp and tanh, to the last bit: iterations, objectives and model files come out the same, byte
// for byte (features of more than eight digits are written in full, where LIBSVM cuts them).
// Cross-validation draws its folds from the generator behind C's rand() on GNU systems, seed 1; the
// sigmoids of -b 1 have LIBSVM's folds on its path and with weights of classes (-wi), stratified
// ones otherwise. Where LIBSVM would write a model of infinities (ν-SVC without a margin) there is
// an error.
package svmtool
