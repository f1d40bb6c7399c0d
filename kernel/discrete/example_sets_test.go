package discrete_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"gonum.org/v1/gonum/mat"
)

// show prints the values that a prepared kernel gives for the first point with all points.
func show[T any](k kernel.Preparer[T], x data.Slice[T]) {
	dst := mat.NewDense(1, len(x), nil)
	k.PreparePoints(context.Background(), x, x)(dst, 0, 0)
	fmt.Printf("%.3g\n", dst.RawMatrix().Data)
}

var baskets = data.Slice[[]string]{{"bread", "milk", "eggs"}, {"milk", "bread"}, {"beer"}, {}}

func ExampleSharedSubsets() {
	k := discrete.SharedSubsets[string]{}
	fmt.Println(k.Name(), k.Eval(baskets[0], baskets[1])) // {}, {bread}, {milk}, {bread, milk}
	fmt.Println(k.Params()[0].Name, k.With([]float64{2}).Eval(baskets[0], baskets[1]))
	fmt.Println(k.Validate(), k.CheckPoints(baskets), k.Properties().Strict)
	k.PreparePoints(context.Background(), baskets, baskets)(mat.NewDense(1, 4, nil), 0, 0)
	show(k, baskets)
	few := discrete.SharedSubsets[string]{Largest: 2}
	fmt.Println(few.HasFeatures(), k.HasFeatures()) // subsets of two are few, all of them are not
	// Output:
	// sharedsubsets 4
	// sharedsubsets.weight 9
	// <nil> <nil> yes
	// [8 4 1 1]
	// true false
}

func ExampleJaccard() {
	k := discrete.Jaccard[string]{}
	fmt.Printf("%s %.3f %v\n", k.Name(), k.Eval(baskets[0], baskets[1]), k.Properties().PSD)
	fill := k.PreparePoints(context.Background(), baskets, baskets)
	dst := mat.NewDense(1, 2, nil)
	fill(dst, 3, 2) // the empty set with {beer} and with itself
	fmt.Println(dst.RawMatrix().Data)
	// Output:
	// jaccard 0.667 yes
	// [0 1]
}

func ExampleOrnsteinUhlenbeck() {
	k := discrete.OrnsteinUhlenbeck[string]{Rate: 0.5}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(baskets[0], baskets[1])) // they differ in eggs
	fmt.Println(k.Params()[0].Name, k.With([]float64{1}).Eval(baskets[3], baskets[3]))
	fmt.Println(k.Validate(), k.CheckPoints(baskets), k.Properties().Bound)
	k.PreparePoints(context.Background(), baskets, baskets)(mat.NewDense(1, 4, nil), 0, 0)
	show(k, baskets)
	// Output:
	// setou 0.6065
	// setou.rate 1
	// <nil> <nil> 1
	// [1 0.607 0.135 0.223]
}

var bags = data.Slice[[]kernel.Vec]{{{0, 0}, {3, 1}}, {{3, 1.5}}, {}}

func ExampleMultiInstance() {
	k := discrete.MultiInstance[kernel.Vec]{Kernel: kernel.Gaussian{}, Power: 2}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(bags[0], bags[1]))
	fmt.Println(k.Params()[0].Name, k.Params()[1].Name, k.With([]float64{1, 2}).Eval(bags[0], bags[2]))
	fmt.Println(k.Validate(), k.CheckPoints(bags), k.Properties().PSD)
	k.PreparePoints(context.Background(), bags, bags)(mat.NewDense(1, 3, nil), 0, 0)
	show(k, bags)
	// Output:
	// multiinstance 0.7788
	// multiinstance.power gaussian.lengthscale 0
	// <nil> <nil> yes
	// [2 0.779 0]
}

func ExampleNewPyramidMatch() {
	k, err := discrete.NewPyramidMatch(bags, 0.5)
	fmt.Println(k.Name(), k.Levels, err)
	fmt.Println(k.Eval(bags[0], bags[1])) // (3, 1) and (3, 1.5) meet in cells of side 1
	fmt.Println(k.Params()[0].Name, k.With([]float64{0}).Eval(bags[0], bags[1]))
	fmt.Println(k.Validate(), k.CheckPoints(bags), k.Properties().PSD)
	k.PreparePoints(context.Background(), bags, bags)(mat.NewDense(1, 3, nil), 0, 0)
	show(k, bags)
	// Output:
	// pyramid 3 <nil>
	// 0.5
	// pyramid.levels 0
	// <nil> <nil> yes
	// [2 0.5 0]
}

var weather = data.Slice[[]discrete.Member[string]]{{{"warm", 0.7}, {"wet", 0.2}}, {{"wet", 0.9}, {"cold", 0.4}}, {}}

func ExampleFuzzyIntersection() {
	k := discrete.FuzzyIntersection[string]{Norm: discrete.Product}
	fmt.Printf("%s %v %.2f\n", k.Name(), k.Norm, k.Eval(weather[0], weather[1]))
	fmt.Println(k.Validate(), k.CheckPoints(weather), k.Properties().PSD)
	k.PreparePoints(context.Background(), weather, weather)(mat.NewDense(1, 3, nil), 0, 0)
	show(k, weather)
	fmt.Println(k.HasFeatures())
	// Output:
	// fuzzyintersection product 0.18
	// <nil> <nil> yes
	// [0.53 0.18 0]
	// true
}

func ExampleTNorm() {
	fmt.Println(discrete.Minimum, discrete.Product, discrete.Hamacher)
	// Output: minimum product hamacher
}

func ExampleFuzzyCross() {
	heat := data.Slice[[]discrete.Member[kernel.Vec]]{{{kernel.Vec{20}, 1}, {kernel.Vec{25}, 0.5}},
		{{kernel.Vec{22}, 0.8}}}
	k := discrete.FuzzyCross[kernel.Vec]{Elements: kernel.Gaussian{Lengthscale: 5}}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(heat[0], heat[1]))
	fmt.Println(k.Params()[0].Name, kernel.Values(k.With([]float64{2})))
	fmt.Println(k.Validate(), k.CheckPoints(heat), k.Properties().PSD)
	k.PreparePoints(context.Background(), heat, heat)(mat.NewDense(1, 2, nil), 0, 0)
	show(k, heat)
	// Output:
	// fuzzycross 1.0726
	// elements.gaussian.lengthscale [2]
	// <nil> <nil> yes
	// [1.86 1.07]
}
