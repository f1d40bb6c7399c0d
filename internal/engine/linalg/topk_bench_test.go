package linalg

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkTopK is ten pairs of a 4000×4000 Gaussian Gram matrix, residual
// 1e-8·‖A‖, by block size.
func BenchmarkTopK(b *testing.B) {
	a := gaussianGram(4000, 10, 3, 1)
	for _, block := range []int{0, 2, 4, 8} {
		b.Run(fmt.Sprint(block), func(b *testing.B) {
			var e *Eigs
			for b.Loop() {
				var err error
				if e, err = TopK(context.Background(), DenseOp{A: a}, 10, TopKOptions{Tolerance: 1e-8, Block: block}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(e.Products), "products")
		})
	}
}
