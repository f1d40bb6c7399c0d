package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// Op says whether an operand is used as it stands or transposed.
type Op bool

// The two values of Op.
const (
	NoTrans Op = false
	Trans   Op = true
)

func (o Op) blas() blas.Transpose {
	if o == Trans {
		return blas.Trans
	}
	return blas.NoTrans
}

// Gemm sets c = alpha·op(a)·op(b) + beta·c. With beta = 0, c need not be
// initialised (NaN in it does not spread).
func Gemm[F Float](t Threads, ta, tb Op, alpha F, a, b Matrix[F], beta F, c Matrix[F]) {
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	switch a := any(a).(type) {
	case Matrix[float64]:
		blas64.Gemm(ta.blas(), tb.blas(), float64(alpha), blas64.General(a), blas64.General(any(b).(Matrix[float64])), float64(beta), blas64.General(any(c).(Matrix[float64])))
	case Matrix[float32]:
		blas32.Gemm(ta.blas(), tb.blas(), float32(alpha), general32(a), general32(any(b).(Matrix[float32])), float32(beta), general32(any(c).(Matrix[float32])))
	}
}

func general32(m Matrix[float32]) blas32.General {
	return blas32.General{Rows: m.Rows, Cols: m.Cols, Data: m.Data, Stride: m.Stride}
}
