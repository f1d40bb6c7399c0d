// Package enrolled is where families of learners put their entries: who imports a family has them.
package enrolled

import "github.com/mercer-ml/mercer/learn"

var all = map[string]func() []learn.Learner{}

// Add puts the entries of a family here; it is called as the program begins.
func Add(family string, learners func() []learn.Learner) { all[family] = learners }

// Of is the entries of a family.
func Of(family string) []learn.Learner { return all[family]() }

// RidgeBy is the entry of ridge regression that solves its equations by one method, a ridge.Method.
var RidgeBy func(method int) learn.Learner

// ProcessFrom is the entry of Gaussian processes that climbs from several starts.
var ProcessFrom func(starts ...Start) learn.Learner

// Start is a place to climb the marginal likelihood from: it has several tops where data are few or
// columns many.
type Start struct {
	Length float64 // times the length-scales of the kernel; 0 means 1
	Noise  float64 // of regression, as a share of the variance of the targets; 0 means 0.1
}
