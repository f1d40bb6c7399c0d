package linalg

import "math"

// LDL is the factorisation P·A·Pᵀ = L·D·Lᵀ of a symmetric, possibly
// indefinite matrix: L unit lower triangular, D block diagonal with blocks of
// order 1 and 2.
type LDL struct {
	l    Matrix[float64] // strict lower triangle
	diag []float64       // of D
	off  []float64       // off[k] = D[k+1, k]; not zero only in a 2×2 block
	pair []bool          // pair[k]: rows k, k+1 are a 2×2 block
	perm []int           // row i of P·A·Pᵀ is row perm[i] of A
}

// ldlBlock is the number of columns between two updates of the trailing
// matrix.
const ldlBlock = 48

// NewLDL factorises the symmetric matrix whose lower triangle is in a,
// overwriting that triangle; the upper one is neither read nor written. It is
// defined for singular matrices too (D then has a zero); only NaN and ±Inf
// are refused, with a *NotFinite.
//
// Partial pivoting of Bunch and Kaufman (1977), with the growth factor
// α = (1+√17)/8, blocked as in LAPACK's DLASYF.
func NewLDL(t int, a Matrix[float64]) (*LDL, error) {
	return newLDL(crew{threads: t}, a)
}

func newLDL(w crew, a Matrix[float64]) (*LDL, error) {
	mustBeSquare("LDLᵀ", a)
	n := a.Rows
	for i := range n {
		for j, v := range a.Row(i)[:i+1] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, &NotFinite{Row: i, Col: j, Value: v}
			}
		}
	}
	f := &LDL{l: a, diag: make([]float64, n), off: make([]float64, n), pair: make([]bool, n), perm: make([]int, n)}
	for i := range n {
		f.perm[i] = i
	}
	for k := 0; k < n; {
		if w.stopped() {
			return nil, w.ctx.Err()
		}
		k += f.panel(w, k)
	}
	return f, nil
}

// Solve overwrites b, one right-hand side in each column, with A⁻¹·b. The
// error is a *Singular when a block of D is exactly singular; b is then left
// as it was.
func (f *LDL) Solve(t int, b Matrix[float64]) error {
	n := len(f.perm)
	(&Cholesky{L: f.l}).mustFit(b)
	for k := 0; k < n; k++ {
		if det := f.blockDet(k); !usablePivot(det) {
			return &Singular{Pivot: k, Value: det}
		}
		if f.pair[k] {
			k++
		}
	}
	x := New[float64](n, b.Cols)
	for i, p := range f.perm {
		copy(x.Row(i), b.Row(p))
	}
	solveLower(crew{threads: t}, Unit, f.l, x)
	for k := 0; k < n; k++ {
		if !f.pair[k] {
			for j := range b.Cols {
				x.Data[k*x.Stride+j] /= f.diag[k]
			}
			continue
		}
		// Scaled by the off-diagonal, which is the largest of the three.
		d21 := f.off[k]
		d11, d22 := f.diag[k]/d21, f.diag[k+1]/d21
		det := d11*d22 - 1
		u, v := x.Row(k), x.Row(k+1)
		for j := range u {
			p, q := u[j]/d21, v[j]/d21
			u[j], v[j] = (d22*p-q)/det, (d11*q-p)/det
		}
		k++
	}
	solveLowerTransposed(crew{threads: t}, Unit, f.l, x)
	for i, p := range f.perm {
		copy(b.Row(p), x.Row(i))
	}
	return nil
}

// blockDet is the determinant of the block of D at k, for a 2×2 block divided
// by the square of its off-diagonal so that it neither over- nor underflows.
func (f *LDL) blockDet(k int) float64 {
	if !f.pair[k] {
		return f.diag[k]
	}
	return (f.diag[k]/f.off[k])*(f.diag[k+1]/f.off[k]) - 1
}

// Inertia counts the positive, negative and zero eigenvalues of A, which are
// those of D (Sylvester's law).
func (f *LDL) Inertia() (positive, negative, zero int) {
	for k := 0; k < len(f.diag); k++ {
		switch d := f.blockDet(k); {
		case f.pair[k]: // pivoting makes every 2×2 block indefinite
			positive, negative = positive+1, negative+1
			k++
		case d > 0:
			positive++
		case d < 0:
			negative++
		default:
			zero++
		}
	}
	return positive, negative, zero
}

// LogDet returns log |det A| and the sign of det A; (−Inf, 0) when A is
// exactly singular.
func (f *LDL) LogDet() (logAbs float64, sign int) {
	sign = 1
	for k := 0; k < len(f.diag); k++ {
		d := f.blockDet(k)
		if d == 0 {
			return math.Inf(-1), 0
		}
		if d < 0 {
			sign = -sign
		}
		logAbs += math.Log(math.Abs(d))
		if f.pair[k] {
			logAbs += 2 * math.Log(math.Abs(f.off[k]))
			k++
		}
	}
	return logAbs, sign
}
