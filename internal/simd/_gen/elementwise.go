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
func (l lanes) elementwise(routine, formula string, scalars []string, f func(x val, s []val) val) {
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
		s = append(s, r)
	}
	l.Label("vector")
	l.CMPQ(n, imm(l.lanes()))
	l.JLT(operand.LabelRef("rest"))
	l.move(f(l.load(at(src, 0)), s), at(dst, 0))
	l.ADDQ(imm(l.bytes), src)
	l.ADDQ(imm(l.bytes), dst)
	l.SUBQ(imm(l.lanes()), n)
	l.JMP(operand.LabelRef("vector"))
	l.Label("rest")
	l.TESTQ(n, n)
	l.JZ(operand.LabelRef("done"))
	m := l.restMask(n)
	l.storeUnder(m, f(l.loadUnder(m, at(src, 0)), s), at(dst, 0))
	l.Label("done")
	l.VZEROUPPER()
	l.RET()
}

// restMask selects the n < lanes low lanes: a mask register on AVX-512, a
// vector of sign bits on AVX2.
func (l lanes) restMask(n reg.GPVirtual) operand.Op {
	if l.wide() {
		k := l.K()
		l.tailMask(n, l.GP64(), k)
		return k
	}
	ones := l.slidingOnes()
	table := l.GP64()
	l.LEAQ(ones, table)
	l.SHLQ(operand.U8(map[int]int{64: 3, 32: 2}[l.bits]), n)
	l.SUBQ(n, table)
	return l.load(at(table, 32))
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
func (l lanes) loadUnder(m operand.Op, from operand.Mem) val {
	r := l.fresh()
	if l.wide() {
		l.loadMasked(from, m, r)
	} else {
		l.maskMove(from, m, r)
	}
	return r
}

// storeUnder stores the lanes of the mask m.
func (l lanes) storeUnder(m operand.Op, x val, to operand.Mem) {
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
