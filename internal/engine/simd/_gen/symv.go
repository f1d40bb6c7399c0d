package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// symv generates the product of four rows with a vector together with their
// combination (a symmetric product reads each entry once for two results), and
// the plane rotation of two rows.
func symv(c *build.Context) {
	for _, v := range []vec{avx2f64, avx512f64} {
		a := asm{c, v}
		a.symvRows()
		a.rotate()
	}
}

// Register plan of symvRows: products 0–3 and 4–7 (a second set for the
// unrolled half), coefficients 8–11, then x, y and the entry at hand.
const (
	rowCoef = 8
	rowX    = 12
	rowY    = 13
	rowA    = 14
)

// symvRows emits out[k] += Σ a[k·stride+i]·x[i] and
// y[i] += Σₖ coef[k]·a[k·stride+i].
func (a asm) symvRows() {
	a.function("symvRows", "func(n int, a *float64, stride int, x, out, y, coef *float64)",
		a.loop("symvRows", "for i := range n {", "\tfor k := range 4 {", "\t\tout[k] += a[k*stride+i] * x[i]",
			"\t\ty[i] += coef[k] * a[k*stride+i]", "\t}", "}")...)
	n := a.loadInt("n")
	row := []reg.GPVirtual{a.loadInt("a")}
	stride := a.loadInt("stride")
	a.SHLQ(operand.U8(3), stride)
	for k := 1; k < 4; k++ {
		p := a.GP64()
		a.MOVQ(row[k-1], p)
		a.ADDQ(stride, p)
		row = append(row, p)
	}
	moving := append([]reg.GPVirtual(nil), row...)
	x, out := a.loadInt("x"), a.loadInt("out")
	moving = append(moving, x)
	for i := range 8 {
		a.zero(i)
	}
	y := a.loadInt("y")
	coef := a.loadInt("coef")
	moving = append(moving, y)
	for k := range 4 {
		a.broadcast(at(coef, 8*k), a.reg(rowCoef+k))
	}
	loop := func(label string, lanes int, emit func()) {
		a.Label(label)
		a.CMPQ(n, imm(lanes))
		a.JLT(operand.LabelRef(label + "_done"))
		emit()
		for _, p := range moving {
			a.ADDQ(imm(lanes*8), p)
		}
		a.SUBQ(imm(lanes), n)
		a.JMP(operand.LabelRef(label))
		a.Label(label + "_done")
	}
	body := func(u int) {
		a.move(at(x, u*a.bytes), a.reg(rowX))
		a.move(at(y, u*a.bytes), a.reg(rowY))
		for k := range 4 {
			a.move(at(row[k], u*a.bytes), a.reg(rowA))
			a.fma(a.reg(rowX), a.reg(rowA), a.reg(4*u+k))
			a.fma(a.reg(rowCoef+k), a.reg(rowA), a.reg(rowY))
		}
		a.move(a.reg(rowY), at(y, u*a.bytes))
	}
	loop("pair", 2*a.lanes(), func() { body(0); body(1) })
	loop("vector", a.lanes(), func() { body(0) })
	for k := range 4 {
		a.add(a.reg(4+k), a.reg(k), a.reg(k))
		a.zero(4 + k) // the tail's products
	}
	if a.bytes == 64 {
		a.TESTQ(n, n)
		a.JZ(operand.LabelRef("tail_done"))
		a.tailMask(n, a.GP64(), reg.K1)
		a.loadMasked(at(x, 0), reg.K1, a.reg(rowX))
		a.loadMasked(at(y, 0), reg.K1, a.reg(rowY))
		for k := range 4 {
			a.loadMasked(at(row[k], 0), reg.K1, a.reg(rowA))
			a.fma(a.reg(rowX), a.reg(rowA), a.reg(4+k))
			a.fma(a.reg(rowCoef+k), a.reg(rowA), a.reg(rowY))
		}
		a.moveMasked(a.reg(rowY), reg.K1, at(y, 0))
		a.Label("tail_done")
	} else {
		loop("tail", 1, func() {
			a.moveScalar(at(x, 0), xmm[rowX])
			a.moveScalar(at(y, 0), xmm[rowY])
			for k := range 4 {
				a.moveScalar(at(row[k], 0), xmm[rowA])
				a.fmaScalar(xmm[rowX], xmm[rowA], xmm[4+k])
				a.fmaScalar(xmm[rowCoef+k], xmm[rowA], xmm[rowY])
			}
			a.moveScalar(xmm[rowY], at(y, 0))
		})
	}
	for k := range 4 {
		a.add(a.reg(4+k), a.reg(k), a.reg(k))
		a.sumLanes(k, rowA)
		a.addScalar(at(out, 8*k), xmm[k], xmm[k])
		a.moveScalar(xmm[k], at(out, 8*k))
	}
	a.VZEROUPPER()
	a.RET()
}

// rotate emits (x, y) ← (c·x + s·y, c·y − s·x).
func (a asm) rotate() {
	a.function("rotate", "func(n int, x, y *float64, c, s float64)",
		a.loop("rotate", "for i := range n {", "\tx[i], y[i] = c*x[i]+s*y[i], c*y[i]-s*x[i]", "}")...)
	n, x, y := a.loadInt("n"), a.loadInt("x"), a.loadInt("y")
	c, s := a.reg(0), a.reg(1)
	a.broadcast(a.paramMem("c"), c)
	a.broadcast(a.paramMem("s"), s)
	a.strips(n, 2, []reg.GPVirtual{x, y}, func(u int) {
		for i := range u {
			vx, vy, nx, ny := a.reg(2+4*i), a.reg(3+4*i), a.reg(4+4*i), a.reg(5+4*i)
			a.move(at(x, i*a.bytes), vx)
			a.move(at(y, i*a.bytes), vy)
			a.mul(s, vy, nx)
			a.mul(s, vx, ny)
			a.VFMADD231PD(c, vx, nx)
			a.VFMSUB231PD(c, vy, ny)
			a.move(nx, at(x, i*a.bytes))
			a.move(ny, at(y, i*a.bytes))
		}
	}, func() {
		if a.bytes == 64 {
			a.loadMasked(at(x, 0), reg.K1, zmm[2])
			a.loadMasked(at(y, 0), reg.K1, zmm[3])
			a.mul(s, zmm[3], zmm[4])
			a.mul(s, zmm[2], zmm[5])
			a.VFMADD231PD(c, zmm[2], zmm[4])
			a.VFMSUB231PD(c, zmm[3], zmm[5])
			a.moveMasked(zmm[4], reg.K1, at(x, 0))
			a.moveMasked(zmm[5], reg.K1, at(y, 0))
			return
		}
		a.moveScalar(at(x, 0), xmm[2])
		a.moveScalar(at(y, 0), xmm[3])
		a.mulScalar(xmm[1], xmm[3], xmm[4])
		a.mulScalar(xmm[1], xmm[2], xmm[5])
		a.VFMADD231SD(xmm[0], xmm[2], xmm[4])
		a.VFMSUB231SD(xmm[0], xmm[3], xmm[5])
		a.moveScalar(xmm[4], at(x, 0))
		a.moveScalar(xmm[5], at(y, 0))
	})
	a.VZEROUPPER()
	a.RET()
}

// paramMem is the stack slot of a scalar parameter.
func (a asm) paramMem(name string) operand.Mem {
	basic, err := a.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}
