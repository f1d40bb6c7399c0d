package svmtool

import (
	"math"
	"math/big"
	"sync"
)

// A kernel value that differs in the last bit can send the search along another
// path, so exp and tanh are computed here as the C library does that LIBSVM
// was built with. Go's own are as good, but not the same.

// expTable holds, for k < 128, the number 2^(k/128) rounded (with k/128 taken
// off its exponent, as an integer) and the relative error of that rounding.
var expTable = sync.OnceValue(func() *[128]struct {
	bits uint64
	tail float64
} {
	var table [128]struct {
		bits uint64
		tail float64
	}
	const precision = 200
	step := big.NewFloat(2).SetPrec(precision)
	for range 7 {
		step.Sqrt(step)
	}
	power := big.NewFloat(1).SetPrec(precision)
	for k := range table {
		rounded, _ := power.Float64()
		ratio := new(big.Float).SetPrec(precision).Quo(power, big.NewFloat(rounded).SetPrec(precision))
		table[k].tail, _ = ratio.Sub(ratio, big.NewFloat(1)).Float64()
		table[k].bits = math.Float64bits(rounded) - uint64(k)<<45
		power.Mul(power, step)
	}
	return &table
})

// libmExp is exp of GNU's C library on a processor with fused multiply-add:
// x = (k/128)·ln 2 + r, and exp(x) = 2^(k/128)·(1 + r + r²/2 + …) with a polynomial of
// degree five (S. Nagy, ARM optimized routines, 2018).
func libmExp(x float64) float64 {
	if !(math.Abs(x) < 512) || math.Abs(x) < 0x1p-54 {
		return math.Exp(x) // tiny, or near to under- or overflow: single precision knows no difference
	}
	const (
		shift = 0x1.8p52
		ln2hi = -0x1.62e42fefa0000p-8
		ln2lo = -0x1.cf79abc9e3b39p-47
		c2    = 0x1.ffffffffffdbdp-2
		c3    = 0x1.555555555543cp-3
		c4    = 0x1.55555cf172b91p-5
		c5    = 0x1.1111167a4d017p-7
	)
	shifted := math.FMA(0x1.71547652b82fep0*128, x, shift)
	k := math.Float64bits(shifted)
	whole := shifted - shift
	r := math.FMA(whole, ln2lo, math.FMA(whole, ln2hi, x))
	entry := &expTable()[k%128]
	scale := math.Float64frombits(entry.bits + k<<45)
	r2 := r * r
	rest := math.FMA(r2*r2, math.FMA(r, c5, c4), math.FMA(r2, math.FMA(r, c3, c2), entry.tail+r))
	return math.FMA(scale, rest, scale)
}

// libmTanh is tanh of GNU's C library, by e^(2x) - 1.
func libmTanh(x float64) float64 {
	a := math.Abs(x)
	var z float64
	switch {
	case a >= 22:
		z = 1
	case a < 0x1p-55:
		return x
	case a >= 1:
		z = 1 - 2/(libmExpm1(2*a)+2)
	default:
		t := libmExpm1(-2 * a)
		z = -t / (t + 2)
	}
	return math.Copysign(z, x)
}

// libmExpm1 is expm1 of GNU's C library for the arguments that libmTanh has:
// the algorithm of fdlibm (Sun, 1993) with the polynomial summed in pairs.
func libmExpm1(x float64) float64 {
	const (
		ln2hi  = 6.93147180369123816490e-01
		ln2lo  = 1.90821492927058770002e-10
		invLn2 = 1.44269504088896338700e+00
		q1     = -3.33333333333331316428e-02
		q2     = 1.58730158725481460165e-03
		q3     = -7.93650757867487942473e-05
		q4     = 4.00821782732936239552e-06
		q5     = -2.01099218183624371326e-07
	)
	a := math.Abs(x)
	if a < 0x1p-54 {
		return x
	}
	k, c := 0, 0.0
	if a > 0.5*math.Ln2 {
		var hi, lo float64
		if a < 1.5*math.Ln2 {
			k = 1
			if x < 0 {
				k = -1
			}
			hi, lo = x-float64(k)*ln2hi, float64(k)*ln2lo
		} else {
			k = int(math.FMA(invLn2, x, math.Copysign(0.5, x)))
			t := float64(k)
			hi, lo = math.FMA(-t, ln2hi, x), t*ln2lo
		}
		x = hi - lo
		c = (hi - x) - lo
	}
	half := 0.5 * x
	h := x * half
	h2 := h * h
	h4 := h2 * h2
	r := math.FMA(h4, math.FMA(h, q5, q4), math.FMA(h2, math.FMA(h, q3, q2), math.FMA(h, q1, 1)))
	t := math.FMA(-r, half, 3)
	e := h * ((r - t) / math.FMA(-x, t, 6))
	if k == 0 {
		return x - math.FMA(x, e, -h)
	}
	e = math.FMA(x, e-c, -c)
	e -= h
	switch {
	case k == -1:
		return 0.5*(x-e) - 0.5
	case k == 1:
		if x < -0.25 {
			return -2 * (e - (x + 0.5))
		}
		return 1 + 2*(x-e)
	case k <= -2 || k > 56:
		return math.Ldexp(1-(e-x), k) - 1
	case k < 20:
		return math.Ldexp(1-math.Ldexp(1, -k)-(e-x), k)
	}
	return math.Ldexp(x-(e+math.Ldexp(1, -k))+1, k)
}
