package gp

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

type gpGolden struct {
	X, Test [][]float64
	Y, Own  []float64
	Fixed   struct {
		Value      float64
		Grad, Mean []float64
		Cov        [][]float64
	}
	Hetero struct {
		Mean, Var []float64
		Value     float64
	}
	Fitted struct {
		Value float64
		Theta []float64
	}
	Binary struct {
		Label       []int
		Value, Best float64
		Grad, Proba []float64
	}
	Softmax struct {
		Label []int
		Value float64
		Mean  [][]float64
		Cov   [][][]float64
	}
}

func ardKernel() kernel.Kernel[kernel.Vec] {
	return kernel.Scale[kernel.Vec](1.7, kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{0.9, 1.4, 3}})
}

func TestGPAgainstScikitLearn(t *testing.T) {
	var g gpGolden
	learntest.ReadGolden(t, "gp_sklearn.json", &g)
	x, test := learntest.MatrixRows(g.X), learntest.MatrixRows(g.Test)
	fixed := Regression[kernel.Vec]{Kernel: ardKernel(), Noise: 0.05, FixedNoise: true,
		HyperOptions: HyperOptions{FixedKernel: true}}
	e := modeltest.Must(fixed.Evidence(learntest.Ctx, x, g.Y))(t)
	learntest.Near(t, "log marginal likelihood", e.LogMarginal, g.Fixed.Value, 1e-11)
	theta := append(kernel.Values(ardKernel()), 0.05)
	for i, d := range append(e.Kernel, e.Noise) { // theirs are by the logarithms
		learntest.Near(t, "gradient", d*theta[i], g.Fixed.Grad[i], 1e-9)
	}
	m := modeltest.Must(fixed.Fit(learntest.Ctx, x, g.Y))(t)
	learntest.AllNear(t, "mean", modeltest.Predict(t, m, test), g.Fixed.Mean, 1e-10)
	cov, v := modeltest.Covariance(t, m, test), modeltest.Variance(t, m, test)
	for i := range g.Test {
		learntest.AllNear(t, "covariance", cov.RawRowView(i), g.Fixed.Cov[i], 1e-10)
		learntest.Near(t, "variance", v[i], g.Fixed.Cov[i][i], 1e-10)
	}
	hetero := fixed
	hetero.Noise, hetero.NoNoise, hetero.PointNoise = 0, true, g.Own
	h := modeltest.Must(hetero.Fit(learntest.Ctx, x, g.Y))(t)
	learntest.AllNear(t, "mean with known noise", modeltest.Predict(t, h, test), g.Hetero.Mean, 1e-10)
	learntest.AllNear(t, "variance with known noise", modeltest.Variance(t, h, test), g.Hetero.Var, 1e-10)
	learntest.Near(t, "likelihood with known noise", h.LogMarginal(), g.Hetero.Value, 1e-11)

	fit := Regression[kernel.Vec]{Kernel: ardKernel(), Noise: 0.05, HyperOptions: HyperOptions{Restarts: 3, Seed: 1}}
	best := modeltest.Must(fit.Fit(learntest.Ctx, x, g.Y))(t)
	if best.LogMarginal() < g.Fitted.Value-1e-4 {
		t.Errorf("fitted log marginal likelihood %g, scikit-learn reaches %g (report %+v)", best.LogMarginal(),
			g.Fitted.Value, best.Report())
	}
	if r := best.Report(); !r.Converged || r.Iterations == 0 || r.Certificate > 1e-2 {
		t.Errorf("report %+v", r)
	}
	again := modeltest.Must(fit.Fit(learntest.Ctx, x, g.Y))(t)
	if again.LogMarginal() != best.LogMarginal() {
		t.Error("the same seed found another optimum")
	}
}

