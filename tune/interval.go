package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn"
)

// setIntervals gives scores their intervals: all of them, or the first where the others are not to
// be waited for.
func setIntervals(scores []TestScore, p learn.Predictions, units []int, seed uint64, over func() bool) {
	if len(scores) == 0 {
		return
	}
	intervals(scores[:1], p, units, seed)
	if !over() {
		intervals(scores[1:], p, units, seed)
	}
}

// intervals are 95 % intervals of scores over the rows they were computed on: Wilson's for the
// share of rows predicted right, of a class or of those named so, percentiles of 1,000 bootstrap
// samples (Efron 1979) for anything else. A sample is drawn once for all of them. Rows of one unit,
// a group or a stretch of time, are no new evidence each: where there are units (nil: none), it is
// these that are counted and drawn.
func intervals(scores []TestScore, p learn.Predictions, units []int, seed uint64) {
	n := len(p.Truth)
	groups := groupRows(units)
	var drawn []*TestScore
	for i := range scores {
		switch s := &scores[i]; {
		case s.by.share != nil && p.Weights == nil && groups == nil:
			part, all := s.by.share(p)
			s.Low, s.High = wilson(float64(part)/float64(all), float64(all))
		case s.by.Name != "accuracy" || p.Weights != nil:
			drawn = append(drawn, s)
		case groups != nil:
			s.Low, s.High = wilson(s.Value, groupedSize(p, groups))
		default:
			s.Low, s.High = wilson(s.Value, float64(n))
		}
	}
	if len(drawn) == 0 {
		return
	}
	samples, size := bootstrapSamples(n)
	draw := func(rng *rand.Rand) learn.Predictions { return p.Gather(drawRows(n, size, rng)) }
	shrink, tail := math.Sqrt(float64(size)/float64(n)), 0.025 // the spread of a score falls as the root of the rows
	if groups != nil {
		count := max(2, len(groups)*size/n)
		draw = func(rng *rand.Rand) learn.Predictions { return drawGroups(p, groups, count, rng) }
		shrink, tail = math.Sqrt(float64(count)/float64(len(groups))), expandedTail(len(groups))
	}
	values := make([]float64, len(drawn)*samples)
	par.For(0, samples, 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			// A stream for each sample: the same at any number of threads.
			again := draw(rand.New(rand.NewPCG(seed, 0x626f6f74<<32+uint64(i))))
			for j, s := range drawn {
				values[j*samples+i] = s.by.Score(again)
			}
		}
	})
	for j, s := range drawn {
		s.Low, s.High = percentiles(values[j*samples:(j+1)*samples], s.Value, tail, shrink)
	}
}

// drawRows is rows out of n, drawn with replacement.
func drawRows(n, size int, rng *rand.Rand) []int {
	rows := make([]int, size)
	for r := range rows {
		rows[r] = rng.IntN(n)
	}
	return rows
}

// normal975 is the 97.5 % quantile of the normal distribution.
const normal975 = 1.959963984540054

// wilson is Wilson's (1927) 95 % interval of a share of n rows.
func wilson(share, n float64) (low, high float64) {
	const z = normal975
	middle := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	// Rounding must not put the value outside.
	return min(max(middle-half, 0), share), max(min(middle+half, 1), share)
}

// percentiles are the values of samples but for a tail at each side, drawn nearer to value, the
// score of all rows, where samples are smaller. NaN where half of the samples have no score, and
// where all have the same: rows without one fault, drawn again, have none, and how many others
// might have is not told.
func percentiles(all []float64, value, tail, shrink float64) (low, high float64) {
	values := slices.DeleteFunc(slices.Clone(all), math.IsNaN)
	if len(values) < len(all)/2 {
		return math.NaN(), math.NaN()
	}
	slices.Sort(values)
	if values[0] == values[len(values)-1] {
		return math.NaN(), math.NaN()
	}
	at := func(q float64) float64 { return values[int(q*float64(len(values)-1)+0.5)] }
	low, high = at(tail), at(1-tail)
	if shrink < 1 {
		low, high = value+shrink*(min(low, value)-value), value+shrink*(max(high, value)-value)
	}
	return low, high
}

// mostResampled is how many rows a bootstrap sample has at the most: of more, m are drawn out of n
// (Bickel, Götze and van Zwet 1997), so that the intervals of a large test set take no longer than
// those of a small one.
const mostResampled = 2000

// bootstrapSamples is how many samples are drawn, and of how many rows: fewer where rows are many,
// since the interval needs few digits.
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
