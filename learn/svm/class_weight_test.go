package svm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// TestWeightedClassesWithProbabilities: a search judges machines without probabilities, and what it
// chose is fitted with them; with weights of classes both say the same of every row.
func TestWeightedClassesWithProbabilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func(n int) (*mat.Dense, []float64) {
		x, y := mat.NewDense(n, 2, nil), make([]float64, n)
		for i := range n {
			y[i] = float64(rng.IntN(2))
			x.SetRow(i, []float64{rng.NormFloat64() + y[i], rng.NormFloat64()})
		}
		return x, y
	}
	x, y := draw(80)
	fresh, _ := draw(300)
	p := learn.Problem[kernel.Vec]{Points: data.Rows(x), Task: data.Binary, Y: y, Classes: []string{"no", "yes"},
		ClassWeights: []float64{1, 25}}
	var said [2][]int
	for i, proba := range []bool{false, true} {
		m, err := fitSettings(t.Context(), learn.Settings{Kernel: kernel.Erase[kernel.Vec](kernel.Gaussian{Lengthscale: 1}),
			Params: map[string]float64{"C": 10}, Proba: proba}, p.Erase())
		if err != nil {
			t.Fatal(err)
		}
		c := m.(*Classifier[any, int])
		if c.HasProba() != proba {
			t.Fatalf("probabilities %v, asked for %v", c.HasProba(), proba)
		}
		if said[i], err = c.Predict(t.Context(), data.Erase[kernel.Vec](data.Rows(fresh))); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(said[0], said[1]) {
		t.Errorf("with probabilities the machine says other classes: %v, %v", said[0], said[1])
	}
}
