package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// stacked is members that say random things of the rows of folds: the truth and an error of their
// own.
func stacked(rows, folds, members, classes int, seed uint64) *stacking {
	rng := rand.New(rand.NewPCG(seed, 77))
	s := &stacking{p: learn.Problem[any]{Task: data.Regression, Y: make([]float64, rows)}}
	if classes > 0 {
		s.p.Task, s.p.Classes = data.Multiclass, make([]string, classes)
	}
	for i := range s.p.Y {
		if s.p.Y[i] = rng.NormFloat64(); classes > 0 {
			s.p.Y[i] = float64(rng.IntN(classes))
		}
	}
	s.folds, _ = data.KFold(rows, folds, seed)
	for m := range members {
		one := said{cell: Cell{Candidate: m}}
		for _, fold := range s.folds {
			p := learn.Predictions{Classes: classes, Rows: fold.Test, Truth: data.Take(s.p.Y, fold.Test)}
			for _, row := range fold.Test {
				if classes == 0 {
					p.Value = append(p.Value, s.p.Y[row]+(0.3+0.2*float64(m))*rng.NormFloat64())
					continue
				}
				sum, v := 0.0, make([]float64, classes)
				for c := range v {
					v[c] = math.Exp(2*indicator(int(s.p.Y[row]) == c) + rng.NormFloat64())
					sum += v[c]
				}
				for c := range v {
					v[c] /= sum
				}
				p.Prob, p.Class = append(p.Prob, v...), append(p.Class, learn.ArgMax(v))
			}
			one.folds = append(one.folds, p)
		}
		s.members = append(s.members, one)
	}
	return s
}

// squares is the mean squared error (numbers) or Brier sum of fixed weights over all rows that have
// a say, by a double loop.
func squares(s *stacking, w []float64, say func(f, row int) bool) float64 {
	sum, k := 0.0, len(s.p.Classes)
	for f, fold := range s.folds {
		for i, row := range fold.Test {
			if say != nil && !say(f, row) {
				continue
			}
			if k == 0 {
				v := 0.0
				for m := range w {
					v += w[m] * s.members[m].folds[f].Value[i]
				}
				sum += (v - s.p.Y[row]) * (v - s.p.Y[row])
			}
			for c := range k {
				v := 0.0
				for m := range w {
					v += w[m] * s.members[m].folds[f].Prob[i*k+c]
				}
				if int(s.p.Y[row]) == c {
					v--
				}
				sum += v * v
			}
		}
	}
	return sum
}

// No weights of a grid have a smaller squared error than those found, of numbers or of classes, of
// all rows or of some.
func TestCommitteeWeightsAgainstAGrid(t *testing.T) {
	const steps = 40
	for seed := range uint64(6) {
		for _, classes := range []int{0, 2, 3} {
			s := stacked(30, 5, 3, classes, seed)
			for name, say := range map[string]func(int, int) bool{"all": nil, "apart": s.apart(2)} {
				w, violation := s.weights(say)
				got := squares(s, w, say)
				if violation > 1e-9 {
					t.Errorf("violation %g", violation)
				}
				for a := range steps + 1 {
					for b := range steps + 1 - a {
						p := []float64{float64(a) / steps, float64(b) / steps, float64(steps-a-b) / steps}
						if slices.ContainsFunc(p, func(v float64) bool { return v > 0 && v < 2*leastWeight }) {
							continue // such members are left out
						}
						if v := squares(s, p, say); v < got*(1-1e-9) {
							t.Fatalf("seed %d, %d classes, %s: %v has %g, %v has %g", seed, classes, name, w, got, p, v)
						}
					}
				}
			}
		}
	}
}

