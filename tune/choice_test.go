package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// A search chooses among kernels and learners, over parameters of trees of
// kernels under their names in kernel.Params.
func TestChoiceAmongKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	x, y := linalg.New[float64](100, 2), make([]float64, 100)
	for i := range y {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.Set(i, 0, a)
		x.Set(i, 1, b)
		y[i] = 3*a - 2*b + 0.05*rng.NormFloat64()
	}
	p := learn.Problem[any]{Points: data.Erase(data.RowsOf(x)), Task: data.Regression, Y: y}
	tree := kernel.Sum[kernel.Vec](kernel.Scale[kernel.Vec](1, kernel.Gaussian{Lengthscale: 1}),
		kernel.Polynomial{Degree: 2, Gamma: 1, Offset: 1})
	var axes []Axis
	for _, v := range kernel.Params(tree) {
		switch v.Domain.Integer {
		case true:
			axes = append(axes, Axis{Name: v.Name, Values: []float64{1, 2, 3}, Linear: true})
		default:
			axes = append(axes, Axis{Name: v.Name, Values: []float64{0.5, 1}})
		}
	}
	if len(axes) < 4 {
		t.Fatalf("%d parameters", len(axes))
	}
	s := Search{Problem: p, Strategy: Random{Cells: 40}, Seed: 2, Candidates: []Candidate{
		{Learner: "ridge", Kernel: vec(kernel.Gaussian{}),
			Axes: []Axis{{Name: "gaussian.lengthscale", Values: []float64{0.3, 1}},
				{Name: "lambda", Values: []float64{1e-3, 1}}}},
		{Learner: "svm", Kernel: vec(kernel.Laplace{}),
			Axes: []Axis{{Name: "laplace.lengthscale", Values: []float64{0.3, 1}}}},
		{Learner: "ridge", Kernel: vec(kernel.Linear{}), Axes: []Axis{{Name: "lambda", Values: []float64{1e-3, 1}}}},
		{Learner: "ridge", Kernel: vec(tree), Axes: axes},
	}}
	r := mustRun(t, s)
	if r.Best.Candidate != 2 || r.Best.Kernel != "linear()" {
		t.Errorf("a line is best fitted by %v (%g)", r.Best, r.Best.Mean)
	}
	seen := map[int]int{}
	for _, c := range r.Cells {
		if seen[c.Candidate]++; c.Candidate == 3 {
			for i, a := range axes {
				v := c.Params[i]
				if v.Name != a.Name || v.Value < a.Values[0] || v.Value > a.Values[len(a.Values)-1] || a.Linear &&
					v.Value != math.Round(v.Value) {
					t.Fatalf("%s = %g of %v", v.Name, v.Value, a.Values)
				}
			}
		}
	}
	for c := range 4 {
		if seen[c] == 0 {
			t.Errorf("candidate %d was not tried", c)
		}
	}
}

// Leave-one-out in closed form is what fitting without each row gives, for
// every λ, with an interval over the folds that holds the mean.
func TestLeaveOneOutInClosedForm(t *testing.T) {
	p := toy(25, data.Regression, 5)
	s := Search{Problem: p, Candidates: []Candidate{grid("ridge")}, Protocol: Protocol{LOO: true}, Metric: MAE(),
		NoModel: true}
	r := mustRun(t, s)
	if len(r.Folds) != 25 {
		t.Fatalf("%d folds", len(r.Folds))
	}
	e, err := s.engine()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cells {
		k, _ := e.spaces[0].kernelAt(c.theta)
		for f, fold := range r.Folds {
			m, err := fitOne(context.Background(), e.spaces[0], e.settings(e.spaces[0], k, e.spaces[0].learnerAt(c.theta), 0,
				false), p.Gather(fold.Train))
			if err != nil {
				t.Fatal(err)
			}
			at, _ := m.PredictAll(context.Background(), data.Gather(p.Points, fold.Test))
			if want := math.Abs(at.Value[0] - p.Y[fold.Test[0]]); math.Abs(c.Scores[f]-want) > 1e-8*(1+want) {
				t.Fatalf("%v row %d: %.12g, fitted without it %.12g", c, f, c.Scores[f], want)
			}
		}
		if !(c.Low < c.Mean && c.Mean < c.High) || math.Abs((c.High-c.Mean)-2.0638985616280254*c.SE) > 1e-9 {
			t.Errorf("%v: %g in [%g, %g], SE %g; t with 24 degrees is 2.0639", c, c.Mean, c.Low, c.High, c.SE)
		}
	}
}

// Equal means: the simplest cell of the first candidate, whoever was judged first.
func TestTiesDoNotDependOnOrder(t *testing.T) {
	e := &engine{metric: Accuracy()}
	cell := func(candidate int, c float64) Cell {
		return Cell{Candidate: candidate, Mean: 0.9, Params: []Setting{{Name: "C", Value: c}}}
	}
	cells := []Cell{cell(1, 0.1), cell(0, 10), cell(0, 1), cell(0, 100)}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		rng.Shuffle(4, func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		if best, ok := e.winner(cells); !ok || best.Candidate != 0 || best.Param("C") != 1 {
			t.Fatalf("chose %+v", best)
		}
	}
}
