package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// gather generates the inner product with a vector in another order.
func gather(c *build.Context) { asm{c, avx512f64}.gatherDot() }

// Two accumulators: a gather of eight takes longer than the latency of the sum.
func (a asm) gatherDot() {
	a.function("gatherDot", "func(n int, x *float64, index *int32, y *float64) float64",
		append(a.loop("gatherDot", "for i := range n {", "\tsum += x[i] * y[index[i]]", "}", "return sum"), "",
			"where n is a multiple of 16.")...)
	n, x, index, y := a.loadInt("n"), a.loadInt("x"), a.loadInt("index"), a.loadInt("y")
	a.zero(0)
	a.zero(1)
	k := []operand.Op{a.K(), a.K()}
	a.Label("loop")
	a.TESTQ(n, n)
	a.JZ(operand.LabelRef("done"))
	for i := range 2 {
		a.VMOVDQU(at(index, 32*i), ymm[4+i])
		a.KXNORW(k[i], k[i], k[i])
		a.zero(2 + i)
		a.VGATHERDPD(operand.Mem{Base: y, Index: ymm[4+i], Scale: 8}, k[i], zmm[2+i])
		a.fma(at(x, 64*i), zmm[2+i], zmm[i])
	}
	a.ADDQ(imm(128), x)
	a.ADDQ(imm(64), index)
	a.SUBQ(imm(16), n)
	a.JMP(operand.LabelRef("loop"))
	a.Label("done")
	a.add(zmm[1], zmm[0], zmm[0])
	a.sumLanes(0, 1)
	addr, err := a.ReturnIndex(0).Resolve()
	if err != nil {
		panic(err)
	}
	a.moveScalar(xmm[0], addr.Addr)
	a.VZEROUPPER()
	a.RET()
}
