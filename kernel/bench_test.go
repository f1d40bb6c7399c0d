package kernel_test

import (
	"context"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// The Gram matrix of 8000 × 100, as in bench/: the same points on both sides.
func BenchmarkGram(b *testing.B) {
	x := kerneltest.Vectors(1, 8000, 100)
	for i := range x.Len() {
		for j := range x.At(i) {
			x.At(i)[j] /= 10
		}
	}
	dst := blas64.General(linalg.New[float64](8000, 8000))
	for _, c := range []struct {
		name string
		k    Kernel[Vec]
	}{
		{"linear", Linear{}},
		{"gaussian", Gaussian{}},
		{"matern52", Matern{Nu: 2.5}},
		{"rq", RationalQuadratic{Alpha: 0.7}},
		{"gaussian+matern52+rq", Sum[Vec](Gaussian{}, Matern{Nu: 2.5}, RationalQuadratic{Alpha: 0.7})},
		{"gaussian+matern52+linear", Sum[Vec](Gaussian{}, Matern{Nu: 2.5}, Linear{})},
		{"three gaussians", Sum[Vec](Gaussian{}, Gaussian{2}, Gaussian{3})},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				Fill(0, dst, Prepare[Vec](context.Background(), c.k, x, x))
			}
		})
	}
}

// Rows one at a time, as a decomposition solver asks for them.
func BenchmarkRows(b *testing.B) {
	x := kerneltest.Vectors(1, 8000, 100)
	t := Prepare[Vec](context.Background(), Gaussian{10}, x, x)
	row := blas64.General(linalg.New[float64](1, 8000))
	row32 := blas32.General{Rows: 1, Cols: 8000, Stride: 8000, Data: make([]float32, 8000)}
	b.Run("float64", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			t.Tile(row, i%8000, 0)
		}
	})
	b.Run("float32", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			t.Tile32(row32, i%8000, 0)
		}
	})
}

// What a Gaussian process asks for at n = 1000 with eight length-scales.
func BenchmarkParamGradDot(b *testing.B) {
	x := kerneltest.Vectors(1, 1000, 8)
	w := mat.NewDense(1000, 1000, nil)
	for i := range 1000 {
		for j := range 1000 {
			w.Set(i, j, 1/float64(i+j+1))
		}
	}
	k := Scale[Vec](1.3, ARD{Kernel: Gaussian{}, Lengthscales: []float64{1, 2, 3, 4, 5, 6, 7, 8}})
	grad := make([]float64, len(Params(k)))
	b.Run("ard gaussian", func(b *testing.B) {
		for b.Loop() {
			if err := ParamGradDot(context.Background(), k, grad, nil, w, x, x); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Sparse rows, 1% of 10 000 columns.
func BenchmarkSparse(b *testing.B) {
	var rows []data.SparseVec
	for i := range 2000 {
		var r data.SparseVec
		for j := range 100 {
			r.Index = append(r.Index, int32(100*j+(i*7+j*13)%100))
			r.Value = append(r.Value, float64(i%17)-float64(j%5))
		}
		rows = append(rows, r)
	}
	x := data.SparseOf(rows, 10000)
	k, err := OnSparse(Gaussian{30}, 10000)
	if err != nil {
		b.Fatal(err)
	}
	dst := blas64.General(linalg.New[float64](2000, 2000))
	for b.Loop() {
		Fill(0, dst, Prepare(context.Background(), k, data.Points[data.SparseVec](x), data.Points[data.SparseVec](x)))
	}
}

// Matérn without a closed form.
func BenchmarkMaternGeneral(b *testing.B) {
	x := kerneltest.Vectors(1, 1000, 10)
	dst := blas64.General(linalg.New[float64](1000, 1000))
	for b.Loop() {
		Fill(0, dst, Prepare[Vec](context.Background(), Matern{Nu: 1.7, Lengthscale: 3}, x, x))
	}
}

func BenchmarkParamGrads(b *testing.B) {
	x := kerneltest.Vectors(1, 500, 8)
	k := Scale[Vec](1.3, ARD{Kernel: Gaussian{}, Lengthscales: []float64{1, 2, 3, 4, 5, 6, 7, 8}})
	var dst []*mat.Dense
	for range Params(k) {
		dst = append(dst, mat.NewDense(500, 500, nil))
	}
	for b.Loop() {
		if err := ParamGrads(context.Background(), k, dst, x, x); err != nil {
			b.Fatal(err)
		}
	}
}
