// Package learnt holds kernels that are fitted to rows before they compare any: Fisher kernels,
// kernels of a common cause and marginalised kernels of generative models, and forests.
//
// Names to know: [Fisher], [Latent], [Marginalized], [Forest], [Mondrian] and [Isolation] are the
// kernels. The [Model] of the first three is one of [Normal], [Mixture], [Terms], [Markov] and
// [HMM].
//
//	k(x, y) = g(x)ᵀF⁻¹g(y),  g = ∇ ln p(x | θ̂)      Fisher
//	k(x, y) = Σᵢ p(x | i)p(y | i)p(i)               Latent; p(x)p(y) where there is one cause
//	k(x, y) = ΣΣ p(s | x)p(r | y)κ((x, s), (y, r))  Marginalized
//
// A value of one of them whose model is not fitted has no values yet: it is a kernel.Learnable,
// which kernel.Learn fits to the rows that may be seen. What it becomes is a plain value with its
// numbers in it, which package spec writes down and reads back to the bit. The models themselves,
// and all that is computed of them, are those of packages kernel/prob, density and kernel/forest.
package learnt
