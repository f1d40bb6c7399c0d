// Package sparse is machines that keep few of the training points: generalised linear models on the
// features φⱼ(x) = k(xⱼ, x), with a prior or a penalty that drives coefficients to 0,
//
//	minimise over β, b   Σ wᵢ ℓ(yᵢ, Σⱼ βⱼ k(xⱼ, xᵢ) + b) + λ‖β‖₁
//
// in [L1VM]; [L2VM] has ½‖β‖² instead and is there for comparison (Murphy 2012, section 14.3).
// [RVM], the relevance vector machine, gives each βⱼ a Gaussian prior of its own precision and
// maximises the evidence (Tipping 2001; by adding and deleting, Tipping and Faul 2003). The kernel
// need not be positive definite.
//
// Names to know: [RVM] and [RVMClassification] are relevance vector machines, [L1VM] and
// [L1VMClassification] have a penalty that makes coefficients 0, [L2VM] and [L2VMClassification]
// one that does not.
package sparse
