package density

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
)

func TestMixtureReportsACollapsedComponent(t *testing.T) {
	ctx := context.Background()
	x := data.Slice[[]float64]{{0, 0}, {0, 0}, {0, 0}, {0, 0}}
	rng := rand.New(rand.NewPCG(6, 6))
	for range 50 {
		x = append(x, []float64{10 + rng.NormFloat64(), rng.NormFloat64()})
	}
	m, err := Mixture{Components: 2}.Fit(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Report().Warnings) == 0 {
		t.Error("a component on four equal points was not reported")
	}
	good, _ := Mixture{Components: 1}.Fit(ctx, x)
	if len(good.Report().Warnings) != 0 {
		t.Errorf("a single component: %v", good.Report().Warnings)
	}
	best, err := SelectMixture(ctx, Mixture{}, x[4:], 3)
	if err != nil || best.Components() != 1 {
		t.Errorf("one cloud was cut into %d components, %v", best.Components(), err)
	}
}

func TestMixtureLikelihoodNeverFalls(t *testing.T) {
	ctx := context.Background()
	x := cloud(51, 200, 3)
	for kind := FullCovariance; kind <= TiedCovariance; kind++ {
		r, err := newEMRun(ctx, mustDefaults(t, Mixture{Components: 3, Covariance: kind, Iterations: 50}), x, 0)
		if err != nil {
			t.Fatal(err)
		}
		last := math.Inf(-1)
		for range 40 {
			if err := r.maximise(); err != nil {
				t.Fatal(err)
			}
			if err := (smoothing.Gaussians{Weights: r.weights, Means: r.means, Chols: r.chols}).Evaluate(ctx, 1, x, r.resp, r.logs); err != nil {
				t.Fatal(err)
			}
			s := 0.0
			for _, v := range r.logs {
				s += v
			}
			if s < last-1e-3 { // the ridge moves the maximum by about its size
				t.Errorf("type %d: the log-likelihood falls from %g to %g", kind, last, s)
			}
			last = s
		}
	}
}

func mustDefaults(t *testing.T, c Mixture) Mixture {
	t.Helper()
	c, err := c.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
