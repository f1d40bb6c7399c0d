package density

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"gonum.org/v1/gonum/mat"
)

func cloud(seed uint64, n, d int) linalg.Matrix[float64] {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := linalg.New[float64](n, d)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	for i := 0; i < n; i += 3 { // a second, narrow cluster
		for j := range m.Row(i) {
			m.Row(i)[j] = 2 + 0.2*m.Row(i)[j]
		}
	}
	return m
}

// plainDensity is the definition as a double loop.
func plainDensity(c KDE, m *KDEModel, q []float64) float64 {
	d := len(q)
	var chol mat.Cholesky
	chol.Factorize(m.BandwidthMatrix())
	var l mat.TriDense
	chol.LTo(&l)
	det, radial := 1.0, math.Exp(c.Smoother.kernel().LogNorm(d, false))
	for j := range d {
		det *= l.At(j, j)
	}
	sum := 0.0
	u := make([]float64, d)
	for i := range m.x.Rows {
		norm := 0.0
		for j := range d {
			u[j] = q[j] - m.x.At(i, j)
			for k := range j {
				u[j] -= l.At(j, k) * u[k]
			}
			u[j] /= l.At(j, j)
			norm += u[j] * u[j]
		}
		w, scale := 1/float64(m.x.Rows), 1.0
		if m.weights != nil {
			w = m.weights[i]
		}
		if m.scales != nil {
			scale = m.scales[i]
		}
		k := 1.0
		if c.Product {
			for j := range d {
				k *= c.Smoother.Eval(u[j] / scale)
			}
		} else {
			k = c.Smoother.kernel().Shape(math.Sqrt(norm)/scale) * radial
		}
		sum += w * k / math.Pow(scale, float64(d)) / det
	}
	return sum
}

func TestKDEEqualsTheDoubleLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	dims := []int{1, 2, 3, 5, 14}
	if testing.Short() {
		dims = []int{1, 3, 14}
	}
	for _, d := range dims {
		x := cloud(uint64(d), datatest.Size(500, 250), d)
		q := cloud(uint64(d)+50, 12, d)
		tol := 1e-12
		if d >= smoothing.ProductDim {
			tol = 1e-10 // distances by a matrix product, magnified near the edge of a compact kernel
		}
		weights := make([]float64, x.Rows)
		for i := range weights {
			weights[i] = rng.Float64()
		}
		full := mat.NewSymDense(d, nil)
		for i := range d {
			for j := range i + 1 {
				full.SetSym(i, j, 0.1)
			}
			full.SetSym(i, i, 0.5+0.1*float64(i))
		}
		for _, s := range Smoothers() {
			for name, c := range map[string]KDE{
				"one width": {Bandwidth: 0.6}, "product": {Bandwidth: 0.8, Product: true},
				"weights": {Bandwidth: 0.6, Weights: weights},
				"full":    {BandwidthMatrix: full}, "adaptive": {Bandwidth: 0.7, Adaptive: 0.5, Weights: weights},
				"adaptive product": {Bandwidth: 0.7, Adaptive: 0.5, Product: true},
			} {
				if d == 14 && c.Adaptive != 0 && s.Support() == 1 {
					continue // points without neighbours are too wide to compare
				}
				c.Smoother = s
				var want []float64 // whatever the method
				for _, method := range []Method{Auto, Brute, Tree} {
					c.Method = method
					m, err := c.Fit(context.Background(), data.RowsOf(x))
					if err != nil {
						t.Fatalf("%v %s: %v", s, name, err)
					}
					got, err := m.Density(context.Background(), data.RowsOf(q))
					if err != nil {
						t.Fatal(err)
					}
					for i, v := range got {
						if len(want) == i {
							want = append(want, plainDensity(c, m, q.Row(i)))
						}
						if math.Abs(v-want[i]) > tol*want[i] {
							t.Fatalf("d=%d %v %s method %d: query %d is %g, want %g", d, s, name, method, i, v, want[i])
						}
					}
				}
			}
		}
	}
}

func TestKDEMethodsHonourTheirTolerance(t *testing.T) {
	ctx, turn := context.Background(), 0
	for _, d := range []int{1, 2, 3} {
		x, q := cloud(9, 4000, d), cloud(10, 100, d)
		for i := 0; i < q.Rows; i += 10 { // some far away
			for j := range q.Row(i) {
				q.Row(i)[j] *= 4
			}
		}
		for _, h := range []float64{0.05, 0.3, 2} {
			exact, err := KDE{Bandwidth: h, Method: Brute}.Fit(ctx, data.RowsOf(x))
			if err != nil {
				t.Fatal(err)
			}
			want, _ := exact.Density(ctx, data.RowsOf(q))
			for _, c := range []KDE{
				{RelTol: 1e-2}, {RelTol: 1e-4}, {RelTol: 1e-8}, {AbsTol: 1e-3}, {AbsTol: 1e-6}, {RelTol: 1e-5, AbsTol: 1e-7}, {},
			} {
				for _, method := range []Method{Tree, FastGauss, Binned} {
					if method == Binned && d > 1 {
						continue
					}
					if turn++; testing.Short() && turn%4 > 0 {
						continue // a fourth of them, others for each width
					}
					c.Bandwidth, c.Method = h, method
					m, err := c.Fit(ctx, data.RowsOf(x))
					if err != nil {
						t.Fatal(err)
					}
					got, err := m.Density(ctx, data.RowsOf(q))
					if err != nil {
						t.Fatal(err)
					}
					for i, v := range got {
						if math.Abs(v-want[i]) > (c.RelTol+1e-13)*want[i]+c.AbsTol {
							t.Errorf("d=%d h=%g method %d rtol %g atol %g: query %d is %g, exactly %g", d, h, method, c.RelTol, c.AbsTol, i,
								v, want[i])
							break
						}
					}
				}
			}
		}
	}
}

