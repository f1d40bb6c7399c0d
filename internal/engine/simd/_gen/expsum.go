package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// expsum generates weighted sums of exponentials of inner products and of
// squared distances. A tile of exponents (two vectors of points by several
// centres) is made, raised and summed in registers; nothing is written to memory
// but the sums.
func expsum(c *build.Context) {
	for _, v := range vecs {
		for _, kind := range []sumKind{sumProducts, sumDistances, sumBoth} {
			expSum{lanes{asm: asm{c, v}, together: 2}, kind, tablesOf[v], nil, nil}.routine()
		}
	}
}

type sumKind int

const (
	sumProducts sumKind = iota
	sumDistances
	sumBoth // products, summed over the centres and over the points
)

// exp2Table says how 2^s is made: from a table of 2^(i/2^bits), and a polynomial
// in what is left of s. Without a permutation of whole registers there is no table.
type exp2Table struct {
	bits int
	tail []float64
}

var tablesOf = map[vec]exp2Table{
	avx512f64: {4, exp2Tail16},
	avx512f32: {5, widen(exp2Tail32)},
	avx2f64:   {0, exp2TailWide64},
	avx2f32:   {0, widen(exp2TailWide32)},
}

type expSum struct {
	lanes
	kind  sumKind
	table exp2Table
	held  map[float64]reg.VecVirtual // constants kept in registers
	// tableLow is the first half of the table.
	tableLow reg.VecVirtual
}

func (e expSum) routine() {
	name := map[sumKind]string{sumProducts: "expSumProducts", sumDistances: "expSumDistances",
		sumBoth: "expSumBoth"}[e.kind]
	width, t := 2*e.lanes.lanes(), e.elem()
	sig := fmt.Sprintf("func(d, n int, x, c *%[1]s, ldc int, w, out *%[1]s)", t)
	term, exponent := fmt.Sprintf("x[p*%d+l] * c[p*ldc+j]", width), "s"
	if e.kind == sumDistances {
		sig = fmt.Sprintf("func(d, n int, x, c *%[1]s, ldc int, scale, most %[1]s, w, out *%[1]s)", t)
		term = fmt.Sprintf("(x[p*%[1]d+l]-c[p*ldc+j]) * (x[p*%[1]d+l]-c[p*ldc+j])", width)
		exponent = "scale * min(s, most)"
	}
	lines := []string{"for j := range n {", fmt.Sprintf("\tfor l := range %d {", width), "\t\ts := 0.0",
		"\t\tfor p := range d {",
		"\t\t\ts += " + term, "\t\t}", "\t\tk := exp2(" + exponent + ")", "\t\tout[l] += w[j] * k"}
	if e.kind == sumBoth {
		sig = fmt.Sprintf("func(d, n int, x, c *%[1]s, ldc int, w, v, out, sums *%[1]s)", t)
		lines = append(lines, fmt.Sprintf("\t\tsums[j*%d+l%%%[1]d] += v[l] * k", e.lanes.lanes()))
	}
	doc := e.loop(name, append(lines, "\t}", "}")...)
	e.function(name, sig, doc...)
	d, n, x, c, ldc, w, out := e.loadInt("d"), e.loadInt("n"), e.loadInt("x"), e.loadInt("c"), e.loadInt("ldc"),
		e.loadInt("w"), e.loadInt("out")
	var sums, v reg.GPVirtual
	if e.kind == sumBoth {
		sums, v = e.loadInt("sums"), e.loadInt("v")
	}
	e.SHLQ(operand.U8(log2(e.size())), ldc)
	total := val{e.fresh(), e.fresh()}
	for i, r := range total {
		e.move(at(out, i*e.bytes), r)
	}
	e.hold()
	together := 1
	if e.wide() {
		together = 2
	}
	// A tile of centres at a time, and what is left one by one.
	pass := func(label string, centres int) {
		e.Label(label)
		e.CMPQ(n, imm(centres))
		e.JLT(operand.LabelRef(label + "_end"))
		acc := e.exponents(label, centres, d, x, c, ldc)
		for i := 0; i < centres; {
			group := min(centres-i, together)
			e.lanes.together = 2 * group
			k := e.exp2(val(acc[2*i : 2*(i+group)]))
			for g := range group {
				e.addWeighted(at(w, (i+g)*e.size()), k[2*g:2*g+2], total)
				if e.kind == sumBoth {
					e.addAcross(at(sums, (i+g)*e.bytes), v, k[2*g:2*g+2])
				}
			}
			i += group
		}
		e.ADDQ(imm(centres*e.size()), c)
		e.ADDQ(imm(centres*e.size()), w)
		if e.kind == sumBoth {
			e.ADDQ(imm(centres*e.bytes), sums)
		}
		e.SUBQ(imm(centres), n)
		e.JMP(operand.LabelRef(label))
		e.Label(label + "_end")
	}
	if e.wide() {
		pass("tile", 8)
	} else {
		pass("tile", 4)
	}
	pass("one", 1)
	for i, r := range total {
		e.move(r, at(out, i*e.bytes))
	}
	e.VZEROUPPER()
	e.RET()
}

