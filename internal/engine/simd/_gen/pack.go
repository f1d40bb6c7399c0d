package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// pack generates the copies that pack panels of a matrix. The transposing one
// needs no more than AVX, and serves both levels.
func pack(c *build.Context) {
	for _, v := range vecs {
		asm{c, v}.packPanels()
	}
	for _, v := range []vec{avx2f64, avx2f32} {
		asm{c, v}.transposeFour()
	}
}

func (a asm) transposeFour() {
	a.function("transposeFour", "func(n int, src *"+a.elem()+", ld int, dst *"+a.elem()+", stride int)",
		a.loop("transposeFour", "for r := range 4 {", "\tfor p := range n {", "\t\tdst[p*stride+r] = src[r*ld+p]", "\t}",
			"}")...)
	n := a.loadInt("n")
	src0, ld, dst, stride := a.loadInt("src"), a.loadInt("ld"), a.loadInt("dst"), a.loadInt("stride")
	size := uint8(a.size())
	src1, src2, src3, dst2 := a.GP64(), a.GP64(), a.GP64(), a.GP64()
	a.LEAQ(operand.Mem{Base: src0, Index: ld, Scale: size}, src1)
	a.LEAQ(operand.Mem{Base: src1, Index: ld, Scale: size}, src2)
	a.LEAQ(operand.Mem{Base: src2, Index: ld, Scale: size}, src3)
	a.SHLQ(operand.U8(log2(a.size())), stride)
	srcs := []operand.Mem{at(src0, 0), at(src1, 0), at(src2, 0), at(src3, 0)}
	r := ymm
	if a.bits == 32 {
		r = xmm
	}
	advance := func(p int) {
		for _, s := range srcs {
			a.ADDQ(imm(p*a.size()), s.Base)
		}
		a.SUBQ(imm(p), n)
	}
	a.Label("four")
	a.CMPQ(n, imm(4))
	a.JLT(operand.LabelRef("one"))
	for i, s := range srcs {
		a.move(s, r[i])
	}
	if a.bits == 64 {
		a.VUNPCKLPD(r[1], r[0], r[4])
		a.VUNPCKHPD(r[1], r[0], r[5])
		a.VUNPCKLPD(r[3], r[2], r[6])
		a.VUNPCKHPD(r[3], r[2], r[7])
		a.VPERM2F128(operand.U8(0x20), r[6], r[4], r[0])
		a.VPERM2F128(operand.U8(0x20), r[7], r[5], r[1])
		a.VPERM2F128(operand.U8(0x31), r[6], r[4], r[2])
		a.VPERM2F128(operand.U8(0x31), r[7], r[5], r[3])
	} else {
		a.VUNPCKLPS(r[1], r[0], r[4])
		a.VUNPCKHPS(r[1], r[0], r[5])
		a.VUNPCKLPS(r[3], r[2], r[6])
		a.VUNPCKHPS(r[3], r[2], r[7])
		a.VUNPCKLPD(r[6], r[4], r[0])
		a.VUNPCKHPD(r[6], r[4], r[1])
		a.VUNPCKLPD(r[7], r[5], r[2])
		a.VUNPCKHPD(r[7], r[5], r[3])
	}
	a.LEAQ(operand.Mem{Base: dst, Index: stride, Scale: 2}, dst2)
	a.move(r[0], at(dst, 0))
	a.move(r[1], operand.Mem{Base: dst, Index: stride, Scale: 1})
	a.move(r[2], at(dst2, 0))
	a.move(r[3], operand.Mem{Base: dst2, Index: stride, Scale: 1})
	a.LEAQ(operand.Mem{Base: dst2, Index: stride, Scale: 2}, dst)
	advance(4)
	a.JMP(operand.LabelRef("four"))
	a.Label("one")
	a.CMPQ(n, imm(1))
	a.JLT(operand.LabelRef("done"))
	for i, s := range srcs {
		a.moveScalar(s, xmm[0])
		a.moveScalar(xmm[0], at(dst, i*a.size()))
	}
	a.ADDQ(stride, dst)
	advance(1)
	a.JMP(operand.LabelRef("one"))
	a.Label("done")
	a.VZEROUPPER()
	a.RET()
}

func (a asm) packPanels() {
	cols := tileVecs * a.lanes()
	a.function("packPanels", "func(k, panels int, src *"+a.elem()+", ld int, dst *"+a.elem()+")",
		append(a.loop("packPanels", "for q := range panels {", "\tfor p := range k {",
			fmt.Sprintf("\t\tfor j := range %d {", cols),
			fmt.Sprintf("\t\t\tdst[(q*k+p)*%[1]d+j] = src[p*ld+q*%[1]d+j]", cols), "\t\t}", "\t}", "}"),
			"", "where k and panels are at least 1.")...)
	k, panels, src, ld, dst := a.loadInt("k"), a.loadInt("panels"), a.loadInt("src"), a.loadInt("ld"), a.loadInt("dst")
	a.SHLQ(operand.U8(log2(a.size())), ld)
	apart := a.GP64() // bytes from one panel to the next
	a.IMUL3Q(imm(tileVecs*a.bytes), k, apart)
	from, to, q := a.GP64(), a.GP64(), a.GP64()
	a.Label("row")
	a.MOVQ(src, from)
	a.MOVQ(dst, to)
	a.MOVQ(panels, q)
	a.Label("panel")
	for j := range tileVecs {
		a.move(at(from, j*a.bytes), a.reg(j))
	}
	for j := range tileVecs {
		a.move(a.reg(j), at(to, j*a.bytes))
	}
	a.ADDQ(imm(tileVecs*a.bytes), from)
	a.ADDQ(apart, to)
	a.DECQ(q)
	a.JNZ(operand.LabelRef("panel"))
	a.ADDQ(ld, src)
	a.ADDQ(imm(tileVecs*a.bytes), dst)
	a.DECQ(k)
	a.JNZ(operand.LabelRef("row"))
	a.VZEROUPPER()
	a.RET()
}
