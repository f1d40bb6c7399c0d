package container

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/blas/blas64"
)

// Float64s stores values as a tensor of the given shape, keeping every bit.
func Float64s(values []float64, shape ...int) Tensor {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return Tensor{"F64", shape, b}
}

// Float64s reads the tensor back.
func (t Tensor) Float64s() ([]float64, error) {
	if t.DType != "F64" {
		return nil, fmt.Errorf("numbers of type %s where F64 was expected", t.DType)
	}
	v := make([]float64, len(t.Bytes)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(t.Bytes[8*i:]))
	}
	return v, nil
}

// MatrixTensor stores a matrix.
func MatrixTensor[M data.General](matrix M) Tensor {
	m := linalg.Matrix[float64](matrix)
	return Float64s(m.Clone().Data, m.Rows, m.Cols)
}

// Matrix reads a tensor of two dimensions.
func (t Tensor) Matrix() (blas64.General, error) {
	if len(t.Shape) != 2 {
		return blas64.General{}, fmt.Errorf("shape %v where a matrix was expected", t.Shape)
	}
	v, err := t.Float64s()
	return blas64.General{Rows: t.Shape[0], Cols: t.Shape[1], Data: v, Stride: max(t.Shape[1], 1)}, err
}

// Int32s stores values as a tensor of one dimension.
func Int32s(values []int32) Tensor {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return Tensor{"I32", []int{len(values)}, b}
}

// Int32s reads the tensor back.
func (t Tensor) Int32s() ([]int32, error) {
	if t.DType != "I32" {
		return nil, fmt.Errorf("numbers of type %s where I32 was expected", t.DType)
	}
	v := make([]int32, len(t.Bytes)/4)
	for i := range v {
		v[i] = int32(binary.LittleEndian.Uint32(t.Bytes[4*i:]))
	}
	return v, nil
}

// Int64s stores values as a tensor of one dimension.
func Int64s(values []int64) Tensor {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return Tensor{"I64", []int{len(values)}, b}
}

// Int64s reads the tensor back.
func (t Tensor) Int64s() ([]int64, error) {
	if t.DType != "I64" {
		return nil, fmt.Errorf("numbers of type %s where I64 was expected", t.DType)
	}
	v := make([]int64, len(t.Bytes)/8)
	for i := range v {
		v[i] = int64(binary.LittleEndian.Uint64(t.Bytes[8*i:]))
	}
	return v, nil
}
