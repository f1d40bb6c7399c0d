package gram

import (
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/internal/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkLazy is the matrix-free product with one vector; BenchmarkRoofline
// the least that any such product does: the same tiles below the diagonal, as
// a bare product of matrices and an exponential of each entry.
func BenchmarkLazy(b *testing.B) {
	for _, n := range []int{20000, 100000} {
		for _, p := range []Precision{Single, Double} {
			b.Run(fmt.Sprintf("n=%d/%v", n, p), func(b *testing.B) {
				g, err := New(kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 4}), points(n, 20, 1), Options{Layout: Lazy, Precision: p})
				if err != nil {
					b.Fatal(err)
				}
				v, out := random(n, 1, 2), mat.NewDense(n, 1, nil)
				b.ReportAllocs()
				for b.Loop() {
					g.MulTo(out, v, false)
				}
				b.ReportMetric(float64(n)*float64(n)/b.Elapsed().Seconds()*float64(b.N)/1e9, "Gentries/s")
			})
		}
	}
}

// BenchmarkTile is the evaluation of tiles alone, one goroutine.
func BenchmarkTile(b *testing.B) {
	x := points(20000, 20, 1)
	t := kernel.Prepare(kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 4}), x, x)
	for _, side := range []int{128, 256, 512} {
		m := linalg.New[float32](side, side)
		b.Run(fmt.Sprint(side), func(b *testing.B) {
			for b.Loop() {
				t.Tile32(m, 512, 0)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(side*side)*1e9, "ns/entry")
		})
		o := newOperand[float32](linalg.New[float64](side, 1))
		acc, part := linalg.New[float64](side, 1), o.scratch(side)
		for _, op := range []linalg.Op{linalg.NoTrans, linalg.Trans} {
			b.Run(fmt.Sprint("mul", side, op), func(b *testing.B) {
				for b.Loop() {
					o.addTile(acc, op, m, 0, part)
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(side*side)*1e9, "ns/entry")
			})
		}
	}
}