// The oracle of a gradient is a finite difference, through composite kernels,
// with a fitted mean and noise of each point.
func TestGPGradientByDifferences(t *testing.T) {
	x, y := learntest.Wave(30, 2, 21)
	own := make([]float64, 30)
	for i := range own {
		own[i] = 0.01 * float64(i%3)
	}
	k := kernel.Sum[kernel.Vec](
		kernel.Scale[kernel.Vec](0.8, kernel.ARD{Kernel: kernel.Matern{Nu: 2.5}, Lengthscales: []float64{0.7, 2}}),
		kernel.Scale[kernel.Vec](0.3, kernel.Linear{}),
		kernel.Periodic{Period: 2.2, Lengthscale: 1.1})
	at := func(theta []float64) Regression[kernel.Vec] {
		last := len(theta) - 1
		return Regression[kernel.Vec]{Kernel: vectorsWith(k, theta[:last]), Noise: theta[last], FitMean: true,
			PointNoise: own}
	}
	theta := append(kernel.Values[kernel.Vec](k), 0.1)
	e := modeltest.Must(at(theta).Evidence(learntest.Ctx, data.Rows(x), y))(t)
	for p, d := range append(e.Kernel, e.Noise) {
		step := 1e-5 * theta[p]
		value := func(s float64) float64 {
			moved := append([]float64(nil), theta...)
			moved[p] += s
			return modeltest.Must(at(moved).Evidence(learntest.Ctx, data.Rows(x), y))(t).LogMarginal
		}
		learntest.Near(t, "derivative", d, (value(step)-value(-step))/(2*step), 1e-5)
	}
}

func TestGPLeaveOneOutIsARefit(t *testing.T) {
	const n = 20
	x, y := learntest.Wave(n, 2, 22)
	for _, fitMean := range []bool{false, true} {
		g := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1.3}, Noise: 0.2, FixedNoise: true, FitMean: fitMean,
			Mean: 0.5, HyperOptions: HyperOptions{FixedKernel: true}}
		loo := modeltest.Must(g.Fit(learntest.Ctx, data.Rows(x), y))(t).LeaveOneOut()
		for i := range n {
			var others []int
			var rest []float64
			for j := range n {
				if j != i {
					others, rest = append(others, j), append(rest, y[j])
				}
			}
			m := modeltest.Must(g.Fit(learntest.Ctx, data.Gather[kernel.Vec](data.Rows(x), others), rest))(t)
			point := data.Slice[kernel.Vec]{x.RawRowView(i)}
			mean, v := modeltest.Predict(t, m, point)[0], modeltest.Variance(t, m, point)[0]+0.2
			learntest.Near(t, "mean", loo.Mean[i], mean, 1e-9)
			learntest.Near(t, "variance", loo.Variance[i], v, 1e-9)
			learntest.Near(t, "density", loo.LogDensity[i], -0.5*math.Log(2*math.Pi*v)-(y[i]-mean)*(y[i]-mean)/(2*v), 1e-9)
		}
	}
}

// A fitted mean is the limit of a constant kernel of large variance.
func TestGPFittedMeanIsAVaguePrior(t *testing.T) {
	x, y := learntest.Wave(25, 2, 23)
	z, _ := learntest.Wave(6, 2, 24)
	o := HyperOptions{FixedKernel: true}
	a := modeltest.Must(Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Noise: 0.1, FixedNoise: true, FitMean: true,
		HyperOptions: o}.Fit(learntest.Ctx, data.Rows(x), y))(t)
	vague := kernel.Sum[kernel.Vec](kernel.Gaussian{}, kernel.ConstantOf[kernel.Vec]{C: 1e6})
	b := modeltest.Must(Regression[kernel.Vec]{Kernel: vague, Noise: 0.1, FixedNoise: true,
		HyperOptions: o}.Fit(learntest.Ctx, data.Rows(x), y))(t)
	learntest.AllNear(t, "mean", modeltest.Predict(t, a, data.Rows(z)), modeltest.Predict(t, b, data.Rows(z)), 1e-5)
	learntest.AllNear(t, "variance", modeltest.Variance(t, a, data.Rows(z)), modeltest.Variance(t, b, data.Rows(z)), 1e-5)
	ca, cb := modeltest.Covariance(t, a, data.Rows(z)), modeltest.Covariance(t, b, data.Rows(z))
	for i := range 6 {
		learntest.AllNear(t, "covariance", ca.RawRowView(i), cb.RawRowView(i), 1e-5)
	}
}

