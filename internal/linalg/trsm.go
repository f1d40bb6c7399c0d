package linalg

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/par"
	"github.com/mercer-ml/mercer/internal/simd"
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
func Trsm[F Float](t Threads, s Side, u Triangle, ta Op, d Diag, alpha F, a, b Matrix[F]) {
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
	n := a.Rows
	forward := sys.upper == sys.trans
	for done := 0; done < n; {
		nb := min(trsmBlock, n-done)
		i0 := done
		if !forward {
			i0 = n - done - nb
		}
		sys.solveBlock(t, i0, nb, forward)
		done += nb
		// What is left: rows i0+nb … n going forward, 0 … i0 going back.
		lo, hi := i0+nb, n
		if !forward {
			lo, hi = 0, i0
		}
		if lo < hi {
			sys.update(t, i0, i0+nb, lo, hi)
		}
	}
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
func (s *system[F]) update(t Threads, p0, p1, lo, hi int) {
	block, op := s.a.Slice(lo, hi, p0, p1), NoTrans
	if s.trans {
		block, op = s.a.Slice(p0, p1, lo, hi), Trans
	}
	if s.byRows {
		Gemm(t, op, NoTrans, -1, block, s.b.Slice(p0, p1, 0, s.b.Cols), 1, s.b.Slice(lo, hi, 0, s.b.Cols))
		return
	}
	Gemm(t, NoTrans, !op, -1, s.b.Slice(0, s.b.Rows, p0, p1), block, 1, s.b.Slice(0, s.b.Rows, lo, hi))
}

// solveBlock solves the diagonal block of nb unknowns from i0, for all
// right-hand sides. The unknowns are taken in the order of elimination, so
// that the block is lower triangular whatever T is.
func (s *system[F]) solveBlock(t Threads, i0, nb int, forward bool) {
	tile := simd.TileOf[F]()
	mr, nr := tile.MR, tile.NR
	size := roundUp(nb, mr)
	order := func(i int) int {
		if forward {
			return i0 + i
		}
		return i0 + nb - 1 - i
	}
	// For each group of mr unknowns: the panel of T left of the diagonal, then
	// the mr×mr corner. Group g starts at size·g: it holds (g + mr)·mr ≤ size·mr.
	packed := borrow[F](size * (size + mr))
	defer giveBack(packed)
	group := func(g int) (panel, corner []F) {
		p := (*packed)[g*(size+mr):]
		return p[:g*mr], p[g*mr : (g+mr)*mr]
	}
	divide := false
	for g := 0; g < nb; g += mr {
		panel, corner := group(g)
		clear(panel)
		clear(corner)
		for i := range min(mr, nb-g) {
			for p := range g {
				panel[p*mr+i] = s.at(order(g+i), order(p))
			}
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
	par.For(t, rhs, 4*nr, func(lo, hi int) {
		x := borrow[F](size * nr)
		defer giveBack(x)
		for j := lo; j < hi; j += nr {
			cols := min(nr, hi-j)
			s.gather(tile, *x, i0, nb, j, cols, forward)
			clear((*x)[nb*nr : size*nr])
			for g := 0; g < nb; g += mr {
				panel, corner := group(g)
				rows := (*x)[g*nr : (g+mr)*nr]
				if g > 0 {
					tile.Gemm(g, nr, -1, panel, *x, 1, rows, nr)
				}
				tile.Trsm(corner, rows)
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
