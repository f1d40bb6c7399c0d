package simd

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// accuracyCase is a function, its oracle, where to look and the bound stated.
type accuracyCase struct {
	name    string
	f64     func(dst, src []float64)
	f32     func(dst, src []float32)
	exact   func(*big.Float) *big.Float
	sample  func(r *rand.Rand) float64
	bound   float64 // float64
	bound32 float64
}

// between draws uniformly, near zero or at a place where the reduction of exp
// changes, a third each.
func between(low, high float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		x := low + (high-low)*r.Float64()
		switch r.IntN(3) {
		case 0:
			return x
		case 1:
			return math.Copysign(math.Exp2(-60*r.Float64()), x)
		}
		x = (math.Round(x/math.Ln2) + 0.5) * math.Ln2
		return x * (1 + 1e-9*(r.Float64()-0.5))
	}
}

// belowNormal draws where exp is denormal or nearly so in one of the formats.
func belowNormal(r *rand.Rand) float64 {
	if r.IntN(2) == 0 {
		return -746 + 39*r.Float64()
	}
	return -105 + 19*r.Float64()
}

// positive draws any exponent, near one, or between ½ and 2, a third each.
func positive(r *rand.Rand) float64 {
	switch r.IntN(3) {
	case 0:
		return math.Float64frombits(r.Uint64() >> 1 % (0x7ff << 52))
	case 1:
		return 1 + (r.Float64()-0.5)*math.Exp2(-50*r.Float64())
	}
	return 0.5 + 1.5*r.Float64()
}

func aboveMinusOne(r *rand.Rand) float64 {
	if r.IntN(2) == 0 {
		if x := positive(r) - 1; x > -1 {
			return x
		}
	}
	return math.Copysign(math.Exp2(-1073*r.Float64()), r.Float64()-0.5)
}

func around(low, high float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		return math.Exp(math.Log(low) + r.Float64()*(math.Log(high)-math.Log(low)))
	}
}

func pow64By(p float64) func(dst, src []float64) {
	return func(dst, src []float64) { Pow64(dst, src, p) }
}
func pow32By(p float64) func(dst, src []float32) {
	return func(dst, src []float32) { Pow32(dst, src, p) }
}
func powInt64By(p int) func(dst, src []float64) {
	return func(dst, src []float64) { PowInt64(dst, src, p) }
}
func powInt32By(p int) func(dst, src []float32) {
	return func(dst, src []float32) { PowInt32(dst, src, p) }
}

func bigReciprocal(x *big.Float) *big.Float { return newBig().Quo(bigOf(1), x) }
func bigSqrt(x *big.Float) *big.Float       { return newBig().Sqrt(x) }

var accuracyCases = []accuracyCase{
	{"exp", Exp64, exp32, bigExp, between(-746, 710), 1, 1},
	{"exp into denormals", Exp64, exp32, bigExp, belowNormal, 1, 1},
	{"tanh", Tanh64, Tanh32, bigTanh, between(-21, 21), 2, 2},
	{"log1p", Log1p64, Log1p32, bigLog1p, aboveMinusOne, 1, 1},
	{"sqrt", Sqrt64, Sqrt32, bigSqrt, positive, 0.5, 0.5},
	{"reciprocal", Reciprocal64, nil, bigReciprocal, positive, 0.5, 0.5},
	{"pow 0.5", pow64By(0.5), pow32By(0.5), bigPow(0.5), positive, 1, 0.51},
	{"pow -3.7", pow64By(-3.7), pow32By(-3.7), bigPow(-3.7), around(1e-90, 1e90), 1, 0.51},
	{"pow 1e-3", pow64By(1e-3), pow32By(1e-3), bigPow(1e-3), positive, 1, 0.51},
	{"pow 123.4", pow64By(123.4), pow32By(123.4), bigPow(123.4), around(2e-3, 3e2), 1, 0.51},
	{"pow 1e6", pow64By(1e6), pow32By(1e6), bigPow(1e6), around(0.9993, 1.0007), 1, 0.51},
	{"pow -7", powInt64By(-7), powInt32By(-7), bigPow(-7), around(1e-44, 1e46), 1, 0.51},
	{"pow 2", powInt64By(2), powInt32By(2), bigPowInt(2), around(1e-162, 1e154), 1, 1},
	{"pow 3", powInt64By(3), powInt32By(3), bigPowInt(3), around(1e-108, 1e103), 2, 2},
	{"pow 11", powInt64By(11), powInt32By(11), bigPowInt(11), around(3e-30, 1e28), 10, 10},
	{"pow 64", powInt64By(64), powInt32By(64), bigPowInt(64), around(1e-5, 6e4), 63, 63},
}

// Every level gives the reference's bits (vector_test.go), so the accuracy of
// the current one is that of all.
func TestVectorFunctionsKeepTheirBounds(t *testing.T) {
	n := datatest.Size(20000, 500)
	for _, c := range accuracyCases {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 7))
			x, x32 := make([]float64, n), make([]float32, n)
			for i := range x {
				x[i] = c.sample(r)
				x32[i] = float32(x[i])
				if x32[i] == 0 || math.IsInf(float64(x32[i]), 0) || c.name == "log1p" && x32[i] <= -1 {
					x32[i] = 0.5
				}
			}
			y, y32 := make([]float64, n), make([]float32, n)
			c.f64(y, x)
			if c.f32 != nil {
				c.f32(y32, x32)
			}
			var worst, worst32, at, at32 float64
			for i := range x {
				if u := double.ulps(y[i], c.exact(bigOf(x[i]))); u > worst {
					worst, at = u, x[i]
				}
				if c.f32 == nil {
					continue
				}
				if u := single.ulps(float64(y32[i]), c.exact(bigOf(float64(x32[i])))); u > worst32 {
					worst32, at32 = u, float64(x32[i])
				}
			}
			t.Logf("%-10s largest error %.3f ulp at %v; float32 %.3f at %v", c.name, worst, at, worst32, at32)
			if worst > c.bound || worst32 > c.bound32 {
				t.Errorf("bounds are %v and %v", c.bound, c.bound32)
			}
		})
	}
}