// exponents runs over the coordinates of two vectors of points and some centres.
func (e expSum) exponents(label string, centres int, d, x, c, ldc reg.GPVirtual) []reg.VecVirtual {
	acc := make([]reg.VecVirtual, 2*centres)
	for i := range acc {
		acc[i] = e.fresh()
		if e.wide() {
			e.VPXORQ(acc[i], acc[i], acc[i])
		} else {
			e.VXORPD(acc[i], acc[i], acc[i])
		}
	}
	left, xp, cp := e.GP64(), e.GP64(), e.GP64()
	e.MOVQ(d, left)
	e.MOVQ(x, xp)
	e.MOVQ(c, cp)
	step := func() {
		points := val{e.fresh(), e.fresh()}
		for i, r := range points {
			e.move(at(xp, i*e.bytes), r)
		}
		for i := range centres {
			b := e.fresh()
			e.broadcast(at(cp, i*e.size()), b)
			for h, r := range points {
				if e.kind == sumDistances {
					diff := e.fresh()
					e.pick(e.VSUBPD, e.VSUBPS)(b, r, diff)
					e.fma(diff, diff, acc[2*i+h])
				} else {
					e.fma(r, b, acc[2*i+h])
				}
			}
		}
		e.ADDQ(imm(2*e.bytes), xp)
		e.ADDQ(ldc, cp)
	}
	// Few turns: a loop of twenty is beyond what the branch predictor remembers
	// among the others.
	const unroll = 4
	e.SUBQ(imm(unroll), left)
	e.JLT(operand.LabelRef(label + "_rest"))
	e.Label(label + "_coordinates")
	for range unroll {
		step()
	}
	e.SUBQ(imm(unroll), left)
	e.JGE(operand.LabelRef(label + "_coordinates"))
	e.Label(label + "_rest")
	e.ADDQ(imm(unroll), left)
	e.JZ(operand.LabelRef(label + "_done"))
	e.Label(label + "_coordinate")
	step()
	e.DECQ(left)
	e.JNZ(operand.LabelRef(label + "_coordinate"))
	e.Label(label + "_done")
	return acc
}

// hold brings the constants that fit into registers.
func (e *expSum) hold() {
	if !e.wide() {
		return
	}
	e.held = map[float64]reg.VecVirtual{}
	for _, v := range []float64{e.big(), e.table.tail[len(e.table.tail)-1]} {
		e.held[v] = e.number(v)[0]
	}
	e.tableLow = e.fresh()
	e.move(e.tableMemory(0), e.tableLow)
}

// big is what rounds to multiples of 2^-bits when it is added.
func (e expSum) big() float64 { return math.Ldexp(e.format().roundBig, -e.table.bits) }

// fixed is a constant, in its register or in memory.
func (e expSum) fixed(v float64) arg {
	if r, ok := e.held[v]; ok {
		return val{r}
	}
	return e.constant(v)
}

