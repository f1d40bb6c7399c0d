package linalg

import "math"

// oneSided seeks an orthogonal V such that the columns of A·V are orthogonal.
// Row i of b is column i of A·V, row i of v is column i of V.
type oneSided struct {
	crew  crew
	n     int
	b, v  Matrix[float64]
	norms []float64 // of the rows of b
	floor float64   // a norm that counts as zero: well below ε·‖A‖
}

func newOneSided(w crew, a Matrix[float64]) *oneSided {
	n := a.Cols
	s := &oneSided{crew: w, n: n, b: New[float64](n, a.Rows), v: New[float64](n, n), norms: make([]float64, n)}
	transposeRows(w, s.b, a, firstIndices(a.Rows))
	for i := range n {
		s.v.Set(i, i, 1)
	}
	return s
}

// resolved is the range of singular values, relative to the largest, that one
// Gram matrix resolves well: the coupling it leaves between a column of this
// size and the others is ε/resolved², small enough for its square to vanish.
const resolved = 1e-4

// precondition makes the columns orthogonal as far as Gram matrices can: each
// round treats those that earlier ones could not resolve.
func (s *oneSided) precondition() error {
	for lo := 0; lo < s.n; {
		b, v := s.b.Slice(lo, s.n, 0, s.b.Cols), s.v.Slice(lo, s.n, 0, s.n)
		if s.crew.stopped() {
			return s.crew.ctx.Err()
		}
		s.measure(lo)
		largest := 0.0
		for _, w := range s.norms[lo:] {
			largest = max(largest, w)
		}
		if lo == 0 {
			s.floor = max(machineEpsilon/16*largest, 1e-150)
		}
		if largest < s.floor {
			return nil
		}
		scaled := b.Clone()
		scaleVec(unitScale(largest), scaled.Data)
		gram := New[float64](b.Rows, b.Rows)
		gemm(s.crew, NoTrans, Trans, 1, scaled, scaled, 0, gram)
		_, w, err := symEigen(s.crew, gram, Selection{})
		if err != nil {
			return err
		}
		for i := range w.Rows { // largest first
			row := w.Row(i)
			for j, k := 0, len(row)-1; j < k; j, k = j+1, k-1 {
				row[j], row[k] = row[k], row[j]
			}
		}
		gemm(s.crew, Trans, NoTrans, 1, w, b.Clone(), 0, b)
		gemm(s.crew, Trans, NoTrans, 1, w, v.Clone(), 0, v)
		s.measure(lo)
		cut := lo + 1
		for cut < s.n && s.norms[cut] >= resolved*s.norms[lo] {
			cut++
		}
		s.decouple(lo, cut)
		lo = cut
	}
	return nil
}

func (s *oneSided) measure(from int) {
	for i := from; i < s.n; i++ {
		s.norms[i] = math.Sqrt(dotVec(s.b.Row(i), s.b.Row(i)))
	}
}

// decouple rotates rows [lo, cut) against the smaller rows [cut, n) so that
// they become orthogonal: by small angles C = N·Lᵀ/‖L‖², of which the
// rotation [I Cᵀ; −C I] is orthogonal up to C².
func (s *oneSided) decouple(lo, cut int) {
	if cut == s.n {
		return
	}
	large, small := s.b.Slice(lo, cut, 0, s.b.Cols), s.b.Slice(cut, s.n, 0, s.b.Cols)
	c := New[float64](s.n-cut, cut-lo)
	gemm(s.crew, NoTrans, Trans, 1, small, large, 0, c)
	for i := range c.Rows {
		row := c.Row(i)
		for j := range row {
			row[j] /= s.norms[lo+j] * s.norms[lo+j]
			if !(math.Abs(row[j]) < 1e-7) { // not a small angle: leave it to the Jacobi rotations
				row[j] = 0
			}
		}
	}
	for _, x := range []Matrix[float64]{s.b, s.v} {
		large, small := x.Slice(lo, cut, 0, x.Cols), x.Slice(cut, s.n, 0, x.Cols)
		before := large.Clone()
		gemm(s.crew, Trans, NoTrans, 1, c, small, 1, large)
		gemm(s.crew, NoTrans, NoTrans, -1, c, before, 1, small)
	}
}
