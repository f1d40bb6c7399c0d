package linalg

// SVD is a thin singular value decomposition A = U·diag(Values)·Vᵀ of an m×n
// matrix, with r = min(m, n) singular values.
type SVD struct {
	U      Matrix[float64] // m×r, orthonormal columns
	Values []float64       // r, descending, none negative
	V      Matrix[float64] // n×r, orthonormal columns
}

// ThinSVD decomposes a, which is overwritten.
//
// The larger side is taken off by a QR factorisation. The triangle that is left
// is multiplied by the eigenvectors of its Gram matrix, which makes its columns
// nearly orthogonal; since the Gram matrix knows singular values only to √ε·‖A‖,
// this is repeated on the columns it could not resolve, at their own scale, and
// one-sided Jacobi rotations (Drmač & Veselić 2008) finish the work on the
// columns themselves. So no information is lost by squaring: singular values
// are accurate to a small multiple of ε·‖A‖, and both sets of vectors are
// orthogonal to a small multiple of n·ε, for any rank.
//
// The error is a *NotFinite or a *NoConvergence.
func ThinSVD(t int, a Matrix[float64]) (*SVD, error) {
	return thinSVD(crew{threads: t}, a)
}

func thinSVD(w crew, a Matrix[float64]) (*SVD, error) {
	largest, err := finiteAll(a)
	if err != nil {
		return nil, err
	}
	if a.Rows < a.Cols {
		turned := New[float64](a.Cols, a.Rows)
		transposeRows(w, turned, a, firstIndices(a.Rows))
		s, err := thinTall(w, turned, largest)
		if err != nil {
			return nil, err
		}
		s.U, s.V = s.V, s.U
		return s, nil
	}
	return thinTall(w, a, largest)
}

// thinTall is ThinSVD for m ≥ n and finite entries up to largest.
func thinTall(w crew, a Matrix[float64], largest float64) (*SVD, error) {
	m, n := a.Rows, a.Cols
	scale := unitScale(largest)
	if scale != 1 {
		for i := range m {
			scaleVec(scale, a.Row(i))
		}
	}
	square := a
	var qr *QR
	if m > n {
		qr = newQR(w, a)
		square = qr.R()
	}
	if w.stopped() {
		return nil, w.ctx.Err()
	}
	j := newOneSided(w, square)
	if err := j.precondition(); err != nil {
		return nil, err
	}
	if err := j.rotateAll(); err != nil {
		return nil, err
	}
	order := j.normalise()
	if w.stopped() {
		return nil, w.ctx.Err()
	}
	s := &SVD{Values: make([]float64, n), U: New[float64](m, n), V: New[float64](n, n)}
	for i, r := range order {
		s.Values[i] = j.norms[r] / scale
	}
	transposeRows(w, s.U.Slice(0, n, 0, n), j.b, order)
	transposeRows(w, s.V, j.v, order)
	if qr != nil {
		qr.mulQ(w, NoTrans, s.U)
	}
	if w.stopped() {
		return nil, w.ctx.Err()
	}
	return s, nil
}
