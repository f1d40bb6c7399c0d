package linalg

import (
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Few columns among very many cost what they are, not what the last one is called; products and
// distances have the bits that the same rows have in fewer columns.
func TestColumnsWithLargeNames(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const names = 288_888_889
	small, large := &CSR{Rows: 20, Cols: 40, Ptr: []int{0}}, &CSR{Rows: 20, Cols: names, Ptr: []int{0}}
	for range small.Rows {
		for c := range small.Cols {
			if v := rng.NormFloat64(); v > 0.5 {
				small.Index, small.Value = append(small.Index, int32(c)), append(small.Value, v)
				large.Index, large.Value = append(large.Index, int32(c*(names/40))), append(large.Value, v)
			}
		}
		small.Ptr, large.Ptr = append(small.Ptr, len(small.Index)), append(large.Ptr, len(large.Index))
	}
	// column 5 is nowhere in the others
	odd := &CSR{Rows: 2, Cols: names, Ptr: []int{0, 2, 2}, Index: []int32{0, 5}, Value: []float64{2, 3}}
	p, q := NewRowProducts(small, small), NewRowProducts(large, large)
	if got := cap(*q.scratch.Get().(*[]float64)); got > 40*simd.SparseLanes {
		t.Fatalf("a scratch of %d numbers", got)
	}
	a, b := New[float64](20, 20), New[float64](20, 20)
	for _, fill := range []func(p *RowProducts, dst Matrix[float64]){
		func(p *RowProducts, dst Matrix[float64]) { p.Tile(dst, 0, 0) },
		func(p *RowProducts, dst Matrix[float64]) { p.DistanceTile(dst, 0, 0) },
	} {
		fill(p, a)
		fill(q, b)
		for i := range a.Rows {
			for j, v := range a.Row(i) {
				if b.At(i, j) != v {
					t.Fatalf("(%d, %d): %g, in fewer columns %g", i, j, b.At(i, j), v)
				}
			}
		}
	}
	row := New[float64](2, 20)
	q.WithRows(odd).DistanceTile(row, 0, 0)
	for j := range 20 {
		if want := odd.RowSquaredDistance(0, large, j); !(row.At(0, j)-want < 1e-9 && want-row.At(0, j) < 1e-9) {
			t.Errorf("distance to row %d is %g, want %g", j, row.At(0, j), want)
		}
		if want := large.RowSquaredDistance(j, odd, 1); !(row.At(1, j)-want < 1e-9 && want-row.At(1, j) < 1e-9) {
			t.Errorf("norm of row %d is %g, want %g", j, row.At(1, j), want)
		}
	}
}
