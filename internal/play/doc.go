// Package play is what the playground asks: small problems that a person draws, answered while a
// slider moves.
//
// A page sends a Request, the name of a scene with its settings, and gets a stream of Parts: first
// what can be said at once (numbers, a coarse surface), then what takes longer (the fine surface,
// cross-validation, the cells of a search as they are judged). Player.Handle is all there is
// between them; it knows nothing of HTTP, so that the server of `mercer play` and the WebAssembly
// build answer with the same code.
//
// Everything is computed by the public packages of mercer: a scene translates settings into a
// learner, a test or a projection, and its result into numbers to draw. What is drawn has six
// digits, what is read has all.
package play
