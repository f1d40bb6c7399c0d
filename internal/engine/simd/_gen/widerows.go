package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// widerows generates float64 sums of float32 rows: the update of a gradient
// from kernel columns kept in single precision.
func widerows(c *build.Context) {
	for _, v := range []vec{avx2f64, avx512f64} {
		asm{c, v}.addRows()
	}
}

// addRows works on two vectors at a time; n is a multiple of that.
func (a asm) addRows() {
	a.function("addRows", "func(n int, alpha *float64, x0, x1, x2, x3 *float32, y *float64)",
		append(a.loop("addRows", "for i := range n {",
			"\ty[i] += alpha[0]*float64(x0[i]) + alpha[1]*float64(x1[i]) + alpha[2]*float64(x2[i]) + alpha[3]*float64(x3[i])",
			"}"),
			"", "where n is a multiple of two vectors.")...)
	n, alpha := a.loadInt("n"), a.loadInt("alpha")
	rows := []reg.GPVirtual{a.loadInt("x0"), a.loadInt("x1"), a.loadInt("x2"), a.loadInt("x3")}
	y := a.loadInt("y")
	for r := range rows {
		a.broadcast(at(alpha, 8*r), a.reg(r))
	}
	const unroll = 2
	a.Label("loop")
	a.CMPQ(n, imm(unroll*a.lanes()))
	a.JLT(operand.LabelRef("done"))
	for i := range unroll {
		a.move(at(y, i*a.bytes), a.reg(4+i))
	}
	for r, p := range rows {
		for i := range unroll {
			a.VCVTPS2PD(at(p, i*a.bytes/2), a.reg(6+i))
		}
		for i := range unroll {
			a.fma(a.reg(6+i), a.reg(r), a.reg(4+i))
		}
	}
	for i := range unroll {
		a.move(a.reg(4+i), at(y, i*a.bytes))
	}
	for _, p := range rows {
		a.ADDQ(imm(unroll*a.bytes/2), p)
	}
	a.ADDQ(imm(unroll*a.bytes), y)
	a.SUBQ(imm(unroll*a.lanes()), n)
	a.JMP(operand.LabelRef("loop"))
	a.Label("done")
	a.VZEROUPPER()
	a.RET()
}
