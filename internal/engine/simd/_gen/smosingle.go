package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// smoSingle generates the passes of one step of sequential minimal optimisation
// (see boxpair) with the gradient in single precision, twice the lanes, for
// working sets of more than a thousand, and the gathering of a part of a row.
// Who may be raised and who may be lowered are bits, so that the gradient is read and written once.
// AVX-512 only: elsewhere the loops in Go serve.
func smoSingle(c *build.Context) {
	a := asm{c, avx512f32}
	a.stepMasked()
	a.firstEqual()
	a.partnerMasked()
	a.gatherRow()
	a.flushTiny()
}

// ahead is how many bytes before their use rows are asked for: they are as a
// rule in no near cache, and short.
const ahead = 1024

func (a asm) stepMasked() {
	a.function("stepMasked", "func(n int, step float32, ki, kj, z *float32, up *uint32, best *float32)",
		a.name("stepMasked")+
			" takes step*(ki[t]-kj[t]) from z[t] for t < n, a positive multiple of 32, and puts the largest z[t]",
		"of those whose bit in up is set into best, which holds what to return when there is none.")
	n, ki, kj, z, up := a.loadInt("n"), a.loadInt("ki"), a.loadInt("kj"), a.loadInt("z"), a.loadInt("up")
	out := a.loadInt("best")
	a.broadcastParam("step", zmm[0])
	for i := range 2 {
		a.broadcast(at(out, 0), zmm[1+i])
	}
	a.Label("loop")
	for i := range 2 {
		k, v := zmm[3+i], zmm[5+i]
		mask := []reg.Register{reg.K1, reg.K2}[i]
		a.PREFETCHT0(at(kj, ahead+64*i))
		a.KMOVW(at(up, 2*i), mask)
		a.VMOVUPS(at(ki, 64*i), k)
		a.VSUBPS(at(kj, 64*i), k, k)
		a.VMOVUPS(at(z, 64*i), v)
		a.VFNMADD231PS(k, zmm[0], v)
		a.VMOVUPS(v, at(z, 64*i))
		a.VMAXPS(v, zmm[1+i], mask, zmm[1+i])
	}
	for _, p := range []reg.GPVirtual{ki, kj, z} {
		a.ADDQ(imm(128), p)
	}
	a.ADDQ(imm(4), up)
	a.SUBQ(imm(32), n)
	a.JNZ(operand.LabelRef("loop"))
	a.VMAXPS(zmm[2], zmm[1], zmm[1])
	a.across(a.VMAXPS, 1, 2)
	a.VMOVSS(xmm[1], at(out, 0))
	a.VZEROUPPER()
	a.RET()
}

// across leaves in the low lane of register r what op makes of its 16 lanes; t
// is scratch (both < 16).
func (a asm) across(op form, r, t int) {
	a.VEXTRACTF64X4(operand.U8(1), zmm[r], ymm[t])
	op(ymm[t], ymm[r], ymm[r])
	a.VEXTRACTF128(operand.U8(1), ymm[r], xmm[t])
	op(xmm[t], xmm[r], xmm[r])
	a.VPSHUFD(operand.U8(0x4e), xmm[r], xmm[t])
	op(xmm[t], xmm[r], xmm[r])
	a.VPSHUFD(operand.U8(0xb1), xmm[r], xmm[t])
	op(xmm[t], xmm[r], xmm[r])
}

