package gp

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// line is n points on a line and counts of a rate that moves along it.
func line(n int, seed uint64) (data.Points[any], []float64) {
	rng := rand.New(rand.NewPCG(seed, 31))
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		v := 6*rng.Float64() - 3
		x.Set(i, 0, v)
		for rate, p := math.Exp(1.5+math.Sin(2*v)), rng.Float64(); p > 0; y[i]++ { // by inversion
			p -= math.Exp(-rate + y[i]*math.Log(rate) - lgamma(y[i]+1))
		}
		y[i]--
	}
	return data.Erase[kernel.Vec](data.Rows(x)), y
}

func lgamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

// outlying is a smooth signal with little noise, and every ninth row far off.
func outlying(n int, seed uint64) (x data.Points[any], y, signal []float64) {
	rng := rand.New(rand.NewPCG(seed, 37))
	rows := mat.NewDense(n, 1, nil)
	for i := range n {
		v := 6*rng.Float64() - 3
		rows.Set(i, 0, v)
		signal = append(signal, math.Sin(2*v))
		y = append(y, signal[i]+0.1*rng.NormFloat64())
		if i%9 == 4 {
			y[i] += 3 + 2*rng.Float64()
		}
	}
	return data.Erase[kernel.Vec](data.Rows(rows)), y, signal
}

func scaled(variance, length float64) kernel.Kernel[any] {
	return kernel.Erase(kernel.Scale[kernel.Vec](variance, kernel.Gaussian{Lengthscale: length}))
}

// The derivatives by f and by log σ are differences, and the parabola of above lies below log p.
func TestLikelihoodSlopes(t *testing.T) {
	const h = 1e-5
	for _, l := range []likelihood{{kind: Poisson}, {kind: Student, scale: 0.7, df: 4},
		{kind: Student, scale: 2, df: 30}} {
		for _, y := range []float64{0, 1, 7} {
			for _, f := range []float64{-2, 0.3, 1.9} {
				v, d1, d2, d3 := l.at(y, f)
				up, u1, u2, _ := l.at(y, f+h)
				down, w1, w2, _ := l.at(y, f-h)
				learntest.Near(t, "first", d1, (up-down)/(2*h), 1e-7)
				learntest.Near(t, "second", d2, (u1-w1)/(2*h), 1e-7)
				learntest.Near(t, "third", d3, (u2-w2)/(2*h), 1e-7)
				if l.kind == Poisson {
					continue
				}
				a, b := l, l
				a.scale, b.scale = l.scale*math.Exp(h), l.scale*math.Exp(-h)
				av, a1, a2, _ := a.at(y, f)
				bv, b1, b2, _ := b.at(y, f)
				s0, s1, s2 := l.byScale(y, f)
				learntest.Near(t, "by scale", s0, (av-bv)/(2*h), 1e-7)
				learntest.Near(t, "slope by scale", s1, (a1-b1)/(2*h), 1e-7)
				learntest.Near(t, "curvature by scale", s2, (a2-b2)/(2*h), 1e-7)
				for _, step := range []float64{-3, -0.5, 0.5, 3} {
					at, _, _, _ := l.at(y, f+step)
					if below := v + d1*step - 0.5*l.above(y, f)*step*step; below > at+1e-12 {
						t.Errorf("parabola %g above log p %g", below, at)
					}
				}
			}
		}
	}
}

