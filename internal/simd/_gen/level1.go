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

func (a asm) dot() {
	a.function("dot", "func(n int, x, y *"+a.elem()+") "+a.elem(),
		a.name("dot")+" is the sum over i < n of x[i]*y[i].")
	n, x, y := a.loadInt("n"), a.loadInt("x"), a.loadInt("y")
	const unroll = 4
	// Accumulators 0–3, the scalar tail of AVX2 in 4, data in 5–8.
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
	a.add(a.reg(1), a.reg(0), a.reg(0))
	a.add(a.reg(3), a.reg(2), a.reg(2))
	a.add(a.reg(2), a.reg(0), a.reg(0))
	a.add(a.reg(4), a.reg(0), a.reg(0))
	a.sumLanes(0, 1)
	a.VZEROUPPER()
	a.Store(xmm[0], a.ReturnIndex(0))
	a.RET()
}

// loadInt brings an integer or pointer parameter into a register.
func (a asm) loadInt(name string) reg.GPVirtual {
	return a.Load(a.Param(name), a.GP64()).(reg.GPVirtual)
}
