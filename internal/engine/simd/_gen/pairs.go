package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairs generates what tiles of a metric between rows are made of.
func pairs(c *build.Context) {
	for _, v := range vecs {
		l := lanes{asm: asm{c, v}, together: 4}
		if v.bits == 64 {
			l.fourRows("squaredDistances", "(x[i]-y[i]) * (x[i]-y[i])", func(l lanes, sum, x val, y arg) val {
				d := l.minus(x, y)
				return l.addMul(sum, d, d)
			})
		}
		l.fourRows("absoluteDistances", "abs(x[i] - y[i])", func(l lanes, sum, x val, y arg) val {
			return l.plus(sum, l.absolute(l.minus(x, y)))
		})
		l.fourRows("minimumSums", "min(x[i], y[i])", func(l lanes, sum, x val, y arg) val {
			return l.plus(sum, l.least(x, y))
		})
		l.fourRows("chiSquaredDistances", "(x[i]-y[i]) * (x[i]-y[i]) / (x[i]+y[i]) // 0/0 counts as 0",
			func(l lanes, sum, x val, y arg) val {
				s, d := l.plus(x, y), l.minus(x, y)
				zero := l.constant(0)
				return l.plus(sum, l.choose(equal, s, zero, zero, l.over(l.times(d, d), s)))
			})
		l.addNorms()
	}
	convert(c)
}

// fourRows writes a sum over the d elements of x and of each of four rows y.
func (l lanes) fourRows(routine, formula string, add func(l lanes, sum, x val, y arg) val) {
	e := l.elem()
	l.function(routine, "func(d int, x, y0, y1, y2, y3 *"+e+", dst *[4]"+e+")",
		l.loop(routine, "for j, y := range []*"+l.elem()+"{y0, y1, y2, y3} {", "\tdst[j] = 0", "\tfor i := range d {",
			"\t\tdst[j] += "+formula, "\t}", "}")...)
	d, x := l.loadInt("d"), l.loadInt("x")
	var y [4]reg.GPVirtual
	for j, name := range []string{"y0", "y1", "y2", "y3"} {
		y[j] = l.loadInt(name)
	}
	dst := l.loadInt("dst")
	sum := l.each(func(_ int, r operand.Op) { l.pick(l.VXORPD, l.VXORPS)(r, r, r) })
	keep := func(s val) {
		for j := range sum {
			l.move(s[j], sum[j])
		}
	}
	next := func() {
		l.ADDQ(imm(l.bytes), x)
		for _, p := range y {
			l.ADDQ(imm(l.bytes), p)
		}
	}
	l.Label("vector")
	l.CMPQ(d, imm(l.lanes()))
	l.JLT(operand.LabelRef("rest"))
	one := l.fresh()
	l.move(at(x, 0), one)
	keep(add(l, sum, val{one}, l.each(func(j int, r operand.Op) { l.move(at(y[j], 0), r) })))
	next()
	l.SUBQ(imm(l.lanes()), d)
	l.JMP(operand.LabelRef("vector"))
	l.Label("rest")
	l.TESTQ(d, d)
	l.JZ(operand.LabelRef("done"))
	m := l.restMask(d)
	rows := make(val, 4)
	for j := range rows {
		rows[j] = l.loadUnder(m, at(y[j], 0))
	}
	keep(add(l, sum, val{l.loadUnder(m, at(x, 0))}, rows))
	l.Label("done")
	for j := range sum {
		l.sumOf(sum[j], at(dst, j*l.size()))
	}
	l.VZEROUPPER()
	l.RET()
}

// sumOf stores the sum of the lanes of r, halves first.
func (l lanes) sumOf(r reg.VecVirtual, to operand.Mem) {
	add := l.pick(l.VADDPD, l.VADDPS)
	y := r.AsY()
	if l.wide() {
		h := l.YMM()
		l.VEXTRACTF64X4(operand.U8(1), r, h)
		add(h, y, h)
		y = h
	}
	x, t := l.XMM(), l.XMM()
	if l.wide() {
		l.VEXTRACTF64X2(operand.U8(1), y, x)
	} else {
		l.VEXTRACTF128(operand.U8(1), y, x)
	}
	add(y.(reg.Vec).AsX(), x, x)
	if l.bits == 32 {
		l.VPERMILPS(operand.U8(0x0e), x, t)
		l.VADDPS(t, x, x)
		l.VMOVSHDUP(x, t)
		l.VADDSS(t, x, x)
		l.VMOVSS(x, to)
		return
	}
	l.VPERMILPD(operand.U8(1), x, t)
	l.VADDSD(t, x, x)
	l.VMOVSD(x, to)
}

// addNorms turns -2⟨x, y⟩ into squared distances, and says whether some are small.
func (l lanes) addNorms() {
	e := l.elem()
	l.function("addNorms", "func(n int, row, norms *"+e+", norm, tau "+e+") int",
		l.name("addNorms")+" is", "", "\tfor i := range n {", "\t\ts := norm + norms[i]", "\t\trow[i] += s",
		"\t\tif !(row[i] > tau*s) {", "\t\t\tsmall = 1", "\t\t}", "\t}",
		"", "and returns small, some number that is not 0 for 1.")
	n, row, norms := l.loadInt("n"), l.loadInt("row"), l.loadInt("norms")
	l.together = 1
	var s [2]val
	for i, name := range []string{"norm", "tau"} {
		p, err := l.Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		s[i] = val{l.fresh()}
		l.broadcast(p.Addr, s[i][0])
	}
	small := l.GP64()
	l.XORQ(small, small)
	finish := func(r, q val, m operand.Op) val {
		sum := l.plus(q, s[0])
		v := l.plus(r, sum)
		bound := l.times(sum, s[1])
		bits := l.GP64()
		const notGreater = 0x1a
		if l.wide() {
			k := l.K()
			if m != nil {
				l.pick(l.VCMPPD, l.VCMPPS)(operand.U8(notGreater), bound[0], v[0], m, k)
			} else {
				l.pick(l.VCMPPD, l.VCMPPS)(operand.U8(notGreater), bound[0], v[0], k)
			}
			l.KMOVW(k, bits.As32())
		} else {
			t := l.fresh()
			l.pick(l.VCMPPD, l.VCMPPS)(operand.U8(notGreater), bound[0], v[0], t)
			if m != nil {
				l.pick(l.VANDPD, l.VANDPS)(m, t, t)
			}
			if l.bits == 64 {
				l.VMOVMSKPD(t, bits.As32())
			} else {
				l.VMOVMSKPS(t, bits.As32())
			}
		}
		l.ORQ(bits, small)
		return v
	}
	l.Label("vector")
	l.CMPQ(n, imm(l.lanes()))
	l.JLT(operand.LabelRef("rest"))
	l.move(finish(l.load(at(row, 0)), l.load(at(norms, 0)), nil)[0], at(row, 0))
	l.ADDQ(imm(l.bytes), row)
	l.ADDQ(imm(l.bytes), norms)
	l.SUBQ(imm(l.lanes()), n)
	l.JMP(operand.LabelRef("vector"))
	l.Label("rest")
	l.TESTQ(n, n)
	l.JZ(operand.LabelRef("done"))
	m := l.restMask(n)
	l.storeUnder(m, finish(val{l.loadUnder(m, at(row, 0))}, val{l.loadUnder(m, at(norms, 0))}, m)[0], at(row, 0))
	l.Label("done")
	l.VZEROUPPER()
	l.Store(small, l.ReturnIndex(0))
	l.RET()
}