// Predictive probabilities of counts add up to 1, with the mean and variance said, and quantiles
// are those of their sums; Student's densities integrate to their distribution function.
func TestLikelihoodPredictive(t *testing.T) {
	for _, at := range [][2]float64{{0.5, 0}, {1.2, 0.04}, {2, 0.5}, {-1, 1}, {4, 0.01}} {
		l := likelihood{kind: Poisson}
		total, mean, square := 0.0, 0.0, 0.0
		want, _, all := l.moments(at[0], at[1])
		var sums []float64
		for y := 0; total < 1-1e-9 && y < 4000; y++ {
			p := math.Exp(l.logDensity(float64(y), at[0], at[1]))
			total, mean, square = total+p, mean+p*float64(y), square+p*float64(y)*float64(y)
			sums = append(sums, total)
		}
		learntest.Near(t, "total", total, 1, 1e-7)
		learntest.Near(t, "mean", mean, want, 1e-5)
		learntest.Near(t, "variance", square-mean*mean, all, 1e-4)
		for _, p := range []float64{0.05, 0.5, 0.95} {
			q := int(l.quantile(p, at[0], at[1]))
			if q < 0 || sums[q] < p-1e-9 || q > 0 && sums[q-1] >= p+1e-9 {
				t.Errorf("quantile %g is %d at %v", p, q, at)
			}
		}
	}
	l := likelihood{kind: Student, scale: 0.3, df: 4}
	const m, v, h = 1.0, 0.2, 1e-2
	sum := l.cdf(-5, m, v)
	for y := -5.0; y < 3; y += h {
		sum += h * math.Exp(l.logDensity(y+h/2, m, v))
	}
	learntest.Near(t, "distribution function", l.cdf(3, m, v), sum, 1e-4)
	learntest.Near(t, "quantile", l.cdf(l.quantile(0.9, m, v), m, v), 0.9, 1e-8)
	learntest.Near(t, "median", l.quantile(0.5, m, v), m, 1e-6)
}

// With one and two rows the mode, the curvature there and so the evidence are found by brute force
// on a grid; with many counts in a row it is the integral itself.
func TestLaplaceByBruteForce(t *testing.T) {
	for _, l := range []likelihood{{kind: Poisson}, {kind: Student, scale: 0.5, df: 4}} {
		for _, y := range [][]float64{{3}, {0}, {2, 5}, {1, 1}} {
			n := len(y)
			x := data.Erase[kernel.Vec](data.Slice[kernel.Vec]{{0}, {0.7}}[:n])
			k := scaled(0.8, 1.1)
			p := Laplace{Kernel: k, Likelihood: l.kind, Scale: l.scale, Mean: 0.4}
			e := modeltest.Must(p.Evidence(learntest.Ctx, x, y))(t)
			var gram mat.SymDense
			dense := mat.NewDense(n, n, nil)
			if err := kernel.Block(learntest.Ctx, k, dense, x, x); err != nil {
				t.Fatal(err)
			}
			gram = *mat.NewSymDense(n, dense.RawMatrix().Data)
			var chol mat.Cholesky
			if !chol.Factorize(&gram) {
				t.Fatal("not definite")
			}
			psi := func(f []float64) float64 { // log p(y|f) + log N(f; b, K), constants of the prior left out
				r, s := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
				sum := 0.0
				for i := range f {
					v, _, _, _ := l.at(y[i], f[i])
					sum += v
					r.SetVec(i, f[i]-0.4)
				}
				if err := chol.SolveVecTo(s, r); err != nil {
					t.Fatal(err)
				}
				return sum - 0.5*mat.Dot(r, s)
			}
			f := make([]float64, n)
			for step := 0.5; step > 1e-9; { // a walk uphill along the coordinates
				moved := false
				for i := range f {
					for _, by := range []float64{-step, step} {
						at := psi(f)
						f[i] += by
						if psi(f) > at {
							moved = true
						} else {
							f[i] -= by
						}
					}
				}
				if !moved {
					step /= 2
				}
			}
			h, b := mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
			for i := range n {
				_, _, d2, _ := l.at(y[i], f[i])
				h.SetSym(i, i, -d2)
			}
			b.Mul(dense, h) // |I + KW|
			for i := range n {
				b.Set(i, i, 1+b.At(i, i))
			}
			learntest.Near(t, "evidence", e.LogMarginal, psi(f)-0.5*math.Log(mat.Det(b)), 1e-7)
		}
	}
	x := data.Erase[kernel.Vec](data.Slice[kernel.Vec]{{0}})
	e := modeltest.Must(Laplace{Kernel: scaled(0.3, 1), Likelihood: Poisson, Mean: 6}.Evidence(learntest.Ctx, x,
		[]float64{420}))(t)
	learntest.Near(t, "integral", e.LogMarginal, likelihood{kind: Poisson}.logDensity(420, 6, 0.3), 1e-3)
}

