package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// chances draws rows of a class with probabilities of few digits, so that some are equal.
func chances(rng *rand.Rand, n int, weighted bool) learn.Predictions {
	p := learn.Predictions{Classes: 2, Positive: 1}
	for range n {
		v := math.Round(20*rng.Float64()*rng.Float64()) / 20
		p.Truth, p.Prob = append(p.Truth, indicator(rng.Float64() < v)), append(p.Prob, 1-v, v)
		if weighted {
			p.Weights = append(p.Weights, float64(1+rng.IntN(3)))
		}
	}
	p.Truth[0] = 1
	return p
}

// costAt and f1At are the definitions, row by row.
func costAt(p learn.Predictions, class int, at, miss, alarm float64) float64 {
	c := 0.0
	for i, y := range p.Truth {
		switch named := p.Prob[2*i+class] >= at; {
		case int(y) == class && !named:
			c += miss * weightOf(p, i)
		case int(y) != class && named:
			c += alarm * weightOf(p, i)
		}
	}
	return c
}

func f1At(p learn.Predictions, class int, at float64) float64 {
	hit, all, said := 0.0, 0.0, 0.0
	for i, y := range p.Truth {
		w, named, is := weightOf(p, i), p.Prob[2*i+class] >= at, int(y) == class
		all, said, hit = all+w*indicator(is), said+w*indicator(named), hit+w*indicator(named && is)
	}
	return f1(hit, all, said)
}

// No threshold of a fine grid is better than the chosen one.
func TestChooseThresholdIsTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	classes := []string{"no", "yes"}
	for trial := range 60 {
		p := chances(rng, 5+rng.IntN(60), trial%2 == 1)
		class := trial / 2 % 2
		p.Truth[1] = 0
		costs := map[string]float64{classes[class]: float64(1 + rng.IntN(40))}
		byCost, err := ChooseThreshold(p, classes, classes[class], costs)
		if err != nil {
			t.Fatal(err)
		}
		byF1, err := ChooseThreshold(p, classes, classes[class], nil)
		if err != nil {
			t.Fatal(err)
		}
		miss := costs[classes[class]]
		for k := 1; k < 2000; k++ {
			at := float64(k) / 2000
			if cheap := costAt(p, class, at, miss, 1); cheap < costAt(p, class, byCost.At, miss, 1)-1e-9 {
				t.Fatalf("trial %d: %g costs %g, the chosen %g %g", trial, at, cheap, byCost.At,
					costAt(p, class, byCost.At, miss, 1))
			}
			if good := f1At(p, class, at); good > f1At(p, class, byF1.At)+1e-12 {
				t.Fatalf("trial %d: %g has f1 %g, the chosen %g %g", trial, at, good, byF1.At, f1At(p, class, byF1.At))
			}
		}
		for _, th := range []*model.Threshold{byCost, byF1} {
			if !(th.At > 0 && th.At < 1) {
				t.Errorf("threshold %g", th.At)
			}
		}
	}
}

// Where several thresholds cost the same, it is the one by which probabilities that are what they
// say would be judged: c₀/(c₀ + c₁).
func TestChooseThresholdAmongEquals(t *testing.T) {
	p := learn.Predictions{Classes: 2, Positive: 1, Truth: []float64{0, 0, 1, 1},
		Prob: []float64{0.99, 0.01, 0.95, 0.05, 0.1, 0.9, 0.05, 0.95}}
	for miss, want := range map[float64]float64{1: 0.5, 4: 0.2, 9: 0.1} {
		got, err := ChooseThreshold(p, []string{"no", "yes"}, "yes", map[string]float64{"yes": miss})
		if err != nil || math.Abs(got.At-want) > 1e-15 {
			t.Errorf("a miss of %g: %+v (%v), want %g", miss, got, err, want)
		}
	}
}

