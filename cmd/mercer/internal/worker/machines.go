package worker

import (
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// machines is what is known of each machine of a classifier: of two classes one, of more a machine
// for each pair.
type machines struct {
	steps    []int
	sigmoids *mat.Dense // a row for each: slope and constant
}

// machinesOf is nothing where a model has no machines.
func machinesOf(m any) machines {
	var out machines
	if c, ok := m.(interface{ Iterations() []int }); ok {
		out.steps = c.Iterations()
	}
	c, ok := m.(interface{ Sigmoids() []learn.Sigmoid })
	if !ok || len(c.Sigmoids()) == 0 {
		return out
	}
	out.sigmoids = mat.NewDense(len(c.Sigmoids()), 2, nil)
	for i, s := range c.Sigmoids() {
		out.sigmoids.SetRow(i, []float64{s.A, s.B})
	}
	return out
}
