package gp

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

func scaledGaussian() kernel.Kernel[kernel.Vec] {
	return kernel.Scale[kernel.Vec](2, kernel.Gaussian{Lengthscale: 1.2})
}

func TestGPClassifierAgainstScikitLearn(t *testing.T) {
	var g gpGolden
	learntest.ReadGolden(t, "gp_sklearn.json", &g)
	x, test := learntest.MatrixRows(g.X), learntest.MatrixRows(g.Test)
	fixed := Classification[kernel.Vec, int]{Kernel: scaledGaussian(), HyperOptions: HyperOptions{FixedKernel: true}}
	e := modeltest.Must(fixed.Evidence(learntest.Ctx, x, g.Binary.Label))(t)
	learntest.Near(t, "evidence", e.LogMarginal, g.Binary.Value, 1e-8) // theirs stops Newton at 1e-10 of the objective
	theta := kernel.Values(scaledGaussian())
	for i, d := range e.Kernel {
		learntest.Near(t, "gradient", d*theta[i], g.Binary.Grad[i], 1e-5)
	}
	m := modeltest.Must(fixed.Fit(learntest.Ctx, x, g.Binary.Label))(t)
	if r := m.Report(); !r.Converged || r.Certificate > 1e-9 {
		t.Errorf("report %+v", r)
	}
	p := modeltest.Proba(t, m, test)
	for i, want := range g.Binary.Proba { // theirs approximates the integral by five error functions
		learntest.Near(t, "probability", p.At(i, 1), want, 2e-4)
		if got := modeltest.Predict(t, m, data.Gather[kernel.Vec](test, []int{i}))[0]; (got == 1) != (p.At(i, 1) > 0.5) {
			t.Errorf("predicted %d at probability %g", got, p.At(i, 1))
		}
	}
	fit := Classification[kernel.Vec, int]{Kernel: scaledGaussian(), HyperOptions: HyperOptions{Restarts: 2, Seed: 2}}
	best := modeltest.Must(fit.Fit(learntest.Ctx, x, g.Binary.Label))(t)
	if best.LogMarginal() < g.Binary.Best-1e-3 {
		t.Errorf("fitted evidence %g, scikit-learn reaches %g", best.LogMarginal(), g.Binary.Best)
	}
}

func TestGPClassifierSoftmaxAgainstBruteForce(t *testing.T) {
	var g gpGolden
	learntest.ReadGolden(t, "gp_sklearn.json", &g)
	x, test := learntest.MatrixRows(g.X), learntest.MatrixRows(g.Test)
	c := Classification[kernel.Vec, int]{Kernel: scaledGaussian(), HyperOptions: HyperOptions{FixedKernel: true}}
	m := modeltest.Must(c.Fit(learntest.Ctx, x, g.Softmax.Label))(t)
	learntest.Near(t, "evidence", m.LogMarginal(), g.Softmax.Value, 1e-10)
	if r := m.Report(); !r.Converged || r.Certificate > 1e-9 {
		t.Errorf("report %+v", r)
	}
	mean, cov, err := m.Latent(learntest.Ctx, test)
	if err != nil {
		t.Fatal(err)
	}
	proba := modeltest.Proba(t, m, test)
	for i := range g.Test {
		sum := 0.0
		for c := range 3 {
			learntest.Near(t, "latent mean", mean.At(i, c), g.Softmax.Mean[c][i], 1e-9)
			learntest.AllNear(t, "latent covariance", cov[i].RawRowView(c), g.Softmax.Cov[i][c], 1e-9)
			sum += proba.At(i, c)
		}
		learntest.Near(t, "sum of probabilities", sum, 1, 1e-12)
	}
}

func TestGPClassifierGradientByDifferences(t *testing.T) {
	var g gpGolden
	learntest.ReadGolden(t, "gp_sklearn.json", &g)
	x := learntest.MatrixRows(g.X)
	k := kernel.Scale[kernel.Vec](2, kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{0.8, 1.5, 2}})
	for what, label := range map[string][]int{"binary": g.Binary.Label, "softmax": g.Softmax.Label} {
		at := func(theta []float64) Evidence {
			c := Classification[kernel.Vec, int]{Kernel: vectorsWith(k, theta)}
			return modeltest.Must(c.Evidence(learntest.Ctx, x, label))(t)
		}
		theta := kernel.Values[kernel.Vec](k)
		e := at(theta)
		for p, d := range e.Kernel {
			step := 1e-5 * theta[p]
			value := func(s float64) float64 {
				moved := append([]float64(nil), theta...)
				moved[p] += s
				return at(moved).LogMarginal
			}
			learntest.Near(t, what, d, (value(step)-value(-step))/(2*step), 1e-5)
		}
	}
}

