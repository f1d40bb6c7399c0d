// Package newcomer holds the ten-line programs that somebody writes on the first day, in a module
// of their own: to fit and predict with each learner, with a kernel on a type of their own, a
// precomputed matrix or sparse rows; to search; to test; to project; to save, load, learn online,
// and predict inside a service. They are run as tests.
package newcomer
