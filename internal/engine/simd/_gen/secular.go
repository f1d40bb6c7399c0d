package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// secular generates the sums over poles of the secular equation of a rank-one update, and the
// products of Löwner's formula. Both wait for the divider, which takes a vector in the time of two
// numbers.
func secular(c *build.Context) {
	for _, v := range []vec{avx2f64, avx512f64} {
		a := asm{c, v}
		a.poleSums()
		a.ratios()
	}
}

// poleSums has Σ z·t in accumulators 0 and 1 and Σ t² in 2 and 3, those of the tail among them;
// base and tau are 4 and 5.
func (a asm) poleSums() {
	a.function("poleSums", "func(n int, d, z *float64, base, tau float64, out *float64)",
		a.loop("poleSums", "for i := range n {", "\tt := z[i] / ((d[i] - base) - tau)", "\tout[0] += z[i] * t",
			"\tout[1] += t * t", "}")...)
	n, d, z, out := a.loadInt("n"), a.loadInt("d"), a.loadInt("z"), a.loadInt("out")
	for i := range 4 {
		a.zero(i)
	}
	base, tau := a.reg(4), a.reg(5)
	a.broadcastParam("base", base)
	a.broadcastParam("tau", tau)
	a.strips(n, 2, []reg.GPVirtual{d, z}, func(u int) {
		for i := range u {
			t, num := a.reg(6+i), a.reg(8+i)
			a.move(at(d, i*a.bytes), t)
			a.move(at(z, i*a.bytes), num)
			a.VSUBPD(base, t, t)
			a.VSUBPD(tau, t, t)
			a.VDIVPD(t, num, t)
			a.fma(num, t, a.reg(i))
			a.fma(t, t, a.reg(2+i))
		}
	}, func() {
		if a.bytes == 64 {
			a.loadMasked(at(d, 0), reg.K1, zmm[6])
			a.loadMasked(at(z, 0), reg.K1, zmm[8])
			a.VSUBPD(base, zmm[6], zmm[6])
			a.VSUBPD(tau, zmm[6], zmm[6])
			a.VDIVPD_Z(zmm[6], zmm[8], reg.K1, zmm[6])
			a.fma(zmm[8], zmm[6], zmm[0])
			a.fma(zmm[6], zmm[6], zmm[2])
			return
		}
		a.moveScalar(at(d, 0), xmm[6])
		a.moveScalar(at(z, 0), xmm[8])
		a.VSUBSD(xmm[4], xmm[6], xmm[6])
		a.VSUBSD(xmm[5], xmm[6], xmm[6])
		a.VDIVSD(xmm[6], xmm[8], xmm[6])
		a.fma(ymm[8], ymm[6], ymm[0]) // the other lanes of both are zero
		a.fma(ymm[6], ymm[6], ymm[2])
	})
	a.add(a.reg(1), a.reg(0), a.reg(0))
	a.add(a.reg(3), a.reg(2), a.reg(2))
	a.sumLanes(0, 6)
	a.sumLanes(2, 6)
	a.moveScalar(xmm[0], at(out, 0))
	a.moveScalar(xmm[2], at(out, 8))
	a.VZEROUPPER()
	a.RET()
}

func (a asm) ratios() {
	a.function("ratios", "func(n int, pole float64, d, x, y *float64)",
		a.loop("ratios", "for i := range n {", "\ty[i] *= x[i] / (d[i] - pole)", "}")...)
	n, d, x, y := a.loadInt("n"), a.loadInt("d"), a.loadInt("x"), a.loadInt("y")
	a.broadcastParam("pole", a.reg(0))
	a.strips(n, 2, []reg.GPVirtual{d, x, y}, func(u int) {
		for i := range u {
			t, num := a.reg(1+i), a.reg(3+i)
			a.move(at(d, i*a.bytes), t)
			a.move(at(x, i*a.bytes), num)
			a.VSUBPD(a.reg(0), t, t)
			a.VDIVPD(t, num, t)
			a.mul(at(y, i*a.bytes), t, t)
			a.move(t, at(y, i*a.bytes))
		}
	}, func() {
		if a.bytes == 64 {
			a.loadMasked(at(d, 0), reg.K1, zmm[1])
			a.loadMasked(at(x, 0), reg.K1, zmm[3])
			a.loadMasked(at(y, 0), reg.K1, zmm[5])
			a.VSUBPD(zmm[0], zmm[1], zmm[1])
			a.VDIVPD_Z(zmm[1], zmm[3], reg.K1, zmm[1])
			a.mul(zmm[5], zmm[1], zmm[1])
			a.moveMasked(zmm[1], reg.K1, at(y, 0))
			return
		}
		a.moveScalar(at(d, 0), xmm[1])
		a.moveScalar(at(x, 0), xmm[3])
		a.VSUBSD(xmm[0], xmm[1], xmm[1])
		a.VDIVSD(xmm[1], xmm[3], xmm[1])
		a.mulScalar(at(y, 0), xmm[1], xmm[1])
		a.moveScalar(xmm[1], at(y, 0))
	})
	a.VZEROUPPER()
	a.RET()
}
