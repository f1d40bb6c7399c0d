package gram

import (
	"context"
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkLazy is the matrix-free product with one vector.
func BenchmarkLazy(b *testing.B) {
	for _, n := range []int{20000, 100000} {
		for _, p := range []Precision{Single, Double} {
			b.Run(fmt.Sprintf("n=%d/%v", n, p), func(b *testing.B) {
				g, err := New(context.Background(), kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 4}), points(n, 20, 1),
					Options{Layout: Lazy, Precision: p})
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

// BenchmarkRoofline is the least that a product can do with the tiles it
// needs, those below the diagonal or all of them: a matrix product of their
// points and an exponential, nothing else.
func BenchmarkRoofline(b *testing.B) {
	for _, n := range []int{20000, 100000} {
		for _, symmetric := range []bool{true, false} {
			b.Run(fmt.Sprintf("n=%d/symmetric=%v", n, symmetric), func(b *testing.B) {
				x := linalg.New[float32](n, 20)
				for i := range n {
					for j, v := range points(1, 20, uint64(i%7)).At(0) {
						x.Set(i, j, float32(v))
					}
				}
				const tile = 512
				for b.Loop() {
					par.For(0, (n+tile-1)/tile, 1, func(bi, _ int) {
						k := linalg.New[float32](tile, tile)
						i0, i1 := bi*tile, min((bi+1)*tile, n)
						end := n
						if symmetric {
							end = i1
						}
						for j0 := 0; j0 < end; j0 += tile {
							j1 := min(j0+tile, n)
							linalg.GemmFunc(1, linalg.Full, linalg.NoTrans, linalg.Trans, 1, x.Slice(i0, i1, 0, 20), x.Slice(j0, j1, 0, 20),
								0, k.Slice(0, i1-i0, 0, j1-j0),
								func(t linalg.Matrix[float32], _, _ int) {
									for i := range t.Rows {
										simd.ScaleExp32(t.Row(i), t.Row(i), -0.01)
									}
								})
						}
					})
				}
			})
		}
	}
}

// BenchmarkTile is the evaluation of tiles alone, one goroutine.
func BenchmarkTile(b *testing.B) {
	x := points(20000, 20, 1)
	t := kernel.Prepare(context.Background(), kernel.Kernel[kernel.Vec](kernel.Gaussian{Lengthscale: 4}), x, x)
	for _, side := range []int{128, 256, 512} {
		m := linalg.New[float32](side, side)
		b.Run(fmt.Sprint(side), func(b *testing.B) {
			for b.Loop() {
				t.Tile32(linalg.General32(m), 512, 0)
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
