package density

import (
	"math"
	"testing"
)

// Each name stands for its own formula.
func TestSmoothersAreWhatTheySay(t *testing.T) {
	const u = 0.6
	all := []struct {
		s     Smoother
		name  string
		value float64
	}{
		{Gaussian, "gaussian", math.Exp(-u*u/2) / math.Sqrt(2*math.Pi)},
		{Epanechnikov, "epanechnikov", 0.75 * (1 - u*u)},
		{TriCube, "tricube", 70. / 81 * math.Pow(1-u*u*u, 3)},
		{Boxcar, "boxcar", 0.5},
		{Biweight, "biweight", 15. / 16 * math.Pow(1-u*u, 2)},
		{Triweight, "triweight", 35. / 32 * math.Pow(1-u*u, 3)},
		{Triangular, "triangular", 1 - u},
		{Cosine, "cosine", math.Pi / 4 * math.Cos(math.Pi/2*u)},
		{Logistic, "logistic", 1 / (math.Exp(u) + 2 + math.Exp(-u))},
		{Exponential, "exponential", 0.5 * math.Exp(-u)},
	}
	if len(all) != len(Smoothers()) {
		t.Errorf("%d smoothers, %d formulas", len(Smoothers()), len(all))
	}
	for _, c := range all {
		if c.s.String() != c.name {
			t.Errorf("%q is called %q", c.name, c.s)
		}
		if got, err := ParseSmoother(c.name); err != nil || got != c.s {
			t.Errorf("%q is read as %v, %v", c.name, got, err)
		}
		for _, v := range []float64{u, -u} {
			if math.Abs(c.s.Eval(v)-c.value) > 1e-15 {
				t.Errorf("%s(%g) = %g, want %g", c.name, v, c.s.Eval(v), c.value)
			}
		}
	}
	if s := Smoother(-1); s.Valid() || s.String() != "Smoother(-1)" {
		t.Errorf("a smoother that is none: %v", s)
	}
}
