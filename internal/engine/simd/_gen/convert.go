package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// convert generates the conversions between float64 and float32, as many
// elements at a time as a vector has float64; the rest one by one.
func convert(c *build.Context) {
	for _, v := range []vec{avx2f64, avx512f64} {
		a := asm{c, v}
		half := func() reg.VecVirtual {
			if v.bytes == 64 {
				return a.YMM()
			}
			return a.XMM()
		}
		full := lanes{asm: a, together: 1}.fresh
		a.conversion("narrow", "dst *float32, src *float64", "float32(src[i])", 8, 4, func(dst, src reg.Register) {
			h := half()
			switch v.bytes {
			case 64:
				a.VCVTPD2PS(at(src, 0), h)
			default:
				a.VCVTPD2PSY(at(src, 0), h)
			}
			a.VMOVUPS(h, at(dst, 0))
		}, func(dst, src reg.Register) {
			a.VCVTSD2SS(at(src, 0), reg.X0, reg.X0)
			a.VMOVSS(reg.X0, at(dst, 0))
		})
		a.conversion("widen", "dst *float64, src *float32", "float64(src[i])", 4, 8, func(dst, src reg.Register) {
			f := full()
			a.VCVTPS2PD(at(src, 0), f)
			a.VMOVUPD(f, at(dst, 0))
		}, func(dst, src reg.Register) {
			a.VCVTSS2SD(at(src, 0), reg.X0, reg.X0)
			a.VMOVSD(reg.X0, at(dst, 0))
		})
	}
}

func (a asm) conversion(routine, params, formula string, from, to int, block, single func(dst, src reg.Register)) {
	name := routine + a.level
	a.Function(name)
	a.Attributes(attr.NOSPLIT)
	a.Pragma("noescape")
	a.SignatureExpr("func(n int, " + params + ")")
	a.Doc(name+" is", "", "\tfor i := range n {", "\t\tdst[i] = "+formula, "\t}")
	n, dst, src := a.loadInt("n"), a.loadInt("dst"), a.loadInt("src")
	loop := func(label string, count int, body func(dst, src reg.Register)) {
		a.Label(label)
		a.CMPQ(n, imm(count))
		a.JLT(operand.LabelRef(label + "_done"))
		body(dst, src)
		a.ADDQ(imm(count*from), src)
		a.ADDQ(imm(count*to), dst)
		a.SUBQ(imm(count), n)
		a.JMP(operand.LabelRef(label))
		a.Label(label + "_done")
	}
	a.VXORPS(reg.X0, reg.X0, reg.X0)
	loop("block", a.lanes(), block)
	loop("single", 1, single)
	a.VZEROUPPER()
	a.RET()
}
