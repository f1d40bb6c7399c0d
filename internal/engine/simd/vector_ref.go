package simd

import "math"

// This file is the vector functions in plain Go: what runs without assembly,
// and what the assembly is compared with, bit for bit. Each line is one
// rounding, in the order of _gen/vector.go.
//
// Every product that is added to something is written as fma or rounded
// explicitly, F(a*b), since Go may otherwise fuse it on some machines.

// functionConstants are the constants of the functions in one format.
type functionConstants[F Float] struct {
	expTail, logTail       []F
	log2e, ln2High, ln2Low F
	expMin, expMax         F // beyond these exp is 0 and +Inf
	expm1Min               F // below this expm1 is -1
	expm1Power             F // beyond k of this, 1 - 2^-k is 1
	tanhMax                F // beyond this tanh is 1
	roundBig               F // 1.5·2^fraction: adding it rounds to an integer, in the low bits
	minNormal              F
	fraction, bias         int
	denormalPower          int // denormals times 2 to this are normal
	sqrtHalf               uint64
}

var (
	constants64 = functionConstants[float64]{
		expTail64, logTail64, log2e64, ln2High64, ln2Low64, -746, 710, -40, 60, 20,
		0x1.8p52, 0x1p-1022, 52, 1023, 54, math.Float64bits(sqrtHalf64),
	}
	constants32 = functionConstants[float32]{
		expTail32, logTail32, log2e32, ln2High32, ln2Low32, -104.5, 89, -20, 30, 10,
		0x1.8p23, 0x1p-126, 23, 127, 25, uint64(math.Float32bits(sqrtHalf32)),
	}
)

// horner is Σ c[i]·xⁱ.
func horner[F Float](c []F, x F) F {
	p := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		p = fma(p, x, c[i])
	}
	return p
}

// clamp is x between low and high; NaN stays.
func clamp[F Float](x, low, high F) F {
	if low > x {
		return low
	}
	if high < x {
		return high
	}
	return x
}

// powerOfTwo is 2^k for an integral k in the range of normal numbers.
func (c *functionConstants[F]) powerOfTwo(k F) F {
	return fromBits[F](uint64(int(k)+c.bias) << c.fraction)
}

// scale is p·2^k, for an integral k, rounded once: the first product is exact.
func (c *functionConstants[F]) scale(p, k F) F {
	if k != k {
		return k
	}
	half := F(math.RoundToEven(float64(k) / 2))
	return p * c.powerOfTwo(half) * c.powerOfTwo(k-half)
}

// expReduce is k = round(x/ln2) and x - k·ln2High, which is exact (Cody and Waite 1980, with fma).
func (c *functionConstants[F]) expReduce(x F) (k, r0 F) {
	k = fma(x, c.log2e, c.roundBig) - c.roundBig
	return k, fma(-k, c.ln2High, x)
}

// exp is 2^k·(1 + (r + r²·q(r))).
func (c *functionConstants[F]) exp(x F) F {
	k, r := c.expReduce(clamp(x, c.expMin, c.expMax))
	r = fma(-k, c.ln2Low, r)
	p := fma(horner(c.expTail, r), F(r*r), r) + 1
	return c.scale(p, k)
}

// expm1Core is 2^k·(s + r + w), s = 1 - 2^-k, r + w = eʳ-1 with what rounding r
// lost; s + r is summed with its error (|s| ≥ |r| or s = 0). It may lose the sign of zero.
func (c *functionConstants[F]) expm1Core(x F) F {
	k, r0 := c.expReduce(clamp(x, c.expm1Min, c.expMax))
	if k != k {
		return k
	}
	r := fma(-k, c.ln2Low, r0)
	e := fma(-k, c.ln2Low, r0-r)
	w := fma(F(r*r), horner(c.expTail, r), e)
	s := 1 - c.powerOfTwo(-min(k, c.expm1Power))
	high := s + r
	lost := r - (high - s)
	return c.scale(high+(lost+w), k)
}

