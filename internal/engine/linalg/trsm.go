package linalg

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Diag says whether a triangular matrix has ones on its diagonal, which are
// then not read.
type Diag bool

// The two values of Diag.
const (
	NonUnit Diag = false
	Unit    Diag = true
)

// trsmBlock is the size of the diagonal blocks solved in registers and L1;
// everything else is GEMM. It is a multiple of every tile's rows.
const trsmBlock = 192

// Trsm overwrites b with the solution X of op(a)·X = alpha·b (Left) or
// X·op(a) = alpha·b (Right), where a is triangular: Lower or Upper, the other
// triangle is not read. A zero on the diagonal gives Inf or NaN, as dividing by it does.
func Trsm[F Float](t int, s Side, u Triangle, ta Op, d Diag, alpha F, a, b Matrix[F]) {
	trsm(crew{threads: t}, s, u, ta, d, alpha, a, b)
}

func trsm[F Float](w crew, s Side, u Triangle, ta Op, d Diag, alpha F, a, b Matrix[F]) {
	instance[triangularBody[F]](trsm64, trsm32)(w, s, u, ta, d, alpha, a, b)
}

func trsmOf[F Float](w crew, s Side, u Triangle, ta Op, d Diag, alpha F, a, b Matrix[F]) {
	checkTriangular(s, u, a, b)
	if b.Rows == 0 || b.Cols == 0 {
		return
	}
	scale(Full, alpha, b)
	if alpha == 0 {
		return
	}
	// X·op(a) = b is op(a)ᵀ·Xᵀ = bᵀ: a system with the unknowns along the rows of b.
	sys := system[F]{a: a, trans: ta == Trans, upper: u == Upper, unit: d == Unit, b: b, byRows: s == Left}
	if s == Right {
		sys.trans = !sys.trans
	}
	sys.solve(w, 0, a.Rows, sys.upper == sys.trans)
}

// solve finds the unknowns i0 … i1, halving the system so that most of the
// work is in large products.
func (s *system[F]) solve(w crew, i0, i1 int, forward bool) {
	if w.stopped() {
		return
	}
	if i1-i0 <= trsmBlock {
		s.solveBlock(w, i0, i1-i0, forward)
		return
	}
	mid := i0 + roundUp((i1-i0)/2, trsmBlock)
	if mid >= i1 {
		mid = i0 + trsmBlock
	}
	if forward {
		s.solve(w, i0, mid, forward)
		s.update(w, i0, mid, mid, i1)
		s.solve(w, mid, i1, forward)
		return
	}
	s.solve(w, mid, i1, forward)
	s.update(w, mid, i1, i0, mid)
	s.solve(w, i0, mid, forward)
}

func checkTriangular[F Float](s Side, u Triangle, a, b Matrix[F]) {
	n := b.Rows
	if s == Right {
		n = b.Cols
	}
	if a.Rows != n || a.Cols != n {
		panic(fmt.Sprintf("linalg: triangular %d×%d with %d×%d", a.Rows, a.Cols, b.Rows, b.Cols))
	}
	if u != Lower && u != Upper {
		panic("linalg: a triangular matrix is Lower or Upper")
	}
	check(a)
	check(b)
}

// system is T·X = b with T = a or aᵀ triangular, where unknown i of each
// right-hand side lies in row i of b, or in column i if not byRows.
type system[F Float] struct {
	a                          Matrix[F]
	trans, upper, unit, byRows bool
	b                          Matrix[F]
}

// at is element (i, j) of T.
func (s *system[F]) at(i, j int) F {
	if s.trans {
		i, j = j, i
	}
	return s.a.At(i, j)
}

// update subtracts T[lo:hi, p0:p1]·X[p0:p1] from the unknowns lo … hi.
func (s *system[F]) update(w crew, p0, p1, lo, hi int) {
	block, op := s.a.Slice(lo, hi, p0, p1), NoTrans
	if s.trans {
		block, op = s.a.Slice(p0, p1, lo, hi), Trans
	}
	if s.byRows {
		gemm(w, op, NoTrans, -1, block, s.b.Slice(p0, p1, 0, s.b.Cols), 1, s.b.Slice(lo, hi, 0, s.b.Cols))
		return
	}
	gemm(w, NoTrans, !op, -1, s.b.Slice(0, s.b.Rows, p0, p1), block, 1, s.b.Slice(0, s.b.Rows, lo, hi))
}

