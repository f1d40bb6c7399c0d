package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Shape of the register tile, in rows and in vectors along a row. The tile,
// one row of B and the broadcast elements of A together fill the register
// file: 24 + 3 + 5 of 32 and 12 + 3 + 1 of 16.
const (
	rowsAVX512 = 8
	rowsAVX2   = 4
	tileVecs   = 3
)

// gemm generates the micro-kernels of the matrix product: the full tile and,
// for the right edge of a matrix, tiles one and two vectors wide.
func gemm(c *build.Context) {
	for _, v := range vecs {
		a := asm{c, v}
		a.gemmTile("gemmOne", 1)
		a.gemmTile("gemmTwo", 2)
		a.gemmTile("gemmThree", 3)
		a.trsmTile()
	}
}

func (v vec) tileRows() int {
	if v.bytes == 64 {
		return rowsAVX512
	}
	return rowsAVX2
}

func (a asm) gemmTile(routine string, nv int) {
	rows := a.tileRows()
	cols := nv * a.lanes()
	a.function(routine, fmt.Sprintf("func(k int, alpha %[1]s, a, b *%[1]s, beta %[1]s, c *%[1]s, ldc int, next *%[1]s)",
		a.elem()),
		fmt.Sprintf("%s computes a %d×%d tile of C from packed panels:", a.name(routine), rows, cols),
		"",
		fmt.Sprintf("\tfor i := range %d {", rows),
		fmt.Sprintf("\t\tfor j := range %d {", cols),
		"\t\t\tsum := 0.0",
		"\t\t\tfor p := range k {",
		fmt.Sprintf("\t\t\t\tsum += a[p*%d+i] * b[p*%d+j]", rows, cols),
		"\t\t\t}",
		"\t\t\tc[i*ldc+j] = beta*c[i*ldc+j] + alpha*sum",
		"\t\t}",
		"\t}",
		"",
		"and with beta = 0, c is not read. Meanwhile it fetches k/4 cache lines from",
		"next on, which it neither reads nor writes.")
	acc := func(i, j int) reg.VecPhysical { return a.reg(i*nv + j) }
	// The last registers hold a row of B, and those before it broadcast A.
	last := 15
	if a.bytes == 64 {
		last = 31
	}
	bRow := func(j int) reg.VecPhysical { return a.reg(last - j) }
	spare := rows * nv
	spares := last + 1 - nv - spare

	k, ap, bp, cp, ldc := a.loadInt("k"), a.loadInt("a"), a.loadInt("b"), a.loadInt("c"), a.loadInt("ldc")
	next := a.loadInt("next")
	a.SHLQ(operand.U8(log2(a.size())), ldc)
	for i := range rows * nv {
		a.zero(i)
	}
	step := func(p int) {
		for j := range nv {
			a.move(at(bp, (p*nv+j)*a.bytes), bRow(j))
		}
		for i := range rows {
			r := a.reg(spare + i%spares)
			a.broadcast(at(ap, (p*rows+i)*a.size()), r)
			for j := range nv {
				a.fma(r, bRow(j), acc(i, j))
			}
		}
	}
	const unroll = 4
	advance := func(n int) {
		a.ADDQ(imm(n*rows*a.size()), ap)
		a.ADDQ(imm(n*nv*a.bytes), bp)
	}
	// What a later tile reads, out of L3 into L2.
	fetchNext := func() {
		a.PREFETCHT1(at(next, 0))
		a.ADDQ(imm(64), next)
	}
	// The tile of C is needed after the k loop. Ask for one of its rows in each
	// of the first turns: all at once they would hold up the loads of A and B.
	row, rowsLeft := a.GP64(), a.GP64()
	a.MOVQ(cp, row)
	a.MOVQ(imm(rows), rowsLeft)
	a.SUBQ(imm(unroll), k)
	a.JLT(operand.LabelRef("rest"))
	a.Label("fetching")
	for p := range unroll {
		if off := p * 64; off < nv*a.bytes {
			a.PREFETCHT0(at(row, off))
		} else if p == unroll-1 {
			a.PREFETCHT0(at(row, nv*a.bytes-1))
		}
		step(p)
	}
	a.ADDQ(ldc, row)
	fetchNext()
	advance(unroll)
	a.SUBQ(imm(unroll), k)
	a.JLT(operand.LabelRef("rest"))
	a.DECQ(rowsLeft)
	a.JNZ(operand.LabelRef("fetching"))
	a.Label("unrolled")
	for p := range unroll {
		step(p)
	}
	fetchNext()
	advance(unroll)
	a.SUBQ(imm(unroll), k)
	a.JGE(operand.LabelRef("unrolled"))
	a.Label("rest")
	a.ADDQ(imm(unroll), k)
	a.JZ(operand.LabelRef("write"))
	a.Label("single")
	step(0)
	advance(1)
	a.DECQ(k)
	a.JNZ(operand.LabelRef("single"))
	a.Label("write")
	a.writeTile(rows, nv, cp, ldc)
}

