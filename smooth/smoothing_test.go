package smooth

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/integrate/quad"
)

func wave(seed uint64, n int) (x data.Slice[[]float64], t []float64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	for range n {
		v := rng.Float64() * 6
		x = append(x, []float64{v})
		t = append(t, math.Sin(v)+0.2*rng.NormFloat64())
	}
	return x, t
}

func TestNadarayaWatsonLeavesOutInClosedForm(t *testing.T) {
	ctx := context.Background()
	x, y := wave(1, 60)
	m, err := NadarayaWatson{}.Fit(ctx, x, y)
	if err != nil {
		t.Fatal(err)
	}
	own := 0.0
	h := m.Bandwidths()[0]
	for i := range y {
		rest, left := append(append(data.Slice[[]float64]{}, x[:i]...), x[i+1:]...),
			append(append([]float64{}, y[:i]...), y[i+1:]...)
		o, err := NadarayaWatson{Bandwidth: h}.Fit(ctx, rest, left)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := o.Predict(ctx, x[i:i+1])
		if r := m.Residuals()[i]; math.Abs(y[i]-p[0]-r) > 1e-10 {
			t.Fatalf("residual %d is %g, without the point %g", i, r, y[i]-p[0])
		}
		own += m.Residuals()[i] * m.Residuals()[i]
	}
	for _, f := range []float64{0.6, 0.8, 0.9, 1.1, 1.3, 1.6} {
		o, _ := NadarayaWatson{Bandwidth: f * h}.Fit(ctx, x, y)
		s := 0.0
		for _, r := range o.Residuals() {
			s += r * r
		}
		if s < own*(1-1e-6) {
			t.Errorf("%g times the chosen bandwidth has a smaller leave-one-out error: %g, not %g", f, s, own)
		}
	}
	// Far away the nearest target remains; a compact kernel says that it does not know.
	p, _ := m.Predict(ctx, data.Slice[[]float64]{{1e6}})
	last := 0
	for i := range x {
		if x[i][0] > x[last][0] {
			last = i
		}
	}
	if math.Abs(p[0]-y[last]) > 1e-9 {
		t.Errorf("far away %g, the nearest target is %g", p[0], y[last])
	}
	box, _ := NadarayaWatson{Smoother: density.Boxcar, Bandwidth: 1}.Fit(ctx, x, y)
	if p, _ := box.Predict(ctx, data.Slice[[]float64]{{1e6}}); !math.IsNaN(p[0]) {
		t.Errorf("out of reach of a compact kernel: %g", p[0])
	}
}

func TestConditionalDensity(t *testing.T) {
	ctx := context.Background()
	x, y := wave(2, 80)
	for _, s := range density.Smoothers() {
		m, err := NadarayaWatson{Smoother: s, Bandwidth: 0.8, TargetBandwidth: 0.3}.Fit(ctx, x, y)
		if err != nil {
			t.Fatal(err)
		}
		cs, err := m.Conditional(ctx, data.Slice[[]float64]{{2}})
		if err != nil {
			t.Fatal(err)
		}
		c := cs[0]
		p, _ := m.Predict(ctx, data.Slice[[]float64]{{2}})
		agree(t, s.String()+" mean", []float64{c.Mean()}, p, 1e-12)
		end := 3.0 // targets within ±2, and kernels of width 0.3 around them
		if s.Support() > 1 {
			end = 14
		}
		whole := panels(c.Density, -end, end, 300)
		mean := c.Mean()
		second := panels(func(v float64) float64 { return (v - mean) * (v - mean) * c.Density(v) }, -end, end, 300)
		agree(t, s.String()+" total and variance", []float64{whole, second}, []float64{1, c.Variance()}, 2e-3)
		for _, q := range []float64{0.05, 0.5, 0.9} {
			if v := c.CDF(c.Quantile(q)); math.Abs(v-q) > 1e-9 {
				t.Errorf("%v: CDF of the %g quantile is %g", s, q, v)
			}
		}
	}
}

func TestModesOfAConditional(t *testing.T) {
	c := Conditional{Shares: []float64{0.3, 0.7}, Centers: []float64{-2, 3}, Widths: []float64{0.5, 0.4}}
	agree(t, "modes", c.Modes(), []float64{3, -2}, 1e-6)
	one := Conditional{Shares: []float64{1}, Centers: []float64{5}, Widths: []float64{2}}
	agree(t, "one mode", one.Modes(), []float64{5}, 1e-6)
}

