// Package online is learners that see one example at a time and step against the gradient of its
// loss. The perceptron (Rosenblatt 1958; with votes Freund and Schapire 1999) steps only on
// mistakes; NORMA descends the regularised risk,
//
//	f ← (1 - ηλ)·f - η·ℓ'(f(x), y)·k(x, ·)
//
// (Kivinen, Smola and Williamson 2004). [Perceptron], [LinearPerceptron], [Norma] and
// [NormaClassification] pass over a data set; a [Machine] is one in use on a stream, with a budget
// of examples to keep.
//
// Names to know: [Perceptron], [LinearPerceptron], [Norma] and [NormaClassification] learn from a
// data set, a [Machine] from a stream. [Loss], [Schedule] and [BudgetRule] are their choices.
package online
