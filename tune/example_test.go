package tune_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

func ExampleSearch() {
	d, _ := data.Builtin("moons", 1)
	enc, _ := data.FitEncoder(d, data.EncoderOptions{})
	x, _ := enc.TransformLabelled(d)
	r, err := tune.Search{
		Problem: learn.Problem[any]{Points: data.Erase(x.Dense), Task: data.Binary, Y: x.Target},
		Candidates: []tune.Candidate{{
			Learner: "svm", Kernel: kernel.Erase(kernel.Gaussian{}),
			Axes: []tune.Axis{
				{Name: "gaussian.lengthscale", Values: learn.LogSpace(0.1, 10, 5)},
				{Name: "C", Values: learn.LogSpace(0.1, 100, 4)},
			},
		}},
		OneSE: true,
	}.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(r.Cells), "cells,", r.Fits, "fits")
	fmt.Println("good:", r.Best.Mean > 0.95)
	// Output:
	// 20 cells, 100 fits
	// good: true
}

func ExampleAuto() {
	d, _ := data.Builtin("iris", 1)
	r, err := tune.Auto(context.Background(), d, tune.AutoOptions{Budget: time.Minute, Learners: []string{"svm"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Why[0])
	fmt.Println(r.Test[0].Metric, r.Test[0].Value > 0.9)
	// Output:
	// multi-class classification: target "species" has 3 levels
	// accuracy true
}

func ExampleNested() {
	d, _ := data.Builtin("sinc", 1)
	enc, _ := data.FitEncoder(d, data.EncoderOptions{})
	x, _ := enc.TransformLabelled(d)
	s := tune.Search{
		Problem: learn.Problem[any]{Points: data.Erase(x.Dense), Task: data.Regression, Y: x.Target},
		Candidates: []tune.Candidate{{Learner: "ridge", Kernel: kernel.Erase(kernel.Gaussian{}),
			Axes: []tune.Axis{{Name: "gaussian.lengthscale", Values: learn.LogSpace(0.1, 3, 6)},
				{Name: "lambda", Values: learn.LogSpace(1e-3, 1, 6)}}}},
	}
	r, err := tune.Nested(context.Background(), s, tune.Protocol{Folds: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(r.Scores), r.Mean < 0.15)
	// Output:
	// 3 true
}
