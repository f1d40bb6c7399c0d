package learntest

import (
	"bufio"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"gonum.org/v1/gonum/mat"
)

// SVMLight reads a file in LIBSVM's format.
func SVMLight(t testing.TB, name string) (data.SparseRows, []float64) {
	var rows []data.SparseVec
	var y []float64
	dim := 0
	s := bufio.NewScanner(datatest.Open(t, name))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		f := strings.Fields(s.Text())
		if len(f) == 0 {
			continue
		}
		label, err := strconv.ParseFloat(f[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		var v data.SparseVec
		for _, p := range f[1:] {
			a, b, _ := strings.Cut(p, ":")
			i, _ := strconv.Atoi(a)
			x, err := strconv.ParseFloat(b, 64)
			if err != nil {
				t.Fatal(err)
			}
			v.Index, v.Value = append(v.Index, int32(i-1)), append(v.Value, x)
			dim = max(dim, i)
		}
		rows, y = append(rows, v), append(y, label)
	}
	return data.SparseOf(rows, dim), y
}

// AsDense spells the zeros out.
func AsDense(x data.SparseRows) data.DenseRows {
	m := mat.NewDense(x.Len(), x.Dim(), nil)
	for i := range x.Len() {
		v := x.At(i)
		for k, j := range v.Index {
			m.Set(i, int(j), v.Value[k])
		}
	}
	return data.Rows(m)
}

// Table reads a CSV file with a header; the target is the last column, or
// the first when targetFirst.
func Table(t testing.TB, name string, skip map[string]bool, targetFirst bool) (*mat.Dense, []float64) {
	rows, err := csv.NewReader(datatest.Open(t, name)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	head, rows := rows[0], rows[1:]
	target := len(head) - 1
	if targetFirst {
		target = 0
	}
	var cols []int
	for j, h := range head {
		if j != target && !skip[h] {
			cols = append(cols, j)
		}
	}
	x, y := mat.NewDense(len(rows), len(cols), nil), make([]float64, len(rows))
	for i, r := range rows {
		if y[i], err = strconv.ParseFloat(r[target], 64); err != nil {
			t.Fatal(err)
		}
		for k, j := range cols {
			v, err := strconv.ParseFloat(r[j], 64)
			if err != nil {
				t.Fatal(err)
			}
			x.Set(i, k, v)
		}
	}
	return x, y
}

// Standardise brings columns to mean 0 and (population) deviation 1.
func Standardise(x *mat.Dense) {
	n, d := x.Dims()
	for j := range d {
		mean, sq := 0.0, 0.0
		for i := range n {
			mean += x.At(i, j) / float64(n)
		}
		for i := range n {
			sq += (x.At(i, j) - mean) * (x.At(i, j) - mean) / float64(n)
		}
		s := math.Sqrt(sq)
		if s == 0 {
			s = 1
		}
		for i := range n {
			x.Set(i, j, (x.At(i, j)-mean)/s)
		}
	}
}