func TestGPSamplesHaveTheirMoments(t *testing.T) {
	x, y := learntest.Wave(15, 1, 25)
	z := data.Rows(mat.NewDense(4, 1, []float64{-1, 0, 0.3, 2}))
	g := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Noise: 0.1, FixedNoise: true, Mean: 1,
		HyperOptions: HyperOptions{FixedKernel: true}}
	m := modeltest.Must(g.Fit(learntest.Ctx, data.Rows(x), y))(t)
	prior := mat.NewDense(4, 4, nil)
	kernel.Block[kernel.Vec](context.Background(), kernel.Gaussian{}, prior, z, z)
	const draws = 20000
	check := func(what string, s *mat.Dense, mean []float64, cov *mat.Dense) {
		t.Helper()
		for a := range 4 {
			sum := 0.0
			for i := range draws {
				sum += s.At(i, a)
			}
			learntest.Near(t, what+" mean", sum/draws, mean[a], 0.03)
			for b := range 4 {
				c := 0.0
				for i := range draws {
					c += (s.At(i, a) - mean[a]) * (s.At(i, b) - mean[b])
				}
				learntest.Near(t, what+" covariance", c/draws, cov.At(a, b), 0.04)
			}
		}
	}
	check("prior", modeltest.Must(g.SamplePrior(learntest.Ctx, z, draws, 3))(t), []float64{1, 1, 1, 1}, prior)
	check("posterior", modeltest.Must(m.Sample(learntest.Ctx, z, draws, 3))(t), modeltest.Predict(t, m, z),
		modeltest.Covariance(t, m, z))
	a, b := modeltest.Must(m.Sample(learntest.Ctx, z, 2, 9))(t), modeltest.Must(m.Sample(learntest.Ctx, z, 2, 9))(t)
	if !mat.Equal(a, b) {
		t.Error("the same seed drew other functions")
	}
}

// Without noise the values at training points are known: every draw has them, though the covariance
// there is 0 but for rounding.
func TestGPSamplesAtKnownPoints(t *testing.T) {
	for _, n := range []int{1, 3, 12} {
		x, y := learntest.Wave(n, 2, 32)
		g := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, NoNoise: true, HyperOptions: HyperOptions{FixedKernel: true}}
		m := modeltest.Must(g.Fit(learntest.Ctx, data.Rows(x), y))(t)
		draws := modeltest.Must(m.Sample(learntest.Ctx, data.Rows(x), 3, 1))(t)
		for i := range 3 {
			learntest.AllNear(t, "draw", draws.RawRowView(i), y, 1e-3)
		}
	}
}

func TestGPJitterIsReported(t *testing.T) {
	x := data.Slice[kernel.Vec]{{1}, {1}, {2}}
	m := modeltest.Must(Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, NoNoise: true,
		HyperOptions: HyperOptions{FixedKernel: true}}.Fit(learntest.Ctx, x, []float64{1, 1, 2}))(t)
	if m.Jitter() <= 0 || len(m.Report().Warnings) != 1 || !strings.Contains(m.Report().Warnings[0], "diagonal") {
		t.Errorf("jitter %g, warnings %q", m.Jitter(), m.Report().Warnings)
	}
	learntest.Near(t, "interpolation", modeltest.Predict(t, m, x)[2], 2, 1e-5)
}

func TestGPRecoversItsOwnParameters(t *testing.T) {
	rng, _ := learntest.Wave(150, 2, 26)
	x := data.Rows(rng)
	truth := kernel.Scale[kernel.Vec](2, kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{0.8, 30}})
	f := modeltest.Must(Regression[kernel.Vec]{Kernel: truth}.SamplePrior(learntest.Ctx, x, 1, 5))(t).RawRowView(0)
	noise := modeltest.Must(Regression[kernel.Vec]{Kernel: kernel.Scale[kernel.Vec](0.01,
		identity{})}.SamplePrior(learntest.Ctx, x, 1, 6))(t).RawRowView(0)
	for i := range f {
		f[i] += noise[i]
	}
	start := kernel.Scale[kernel.Vec](1, kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{2, 2}})
	m := modeltest.Must(Regression[kernel.Vec]{Kernel: start}.Fit(learntest.Ctx, x, f))(t)
	v := kernel.Values(m.Kernel())
	if v[1] < 0.5 || v[1] > 1.3 || v[2] < 8 || m.Noise() < 0.005 || m.Noise() > 0.02 {
		t.Errorf("parameters %v, noise %g", v, m.Noise())
	}
}

