package main

import (
	"math"

	"github.com/mmcloughlin/avo/build"
)

// vector generates the elementwise functions; vector_ref.go of the simd
// package is the same arithmetic in Go and says why each step is there.
func vector(c *build.Context) {
	for _, v := range vecs {
		// As many vectors together as the register file holds.
		four, two := 4, 2
		if v.bytes == 32 {
			four, two = 2, 1
		}
		one, few, many := lanes{asm: asm{c, v}, together: 1}, lanes{asm: asm{c, v}, together: two},
			lanes{asm: asm{c, v}, together: four}
		plain := func(f func(lanes, val) val) func(lanes, val, []val) val {
			return func(l lanes, x val, _ []val) val { return f(l, x) }
		}
		many.elementwise("scaleExp", "exp(a*src[i])", []string{"a"},
			func(l lanes, x val, s []val) val { return l.exp(l.times(x, s[0])) })
		few.elementwise("tanh", "tanh(src[i])", nil, plain(lanes.tanh))
		few.elementwise("log1p", "log(1+src[i])", nil, plain(lanes.log1p))
		many.elementwise("sqrt", "sqrt(src[i])", nil, plain(func(l lanes, x val) val { return l.root(x) }))
		many.elementwise("affine", "fma(a, src[i], b)", []string{"a", "b"},
			func(l lanes, x val, s []val) val { return l.mulAdd(x, s[0], s[1]) })
		many.powInt()
		if v.bits == 64 { // what nobody asks for in single precision
			many.elementwise("exp", "exp(src[i])", nil, plain(lanes.exp))
			many.elementwise("reciprocal", "1/src[i]", nil, plain(func(l lanes, x val) val { return l.over(l.number(1), x) }))
			one.elementwise("pow", "pow(src[i], p), see powCase for the other parameters",
				[]string{"p", "negative", "zero", "infinite", "flip"}, lanes.pow)
		}
	}
}

// fns are the constants of the functions in one format.
type fns struct {
	expTail, logTail              []float64
	log2e, ln2High, ln2Low        float64
	expMin, expMax                float64 // beyond these exp is 0 and +Inf
	expm1Min, expm1Power, tanhMax float64
	denormalPower                 int // denormals times 2 to this are normal
	sqrtHalf                      uint64
}

func (l lanes) fns() fns {
	if l.bits == 64 {
		return fns{expTail64, logTail64, log2e64, ln2High64, ln2Low64, -746, 710, -40, 60, 20, 54,
			math.Float64bits(sqrtHalf64)}
	}
	return fns{widen(expTail32), widen(logTail32), log2e32, ln2High32, ln2Low32, -104.5, 89, -20, 30, 10, 25,
		uint64(math.Float32bits(sqrtHalf32))}
}

func widen(c []float32) []float64 {
	w := make([]float64, len(c))
	for i, v := range c {
		w[i] = float64(v)
	}
	return w
}

// expReduce splits x = k·ln2 + r0 + …, |r0| ≤ ln2/2: k is integral, r0 =
// x - k·ln2High is exact, and k·ln2Low is left to subtract.
func (l lanes) expReduce(x val) (k, r0 val) {
	c := l.fns()
	big := l.constant(l.format().roundBig)
	k = l.minus(l.addMul(l.number(l.format().roundBig), x, l.constant(c.log2e)), big)
	return k, l.subMul(x, k, l.constant(c.ln2High))
}

func (l lanes) exp(x val) val {
	c := l.fns()
	k, r := l.expReduce(l.clamp(x, c.expMin, c.expMax))
	r = l.subMul(r, k, l.constant(c.ln2Low))
	q := l.horner(c.expTail, r)
	p := l.plus(l.mulAdd(q, l.times(r, r), r), l.constant(1))
	return l.scaleDown(p, k)
}

