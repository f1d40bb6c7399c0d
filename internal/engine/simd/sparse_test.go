package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSparseRows(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for rows := range 20 {
			for _, cols := range []int{1, 3, 50, 800} { // rows of up to some 270 entries
				ptr := []int{r.IntN(3)}
				index := make([]int32, ptr[0])
				for i := range rows {
					for c := range cols {
						if r.IntN(3) == 0 && i%4 != 3 { // every fourth row is empty
							index = append(index, int32(c))
						}
					}
					ptr = append(ptr, len(index))
				}
				value, spread := make([]float64, len(index)), make([]float64, cols*SparseLanes)
				for i := range value {
					value[i] = r.NormFloat64()
				}
				for i := range spread {
					spread[i] = r.NormFloat64()
				}
				got, want := make([]float64, rows*SparseLanes+5), make([]float64, rows*SparseLanes)
				for i := range got {
					got[i] = math.NaN()
				}
				SparseRows64(ptr, index, value, spread, got)
				sparseRowsRef(ptr, index, value, spread, want)
				for i := range want {
					if !(math.Abs(got[i]-want[i]) <= 1e-13) {
						t.Fatalf("%d rows, %d columns: [%d] is %g, want %g", rows, cols, i, got[i], want[i])
					}
				}
				for _, v := range got[len(want):] {
					if v == v {
						t.Fatalf("%d rows, %d columns: wrote past the end", rows, cols)
					}
				}
			}
		}
	})
}

// One row of every number of entries up to 256, between NaNs.
func TestSparseRowOfEveryLength(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 4))
		for n := range 257 {
			value, spread, got := guard[float64](r, n, 3), guard[float64](r, 300*SparseLanes, 5),
				guard[float64](r, SparseLanes, 7)
			index := make([]int32, n)
			for i := range index {
				index[i] = int32(r.IntN(300))
			}
			want := make([]float64, SparseLanes)
			SparseRows64([]int{0, n}, index, value.x, spread.x, got.x)
			sparseRowsRef([]int{0, n}, index, value.x, spread.x, want)
			for i := range want {
				if !(math.Abs(got.x[i]-want[i]) <= 1e-13*float64(n+1)) {
					t.Fatalf("%d entries: [%d] is %g, want %g", n, i, got.x[i], want[i])
				}
			}
			value.intact(t)
			spread.intact(t)
			got.intact(t)
		}
	})
}
