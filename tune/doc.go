// Package tune chooses kernels, their parameters and learners by
// cross-validation, and reuses everything that cells of the search share.
//
// Names to know: [Auto] goes from a table to a judged model, told by [AutoOptions]. [NewSearch] tries
// candidates made by [Try] on a [Protocol] of folds, and [Nested] judges a search. [Metric] is what
// is judged by. [Compare] finds out how rows are compared, [PermutationImportance] which columns
// count, and [Forecast] continues a series.
//
// A search minimises over cells θ = (learner, kernel parameters, C or λ) the
// m-fold estimate of the risk
//
//	CV(θ) = 1/m Σ_f L(y_f, ĝ_θ^{(-f)}(x_f))
//
// where ĝ_θ^{(-f)} is fitted without the rows of fold f (Stone 1974). What is
// computed once:
//
//   - distances or inner products of all pairs of points, for the whole grid;
//   - the Gram matrix, for each setting of the kernel, for all folds;
//   - the path over C of a support vector machine, each solution starting from
//     the one before; for ridge regression one eigendecomposition K = UΛUᵀ,
//     from which the predictions of all folds and all λ follow in closed form:
//     with M = (K + λI)⁻¹ the residual of fold f is M_ff⁻¹ (M y)_f.
//
// A test set is held out before anything else is done (Auto, Nested), folds may
// be stratified, grouped, time-ordered and repeated (Protocol), and the choice
// may be the best cell or the simplest one within a standard error of it
// (Breiman et al. 1984).
package tune
