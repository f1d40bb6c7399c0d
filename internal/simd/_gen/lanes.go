package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes writes arithmetic on whole vectors in registers avo allocates. Every
// method is one rounding (or none) per lane and means the same at every CPU
// level, so a function written with it gives the same bits at each; the Go reference
// repeats it operation by operation.
type lanes struct{ asm }

type val = reg.VecVirtual

// fresh is a register nobody uses.
func (l lanes) fresh() val {
	if l.bytes == 64 {
		return l.ZMM()
	}
	return l.YMM()
}

func (l lanes) wide() bool { return l.bytes == 64 }

// constant is a vector of v in every lane, in read-only memory.
func (l lanes) constant(v float64) operand.Mem {
	if l.bits == 64 {
		return l.pattern(math.Float64bits(v))
	}
	return l.pattern(uint64(math.Float32bits(float32(v))))
}

// pattern is a vector of the given bits in every lane, in read-only memory.
// A pattern is stored once per generated file, 64 bytes wide.
func (l lanes) pattern(bits uint64) operand.Mem {
	name := fmt.Sprintf("lanes%d_%x", l.bits, bits)
	if patterns[l.Context] == nil {
		patterns[l.Context] = map[string]operand.Mem{}
	}
	if m, ok := patterns[l.Context][name]; ok {
		return m
	}
	m := l.StaticGlobal(name)
	l.DataAttributes(attr.RODATA | attr.NOPTR)
	for range 512 / l.bits {
		if l.bits == 64 {
			l.AppendDatum(operand.U64(bits))
		} else {
			l.AppendDatum(operand.U32(bits))
		}
	}
	patterns[l.Context][name] = m
	return m
}

// load brings a memory vector into a register.
func (l lanes) load(m operand.Op) val { r := l.fresh(); l.move(m, r); return r }

func (l lanes) two(pd, ps form, a val, b operand.Op) val {
	r := l.fresh()
	l.pick(pd, ps)(b, a, r)
	return r
}

func (l lanes) plus(a val, b operand.Op) val  { return l.two(l.VADDPD, l.VADDPS, a, b) }
func (l lanes) minus(a val, b operand.Op) val { return l.two(l.VSUBPD, l.VSUBPS, a, b) }
func (l lanes) times(a val, b operand.Op) val { return l.two(l.VMULPD, l.VMULPS, a, b) }
func (l lanes) over(a val, b operand.Op) val  { return l.two(l.VDIVPD, l.VDIVPS, a, b) }
func (l lanes) bitAnd(a val, b operand.Op) val {
	return l.two(l.VANDPD, l.VANDPS, a, b)
}
func (l lanes) bitOr(a val, b operand.Op) val { return l.two(l.VORPD, l.VORPS, a, b) }

// least is b unless a < b; greatest is b unless a > b. A NaN in b stays.
func (l lanes) least(a val, b operand.Op) val    { return l.two(l.VMINPD, l.VMINPS, a, b) }
func (l lanes) greatest(a val, b operand.Op) val { return l.two(l.VMAXPD, l.VMAXPS, a, b) }

// clamp is x between low and high; NaN stays.
func (l lanes) clamp(x val, low, high float64) val {
	return l.least(l.load(l.constant(high)), l.greatest(l.load(l.constant(low)), x))
}

func (l lanes) root(a operand.Op) val {
	r := l.fresh()
	l.pick(l.VSQRTPD, l.VSQRTPS)(a, r)
	return r
}

// mulAdd is a·b + c in one rounding; addMul is c + a·b and subMul c - a·b with b possibly in memory.
func (l lanes) mulAdd(a, b val, c operand.Op) val {
	r := l.load(a)
	l.pick(l.VFMADD213PD, l.VFMADD213PS)(c, b, r)
	return r
}
func (l lanes) addMul(c, a val, b operand.Op) val {
	r := l.load(c)
	l.pick(l.VFMADD231PD, l.VFMADD231PS)(b, a, r)
	return r
}
func (l lanes) subMul(c, a val, b operand.Op) val {
	r := l.load(c)
	l.pick(l.VFNMADD231PD, l.VFNMADD231PS)(b, a, r)
	return r
}