func TestChooseThresholdRefuses(t *testing.T) {
	p := learn.Predictions{Classes: 2, Truth: []float64{0, 1}, Prob: []float64{0.5, 0.5, 0.4, 0.6}}
	two := []string{"no", "yes"}
	for want, ask := range map[string]func() (*model.Threshold, error){
		"it is of one of two": func() (*model.Threshold, error) { return ChooseThreshold(p, two, "maybe", nil) },
		"the model gives none": func() (*model.Threshold, error) {
			return ChooseThreshold(learn.Predictions{Classes: 2}, two, "yes", nil)
		},
		"no row is of class": func() (*model.Threshold, error) {
			return ChooseThreshold(learn.Predictions{Classes: 2, Truth: []float64{0}, Prob: []float64{1, 0}}, two, "yes", nil)
		},
		"give a positive number": func() (*model.Threshold, error) {
			return ChooseThreshold(p, two, "yes",
				map[string]float64{"yes": 0})
		},
		"which is not there": func() (*model.Threshold, error) {
			return ChooseThreshold(p, two, "yes",
				map[string]float64{"y": 2})
		},
		"a cost of class \"no way\"": func() (*model.Threshold, error) {
			return ChooseThreshold(p, two, "yes", map[string]float64{"no way": 2})
		},
	} {
		if got, err := ask(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v, %v; want an error with %q", got, err, want)
		}
	}
	// Probabilities of 0 and 1 alone leave thresholds that can be had.
	sure := learn.Predictions{Classes: 2, Truth: []float64{0, 1, 1}, Prob: []float64{1, 0, 1, 0, 0, 1}}
	got, err := ChooseThreshold(sure, two, "yes", map[string]float64{"yes": 100})
	if err != nil || !(got.At > 0 && got.At < 1) || costAt(sure, 1, got.At, 100, 1) != 100 {
		t.Errorf("%+v, %v", got, err)
	}
}

// expectedF1 against all thresholds of drawn probabilities.
func TestExpectedF1(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	value := func(prob []float64, at float64) float64 {
		named, count, all := 0.0, 0.0, 0.0
		for _, p := range prob {
			if all += p; p >= at {
				named, count = named+p, count+1
			}
		}
		return 2 * named / (all + count)
	}
	for range 20 {
		prob := make([]float64, 30)
		for i := range prob {
			prob[i] = math.Pow(rng.Float64(), 3)
		}
		best := value(prob, expectedF1(prob))
		for k := 1; k < 1000; k++ {
			if v := value(prob, float64(k)/1000); v > best+1e-12 {
				t.Fatalf("%g at %g, chosen %g", v, float64(k)/1000, best)
			}
		}
	}
}

// rareTable is n rows of which one in so many is "yes", to be told by two columns, not without
// faults.
func rareTable(n, one int) *data.Dataset {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	x, y, z := make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		x[i], y[i], z[i] = rng.NormFloat64(), rng.NormFloat64(), "no"
		if i%one == 0 {
			x[i], y[i], z[i] = x[i]+2.2, y[i]-1.2, "yes"
		}
	}
	return &data.Dataset{Name: "rare", Target: "z", Columns: []data.Column{data.NumberColumn("x", x),
		data.NumberColumn("y", y), data.LevelColumn("z", z)}}
}

