package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vec describes one vector type: its width and the suffixes names and
// instructions carry.
type vec struct {
	level string // name suffix of the CPU level
	bits  int    // element size: 64 or 32
	bytes int    // vector size: 32 or 64
}

var (
	avx2f64   = vec{"AVX2", 64, 32}
	avx2f32   = vec{"AVX2", 32, 32}
	avx512f64 = vec{"AVX512", 64, 64}
	avx512f32 = vec{"AVX512", 32, 64}
	vecs      = []vec{avx2f64, avx2f32, avx512f64, avx512f32}
)

func (v vec) size() int    { return v.bits / 8 }
func (v vec) lanes() int   { return v.bytes / v.size() }
func (v vec) elem() string { return fmt.Sprintf("float%d", v.bits) }

// name of a routine of this type, such as dot64AVX512.
func (v vec) name(routine string) string { return fmt.Sprintf("%s%d%s", routine, v.bits, v.level) }

// reg is physical vector register n at v's full width.
func (v vec) reg(n int) reg.VecPhysical {
	if v.bytes == 64 {
		return zmm[n]
	}
	return ymm[n]
}

// asm emits instructions for one vector type; the methods choose the packed
// (or scalar) double or single form.
type asm struct {
	*build.Context
	vec
}

// function opens a NOSPLIT function without a frame.
func (a asm) function(routine, signature string, doc ...string) {
	a.Function(a.name(routine))
	a.Attributes(attr.NOSPLIT)
	a.Pragma("noescape")
	a.SignatureExpr(signature)
	a.Doc(doc...)
}

// loop is the documentation of a routine by the Go loop it equals: one line
// of Go in each argument.
func (a asm) loop(routine string, lines ...string) []string {
	doc := []string{a.name(routine) + " is", ""}
	for _, l := range lines {
		doc = append(doc, "\t"+l)
	}
	return doc
}

type form func(ops ...operand.Op)

func (a asm) pick(pd, ps form) form {
	if a.bits == 64 {
		return pd
	}
	return ps
}

// fma emits acc += x·y; x may be memory.
func (a asm) fma(x, y, acc operand.Op) { a.pick(a.VFMADD231PD, a.VFMADD231PS)(x, y, acc) }

// fmaBcst emits acc += m[0]·y with the scalar at m broadcast by the
// instruction itself (AVX-512 only).
func (a asm) fmaBcst(m operand.Mem, y, acc operand.Op) {
	a.pick(a.VFMADD231PD_BCST, a.VFMADD231PS_BCST)(m, y, acc)
}
func (a asm) add(x, y, z operand.Op)                { a.pick(a.VADDPD, a.VADDPS)(x, y, z) }
func (a asm) mul(x, y, z operand.Op)                { a.pick(a.VMULPD, a.VMULPS)(x, y, z) }
func (a asm) and(x, y, z operand.Op)                { a.pick(a.VANDPD, a.VANDPS)(x, y, z) }
func (a asm) move(x, y operand.Op)                  { a.pick(a.VMOVUPD, a.VMOVUPS)(x, y) }
func (a asm) moveMasked(x, k, y operand.Op)         { a.pick(a.VMOVUPD, a.VMOVUPS)(x, k, y) }
func (a asm) broadcast(m operand.Mem, r operand.Op) { a.pick(a.VBROADCASTSD, a.VBROADCASTSS)(m, r) }

// loadMasked loads the lanes of k and zeroes the others; a masked-off lane is not touched in
// memory.
func (a asm) loadMasked(m operand.Mem, k, r operand.Op) {
	if a.bits == 64 {
		a.VMOVUPD_Z(m, k, r)
	} else {
		a.VMOVUPS_Z(m, k, r)
	}
}

// The scalar forms work on the low lane of xmm registers.
func (a asm) fmaScalar(x, y, acc operand.Op) { a.pick(a.VFMADD231SD, a.VFMADD231SS)(x, y, acc) }
func (a asm) addScalar(x, y, z operand.Op)   { a.pick(a.VADDSD, a.VADDSS)(x, y, z) }
func (a asm) mulScalar(x, y, z operand.Op)   { a.pick(a.VMULSD, a.VMULSS)(x, y, z) }
func (a asm) moveScalar(x, y operand.Op)     { a.pick(a.VMOVSD, a.VMOVSS)(x, y) }

func (a asm) zero(n int) {
	if a.bytes == 64 {
		a.VPXORQ(zmm[n], zmm[n], zmm[n])
	} else {
		a.VXORPD(ymm[n], ymm[n], ymm[n])
	}
}

// sumLanes leaves the sum of the lanes of register n in its low lane; t is scratch (both < 16).
func (a asm) sumLanes(n, t int) {
	if a.bytes == 64 {
		a.VEXTRACTF64X4(operand.U8(1), zmm[n], ymm[t])
		a.pick(a.VADDPD, a.VADDPS)(ymm[t], ymm[n], ymm[n])
	}
	a.VEXTRACTF128(operand.U8(1), ymm[n], xmm[t])
	a.pick(a.VADDPD, a.VADDPS)(xmm[t], xmm[n], xmm[n])
	if a.bits == 32 {
		a.VMOVHLPS(xmm[n], xmm[n], xmm[t])
		a.VADDPS(xmm[t], xmm[n], xmm[n])
		a.VMOVSHDUP(xmm[n], xmm[t])
		a.VADDSS(xmm[t], xmm[n], xmm[n])
		return
	}
	a.VUNPCKHPD(xmm[n], xmm[n], xmm[t])
	a.VADDSD(xmm[t], xmm[n], xmm[n])
}

// at is the memory operand base + off bytes.
func at(base reg.Register, off int) operand.Mem { return operand.Mem{Base: base, Disp: off} }

// tailMask sets k to the n < lanes low lanes, with n in register n; rcx and t are overwritten.
func (a asm) tailMask(n, t reg.GPVirtual, k operand.Op) {
	a.MOVL(operand.U32(1), t.As32())
	a.SHLXQ(n, t, t)
	a.DECQ(t)
	a.KMOVW(t.As32(), k)
}

// imm is a 32-bit immediate.
func imm(n int) operand.Op { return operand.U32(n) }

// broadcastParam fills r with a scalar floating-point parameter.
func (a asm) broadcastParam(name string, r operand.Op) {
	addr, err := a.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	a.broadcast(addr.Addr, r)
}

// loadInt brings an integer or pointer parameter into a register.
func (a asm) loadInt(name string) reg.GPVirtual {
	return a.Load(a.Param(name), a.GP64()).(reg.GPVirtual)
}