// A fold is judged with weights that no row of its own, of its groups or of later times has a say
// in.
func TestCommitteeIsJudgedByOtherRows(t *testing.T) {
	s := stacked(40, 4, 2, 0, 3)
	before, alone, err := s.judged([]Metric{RMSE()})
	if err != nil {
		t.Fatal(err)
	}
	for f, got := range alone[0].Scores { // the member that is better on the other folds
		sums := []float64{squares(s, []float64{1, 0}, s.apart(f)), squares(s, []float64{0, 1}, s.apart(f))}
		if want := RMSE().Score(s.members[slices.Index(sums, slices.Min(sums))].folds[f]); got != want {
			t.Errorf("fold %d: one alone has %g, want %g", f, got, want)
		}
	}
	// The second member is perfect on the rows of fold 1: of these it must not be known.
	kept := s.members[1].folds[1]
	s.members[1].folds[1].Value = slices.Clone(s.members[1].folds[1].Truth)
	after, _, _ := s.judged([]Metric{RMSE()})
	weights, _ := s.weights(func(f, _ int) bool { return f != 1 })
	p, _ := s.blend(weights, 1)
	if got := after[0].Scores[1]; got != RMSE().Score(p) {
		t.Errorf("fold 1: %g, with the weights of the other folds %g", got, RMSE().Score(p))
	}
	for _, f := range []int{0, 2, 3} {
		if after[0].Scores[f] == before[0].Scores[f] {
			t.Errorf("fold %d is judged by weights that fold 1 has no say in", f)
		}
	}
	s.members[1].folds[1] = kept
	s.p.Groups = make([]int, 40)
	for i := range s.p.Groups {
		s.p.Groups[i] = i % 3
	}
	one := s.folds[0].Test[0]
	for row := range 40 {
		if s.p.Groups[row] == s.p.Groups[one] && s.apart(0)(1, row) {
			t.Errorf("row %d is of a group of the fold", row)
		}
	}
	s.p.Groups, s.p.Times = nil, make([]float64, 40)
	if s.apart(1)(2, s.folds[2].Test[0]) || !s.apart(1)(0, s.folds[0].Test[0]) {
		t.Error("weights of later rows")
	}
	if w, _ := s.weights(s.apart(0)); !slices.Equal(w, []float64{1, 0}) {
		t.Errorf("with no row before, the first member alone: %v", w)
	}
}

// The rule by hand: more than a standard error, and for classes the Brier score where the shares
// are level.
func TestCommitteeRule(t *testing.T) {
	cell := func(scores ...float64) Cell { c := Cell{Scores: scores}; c.summarise(); return c }
	for name, c := range map[string]struct {
		m               Metric
		together, alone []Cell
		want            bool
	}{
		"clear":     {RMSE(), []Cell{cell(1, 1, 1)}, []Cell{cell(2, 2.1, 1.9)}, true},
		"chance":    {RMSE(), []Cell{cell(1, 2, 1)}, []Cell{cell(2, 1, 1.1)}, false},
		"worse":     {RMSE(), []Cell{cell(2, 2, 2)}, []Cell{cell(1, 1, 1)}, false},
		"the same":  {RMSE(), []Cell{cell(2, 1, 2)}, []Cell{cell(2, 1, 2)}, false},
		"undefined": {RMSE(), []Cell{cell(math.NaN())}, []Cell{cell(1)}, false},
		"accuracy": {Accuracy(), []Cell{cell(0.9, 0.91, 0.9), cell(1, 1, 1)},
			[]Cell{cell(0.8, 0.8, 0.8), cell(0, 0, 0)}, true},
		"Brier decides": {Accuracy(), []Cell{cell(0.9, 0.8, 0.9), cell(0.1, 0.1, 0.1)},
			[]Cell{cell(0.9, 0.8, 0.9), cell(0.2, 0.2, 0.21)}, true},
		"Brier does not": {Accuracy(), []Cell{cell(0.9, 0.8, 0.9), cell(0.1, 0.3, 0.1)},
			[]Cell{cell(0.9, 0.8, 0.9), cell(0.2, 0.2, 0.11)}, false},
		"no accuracy": {Accuracy(), []Cell{cell(0.8, 0.8, 0.9), cell(0.1, 0.1, 0.1)},
			[]Cell{cell(0.9, 0.8, 0.9), cell(0.2, 0.2, 0.21)}, false},
	} {
		if got, why := rule(c.m, c.together, c.alone); got != c.want || why == "" {
			t.Errorf("%s: %v, %s", name, got, why)
		}
	}
}

// committeeSet is a plane and a wave: a linear kernel knows the one, nearest neighbours the other.
func committeeSet(n, classes int) *data.Dataset {
	rng := rand.New(rand.NewPCG(8, 9))
	columns := make([][]float64, 3)
	labels := make([]string, n)
	for i := range n {
		a, b := 4*rng.Float64(), 4*rng.Float64()
		y := 2*a + 1.5*math.Sin(6*b) + 0.3*rng.NormFloat64()
		columns[0], columns[1], columns[2] = append(columns[0], a), append(columns[1], b), append(columns[2], y)
		labels[i] = string(rune('a' + min(max(int(y/9*float64(max(classes, 1))), 0), classes-1)))
	}
	d := &data.Dataset{Name: "committee", Target: "y"}
	d.Columns = append(d.Columns, data.NumberColumn("a", columns[0]), data.NumberColumn("b", columns[1]))
	if classes > 0 {
		d.Columns = append(d.Columns, data.LevelColumn("y", labels))
	} else {
		d.Columns = append(d.Columns, data.NumberColumn("y", columns[2]))
	}
	return d
}

