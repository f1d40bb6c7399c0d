package learntest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// RowsOfSlices is slices of one length as points.
func RowsOfSlices(v [][]float64) data.Points[kernel.Vec] {
	m := mat.NewDense(len(v), len(v[0]), nil)
	for i, r := range v {
		m.SetRow(i, r)
	}
	return data.Rows(m)
}

// Finite says that no value is NaN or infinite.
func Finite(v []float64) bool {
	for _, a := range v {
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return false
		}
	}
	return true
}

// Bits is the bit patterns of numbers: equal where the numbers are the same to the last bit, NaN
// included.
func Bits(v []float64) string {
	s := make([]uint64, len(v))
	for i, a := range v {
		s[i] = math.Float64bits(a)
	}
	return fmt.Sprint(s)
}

// ReadGolden reads a JSON file of testdata in the folder of the test.
func ReadGolden(t *testing.T, file string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

// MatrixRows is slices of one length as dense rows.
func MatrixRows(v [][]float64) data.DenseRows {
	m := mat.NewDense(len(v), len(v[0]), nil)
	for i, r := range v {
		m.SetRow(i, r)
	}
	return data.Rows(m)
}

// Column is column j of a table.
func Column(v [][]float64, j int) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i][j]
	}
	return out
}

// Near wants got within tol of want, relative to want where that is over 1.
func Near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g (tolerance %g)", what, got, want, tol)
	}
}

// AllNear is Near for each of many values.
func AllNear(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol*math.Max(1, math.Abs(want[i]))) {
			t.Fatalf("%s[%d] = %.15g, want %.15g (tolerance %g)", what, i, got[i], want[i], tol)
		}
	}
}

// Ctx is the context of fits that nothing is to end.
var Ctx = context.Background()
