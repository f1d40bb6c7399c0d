package kernel

import (
	"math"
	"runtime"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// TestPairsOfFarColumns: a file may name column 288,888,888 in one of two rows. What a pair costs
// is a matter of entries, not of that number, and the metric is that of the rows merged.
func TestPairsOfFarColumns(t *testing.T) {
	const far = 288_888_888
	rows := func(ptr []int, index []int32, value []float64) *linalg.CSR {
		m, err := linalg.NewCSR(len(ptr)-1, far, ptr, index, value)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	x := rows([]int{0, 2, 3}, []int32{0, far - 1, 11}, []float64{2, 3, 3})
	y := rows([]int{0, 2, 4}, []int32{0, 1, 5, far - 1}, []float64{1, 2, 4, 1})
	for _, m := range []Metric{Inner, SqDist, L1Dist, ChiSqDist, MinSum} {
		for _, of := range []*linalg.CSR{x, y} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := linalg.New[float64](2, 2)
			s := newSparsePairs(m, x, of, false)
			s.tile(got, 0, 0)
			again := linalg.New[float64](2, 2)
			newSparsePairs(m, of, of, true).withRows(x).tile(again, 0, 0)
			runtime.ReadMemStats(&after)
			if cost := after.TotalAlloc - before.TotalAlloc; cost > 1<<20 {
				t.Errorf("metric %v: two rows and two rows take %d bytes", m, cost)
			}
			one := linalg.New[float64](1, 1)
			s.cut([]int{1}, []int{1}).tile(one, 0, 0)
			if want := sparseBetween(m, rowOf(x, 1), rowOf(of, 1)); math.Abs(one.At(0, 0)-want) > 1e-12 {
				t.Errorf("metric %v: chosen rows have %g, merged %g", m, one.At(0, 0), want)
			}
			for i := range 2 {
				for j := range 2 {
					want := sparseBetween(m, rowOf(x, i), rowOf(of, j))
					if v := got.At(i, j); math.Abs(v-want) > 1e-12 || math.Abs(again.At(i, j)-want) > 1e-12 {
						t.Errorf("metric %v of rows %d and %d is %g and %g, merged %g", m, i, j, v, again.At(i, j), want)
					}
				}
			}
		}
	}
}
