package online

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// A learner with a budget, as it is unless something else is asked for, goes on learning after the
// budget is reached. Where the term of least norm is dropped and steps become shorter it does not:
// that is the newest, again and again.
func TestBudgetGoesOnLearning(t *testing.T) {
	n := 600
	x, label := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n { // a chessboard of sixteen fields, spread evenly
		a, b := 4*math.Mod(0.618034*float64(i), 1), 4*math.Mod(0.754878*float64(i), 1)
		x.SetRow(i, []float64{a, b})
		label[i] = (int(a) + int(b)) % 2
	}
	right := func(drop string) float64 {
		l := Learners()[2]
		p := learn.Problem[kernel.Vec]{Points: data.Rows(x), Task: data.Binary, Y: make([]float64, n),
			Classes: []string{"a", "b"}}
		for i, c := range label {
			p.Y[i] = float64(c)
		}
		set := map[string]float64{"lambda": 1e-5, "budget": 60}
		for _, q := range l.ParamsFor(data.Binary) {
			for at, word := range q.Choices {
				if q.Name == "drop" && word == drop {
					set["drop"] = float64(at)
				}
			}
		}
		m, err := l.Fit(learntest.Ctx, learn.Settings{Kernel: kernel.Erase[kernel.Vec](kernel.Gaussian{Lengthscale: 0.4}),
			Params: set}, p.Erase())
		if err != nil {
			t.Fatal(err)
		}
		if m.Func().Centers.Len() > 60 {
			t.Errorf("%d centres", m.Func().Centers.Len())
		}
		sum := 0.0
		for i, c := range modeltest.Predict(t, m.(learn.Classifier[any, int]), data.Erase[kernel.Vec](data.Rows(x))) {
			if c == label[i] {
				sum += 1 / float64(n)
			}
		}
		return sum
	}
	normally, smallest, all := right(""), right("smallest"), right("project")
	if normally < 0.85 || normally < smallest+0.1 || normally < all-0.05 {
		t.Errorf("%.3f right, %.3f where the smallest is dropped, %.3f where it is projected onto all", normally, smallest,
			all)
	}
}

// What is left of a term beside its projection is orthogonal to the terms it was projected onto.
func TestProjectionOntoNearTerms(t *testing.T) {
	o, err := Norma[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, BudgetRule: ProjectNearest, Budget: 20}.Start()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if _, err := o.Observe(kernel.Vec{math.Sin(float64(3 * i)), math.Cos(float64(5 * i))}, 1-2*float64(i%2)); err != nil {
			t.Fatal(err)
		}
	}
	before := o.State()
	out, near := 3, o.near(3)
	if len(near) != nearestTerms {
		t.Fatalf("%d near terms", len(near))
	}
	if err := o.project(out); err != nil {
		t.Fatal(err)
	}
	for _, j := range near {
		left := before.Coef[out] * o.c.Kernel.Eval(before.Centers[out], before.Centers[j])
		for _, i := range near {
			left -= (o.s.Coef[i] - before.Coef[i]) * o.c.Kernel.Eval(before.Centers[i], before.Centers[j])
		}
		if math.Abs(left) > 1e-6*math.Abs(before.Coef[out]) {
			t.Errorf("⟨what is left, term %d⟩ = %g", j, left)
		}
	}
}
