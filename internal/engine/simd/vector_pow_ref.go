package simd

import "math"

// powCase says what x^p is where the logarithm of |x| does not tell.
type powCase struct {
	p        float64 // exponent, cut to ±2^70: beyond, x^p is 0, 1 or +Inf all the same
	negative float64 // x < 0 multiplies by this: 1 (p even), -1 (odd), NaN (no integer)
	zero     float64 // 0^p
	infinite float64 // (+Inf)^p
	flip     float64 // -0 (its bits are the sign bit) if p is odd: 0^p and Inf^p take the sign of x; else +0
}

// powCaseOf is for finite p ≠ 0.
func powCaseOf(p float64) powCase {
	c := powCase{p: clamp(p, -0x1p70, 0x1p70), negative: math.NaN(), zero: math.Inf(1), infinite: 0}
	if p > 0 {
		c.zero, c.infinite = 0, math.Inf(1)
	}
	if whole, part := math.Modf(p); part == 0 {
		c.negative = 1
		if math.Mod(whole, 2) != 0 {
			c.negative, c.flip = -1, math.Copysign(0, -1)
		}
	}
	return c
}

// pow is exp(p·log|x|), the logarithm and the product as pairs (high + low).
func (c *powCase) pow(x float64) float64 {
	a := math.Abs(x)
	sign := math.Copysign(1, x)
	switch {
	case x != x:
		return x
	case a == 0 || math.IsInf(a, 0):
		y := c.zero
		if a != 0 {
			y = c.infinite
		}
		if math.Signbit(c.flip) && sign < 0 {
			return -y
		}
		return y
	}
	high, low := logPair(a)
	eHigh := c.p * high
	eLow := fma(low, c.p, fma(high, c.p, -eHigh))
	y := expPair(clamp(eHigh, -750, 720), clamp(eLow, -1, 1))
	if x < 0 {
		return y * c.negative
	}
	return y
}

// logPair is log x to about 2^-65, as a sum of two, for positive finite x: with s = f/(2+f),
// log(1+f) = s·(2 + s²·(2/3 + s²·tail(s²))), where only the tail, which is less than 2^-12 of the
// whole, is computed in single numbers.
func logPair(x float64) (high, low float64) {
	k, m := constants64.splitAny(x)
	f := m - 1
	d := f + 2
	dLow := f - (d - 2)
	inverse := 1 / d
	s := float64(f * inverse)
	sLow := float64(fma(-s, dLow, fma(-s, d, f)) * inverse)
	z := float64(s * s)
	zLow := fma(s+s, sLow, fma(s, s, -z))
	g := float64(horner(powTail64, z) * z)
	q := g + twoThirdsHigh64
	qLow := (twoThirdsHigh64 - q) + g + twoThirdsLow64
	b := float64(z * q)
	bLow := fma(zLow, q, fma(z, qLow, fma(z, q, -b)))
	c := b + 2
	cLow := (2 - c) + b + bLow
	t := float64(s * c)
	tLow := fma(sLow, c, fma(s, cLow, fma(s, c, -t)))
	n := float64(k * ln2High64)
	nLow := fma(k, ln2Low64, fma(k, ln2High64, -n))
	high = n + t
	low = (t - (high - n)) + (nLow + tLow)
	return high, low
}

// expPair is exp(high + low), for |low| far below |high|.
func expPair(high, low float64) float64 {
	c := &constants64
	k, r0 := c.expReduce(high)
	low = fma(-k, c.ln2Low, low)
	r := r0 + low
	e := (r0 - r) + low
	w := fma(float64(r*r), horner(c.expTail, r), e)
	return c.scale((w+r)+1, k)
}

// powIntRef is x^p for p ≥ 1 by squaring, from the bit below p's highest, top.
func powIntRef[F Float](dst, src []F, p, top int) {
	for i, x := range src {
		r := x
		for b := top; b >= 0; b-- {
			r *= r
			if p>>b&1 != 0 {
				r *= x
			}
		}
		dst[i] = r
	}
}