func committeeOptions(classes int) AutoOptions {
	o := AutoOptions{Best: BestCommittee, Strategy: Grid{}, Folds: 5, Seed: 3,
		Learners: []string{"ridge", "nw(kernel=gaussian())"},
		Axes:     []Axis{Over("lambda", 0.1, 1), Over("lengthscale", 0.3, 2)}}
	if classes > 0 {
		o.Learners, o.Axes = []string{"logistic", "knn(kernel=gaussian())"}, append(o.Axes, Over("k", 7))
	}
	return o
}

// What a committee says is the same to the bit in memory and from its file, at any number of
// threads; the search beside it is that of BestOne.
func TestAutoOfACommittee(t *testing.T) {
	t.Parallel()
	for _, classes := range []int{0, 3} {
		d := committeeSet(90+10*classes, classes)
		o := committeeOptions(classes)
		var first *AutoResult
		for _, threads := range []int{1, 7} {
			o.Threads = threads
			r, err := Auto(t.Context(), d, o)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				if first = r; r.Committee == nil || !r.Committee.Chosen {
					t.Fatalf("%d classes: no committee is chosen: %v", classes, strings.Join(r.Why, "\n"))
				}
				continue
			}
			if !reflect.DeepEqual(r.TestPredictions, first.TestPredictions) ||
				!reflect.DeepEqual(r.Committee.Judged.Scores, first.Committee.Judged.Scores) {
				t.Errorf("%d classes: %d threads say something else", classes, threads)
			}
		}
		c := first.Committee
		if first.Chosen.Learner != committeeName || first.Chosen.String() != c.Judged.String() || len(c.Members) < 2 ||
			c.Violation > 1e-9 {
			t.Errorf("%d classes: chosen %v, committee %+v", classes, first.Chosen, c)
		}
		o.Best = BestOne
		one, err := Auto(t.Context(), d, o)
		if err != nil {
			t.Fatal(err)
		}
		if one.Committee != nil || one.Chosen.String() != c.Alone.String() || len(one.Cells) != len(first.Cells) {
			t.Errorf("%d classes: alone %v, with a committee beside it %v", classes, one.Chosen, c.Alone)
		}
		for i, cell := range one.Cells {
			if !slices.Equal(cell.Scores, first.Cells[i].Scores) {
				t.Errorf("%d classes: cell %v has other scores beside a committee", classes, cell)
			}
		}
		file := filepath.Join(t.TempDir(), "m.mercer")
		if err := first.Save(file); err != nil {
			t.Fatal(err)
		}
		m, err := model.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := m.Judged(context.Background(), d.Gather(first.Split.Test))
		if err != nil || !slices.Equal(got.Value, first.TestPredictions.Value) ||
			!slices.Equal(got.Prob, first.TestPredictions.Prob) || !slices.Equal(got.Class, first.TestPredictions.Class) {
			t.Errorf("%d classes: the file says something else (%v)", classes, err)
		}
		if m.HasIntervals() != (classes == 0) || m.Centers() != first.Centers() {
			t.Errorf("%d classes: intervals %v, centres %d and %d", classes, m.HasIntervals(), m.Centers(), first.Centers())
		}
		if first.Inside.Scores == nil || len(first.Inside.Scores) != 5 {
			t.Errorf("%d classes: not judged with encoders inside the folds: %v", classes, first.Why)
		}
	}
}

// Where there can be none, it is said and the choice is that of one.
func TestNoCommittee(t *testing.T) {
	d := committeeSet(60, 0)
	o := committeeOptions(0)
	o.Learners, o.Refit = []string{"ridge"}, true
	o.Kernel = kernel.Gaussian{Lengthscale: 1}
	r, err := Auto(t.Context(), d, o)
	if err != nil || r.Committee != nil || r.Chosen.Learner != "ridge" ||
		!slices.Contains(r.Why, "no committee: only one cell can be judged in it") {
		t.Errorf("one candidate: %v, %v", r.Why, err)
	}
	sure := committeeSet(60, 2)
	o = committeeOptions(2)
	o.Learners, o.Axes, o.NoProbabilities = []string{"svm(kernel=linear())", "ridge(kernel=linear())"},
		[]Axis{Over("C", 1), Over("lambda", 0.1)}, true
	if r, err = Auto(t.Context(), sure, o); err != nil || r.Committee != nil || r.Chosen.Learner == committeeName {
		t.Errorf("without probabilities: %v, %v", r.Why, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	o = committeeOptions(0)
	o.Trace = func(Event) { cancel() }
	if r, err = Auto(ended, d, o); err != nil && !errors.Is(err, context.Canceled) || err == nil && r.Committee != nil {
		t.Errorf("stopped: %v", err)
	}
}
