package rkhs_test

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

func ExamplePowerPenalty() {
	x := data.Rows(mat.NewDense(4, 1, []float64{-2, -1, 1, 2}))
	y := []float64{-1, -1, 1, 1}
	for _, weight := range []float64{0.05, 2} { // of ‖f‖ itself, not its square: a heavy one leaves nothing
		penalty := rkhs.PowerPenalty{Weight: weight, Power: 1}
		if err := penalty.Validate(); err != nil {
			panic(err)
		}
		f, c, err := rkhs.Representer[kernel.Vec]{Kernel: k, Loss: rkhs.SquaredLoss{},
			Penalty: penalty}.Solve(context.Background(), x, y)
		if err != nil {
			panic(err)
		}
		fmt.Printf("weight %g: ‖f‖ = %.2f, certified %v\n", weight, f.Norm(), c.Converged)
	}
	// Output:
	// weight 0.05: ‖f‖ = 1.49, certified true
	// weight 2: ‖f‖ = 0.00, certified true
}

func ExamplePenaltyFunc() {
	// not convex
	grows := rkhs.PenaltyFunc(func(s float64) (value, derivative float64) { return math.Log1p(s * s), 2 * s / (1 + s*s) })
	value, slope := grows.Value(1)
	fmt.Printf("%.3f %.3f\n", value, slope)
	// Output: 0.693 1.000
}

func ExamplePenalty() {
	var p rkhs.Penalty = rkhs.PowerPenalty{Weight: 3}
	fmt.Println(p.Value(2)) // (3/2)·2² and 3·2
	// Output: 6 6
}

func ExampleConvexPenalty() {
	var p rkhs.ConvexPenalty = rkhs.PowerPenalty{Weight: 3}
	value, slope := p.Value(2)
	fmt.Println(2*slope-value == p.Conjugate(slope)) // Fenchel's inequality is an equality at the slope
	// Output: true
}
