package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// scaleDown is scale for p between √½ and √2 and k that may lead below the
// normal numbers, with the same bits. An instruction whose result is denormal, or
// would be smaller still, takes the processor a hundred cycles and more, so that such lanes
// must not come to it. Vectors without any, the usual case, pay for the question alone.
func (l lanes) scaleDown(p, k val) val {
	limit := l.constant(float64(2 - l.format().bias)) // from here on p·2^k is normal
	least := val{k[0]}
	one := l
	one.together = 1
	for _, other := range k[1:] {
		least = one.least(least, val{other})
	}
	if l.wide() {
		m := l.K()
		l.pick(l.VCMPPD, l.VCMPPS)(operand.U8(less), limit, least[0], m)
		l.KORTESTW(m, m)
	} else {
		m, bits := l.fresh(), l.GP32()
		l.pick(l.VCMPPD, l.VCMPPS)(operand.U8(less), limit, least[0], m)
		if l.bits == 64 {
			l.VMOVMSKPD(m, bits)
		} else {
			l.VMOVMSKPS(m, bits)
		}
		l.TESTL(bits, bits)
	}
	l.JNZ(operand.LabelRef(l.label + "denormal"))
	out := l.load(l.scale(p, k))
	l.Label(l.label + "scaled")
	*l.later = append(*l.later, func() {
		l.Label(l.label + "denormal")
		for i := range out {
			one.scaleDenormal(p[i:i+1], k[i:i+1], out[i:i+1])
		}
		l.JMP(operand.LabelRef(l.label + "scaled"))
	})
	return out
}

// scaleDenormal sets out to p·2^k. A denormal number is a whole multiple of the
// smallest one, and its bits are that whole number. Lifted by 2^lift and added to the
// power of two whose last place is the lifted smallest number, p·2^k is rounded to such a multiple
// once, among normal numbers; the difference of the bits is the number of them.
func (l lanes) scaleDenormal(p, k, out val) {
	const lift = 100
	f := l.format()
	lifted := l.least(l.number(float64(2-f.bias)), k)
	t := l.times(p, l.powerOfTwo(l.plus(lifted, l.constant(f.roundBig+lift))))
	// One number is both the lifted smallest normal number and that power of two.
	edge := math.Ldexp(f.minNormal, lift)
	bits := math.Float64bits(edge)
	if l.bits == 32 {
		bits = uint64(math.Float32bits(float32(edge)))
	}
	small := l.intAdd(l.plus(t, l.constant(edge)), l.pattern(-bits&(1<<(l.bits-1)<<1-1)))
	if l.wide() {
		m := l.K()
		const notLess = 0x15 // and NaN
		l.pick(l.VCMPPD, l.VCMPPS)(operand.U8(notLess), l.constant(edge), t[0], m)
		l.move(small[0], out[0])
		l.pick(l.VSCALEFPD, l.VSCALEFPS)(k[0], p[0], m, out[0])
		return
	}
	// The other lanes as they were, and the small ones as a power of two that is normal.
	normal := l.scale(l.choose(less, t, l.constant(edge), l.constant(1), p), l.greatest(l.number(float64(1-f.bias)), k))
	l.move(l.choose(less, t, l.constant(edge), small, normal)[0], out[0])
}
