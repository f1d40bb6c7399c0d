package linalg

import (
	"bufio"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// readSparse reads up to rows lines of a gzipped svmlight file from the shared data
// beside the repository; the benchmark is skipped where it is absent.
func readSparse(b testing.TB, name string, rows int) *CSR {
	b.Helper()
	m := &CSR{Ptr: []int{0}}
	lines := bufio.NewScanner(datatest.Open(b, name))
	for lines.Scan() && m.Rows < rows {
		for _, field := range strings.Fields(lines.Text())[1:] {
			c, v, _ := strings.Cut(field, ":")
			column, err := strconv.Atoi(c)
			if err != nil {
				b.Fatal(err)
			}
			value, err := strconv.ParseFloat(v, 64)
			if err != nil {
				b.Fatal(err)
			}
			m.Index, m.Value = append(m.Index, int32(column-1)), append(m.Value, value)
			m.Cols = max(m.Cols, column)
		}
		m.Rows++
		m.Ptr = append(m.Ptr, len(m.Index))
	}
	if err := m.Check(); err != nil {
		b.Fatal(err)
	}
	return m
}

func BenchmarkSparseGram(b *testing.B) {
	for _, name := range []string{"a9a.gz", "w8a.gz"} {
		m := readSparse(b, name, 8000)
		k := New[float64](m.Rows, m.Rows)
		b.Run(name+"/full", func(b *testing.B) {
			for b.Loop() {
				MulRows(0, k, m, m)
			}
		})
		b.Run(name+"/distances", func(b *testing.B) {
			for b.Loop() {
				NewRowProducts(m, m).DistanceTile(k, 0, 0)
			}
		})
	}
}
