package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// sparse generates the product of sparse rows with sixteen spread ones.
func sparse(c *build.Context) {
	for _, v := range []vec{avx2f64, avx512f64} {
		asm{c, v}.sparseRows()
	}
}

func (a asm) sparseRows() {
	a.function("sparseRows", "func(rows int, ptr *int, index *int32, value, spread, out *float64)",
		a.loop("sparseRows", "for r := range rows {", "\tfor l := range 16 {", "\t\tout[16*r+l] = 0",
			"\t\tfor k := ptr[r]; k < ptr[r+1]; k++ {",
			"\t\t\tout[16*r+l] += value[k] * spread[16*index[k]+l]", "\t\t}", "\t}", "}")...)
	const side = 16 * 8 // bytes of the sixteen values of one column
	rows, ptr, index := a.loadInt("rows"), a.loadInt("ptr"), a.loadInt("index")
	value, spread, out := a.loadInt("value"), a.loadInt("spread"), a.loadInt("out")
	k, end, column := a.GP64(), a.GP64(), a.GP64()
	a.MOVQ(at(ptr, 0), k)
	a.Label("row")
	a.TESTQ(rows, rows)
	a.JZ(operand.LabelRef("done"))
	for i := range side / a.bytes {
		a.zero(i)
	}
	a.MOVQ(at(ptr, 8), end)
	a.Label("entry")
	a.CMPQ(k, end)
	a.JGE(operand.LabelRef("store"))
	a.MOVL(operand.Mem{Base: index, Index: k, Scale: 4}, column.As32())
	a.SHLQ(operand.U8(7), column)
	a.broadcast(operand.Mem{Base: value, Index: k, Scale: 8}, a.reg(8))
	for i := range side / a.bytes {
		a.fma(operand.Mem{Base: spread, Index: column, Scale: 1, Disp: i * a.bytes}, a.reg(8), a.reg(i))
	}
	a.INCQ(k)
	a.JMP(operand.LabelRef("entry"))
	a.Label("store")
	for i := range side / a.bytes {
		a.move(a.reg(i), at(out, i*a.bytes))
	}
	a.ADDQ(imm(side), out)
	a.ADDQ(imm(8), ptr)
	a.DECQ(rows)
	a.JMP(operand.LabelRef("row"))
	a.Label("done")
	a.VZEROUPPER()
	a.RET()
}
