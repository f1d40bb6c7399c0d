package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// smoSingle generates the three passes of one step of sequential minimal
// optimisation (see boxpair) with the gradient in single precision, twice the
// lanes, for working sets of more than a thousand, and the gathering of a part
// of a row. Lanes that are left are reduced in Go. AVX-512 only: elsewhere the
// loops in Go serve.
func smoSingle(c *build.Context) {
	a := asm{c, avx512f32}
	a.smoStepSingle()
	a.argMaxLanes()
	a.smoPartnerLanes()
	a.gatherRow()
}

func (a asm) smoStepSingle() {
	a.function("smoStep", "func(n int, step float32, ki, kj, up, down *float32)",
		a.name("smoStep")+" takes step*(ki[t]-kj[t]) from up[t] and down[t] for t < n, where n is a positive multiple of 32.")
	n, ki, kj, up, down := a.loadInt("n"), a.loadInt("ki"), a.loadInt("kj"), a.loadInt("up"), a.loadInt("down")
	a.broadcastParam("step", zmm[0])
	a.Label("loop")
	for i := range 2 {
		k, u, d := zmm[1+i], zmm[5+i], zmm[7+i]
		a.VMOVUPS(at(ki, 64*i), k)
		a.VSUBPS(at(kj, 64*i), k, k)
		a.VMOVUPS(at(up, 64*i), u)
		a.VMOVUPS(at(down, 64*i), d)
		a.VFNMADD231PS(k, zmm[0], u)
		a.VFNMADD231PS(k, zmm[0], d)
		a.VMOVUPS(u, at(up, 64*i))
		a.VMOVUPS(d, at(down, 64*i))
	}
	for _, p := range []reg.GPVirtual{ki, kj, up, down} {
		a.ADDQ(imm(128), p)
	}
	a.SUBQ(imm(32), n)
	a.JNZ(operand.LabelRef("loop"))
	a.VZEROUPPER()
	a.RET()
}

// positions fills two registers with the 16 numbers at from and the next 16,
// and step with 32.
func (a asm) positions(from reg.GPVirtual, first, second, step int, t reg.GPVirtual) {
	a.VMOVDQU32(at(from, 0), zmm[first])
	a.MOVQ(operand.U64(16), t)
	a.VPBROADCASTD(t.As32(), zmm[step])
	a.VPADDD(zmm[step], zmm[first], zmm[second])
	a.VPSLLD(operand.U8(1), zmm[step], zmm[step])
}

func (a asm) argMaxLanes() {
	a.function("argMaxLanes", "func(n int, x *float32, lanes, at *int32, best *float32)",
		a.name("argMaxLanes")+" finds the largest entry of each residue class modulo 32 and its first position, n a positive multiple of 32;",
		"lanes holds 0 to 15.")
	n, x, lanes, where, best := a.loadInt("n"), a.loadInt("x"), a.loadInt("lanes"), a.loadInt("at"), a.loadInt("best")
	t := a.GP64().(reg.GPVirtual)
	a.positions(lanes, 0, 1, 2, t)
	for i := range 2 {
		a.VMOVUPS(at(x, 64*i), zmm[3+i])
		a.VMOVDQA32(zmm[i], zmm[5+i])
	}
	a.Label("loop")
	a.ADDQ(imm(128), x)
	a.SUBQ(imm(32), n)
	a.JZ(operand.LabelRef("done"))
	for i := range 2 {
		k := []reg.Register{reg.K1, reg.K2}[i]
		a.VPADDD(zmm[2], zmm[i], zmm[i])
		a.VMOVUPS(at(x, 64*i), zmm[7+i])
		a.VCMPPS(operand.U8(14), zmm[3+i], zmm[7+i], k)
		a.VMOVDQA32(zmm[i], k, zmm[5+i])
		a.VMAXPS(zmm[7+i], zmm[3+i], zmm[3+i])
	}
	a.JMP(operand.LabelRef("loop"))
	a.Label("done")
	for i := range 2 {
		a.VMOVDQU32(zmm[5+i], at(where, 64*i))
		a.VMOVUPS(zmm[3+i], at(best, 64*i))
	}
	a.VZEROUPPER()
	a.RET()
}

func (a asm) smoPartnerLanes() {
	a.function("smoPartnerLanes", "func(n int, down, diag, ki *float32, zi, kii, least float32, lanes, at *int32, num, den, low *float32)",
		a.name("smoPartnerLanes")+" finds for each residue class modulo 32 the first t with the largest gain (zi-down[t])²/max(kii+diag[t]-2ki[t], least),",
		"as numerator and denominator, and the smallest down; n is a positive multiple of 32. A numerator of 0 means none.")
	n, down, diag, ki := a.loadInt("n"), a.loadInt("down"), a.loadInt("diag"), a.loadInt("ki")
	const zi, kii, least, zero, step = 0, 1, 2, 3, 4
	pos, num, den, best, low := [2]int{5, 6}, [2]int{7, 8}, [2]int{9, 10}, [2]int{11, 12}, [2]int{13, 14}
	a.broadcastParam("zi", zmm[zi])
	a.broadcastParam("kii", zmm[kii])
	a.broadcastParam("least", zmm[least])
	t := a.GP64().(reg.GPVirtual)
	a.positions(a.loadInt("lanes"), pos[0], pos[1], step, t)
	a.zero(zero)
	for c := range 2 {
		a.zero(num[c])
		a.VMOVAPS(zmm[least], zmm[den[c]])
		a.VMOVDQA32(zmm[pos[c]], zmm[best[c]])
		a.VMOVUPS(at(down, 64*c), zmm[low[c]])
	}
	a.Label("loop")
	for c := range 2 {
		d, k, curve, left, right := zmm[16+c], zmm[18+c], zmm[20+c], zmm[22+c], zmm[24+c]
		better := []reg.Register{reg.K1, reg.K2}[c]
		a.VMOVUPS(at(down, 64*c), d)
		a.VMINPS(d, zmm[low[c]], zmm[low[c]])
		a.VSUBPS(d, zmm[zi], d)
		a.VMAXPS(zmm[zero], d, d)
		a.VMULPS(d, d, d)
		a.VMOVUPS(at(ki, 64*c), k)
		a.VADDPS(at(diag, 64*c), zmm[kii], curve)
		a.VSUBPS(k, curve, curve)
		a.VSUBPS(k, curve, curve)
		a.VMAXPS(zmm[least], curve, curve)
		a.VMULPS(d, zmm[den[c]], left)
		a.VMULPS(curve, zmm[num[c]], right)
		a.VCMPPS(operand.U8(14), right, left, better)
		a.VMOVAPS(d, better, zmm[num[c]])
		a.VMOVAPS(curve, better, zmm[den[c]])
		a.VMOVDQA32(zmm[pos[c]], better, zmm[best[c]])
		a.VPADDD(zmm[step], zmm[pos[c]], zmm[pos[c]])
	}
	for _, p := range []reg.GPVirtual{down, diag, ki} {
		a.ADDQ(imm(128), p)
	}
	a.SUBQ(imm(32), n)
	a.JNZ(operand.LabelRef("loop"))
	where, outNum, outDen, outLow := a.loadInt("at"), a.loadInt("num"), a.loadInt("den"), a.loadInt("low")
	for c := range 2 {
		a.VMOVDQU32(zmm[best[c]], at(where, 64*c))
		a.VMOVUPS(zmm[num[c]], at(outNum, 64*c))
		a.VMOVUPS(zmm[den[c]], at(outDen, 64*c))
		a.VMOVUPS(zmm[low[c]], at(outLow, 64*c))
	}
	a.VZEROUPPER()
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
