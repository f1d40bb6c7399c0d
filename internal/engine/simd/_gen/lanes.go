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
type lanes struct {
	asm
	together int // vectors that go through a function at once
	// Where a function branches: a prefix for its labels, and what is written after the
	// return, out of the way.
	label string
	later *[]func()
}

// val is one value in each of several vectors that go through a function
// together, so that one's instructions fill the latency of the others'.
type val []reg.VecVirtual

// arg is a val, or an operand.Mem with the same vector for all.
type arg any

// of is what vector i of the argument a is.
func of(a arg, i int) operand.Op {
	switch a := a.(type) {
	case val:
		if len(a) == 1 {
			return a[0] // the same for all
		}
		return a[i]
	case operand.Mem:
		return a
	}
	panic("neither a val nor memory")
}

// fresh is a register nobody uses.
func (l lanes) fresh() reg.VecVirtual {
	if l.bytes == 64 {
		return l.ZMM()
	}
	return l.YMM()
}

// each emits an instruction for every vector, with its own new register.
func (l lanes) each(emit func(i int, r operand.Op)) val {
	v := make(val, l.together)
	for i := range v {
		v[i] = l.fresh()
		emit(i, v[i])
	}
	return v
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

// load brings a memory vector, or a copy of a val, into registers.
func (l lanes) load(m arg) val {
	return l.each(func(i int, r operand.Op) { l.move(of(m, i), r) })
}

// shared brings a constant into one register that stands for all vectors. A
// single vector reads it from memory where it is used.
func (l lanes) shared(m operand.Mem) arg {
	if l.together == 1 {
		return m
	}
	r := l.fresh()
	l.move(m, r)
	return val{r}
}

// number is a val that holds the constant v.
func (l lanes) number(v float64) val {
	r := l.fresh()
	l.move(l.constant(v), r)
	return val{r}
}

func (l lanes) two(pd, ps form, a val, b arg) val {
	return l.each(func(i int, r operand.Op) { l.pick(pd, ps)(of(b, i), of(a, i), r) })
}

func (l lanes) plus(a val, b arg) val   { return l.two(l.VADDPD, l.VADDPS, a, b) }
func (l lanes) minus(a val, b arg) val  { return l.two(l.VSUBPD, l.VSUBPS, a, b) }
func (l lanes) times(a val, b arg) val  { return l.two(l.VMULPD, l.VMULPS, a, b) }
func (l lanes) over(a val, b arg) val   { return l.two(l.VDIVPD, l.VDIVPS, a, b) }
func (l lanes) bitAnd(a val, b arg) val { return l.two(l.VANDPD, l.VANDPS, a, b) }
func (l lanes) bitOr(a val, b arg) val  { return l.two(l.VORPD, l.VORPS, a, b) }

// least is b unless a < b; greatest is b unless a > b. A NaN in b stays.
func (l lanes) least(a val, b arg) val    { return l.two(l.VMINPD, l.VMINPS, a, b) }
func (l lanes) greatest(a val, b arg) val { return l.two(l.VMAXPD, l.VMAXPS, a, b) }

// clamp is x between low and high; NaN stays.
func (l lanes) clamp(x val, low, high float64) val {
	return l.least(l.number(high), l.greatest(l.number(low), x))
}

func (l lanes) root(a arg) val {
	return l.each(func(i int, r operand.Op) { l.pick(l.VSQRTPD, l.VSQRTPS)(of(a, i), r) })
}

// fused copies the operand the instruction overwrites.
func (l lanes) fused(pd, ps form, first, second, overwritten arg) val {
	return l.each(func(i int, r operand.Op) {
		l.move(of(overwritten, i), r)
		l.pick(pd, ps)(of(first, i), of(second, i), r)
	})
}

// mulAdd is a·b + c, addMul c + a·b and subMul c - a·b, each in one rounding;
// the last argument may be memory.
func (l lanes) mulAdd(a, b val, c arg) val { return l.fused(l.VFMADD213PD, l.VFMADD213PS, c, b, a) }
func (l lanes) addMul(c, a val, b arg) val { return l.fused(l.VFMADD231PD, l.VFMADD231PS, b, a, c) }
func (l lanes) subMul(c, a val, b arg) val {
	return l.fused(l.VFNMADD231PD, l.VFNMADD231PS, b, a, c)
}

// mulSub is a·b - c, the rounding error of c = a·b.
func (l lanes) mulSub(a val, b arg, c val) val {
	return l.fused(l.VFMSUB231PD, l.VFMSUB231PS, b, a, c)
}

// horner is Σ c[i]·xⁱ.
func (l lanes) horner(c []float64, x val) val {
	p := l.load(l.constant(c[len(c)-1]))
	for i := len(c) - 2; i >= 0; i-- {
		next := l.shared(l.constant(c[i]))
		for v := range p {
			l.pick(l.VFMADD213PD, l.VFMADD213PS)(of(next, v), x[v], p[v])
		}
	}
	return p
}

// Integer arithmetic on the bits of lanes.
func (l lanes) intAdd(a val, b arg) val { return l.two(l.VPADDQ, l.VPADDD, a, b) }
func (l lanes) shiftLeft(a val, n int) val {
	return l.each(func(i int, r operand.Op) { l.pick(l.VPSLLQ, l.VPSLLD)(operand.U8(n), a[i], r) })
}
func (l lanes) shiftRight(a val, n int) val {
	return l.each(func(i int, r operand.Op) { l.pick(l.VPSRLQ, l.VPSRLD)(operand.U8(n), a[i], r) })
}

// predicate of a comparison that is false on NaN.
type predicate int

const (
	equal predicate = 0x00
	less  predicate = 0x11
)

// choose is yes where a ? b holds, and no elsewhere.
func (l lanes) choose(p predicate, a val, b, yes arg, no val) val {
	return l.each(func(i int, r operand.Op) {
		if l.wide() {
			k := l.K()
			l.pick(l.VCMPPD, l.VCMPPS)(operand.U8(p), of(b, i), of(a, i), k)
			l.pick(l.VBLENDMPD, l.VBLENDMPS)(of(yes, i), of(no, i), k, r)
			return
		}
		l.pick(l.VCMPPD, l.VCMPPS)(operand.U8(p), of(b, i), of(a, i), r)
		if l.bits == 64 {
			l.VBLENDVPD(r, of(yes, i), of(no, i), r)
		} else {
			l.VBLENDVPS(r, of(yes, i), of(no, i), r)
		}
	})
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
	big := l.number(f.roundBig)
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
