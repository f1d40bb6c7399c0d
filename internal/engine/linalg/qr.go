package linalg

import "fmt"

// QR is a Householder factorisation A = Q·R of an m×n matrix, Q kept as
// blocks of reflectors I − V·T·Vᵀ (Schreiber and Van Loan 1989).
type QR struct {
	a      Matrix[float64]   // R on and above the diagonal, the reflectors below
	blocks []Matrix[float64] // T of each block of qrBlock columns
}

// qrBlock is the number of reflectors applied by one pair of products.
const qrBlock = 96

// NewQR factorises a, overwriting it.
func NewQR(t int, a Matrix[float64]) *QR {
	return newQR(crew{threads: t}, a)
}

func newQR(w crew, a Matrix[float64]) *QR {
	q := &QR{a: a}
	m, n := a.Rows, a.Cols
	for k := 0; k < min(m, n) && !w.stopped(); k += qrBlock {
		end := min(k+qrBlock, m, n)
		v := New[float64](m-k, end-k)
		tri := New[float64](end-k, end-k)
		qrPanel(w, a.Slice(k, m, k, end), v, tri)
		applyReflectors(w, v, tri, true, a.Slice(k, m, end, n))
		q.blocks = append(q.blocks, tri)
	}
	return q
}

// applyReflectors overwrites b with H·b, or Hᵀ·b, where H = I − v·tri·vᵀ.
func applyReflectors(w crew, v, tri Matrix[float64], trans Op, b Matrix[float64]) {
	if b.Rows == 0 || b.Cols == 0 || v.Cols == 0 {
		return
	}
	vb := New[float64](v.Cols, b.Cols)
	gemm(w, Trans, NoTrans, 1, v, b, 0, vb)
	tvb := New[float64](v.Cols, b.Cols)
	gemm(w, trans, NoTrans, 1, tri, vb, 0, tvb)
	gemm(w, NoTrans, NoTrans, -1, v, tvb, 1, b)
}

// reflectors copies V of the block that starts at column k out of a, with its
// unit diagonal and the zeros above.
func (q *QR) reflectors(k, width int) Matrix[float64] {
	v := New[float64](q.a.Rows-k, width)
	for i := range v.Rows {
		row := v.Row(i)
		copy(row, q.a.Row(k + i)[k:k+min(i, width)])
		if i < width {
			row[i] = 1
		}
	}
	return v
}

// MulQ overwrites b, of m rows, with Q·b, or with Qᵀ·b when trans.
func (q *QR) MulQ(t int, trans Op, b Matrix[float64]) {
	q.mulQ(crew{threads: t}, trans, b)
}

func (q *QR) mulQ(w crew, trans Op, b Matrix[float64]) {
	if b.Rows != q.a.Rows {
		panic(fmt.Sprintf("linalg: Q of order %d applied to a matrix of %d rows", q.a.Rows, b.Rows))
	}
	// Q = H₀·H₁·…, so Qᵀ starts with the first block and Q with the last.
	for s := range q.blocks {
		i := s
		if trans == NoTrans {
			i = len(q.blocks) - 1 - s
		}
		k := i * qrBlock
		v := q.reflectors(k, q.blocks[i].Cols)
		applyReflectors(w, v, q.blocks[i], trans, b.Slice(k, b.Rows, 0, b.Cols))
	}
}

// ThinQ returns the first min(m, n) columns of Q.
func (q *QR) ThinQ(t int) Matrix[float64] {
	m, r := q.a.Rows, min(q.a.Rows, q.a.Cols)
	b := New[float64](m, r)
	for i := range r {
		b.Set(i, i, 1)
	}
	// Block i leaves the columns before its own alone: they are still those
	// of the identity, zero in the rows it touches.
	for i := len(q.blocks) - 1; i >= 0; i-- {
		k := i * qrBlock
		v := q.reflectors(k, q.blocks[i].Cols)
		applyReflectors(crew{threads: t}, v, q.blocks[i], NoTrans, b.Slice(k, m, k, r))
	}
	return b
}

// R returns the upper triangular factor, min(m, n)×n.
func (q *QR) R() Matrix[float64] {
	r := New[float64](min(q.a.Rows, q.a.Cols), q.a.Cols)
	for i := range r.Rows {
		copy(r.Row(i)[i:], q.a.Row(i)[i:])
	}
	return r
}

// Solve returns the n×k least-squares solution of A·x ≈ b, m ≥ n, and
// overwrites b with Qᵀ·b, whose rows from n on are the residual in the basis
// Q. The error is a *Singular when a diagonal entry of R is exactly zero; use
// PivotedQR where the rank is in doubt.
func (q *QR) Solve(t int, b Matrix[float64]) (Matrix[float64], error) {
	m, n := q.a.Rows, q.a.Cols
	if m < n {
		panic(fmt.Sprintf("linalg: least squares with %d rows and %d columns: more unknowns than equations", m, n))
	}
	for i := range n {
		if d := q.a.At(i, i); !usablePivot(d) {
			return Matrix[float64]{}, &Singular{Pivot: i, Value: d}
		}
	}
	q.MulQ(t, Trans, b)
	x := b.Slice(0, n, 0, b.Cols).Clone()
	Trsm(t, Left, Upper, NoTrans, NonUnit, 1, q.a.Slice(0, n, 0, n), x)
	return x, nil
}
