package gram_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
	"gonum.org/v1/gonum/mat"
)

// K by sparse features is K of every pair: products, diagonal, columns, rectangles; at any number of
// threads the same bits.
func TestProductsOfSparseFeatures(t *testing.T) {
	const n = 1000
	rng := rand.New(rand.NewPCG(1, 1))
	texts := make(data.Slice[string], n)
	counts := &data.CSR{Cols: 6, Ptr: []int{0}}
	for i := range texts {
		var have [6]float64
		for range rng.IntN(6) { // some are empty
			letter := rng.IntN(6)
			texts[i] += string("abcdef"[letter])
			have[letter]++
		}
		for j, v := range have {
			if v > 0 {
				counts.Index, counts.Value = append(counts.Index, int32(j)), append(counts.Value, v)
			}
		}
		counts.Rows, counts.Ptr = i+1, append(counts.Ptr, len(counts.Index))
	}
	linear, err := kernel.OnSparse(kernel.Linear{}, 6)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("texts", func(t *testing.T) {
		products(t, kernel.Normalize[string](seq.Blended{K: 2}), data.Points[string](texts))
	})
	t.Run("erased", func(t *testing.T) {
		products(t, kernel.Erase[string](seq.Spectrum{K: 1}), data.Erase(data.Points[string](texts)))
	})
	t.Run("rows", func(t *testing.T) { products(t, linear, data.Points[data.SparseVec](data.Sparse(counts))) })
}

func products[T any](t *testing.T, k kernel.Kernel[T], x data.Points[T]) {
	n := x.Len()
	v := mat.NewDense(n, 3, nil)
	for i := range n {
		for j := range 3 {
			v.Set(i, j, math.Sin(float64(7*i+j)))
		}
	}
	var first []float64
	for _, threads := range []int{1, 2, 5} {
		g, err := gram.New(context.Background(), k, x, gram.Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(g.Describe(), "sparse features") {
			t.Fatal(g.Describe())
		}
		dst := mat.NewDense(n, 3, nil)
		g.MulTo(dst, v, false)
		if first != nil {
			for i, e := range dst.RawMatrix().Data {
				if e != first[i] {
					t.Fatalf("other bits at %d threads", threads)
				}
			}
			continue
		}
		first = dst.RawMatrix().Data
		diag, column, part := make([]float64, n), make([]float64, n), mat.NewDense(5, 7, nil)
		g.Diag(diag)
		g.Column(column, 17)
		g.Block(part, 40, 900)
		for i := range n {
			sums := [3]float64{}
			for j := range n {
				e := k.Eval(x.At(i), x.At(j))
				for c := range sums {
					sums[c] += e * v.At(j, c)
				}
			}
			for c, s := range sums {
				if math.Abs(dst.At(i, c)-s) > 1e-9 {
					t.Fatalf("product (%d, %d) is %g, not %g", i, c, dst.At(i, c), s)
				}
			}
			if e := k.Eval(x.At(i), x.At(i)); math.Abs(diag[i]-e) > 1e-12 {
				t.Errorf("diagonal %d is %g, not %g", i, diag[i], e)
			}
			if e := k.Eval(x.At(i), x.At(17)); math.Abs(column[i]-e) > 1e-12 {
				t.Errorf("column %d is %g, not %g", i, column[i], e)
			}
		}
		for i := range 5 {
			for j := range 7 {
				if e := k.Eval(x.At(40+i), x.At(900+j)); math.Abs(part.At(i, j)-e) > 1e-12 {
					t.Errorf("entry (%d, %d) is %g, not %g", i, j, part.At(i, j), e)
				}
			}
		}
	}
	// A layout that is asked for is kept.
	for _, o := range []gram.Options{{Layout: gram.Full}, {Layout: gram.Half}, {ByColumn: true}} {
		g, err := gram.New(context.Background(), k, x, o)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(g.Describe(), "sparse features") {
			t.Errorf("%+v: %s", o, g.Describe())
		}
	}
}