// expm1 without care for the sign of zero.
func (l lanes) expm1Core(x val) val {
	c := l.fns()
	k, r0 := l.expReduce(l.clamp(x, c.expm1Min, c.expMax))
	low := l.constant(c.ln2Low)
	r := l.subMul(r0, k, low)
	e := l.subMul(l.minus(r0, r), k, low)
	w := l.addMul(e, l.times(r, r), l.horner(c.expTail, r))
	// 2^k·(s + r + w) with s = 1 - 2^-k, where 2^-k no longer counts beyond expm1Power.
	small := l.least(l.number(c.expm1Power), k)
	s := l.minus(l.number(1), l.powerOfTwo(l.minus(l.number(l.format().roundBig), small)))
	high := l.plus(s, r)
	lost := l.minus(r, l.minus(high, s))
	return l.scale(l.plus(high, l.plus(lost, w)), k)
}

func (l lanes) tanh(x val) val {
	a := l.least(l.number(l.fns().tanhMax), l.absolute(x))
	e := l.expm1Core(l.plus(a, a))
	return l.withSignOf(l.over(e, l.plus(e, l.constant(2))), x)
}

// split is x = 2^k·m with m between √½ and √2, for positive normal x.
func (l lanes) split(x val) (k, m val) {
	f, root := l.format(), l.fns().sqrtHalf
	one := uint64(f.bias) << f.fraction
	shifted := l.intAdd(x, l.pattern(one-root))
	m = l.intAdd(l.bitAnd(shifted, l.pattern(1<<f.fraction-1)), l.pattern(root))
	// The exponent as the low bits of a number with unit spacing, less bias.
	unit := math.Ldexp(1, f.fraction)
	bits := math.Float64bits(unit)
	if l.bits == 32 {
		bits = uint64(math.Float32bits(float32(unit)))
	}
	k = l.minus(l.bitOr(l.shiftRight(shifted, f.fraction), l.pattern(bits)), l.constant(unit+float64(f.bias)))
	return k, m
}

// splitAny is split for denormals too.
func (l lanes) splitAny(x val) (k, m val) {
	d := l.fns().denormalPower
	tiny := l.constant(l.format().minNormal)
	normal := l.choose(less, x, tiny, l.times(x, l.constant(math.Ldexp(1, d))), x)
	k, m = l.split(normal)
	return l.choose(less, x, tiny, l.plus(k, l.constant(-float64(d))), k), m
}

// logSum is k·ln2 + log(1+f) + extra.
func (l lanes) logSum(k, f val, extra *val) val {
	c := l.fns()
	s := l.over(f, l.plus(f, l.constant(2)))
	z := l.times(s, s)
	half := l.times(l.times(f, f), l.constant(0.5))
	t := l.mulAdd(l.horner(c.logTail, z), z, half)
	w := l.times(s, t)
	w = l.addMul(w, k, l.constant(c.ln2Low))
	if extra != nil {
		w = l.plus(w, *extra)
	}
	return l.addMul(l.minus(f, l.minus(half, w)), k, l.constant(c.ln2High))
}

// logSpecials is y, but -Inf where x is zero, NaN where it is less, and x
// where that is +Inf or NaN.
func (l lanes) logSpecials(y, x val, zero float64) val {
	at := l.constant(zero)
	y = l.choose(equal, x, at, l.constant(math.Inf(-1)), y)
	y = l.choose(less, x, at, l.constant(math.NaN()), y)
	return l.choose(less, x, l.constant(math.Inf(1)), y, x)
}

func (l lanes) log1p(x val) val {
	one := l.number(1)
	u := l.plus(one, x)
	b := l.minus(u, one)
	lost := l.plus(l.minus(one, l.minus(u, b)), l.minus(x, b))
	k, m := l.split(u)
	zero := l.constant(0)
	f := l.choose(equal, k, zero, x, l.minus(m, one))
	extra := l.choose(equal, k, zero, zero, l.over(lost, u))
	y := l.logSum(k, f, &extra)
	y = l.logSpecials(y, x, -1)
	return l.choose(equal, x, zero, x, y)
}
