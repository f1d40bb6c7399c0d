// Package solve holds the optimisers: conjugate gradients and their
// preconditioners, SMO, Newton, L-BFGS, coordinate descent. It knows operators
// and columns, never kernels.
package solve
