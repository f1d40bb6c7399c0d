package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// boxpair generates the inner loops of sequential minimal optimisation on a
// working set: the step of a pair and the search for the next one.
func boxpair(c *build.Context) {
	for _, v := range []vec{avx2f64, avx512f64} {
		asm{c, v}.stepTwo()
		asm{c, v}.partner()
		asm{c, v}.largest()
	}
}

// advance moves pointers on by the given number of bytes and counts down n.
func (a asm) advance(n reg.GPVirtual, count int, step map[reg.GPVirtual]int, order ...reg.GPVirtual) {
	for _, p := range order {
		a.ADDQ(imm(step[p]), p)
	}
	a.SUBQ(imm(count), n)
	a.JMP(operand.LabelRef("loop"))
	a.Label("done")
}

func (a asm) stepTwo() {
	a.function("stepTwo", "func(n int, step float64, x, y *float32, up, down *float64)",
		a.name("stepTwo")+" takes step*(x[i]-y[i]) from up[i] and down[i] for i < n, where n is a multiple of one vector.")
	n, x, y, up, down := a.loadInt("n"), a.loadInt("x"), a.loadInt("y"), a.loadInt("up"), a.loadInt("down")
	a.broadcastParam("step", a.reg(0))
	a.Label("loop")
	a.CMPQ(n, imm(a.lanes()))
	a.JLT(operand.LabelRef("done"))
	a.VCVTPS2PD(at(x, 0), a.reg(1))
	a.VCVTPS2PD(at(y, 0), a.reg(2))
	a.VSUBPD(a.reg(2), a.reg(1), a.reg(1))
	a.mul(a.reg(0), a.reg(1), a.reg(1))
	for _, p := range []reg.GPVirtual{up, down} {
		a.move(at(p, 0), a.reg(3))
		a.VSUBPD(a.reg(1), a.reg(3), a.reg(3))
		a.move(a.reg(3), at(p, 0))
	}
	a.advance(n, a.lanes(), map[reg.GPVirtual]int{x: a.bytes / 2, y: a.bytes / 2, up: a.bytes, down: a.bytes}, x, y, up,
		down)
	a.VZEROUPPER()
	a.RET()
}

// partner keeps the best of each lane of two vectors as a fraction, so that no
// division is needed.
func (a asm) partner() {
	a.function("partner", "func(n int, given, down, diag *float64, k *float32, out *float64)",
		a.name("partner")+
			" looks in each lane of two vectors for the largest max(z-down[i], 0)²/max(c+diag[i]-2k[i], tiny) over i < n,",
		"a multiple of two vectors. given is z, c, tiny, then two vectors' length and 0, 1, … in vectors. out is",
		"numerators, denominators and places (two vectors each), and the smallest down[i] of each lane.")
	const (
		z, c, tiny, low, num, den, place, here, zero = 0, 1, 2, 3, 4, 6, 8, 10, 11
	)
	r := a.reg
	n, given, down, diag, k, out := a.loadInt("n"), a.loadInt("given"), a.loadInt("down"), a.loadInt("diag"),
		a.loadInt("k"), a.loadInt("out")
	for i, to := range []int{z, c, tiny} {
		a.broadcast(at(given, 8*i), r(to))
	}
	a.zero(zero)
	a.move(at(given, 24+a.bytes), r(here))
	a.move(at(down, 0), r(low))
	for u := range 2 {
		a.zero(num + u)
		a.move(r(tiny), r(den+u))
		a.zero(place + u)
	}
	a.Label("loop")
	a.CMPQ(n, imm(2*a.lanes()))
	a.JLT(operand.LabelRef("done"))
	for u := range 2 {
		a.move(at(down, u*a.bytes), r(12))
		a.VMINPD(r(12), r(low), r(low))
		a.VSUBPD(r(12), r(z), r(12))
		a.VMAXPD(r(zero), r(12), r(12))
		a.mul(r(12), r(12), r(12))
		a.VCVTPS2PD(at(k, u*a.bytes/2), r(13))
		a.add(at(diag, u*a.bytes), r(c), r(14))
		a.add(r(13), r(13), r(13))
		a.VSUBPD(r(13), r(14), r(14))
		a.VMAXPD(r(tiny), r(14), r(14))
		a.mul(r(12), r(den+u), r(13))
		a.mul(r(14), r(num+u), r(15))
		const greater = operand.U8(0x1e) // GT_OQ
		if a.bytes == 64 {
			a.VCMPPD(greater, r(15), r(13), reg.K1)
			a.moveMasked(r(12), reg.K1, r(num+u))
			a.moveMasked(r(14), reg.K1, r(den+u))
			a.moveMasked(r(here), reg.K1, r(place+u))
		} else {
			a.VCMPPD(greater, r(15), r(13), r(13))
			a.VBLENDVPD(r(13), r(12), r(num+u), r(num+u))
			a.VBLENDVPD(r(13), r(14), r(den+u), r(den+u))
			a.VBLENDVPD(r(13), r(here), r(place+u), r(place+u))
		}
	}
	a.add(at(given, 24), r(here), r(here))
	a.advance(n, 2*a.lanes(), map[reg.GPVirtual]int{down: 2 * a.bytes, diag: 2 * a.bytes, k: a.bytes}, down, diag, k)
	for i, from := range []int{num, num + 1, den, den + 1, place, place + 1, low} {
		a.move(r(from), at(out, i*a.bytes))
	}
	a.VZEROUPPER()
	a.RET()
}

func (a asm) largest() {
	a.function("largest", "func(n int, x, out *float64)",
		a.name("largest")+" writes the largest x[i] of each lane to out, over i < n, a multiple of two vectors above 0.")
	n, x, out := a.loadInt("n"), a.loadInt("x"), a.loadInt("out")
	a.move(at(x, 0), a.reg(0))
	a.move(at(x, a.bytes), a.reg(1))
	a.Label("loop")
	a.CMPQ(n, imm(2*a.lanes()))
	a.JLT(operand.LabelRef("done"))
	for u := range 2 {
		a.VMAXPD(at(x, u*a.bytes), a.reg(u), a.reg(u))
	}
	a.advance(n, 2*a.lanes(), map[reg.GPVirtual]int{x: 2 * a.bytes}, x)
	a.VMAXPD(a.reg(0), a.reg(1), a.reg(0))
	a.move(a.reg(0), at(out, 0))
	a.VZEROUPPER()
	a.RET()
}