// Student's likelihood of many degrees of freedom is normal: evidence, means and deviations are
// those of Regression.
func TestStudentOfManyDegreesIsNormal(t *testing.T) {
	x, y, _ := outlying(25, 1)
	k := scaled(0.9, 0.8)
	want := modeltest.Must(Regression[any]{Kernel: k, Noise: 0.16, FixedNoise: true,
		HyperOptions: HyperOptions{FixedKernel: true}}.Fit(learntest.Ctx, x, y))(t)
	got := modeltest.Must(Laplace{Kernel: k, Likelihood: Student, Scale: 0.4, FixedScale: true, DF: 1e9,
		HyperOptions: HyperOptions{FixedKernel: true}}.Fit(learntest.Ctx, x, y))(t)
	learntest.Near(t, "evidence", got.LogMarginal(), want.LogMarginal(), 1e-5)
	learntest.AllNear(t, "means", modeltest.Must(got.Predict(learntest.Ctx, x))(t),
		modeltest.Must(want.Predict(learntest.Ctx, x))(t), 1e-6)
	learntest.AllNear(t, "deviations", modeltest.Must(got.ObservationStd(learntest.Ctx, x))(t),
		modeltest.Must(want.ObservationStd(learntest.Ctx, x))(t), 1e-6)
	learntest.AllNear(t, "densities", modeltest.Must(got.LogDensity(learntest.Ctx, x, y))(t),
		modeltest.Must(want.LogDensity(learntest.Ctx, x, y))(t), 1e-5)
}

// Derivatives of the approximate evidence are differences, with and without weights.
func TestLaplaceEvidenceSlopes(t *testing.T) {
	counts, y := line(14, 2)
	values, z, _ := outlying(14, 3)
	weights := []float64{1, 2, 1, 0.5, 1, 1, 3, 1, 1, 0, 1, 1, 2, 1}
	for _, w := range [][]float64{nil, weights} {
		for _, kind := range []Likelihood{Poisson, Student} {
			x, y := counts, y
			theta := []float64{0.9, 0.8, 1.1, 0.3} // variance, length, mean, scale
			if kind == Student {
				x, y = values, z
			}
			problem := func() *laplaceProblem {
				return modeltest.Must(Laplace{Kernel: scaled(theta[0], theta[1]), Likelihood: kind, Scale: theta[3], Mean: theta[2],
					Weights: w}.problem(x, y))(t)
			}
			grad := make([]float64, 4)
			p := problem()
			if _, err := p.evaluate(learntest.Ctx, theta, grad, []bool{true, true}); err != nil {
				t.Fatal(err)
			}
			for i := range theta {
				if kind == Poisson && i == 3 {
					continue
				}
				const h = 1e-5
				old := theta[i]
				theta[i] = old + h
				up, err := p.evaluate(learntest.Ctx, theta, make([]float64, 4), []bool{false, false})
				if err != nil {
					t.Fatal(err)
				}
				theta[i] = old - h
				down, err := p.evaluate(learntest.Ctx, theta, make([]float64, 4), []bool{false, false})
				if err != nil {
					t.Fatal(err)
				}
				theta[i] = old
				learntest.Near(t, kind.String(), grad[i], (up-down)/(2*h), 1e-4)
			}
		}
	}
}

