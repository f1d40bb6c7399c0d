package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// symm generates symvRows for four vectors at once: each entry of four rows
// of a matrix serves eight results. It needs the registers of AVX-512.
func symm(c *build.Context) {
	a := asm{c, avx512f64}
	a.function("symmRows", "func(n int, a *float64, lda int, x *float64, ldx int, out *float64, y *float64, ldy int, coef *float64)",
		a.name("symmRows")+" adds the sum over i < n of a[k*lda+i]*x[c*ldx+i] to out[4*c+k], for c, k < 4,",
		"and the sum over k < 4 of coef[4*c+k]*a[k*lda+i] to y[c*ldy+i], for c < 4 and i < n.")
	n := a.loadInt("n")
	rows := a.fourPointers("a", "lda")
	x := a.fourPointers("x", "ldx")
	y := a.fourPointers("y", "ldy")
	coef := a.loadInt("coef")
	// The next four rows are fetched ahead: tiles are too narrow for the hardware to guess.
	ahead := rows
	next := a.GP64()
	a.LEAQ(operand.Mem{Base: rows[0].Base, Index: rows[1].Index, Scale: 4}, next)
	for k := range ahead {
		ahead[k].Base = next
	}
	// Products 0–15 at 4c+k, rows 16–19, x in 20, y in 21–24.
	const rowReg, xReg, yReg, spare = 16, 20, 21, 25
	for i := range 16 {
		a.zero(i)
	}
	body := func(load func(m operand.Mem, r reg.VecPhysical), store func(r reg.VecPhysical, m operand.Mem)) {
		for k := range 4 {
			load(rows[k], zmm[rowReg+k])
		}
		for c := range 4 {
			load(x[c], zmm[xReg])
			load(y[c], zmm[yReg+c])
			for k := range 4 {
				a.fma(zmm[xReg], zmm[rowReg+k], zmm[4*c+k])
				a.fmaBcst(at(coef, 8*(4*c+k)), zmm[rowReg+k], zmm[yReg+c])
			}
			store(zmm[yReg+c], y[c])
		}
	}
	a.Label("vector")
	a.CMPQ(n, imm(8))
	a.JLT(operand.LabelRef("vector_done"))
	for k := range 4 {
		a.PREFETCHT0(ahead[k])
	}
	body(func(m operand.Mem, r reg.VecPhysical) { a.move(m, r) }, func(r reg.VecPhysical, m operand.Mem) { a.move(r, m) })
	for _, p := range [][4]operand.Mem{rows, ahead, x, y} {
		a.ADDQ(imm(64), p[0].Base)
	}
	a.SUBQ(imm(8), n)
	a.JMP(operand.LabelRef("vector"))
	a.Label("vector_done")
	a.TESTQ(n, n)
	a.JZ(operand.LabelRef("tail_done"))
	a.tailMask(n, a.GP64(), reg.K1)
	body(func(m operand.Mem, r reg.VecPhysical) { a.loadMasked(m, reg.K1, r) }, func(r reg.VecPhysical, m operand.Mem) { a.moveMasked(r, reg.K1, m) })
	a.Label("tail_done")
	out := a.loadInt("out")
	add := func(r, slot int) {
		a.sumLanes(r, 15)
		a.addScalar(at(out, 8*slot), xmm[r], xmm[r])
		a.moveScalar(xmm[r], at(out, 8*slot))
	}
	a.move(zmm[15], zmm[spare]) // 15 is scratch from here
	for i := range 15 {
		add(i, i)
	}
	a.move(zmm[spare], zmm[0])
	add(0, 15)
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
