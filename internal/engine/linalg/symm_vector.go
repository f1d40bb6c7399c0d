package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// symmVectorFrom is the order from which a product of a symmetric matrix and a vector is cut into
// pieces.
const symmVectorFrom = 512

// symmVector sets y = alpha·a·x + beta·y, reading the triangle u (Lower or Upper) of a once: each
// row of it is used for its own entry (a dot product) and for those of its columns (an axpy).
// Packing the matrix for a product, as Symm does of more columns, costs more than that. The axpys
// of one piece of rows go to a vector of its own; the pieces, cut by position at about equal areas,
// are added in order.
func symmVector[F Float](t int, u Triangle, alpha F, a Matrix[F], x []F, beta F, y []F) {
	n := len(x)
	pieces := 1
	if n >= symmVectorFrom {
		pieces = 8
	}
	buf := borrow[F](pieces * n)
	defer giveBack(buf)
	sums := (*buf)[:pieces*n]
	clear(sums)
	cut := func(p int) int {
		at := int(float64(n) * math.Sqrt(float64(p)/float64(pieces)))
		if u == Upper {
			at = n - int(float64(n)*math.Sqrt(float64(pieces-p)/float64(pieces)))
		}
		return at
	}
	par.For(t, pieces, 1, func(p, _ int) {
		sum := sums[p*n : (p+1)*n]
		for i := cut(p); i < cut(p+1); i++ {
			lo, hi := 0, i
			if u == Upper {
				lo, hi = i+1, n
			}
			row := a.Row(i)
			v := row[i] * x[i]
			if lo < hi {
				v += simd.Dot(row[lo:hi], x[lo:hi])
				simd.Axpy(x[i], row[lo:hi], sum[lo:hi])
			}
			sum[i] += v
		}
	})
	scale(Full, beta, Matrix[F]{Rows: 1, Cols: n, Stride: n, Data: y})
	for p := range pieces {
		simd.Axpy(alpha, sums[p*n:(p+1)*n], y)
	}
}
