package main

import (
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// patterns remembers the constants already stored in a generated file.
var patterns = map[*build.Context]map[string]operand.Mem{}

// elementwise writes a routine that sets dst[i] = f(src[i]) for i < n. scalars
// names further parameters of the element type, which f gets in every lane.
// The rest after the last whole vector goes through f as a vector too, loaded
// and stored under a mask: a result does not depend on its place in the slice.
func (l lanes) elementwise(routine, formula string, scalars []string, f func(l lanes, x val, s []val) val) {
	sig := "func(n int, dst, src *" + l.elem()
	if len(scalars) > 0 {
		sig += ", " + strings.Join(scalars, ", ") + " " + l.elem()
	}
	l.function(routine, sig+")", l.name(routine)+" is", "", "\tfor i := range n {", "\t\tdst[i] = "+formula, "\t}")
	n, dst, src := l.loadInt("n"), l.loadInt("dst"), l.loadInt("src")
	var s []val
	for _, name := range scalars {
		p, err := l.Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		r := l.fresh()
		l.broadcast(p.Addr, r)
		s = append(s, val{r})
	}
	l.blocks(n, dst, src, func(l lanes, x val, _ string) val { return f(l, x, s) })
}

// blocks emits the loop of an elementwise routine and its return: l.together
// vectors at a time, and then what is left a vector at a time, under a mask.
// f gets a prefix for its labels.
func (l lanes) blocks(n, dst, src reg.GPVirtual, f func(l lanes, x val, label string) val) {
	l.later = new([]func())
	l.label = "block_"
	l.Label("block")
	l.CMPQ(n, imm(l.together*l.lanes()))
	l.JLT(operand.LabelRef("rest"))
	x := l.each(func(i int, r operand.Op) { l.move(at(src, i*l.bytes), r) })
	for i, r := range f(l, x, "block_") {
		l.move(r, at(dst, i*l.bytes))
	}
	l.ADDQ(imm(l.together*l.bytes), src)
	l.ADDQ(imm(l.together*l.bytes), dst)
	l.SUBQ(imm(l.together*l.lanes()), n)
	l.JMP(operand.LabelRef("block"))
	l.Label("rest")
	l.TESTQ(n, n)
	l.JLE(operand.LabelRef("done"))
	one := l
	one.together, one.label = 1, "rest_"
	m := l.restMask(n)
	l.storeUnder(m, f(one, val{l.loadUnder(m, at(src, 0))}, "rest_")[0], at(dst, 0))
	l.ADDQ(imm(l.bytes), src)
	l.ADDQ(imm(l.bytes), dst)
	l.SUBQ(imm(l.lanes()), n)
	l.JMP(operand.LabelRef("rest"))
	l.Label("done")
	l.VZEROUPPER()
	l.RET()
	for _, emit := range *l.later {
		emit()
	}
}

// restMask selects the min(n, lanes) low lanes: a mask register on AVX-512, a
// vector of sign bits on AVX2.
func (l lanes) restMask(n reg.GPVirtual) operand.Op {
	count, most := l.GP64(), l.GP64()
	l.MOVQ(n, count)
	l.MOVQ(imm(l.lanes()), most)
	l.CMPQ(n, most)
	l.CMOVQGT(most, count)
	if l.wide() {
		k := l.K()
		l.tailMask(count, l.GP64(), k)
		return k
	}
	table := l.GP64()
	l.LEAQ(l.slidingOnes(), table)
	l.SHLQ(operand.U8(map[int]int{64: 3, 32: 2}[l.bits]), count)
	l.SUBQ(count, table)
	r := l.fresh()
	l.move(at(table, 32), r)
	return r
}

// slidingOnes is 32 bytes of ones and then 32 of zeros.
func (l lanes) slidingOnes() operand.Mem {
	const name = "slidingOnes"
	if patterns[l.Context] == nil {
		patterns[l.Context] = map[string]operand.Mem{}
	}
	if m, ok := patterns[l.Context][name]; ok {
		return m
	}
	m := l.StaticGlobal(name)
	l.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		bits := operand.U64(0)
		if i < 4 {
			bits = ^bits
		}
		l.AppendDatum(bits)
	}
	patterns[l.Context][name] = m
	return m
}

// loadUnder loads the lanes of the mask m, zero elsewhere.
func (l lanes) loadUnder(m operand.Op, from operand.Mem) reg.VecVirtual {
	r := l.fresh()
	if l.wide() {
		l.loadMasked(from, m, r)
	} else {
		l.maskMove(from, m, r)
	}
	return r
}

// storeUnder stores the lanes of the mask m.
func (l lanes) storeUnder(m operand.Op, x operand.Op, to operand.Mem) {
	if l.wide() {
		l.moveMasked(x, m, to)
	} else {
		l.maskMove(x, m, to)
	}
}

func (l lanes) maskMove(x, m, y operand.Op) {
	if l.bits == 64 {
		l.VMASKMOVPD(x, m, y)
	} else {
		l.VMASKMOVPS(x, m, y)
	}
}