// A rare class is searched for by average precision, named from the threshold of the best f1 of
// rows that fits did not see, and judged so; costs move the threshold, and both are in the model.
func TestAutoOfARareClass(t *testing.T) {
	t.Parallel()
	d := rareTable(900, 30)
	o := AutoOptions{Budget: time.Minute, Seed: 1, Learners: []string{"logistic"}, Strategy: Random{Cells: 6}}
	r := mustAuto(t, d, o)
	if r.Metric.Name != "average-precision" || r.Test[0].Metric != "average-precision" {
		t.Fatalf("chosen by %s, test %+v", r.Metric.Name, r.Test)
	}
	if !slices.ContainsFunc(r.Notes, func(s string) bool {
		return strings.Contains(s, `chosen by average precision, since always "no" is right for 96.7 %`)
	}) {
		t.Errorf("notes: %q", r.Notes)
	}
	names := map[string]bool{}
	for _, s := range r.Test {
		names[s.Metric] = true
	}
	if r.Threshold == nil || r.Threshold.Class != "yes" || !names["recall"] || !names["precision"] ||
		!strings.Contains(r.Threshold.Why, "the best f1 on 720 rows that fits did not see") {
		t.Fatalf("threshold %+v, scores %v", r.Threshold, names)
	}
	if want, err := ChooseThreshold(*r.foldKnown, r.Classes, "yes", nil); err != nil || want.At != r.Threshold.At {
		t.Errorf("threshold %g, want %+v (%v)", r.Threshold.At, want, err)
	}
	named := 0
	for i, c := range r.TestPredictions.Class {
		if by := r.TestPredictions.Prob[2*i+1] >= r.Threshold.At; by != (c == 1) {
			t.Fatalf("row %d is %d at %g", i, c, r.TestPredictions.Prob[2*i+1])
		}
		named += c
	}
	if named == 0 {
		t.Error("nothing is named")
	}
	m, err := r.Model(model.Info{})
	if err != nil || m.Info().Threshold.At != r.Threshold.At {
		t.Errorf("the model has %+v (%v)", m.Info().Threshold, err)
	}

	o.Costs = map[string]float64{"yes": 100}
	dear := mustAuto(t, d, o)
	if dear.Threshold.At >= r.Threshold.At || dear.Threshold.Costs["yes"] != 100 {
		t.Errorf("a miss of 100: %+v, before %+v", dear.Threshold, r.Threshold)
	}
	o.Costs, o.Threshold = nil, &model.Threshold{At: 0.25}
	if told := mustAuto(t, d, o); told.Threshold.At != 0.25 || told.Threshold.Class != "yes" ||
		told.Threshold.Why != "as told" {
		t.Errorf("%+v", told.Threshold)
	}
}

