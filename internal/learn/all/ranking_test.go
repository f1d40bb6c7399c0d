package all

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// rareProblem is rows of two classes, the second of which is rare and hard to tell.
func rareProblem(n, rare, dim int, shift float64, seed uint64) learn.Problem[any] {
	rng := rand.New(rand.NewPCG(seed, 4))
	var x data.Slice[kernel.Vec]
	y := make([]float64, n)
	for i := range n {
		v := make(kernel.Vec, dim)
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		if i%(n/rare) == 0 {
			y[i] = 1
			v[0] += shift
		}
		x = append(x, v)
	}
	return learn.Problem[any]{Points: data.Erase[kernel.Vec](x), Y: y, Task: data.Binary, Classes: []string{"no", "yes"}}
}

// averaging are learners whose probability is an average over what they do not know of the decision
// value, which brings it nearer to a half where they know less: it stays on its side of a half, and
// two rows may change places.
var averaging = []string{"gp", "sgpr", "rvm"}

// withProba fits a learner, and calibrates it where it has no probabilities of its own.
func (a asked) withProba(ctx context.Context, p learn.Problem[any]) (learn.Model[any], error) {
	fit := func(ctx context.Context, p learn.Problem[any]) (learn.Model[any], error) {
		s := a.s
		s.Proba = true
		return a.l.Fit(ctx, s, p)
	}
	m, err := fit(ctx, p)
	if q, ok := m.(learn.Probabilistic[any]); err != nil || ok && q.HasProba() {
		return m, err
	}
	return learn.Calibrate(ctx, m.(learn.Classifier[any, int]),
		func(ctx context.Context, rows []int) (learn.Classifier[any, int], error) {
			part, err := fit(ctx, p.Gather(rows))
			if err != nil {
				return nil, err
			}
			return part.(learn.Classifier[any, int]), nil
		}, p.Points, p.Codes(), 0)
}

// Rows are in one order by the probability of a rare class and by its decision value, whichever
// learner it is and however few rows of the class there are. The sigmoid of a support vector
// machine fell with the decision value where the values of its folds did by chance.
func TestProbabilitiesOrderRowsAsDecisionsDo(t *testing.T) {
	asked := 0
	for _, a := range everyPair() {
		if a.task != data.Binary {
			continue
		}
		for seed := range uint64(3) {
			dim := 2
			if a.l.Name == "spline" {
				dim = 1
			}
			p, new := rareProblem(120, 6, dim, 0.3, seed), rareProblem(60, 6, dim, 0.3, seed+100)
			m, err := a.withProba(t.Context(), p)
			if err != nil {
				t.Fatalf("%v: %v", a, err)
			}
			q, err := learn.PredictAll(t.Context(), m, 2, new.Points)
			if err != nil || q.Score == nil || q.Prob == nil {
				t.Fatalf("%v: %v, %d scores, %d probabilities", a, err, len(q.Score), len(q.Prob))
			}
			asked++
			averages := slices.Contains(averaging, a.l.Name)
			for i := range new.Len() {
				score, prob := q.Score[2*i+1]-q.Score[2*i], q.Prob[2*i+1]
				if averages && score*(prob-0.5) < 0 {
					t.Errorf("%v, seed %d: a value of %g is a probability of %g", a, seed, score, prob)
				}
				for j := range i {
					by, than := q.Score[2*i+1]-q.Score[2*j+1], q.Prob[2*i+1]-q.Prob[2*j+1]
					if other := by*than < 0 || by != 0 && than == 0; !averages && other && math.Abs(by) > 1e-12 {
						t.Fatalf("%v, seed %d: values %g and %g, probabilities %g and %g", a, seed, q.Score[2*i+1], q.Score[2*j+1], prob,
							q.Prob[2*j+1])
					}
				}
			}
		}
	}
	if asked < 45 {
		t.Errorf("%d fits were asked", asked)
	}
}

// A classifier that says that all its answers follow from its probabilities gives the same ones when
// it is asked for each.
func TestAnswersThatFollowFromProbabilities(t *testing.T) {
	asked := 0
	for _, a := range everyPair() {
		if a.task == data.Regression {
			continue
		}
		p := a.contrary(once)
		m, err := a.l.Fit(t.Context(), a.s, p)
		if err != nil {
			t.Fatal(a, err)
		}
		if d, ok := m.(interface{ DecidesByProba() bool }); !ok || !d.DecidesByProba() {
			continue
		}
		asked++
		q, err := learn.PredictAll(t.Context(), m, p.ClassCount(), p.Points)
		if err != nil {
			t.Fatal(a, err)
		}
		c := m.(learn.Classifier[any, int])
		class, err := c.Predict(t.Context(), p.Points)
		if err != nil || !slices.Equal(class, q.Class) {
			t.Errorf("%v: classes %v, and by the probabilities %v (%v)", a, class, q.Class, err)
		}
		decision, err := c.Decision(t.Context(), p.Points)
		if err != nil {
			t.Fatal(a, err)
		}
		k := p.ClassCount()
		for i := range p.Len() {
			row := decision.RawRowView(i)
			if k == 2 {
				row = []float64{-row[0], row[0]}
			}
			if !slices.Equal(row, q.Score[i*k:(i+1)*k]) {
				t.Errorf("%v: scores of row %d are %v, and by the probabilities %v", a, i, row, q.Score[i*k:(i+1)*k])
			}
		}
	}
	if asked < 4 { // forests and boosted trees, of two classes and of more
		t.Errorf("%d classifiers were asked", asked)
	}
}
