package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// pow is |x|^p from a logarithm in twice the precision, and then the cases
// the parameters after p name. All its products of sums are double-double:
// a pair (high, low) stands for the unevaluated sum.
func (l lanes) pow(x val, s []val) val {
	p, negative, zero, infinite, flip := s[0], s[1], s[2], s[3], s[4]
	a := l.absolute(x)
	high, low := l.logPair(a)
	// e = p·log a.
	eHigh := l.times(high, p)
	eLow := l.addMul(l.mulSub(high, p, eHigh), low, p)
	y := l.expPair(l.clamp(eHigh, -750, 720), l.clamp(eLow, -1, 1))
	y = l.choose(less, x, l.constant(0), l.times(y, negative), y)
	sign := l.bitAnd(x, flip)
	y = l.choose(equal, a, l.constant(0), l.bitOr(zero, sign), y)
	y = l.choose(equal, a, l.constant(math.Inf(1)), l.bitOr(infinite, sign), y)
	return l.choose(equal, x, x, y, x)
}

// logPair is log x as a pair, for positive x.
func (l lanes) logPair(x val) (high, low val) {
	k, m := l.splitAny(x)
	two := l.constant(2)
	f := l.minus(m, l.constant(1))
	// s = f/(2+f).
	d := l.plus(f, two)
	dLow := l.minus(f, l.minus(d, two))
	inverse := l.over(l.number(1), d)
	s := l.times(f, inverse)
	sLow := l.times(l.subMul(l.subMul(f, s, d), s, dLow), inverse)
	// z = s².
	z := l.times(s, s)
	zLow := l.addMul(l.mulSub(s, s, z), l.plus(s, s), sLow)
	// b = z·(2/3 + z·tail).
	g := l.times(l.horner(powTail64, z), z)
	third := l.number(twoThirdsHigh64)
	q := l.plus(g, third)
	qLow := l.plus(l.plus(l.minus(third, q), g), l.constant(twoThirdsLow64))
	b := l.times(z, q)
	bLow := l.addMul(l.addMul(l.mulSub(z, q, b), z, qLow), zLow, q)
	// log m = s·(2 + b).
	c := l.plus(b, two)
	cLow := l.plus(l.plus(l.minus(l.number(2), c), b), bLow)
	t := l.times(s, c)
	tLow := l.addMul(l.addMul(l.mulSub(s, c, t), s, cLow), sLow, c)
	// log x = k·ln2 + log m.
	ln2 := l.constant(ln2High64)
	n := l.times(k, ln2)
	nLow := l.addMul(l.mulSub(k, ln2, n), k, l.constant(ln2Low64))
	high = l.plus(n, t)
	low = l.plus(l.minus(t, l.minus(high, n)), l.plus(nLow, tLow))
	return high, low
}

// expPair is exp(high + low).
func (l lanes) expPair(high, low val) val {
	c := l.fns()
	k, r0 := l.expReduce(high)
	low = l.subMul(low, k, l.constant(c.ln2Low))
	r := l.plus(r0, low)
	e := l.plus(l.minus(r0, r), low)
	w := l.addMul(e, l.times(r, r), l.horner(c.expTail, r))
	return l.scale(l.plus(l.plus(w, r), l.constant(1)), k)
}

// powInt multiplies by squaring, the bits of the exponent from the top: no
// power on the way is larger or smaller than the result.
func (l lanes) powInt() {
	l.function("powInt", "func(n int, dst, src *"+l.elem()+", p, top int)", l.name("powInt")+" is", "",
		"\tfor i := range n {", "\t\tr := src[i]", "\t\tfor b := top; b >= 0; b-- {", "\t\t\tr *= r",
		"\t\t\tif p>>b&1 != 0 {", "\t\t\t\tr *= src[i]", "\t\t\t}", "\t\t}", "\t\tdst[i] = r", "\t}")
	n, dst, src, p, top := l.loadInt("n"), l.loadInt("dst"), l.loadInt("src"), l.loadInt("p"), l.loadInt("top")
	bit := l.GP64()
	l.blocks(n, dst, src, func(l lanes, x val, label string) val {
		r := l.load(x)
		l.MOVQ(top, bit)
		l.Label(label + "bits")
		l.TESTQ(bit, bit)
		l.JS(operand.LabelRef(label + "power"))
		for i := range r {
			l.mul(r[i], r[i], r[i])
		}
		l.BTQ(bit, p)
		l.JCC(operand.LabelRef(label + "even"))
		for i := range r {
			l.mul(x[i], r[i], r[i])
		}
		l.Label(label + "even")
		l.DECQ(bit)
		l.JMP(operand.LabelRef(label + "bits"))
		l.Label(label + "power")
		return r
	})
}
