package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gemv generates the two halves of matrix times vector, four rows of the
// matrix at a time.
func gemv(c *build.Context) {
	for _, v := range vecs {
		a := asm{c, v}
		a.dotRows()
		a.axpyRows()
	}
}

// fourRows loads the pointers to four rows, ld elements apart.
func (a asm) fourRows() []reg.GPVirtual {
	first, ld := a.loadInt("a"), a.loadInt("lda")
	rows := []reg.GPVirtual{first}
	for i := 1; i < 4; i++ {
		r := a.GP64()
		a.LEAQ(operand.Mem{Base: rows[i-1], Index: ld, Scale: uint8(a.size())}, r)
		rows = append(rows, r)
	}
	return rows
}

func (a asm) dotRows() {
	a.function("dotRows", "func(n int, a *"+a.elem()+", lda int, x, out *"+a.elem()+")",
		a.loop("dotRows", "for r := range 4 {", "\tout[r] = 0", "\tfor i := range n {", "\t\tout[r] += a[r*lda+i] * x[i]",
			"\t}", "}")...)
	n := a.loadInt("n")
	rows := a.fourRows()
	x := a.loadInt("x")
	// Accumulators: rows × two vectors in 0–7, the tails in 8–11, x in 12–13.
	for i := range 12 {
		a.zero(i)
	}
	a.strips(n, 2, append([]reg.GPVirtual{x}, rows...), func(u int) {
		for i := range u {
			a.move(at(x, i*a.bytes), a.reg(12+i))
		}
		for i := range u {
			for r, p := range rows {
				a.fma(at(p, i*a.bytes), a.reg(12+i), a.reg(2*r+i))
			}
		}
	}, func() {
		if a.bytes == 64 {
			a.loadMasked(at(x, 0), reg.K1, a.reg(12))
			for r, p := range rows {
				a.loadMasked(at(p, 0), reg.K1, a.reg(13))
				a.fma(a.reg(13), a.reg(12), a.reg(8+r))
			}
			return
		}
		a.moveScalar(at(x, 0), xmm[12])
		for r, p := range rows {
			a.fmaScalar(at(p, 0), xmm[12], xmm[8+r])
		}
	})
	out := a.loadInt("out")
	for r := range rows {
		a.add(a.reg(2*r+1), a.reg(2*r), a.reg(2*r))
		a.add(a.reg(8+r), a.reg(2*r), a.reg(2*r))
		a.sumLanes(2*r, 14)
		a.moveScalar(xmm[2*r], at(out, r*a.size()))
	}
	a.VZEROUPPER()
	a.RET()
}

func (a asm) axpyRows() {
	a.function("axpyRows", "func(n int, alpha, a *"+a.elem()+", lda int, y *"+a.elem()+")",
		a.loop("axpyRows", "for i := range n {", "\tfor r := range 4 {", "\t\ty[i] += alpha[r] * a[r*lda+i]", "\t}", "}")...)
	n, alpha := a.loadInt("n"), a.loadInt("alpha")
	rows := a.fourRows()
	y := a.loadInt("y")
	for r := range rows {
		a.broadcast(at(alpha, r*a.size()), a.reg(r))
	}
	a.strips(n, 4, append([]reg.GPVirtual{y}, rows...), func(u int) {
		for i := range u {
			a.move(at(y, i*a.bytes), a.reg(4+i))
		}
		for r, p := range rows {
			for i := range u {
				a.fma(at(p, i*a.bytes), a.reg(r), a.reg(4+i))
			}
		}
		for i := range u {
			a.move(a.reg(4+i), at(y, i*a.bytes))
		}
	}, func() {
		if a.bytes == 64 {
			a.loadMasked(at(y, 0), reg.K1, a.reg(4))
			for r, p := range rows {
				a.loadMasked(at(p, 0), reg.K1, a.reg(5))
				a.fma(a.reg(5), a.reg(r), a.reg(4))
			}
			a.moveMasked(a.reg(4), reg.K1, at(y, 0))
			return
		}
		a.moveScalar(at(y, 0), xmm[4])
		for r, p := range rows {
			a.fmaScalar(at(p, 0), xmm[r], xmm[4])
		}
		a.moveScalar(xmm[4], at(y, 0))
	})
	a.VZEROUPPER()
	a.RET()
}
