package kmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

func cloud(n, d int, seed uint64) linalg.Matrix[float64] {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := linalg.New[float64](n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// costOf is the sum of squares of labels about their weighted means, by plain loops.
func costOf(x linalg.Matrix[float64], labels []int, k int, weights []float64) float64 {
	total := 0.0
	for c := range k {
		mass, mean := 0.0, make([]float64, x.Cols)
		for i, l := range labels {
			if l == c {
				mass += weights[i]
				for j, v := range x.Row(i) {
					mean[j] += weights[i] * v
				}
			}
		}
		for i, l := range labels {
			if l == c {
				for j, v := range x.Row(i) {
					total += weights[i] * (v - mean[j]/mass) * (v - mean[j]/mass)
				}
			}
		}
	}
	return total
}

// The best of many starts is the best of all kⁿ groupings.
func TestBestOfAllGroupings(t *testing.T) {
	const n, k = 9, 3
	for seed := range uint64(5) {
		x := cloud(n, 2, seed)
		for name, weights := range map[string][]float64{"equal": nil, "weighted": {1, 2, 0.5, 1, 3, 1, 0.25, 1, 2}} {
			plain := weights
			if plain == nil {
				plain = slices.Repeat([]float64{1}, n)
			}
			least := math.Inf(1)
			labels := make([]int, n)
			for code := range int(math.Pow(k, n)) {
				for i := range labels {
					labels[i] = code % k
					code /= k
				}
				least = min(least, costOf(x, labels, k, plain))
			}
			r, err := Best(context.Background(), x, k, 60, seed, Options{Weights: weights})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Settled || math.Abs(r.Cost-least) > 1e-12*(1+least) ||
				math.Abs(costOf(x, r.Labels, k, plain)-least) > 1e-12*(1+least) {
				t.Errorf("seed %d, %s: cost %g, the best of all groupings has %g", seed, name, r.Cost, least)
			}
		}
	}
}

// A weight of m is as good as the row m times, given the same start.
func TestWeightsCountRows(t *testing.T) {
	x := cloud(6, 2, 3)
	many := linalg.New[float64](9, 2)
	weights, at := []float64{1, 3, 1, 2, 1, 1}, 0
	for i, w := range weights {
		for range int(w) {
			copy(many.Row(at), x.Row(i))
			at++
		}
	}
	a, _ := Best(context.Background(), x, 2, 40, 1, Options{Weights: weights})
	b, _ := Best(context.Background(), many, 2, 40, 1, Options{})
	if math.Abs(a.Cost-b.Cost) > 1e-12*a.Cost {
		t.Errorf("cost %g by weights, %g by repeated rows", a.Cost, b.Cost)
	}
}

func TestDegenerateRows(t *testing.T) {
	one := linalg.New[float64](1, 2)
	r, err := Run(context.Background(), one, 3, rand.New(rand.NewPCG(1, 1)), Options{})
	if err != nil || r.Centers.Rows != 1 || r.Cost != 0 || !r.Settled {
		t.Errorf("one row: %+v, %v", r, err)
	}
	twice := cloud(2, 2, 1)
	same := linalg.New[float64](20, 2)
	for i := range same.Rows {
		copy(same.Row(i), twice.Row(i%2))
	}
	r, err = Run(context.Background(), same, 5, rand.New(rand.NewPCG(1, 1)), Options{})
	if err != nil || r.Centers.Rows != 2 || r.Cost > 1e-25 { // means of equal rows, up to rounding
		t.Errorf("two rows over and over: %d centres, cost %g, %v", r.Centers.Rows, r.Cost, err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := Run(ended, same, 2, rand.New(rand.NewPCG(1, 1)), Options{}); err != context.Canceled {
		t.Errorf("a cancelled run: %v", err)
	}
	if _, err := Best(ended, same, 2, 3, 1, Options{}); err != context.Canceled {
		t.Errorf("cancelled runs: %v", err)
	}
}

func TestSameBitsAtAnyThreadCount(t *testing.T) {
	x := cloud(1500, 3, 2)
	first, err := Run(context.Background(), x, 7, rand.New(rand.NewPCG(4, 4)), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{2, 5} {
		r, _ := Run(context.Background(), x, 7, rand.New(rand.NewPCG(4, 4)), Options{Threads: threads})
		if r.Cost != first.Cost || !slices.Equal(r.Labels, first.Labels) ||
			!slices.Equal(r.Centers.Data, first.Centers.Data) {
			t.Errorf("%d threads give other bits", threads)
		}
	}
}
