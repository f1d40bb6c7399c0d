package project

import (
	"encoding/csv"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
	"gonum.org/v1/gonum/mat"
)

// sharedTable reads a CSV file of numbers with a header from ../shared/data;
// the test is skipped where the data are not at hand.
func sharedTable(t testing.TB, name string, limit int) *mat.Dense {
	t.Helper()
	c := csv.NewReader(datatest.Open(t, name))
	if _, err := c.Read(); err != nil {
		t.Fatal(err)
	}
	var rows []float64
	n, d := 0, 0
	for limit == 0 || n < limit {
		rec, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		d = len(rec)
		for _, s := range rec {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, v)
		}
		n++
	}
	return mat.NewDense(n, d, rows)
}

func gaussianRows(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 9))
	m := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

// within fails unless got and want agree to tol, entry by entry.
func within(t *testing.T, what string, got, want mat.Matrix, tol float64) {
	t.Helper()
	r, c := got.Dims()
	if r2, c2 := want.Dims(); r != r2 || c != c2 {
		t.Fatalf("%s is %d×%d, want %d×%d", what, r, c, r2, c2)
	}
	for i := range r {
		for j := range c {
			if d := math.Abs(got.At(i, j) - want.At(i, j)); !(d <= tol) {
				t.Fatalf("%s[%d, %d] = %g, want %g", what, i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}