func TestBinnedSumOfEveryKernelThatAllowsIt(t *testing.T) {
	ctx := context.Background()
	x, q := cloud(11, 3000, 1), cloud(12, 200, 1)
	for _, s := range Smoothers() {
		c := KDE{Smoother: s, Bandwidth: 0.4, AbsTol: 1e-5, Method: Binned}
		m, err := c.Fit(ctx, data.RowsOf(x))
		if math.IsInf(s.kernel().Curvature(), 1) {
			if err == nil {
				t.Errorf("%v: a kernel with a kink was accepted", s)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, _ := m.Density(ctx, data.RowsOf(q))
		for i, v := range got {
			if want := plainDensity(c, m, q.Row(i)); math.Abs(v-want) > 1e-5 {
				t.Fatalf("%v: query %d is %g, want %g", s, i, v, want)
			}
		}
		// The bound of the second derivative is what the guarantee stands on.
		for u := 0.0; u < 1; u += 1e-3 {
			const e = 1e-4
			if d2 := (s.kernel().Shape(u+e) - 2*s.kernel().Shape(u) + s.kernel().Shape(math.Abs(u-e))) / (e * e); math.Abs(d2) > s.kernel().Curvature()*(1+1e-6) {
				t.Fatalf("%v: |shape''(%g)| is %g, above %g", s, u, d2, s.kernel().Curvature())
			}
		}
	}
}

func TestLogDensityDoesNotUnderflow(t *testing.T) {
	ctx := context.Background()
	for _, method := range []Method{Auto, Brute, Tree, FastGauss, Binned} {
		x := linalg.New[float64](600, 1)
		for i := range x.Rows {
			x.Set(i, 0, float64(i)/600)
		}
		m, err := KDE{Bandwidth: 0.01, Method: method}.Fit(ctx, data.RowsOf(x))
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.LogDensity(ctx, data.Slice[[]float64]{{1e3}})
		if err != nil {
			t.Fatal(err)
		}
		// log Σ exp(-(1000-xᵢ)²/2h²)/(n·h·√2π), the largest term taken out
		top := -math.Pow((1000-x.At(599, 0))/0.01, 2) / 2
		s := 0.0
		for i := range 600 {
			s += math.Exp(-math.Pow((1000-x.At(i, 0))/0.01, 2)/2 - top)
		}
		want := top + math.Log(s) - math.Log(600*0.01*math.Sqrt(2*math.Pi))
		if math.Abs(got[0]-want) > 1e-9*math.Abs(want) {
			t.Errorf("method %d: log-density %g, want %g", method, got[0], want)
		}
	}
}

func TestKDESameBitsAtAnyThreadCount(t *testing.T) {
	ctx := context.Background()
	x, q := cloud(21, 800, 2), cloud(22, 500, 2)
	for _, c := range []KDE{{Method: Brute}, {Method: Tree}, {Method: FastGauss, RelTol: 1e-6}, {Rule: LikelihoodRule},
		{Adaptive: 0.5}} {
		var first []float64
		for _, threads := range []int{1, 2, 5} {
			c.Threads = threads
			m, err := c.Fit(ctx, data.RowsOf(x))
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.LogDensity(ctx, data.RowsOf(q))
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			for i, v := range got {
				if math.Float64bits(v) != math.Float64bits(first[i]) {
					t.Fatalf("%+v: query %d differs with %d threads", c, i, threads)
				}
			}
		}
	}
}

func TestKDECancels(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := cloud(1, 2000, 2)
	m, err := KDE{Bandwidth: 1}.Fit(context.Background(), data.RowsOf(x))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.LogDensity(ctx, data.RowsOf(x)); err == nil {
		t.Error("a cancelled context gave a result")
	}
	if _, err := (KDE{Rule: LikelihoodRule}).Fit(ctx, data.RowsOf(x)); err == nil {
		t.Error("a cancelled context gave a bandwidth")
	}
}

func BenchmarkKDE(b *testing.B) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(5, 5))
	x, q := linalg.New[float64](100_000, 2), linalg.New[float64](10_000, 2)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for i := range q.Data {
		q.Data[i] = rng.NormFloat64()
	}
	for _, c := range []KDE{{Method: Brute}, {Method: Tree}, {Method: Tree, RelTol: 1e-4},
		{Method: FastGauss, RelTol: 1e-4}, {Method: FastGauss, RelTol: 1e-12}} {
		c.Bandwidth = 0.15
		m, err := c.Fit(ctx, data.RowsOf(x))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("method=%d/rtol=%g", c.Method, c.RelTol), func(b *testing.B) {
			for range b.N {
				m.LogDensity(ctx, data.RowsOf(q))
			}
		})
	}
}