func TestLocalPolynomialsAreReproduced(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(4, 4))
	x := linalg.New[float64](150, 2)
	y := make([]float64, x.Rows)
	f := func(a, b float64, degree int) float64 {
		v := 1 + 2*a - b
		if degree > 1 {
			v += a*b - 0.5*a*a
		}
		if degree > 2 {
			v += a * a * b
		}
		return v
	}
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for degree := 1; degree <= 3; degree++ {
		for i := range y {
			y[i] = f(x.At(i, 0), x.At(i, 1), degree)
		}
		for _, s := range density.Smoothers() {
			m, err := LocalRegression{Smoother: s, Degree: degree, Bandwidth: 2.5}.Fit(ctx, data.RowsOf(x), y)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := m.Predict(ctx, data.Slice[[]float64]{{0.3, -0.2}, {1, 1}})
			agree(t, s.String(), got, []float64{f(0.3, -0.2, degree), f(1, 1, degree)}, 1e-8)
		}
	}
	// Degree 0 is Nadaraya-Watson.
	m, _ := LocalRegression{Bandwidth: 0.5}.Fit(ctx, data.RowsOf(x), y)
	w, _ := NadarayaWatson{Bandwidth: 0.5}.Fit(ctx, data.RowsOf(x), y)
	a, _ := m.Predict(ctx, data.RowsOf(x))
	b, _ := w.Predict(ctx, data.RowsOf(x))
	agree(t, "degree 0", a, b, 1e-10)
	// Duplicate inputs leave a line without a slope: the fit falls back to the mean.
	d, err := LocalRegression{Smoother: density.TriCube, Degree: 2, Span: 1}.Fit(ctx, column([]float64{1, 1, 1}),
		[]float64{1, 2, 6})
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "duplicates", d.Fitted(), []float64{3, 3, 3}, 1e-12)
}

func TestMixtureRegressionConditionsTheJointDensity(t *testing.T) {
	ctx := context.Background()
	x, y := wave(7, 300)
	m, err := MixtureRegression{density.Mixture{Components: 4, Seed: 2}}.Fit(ctx, x, y)
	if err != nil {
		t.Fatal(err)
	}
	at := 2.5
	cs, err := m.Conditional(ctx, data.Slice[[]float64]{{at}})
	if err != nil {
		t.Fatal(err)
	}
	joint := func(v float64) float64 {
		l, _ := m.Joint().LogDensity(ctx, data.Slice[[]float64]{{at, v}})
		return math.Exp(l[0])
	}
	margin := panels(joint, -10, 10, 400)
	for _, v := range []float64{-1, 0, 0.5, 1} {
		if got, want := cs[0].Density(v), joint(v)/margin; math.Abs(got-want) > 1e-8*(1+want) {
			t.Errorf("p(%g|%g) = %g, want %g", v, at, got, want)
		}
	}
	p, _ := m.Predict(ctx, data.Slice[[]float64]{{at}})
	if math.Abs(p[0]-math.Sin(at)) > 0.2 {
		t.Errorf("the prediction at %g is %g, the curve %g", at, p[0], math.Sin(at))
	}
}

func TestSmoothersRefuseBadInput(t *testing.T) {
	ctx := context.Background()
	good := data.Slice[[]float64]{{0, 1}, {1, 3}, {2, 2}, {5, 0}}
	for name, try := range map[string]func() error{
		"nw targets": func() error { _, err := (NadarayaWatson{}).Fit(ctx, good, []float64{1}); return err },
		"nw constant": func() error {
			_, err := (NadarayaWatson{}).Fit(ctx, column([]float64{1, 1, 1}), []float64{1, 2, 3})
			return err
		},
		"local no width": func() error { _, err := (LocalRegression{}).Fit(ctx, good, []float64{1, 2, 3, 4}); return err },
		"local NaN": func() error {
			_, err := (LocalRegression{Span: 1}).Fit(ctx, good, []float64{1, 2, 3, math.NaN()})
			return err
		},
	} {
		if err := try(); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// panels integrates f over [lo, hi] in n pieces.
func panels(f func(float64) float64, lo, hi float64, n int) float64 {
	s := 0.0
	for p := range n {
		a, b := float64(p)/float64(n), float64(p+1)/float64(n)
		s += quad.Fixed(f, lo+(hi-lo)*a, lo+(hi-lo)*b, 20, quad.Legendre{}, 0)
	}
	return s
}
