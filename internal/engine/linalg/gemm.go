package linalg

import "fmt"

// Op says whether an operand is used as it stands or transposed.
type Op bool

// The two values of Op.
const (
	NoTrans Op = false
	Trans   Op = true
)

// dims gives the shape of op(m).
func (o Op) dims(r, c int) (int, int) {
	if o == Trans {
		return c, r
	}
	return r, c
}

// Gemm sets c = alpha·op(a)·op(b) + beta·c. With beta = 0, c need not be
// initialised (NaN in it does not spread). c shares no memory with a or b.
func Gemm[F Float](t int, ta, tb Op, alpha F, a, b Matrix[F], beta F, c Matrix[F]) {
	gemmFunc(crew{threads: t}, Full, ta, tb, alpha, a, b, beta, c, nil)
}

// GemmFunc is Gemm on a part of c, with a function that is given every
// finished tile while it is still in cache: done(tile, i, j) may change the tile,
// a view of c that starts at row i and column j. Each selected element is in
// exactly one tile; with Lower or Upper, a tile on the diagonal has elements
// outside the part too, which are neither read nor written here. done is called from
// several goroutines at once, and may be nil. How c is cut into tiles depends on
// the shapes alone.
func GemmFunc[F Float](t int, part Triangle, ta, tb Op, alpha F, a, b Matrix[F], beta F, c Matrix[F],
	done func(tile Matrix[F], i, j int)) {
	gemmFunc(crew{threads: t}, part, ta, tb, alpha, a, b, beta, c, done)
}

// GemmRowwise is Gemm whose elements depend on their row of op(a) and their column of op(b) alone,
// to the last bit, whatever the shape of the whole. Few rows cost about as much as a tile of them.
func GemmRowwise[F Float](t int, ta, tb Op, alpha F, a, b Matrix[F], beta F, c Matrix[F]) {
	gemm(crew{threads: t, rowwise: true}, ta, tb, alpha, a, b, beta, c)
}

func gemm[F Float](w crew, ta, tb Op, alpha F, a, b Matrix[F], beta F, c Matrix[F]) {
	gemmFunc(w, Full, ta, tb, alpha, a, b, beta, c, nil)
}

func gemmFunc[F Float](w crew, part Triangle, ta, tb Op, alpha F, a, b Matrix[F], beta F, c Matrix[F],
	done func(tile Matrix[F], i, j int)) {
	instance[gemmBody[F]](gemm64, gemm32)(w, part, ta, tb, alpha, a, b, beta, c, done)
}

func gemmOf[F Float](w crew, part Triangle, ta, tb Op, alpha F, a, b Matrix[F], beta F, c Matrix[F],
	done func(tile Matrix[F], i, j int)) {
	m, k := ta.dims(a.Rows, a.Cols)
	k2, n := tb.dims(b.Rows, b.Cols)
	if m != c.Rows || n != c.Cols || k != k2 {
		panic(fmt.Sprintf("linalg: product of %d×%d and %d×%d into %d×%d", m, k, k2, n, c.Rows, c.Cols))
	}
	check(a)
	check(b)
	check(c)
	if m == 0 || n == 0 {
		return
	}
	if k == 0 || alpha == 0 {
		scale(part, beta, c)
		if done != nil {
			done(c, 0, 0)
		}
		return
	}
	if !w.rowwise && (part == Full && (m == 1 || n == 1) || smallProduct(part, m, n, k)) {
		if m == 1 || n == 1 {
			gemmVector(w.threads, ta, tb, alpha, a, b, beta, c)
		} else {
			gemmSmall(ta, tb, alpha, a, b, beta, c)
		}
		if done != nil {
			done(c, 0, 0)
		}
		return
	}
	pr := product[F]{crew: w, part: part, alpha: alpha, a: left(ta, a), b: right(tb, b), depth: k, beta: beta, c: c,
		done: done}
	pr.run()
}

// check panics if m's storage does not hold its shape.
func check[F Float](m Matrix[F]) {
	if m.Rows < 0 || m.Cols < 0 || m.Rows > 0 && m.Cols > 0 &&
		(m.Stride < m.Cols || len(m.Data) < (m.Rows-1)*m.Stride+m.Cols) {
		panic(fmt.Sprintf("linalg: %d×%d matrix with stride %d in %d elements", m.Rows, m.Cols, m.Stride, len(m.Data)))
	}
}
