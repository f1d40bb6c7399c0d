package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// decayrow generates the run along one row of the subsequence kernel: four levels side by side, v ←
// λv + w[j], and at each of the places an update of w. Four columns make one step; what is left
// before a place is a step with coefficients of 0 for the columns behind it, so that no branch
// depends on how many they are.
func decayrow(c *build.Context) {
	a := asm{c, avx2f64}
	a.function("decayRow", "func(n int, places *int32, w, table, sum *float64)", a.loop("decayRow",
		"for _, p := range places[:n] {",
		"	for ; at < p; at++ { v = λ*v + w[at] }",
		"	sum += v",
		"	w[p], v = w[p] + first + λ*shift(v), λ*v + w[p]",
		"	at = p+1",
		"}")...)
	n := c.Load(c.Param("n"), c.GP64())
	places := c.Load(c.Param("places"), c.GP64())
	w := c.Load(c.Param("w"), c.GP64())
	table := c.Load(c.Param("table"), c.GP64())
	sum := c.Load(c.Param("sum"), c.GP64())
	mem := func(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }
	v, total, masked, first := c.YMM(), c.YMM(), c.YMM(), c.YMM()
	l1, l2, l3, l4 := c.YMM(), c.YMM(), c.YMM(), c.YMM()
	c.VXORPD(v, v, v)
	c.VMOVUPD(mem(sum, 0), total)
	c.VMOVUPD(mem(table, 16*8), masked)
	c.VMOVUPD(mem(table, 20*8), first)
	for i, l := range []reg.VecVirtual{l1, l2, l3, l4} {
		c.VBROADCASTSD(mem(table, (24+i)*8), l)
	}
	at, to, left := c.GP64(), c.GP64(), c.GP64()
	c.MOVQ(w, at)

	c.Label("decayPlace")
	c.TESTQ(n, n)
	c.JZ(operand.LabelRef("decayDone"))
	c.MOVLQSX(mem(places, 0), to)
	c.ADDQ(operand.Imm(4), places)
	c.SHLQ(operand.Imm(5), to)
	c.ADDQ(w, to)
	c.MOVQ(to, left)
	c.SUBQ(at, left) // bytes before the place

	c.Label("decayFour")
	c.CMPQ(left, operand.Imm(127))
	c.JLE(operand.LabelRef("decayRest"))
	t, s := c.YMM(), c.YMM()
	c.VMULPD(mem(at, 0), l3, t)
	c.VMOVUPD(mem(at, 96), s)
	c.VFMADD231PD(mem(at, 32), l2, t)
	c.VFMADD231PD(mem(at, 64), l1, s)
	c.VADDPD(t, s, s)
	c.VFMADD213PD(s, l4, v)
	c.ADDQ(operand.Imm(128), at)
	c.SUBQ(operand.I32(128), left)
	c.JMP(operand.LabelRef("decayFour"))

	c.Label("decayRest")
	c.ADDQ(table, left) // 32 bytes of coefficients for each column left
	b, x, y := c.YMM(), c.YMM(), c.YMM()
	c.VBROADCASTSD(mem(left, 8), b)
	c.VMULPD(mem(at, 0), b, x)
	c.VBROADCASTSD(mem(left, 16), b)
	c.VMULPD(mem(at, 32), b, y)
	c.VBROADCASTSD(mem(left, 24), b)
	c.VFMADD231PD(mem(at, 64), b, x)
	c.VADDPD(x, y, y)
	c.VBROADCASTSD(mem(left, 0), b)
	c.VFMADD213PD(y, b, v)

	old, up := c.YMM(), c.YMM()
	c.VADDPD(v, total, total)
	c.VMOVUPD(mem(to, 0), old)
	c.VPERMPD(operand.Imm(0x90), v, up) // 0, 0, 1, 2
	c.VFMADD213PD(old, l1, v)
	c.VADDPD(first, old, old)
	c.VFMADD231PD(up, masked, old)
	c.VMOVUPD(old, mem(to, 0))
	c.LEAQ(mem(to, 32), at)
	c.DECQ(n)
	c.JMP(operand.LabelRef("decayPlace"))

	c.Label("decayDone")
	c.VMOVUPD(total, mem(sum, 0))
	c.VZEROUPPER()
	c.RET()
}