func (a asm) firstEqual() {
	a.function("firstEqual", "func(n int, z *float32, mask *uint32, value float32) int",
		a.name("firstEqual")+
			" is the first t < n, a positive multiple of 32, with z[t] = value and its bit in mask set; n when there is none.")
	n, z, mask := a.loadInt("n"), a.loadInt("z"), a.loadInt("mask")
	a.broadcastParam("value", zmm[0])
	t, bits := a.GP64().(reg.GPVirtual), a.GP64().(reg.GPVirtual)
	a.XORQ(t, t)
	a.Label("loop")
	a.KMOVW(at(mask, 0), reg.K1)
	a.KMOVW(at(mask, 2), reg.K2)
	a.VCMPPS(operand.U8(0), at(z, 0), zmm[0], reg.K1, reg.K3)
	a.VCMPPS(operand.U8(0), at(z, 64), zmm[0], reg.K2, reg.K4)
	a.KORTESTW(reg.K3, reg.K4)
	a.JNZ(operand.LabelRef("found"))
	a.ADDQ(imm(128), z)
	a.ADDQ(imm(4), mask)
	a.ADDQ(imm(32), t)
	a.CMPQ(t, n)
	a.JLT(operand.LabelRef("loop"))
	a.JMP(operand.LabelRef("done"))
	a.Label("found")
	a.KUNPCKWD(reg.K3, reg.K4, reg.K5)
	a.KMOVD(reg.K5, bits.As32())
	a.TZCNTL(bits.As32(), bits.As32())
	a.ADDQ(bits, t)
	a.Label("done")
	a.VZEROUPPER()
	a.Store(t, a.ReturnIndex(0))
	a.RET()
}

func (a asm) partnerMasked() {
	a.function("partnerMasked",
		"func(n int, z *float32, down *uint32, diag, ki *float32, given *float32, lanes *int32, low *float32) int",
		a.name("partnerMasked")+
			" finds among the t < n, a positive multiple of 32, whose bit in down is set one with the largest gain",
		"max(zi-z[t], 0)²/max(kii+diag[t]-2ki[t], least), and puts their smallest z into low; n or more when no gain "+
			"is positive.",
		"given is zi, kii, least, 2, +Inf; lanes 0 to 15.")
	n, z, down, diag, ki := a.loadInt("n"), a.loadInt("z"), a.loadInt("down"), a.loadInt("diag"), a.loadInt("ki")
	given := a.loadInt("given")
	const zi, kii, least, two, inf, zero, step, pos = 0, 1, 2, 3, 4, 5, 6, 7
	num, den, best, low := [2]int{8, 9}, [2]int{10, 11}, [2]int{12, 13}, [2]int{14, 15}
	for i, r := range []int{zi, kii, least, two, inf} {
		a.broadcast(at(given, 4*i), zmm[r])
	}
	t := a.GP64().(reg.GPVirtual)
	a.VMOVDQU32(at(a.loadInt("lanes"), 0), zmm[pos])
	a.MOVQ(operand.U64(32), t)
	a.VPBROADCASTD(t.As32(), zmm[step])
	a.zero(zero)
	// What stands where no gain is positive is a place past the end.
	a.VPBROADCASTD(n.As32(), zmm[best[0]])
	for c := range 2 {
		a.zero(num[c])
		a.VMOVAPS(zmm[least], zmm[den[c]])
		a.VMOVDQA32(zmm[best[0]], zmm[best[c]])
		a.VMOVAPS(zmm[inf], zmm[low[c]])
	}
	a.Label("loop")
	for c := range 2 {
		d, curve, left, right := zmm[16+c], zmm[18+c], zmm[20+c], zmm[22+c]
		in, better := []reg.Register{reg.K1, reg.K2}[c], []reg.Register{reg.K3, reg.K4}[c]
		a.PREFETCHT0(at(ki, ahead+64*c))
		a.KMOVW(at(down, 2*c), in)
		a.VBLENDMPS(at(z, 64*c), zmm[inf], in, d)
		a.VADDPS(at(diag, 64*c), zmm[kii], curve)
		a.VFNMADD231PS(at(ki, 64*c), zmm[two], curve)
		a.VMINPS(d, zmm[low[c]], zmm[low[c]])
		a.VSUBPS(d, zmm[zi], d)
		a.VMAXPS(zmm[zero], d, d)
		a.VMULPS(d, d, d)
		a.VMAXPS(zmm[least], curve, curve)
		a.VMULPS(d, zmm[den[c]], left)
		a.VMULPS(curve, zmm[num[c]], right)
		a.VCMPPS(operand.U8(14), right, left, better)
		a.VMOVAPS(d, better, zmm[num[c]])
		a.VMOVAPS(curve, better, zmm[den[c]])
		a.VMOVDQA32(zmm[pos], better, zmm[best[c]])
	}
	a.VPADDD(zmm[step], zmm[pos], zmm[pos])
	for _, p := range []reg.GPVirtual{z, diag, ki} {
		a.ADDQ(imm(128), p)
	}
	a.ADDQ(imm(4), down)
	a.SUBQ(imm(32), n)
	a.JNZ(operand.LabelRef("loop"))
	// Places of the second vector are 16 further on.
	a.VPSRLD(operand.U8(1), zmm[step], zmm[step])
	a.VPADDD(zmm[step], zmm[best[1]], zmm[best[1]])
	a.VMULPS(zmm[num[1]], zmm[den[0]], zmm[16])
	a.VMULPS(zmm[num[0]], zmm[den[1]], zmm[17])
	a.VCMPPS(operand.U8(14), zmm[17], zmm[16], reg.K1)
	a.VMOVAPS(zmm[num[1]], reg.K1, zmm[num[0]])
	a.VMOVAPS(zmm[den[1]], reg.K1, zmm[den[0]])
	a.VMOVDQA32(zmm[best[1]], reg.K1, zmm[best[0]])
	a.VMINPS(zmm[low[1]], zmm[low[0]], zmm[low[0]])
	a.across(a.VMINPS, low[0], 1)
	a.VMOVSS(xmm[low[0]], at(a.loadInt("low"), 0))
	// The largest quotient of the 16 lanes, and the first place that has it.
	a.VDIVPS(zmm[den[0]], zmm[num[0]], zmm[num[0]])
	a.VMOVAPS(zmm[num[0]], zmm[16])
	a.across(a.VMAXPS, num[0], 1)
	a.VBROADCASTSS(xmm[num[0]], zmm[17])
	a.VCMPPS(operand.U8(0), zmm[17], zmm[16], reg.K1)
	a.MOVQ(operand.U64(0x7fffffff), t)
	a.VPBROADCASTD(t.As32(), zmm[2])
	a.VMOVDQA32(zmm[best[0]], reg.K1, zmm[2])
	a.across(a.VPMINSD, 2, 1)
	a.VMOVD(xmm[2], t.As32())
	a.VZEROUPPER()
	a.Store(t, a.ReturnIndex(0))
	a.RET()
}