// tanh is e/(e+2) with e = exp(2|x|)-1, and the sign of x.
func (c *functionConstants[F]) tanh(x F) F {
	a := clamp(copySign(x, 1), 0, c.tanhMax)
	e := c.expm1Core(a + a)
	return copySign(e/(e+2), x)
}

// split is x = 2^k·m with m between √½ and √2, for positive normal x.
func (c *functionConstants[F]) split(x F) (k, m F) {
	one := uint64(c.bias) << c.fraction
	shifted := toBits(x) + (one - c.sqrtHalf)
	m = fromBits[F](shifted&(1<<c.fraction-1) + c.sqrtHalf)
	return F(int(shifted>>c.fraction) - c.bias), m
}

// splitAny is split for denormals too.
func (c *functionConstants[F]) splitAny(x F) (k, m F) {
	if x < c.minNormal {
		k, m = c.split(x * F(uint64(1)<<c.denormalPower))
		return k - F(c.denormalPower), m
	}
	return c.split(x)
}

// logSum is k·ln2 + log(1+f) + extra. With s = f/(2+f), log(1+f) = 2·atanh(s) =
// f - (f²/2 - s·(f²/2 + R)), where the rounded terms are small beside the exact f
// (the arrangement of fdlibm's e_log.c).
func (c *functionConstants[F]) logSum(k, f, extra F) F {
	s := f / (2 + f)
	z := F(s * s)
	half := F(F(f*f) * 0.5)
	w := F(s * fma(horner(c.logTail, z), z, half))
	w = fma(k, c.ln2Low, w) + extra
	return fma(k, c.ln2High, f-(half-w))
}

// logSpecial is log x where that needs no arithmetic.
func logSpecial[F Float](x, zero F) (y F, special bool) {
	switch {
	case x != x || x > 0 && x == x+x:
		return x, true
	case x < zero:
		return F(math.NaN()), true
	case x == zero:
		return F(math.Inf(-1)), true
	}
	return 0, false
}

// log1p is log(u) + lost/u, u = 1+x rounded; where u needs no reduction, f is x itself.
func (c *functionConstants[F]) log1p(x F) F {
	if x == 0 {
		return x
	}
	if y, special := logSpecial(x, -1); special {
		return y
	}
	u := 1 + x
	b := u - 1
	lost := (1 - (u - b)) + (x - b)
	k, m := c.split(u)
	if k == 0 {
		return c.logSum(k, x, 0)
	}
	return c.logSum(k, m-1, lost/u)
}

// each applies f to every element.
func each[F Float](dst, src []F, f func(F) F) {
	for i, x := range src {
		dst[i] = f(x)
	}
}

// constantsOf is the constants for F.
func constantsOf[F Float]() *functionConstants[F] {
	if c, ok := any(&constants64).(*functionConstants[F]); ok {
		return c
	}
	return any(&constants32).(*functionConstants[F])
}

func expRef[F Float](dst, src []F)   { each(dst, src, constantsOf[F]().exp) }
func tanhRef[F Float](dst, src []F)  { each(dst, src, constantsOf[F]().tanh) }
func log1pRef[F Float](dst, src []F) { each(dst, src, constantsOf[F]().log1p) }

func scaleExpRef[F Float](dst, src []F, a F) {
	c := constantsOf[F]()
	for i, x := range src {
		dst[i] = c.exp(a * x)
	}
}

func sqrtRef[F Float](dst, src []F) {
	for i, x := range src {
		dst[i] = F(math.Sqrt(float64(x)))
	}
}

func reciprocalRef[F Float](dst, src []F) {
	for i, x := range src {
		dst[i] = 1 / x
	}
}

func affineRef[F Float](dst, src []F, a, b F) {
	for i, x := range src {
		dst[i] = fma(a, x, b)
	}
}

func powRef(dst, src []float64, c *powCase) { each(dst, src, c.pow) }
