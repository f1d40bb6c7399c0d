package data_test

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// A *mat.Dense is viewed; what has no storage by rows is copied.
func TestRowsOfAnyMatrix(t *testing.T) {
	m := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	view := data.Rows(m)
	m.Set(0, 0, 7)
	if view.At(0)[0] != 7 {
		t.Error("the rows of a mat.Dense were copied")
	}
	if got := data.Rows(m.T()); got.Len() != 3 || got.Dim() != 2 || fmt.Sprint(got.At(2)) != "[3 6]" {
		t.Errorf("the transpose has rows %v of %d", got.At(2), got.Len())
	}
	part := data.Rows(m.Slice(0, 2, 1, 3))
	if part.Dim() != 2 || fmt.Sprint(part.At(1)) != "[5 6]" {
		t.Errorf("a slice has row %v", part.At(1))
	}
	s := mat.NewSymDense(2, []float64{1, 2, 2, 3})
	if got := data.Rows(s); fmt.Sprint(got.At(1)) != "[2 3]" {
		t.Errorf("a symmetric matrix has row %v", got.At(1))
	}
	d := mat.NewDiagDense(2, []float64{1, 2})
	if got := data.Rows(d); fmt.Sprint(got.At(0), got.At(1)) != "[1 0] [0 2]" {
		t.Errorf("a diagonal matrix has rows %v %v", got.At(0), got.At(1))
	}
}