func (a asm) gatherRow() {
	a.function("gatherRow", "func(n int, row *float32, index *int32, dst *float32)",
		a.name("gatherRow")+" sets dst[c] to row[index[c]] for c < n, where n is a positive multiple of 16.")
	n, row, index, dst := a.loadInt("n"), a.loadInt("row"), a.loadInt("index"), a.loadInt("dst")
	a.Label("loop")
	a.VMOVDQU32(at(index, 0), zmm[0])
	a.KXNORW(reg.K1, reg.K1, reg.K1)
	a.VPXORQ(zmm[1], zmm[1], zmm[1])
	a.VGATHERDPS(operand.Mem{Base: row, Index: zmm[0], Scale: 4}, reg.K1, zmm[1])
	a.VMOVUPS(zmm[1], at(dst, 0))
	a.ADDQ(imm(64), index)
	a.ADDQ(imm(64), dst)
	a.SUBQ(imm(16), n)
	a.JNZ(operand.LabelRef("loop"))
	a.VZEROUPPER()
	a.RET()
}

func (a asm) flushTiny() {
	a.function("flushTiny", "func(n int, x *float32)",
		a.name("flushTiny")+" sets subnormal x[i] to 0 for i < n, a positive multiple of 16.")
	n, x := a.loadInt("n"), a.loadInt("x")
	t := a.GP64().(reg.GPVirtual)
	for i, bits := range []uint64{0x7fffffff, 0x00800000} {
		a.MOVQ(operand.U64(bits), t)
		a.VPBROADCASTD(t.As32(), zmm[i])
	}
	a.Label("loop")
	a.VMOVDQU32(at(x, 0), zmm[2])
	a.VPANDD(zmm[0], zmm[2], zmm[3])
	a.VPCMPUD(operand.U8(5), zmm[1], zmm[3], reg.K1)
	a.VMOVDQU32_Z(zmm[2], reg.K1, zmm[2])
	a.VMOVDQU32(zmm[2], at(x, 0))
	a.ADDQ(imm(64), x)
	a.SUBQ(imm(16), n)
	a.JNZ(operand.LabelRef("loop"))
	a.VZEROUPPER()
	a.RET()
}
