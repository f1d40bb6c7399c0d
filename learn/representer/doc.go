// Package representer fits functions of a reproducing kernel Hilbert space with any convex loss. By
// the representer theorem the minimiser is a sum of kernel functions at the points, and one solver
// (rkhs.Representer) finds it: Newton's method where the loss has second derivatives, L-BFGS where
// it has first ones, the proximal method of multipliers where it has kinks. The certificate is a
// bound on how far the objective lies above its minimum.
package representer
