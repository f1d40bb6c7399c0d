package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// symm generates symvRows for four vectors at once: each entry of four rows
// of a matrix serves eight results. It needs the registers of AVX-512.
//
// The sixteen inner products stay spread over lanes, in memory between calls: a
// long row is gone through in runs short enough for x and y to stay in the
// first-level cache, and adding up the lanes after every run would cost a third of it.
func symm(c *build.Context) {
	a := asm{c, avx512f64}
	a.function("symmRows",
		"func(n int, a *float64, lda int, x *float64, ldx int, out *float64, y *float64, ldy int, coef *float64)",
		a.loop("symmRows", "for i := range n {", "\tfor c := range 4 {", "\t\tfor k := range 4 {",
			"\t\t\tout[8*(4*c+k)+i%8] += a[k*lda+i] * x[c*ldx+i]", "\t\t\ty[c*ldy+i] += coef[4*c+k] * a[k*lda+i]", "\t\t}",
			"\t}", "}")...)
	n := a.loadInt("n")
	rows := a.fourPointers("a", "lda")
	x := a.fourPointers("x", "ldx")
	y := a.fourPointers("y", "ldy")
	coef, out := a.loadInt("coef"), a.loadInt("out")
	// Products 0–15 at 4c+k, rows 16–19, x in 20, y in 21 and 22, and as many
	// coefficients as there are registers left: the others come from memory with each use.
	const rowReg, xReg, yReg, coefReg, held = 16, 20, 21, 23, 9
	for i := range 16 {
		a.move(at(out, 64*i), zmm[i])
	}
	for i := range held {
		a.broadcast(at(coef, 8*i), zmm[coefReg+i])
	}
	body := func(load func(m operand.Mem, r reg.VecPhysical), store func(r reg.VecPhysical, m operand.Mem)) {
		for k := range 4 {
			load(rows[k], zmm[rowReg+k])
		}
		for c := range 4 {
			vy := zmm[yReg+c%2]
			load(x[c], zmm[xReg])
			load(y[c], vy)
			for k := range 4 {
				a.fma(zmm[xReg], zmm[rowReg+k], zmm[4*c+k])
				if i := 4*c + k; i < held {
					a.fma(zmm[coefReg+i], zmm[rowReg+k], vy)
				} else {
					a.fmaBcst(at(coef, 8*i), zmm[rowReg+k], vy)
				}
			}
			store(vy, y[c])
		}
	}
	a.Label("vector")
	a.CMPQ(n, imm(8))
	a.JLT(operand.LabelRef("vector_done"))
	body(func(m operand.Mem, r reg.VecPhysical) { a.move(m, r) }, func(r reg.VecPhysical, m operand.Mem) { a.move(r, m) })
	for _, p := range [][4]operand.Mem{rows, x, y} {
		a.ADDQ(imm(64), p[0].Base)
	}
	a.SUBQ(imm(8), n)
	a.JMP(operand.LabelRef("vector"))
	a.Label("vector_done")
	a.TESTQ(n, n)
	a.JZ(operand.LabelRef("tail_done"))
	a.tailMask(n, a.GP64(), reg.K1)
	body(func(m operand.Mem, r reg.VecPhysical) { a.loadMasked(m, reg.K1, r) },
		func(r reg.VecPhysical, m operand.Mem) { a.moveMasked(r, reg.K1, m) })
	a.Label("tail_done")
	for i := range 16 {
		a.move(zmm[i], at(out, 64*i))
	}
	a.VZEROUPPER()
	a.RET()
}

// fourPointers are the addresses of four rows, ld elements apart, that move
// together with their base.
func (a asm) fourPointers(base, ld string) [4]operand.Mem {
	p, step := a.loadInt(base), a.loadInt(ld)
	a.SHLQ(operand.U8(3), step)
	three := a.GP64()
	a.MOVQ(step, three)
	a.ADDQ(step, three)
	a.ADDQ(step, three)
	return [4]operand.Mem{
		{Base: p},
		{Base: p, Index: step, Scale: 1},
		{Base: p, Index: step, Scale: 2},
		{Base: p, Index: three, Scale: 1},
	}
}
