// Package learn holds what all supervised learners share. The learners themselves stand in packages
// by family, as the notes have them: svm, ridge, gp, logistic, online, sparse, rbf, neighbours,
// fisher. Most of them choose a function of the RKHS of a kernel by a loss on the data and a price
// on the norm, and by the representer theorem it is a sum over the training points,
//
//	minimise over f, b   Σ wᵢ ℓ(yᵢ, f(xᵢ) + b) + λ‖f‖²,   f = Σ αᵢ k(xᵢ, ·)
//
// (Kimeldorf and Wahba 1971; Schölkopf, Herbrich and Smola 2001). Each learner is a configuration
// with documented zero values,
//
//	m, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Lambda: 1e-3}.Fit(ctx, x, y)
//	yhat, err := m.Predict(ctx, xnew)
//
// and Fit returns an immutable model around an rkhs.Func. A Regression is fitted to a Regressor, a
// Classification to a Classifier. Every use of a model takes a context, checks its points and
// returns an error that names the row; what ends in To writes into the caller's memory instead of
// new memory. No points are no error: there is nothing to say about them, and a destination has
// room for none.
//
// Names to know: [Regressor] and [Classifier] are what a fit returns, [Probabilistic] and
// [Uncertain] what some of them can do besides. [Report] is the certificate of a fit, [Resources]
// the memory and threads that it may take. [Balance] weighs classes, and [Learner] is an entry of
// the table of learners.
package learn
