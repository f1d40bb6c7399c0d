package discrete_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/discrete"
	"gonum.org/v1/gonum/mat"
)

var votes = data.Slice[discrete.Ranking]{{0, 1, 2, 3}, {1, 0, 2, 3}, {3, 2, 1, 0}, {-1, 0, -1, 1}}

func ExamplePermutation() {
	r, err := discrete.Permutation([]int{2, 0, 1}) // item 2 is the best
	fmt.Println(r, err)
	_, err = discrete.Permutation([]int{2, 0, 2})
	fmt.Println(err)
	// Output:
	// [1 2 0] <nil>
	// kernel: ranking: position 2: item 2 is at position 0 already
}

func ExampleTopK() {
	fmt.Println(discrete.TopK([]int{3, 0}, 5))
	// Output: [1 2 2 0 2] <nil>
}

func ExamplePartial() {
	fmt.Println(discrete.Partial([]int{3, 0}, 5))
	// Output: [1 -1 -1 0 -1] <nil>
}

func ExampleByScore() {
	fmt.Println(discrete.ByScore([]float64{2.5, 7, 2.5}))
	// Output: [1 0 1]
}

func ExamplePlaces() {
	fmt.Println(discrete.Places(votes[0]), discrete.Places(votes[3]))
	footrule := kernel.Pullback[discrete.Ranking, kernel.Vec](kernel.LaplaceL1{Lengthscale: 4}, discrete.Places)
	fmt.Printf("%.4f\n", footrule.Eval(votes[0], votes[1]))
	// Output:
	// [-1.5 -0.5 0.5 1.5] [-0 -0.8333333333333333 -0 0.8333333333333333]
	// 0.6065
}

func ExampleKendall() {
	k := discrete.Kendall{}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(votes[0], votes[1])) // 5 pairs alike, 1 not
	fmt.Println(k.CheckPoints(votes), k.Properties().PSD)
	k.PreparePoints(context.Background(), votes, votes)(mat.NewDense(1, 4, nil), 0, 0)
	show(k, votes)
	// Output:
	// kendall 0.6667
	// <nil> yes
	// [1 0.667 -1 0.278]
}

func ExampleMallows() {
	k := discrete.Mallows{Rate: 0.5}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(votes[0], votes[2])) // e^{-0.5·6}
	fmt.Println(k.Params()[0].Name, kernel.Values(k.With([]float64{2})))
	fmt.Println(k.Validate(), k.CheckPoints(votes), k.Properties().Bound)
	k.PreparePoints(context.Background(), votes, votes)(mat.NewDense(1, 4, nil), 0, 0)
	show(k, votes)
	// Output:
	// mallows 0.0498
	// mallows.rate [2]
	// <nil> <nil> 1
	// [1 0.607 0.0498 0.598]
}

func ExampleMallowsMean() {
	k := discrete.MallowsMean{Rate: 0.5, Pairs: 8, Seed: 1}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(votes[0], votes[2]))
	fmt.Println(k.Params()[0].Name, kernel.Values(k.With([]float64{2})))
	fmt.Println(k.Validate(), k.CheckPoints(votes), k.Properties().PSD)
	k.PreparePoints(context.Background(), votes, votes)(mat.NewDense(1, 4, nil), 0, 0)
	show(k, votes[:3])
	// Output:
	// mallowsmean 0.0498
	// mallowsmean.rate [2]
	// <nil> <nil> yes
	// [1 0.607 0.0498]
}

func ExampleSpearman() {
	k := discrete.Spearman{}
	fmt.Println(k.Name(), k.Eval(votes[0], votes[1]))
	fmt.Println(k.CheckPoints(votes), k.Properties().Strict)
	k.PreparePoints(context.Background(), votes, votes)(mat.NewDense(1, 4, nil), 0, 0)
	show(k, votes)
	// Output:
	// spearman 0.8
	// <nil> no
	// [1 0.8 -1 0.333]
}