// solveBlock solves the diagonal block of nb unknowns from i0, for all
// right-hand sides. The unknowns are taken in the order of elimination, so
// that the block is lower triangular whatever T is.
func (s *system[F]) solveBlock(w crew, i0, nb int, forward bool) {
	tile := simd.TileOf[F]()
	mr, nr := tile.MR, tile.NR
	size := roundUp(nb, mr)
	order := func(i int) int {
		if forward {
			return i0 + i
		}
		return i0 + nb - 1 - i
	}
	// For each group of mr unknowns from g: the panel of T left of the diagonal,
	// then the mr×mr corner; together (g + mr)·mr elements, and room for size·mr.
	packed := borrow[F](size * (size + mr))
	defer giveBack(packed)
	group := func(g int) (panel, corner []F) {
		p := (*packed)[g*(size+mr):]
		return p[:g*mr], p[g*mr : (g+mr)*mr]
	}
	rows := source[F](byRow[F](s.a))
	if s.trans {
		rows = byColumn[F](s.a)
	}
	divide := false
	for g := 0; g < nb; g += mr {
		panel, corner := group(g)
		clear(corner)
		n := min(mr, nb-g)
		if g > 0 && forward {
			rows.pack(tile, panel, mr, i0+g, n, i0, g)
		} else if g > 0 {
			// The same panel of the reversed matrix: pack it as it lies, and turn it round.
			rows.pack(tile, panel, mr, order(g+n-1), n, order(g-1), g)
			reversePanel(panel, mr, n)
		}
		for i := range n {
			for p := range i {
				corner[i*mr+p] = s.at(order(g+i), order(g+p))
			}
			corner[i*mr+i] = 1
			if !s.unit {
				pivot := s.at(order(g+i), order(g+i))
				corner[i*mr+i] = 1 / pivot
				divide = divide || math.IsInf(float64(1/pivot), 0) && pivot != 0
			}
		}
	}
	rhs := s.b.Cols
	if !s.byRows {
		rhs = s.b.Rows
	}
	if divide {
		// The reciprocal of a denormal pivot overflows: divide, one by one.
		s.solvePlainly(order, nb, rhs)
		return
	}
	w.each(rhs, 4*nr, func(lo, hi int) {
		x := borrow[F](size * nr)
		defer giveBack(x)
		for j := lo; j < hi; j += nr {
			cols := min(nr, hi-j)
			s.gather(tile, *x, i0, nb, j, cols, forward)
			clear((*x)[nb*nr : size*nr])
			for g := 0; g < nb; g += mr {
				panel, corner := group(g)
				now := (*x)[g*nr : (g+mr)*nr]
				if g > 0 {
					tile.Gemm(g, nr, -1, panel, *x, 1, now, nr, nil)
				}
				tile.Trsm(corner, now)
			}
			s.scatter(tile, *x, i0, nb, j, cols, forward)
		}
	})
}

// gather copies the unknowns i0 … i0+nb of the right-hand sides j … j+cols
// into x, a panel of tile.NR columns in the order of elimination.
func (s *system[F]) gather(tile *simd.Tile[F], x []F, i0, nb, j, cols int, forward bool) {
	if s.byRows {
		byColumn[F](s.b).pack(tile, x, tile.NR, j, cols, i0, nb)
	} else {
		byRow[F](s.b).pack(tile, x, tile.NR, j, cols, i0, nb)
	}
	if !forward {
		reverseRows(x, nb, tile.NR)
	}
}

// scatter is the inverse of gather.
func (s *system[F]) scatter(tile *simd.Tile[F], x []F, i0, nb, j, cols int, forward bool) {
	if !forward {
		reverseRows(x, nb, tile.NR)
	}
	if !s.byRows {
		tile.Transpose(nb, cols, x, tile.NR, s.b.Data[j*s.b.Stride+i0:], s.b.Stride)
		return
	}
	for i := range nb {
		copy(s.b.Data[(i0+i)*s.b.Stride+j:][:cols], x[i*tile.NR:])
	}
}

// reversePanel reverses the columns of a panel of mr rows, and its first n rows.
func reversePanel[F Float](panel []F, mr, n int) {
	reverseRows(panel, len(panel)/mr, mr)
	for p := 0; p < len(panel); p += mr {
		slices.Reverse(panel[p : p+n])
	}
}

func reverseRows[F Float](x []F, rows, cols int) {
	for i, j := 0, rows-1; i < j; i, j = i+1, j-1 {
		a, b := x[i*cols:(i+1)*cols], x[j*cols:(j+1)*cols]
		for p := range a {
			a[p], b[p] = b[p], a[p]
		}
	}
}

// solvePlainly is the substitution by its definition.
func (s *system[F]) solvePlainly(order func(int) int, nb, rhs int) {
	at := func(i, r int) *F {
		if s.byRows {
			return &s.b.Data[i*s.b.Stride+r]
		}
		return &s.b.Data[r*s.b.Stride+i]
	}
	for r := range rhs {
		for i := range nb {
			x := at(order(i), r)
			for p := range i {
				*x -= s.at(order(i), order(p)) * *at(order(p), r)
			}
			*x /= s.at(order(i), order(i))
		}
	}
}
