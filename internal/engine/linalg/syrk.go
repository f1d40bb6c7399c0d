package linalg

import "fmt"

// Syrk sets the part u (Lower or Upper) of the symmetric matrix c to alpha·op(a)·op(a)ᵀ + beta·c:
// a·aᵀ with NoTrans, aᵀ·a with Trans. The other triangle is neither read nor written; Full computes
// both. With beta = 0, c need not be initialised.
func Syrk[F Float](t int, u Triangle, ta Op, alpha F, a Matrix[F], beta F, c Matrix[F]) {
	syrk(crew{threads: t}, u, ta, alpha, a, beta, c)
}

func syrk[F Float](w crew, u Triangle, ta Op, alpha F, a Matrix[F], beta F, c Matrix[F]) {
	gemmFunc(w, u, ta, !ta, alpha, a, a, beta, c, nil)
}

// Side says on which side of a product a special matrix stands.
type Side int

// The two sides.
const (
	Left Side = iota
	Right
)

// Symm sets c = alpha·a·b + beta·c (Left) or c = alpha·b·a + beta·c (Right)
// for a symmetric matrix of which a holds the triangle u. With beta = 0, c need not be
// initialised.
func Symm[F Float](t int, s Side, u Triangle, alpha F, a, b Matrix[F], beta F, c Matrix[F]) {
	instance[symmBody[F]](symm64, symm32)(t, s, u, alpha, a, b, beta, c)
}

func symmOf[F Float](t int, s Side, u Triangle, alpha F, a, b Matrix[F], beta F, c Matrix[F]) {
	n := b.Rows
	if s == Right {
		n = b.Cols
	}
	if a.Rows != n || a.Cols != n || c.Rows != b.Rows || c.Cols != b.Cols {
		panic(fmt.Sprintf("linalg: symmetric %d×%d with %d×%d into %d×%d", a.Rows, a.Cols, b.Rows, b.Cols, c.Rows, c.Cols))
	}
	check(a)
	check(b)
	check(c)
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	if alpha == 0 {
		scale(Full, beta, c)
		return
	}
	if s == Left && u != Full && b.Cols == 1 && b.Stride == 1 && c.Stride == 1 {
		symmVector(t, u, alpha, a, b.Data[:n], beta, c.Data[:n])
		return
	}
	sym := source[F](symmetric[F]{a, u})
	if u == Full {
		sym = byRow[F](a)
	}
	pr := product[F]{crew: crew{threads: t}, alpha: alpha, a: sym, b: right(NoTrans, b), depth: n, beta: beta, c: c}
	if s == Right {
		pr.a, pr.b = left(NoTrans, b), sym
	}
	pr.run()
}
