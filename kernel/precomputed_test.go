package kernel_test

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func TestPrecomputed(t *testing.T) {
	all := kerneltest.Vectors(1, 14, 2)
	full := mat.NewDense(14, 14, nil)
	Block[Vec](context.Background(), Gaussian{}, full, all, all)
	k, err := PrecomputedTest(full.Slice(0, 10, 0, 10), full.Slice(10, 14, 0, 10))
	if err != nil {
		t.Fatal(err)
	}
	kerneltest.Run[int](t, k, kerneltest.Options[int]{Points: data.Indices(10)})
	test := data.Slice[int]{10, 11, 12, 13}
	got := mat.NewDense(4, 10, nil)
	Block[int](context.Background(), k, got, test, data.Indices(10))
	if !mat.Equal(got, full.Slice(10, 14, 0, 10)) {
		t.Error("the test block is not what was given")
	}
	if k.Eval(3, 12) != full.At(12, 3) || !math.IsNaN(k.Eval(12, 13)) {
		t.Error("pairs with new objects")
	}
	if Check[int](k, data.Slice[int]{14}) == nil {
		t.Error("an index outside is accepted")
	}
	if _, err := PrecomputedTest(full.Slice(0, 10, 0, 10), full.Slice(10, 14, 0, 9)); err == nil {
		t.Error("a test block of the wrong width is accepted")
	}
	full.Set(2, 3, 9)
	if (Precomputed{K: full}).Validate() == nil {
		t.Error("an asymmetric matrix is accepted")
	}
}

func TestSeparable(t *testing.T) {
	k := Separable[Vec]{Gaussian{}, mat.NewSymDense(2, []float64{2, 1, 1, 3})}
	pts := kerneltest.Vectors(1, 5, 2)
	big := mat.NewDense(10, 10, nil)
	k.Block(context.Background(), big, pts, pts)
	scalar := k.Scalar()
	dst := mat.NewDense(2, 2, nil)
	for i := range 5 {
		for j := range 5 {
			k.EvalTo(dst, pts.At(i), pts.At(j))
			for a := range 2 {
				for b := range 2 {
					want := Gaussian{}.Eval(pts.At(i), pts.At(j)) * k.B.At(a, b)
					s := scalar.Eval(Output[Vec]{First: pts.At(i), Second: a}, Output[Vec]{First: pts.At(j), Second: b})
					for _, v := range []float64{dst.At(a, b), big.At(2*i+a, 2*j+b), s} {
						if math.Abs(v-want) > 1e-14 {
							t.Fatalf("K(x%d, x%d)[%d, %d] = %g, want %g", i, j, a, b, v, want)
						}
					}
				}
			}
		}
	}
	var points data.Slice[Output[Vec]]
	for i := range 5 {
		points = append(points, Output[Vec]{First: pts.At(i), Second: i % 2}, Output[Vec]{First: pts.At(i), Second: 1 - i%2})
	}
	kerneltest.Run(t, scalar, kerneltest.Options[Output[Vec]]{Points: points})
	if (Separable[Vec]{Gaussian{}, mat.NewSymDense(2, []float64{1, 2, 2, 1})}).Validate() == nil {
		t.Error("an indefinite B is accepted")
	}
}
