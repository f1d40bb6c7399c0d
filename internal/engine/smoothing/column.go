package smoothing

import (
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// EffectiveSize is 1/Σwᵢ², n for equal weights.
func EffectiveSize(w []float64, n int) float64 {
	if w == nil {
		return float64(n)
	}
	s := 0.0
	for _, v := range w {
		s += v * v
	}
	return 1 / s
}

// Spread is the standard deviation, with n-1 for equal weights.
func Spread(col, w []float64) float64 {
	mean, s := 0.0, 0.0
	for i, v := range col {
		mean += v * Share(w, i, len(col))
	}
	for i, v := range col {
		s += (v - mean) * (v - mean) * Share(w, i, len(col))
	}
	n := EffectiveSize(w, len(col))
	if n <= 1 {
		return 0
	}
	return math.Sqrt(s * n / (n - 1))
}

// Share is the weight of point i of n: 1/n where there are none.
func Share(w []float64, i, n int) float64 {
	if w == nil {
		return 1 / float64(n)
	}
	return w[i]
}

// RobustSpread is min(σ, IQR/1.34), as R falls back where the range is zero.
func RobustSpread(col, w []float64, spread float64) float64 {
	iqr := (Quantile(col, w, 0.75) - Quantile(col, w, 0.25)) / 1.34
	if low := min(spread, iqr); low > 0 {
		return low
	}
	return spread
}

// MedianDeviation is the median of the distances from the median.
func MedianDeviation(col, w []float64) float64 {
	m := Quantile(col, w, 0.5)
	dev := make([]float64, len(col))
	for i, v := range col {
		dev[i] = math.Abs(v - m)
	}
	return Quantile(dev, w, 0.5)
}

// Quantile is R's type 7, linear between order statistics, for equal
// weights; with weights the value where their running sum crosses p.
func Quantile(col, w []float64, p float64) float64 {
	order := par.Indices(0, len(col))
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case col[a] < col[b]:
			return -1
		case col[a] > col[b]:
			return 1
		}
		return a - b
	})
	if w == nil {
		at := p * float64(len(col)-1)
		i := int(at)
		v := col[order[i]]
		if i+1 < len(order) {
			v += (at - float64(i)) * (col[order[i+1]] - v)
		}
		return v
	}
	s := 0.0
	for _, i := range order {
		if s += w[i]; s >= p {
			return col[i]
		}
	}
	return col[order[len(order)-1]]
}
