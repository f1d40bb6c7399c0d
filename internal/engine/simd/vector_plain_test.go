package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ulps is how many numbers lie between a and b.
func ulps(a, b float64) float64 {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return 0
	}
	return math.Abs(a-b) / (math.Nextafter(math.Abs(b), math.Inf(1)) - math.Abs(b))
}

func TestPlainExpIsWithinRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	src := []float64{0, math.Copysign(0, -1), 1, -1, 709, 709.78, 710, 1e300, -708, -708.5, -745.1, -746, -1e300,
		math.Inf(1), math.Inf(-1), math.NaN(), 1e-300, -1e-17, 0x1p-1074}
	for range 200000 {
		src = append(src, 1500*rng.Float64()-750, 2*rng.Float64()-1, -40*rng.Float64())
	}
	want, got := make([]float64, len(src)), make([]float64, len(src))
	expRef(want, src)
	expPlainTo(got, src)
	worst := 0.0
	for i, x := range src {
		u := ulps(got[i], want[i])
		if worst = max(worst, u); !(u <= 2) {
			t.Fatalf("exp(%g) = %g, the reference has %g: %g ulp apart", x, got[i], want[i], u)
		}
	}
	if worst == 0 {
		t.Error("no difference at all: the reference was compared with itself")
	}
	scaled := make([]float64, len(src))
	scaleExpPlainTo(scaled, src, 1)
	for i := range scaled {
		if ulps(scaled[i], got[i]) != 0 {
			t.Fatalf("exp(1·%g) = %g but exp has %g", src[i], scaled[i], got[i])
		}
	}
}

func TestPlainScaleExp32IsWithinRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	src := make([]float32, 20000)
	for i := range src {
		src[i] = 180*rng.Float32() - 90
	}
	want, got := make([]float32, len(src)), make([]float32, len(src))
	scaleExpRef(want, src, -0.7)
	scaleExpPlainTo(got, src, -0.7)
	for i, x := range src {
		if d := math.Abs(float64(got[i]) - float64(want[i])); d > 0x1p-23*math.Abs(float64(want[i])) && d > 0x1p-149 {
			t.Fatalf("exp(-0.7·%g) = %g, the reference has %g", x, got[i], want[i])
		}
	}
}

func TestPlainFMAIsWithinRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	number := func() float64 {
		return math.Ldexp(2*rng.Float64()-1, rng.IntN(120)-60)
	}
	for range 200000 {
		a, b := number(), number()
		c := number()
		if rng.IntN(2) == 0 {
			c = -a * b * (1 + 0x1p-50*(2*rng.Float64()-1)) // almost all cancels
		}
		want := math.FMA(a, b, c)
		if got := fmaPlain(a, b, c); !(ulps(got, want) <= 1) {
			t.Fatalf("%g·%g + %g = %g, rounded once %g", a, b, c, got, want)
		}
	}
	for _, v := range [][3]float64{{1e200, 1e200, -1}, {1e308, 1e-308, 1}, {math.Inf(1), 1, 2}, {math.NaN(), 1, 2},
		{0, 5, 7}, {1e308, 2, -1e308}} {
		want := float64(v[0]*v[1]) + v[2] // the plain sum, product rounded
		if got := fmaPlain(v[0], v[1], v[2]); !(ulps(got, want) <= 1) {
			t.Errorf("%g·%g + %g = %g, want %g", v[0], v[1], v[2], got, want)
		}
	}
}

func TestPlainAffine(t *testing.T) {
	src := []float64{0, 1, -2.5, 1e10}
	got := make([]float64, len(src))
	affinePlainTo(got, src, 3, -1)
	for i, x := range src {
		if got[i] != 3*x-1 {
			t.Errorf("3·%g − 1 = %g", x, got[i])
		}
	}
}
