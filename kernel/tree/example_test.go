package tree_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/bracket"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/tree"
	"gonum.org/v1/gonum/mat"
)

func trees(texts ...string) data.Slice[*bracket.Tree] {
	out := make(data.Slice[*bracket.Tree], len(texts))
	for i, text := range texts {
		var err error
		if out[i], err = bracket.Parse(text); err != nil {
			panic(err)
		}
	}
	return out
}

var cats = trees("(S (NP (D the) (N cat)) (VP sleeps))", "(S (NP (D the) (N dog)) (VP sleeps))", "(NP (D a) (N cat))")

func ExampleSubtree() {
	k := tree.Subtree{Decay: 1}
	fmt.Println(k.Name(), k.Eval(cats[0], cats[1])) // (D the) and (VP sleeps)
	fmt.Println(k.Params()[0].Name, k.With([]float64{0.5}).Eval(cats[0], cats[1]))
	fmt.Println(k.Validate(), k.CheckPoints(cats), k.Properties().Strict)
	dst := mat.NewDense(3, 3, nil)
	k.PreparePoints(context.Background(), cats, cats)(dst, 0, 0)
	fmt.Println(dst.RawMatrix().Data)
	// Output:
	// subtree 2
	// subtree.decay 1
	// <nil> <nil> no
	// [5 2 1 2 5 0 1 0 3]
}

func ExampleSubsetTree() {
	k := tree.SubsetTree{Decay: 1}
	fmt.Println(k.Name(), k.Eval(cats[0], cats[1]), k.Eval(cats[0], cats[2]))
	fmt.Println(k.Params()[0].Name, k.With([]float64{0.5}).Eval(cats[0], cats[2]))
	fmt.Println(k.Validate(), k.CheckPoints(cats), k.Properties().PSD)
	dst := mat.NewDense(1, 3, nil)
	k.PreparePoints(context.Background(), cats, cats)(dst, 0, 0)
	fmt.Println(dst.RawMatrix().Data)
	fmt.Printf("%.3f\n", kernel.Normalize(kernel.Kernel[*bracket.Tree](k)).Eval(cats[0], cats[1]))
	// Output:
	// subsettree 10 3
	// subsettree.decay 1.25
	// <nil> <nil> yes
	// [17 10 3]
	// 0.588
}

func ExamplePartial() {
	k := tree.Partial{Gap: 1, Depth: 1}
	fmt.Println(k.Name(), k.Eval(cats[2], cats[2]))
	fmt.Println(k.Params()[0].Name, k.Params()[1].Name, k.With([]float64{0.5, 1}).Eval(cats[2], cats[2]))
	fmt.Println(k.Validate(), k.CheckPoints(cats), k.Properties().Strict)
	dst := mat.NewDense(1, 1, nil)
	k.PreparePoints(context.Background(), cats, cats)(dst, 2, 2)
	fmt.Println(dst.At(0, 0))
	// Output:
	// partialtree 15
	// partialtree.gap partialtree.depth 3
	// <nil> <nil> yes
	// 15
}
