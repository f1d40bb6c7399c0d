package forest

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// OutOfBag is what a forest of bootstrap samples says of each row by the trees that have not seen
// it: an honest judgement without a row held out (Breiman, Out-of-bag estimation, 1996).
type OutOfBag struct {
	// Values has the numbers of Average for each row, one row after the other; NaN where every tree
	// has seen it.
	Values []float64
	// Judged is how many rows of some weight have values.
	Judged int
	// Score is, over these rows and by weight, the part of the variance that is explained, R² = 1 -
	// Σ(y - ŷ)²/Σ(y - ȳ)², or the share of classes that are right. NaN where no row is judged, and
	// for numbers that are all the same.
	Score float64
}

// outOfBag averages the trees that have not seen a row.
func (f *Forest) outOfBag(
	ctx context.Context, threads int, x data.Points[kernel.Vec], y *target, bags []*bitmap,
) (*OutOfBag, error) {
	k := f.outputs
	o := &OutOfBag{Values: make([]float64, x.Len()*k)}
	if err := f.averageOf(ctx, threads, o.Values, x, bags); err != nil {
		return nil, err
	}
	weight, mean, right := 0.0, 0.0, 0.0
	for _, i := range y.rows {
		row := o.Values[int(i)*k : (int(i)+1)*k]
		if math.IsNaN(row[0]) {
			continue
		}
		w := y.weightOf(i)
		o.Judged++
		weight += w
		if y.classes == 0 {
			mean += (y.value[i] - mean) * (w / weight)
			continue
		}
		best := 0
		for c, v := range row {
			if v > row[best] {
				best = c
			}
		}
		if best == int(y.class[i]) {
			right += w
		}
	}
	o.Score = right / weight
	if y.classes == 0 {
		o.Score = explained(o.Values, y, mean)
	}
	return o, nil
}

// explained is R². Differences are in units of the largest, whose square is a number.
func explained(values []float64, y *target, mean float64) float64 {
	unit, off, spread := 0.0, 0.0, 0.0
	for _, i := range y.rows {
		if v := values[i]; !math.IsNaN(v) {
			unit = max(unit, math.Abs(y.value[i]-mean))
		}
	}
	for _, i := range y.rows {
		if v := values[i]; !math.IsNaN(v) {
			a, b := (y.value[i]-v)/unit, (y.value[i]-mean)/unit
			off += y.weightOf(i) * a * a
			spread += y.weightOf(i) * b * b
		}
	}
	return 1 - off/spread
}