// A row of weight 2 is two rows, one of weight 0 none; any number of threads gives the same bits.
func TestLaplaceWeightsAndThreads(t *testing.T) {
	counts, c := line(12, 4)
	values, v, _ := outlying(12, 5)
	for _, kind := range []Likelihood{Poisson, Student} {
		x, y := counts, c
		if kind == Student {
			x, y = values, v
		}
		var rows []int
		weights := make([]float64, 12)
		for i := range weights {
			weights[i] = float64(i % 3)
			for range i % 3 {
				rows = append(rows, i)
			}
		}
		l := Laplace{Kernel: scaled(1, 1), Likelihood: kind, Scale: 0.3, FixedScale: true, Mean: 0.5,
			HyperOptions: HyperOptions{FixedKernel: true}}
		twice := modeltest.Must(l.Fit(learntest.Ctx, data.Gather(x, rows), data.Take(y, rows)))(t)
		l.Weights = weights
		once := modeltest.Must(l.Fit(learntest.Ctx, x, y))(t)
		learntest.Near(t, "evidence", once.LogMarginal(), twice.LogMarginal(), 1e-5)
		learntest.AllNear(t, "means", modeltest.Must(once.Predict(learntest.Ctx, x))(t),
			modeltest.Must(twice.Predict(learntest.Ctx, x))(t), 1e-4)
		l.Weights = nil
		var first []float64
		for _, threads := range []int{1, 2, 8} {
			l.Threads = threads
			m := modeltest.Must(l.Fit(learntest.Ctx, x, y))(t)
			std := modeltest.Must(m.ObservationStd(learntest.Ctx, x))(t)
			if first == nil {
				first = std
			}
			for i := range std {
				if std[i] != first[i] {
					t.Fatalf("other bits with %d threads", threads)
				}
			}
		}
	}
}

// Counts are predicted better, in the log probability of rows held out, than by a normal
// likelihood; intervals hold their share; a robust process is nearer to the signal under outliers
// than a normal one.
func TestLaplaceEarnsItsKeep(t *testing.T) {
	x, y := line(80, 6)
	fresh, truth := line(300, 7)
	m := modeltest.Must(Laplace{Kernel: scaled(1, 1), Likelihood: Poisson, FitMean: true}.Fit(learntest.Ctx, x, y))(t)
	normal := modeltest.Must(Regression[any]{Kernel: scaled(10, 1), FitMean: true}.Fit(learntest.Ctx, x, y))(t)
	a, b := modeltest.Must(m.LogDensity(learntest.Ctx, fresh, truth))(t),
		modeltest.Must(normal.LogDensity(learntest.Ctx, fresh, truth))(t)
	if learn.Mean(a, nil) < learn.Mean(b, nil)+0.05 {
		t.Errorf("log probability %.4g of counts, log density %.4g of a normal likelihood", learn.Mean(a, nil),
			learn.Mean(b, nil))
	}
	low, high, err := m.Interval(learntest.Ctx, fresh, 0.9, false)
	if err != nil {
		t.Fatal(err)
	}
	inside := 0
	for i, v := range truth {
		if low[i] != math.Trunc(low[i]) || low[i] < 0 || high[i] < low[i] {
			t.Fatalf("interval %g to %g of counts", low[i], high[i])
		}
		if v >= low[i] && v <= high[i] {
			inside++
		}
	}
	if inside < 258 || inside > 299 { // 0.86 to 0.997: whole numbers hold a little more than asked for
		t.Errorf("%d of 300 inside intervals for 0.9", inside)
	}
	for seed := range uint64(3) {
		x, y, _ := outlying(70, 10+seed)
		fresh, _, signal := outlying(200, 20+seed)
		robust := modeltest.Must(Laplace{Kernel: scaled(1, 1), Likelihood: Student, FitMean: true}.Fit(learntest.Ctx, x,
			y))(t)
		normal := modeltest.Must(Regression[any]{Kernel: scaled(1, 1), FitMean: true}.Fit(learntest.Ctx, x, y))(t)
		off := func(said []float64) float64 {
			sum := 0.0
			for i, v := range said {
				sum += (v - signal[i]) * (v - signal[i])
			}
			return sum / float64(len(said))
		}
		r, n := off(modeltest.Must(robust.Predict(learntest.Ctx, fresh))(t)),
			off(modeltest.Must(normal.Predict(learntest.Ctx, fresh))(t))
		if !(r < 0.3*n) {
			t.Errorf("seed %d: mean squared error %.4g of student, %.4g of normal", seed, r, n)
		}
		if s := robust.Scale(); s < 0.03 || s > 0.3 {
			t.Errorf("seed %d: scale %.3g", seed, s)
		}
	}
}

