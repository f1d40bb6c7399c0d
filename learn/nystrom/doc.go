// Package nystrom holds learners for more rows than their kernel matrix has room: functions
// restricted to the span of k(cⱼ, ·) at M centres,
//
//	minimise over f = Σ αⱼ k(cⱼ, ·), b   Σ wᵢ ℓ(yᵢ, f(xᵢ) + b) + λ‖f‖²
//
// (C. Williams and M. Seeger, Using the Nyström method to speed up kernel machines, 2001; A. Rudi,
// R. Camoriano and L. Rosasco, Less is more, 2015). Squares are solved directly in n·M² operations,
// or by FALKON (A. Rudi, L. Carratino and L. Rosasco, 2017) in n·M for each iteration; the logistic
// loss by Newton steps with decreasing λ (U. Marteau-Ferey, F. Bach and A. Rudi, 2019). Rows come
// in blocks, from memory or from elsewhere (data.Source); what is held grows with M², not with n.
//
// Names to know: [Regression], [Classification] and [Logistic] are the learners; [Options] has the
// centres, and [Solver] says by which of [Direct], [Falkon] and [Snacks]. [Leverage] and [KMeans]
// choose centres.
package nystrom
