package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/mercer-ml/mercer/kernel"
)

// Of indicators of sets it is |A∩B|/|A∪B|; a point with k(x, x) = 0 is like nothing.
func TestTanimotoOfSets(t *testing.T) {
	k := Tanimoto[Vec](Linear{})
	for _, c := range []struct {
		a, b Vec
		want float64
	}{
		{Vec{1, 1, 0, 0}, Vec{0, 1, 1, 1}, 0.25},
		{Vec{1, 1, 0, 0}, Vec{1, 1, 0, 0}, 1},
		{Vec{1, 0, 0, 0}, Vec{0, 1, 0, 0}, 0},
		{Vec{0, 0, 0, 0}, Vec{0, 1, 0, 0}, 0},
		{Vec{0, 0, 0, 0}, Vec{0, 0, 0, 0}, 0},
	} {
		if got := k.Eval(c.a, c.b); got != c.want {
			t.Errorf("%v and %v have %g in common, want %g", c.a, c.b, got, c.want)
		}
	}
}

// It is the geometric series of k/(k(x, x) + k(y, y)).
func TestTanimotoIsASeries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	in := Polynomial{Offset: 0.5, Degree: 3}
	k := Tanimoto[Vec](in)
	for range 50 {
		x, y := Vec{rng.NormFloat64(), rng.NormFloat64()}, Vec{rng.NormFloat64(), rng.NormFloat64()}
		q := in.Eval(x, y) / (in.Eval(x, x) + in.Eval(y, y))
		sum, term := 0.0, 1.0
		for range 200 {
			term *= q
			sum += term
		}
		if got := k.Eval(x, y); math.Abs(q) > 0.5 || math.Abs(got-sum) > 1e-14 {
			t.Errorf("%g, the series of %g is %g", got, q, sum)
		}
	}
}

// The frequencies of a stationary one have its values as mean cosines.
func TestTanimotoSpectrum(t *testing.T) {
	k := Tanimoto(Scale(3, Kernel[Vec](Gaussian{Lengthscale: 1.5})))
	s, err := SpectralOf(k, 2)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.Mass()-1) > 1e-12 {
		t.Errorf("mass %g, want 1", s.Mass())
	}
	rng := rand.New(rand.NewPCG(3, 4))
	x, w, mean := Vec{1, -0.7}, make(Vec, 2), 0.0
	const n = 200000
	for range n {
		s.SampleFrequency(w, rng)
		mean += math.Cos(w[0]*x[0]+w[1]*x[1]) / n
	}
	if want := k.Eval(x, Vec{0, 0}); math.Abs(mean-want) > 5/math.Sqrt(n) {
		t.Errorf("mean cosine %g, want %g", mean, want)
	}
}