// The integrals against the sums that define them.
func TestGPClassifierAverages(t *testing.T) {
	for _, c := range []struct{ mean, variance float64 }{{0, 1}, {1.5, 4}, {-3, 100}, {0.2, 0}, {2, 1e4}} {
		const n = 400000
		sd, sum, weight := math.Sqrt(c.variance), 0.0, 0.0
		for i := -n; i <= n; i++ {
			z := 10 * float64(i) / n
			w := math.Exp(-z * z / 2)
			sum += w / (1 + math.Exp(-c.mean-sd*z))
			weight += w
		}
		learntest.Near(t, "averaged sigmoid", averageSigmoid(c.mean, c.variance), sum/weight, 1e-9)
	}
	// two processes of a softmax are one of a sigmoid, f₁ - f₀
	var p [2]float64
	cov := linalg.Matrix[float64](learntest.MatrixRows([][]float64{{1, 0.2}, {0.2, 2}}).RawMatrix())
	averageSoftmax(p[:], []float64{0.3, 1}, cov, standardNormals(20000, 2, 1))
	learntest.Near(t, "averaged softmax", p[1], averageSigmoid(0.7, 3-0.4), 5e-3)
}

func TestGPClassifierFitsAnyLabels(t *testing.T) {
	d, labels := learntest.Corners(90, 3, 40)
	names := make([]string, len(labels))
	for i, c := range labels {
		names[i] = []string{"oak", "ash", "elm"}[c]
	}
	var first *mat.Dense
	for _, threads := range datatest.Threads() {
		c := Classification[kernel.Vec, string]{Kernel: kernel.Gaussian{Lengthscale: 2},
			HyperOptions: HyperOptions{MaxIterations: 4}}
		c.Threads = threads
		m := modeltest.Must(c.Fit(learntest.Ctx, data.Rows(d), names))(t)
		p := modeltest.Proba(t, m, data.Rows(d))
		wrong := 0
		for i, v := range modeltest.Predict(t, m, data.Rows(d)) {
			if v != names[i] {
				wrong++
			}
		}
		if wrong > 6 || strings.Join(m.Classes(), " ") != "ash elm oak" {
			t.Errorf("%d wrong, classes %v", wrong, m.Classes())
		}
		if first == nil {
			first = p
		} else if !mat.Equal(first, p) {
			t.Errorf("%d threads give other bits than 1", threads)
		}
	}
}

func TestGPClassifierRefusesAndCancels(t *testing.T) {
	c := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{}}
	if _, err := c.Fit(learntest.Ctx, data.Slice[kernel.Vec]{{1}, {2}}, []int{1, 1}); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
	if _, err := c.Fit(learntest.Ctx, data.Slice[kernel.Vec]{{1}, {math.Inf(1)}}, []int{1, 2}); err == nil ||
		!strings.Contains(err.Error(), "row 1") {
		t.Errorf("infinity: %v", err)
	}
	if _, err := c.Fit(learntest.Ctx, data.Slice[kernel.Vec]{}, nil); !errors.Is(err, learn.ErrNoPoints) {
		t.Errorf("empty: %v", err)
	}
	same := modeltest.Must(c.Fit(learntest.Ctx, data.Slice[kernel.Vec]{{1}, {1}, {1}}, []int{0, 1, 1}))(t)
	if p := modeltest.Proba(t, same, data.Slice[kernel.Vec]{{1}}).At(0, 1); !(p > 0.5 && p < 0.7) {
		t.Errorf("probability %g at a point of two labels to one", p)
	}
	d, labels := learntest.Corners(60, 3, 41)
	learntest.Cancels(t, func(ctx *learntest.Countdown) error {
		_, err := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{}, HyperOptions: HyperOptions{MaxIterations: 3},
			Resources: learn.Resources{Threads: 1}}.Fit(ctx, data.Rows(d), labels)
		return err
	})
}
