package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// level1 generates the vector-vector routines. Lengths are at least 0 and
// were checked on the Go side.
func level1(c *build.Context) {
	for _, v := range vecs {
		a := asm{c, v}
		a.dot()
		a.axpy()
		a.scal()
		a.asum()
	}
}

// strips emits loops over n elements: body(u) is emitted for u vectors at
// once, first unrolled, then one vector at a time, and then the rest of
// fewer than a vector: under mask k1 on AVX-512, one scalar at a time on AVX2.
// The pointers move with the loop.
func (a asm) strips(n reg.GPVirtual, unroll int, ptrs []reg.GPVirtual, body func(u int), tail func()) {
	loop := func(label string, lanes int, emit func()) {
		a.Label(label)
		a.CMPQ(n, imm(lanes))
		a.JLT(operand.LabelRef(label + "_done"))
		emit()
		for _, p := range ptrs {
			a.ADDQ(imm(lanes*a.size()), p)
		}
		a.SUBQ(imm(lanes), n)
		a.JMP(operand.LabelRef(label))
		a.Label(label + "_done")
	}
	loop("unrolled", unroll*a.lanes(), func() { body(unroll) })
	loop("vector", a.lanes(), func() { body(1) })
	if a.bytes == 64 {
		a.TESTQ(n, n)
		a.JZ(operand.LabelRef("tail_done"))
		a.tailMask(n, a.GP64(), reg.K1)
		tail()
		a.Label("tail_done")
		return
	}
	loop("tail", 1, tail)
}

// sumFour adds registers 1–4 to register 0, adds its lanes, and returns the sum.
func (a asm) sumFour() {
	a.add(a.reg(1), a.reg(0), a.reg(0))
	a.add(a.reg(3), a.reg(2), a.reg(2))
	a.add(a.reg(2), a.reg(0), a.reg(0))
	a.add(a.reg(4), a.reg(0), a.reg(0))
	a.sumLanes(0, 1)
	a.VZEROUPPER()
	a.Store(xmm[0], a.ReturnIndex(0))
	a.RET()
}

func (a asm) dot() {
	a.function("dot", "func(n int, x, y *"+a.elem()+") "+a.elem(),
		a.loop("dot", "for i := range n {", "\tsum += x[i] * y[i]", "}", "return sum")...)
	n, x, y := a.loadInt("n"), a.loadInt("x"), a.loadInt("y")
	const unroll = 4
	// Accumulators 0–3, the tail in 4, data in 5–8.
	for i := range unroll + 1 {
		a.zero(i)
	}
	a.strips(n, unroll, []reg.GPVirtual{x, y}, func(u int) {
		for i := range u {
			a.move(at(x, i*a.bytes), a.reg(5+i))
		}
		for i := range u {
			a.fma(at(y, i*a.bytes), a.reg(5+i), a.reg(i))
		}
	}, func() {
		if a.bytes == 64 {
			a.loadMasked(at(x, 0), reg.K1, a.reg(5))
			a.loadMasked(at(y, 0), reg.K1, a.reg(6))
			a.fma(a.reg(6), a.reg(5), a.reg(4))
			return
		}
		a.moveScalar(at(x, 0), xmm[5])
		a.fmaScalar(at(y, 0), xmm[5], xmm[4])
	})
	a.sumFour()
}

func (a asm) axpy() {
	a.function("axpy", "func(n int, alpha "+a.elem()+", x, y *"+a.elem()+")",
		a.loop("axpy", "for i := range n {", "\ty[i] += alpha * x[i]", "}")...)
	n, x, y := a.loadInt("n"), a.loadInt("x"), a.loadInt("y")
	a.broadcastParam("alpha", a.reg(0))
	a.strips(n, 4, []reg.GPVirtual{x, y}, func(u int) {
		for i := range u {
			a.move(at(y, i*a.bytes), a.reg(1+i))
		}
		for i := range u {
			a.fma(at(x, i*a.bytes), a.reg(0), a.reg(1+i))
			a.move(a.reg(1+i), at(y, i*a.bytes))
		}
	}, func() {
		if a.bytes == 64 {
			a.loadMasked(at(x, 0), reg.K1, a.reg(2))
			a.loadMasked(at(y, 0), reg.K1, a.reg(1))
			a.fma(a.reg(2), a.reg(0), a.reg(1))
			a.moveMasked(a.reg(1), reg.K1, at(y, 0))
			return
		}
		a.moveScalar(at(y, 0), xmm[1])
		a.fmaScalar(at(x, 0), xmm[0], xmm[1])
		a.moveScalar(xmm[1], at(y, 0))
	})
	a.VZEROUPPER()
	a.RET()
}

func (a asm) scal() {
	a.function("scal", "func(n int, alpha "+a.elem()+", x *"+a.elem()+")",
		a.loop("scal", "for i := range n {", "\tx[i] *= alpha", "}")...)
	n, x := a.loadInt("n"), a.loadInt("x")
	a.broadcastParam("alpha", a.reg(0))
	a.strips(n, 4, []reg.GPVirtual{x}, func(u int) {
		for i := range u {
			a.mul(at(x, i*a.bytes), a.reg(0), a.reg(1+i))
			a.move(a.reg(1+i), at(x, i*a.bytes))
		}
	}, func() {
		if a.bytes == 64 {
			a.loadMasked(at(x, 0), reg.K1, a.reg(1))
			a.mul(a.reg(1), a.reg(0), a.reg(1))
			a.moveMasked(a.reg(1), reg.K1, at(x, 0))
			return
		}
		a.mulScalar(at(x, 0), xmm[0], xmm[1])
		a.moveScalar(xmm[1], at(x, 0))
	})
	a.VZEROUPPER()
	a.RET()
}

func (a asm) asum() {
	a.function("asum", "func(n int, x *"+a.elem()+") "+a.elem(),
		a.loop("asum", "for i := range n {", "\tsum += abs(x[i])", "}", "return sum")...)
	n, x := a.loadInt("n"), a.loadInt("x")
	for i := range 5 {
		a.zero(i)
	}
	// Register 9 keeps every bit but the sign.
	mask := a.reg(9)
	if a.bytes == 64 {
		a.VPTERNLOGQ(operand.U8(0xff), mask, mask, mask)
	} else {
		a.VPCMPEQQ(mask, mask, mask)
	}
	a.pick(a.VPSRLQ, a.VPSRLD)(operand.U8(1), mask, mask)
	a.strips(n, 4, []reg.GPVirtual{x}, func(u int) {
		for i := range u {
			a.and(at(x, i*a.bytes), mask, a.reg(5+i))
			a.add(a.reg(5+i), a.reg(i), a.reg(i))
		}
	}, func() {
		if a.bytes == 64 {
			a.loadMasked(at(x, 0), reg.K1, a.reg(5))
			a.and(a.reg(5), mask, a.reg(5))
			a.add(a.reg(5), a.reg(4), a.reg(4))
			return
		}
		a.moveScalar(at(x, 0), xmm[5])
		a.pick(a.VANDPD, a.VANDPS)(xmm[5], xmm[9], xmm[5])
		a.addScalar(xmm[5], xmm[4], xmm[4])
	})
	a.sumFour()
}
