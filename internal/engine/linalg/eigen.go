package linalg

import "fmt"

// SymEigen computes all eigenpairs of the symmetric matrix whose lower
// triangle is in a: values in ascending order, vectors in the columns. a is
// overwritten; the vectors have storage of their own.
//
// The method is a blocked reduction to tridiagonal form, divide and conquer,
// and a blocked back-transform. Values and residuals are accurate to a small
// multiple of n·ε·‖A‖, and the vectors orthogonal to a small multiple of n·ε.
// The error is a *NotFinite or a *NoConvergence.
func SymEigen(t int, a Matrix[float64]) (values []float64, vectors Matrix[float64], err error) {
	return symEigen(crew{threads: t}, a, Selection{})
}

// SymEigenSelected computes the eigenpairs that sel selects, values ascending,
// vectors in the columns. The reduction costs as for all pairs; vectors are
// formed and transformed back for the selected ones alone, by the same divide
// and conquer, so that clusters come out as orthogonal as anything else.
func SymEigenSelected(t int, a Matrix[float64], sel Selection) (values []float64, vectors Matrix[float64], err error) {
	return symEigen(crew{threads: t}, a, sel)
}

func symEigen(w crew, a Matrix[float64], sel Selection) (values []float64, vectors Matrix[float64], err error) {
	scale, err := scaleSymmetric(w, a)
	if err != nil {
		return nil, Matrix[float64]{}, err
	}
	r := newTridiagonal(w, a)
	if w.stopped() {
		return nil, Matrix[float64]{}, w.ctx.Err()
	}
	values, q, rows, err := tridiagonalEigen(w, r.diag, r.off, sel.scaled(scale))
	if err != nil {
		return nil, Matrix[float64]{}, err
	}
	store := q.Data[:cap(q.Data)]
	defer giveBack(&store)
	if len(rows) < q.Rows { // selected rows stand first
		q = q.Slice(0, highest(rows), 0, q.Cols)
	}
	r.applyRight(w, q)
	vectors = New[float64](a.Rows, len(rows))
	transposeRows(w, vectors, q, rows)
	if w.stopped() {
		return nil, Matrix[float64]{}, w.ctx.Err()
	}
	unscale(values, scale)
	return values, vectors, nil
}

// SymEigenValues computes all eigenvalues, ascending, of the symmetric matrix
// whose lower triangle is in a, which is overwritten. Without vectors it costs
// the reduction and little more.
func SymEigenValues(t int, a Matrix[float64]) ([]float64, error) {
	return symEigenValues(crew{threads: t}, a)
}

func symEigenValues(w crew, a Matrix[float64]) ([]float64, error) {
	scale, err := scaleSymmetric(w, a)
	if err != nil {
		return nil, err
	}
	r := newTridiagonal(w, a)
	e := append(r.off, 0)
	i := implicitQL(w, r.diag, e, Matrix[float64]{})
	if w.stopped() {
		return nil, w.ctx.Err()
	}
	if i >= 0 {
		return nil, &NoConvergence{Algorithm: "symmetric tridiagonal eigenvalues (QL)", Index: i, Iterations: qlSweeps,
			Residual: abs(e[i])}
	}
	unscale(r.diag, scale)
	return r.diag, nil
}

// scaleSymmetric checks a and brings its lower triangle into a range where
// squares are safe, returning the factor it was multiplied by.
func scaleSymmetric(w crew, a Matrix[float64]) (float64, error) {
	if a.Rows != a.Cols {
		panic(fmt.Sprintf("linalg: symmetric eigendecomposition of a %d×%d matrix", a.Rows, a.Cols))
	}
	largest, err := finiteLower(w, a)
	if err != nil {
		return 0, err
	}
	// Divide and conquer compares eigenvalues with components of unit vectors, so
	// always work near 1. Powers of two lose nothing.
	scale := unitScale(largest)
	if scale != 1 {
		w.each(a.Rows, 64, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				scaleVec(scale, a.Row(i)[:i+1])
			}
		})
	}
	return scale, nil
}

func unscale(values []float64, scale float64) {
	if scale != 1 {
		for i := range values {
			values[i] /= scale
		}
	}
}

func highest(rows []int) int {
	h := 0
	for _, r := range rows {
		h = max(h, r+1)
	}
	return h
}

// transposeRows sets column j of dst to row rows[j] of src.
func transposeRows(w crew, dst, src Matrix[float64], rows []int) {
	const tile = 32
	w.each(dst.Rows, tile, func(i0, i1 int) {
		for j0 := 0; j0 < len(rows); j0 += tile {
			j1 := min(j0+tile, len(rows))
			for j := j0; j < j1; j++ {
				from := src.Data[rows[j]*src.Stride+i0 : rows[j]*src.Stride+i1]
				to := dst.Data[i0*dst.Stride+j:]
				for i, v := range from {
					to[i*dst.Stride] = v
				}
			}
		}
	})
}
