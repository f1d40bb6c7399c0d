package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// decaylanes generates the columns of the subsequence kernel for eight pairs of strings side by
// side: one or two rows at a time, so that a column of w that two rows meet is read and written
// once, and the chains of sums of both overlap.
func decaylanes(c *build.Context) {
	for levels := 1; levels <= 4; levels++ {
		for rows := 1; rows <= 2; rows++ {
			asm{c, avx512f64}.decaylanes(levels, rows)
		}
	}
}

func (a asm) decaylanes(levels, rows int) {
	name := fmt.Sprintf("decayLanes%dRows%dOf", levels, rows)
	a.function(name, "func(n int, codes *byte, w *float64, lambda float64, first *float64, x *byte, v *float64)",
		fmt.Sprintf("%s is decayLanesRef of %d levels and %d rows.", a.name(name), levels, rows))
	n, codes, w, first, x, v := a.loadInt("n"), a.loadInt("codes"), a.loadInt("w"), a.loadInt("first"), a.loadInt("x"),
		a.loadInt("v")
	next := 0
	take := func() reg.VecPhysical { next++; return a.reg(next - 1) }
	lambda, z := take(), take()
	a.broadcastParam("lambda", lambda)
	type row struct {
		code  reg.VecVirtual
		first reg.VecPhysical
		v     []reg.VecPhysical // levels, then the sum
		mask  reg.OpmaskPhysical
	}
	all := make([]row, rows)
	for r := range all {
		all[r] = row{code: a.XMM(), first: take(), mask: []reg.OpmaskPhysical{reg.K1, reg.K2}[r]}
		a.VMOVQ(at(x, 8*r), all[r].code)
		a.broadcast(at(first, 8*r), all[r].first)
		for l := range levels + 1 {
			all[r].v = append(all[r].v, take())
			a.move(at(v, (r*(levels+1)+l)*64), all[r].v[l])
		}
	}
	a.Label("loop")
	a.TESTQ(n, n)
	a.JZ(operand.LabelRef("done"))
	for _, o := range all {
		a.VPCMPEQB(at(codes, 0), o.code, o.mask)
	}
	for l := levels - 1; l >= 0; l-- {
		a.move(at(w, 64*l), z)
		for _, o := range all {
			if l == levels-1 {
				a.VADDPD(o.v[l], o.v[levels], o.mask, o.v[levels])
			}
			a.VFMADD213PD(z, lambda, o.v[l]) // λv + w
			if l > 0 {
				a.VFMADD231PD(o.v[l-1], lambda, o.mask, z)
			} else {
				a.VADDPD(o.first, z, o.mask, z)
			}
		}
		a.move(z, at(w, 64*l))
	}
	a.ADDQ(imm(8), codes)
	a.ADDQ(operand.I32(64*levels), w)
	a.DECQ(n)
	a.JMP(operand.LabelRef("loop"))
	a.Label("done")
	for r := range all {
		for l := range levels + 1 {
			a.move(all[r].v[l], at(v, (r*(levels+1)+l)*64))
		}
	}
	a.VZEROUPPER()
	a.RET()
}
