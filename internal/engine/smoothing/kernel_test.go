package smoothing

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

func reachOf(s Kernel) float64 {
	if s.Support() == 1 {
		return 1
	}
	return 45
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

func TestSmoothersIntegrateToOne(t *testing.T) {
	for _, s := range Kernels() {
		end := reachOf(s)
		if v := 2 * panels(s.Eval, 0, end, 30); math.Abs(v-1) > 1e-12 {
			t.Errorf("%v integrates to %g on the line", s, v)
		}
		if v := 2 * panels(func(u float64) float64 { return u * u * s.Eval(u) }, 0, end,
			30); math.Abs(v-s.Variance()) > 1e-11*v {
			t.Errorf("%v: variance %g, want %g", s, s.Variance(), v)
		}
		if v := 2 * panels(func(u float64) float64 { return s.Eval(u) * s.Eval(u) }, 0, end,
			30); math.Abs(v-s.Roughness()) > 1e-12*v {
			t.Errorf("%v: roughness %g, want %g", s, s.Roughness(), v)
		}
		for _, u := range []float64{-1.5, -0.7, -0.2, 0, 0.4, 0.9, 2} {
			lo := -end
			v := 0.0
			if u > lo {
				v = panels(s.Eval, lo, math.Min(u, 0), 30)
				if u > 0 {
					v += panels(s.Eval, 0, math.Min(u, end), 30)
				}
			}
			if math.Abs(v-s.CDF(u)) > 1e-10 {
				t.Errorf("%v: CDF(%g) = %g, want %g", s, u, s.CDF(u), v)
			}
		}
		// In the plane and in space, radial form, by integrals over Cartesian
		// coordinates of one quadrant or octant.
		c := math.Exp(s.LogNorm(2, false))
		plane := 4 * panels(func(a float64) float64 {
			edge := math.Sqrt(math.Max(0, end*end-a*a))
			return panels(func(b float64) float64 { return c * s.Shape(math.Hypot(a, b)) }, 0, edge, 12)
		}, 0, end, 60)
		if math.Abs(plane-1) > 1e-3 {
			t.Errorf("%v integrates to %g in the plane", s, plane)
		}
	}
}

func TestSmootherDrawsHaveItsMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const n = 40_000
	for _, s := range Kernels() {
		for _, d := range []int{1, 3} {
			for _, product := range []bool{false, true} {
				u := make([]float64, d)
				mean, square, fourth := 0.0, 0.0, 0.0
				for range n {
					s.Sample(u, product, rng)
					v := u[d-1]
					mean += v / n
					square += v * v / n
					fourth += v * v * v * v / n
				}
				want := s.variance(d, product)
				if math.Abs(mean) > 5*math.Sqrt(want/n) {
					t.Errorf("%v d=%d product %v: mean %g", s, d, product, mean)
				}
				if se := math.Sqrt((fourth - square*square) / n); math.Abs(square-want) > 5*se {
					t.Errorf("%v d=%d product %v: variance %g, want %g ± %g", s, d, product, square, want, se)
				}
			}
		}
	}
}

func TestAutocorrelationOfAKernel(t *testing.T) {
	for _, s := range Kernels() {
		// At zero it is the roughness, and it integrates to one.
		for _, d := range []int{1, 2} {
			o := NewAutocorrelation(s, d, false)
			if s == Gaussian {
				continue // closed form, in sum
			}
			if want := math.Exp(s.logRoughness(d, false)); math.Abs(o.at(0)-want) > 1e-3*want {
				t.Errorf("%v d=%d: at zero %g, want %g", s, d, o.at(0), want)
			}
			whole := panels(func(r float64) float64 {
				return math.Exp(logSphere(d)) * math.Pow(r, float64(d-1)) * o.at(r)
			}, 0, o.step*float64(len(o.table)-4), 60)
			if math.Abs(whole-1) > 2e-3 {
				t.Errorf("%v d=%d integrates to %g", s, d, whole)
			}
		}
	}
}

func TestParseSmoother(t *testing.T) {
	for _, s := range Kernels() {
		if got, err := Parse(s.String()); err != nil || got != s {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
	if _, err := Parse("gauss"); err == nil {
		t.Error("an unknown name was accepted")
	}
}
