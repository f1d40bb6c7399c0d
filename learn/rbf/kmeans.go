package rbf

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn/internal/fitting"
)

// mostSweeps bounds Lloyd's algorithm, which as a rule stops long before.
const mostSweeps = 300

// lloyd is k-means by weight: from a k-means++ start (Arthur and Vassilvitskii 2007), every point
// goes to its nearest mean and every mean to the middle of its points, until
// no point moves (Lloyd 1982). A mean that loses its points goes to the
// point that is farthest from its own. Fewer means come back when fewer points differ.
func lloyd(ctx context.Context, o Options, x linalg.Matrix[float64], weights []float64) (means linalg.Matrix[float64], settled bool, err error) {
	n := x.Rows
	for i := range n {
		for j, v := range x.Row(i) {
			if math.Abs(v) > fitting.LargestFeature/1e10 {
				return x, false, fmt.Errorf("row %d, column %d is %g, too large to square; scale the points", i, j, v)
			}
		}
	}
	near := make([]float64, n)
	means, err = plusPlus(ctx, o, x, weights, near)
	if err != nil {
		return means, false, err
	}
	home := make([]int, n)
	for i := range home {
		home[i] = -1
	}
	for range mostSweeps {
		if err := ctx.Err(); err != nil {
			return means, false, err
		}
		before := slices.Clone(home)
		fitting.Rows(ctx, o.Threads, n, 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				near[i] = math.Inf(1)
				for c := range means.Rows {
					if d := squaredDistance(x.Row(i), means.Row(c)); d < near[i] {
						near[i], home[i] = d, c
					}
				}
			}
		})
		if err := ctx.Err(); err != nil {
			return means, false, err
		}
		if slices.Equal(before, home) {
			return means, true, nil
		}
		moveMeans(o.Threads, x, weights, home, near, means)
	}
	return means, false, nil
}

// moveMeans puts each mean in the middle of its points, which are added in order.
func moveMeans(threads int, x linalg.Matrix[float64], weights []float64, home []int, near []float64, means linalg.Matrix[float64]) {
	members, total := make([][]int, means.Rows), make([]float64, means.Rows)
	for i, c := range home {
		members[c] = append(members[c], i)
		total[c] += weights[i]
	}
	par.For(threads, means.Rows, 1, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			if total[c] == 0 {
				continue
			}
			m := means.Row(c)
			clear(m)
			for _, i := range members[c] {
				for j, v := range x.Row(i) {
					m[j] += weights[i] / total[c] * v
				}
			}
		}
	})
	for c, w := range total {
		if w > 0 {
			continue
		}
		far := -1
		for i, d := range near {
			if weights[i] > 0 && d > 0 && (far < 0 || d > near[far]) {
				far = i
			}
		}
		if far >= 0 {
			copy(means.Row(c), x.Row(far))
			near[far] = 0 // the next empty mean goes elsewhere
		}
	}
}

// plusPlus draws the first means: each with probability proportional to weight
// times squared distance from the nearest one drawn before.
func plusPlus(ctx context.Context, o Options, x linalg.Matrix[float64], weights, near []float64) (linalg.Matrix[float64], error) {
	n := x.Rows
	means := linalg.New[float64](o.Centers, x.Cols)
	rng := rand.New(rand.NewPCG(o.Seed, 0x6b6d))
	chance := slices.Clone(weights)
	for i := range near {
		near[i] = math.Inf(1)
	}
	for c := range o.Centers {
		if err := ctx.Err(); err != nil {
			return means, err
		}
		at := drawByWeight(rng, chance)
		if at < 0 { // every point is a mean already
			return means.Slice(0, c, 0, x.Cols), nil
		}
		copy(means.Row(c), x.Row(at))
		fitting.Rows(ctx, o.Threads, n, 256, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				near[i] = math.Min(near[i], squaredDistance(x.Row(i), means.Row(c)))
				chance[i] = weights[i] * near[i]
			}
		})
	}
	return means, nil
}

// drawByWeight returns i with probability proportional to weight[i], -1 when all are 0.
func drawByWeight(rng *rand.Rand, weight []float64) int {
	u, last := rng.Float64()*fitting.Sum(weight), -1
	for i, w := range weight {
		if w > 0 {
			last = i
			if u -= w; u < 0 {
				break
			}
		}
	}
	return last
}

func squaredDistance(a, b []float64) float64 {
	s := 0.0
	for j, v := range a {
		s += (v - b[j]) * (v - b[j])
	}
	return s
}
