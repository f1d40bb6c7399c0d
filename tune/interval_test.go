package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
)

func never() bool { return false }

// Rows that are ranked without a fault have the same AUC however they are drawn again: that is no
// interval of width nought.
func TestPerfectScoresHaveNoBootstrapInterval(t *testing.T) {
	p := learn.Predictions{Truth: []float64{0, 0, 0, 1, 1, 1}, Class: []int{0, 0, 0, 1, 1, 1}, Classes: 2, Positive: 1,
		Prob: []float64{.9, .1, .8, .2, .7, .3, .3, .7, .2, .8, .1, .9}}
	scores := []TestScore{{Value: 1, by: AUC()}, {Value: 1, by: Accuracy()}}
	setIntervals(scores, p, nil, 1, never)
	if s := scores[0]; !math.IsNaN(s.Low) || !math.IsNaN(s.High) {
		t.Errorf("AUC 1 of six rows: %g to %g", s.Low, s.High)
	}
	if s := scores[1]; !(s.Low < 0.7 && s.High == 1) {
		t.Errorf("accuracy 1 of six rows: %g to %g", s.Low, s.High)
	}
}

// The interval of each metric is that of a loop over the samples for it alone; where the time is
// over, the first has one still.
func TestIntervalsAreThoseOfEachMetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n, seed = 25, 9
	p := learn.Predictions{Classes: 2, Positive: 1}
	for i := range n {
		chance := rng.Float64()
		p.Truth, p.Class = append(p.Truth, float64(i%2)), append(p.Class, int(chance+0.5))
		p.Prob, p.Weights = append(p.Prob, 1-chance, chance), append(p.Weights, 1+float64(i%3))
	}
	scores := func(over func() bool) []TestScore {
		out := Judge(p, learn.Baseline{Shares: []float64{0.5, 0.5}}, Metrics(data.Binary)...)
		setIntervals(out, p, nil, seed, over)
		return out
	}
	all := scores(never)
	if len(all) != len(Metrics(data.Binary)) {
		t.Fatalf("%d scores", len(all))
	}
	for _, s := range all {
		var values []float64
		for i := range 1000 {
			draw, rows := rand.New(rand.NewPCG(seed, 0x626f6f74<<32+uint64(i))), make([]int, n)
			for r := range rows {
				rows[r] = draw.IntN(n)
			}
			values = append(values, s.by.Score(p.Gather(rows)))
		}
		slices.Sort(values)
		if s.Low != values[25] || s.High != values[974] || !(s.Low < s.Value && s.Value < s.High) {
			t.Errorf("%s: %g in [%g, %g], the loop says [%g, %g]", s.Metric, s.Value, s.Low, s.High, values[25], values[974])
		}
	}
	for i, s := range scores(func() bool { return true }) {
		if has := !math.IsNaN(s.Low); has != (i == 0) || has && s.Low != all[0].Low {
			t.Errorf("%s when the time is over: [%g, %g]", s.Metric, s.Low, s.High)
		}
	}
}
