package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// smo generates the three passes of one step of sequential minimal
// optimisation over a working set: take the step, find the variable to raise,
// find its partner. AVX-512 only: elsewhere the loops in Go serve.
func smo(c *build.Context) {
	a := asm{c, avx512f64}
	a.smoStep()
	a.argMax()
	a.smoPartner()
}

func (a asm) smoStep() {
	a.function("smoStep", "func(n int, step float64, ki, kj *float32, up, down *float64)",
		a.name("smoStep")+" takes step*(ki[t]-kj[t]) from up[t] and down[t] for t < n, where n is a multiple of 16.")
	n, ki, kj, up, down := a.loadInt("n"), a.loadInt("ki"), a.loadInt("kj"), a.loadInt("up"), a.loadInt("down")
	a.broadcastParam("step", zmm[0])
	a.Label("loop")
	a.CMPQ(n, imm(16))
	a.JLT(operand.LabelRef("done"))
	for i := range 2 {
		k, l, u, d := zmm[1+i], zmm[3+i], zmm[5+i], zmm[7+i]
		a.VCVTPS2PD(at(ki, 32*i), k)
		a.VCVTPS2PD(at(kj, 32*i), l)
		a.VSUBPD(l, k, k)
		a.VMOVUPD(at(up, 64*i), u)
		a.VMOVUPD(at(down, 64*i), d)
		a.VFNMADD231PD(k, zmm[0], u)
		a.VFNMADD231PD(k, zmm[0], d)
		a.VMOVUPD(u, at(up, 64*i))
		a.VMOVUPD(d, at(down, 64*i))
	}
	a.ADDQ(imm(64), ki)
	a.ADDQ(imm(64), kj)
	a.ADDQ(imm(128), up)
	a.ADDQ(imm(128), down)
	a.SUBQ(imm(16), n)
	a.JMP(operand.LabelRef("loop"))
	a.Label("done")
	a.VZEROUPPER()
	a.RET()
}

// lanesOf fills register r with 0, 1, …, 7 as integers.
func (a asm) lanesOf(r int, t reg.GPVirtual) {
	a.MOVQ(operand.U64(0x0706050403020100), t)
	a.VMOVQ(t, xmm[r])
	a.VPMOVZXBQ(xmm[r], zmm[r])
}

// mergeFirst takes lane by lane the larger of two values with its index, the
// smaller index of equals; t is scratch.
func (a asm) mergeFirst(value, index, value2, index2, t int) {
	a.VCMPPD(operand.U8(14), zmm[value], zmm[value2], reg.K1)
	a.VCMPPD(operand.U8(0), zmm[value], zmm[value2], reg.K2)
	a.VPMINSQ(zmm[index2], zmm[index], zmm[t])
	a.VMOVDQA64(zmm[t], reg.K2, zmm[index])
	a.VMOVDQA64(zmm[index2], reg.K1, zmm[index])
	a.VMAXPD(zmm[value2], zmm[value], zmm[value])
}

// reduceFirst finds the largest lane of value and the smallest index among the
// lanes that hold it; both end in the low lanes. s and t are scratch.
func (a asm) reduceFirst(value, index, s, t int) {
	a.VEXTRACTF64X4(operand.U8(1), zmm[value], ymm[s])
	a.VMAXPD(ymm[s], ymm[value], ymm[s])
	a.VEXTRACTF128(operand.U8(1), ymm[s], xmm[t])
	a.VMAXPD(xmm[t], xmm[s], xmm[s])
	a.VUNPCKHPD(xmm[s], xmm[s], xmm[t])
	a.VMAXSD(xmm[t], xmm[s], xmm[s])
	a.VBROADCASTSD(xmm[s], zmm[s])
	a.VCMPPD(operand.U8(0), zmm[s], zmm[value], reg.K1)
	a.VPTERNLOGQ(operand.U8(255), zmm[t], zmm[t], zmm[t])
	a.VPSRLQ(operand.U8(1), zmm[t], zmm[t])
	a.VMOVDQA64(zmm[index], reg.K1, zmm[t])
	a.VMOVAPD(zmm[s], zmm[value])
	a.VEXTRACTI64X4(operand.U8(1), zmm[t], ymm[index])
	a.VPMINSQ(ymm[index], ymm[t], ymm[index])
	a.VEXTRACTI128(operand.U8(1), ymm[index], xmm[t])
	a.VPMINSQ(xmm[t], xmm[index], xmm[index])
	a.VPUNPCKHQDQ(xmm[index], xmm[index], xmm[t])
	a.VPMINSQ(xmm[t], xmm[index], xmm[index])
}

func (a asm) argMax() {
	a.function("argMax", "func(n int, x *float64) (at int, best float64)",
		a.name("argMax")+" is the first position of the largest of n numbers, n a positive multiple of 16, and that number.")
	n, x := a.loadInt("n"), a.loadInt("x")
	t := a.GP64().(reg.GPVirtual)
	a.lanesOf(0, t)
	a.MOVQ(operand.U64(8), t)
	a.VPBROADCASTQ(t, zmm[1])
	a.VPADDQ(zmm[1], zmm[0], zmm[2]) // positions of the second vector
	a.VPSLLQ(operand.U8(1), zmm[1], zmm[1])
	a.VMOVUPD(at(x, 0), zmm[3])
	a.VMOVUPD(at(x, 64), zmm[4])
	a.VMOVDQA64(zmm[0], zmm[5])
	a.VMOVDQA64(zmm[2], zmm[6])
	a.Label("loop")
	a.ADDQ(imm(128), x)
	a.SUBQ(imm(16), n)
	a.CMPQ(n, imm(16))
	a.JLT(operand.LabelRef("done"))
	for i := range 2 {
		k := []reg.Register{reg.K1, reg.K2}[i]
		a.VPADDQ(zmm[1], zmm[2*i], zmm[2*i])
		a.VMOVUPD(at(x, 64*i), zmm[7+i])
		a.VCMPPD(operand.U8(14), zmm[3+i], zmm[7+i], k) // new > best
		a.VMOVDQA64(zmm[2*i], k, zmm[5+i])
		a.VMAXPD(zmm[7+i], zmm[3+i], zmm[3+i])
	}
	a.JMP(operand.LabelRef("loop"))
	a.Label("done")
	a.mergeFirst(3, 5, 4, 6, 7)
	a.reduceFirst(3, 5, 7, 8)
	a.VMOVQ(xmm[5], t)
	a.Store(t, a.Return("at"))
	a.Store(xmm[3], a.Return("best"))
	a.VZEROUPPER()
	a.RET()
}