// Classes that are common have no threshold of their own, and are chosen by accuracy, as before;
// one that is asked for is by log loss.
func TestAutoOfCommonClasses(t *testing.T) {
	t.Parallel()
	d := rareTable(200, 3)
	o := AutoOptions{Budget: time.Minute, Seed: 1, Learners: []string{"logistic"}, Strategy: Random{Cells: 3}}
	if r := mustAuto(t, d, o); r.Metric.Name != "accuracy" || r.Threshold != nil {
		t.Errorf("by %s, %+v", r.Metric.Name, r.Threshold)
	}
	o.Costs = map[string]float64{"yes": 4}
	if r := mustAuto(t, d, o); r.Metric.Name != "logloss" || r.Threshold == nil ||
		!strings.Contains(r.Threshold.Why, "the least cost, yes=4, on 160 rows") {
		t.Errorf("by %s, %+v", r.Metric.Name, r.Threshold)
	}
	for want, o := range map[string]AutoOptions{
		"which are switched off": {Costs: map[string]float64{"yes": 2}, NoProbabilities: true},
		"give one of them":       {Costs: map[string]float64{"yes": 2}, Threshold: &model.Threshold{At: 0.1}},
		"between 0 and 1":        {Threshold: &model.Threshold{At: 2}},
		"are of two classes":     {Task: data.Multiclass, Threshold: &model.Threshold{At: 0.1}},
		"a cost of class \"yess\"": {Costs: map[string]float64{"yess": 2}, Learners: []string{"logistic"},
			Strategy: Random{Cells: 1}},
	} {
		o.Seed = 1
		if _, err := Auto(t.Context(), d, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// A column that names what rows are of has the chosen setting judged with whole ones left out,
// which a test on rows held out at random is much kinder than where the name is all there is to
// know.
func TestAutoByGroups(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	const n = 240
	who, x, y := make([]string, n), make([]float64, n), make([]string, n)
	for i := range n {
		p := i / 6
		own := rand.New(rand.NewPCG(7, uint64(p)))
		who[i], x[i], y[i] = fmt.Sprintf("P%03d", p), 5*own.NormFloat64()+0.01*rng.NormFloat64(),
			[]string{"no", "yes"}[own.IntN(2)]
	}
	d := &data.Dataset{Name: "visits", Target: "y", Columns: []data.Column{data.LevelColumn("patient", who),
		data.NumberColumn("x", x), data.LevelColumn("y", y)}}
	o := AutoOptions{Budget: time.Minute, Seed: 1, Learners: []string{"ridge"}, Strategy: Random{Cells: 4}}
	r := mustAuto(t, d, o)
	g := r.ByGroups
	if g == nil || g.Column != "patient" || len(g.Cell.Scores) != 5 || !(g.Cell.Mean < r.Test[0].Value-0.15) {
		t.Fatalf("by groups %+v, test %+v", g, r.Test[0])
	}
	d.Groups = "patient"
	if r := mustAuto(t, d, o); r.ByGroups != nil {
		t.Errorf("groups were given: %+v", r.ByGroups)
	}
}

// saying is an outcome that says the same of every row.
type saying struct {
	outcome
	prob []float64
}

func (s saying) predict(_ context.Context, x *data.Encoded) (learn.Predictions, error) {
	return learn.Predictions{Classes: 2, Prob: slices.Repeat(s.prob, x.Dense.Len())}, nil
}
func (s saying) wide() bool                { return false }
func (s saying) apart() *learn.Predictions { return nil }

// Where none of the rows that fits did not see is of the rare class, nothing there says where its
// threshold is to be, and a fit that nobody asked for one must not fail: the model's probabilities
// are taken at their word.
func TestThresholdOfAClassThatFoldsDoNotHave(t *testing.T) {
	d := &data.Dataset{Name: "rare", Target: "y", Columns: []data.Column{data.NumberColumn("x", []float64{1, 2, 3, 4}),
		data.LevelColumn("y", []string{"no", "no", "yes", "no"})}}
	e, err := data.FitEncoder(d, data.EncoderOptions{Task: data.Binary})
	if err != nil {
		t.Fatal(err)
	}
	r := &AutoResult{Task: data.Binary, Metric: AveragePrecision(), Classes: []string{"no", "yes"}, Positive: "yes",
		Encoder: e, outcome: saying{prob: []float64{0.9, 0.1}}}
	r.Split.Train = []int{0, 1, 2, 3}
	r.foldKnown = &learn.Predictions{Classes: 2, Truth: []float64{0, 0}, Prob: []float64{0.8, 0.2, 0.9, 0.1}}
	if err := r.setThreshold(t.Context(), d, AutoOptions{unasked: true}); err != nil {
		t.Fatal(err)
	}
	if r.Threshold == nil || !(r.Threshold.At > 0 && r.Threshold.At < 1) ||
		!strings.Contains(r.Threshold.Why, `of the rows that fits did not see none is "yes"`) {
		t.Errorf("%+v", r.Threshold)
	}
	r.Threshold, r.foldKnown.Truth[0] = nil, 1
	if err := r.setThreshold(t.Context(), d, AutoOptions{unasked: true}); err != nil || r.Threshold == nil ||
		!strings.Contains(r.Threshold.Why, "the best f1 on 2 rows") {
		t.Errorf("with one row of it: %+v, %v", r.Threshold, err)
	}
}

// A threshold that finds more of a rare class and is right for fewer rows says so.
func TestThresholdSaysWhatItCostsInAccuracy(t *testing.T) {
	p := learn.Predictions{Classes: 2, Truth: []float64{1, 1, 0, 0, 0, 0, 0, 0, 0, 0}}
	for _, v := range []float64{0.9, 0.3, 0.4, 0.35, 0.1, 0.1, 0.2, 0.1, 0.1, 0.1} {
		p.Prob = append(p.Prob, 1-v, v)
	}
	if got := accuracyPrice(p, 1, 0.25); got != "; it is right for 80.0 % of them, the likelier class for 90.0 %" {
		t.Error(got)
	}
	if got := accuracyPrice(p, 1, 0.5); got != "" {
		t.Error(got)
	}
	p.Weights = []float64{1, 9, 1, 1, 1, 1, 1, 1, 1, 1}
	if got := accuracyPrice(p, 1, 0.25); got != "" { // the row that is found weighs more than those that are named with it
		t.Error(got)
	}
}
