package tune

import (
	"math"
	"math/rand/v2"
	"sort"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn"
)

// interval is a 95 % interval of a metric over the rows it was computed on:
// Wilson's (1927) for the share of rows predicted right, percentiles of 1,000 bootstrap samples
// (Efron 1979) for anything else.
func interval(m Metric, p learn.Predictions, value float64, seed uint64) (low, high float64) {
	n := len(p.Truth)
	if m.Name == "accuracy" && p.Weights == nil {
		const z = 1.959963984540054
		f, nn := value, float64(n)
		middle := (f + z*z/(2*nn)) / (1 + z*z/nn)
		half := z / (1 + z*z/nn) * math.Sqrt(f*(1-f)/nn+z*z/(4*nn*nn))
		// Rounding must not put the value outside.
		return min(max(middle-half, 0), f), max(min(middle+half, 1), f)
	}
	samples, size := bootstrapSamples(n)
	all := make([]float64, samples)
	par.For(0, samples, 8, func(lo, hi int) {
		rows := make([]int, size)
		for i := lo; i < hi; i++ {
			// A stream for each sample: the same at any number of threads.
			rng := rand.New(rand.NewPCG(seed, 0x626f6f74<<32+uint64(i)))
			for r := range rows {
				rows[r] = rng.IntN(n)
			}
			all[i] = m.Score(p.Gather(rows))
		}
	})
	var values []float64
	for _, v := range all {
		if !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) < samples/2 {
		return math.NaN(), math.NaN()
	}
	sort.Float64s(values)
	if values[0] == values[len(values)-1] {
		return math.NaN(), math.NaN() // rows without one fault, drawn again, have none: how many others might have is not told
	}
	at := func(q float64) float64 { return values[int(q*float64(len(values)-1)+0.5)] }
	low, high = at(0.025), at(0.975)
	if size < n { // the spread of a score falls as the root of the rows
		shrink := math.Sqrt(float64(size) / float64(n))
		low, high = value+shrink*(min(low, value)-value), value+shrink*(max(high, value)-value)
	}
	return low, high
}

// mostResampled is how many rows a bootstrap sample has at the most: of more, m are drawn out of n (Bickel, Götze and van Zwet
// 1997), so that the intervals of a large test set take no longer than those of a small one.
const mostResampled = 2000

// bootstrapSamples is how many samples are drawn, and of how many rows: fewer where rows are many, since the interval needs few digits.
func bootstrapSamples(n int) (samples, size int) {
	size = min(n, mostResampled)
	return min(1000, max(200, 400_000/max(size, 1))), size
}

// judging is about how long the intervals of all metrics of a task take on n
// rows: the ranks of some of them cost most, half a microsecond for each row and sample.
func judging(n int) time.Duration {
	samples, size := bootstrapSamples(n)
	return time.Duration(samples*size) * time.Microsecond / 2
}
