package tune

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// twoClasses is overlapping clouds, a multiple of 2⁻¹⁰ in each coordinate and moved by a number.
func twoClasses(n int, by float64) learn.Problem[any] {
	x, y := make(data.Slice[kernel.Vec], n), make([]float64, n)
	for i := range x {
		y[i] = float64(i % 2)
		a, b := math.Sin(float64(3*i))+y[i], math.Cos(float64(5*i))-0.7*y[i]
		x[i] = kernel.Vec{math.Round(a*1024)/1024 + by, math.Round(b*1024)/1024 + by}
	}
	return learn.Problem[any]{Points: data.Erase(x), Task: data.Binary, Y: y}
}

// Scores of a search with the linear kernel are the same wherever the points lie, in the learners
// that share work in single precision too.
func TestSearchWhereverThePointsLie(t *testing.T) {
	for _, name := range []string{"svm", "ridge", "logistic", "fisher", "knn", "medoid"} {
		var want []float64
		for _, by := range []float64{0, 1e3, 1e6} {
			c := Candidate{Learner: name, Kernel: vec(kernel.Linear{})}
			r, err := Search{Problem: twoClasses(60, by), Candidates: []Candidate{c}}.Run(context.Background())
			if err != nil {
				t.Fatal(name, by, err)
			}
			if want == nil {
				want = r.Cells[0].Scores
			}
			if got := r.Cells[0].Scores; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, moved by %g: scores %v, near the origin %v", name, by, got, want)
			}
		}
	}
}

// Points of weight 0 are as good as not there, in a search of any learner.
func TestSearchWithoutWeight(t *testing.T) {
	whole := twoClasses(60, 0)
	whole.Weights = make([]float64, 60)
	var rows []int
	for i := range whole.Weights {
		if i%7 != 3 {
			whole.Weights[i] = 1
			rows = append(rows, i)
		}
	}
	part := whole.Gather(rows)
	part.Weights = nil
	for _, name := range []string{"svm", "ridge", "logistic", "gp", "knn", "fisher"} {
		c := []Candidate{{Learner: name, Kernel: vec(kernel.Gaussian{})}}
		a, err := Search{Problem: whole, Candidates: c}.Run(context.Background())
		if err != nil {
			t.Fatal(name, err)
		}
		b, err := Search{Problem: part, Candidates: c}.Run(context.Background())
		if err != nil {
			t.Fatal(name, err)
		}
		if fmt.Sprint(a.Cells[0].Scores) != fmt.Sprint(b.Cells[0].Scores) {
			t.Errorf("%s: scores %v, without the points %v", name, a.Cells[0].Scores, b.Cells[0].Scores)
		}
	}
	whole.Weights = make([]float64, 60)
	if _, err := (Search{Problem: whole, Candidates: []Candidate{{Learner: "svm",
		Kernel: vec(kernel.Gaussian{})}}}).Run(context.Background()); err == nil {
		t.Error("no point has a weight, and a search was made")
	}
}

// What a search says of an indefinite kernel is what the last fit says: ridge refuses it in both,
// or takes its repair.
func TestSearchOfAnIndefiniteKernel(t *testing.T) {
	p := twoClasses(60, 0)
	c := Candidate{Learner: "ridge", Kernel: vec(kernel.Sigmoid{Gamma: 0.5, Offset: -1}),
		Axes: []Axis{Over("lambda", 0.1, 1)}}
	if _, err := (Search{Problem: p, Candidates: []Candidate{c}}).Run(context.Background()); err == nil ||
		!strings.Contains(err.Error(), "smallest eigenvalue") {
		t.Errorf("error %v", err)
	}
	l, err := c.entry()
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []gram.How{gram.Clip, gram.Flip, gram.Shift} {
		use := fitting.Repaired(l, how)
		c.Use = &use
		r, err := Search{Problem: p, Candidates: []Candidate{c}}.Run(context.Background())
		if err != nil {
			t.Fatal(how, err)
		}
		if r.Best.Mean < 0.6 || !strings.Contains(strings.Join(r.Model.Model.Report().Warnings, " "), "repaired by "+
			how.String()) {
			t.Errorf("%v: mean %g, report %+v", how, r.Best.Mean, r.Model.Model.Report())
		}
	}
}

// A class of one row is left out with a word, one of two rows is fitted; both stay in their rows.
func TestAutoWithRareClasses(t *testing.T) {
	label, a, b := make([]string, 45), make([]float64, 45), make([]float64, 45)
	for i := range label {
		label[i] = []string{"x", "y"}[i%2]
		a[i], b[i] = math.Sin(float64(3*i))+3*float64(i%2), math.Cos(float64(5*i))
	}
	label[7], a[7], b[7] = "alone", 40, 40
	for _, i := range []int{11, 30} {
		label[i], a[i], b[i] = "pair", -20+float64(i)/10, 20
	}
	d := &data.Dataset{Name: "t", Target: "label", Columns: []data.Column{data.NumberColumn("a", a),
		data.NumberColumn("b", b), data.LevelColumn("label", label)}}
	r, err := Auto(context.Background(), d, AutoOptions{Learners: []string{"knn"}, Kernel: kernel.Gaussian{},
		Budget: 1e11})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(r.Classes) != "[pair x y]" ||
		!strings.Contains(strings.Join(r.Why, "\n"), `class "alone" has 1 row and is left out`) {
		t.Errorf("classes %v, why %q", r.Classes, r.Why)
	}
	for _, i := range r.Split.Test {
		if label[i] == "pair" || label[i] == "alone" {
			t.Errorf("row %d of class %q is held out", i, label[i])
		}
	}
	for _, i := range r.Split.Train {
		if label[i] == "alone" {
			t.Errorf("row %d of class %q is fitted to", i, label[i])
		}
	}
	d.Columns[0].Numbers[3] = -1.7e308
	if _, err := Auto(context.Background(), d, AutoOptions{}); err == nil || !strings.Contains(err.Error(), "row 4") {
		t.Errorf("a number at the end of the range: %v", err)
	}
}

// The median distance, by which length-scales are chosen, does not depend on where points lie.
func TestMedianDistanceFarAway(t *testing.T) {
	near := medianDistance(twoClasses(60, 0).Points, vec(kernel.Linear{}), 1)
	for _, by := range []float64{1e6, 1e9} {
		if far := medianDistance(twoClasses(60, by).Points, vec(kernel.Linear{}), 1); math.Abs(far-near) > 1e-9 {
			t.Errorf("%g at %g, %g near the origin", far, by, near)
		}
	}
}