// reduce splits the exponents s, which it overwrites by the rest r: with t = s + big, the
// low bits of t are 2^bits·s rounded. Distances are scaled on the way, s = scale·D: both
// uses of s are fused, so that this costs neither time nor digits.
func (e expSum) reduce(s val) (t val) {
	if e.kind != sumDistances {
		t = e.plus(s, e.fixed(e.big()))
		k := e.minus(t, e.fixed(e.big()))
		for i := range s {
			e.pick(e.VSUBPD, e.VSUBPS)(k[i], s[i], s[i])
		}
		return t
	}
	scale, most := e.parameter("scale"), e.parameter("most")
	t = e.load(e.fixed(e.big()))
	if e.wide() {
		for i := range s {
			e.pick(e.VMINPD_BCST, e.VMINPS_BCST)(most, s[i], s[i])
			e.fmaBcst(scale, s[i], t[i])
		}
		k := e.minus(t, e.fixed(e.big()))
		for i := range s {
			e.pick(e.VFMSUB132PD_BCST, e.VFMSUB132PS_BCST)(scale, k[i], s[i])
		}
		return t
	}
	b := e.fresh()
	e.broadcast(most, b)
	for i := range s {
		e.pick(e.VMINPD, e.VMINPS)(b, s[i], s[i])
	}
	e.broadcast(scale, b)
	for i := range s {
		e.fma(b, s[i], t[i])
	}
	k := e.minus(t, e.fixed(e.big()))
	for i := range s {
		e.pick(e.VFMSUB132PD, e.VFMSUB132PS)(b, k[i], s[i])
	}
	return t
}

// parameter is where a number was passed, by a register: the checker of go vet
// takes an instruction on a vector for a read of that many bytes.
func (e expSum) parameter(name string) operand.Mem {
	p, err := e.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	r := e.GP64()
	e.LEAQ(p.Addr, r)
	return at(r, 0)
}

// exp2 is 2^s for some vectors s, which it overwrites. The low bits of t choose
// from the table, and moved up to the exponent they scale.
func (e expSum) exp2(s val) val {
	t := e.reduce(s)
	up := e.shiftLeft(t, e.format().fraction-e.table.bits)
	if e.table.bits > 0 {
		for i := range t {
			e.pick(e.VPERMI2PD, e.VPERMI2PS)(e.tableMemory(e.bytes), e.tableLow, t[i])
			e.pick(e.VPADDQ, e.VPADDD)(up[i], t[i], t[i])
		}
	}
	tail := e.table.tail
	p := e.load(e.fixed(tail[len(tail)-1]))
	for i := len(tail) - 2; i >= -1; i-- {
		next := 1.0
		if i >= 0 {
			next = tail[i]
		}
		for h := range p {
			e.pick(e.VFMADD213PD, e.VFMADD213PS)(of(e.fixed(next), h), s[h], p[h])
		}
	}
	if e.table.bits == 0 {
		return e.intAdd(p, up)
	}
	return e.times(t, p)
}

// tableMemory is 2^(i/2^bits) with i taken off its exponent's low bits, so that
// adding all of the rounded exponent, i included, gives 2^(k + i/2^bits).
func (e expSum) tableMemory(offset int) operand.Mem {
	name := fmt.Sprintf("exp2Table%d", e.bits)
	if patterns[e.Context] == nil {
		patterns[e.Context] = map[string]operand.Mem{}
	}
	m, ok := patterns[e.Context][name]
	if !ok {
		m = e.StaticGlobal(name)
		e.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range 1 << e.table.bits {
			v := exp2Fractions[i<<(5-e.table.bits)]
			if e.bits == 64 {
				e.AppendDatum(operand.U64(math.Float64bits(v) - uint64(i)<<(52-e.table.bits)))
			} else {
				e.AppendDatum(operand.U32(math.Float32bits(float32(v)) - uint32(i)<<(23-e.table.bits)))
			}
		}
		patterns[e.Context][name] = m
	}
	return m.Offset(offset)
}

// addWeighted adds w·k to the totals.
func (e expSum) addWeighted(w operand.Mem, k, total val) {
	if e.wide() {
		for h := range total {
			e.fmaBcst(w, k[h], total[h])
		}
		return
	}
	b := e.fresh()
	e.broadcast(w, b)
	for h := range total {
		e.fma(b, k[h], total[h])
	}
}

// addAcross adds v·k to the vector of a centre.
func (e expSum) addAcross(to operand.Mem, v reg.GPVirtual, k val) {
	r := e.fresh()
	e.move(to, r)
	for h := range k {
		e.fma(at(v, h*e.bytes), k[h], r)
	}
	e.move(r, to)
}
