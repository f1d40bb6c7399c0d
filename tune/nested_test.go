package tune

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Nested cross-validation is the loop it stands for: a search on the fitted
// rows of each outer fold, judged once on the others.
func TestNestedIsTheLoop(t *testing.T) {
	s := simple("svm", data.Multiclass)
	s.Metric = BalancedAccuracy()
	outer := Protocol{Folds: 3, Repeats: 2, Seed: 8}
	n, err := Nested(context.Background(), s, outer)
	if err != nil {
		t.Fatal(err)
	}
	folds, err := split(outer, s.Problem)
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Scores) != 6 || len(folds) != 6 || n.Partial {
		t.Fatalf("%d scores of %d folds", len(n.Scores), len(folds))
	}
	fits, mean := 0, 0.0
	for f, fold := range folds {
		part := s
		part.Problem = s.Problem.Gather(fold.Train)
		r := mustRun(t, part)
		p, err := r.Model.PredictAll(context.Background(), data.Gather(s.Problem.Points, fold.Test))
		if err != nil {
			t.Fatal(err)
		}
		p.Truth, p.Classes = data.Take(s.Problem.Y, fold.Test), 3
		if want := BalancedAccuracy().Score(p); n.Scores[f] != want || n.Chosen[f].String() != r.Chosen.String() {
			t.Errorf("fold %d: %v by %v, the loop has %v by %v", f, n.Scores[f], n.Chosen[f], want, r.Chosen)
		}
		fits += r.Fits
		mean += n.Scores[f] / 6
	}
	if n.Fits != fits || math.Abs(n.Mean-mean) > 1e-15 || !(n.Low < mean && mean < n.High) {
		t.Errorf("%d fits, mean %v in [%v, %v]; want %d, %v", n.Fits, n.Mean, n.Low, n.High, fits, mean)
	}
}

// The rows of an outer fold have no say in what is chosen for it.
func TestNestedNeverSeesTheOuterRows(t *testing.T) {
	s := simple("ridge", data.Regression)
	outer := Protocol{Folds: 4, Seed: 1}
	a, err := Nested(context.Background(), s, outer)
	if err != nil {
		t.Fatal(err)
	}
	folds, _ := split(outer, s.Problem)
	for f, fold := range folds {
		other := s
		other.Problem.Y = append([]float64(nil), s.Problem.Y...)
		for _, r := range fold.Test {
			other.Problem.Y[r] = 1e6 * float64(1+r)
		}
		b, err := Nested(context.Background(), other, outer)
		if err != nil {
			t.Fatal(err)
		}
		if a.Chosen[f].String() != b.Chosen[f].String() || a.Chosen[f].Mean != b.Chosen[f].Mean ||
			a.Scores[f] == b.Scores[f] {
			t.Errorf("fold %d: %v (%v), with other targets there %v (%v)", f, a.Chosen[f], a.Chosen[f].Mean, b.Chosen[f],
				b.Chosen[f].Mean)
		}
	}
}

// An inner search that cannot be done is refused before the first one runs.
func TestNestedRefusesFirst(t *testing.T) {
	s := simple("svm", data.Binary)
	s.Trace = func(Event) { t.Error("work started") }
	s.Problem.Groups = make([]int, s.Problem.Len())
	for i := range s.Problem.Groups {
		s.Problem.Groups[i] = i % 5
	}
	s.Protocol = Protocol{Folds: 5} // four groups are left in an outer fold
	if _, err := Nested(context.Background(), s, Protocol{Folds: 5}); err == nil ||
		!strings.Contains(err.Error(), "outer fold 1") {
		t.Errorf("error %v, want one that names the outer fold", err)
	}
	if _, err := Nested(context.Background(), simple("svm", data.Binary), Protocol{Folds: 500, Plain: true}); err == nil {
		t.Error("more outer folds than points were taken")
	}
}

// A cancelled one returns the outer folds that were finished.
func TestNestedCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := simple("ridge", data.Regression)
	groups := 0
	s.Trace = func(Event) {
		if groups++; groups == 4 { // the second outer fold
			cancel()
		}
	}
	n, err := Nested(ctx, s, Protocol{Folds: 5})
	if err != nil || !n.Partial || len(n.Scores) == 0 || len(n.Scores) == 5 || math.IsNaN(n.Mean) {
		t.Errorf("%+v, %v", n, err)
	}
}

// Rankings are judged query by query, with an interval over the folds.
func TestRankingSearch(t *testing.T) {
	p := toy(150, data.Regression, 6)
	for i := range p.Y {
		p.Groups = append(p.Groups, i/5)
		p.Y[i] = math.Round(min(max(p.Y[i]-1, 0), 4)) // grades 0 to 4
	}
	for _, m := range []Metric{KendallTau(), NDCG(0), NDCG(3)} {
		s := Search{Problem: p, Candidates: []Candidate{grid("ridge")}, Metric: m}
		r := mustRun(t, s)
		e, err := s.engine()
		if err != nil {
			t.Fatal(err)
		}
		for f, fold := range r.Folds {
			if want := fromScratch(t, e, p, r.Best, fold, m); math.Abs(r.Best.Scores[f]-want) > 1e-6 {
				t.Errorf("%s fold %d: %v, by a fit of its own %v", m.Name, f, r.Best.Scores[f], want)
			}
		}
		// t with 4 degrees of freedom at 97.5 % is 2.776445.
		if b := r.Best; !(b.Mean > 0.5) || math.Abs((b.High-b.Low)/2-2.7764451051977987*b.SE) > 1e-9 {
			t.Errorf("%s: %v in [%v, %v], SE %v", m.Name, b.Mean, b.Low, b.High, b.SE)
		}
	}
}

// The one-standard-error rule by hand: of the cells of the best one's candidate within
// its standard error, the one with most regularisation, then the widest kernel.
func TestOneSEByHand(t *testing.T) {
	e := &engine{metric: RMSE()}
	cell := func(candidate int, mean, lambda, length float64) Cell {
		return Cell{Candidate: candidate, Mean: mean, SE: 0.1,
			Params: []Setting{{Name: "gaussian.lengthscale", Value: length}, {Name: "lambda", Value: lambda}}}
	}
	best := cell(1, 1, 0.1, 1)
	cells := []Cell{
		best,
		cell(1, 1.09, 1, 1),   // within, more λ
		cell(1, 1.0999, 1, 2), // within, as much λ, wider
		cell(1, 1.2, 100, 1),  // too far
		cell(0, 1.01, 10, 1),  // of another candidate
	}
	if got := e.simplest(cells, best); got.Mean != 1.0999 {
		t.Errorf("chose %+v", got)
	}
	// Repeats say nothing new: the error is that of one repeat, √2 as much.
	e.p.Points = data.Erase(make(data.Slice[kernel.Vec], 10))
	for range 2 {
		e.folds = append(e.folds, data.Fold{Test: make([]int, 10)})
	}
	if got, want := e.bound(best), 1+0.1*math.Sqrt2; math.Abs(got-want) > 1e-15 {
		t.Errorf("bound %v, want %v", got, want)
	}
}