// smoPartner keeps, lane by lane, numerator and denominator of the best gain,
// so that only the last comparison divides.
func (a asm) smoPartner() {
	a.function("smoPartner", "func(n int, down, diag *float64, ki *float32, zi, kii, least float64) (at int, gain, low float64)",
		a.name("smoPartner")+" finds the first t < n with the largest (zi-down[t])²/max(kii+diag[t]-2ki[t], least) among those with down[t] < zi,",
		"and the smallest down; n is a positive multiple of 16. The gain is 0 when there is none.")
	n, down, diag, ki := a.loadInt("n"), a.loadInt("down"), a.loadInt("diag"), a.loadInt("ki")
	const zi, kii, least, zero, sixteen = 0, 1, 2, 3, 4
	// Two chains, so that one's comparisons do not wait for the other's.
	pos, num, den, best, low := [2]int{5, 6}, [2]int{7, 8}, [2]int{9, 10}, [2]int{11, 12}, [2]int{13, 14}
	a.broadcastParam("zi", zmm[zi])
	a.broadcastParam("kii", zmm[kii])
	a.broadcastParam("least", zmm[least])
	t := a.GP64().(reg.GPVirtual)
	a.lanesOf(pos[0], t)
	a.MOVQ(operand.U64(8), t)
	a.VPBROADCASTQ(t, zmm[sixteen])
	a.VPADDQ(zmm[sixteen], zmm[pos[0]], zmm[pos[1]])
	a.VPSLLQ(operand.U8(1), zmm[sixteen], zmm[sixteen])
	a.zero(zero)
	for c := range 2 {
		a.zero(num[c])
		a.VMOVAPD(zmm[least], zmm[den[c]])
		a.VMOVDQA64(zmm[pos[c]], zmm[best[c]])
		a.VMOVUPD(at(down, 64*c), zmm[low[c]])
	}
	a.Label("loop")
	for c := range 2 {
		d, k, curve, left, right := zmm[16+c], zmm[18+c], zmm[20+c], zmm[22+c], zmm[24+c]
		better := []reg.Register{reg.K1, reg.K2}[c]
		a.VMOVUPD(at(down, 64*c), d)
		a.VMINPD(d, zmm[low[c]], zmm[low[c]])
		a.VSUBPD(d, zmm[zi], d)
		a.VMAXPD(zmm[zero], d, d)
		a.VMULPD(d, d, d)
		a.VCVTPS2PD(at(ki, 32*c), k)
		a.VADDPD(at(diag, 64*c), zmm[kii], curve)
		a.VSUBPD(k, curve, curve)
		a.VSUBPD(k, curve, curve)
		a.VMAXPD(zmm[least], curve, curve)
		a.VMULPD(d, zmm[den[c]], left)
		a.VMULPD(curve, zmm[num[c]], right)
		a.VCMPPD(operand.U8(14), right, left, better)
		a.VMOVAPD(d, better, zmm[num[c]])
		a.VMOVAPD(curve, better, zmm[den[c]])
		a.VMOVDQA64(zmm[pos[c]], better, zmm[best[c]])
		a.VPADDQ(zmm[sixteen], zmm[pos[c]], zmm[pos[c]])
	}
	a.ADDQ(imm(128), down)
	a.ADDQ(imm(128), diag)
	a.ADDQ(imm(64), ki)
	a.SUBQ(imm(16), n)
	a.JNZ(operand.LabelRef("loop"))
	for c := range 2 {
		a.VDIVPD(zmm[den[c]], zmm[num[c]], zmm[num[c]])
	}
	a.mergeFirst(num[0], best[0], num[1], best[1], 5)
	a.VMINPD(zmm[low[1]], zmm[low[0]], zmm[low[0]])
	a.reduceFirst(num[0], best[0], 5, 6)
	a.VMOVQ(xmm[best[0]], t)
	a.Store(t, a.Return("at"))
	a.Store(xmm[num[0]], a.Return("gain"))
	a.VEXTRACTF64X4(operand.U8(1), zmm[low[0]], ymm[5])
	a.VMINPD(ymm[5], ymm[low[0]], ymm[5])
	a.VEXTRACTF128(operand.U8(1), ymm[5], xmm[6])
	a.VMINPD(xmm[6], xmm[5], xmm[5])
	a.VUNPCKHPD(xmm[5], xmm[5], xmm[6])
	a.VMINSD(xmm[6], xmm[5], xmm[5])
	a.Store(xmm[5], a.Return("low"))
	a.VZEROUPPER()
	a.RET()
}

// smoSingle generates the same passes with the gradient in single precision,
// twice the lanes, for working sets of more than a thousand, and the gathering of a part of a row. Positions
// and lanes that are left are reduced in Go.
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