// identity is 1 for the same point: white noise.
type identity struct{}

func (identity) Eval(x, y kernel.Vec) float64 {
	for i := range x {
		if x[i] != y[i] {
			return 0
		}
	}
	return 1
}

func TestGPSameBitsAtAnyThreadCount(t *testing.T) {
	x, y := learntest.Wave(300, 3, 27)
	z, _ := learntest.Wave(20, 3, 28)
	var first []float64
	for _, threads := range datatest.Threads() {
		g := Regression[kernel.Vec]{Kernel: kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{1, 1, 1}},
			FitMean: true, HyperOptions: HyperOptions{MaxIterations: 5}}
		g.Threads = threads
		m := modeltest.Must(g.Fit(learntest.Ctx, data.Rows(x), y))(t)
		p := append(modeltest.Predict(t, m, data.Rows(z)), modeltest.Variance(t, m, data.Rows(z))...)
		if first == nil {
			first = p
		}
		for i := range p {
			if p[i] != first[i] {
				t.Fatalf("%d threads give %v at %d, 1 thread %v", threads, p[i], i, first[i])
			}
		}
	}
}

func TestGPCopiesCancelsAndRefuses(t *testing.T) {
	x, y := learntest.Wave(30, 2, 29)
	z, _ := learntest.Wave(5, 2, 30)
	g := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}}
	m := modeltest.Must(g.Fit(learntest.Ctx, data.Rows(x), y))(t)
	before := modeltest.Variance(t, m, data.Rows(z))
	x.Set(0, 0, 99)
	y[0] = -99
	learntest.AllNear(t, "after the data changed", modeltest.Variance(t, m, data.Rows(z)), before, 0)

	big, target := learntest.Wave(300, 3, 31)
	learntest.Cancels(t, func(ctx *learntest.Countdown) error {
		_, err := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Resources: learn.Resources{Threads: 1}}.Fit(ctx,
			data.Rows(big), target)
		return err
	})

	one := modeltest.Must(Regression[kernel.Vec]{Kernel: kernel.Gaussian{}}.Fit(learntest.Ctx, data.Slice[kernel.Vec]{{1}},
		[]float64{3}))(t)
	if v := modeltest.Predict(t, one, data.Slice[kernel.Vec]{{1}})[0]; math.IsNaN(v) {
		t.Error("one point gave NaN")
	}
	same := modeltest.Must(Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, FitMean: true}.Fit(learntest.Ctx,
		data.Slice[kernel.Vec]{{1}, {2}, {3}}, []float64{7, 7, 7}))(t)
	learntest.Near(t, "constant targets", modeltest.Predict(t, same, data.Slice[kernel.Vec]{{9}})[0], 7, 1e-9)
	for name, c := range map[string]struct {
		g    Regression[kernel.Vec]
		y    []float64
		says string
	}{
		"empty":   {Regression[kernel.Vec]{}, nil, "no points"},
		"NaN":     {Regression[kernel.Vec]{}, []float64{1, math.NaN()}, "row 1"},
		"noise":   {Regression[kernel.Vec]{Noise: -1}, []float64{1, 2}, "Noise is -1"},
		"own":     {Regression[kernel.Vec]{PointNoise: []float64{1}}, []float64{1, 2}, "1 noise variances"},
		"hold":    {Regression[kernel.Vec]{HyperOptions: HyperOptions{Hold: []string{"x"}}}, []float64{1, 2}, `"x"`},
		"budget":  {Regression[kernel.Vec]{Resources: learn.Resources{Bytes: 10}}, []float64{1, 2}, "budget"},
		"restart": {Regression[kernel.Vec]{HyperOptions: HyperOptions{Restarts: -1}}, []float64{1, 2}, "Restarts"},
	} {
		c.g.Kernel = kernel.Gaussian{}
		if _, err := c.g.Fit(learntest.Ctx, data.Slice[kernel.Vec]{{1}, {2}}[:len(c.y)], c.y); err == nil ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
}

// vectorsWith is withParams of a kernel on vectors.
func vectorsWith(k kernel.Kernel[kernel.Vec], theta []float64) kernel.Kernel[kernel.Vec] {
	at, _ := kernel.Typed[kernel.Vec](withParams(kernel.Erase(k), theta))
	return at
}
