package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
)

// twoTops is a few points of a wave: they are explained by a short length-scale without
// noise, or by a long one with much of it (Rasmussen & Williams 2006, figure 5.5).
func twoTops() learn.Problem[any] {
	rng := rand.New(rand.NewPCG(11, 3))
	var x data.Slice[kernel.Vec]
	var y []float64
	for i := range 14 {
		at := -5 + float64(i)*0.75
		x, y = append(x, []float64{at}), append(y, math.Sin(2.2*at)+0.15*rng.NormFloat64())
	}
	return learn.Problem[any]{Points: data.Erase(x), Task: data.Regression, Y: y}
}

// From several starts the highest end counts, in a search and in its last fit.
func TestStartsFindTheHigherTop(t *testing.T) {
	p := twoTops()
	starts := []gp.Start{{Length: 20, Noise: 1}, {Length: 0.5, Noise: 0.01}}
	var single []float64
	for _, s := range starts {
		d := p.Deviation()
		k := kernel.Scale(1, kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: s.Length}))
		m, err := gp.Regression[any]{Kernel: vec(k), Noise: s.Noise * d * d, FitMean: true}.Fit(context.Background(),
			p.Points, p.Y)
		if err != nil {
			t.Fatal(err)
		}
		single = append(single, m.LogMarginal())
	}
	if math.Abs(single[0]-single[1]) < 0.5 {
		t.Fatalf("both starts end at %v: this test does not test them", single)
	}
	k := kernel.Scale(1, kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 1}))
	for _, order := range [][]gp.Start{{starts[0], starts[1]}, {starts[1], starts[0]}} {
		learner := gp.LearnerFrom(order...)
		s := Search{Problem: p, Candidates: []Candidate{{Learner: "gp", Kernel: vec(k), Use: &learner}},
			Protocol: Protocol{Evidence: true}}
		if r := mustRun(t, s); math.Abs(r.Best.Mean-max(single[0], single[1])) > 1e-6 {
			t.Errorf("evidence %v from %v; alone they end at %v", r.Best.Mean, order, single)
		}
		s.Protocol = Protocol{Folds: 7}
		r := mustRun(t, s)
		if got := r.Model.Model.(*gp.Regressor[any]).LogMarginal(); math.Abs(got-max(single[0], single[1])) > 1e-6 {
			t.Errorf("the last fit has evidence %v from %v; alone they end at %v", got, order, single)
		}
	}
}

func TestStartsRefused(t *testing.T) {
	for want, starts := range map[string][]gp.Start{
		"start 1": {{}, {Length: -1}},
		"start 0": {{Noise: math.NaN()}},
	} {
		learner := gp.LearnerFrom(starts...)
		c := Candidate{Learner: "gp", Kernel: vec(kernel.Gaussian{}), Use: &learner}
		r, err := Search{Problem: twoTops(), Candidates: []Candidate{c}}.Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q; %v", err, want, r)
		}
	}
}