// writeTile blends the accumulators 0 … rows·nv-1 into C and returns.
func (a asm) writeTile(rows, nv int, cp, ldc reg.GPVirtual) {
	alpha, beta := a.reg(rows*tileVecs), a.reg(rows*tileVecs+1)
	a.broadcastParam("alpha", alpha)
	for i := range rows * nv {
		a.mul(alpha, a.reg(i), a.reg(i))
	}
	// beta is ±0 exactly when nothing is left of its bits without the sign.
	bits := a.GP64()
	if a.bits == 64 {
		a.loadBits("beta", bits)
	} else {
		a.loadBits("beta", bits.As32())
	}
	a.pickBits(bits)
	a.JZ(operand.LabelRef("store"))
	a.broadcastParam("beta", beta)
	writeRows := func(emit func(r reg.VecPhysical, m operand.Mem)) {
		for i := range rows {
			for j := range nv {
				emit(a.reg(i*nv+j), at(cp, j*a.bytes))
			}
			if i < rows-1 {
				a.ADDQ(ldc, cp)
			}
		}
		a.VZEROUPPER()
		a.RET()
	}
	writeRows(func(r reg.VecPhysical, m operand.Mem) {
		a.fma(m, beta, r)
		a.move(r, m)
	})
	a.Label("store")
	writeRows(func(r reg.VecPhysical, m operand.Mem) { a.move(r, m) })
}

// loadBits loads the bits of a floating-point parameter into an integer register.
func (a asm) loadBits(name string, r reg.Register) {
	addr, err := a.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	if a.bits == 64 {
		a.MOVQ(addr.Addr, r)
	} else {
		a.MOVL(addr.Addr, r)
	}
}

// pickBits shifts the sign out and sets the zero flag.
func (a asm) pickBits(r reg.GPVirtual) {
	if a.bits == 64 {
		a.SHLQ(operand.U8(1), r)
	} else {
		a.SHLL(operand.U8(1), r.As32())
	}
}

// trsmTile solves a small lower triangular system with the tile in registers.
func (a asm) trsmTile() {
	rows, nv := a.tileRows(), tileVecs
	cols := nv * a.lanes()
	a.function("trsmTile", fmt.Sprintf("func(l, x *%s)", a.elem()),
		fmt.Sprintf("%s solves L·X = X in place for a %d×%d tile X; the diagonal of l", a.name("trsmTile"), rows, cols),
		"holds the reciprocals of L's:",
		"",
		fmt.Sprintf("\tfor i := range %d {", rows),
		fmt.Sprintf("\t\tfor j := range %d {", cols),
		"\t\t\tfor p := range i {",
		fmt.Sprintf("\t\t\t\tx[i*%[2]d+j] -= l[i*%[1]d+p] * x[p*%[2]d+j]", rows, cols),
		"\t\t\t}",
		fmt.Sprintf("\t\t\tx[i*%[2]d+j] *= l[i*%[1]d+i]", rows, cols),
		"\t\t}",
		"\t}")
	l, x := a.loadInt("l"), a.loadInt("x")
	for i := range rows * nv {
		a.move(at(x, i*a.bytes), a.reg(i))
	}
	t := a.reg(rows * nv)
	for i := range rows {
		a.broadcast(at(l, (i*rows+i)*a.size()), t)
		for j := range nv {
			r := a.reg(i*nv + j)
			a.mul(t, r, r)
			a.move(r, at(x, (i*nv+j)*a.bytes))
		}
		for i2 := i + 1; i2 < rows; i2++ {
			a.broadcast(at(l, (i2*rows+i)*a.size()), t)
			for j := range nv {
				a.pick(a.VFNMADD231PD, a.VFNMADD231PS)(t, a.reg(i*nv+j), a.reg(i2*nv+j))
			}
		}
	}
	a.VZEROUPPER()
	a.RET()
}

func log2(n int) uint8 {
	l := uint8(0)
	for ; n > 1; n /= 2 {
		l++
	}
	return l
}
