package learntest

import (
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Problem draws points in the plane with a target of the task.
func Problem(n int, task data.Task, seed uint64) learn.Problem[kernel.Vec] {
	rng := rand.New(rand.NewPCG(seed, 7))
	x, y := linalg.New[float64](n, 2), make([]float64, n)
	above := func(s, limit float64) float64 {
		if s > limit {
			return 1
		}
		return 0
	}
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.Set(i, 0, a)
		x.Set(i, 1, b)
		s := math.Sin(2*a) + b/2 + 0.3*rng.NormFloat64()
		switch task {
		case data.Regression:
			y[i] = 3 + s
		case data.Binary:
			y[i] = above(s, 0)
		case data.Multiclass:
			y[i] = above(s, -0.5) + above(s, 0.5)
		}
	}
	return learn.Problem[kernel.Vec]{Points: data.RowsOf(x), Task: task, Y: y}
}

// RoundRobin deals n rows out to k folds in turn.
func RoundRobin(n, k int) []data.Fold {
	folds := make([]data.Fold, k)
	for i := range n {
		for f := range folds {
			if i%k == f {
				folds[f].Test = append(folds[f].Test, i)
			} else {
				folds[f].Train = append(folds[f].Train, i)
			}
		}
	}
	return folds
}