// mulSub is a·b - c, the rounding error of c = a·b.
func (l lanes) mulSub(a val, b operand.Op, c val) val {
	r := l.load(c)
	l.pick(l.VFMSUB231PD, l.VFMSUB231PS)(b, a, r)
	return r
}

// horner is Σ c[i]·xⁱ.
func (l lanes) horner(c []float64, x val) val {
	p := l.load(l.constant(c[len(c)-1]))
	for i := len(c) - 2; i >= 0; i-- {
		l.pick(l.VFMADD213PD, l.VFMADD213PS)(l.constant(c[i]), x, p)
	}
	return p
}

// Integer arithmetic on the bits of lanes.
func (l lanes) intAdd(a val, b operand.Op) val { return l.two(l.VPADDQ, l.VPADDD, a, b) }
func (l lanes) shiftLeft(a val, n int) val {
	r := l.fresh()
	l.pick(l.VPSLLQ, l.VPSLLD)(operand.U8(n), a, r)
	return r
}
func (l lanes) shiftRight(a val, n int) val {
	r := l.fresh()
	l.pick(l.VPSRLQ, l.VPSRLD)(operand.U8(n), a, r)
	return r
}

// predicate of a comparison that is false on NaN.
type predicate int

const (
	equal predicate = 0x00
	less  predicate = 0x11
)

// choose is yes where a ? b holds, and no elsewhere.
func (l lanes) choose(p predicate, a val, b operand.Op, yes operand.Op, no val) val {
	r := l.fresh()
	if l.wide() {
		k := l.K()
		l.pick(l.VCMPPD, l.VCMPPS)(operand.U8(p), b, a, k)
		l.pick(l.VBLENDMPD, l.VBLENDMPS)(yes, no, k, r)
		return r
	}
	l.pick(l.VCMPPD, l.VCMPPS)(operand.U8(p), b, a, r)
	if l.bits == 64 {
		l.VBLENDVPD(r, yes, no, r)
	} else {
		l.VBLENDVPS(r, yes, no, r)
	}
	return r
}

// format describes the number format of the lanes.
type format struct {
	fraction  int     // bits of the fraction
	bias      int     // of the exponent
	roundBig  float64 // 1.5·2^fraction: adding it rounds to an integer in the low bits
	signBit   uint64
	minNormal float64
}

func (l lanes) format() format {
	if l.bits == 64 {
		return format{52, 1023, 0x1.8p52, 1 << 63, 0x1p-1022}
	}
	return format{23, 127, 0x1.8p23, 1 << 31, 0x1p-126}
}

// powerOfTwo is 2^k, for k held as roundBig + k.
func (l lanes) powerOfTwo(biased val) val {
	f := l.format()
	return l.intAdd(l.shiftLeft(biased, f.fraction), l.pattern(uint64(f.bias)<<f.fraction))
}

// scale is p·2^k for an integral k, rounded once (also to a denormal).
func (l lanes) scale(p, k val) val {
	if l.wide() {
		return l.two(l.VSCALEFPD, l.VSCALEFPS, p, k)
	}
	f := l.format()
	big := l.load(l.constant(f.roundBig))
	halfBiased := l.addMul(big, k, l.constant(0.5))
	rest := l.minus(k, l.minus(halfBiased, big))
	return l.times(l.times(p, l.powerOfTwo(halfBiased)), l.powerOfTwo(l.plus(rest, big)))
}

// withSignOf is |a| with the sign of x.
func (l lanes) withSignOf(a, x val) val {
	s := l.format().signBit
	return l.bitOr(l.bitAnd(a, l.pattern(s-1)), l.bitAnd(x, l.pattern(s)))
}

// absolute is |x|.
func (l lanes) absolute(x val) val { return l.bitAnd(x, l.pattern(l.format().signBit-1)) }
