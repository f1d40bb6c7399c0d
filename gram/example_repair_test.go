package gram_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

var tanh kernel.Kernel[kernel.Vec] = kernel.Sigmoid{Offset: -1}

func ExampleExamine() {
	f, err := gram.Examine(context.Background(), tanh, x, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(f.OK, f.Rows, len(f.Warnings()))
	fmt.Println(f.Err())
	// Output:
	// false 4 1
	// the kernel is not positive definite: its Gram matrix has the smallest eigenvalue -1.28, the largest is 3.02; repair it by clip, flip or shift, or take another kernel
}

func ExampleFindings() {
	far := data.Slice[kernel.Vec]{{1e6}, {1e6 + 1}}
	f, err := gram.Examine[kernel.Vec](context.Background(), kernel.Linear{}, far, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(f.Err(), f.Warnings())
	// Output: <nil> [kernel values of size 1e+12 tell the points apart by 0.25 only, so that few of their digits count; centre or scale the columns]
}

func ExampleRepairKernel() {
	ctx := context.Background()
	k, err := gram.RepairKernel(ctx, tanh, x, gram.Clip, gram.Options{})
	if err != nil {
		panic(err)
	}
	g, err := gram.New[kernel.Vec](ctx, k, x, gram.Options{})
	if err != nil {
		panic(err)
	}
	p, err := gram.CheckPSD(g, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(k.Name(), p.OK, k.CheckPoints(test), k.Properties().PSD)
	fmt.Printf("%.3f was %.3f\n", k.Eval(x.At(0), x.At(0)), tanh.Eval(x.At(0), x.At(0)))
	// a function of the repaired kernel, written with the kernel itself
	centers, coef := k.Restate(ctx, data.Slice[kernel.Vec]{x.At(1)}, mat.NewDense(1, 1, []float64{1}))
	sum := 0.0
	for i := range centers.Len() {
		sum += coef.At(i, 0) * tanh.Eval(centers.At(i), test.At(0))
	}
	block := mat.NewDense(2, 4, nil)
	k.PreparePoints(ctx, test, x)(block, 0, 0)
	fmt.Printf("%.4f %.4f\n", sum, block.At(0, 1))
	// Output:
	// sigmoid repaired by clip true <nil> yes
	// 0.321 was -0.762
	// 0.1790 0.1790
}

func ExampleRepairByName() {
	fmt.Println(gram.RepairByName("flip"))
	// Output: flip <nil>
}

func ExampleDefinite() {
	fmt.Println(gram.Definite([]float64{-1e-17, 0.5, 2}))
	fmt.Println(gram.Definite([]float64{-1, 3}))
	// Output:
	// <nil>
	// the kernel is not positive definite: its Gram matrix has the smallest eigenvalue -1, the largest is 3; repair it by clip, flip or shift, or take another kernel
}