// What is written down is what was fitted; what cannot be is refused; one row is no fault.
func TestLaplaceSavedAndRefused(t *testing.T) {
	x, y := line(10, 8)
	for _, kind := range []Likelihood{Poisson, Student} {
		m := modeltest.Must(Laplace{Kernel: scaled(1, 1), Likelihood: kind, FitMean: true}.Fit(learntest.Ctx, x, y))(t)
		back := modeltest.Must(restoreLaplace(kind)(m.Saved()))(t).(*LaplaceRegressor)
		learntest.AllNear(t, "densities", modeltest.Must(back.LogDensity(learntest.Ctx, x, y))(t),
			modeltest.Must(m.LogDensity(learntest.Ctx, x, y))(t), 0)
		s := m.Saved()
		delete(s.Arrays, "precision")
		if _, err := restoreLaplace(kind)(s); err == nil {
			t.Error("restored without its precision")
		}
		modeltest.Must(Laplace{Kernel: scaled(1, 1), Likelihood: kind, FitMean: true}.Fit(learntest.Ctx,
			data.Gather(x, []int{0}), y[:1]))(t)
		modeltest.Must(Laplace{Kernel: scaled(1, 1), Likelihood: kind, FitMean: true}.Fit(learntest.Ctx, x,
			make([]float64, 10)))(t)
	}
	half := append([]float64{0.5}, y[1:]...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, err := range map[string]error{
		"half a count": second(Laplace{Kernel: scaled(1, 1)}.Fit(learntest.Ctx, x, half)),
		"below 0":      second(Laplace{Kernel: scaled(1, 1)}.Fit(learntest.Ctx, x, append([]float64{-1}, y[1:]...))),
		"df":           second(Laplace{Kernel: scaled(1, 1), Likelihood: Student, DF: 2}.Fit(learntest.Ctx, x, y)),
		"scale":        second(Laplace{Kernel: scaled(1, 1), Likelihood: Student, Scale: -1}.Fit(learntest.Ctx, x, y)),
		"likelihood":   second(Laplace{Kernel: scaled(1, 1), Likelihood: 7}.Fit(learntest.Ctx, x, y)),
		"weights":      second(Laplace{Kernel: scaled(1, 1), Weights: []float64{1}}.Fit(learntest.Ctx, x, y)),
		"budget":       second(Laplace{Kernel: scaled(1, 1), Resources: learn.Resources{Bytes: 10}}.Fit(learntest.Ctx, x, y)),
		"rows":         second(Laplace{Kernel: scaled(1, 1)}.Fit(learntest.Ctx, x, y[:3])),
		"cancelled":    second(Laplace{Kernel: scaled(1, 1)}.Fit(ctx, x, y)),
	} {
		if err == nil || !strings.Contains(err.Error(), "gp: ") && name != "cancelled" {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := learn.Problem[any]{Points: x, Task: data.Regression, Y: y}
	several, noisy := p, p
	several.More, noisy.Noise = [][]float64{y}, make([]float64, 10)
	fit := Learners()[0].Fit
	set := func(params map[string]float64) learn.Settings {
		return learn.Settings{Kernel: scaled(1, 1), Params: params}
	}
	for name, err := range map[string]error{
		"several":     second(fit(learntest.Ctx, set(map[string]float64{"likelihood": 1}), several)),
		"row noise":   second(fit(learntest.Ctx, set(map[string]float64{"likelihood": 2}), noisy)),
		"noise":       second(fit(learntest.Ctx, set(map[string]float64{"likelihood": 1, "noise": 1}), p)),
		"df":          second(fit(learntest.Ctx, set(map[string]float64{"df": 5}), p)),
		"few degrees": second(fit(learntest.Ctx, set(map[string]float64{"likelihood": 2, "df": 1}), p)),
		"joint":       second(fit(learntest.Ctx, set(map[string]float64{"outputs": 1}), p)),
		"rank":        second(fit(learntest.Ctx, set(map[string]float64{"rank": 1}), several)),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	modeltest.Must(fit(learntest.Ctx, set(map[string]float64{"likelihood": 1}), p))(t)
	modeltest.Must(fit(learntest.Ctx, set(map[string]float64{"likelihood": 2, "df": 5}), p))(t)
}
