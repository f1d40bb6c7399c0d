package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// alignwave generates the recursion of alignment kernels for eight rows at a time. Lane r is row r
// and one column behind lane r - 1, so that the cell above a lane is what the lane before it found
// a step ago. Exponentials and quotients of two steps are made together; no chain but that of the
// sums, from step to step, holds them up.
func alignwave(c *build.Context) {
	e := expSum{lanes{asm: asm{c, avx512f64}, together: 2}, sumDistances, tablesOf[avx512f64], nil, nil}
	e.function("alignWave",
		"func(steps, channels int, x, y *float64, stride int, scale, most float64, active *byte, last int, above, left "+
			"*float64, corner float64)",
		e.name("alignWave")+" is alignWaveRef in an even number of steps; active has the lanes of each.")
	steps, channels, x, y, stride := e.loadInt("steps"), e.loadInt("channels"), e.loadInt("x"), e.loadInt("y"),
		e.loadInt("stride")
	active, last, above, left := e.loadInt("active"), e.loadInt("last"), e.loadInt("above"), e.loadInt("left")
	e.SHLQ(operand.U8(3), stride)
	e.hold()
	most, cell, diagonal := e.fresh(), e.fresh(), e.fresh()
	e.broadcastParam("most", most)
	e.broadcastParam("corner", diagonal) // of lane 0; the others have not begun
	e.move(at(left, 0), cell)
	// What the last row finds in step t is column t - last, in lane last: the vector begins 2·last
	// places before above[t].
	bit, out, kept := e.GP64(), e.GP64(), e.K()
	e.MOVQ(imm(1), bit)
	e.SHLXQ(last, bit, bit)
	e.KMOVW(bit.As32(), kept)
	e.MOVQ(last, out)
	e.SHLQ(operand.U8(4), out)
	e.NEGQ(out)
	e.ADDQ(above, out)

	e.Label("step")
	e.TESTQ(steps, steps)
	e.JZ(operand.LabelRef("done"))
	kappa := e.alignFactors(channels, x, y, stride, most)
	for i, k := range kappa {
		now, stored := e.K(), e.K()
		e.KMOVB(at(active, i), now)
		e.KANDW(now, kept, stored)
		up, sum := e.fresh(), e.fresh()
		e.VALIGNQ_BCST(operand.U8(7), at(above, 8*i), cell, up)
		e.VADDPD(diagonal, up, sum)
		e.VADDPD(cell, sum, sum)
		e.VMULPD(k, sum, now, cell)
		e.VMOVUPD(cell, stored, at(out, 8*i))
		e.VMOVAPD(up, diagonal)
	}
	e.ADDQ(imm(2), active)
	e.ADDQ(imm(16), above)
	e.ADDQ(imm(16), out)
	e.SUBQ(imm(16), y)
	e.SUBQ(imm(2), steps)
	e.JMP(operand.LabelRef("step"))
	e.Label("done")
	e.move(cell, at(left, 0))
	e.VZEROUPPER()
	e.RET()
}

// alignFactors is κ = 1/(2·2^(scale·‖x-y‖²) - 1) of two steps, and 0 where the square is beyond
// most. The second has the step of y before that of the first.
func (e expSum) alignFactors(channels, x, y, stride reg.GPVirtual, most reg.VecVirtual) val {
	square := e.each(func(i int, r operand.Op) { e.VPXORQ(r, r, r) })
	c, xc, yc := e.GP64(), e.GP64(), e.GP64()
	e.MOVQ(channels, c)
	e.MOVQ(x, xc)
	e.MOVQ(y, yc)
	e.Label("channel")
	row := e.fresh()
	e.move(at(xc, 0), row)
	for i, s := range square {
		d := e.fresh()
		e.move(at(yc, -8*i), d)
		e.VSUBPD(row, d, d)
		e.fma(d, d, s)
	}
	e.ADDQ(imm(64), xc)
	e.ADDQ(stride, yc)
	e.DECQ(c)
	e.JNZ(operand.LabelRef("channel"))
	near := make([]operand.Op, len(square))
	for i, s := range square {
		const atMost = 0x12
		near[i] = e.K()
		e.VCMPPD(operand.U8(atMost), most, s, near[i])
	}
	power := e.exp2(square)
	one, two := e.number(1), e.number(2)
	return e.each(func(i int, r operand.Op) {
		e.VFMSUB213PD(one[0], two[0], power[i]) // 2·power - 1
		e.VDIVPD_Z(power[i], one[0], near[i], r)
	})
}
