package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// twoHumps draws from an equal mixture of N(-2, 0.5²) and N(2, 0.5²).
func twoHumps(n int, seed uint64) learn.Problem[any] {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := linalg.New[float64](n, 1)
	for i := range n {
		x.Set(i, 0, 4*float64(rng.IntN(2))-2+0.5*rng.NormFloat64())
	}
	return learn.Problem[any]{Points: data.Erase(data.RowsOf(x))}
}

// The bandwidth of a density is chosen by held-out log-likelihood; with
// leave-one-out folds that is the double sum of its definition.
func TestDensitySearch(t *testing.T) {
	p := twoHumps(120, 1)
	widths := learn.LogSpace(0.02, 5, 12)
	s := Search{Problem: p, Candidates: []Candidate{Density(density.KDE{}, widths)}, Protocol: Protocol{LOO: true}}
	r := mustRun(t, s)
	if r.Metric.Name != "log-density" || len(r.Cells) != 12 {
		t.Fatalf("%s over %d cells", r.Metric.Name, len(r.Cells))
	}
	best, at := math.Inf(-1), 0.0
	for _, c := range r.Cells {
		h, want := c.Param("bandwidth"), 0.0
		for i := range p.Len() {
			sum := 0.0
			for j := range p.Len() {
				if j != i {
					u := (p.Points.At(i).(kernel.Vec)[0] - p.Points.At(j).(kernel.Vec)[0]) / h
					sum += math.Exp(-u*u/2) / (h * math.Sqrt(2*math.Pi))
				}
			}
			want += math.Log(sum/float64(p.Len()-1)) / float64(p.Len())
		}
		// Far from all points the sum underflows, its logarithm does not.
		if !math.IsInf(want, 0) && math.Abs(c.Mean-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("h = %g: %.12g, by the double sum %.12g", h, c.Mean, want)
		}
		if want > best {
			best, at = want, h
		}
	}
	if r.Best.Param("bandwidth") != at {
		t.Errorf("chose h = %g, want %g", r.Best.Param("bandwidth"), at)
	}
	// The rule of thumb takes the two humps for one wide one.
	thumb, err := density.KDE{}.Fit(context.Background(), vectors(p.Points))
	if err != nil {
		t.Fatal(err)
	}
	fresh := twoHumps(2000, 9)
	rule, err := thumb.Score(context.Background(), vectors(fresh.Points))
	if err != nil {
		t.Fatal(err)
	}
	pred, err := r.Model.PredictAll(context.Background(), fresh.Points)
	if err != nil {
		t.Fatal(err)
	}
	if got := MeanLogDensity().Score(pred); !(got > rule) {
		t.Errorf("mean log density %g, by the rule of thumb %g", got, rule)
	}
	for _, strategy := range []Strategy{Grid{Refine: 2}, Random{Cells: 10}, Bayes{Cells: 10}, Halving{Least: 30}} {
		s.Strategy, s.Protocol = strategy, Protocol{}
		if r := mustRun(t, s); !(r.Best.Mean > -2.2) {
			t.Errorf("%T: mean log density %g at h = %g", strategy, r.Best.Mean, r.Best.Param("bandwidth"))
		}
	}
	s.Candidates = append(s.Candidates, Density(density.KDE{}, []float64{-1}))
	if _, err := s.Run(context.Background()); err == nil {
		t.Error("a negative bandwidth was taken")
	}
}
