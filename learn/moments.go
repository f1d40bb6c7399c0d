package learn

import "math"

// Mean is Σ wᵢ vᵢ / Σ wᵢ, nil weights being 1. Where the sum leaves the range of float64 and the
// mean does not, each value is weighted by its share first.
func Mean(v, weights []float64) float64 {
	sum, total := 0.0, 0.0
	for i, x := range v {
		w := weightAt(weights, i)
		sum += w * x
		total += w
	}
	if !math.IsInf(sum, 0) && sum == sum {
		return sum / total
	}
	sum = 0
	for i, x := range v {
		sum += x * (weightAt(weights, i) / total)
	}
	return sum
}

// RootMeanSquare is √(Σ wᵢ vᵢ² / Σ wᵢ), nil weights being 1. The values are divided by the largest
// before they are squared: a square leaves the range of float64 below 1e-162 and above 1e154.
func RootMeanSquare(v, weights []float64) float64 {
	largest := 0.0
	for i, x := range v {
		if weightAt(weights, i) > 0 {
			largest = max(largest, math.Abs(x)) // NaN, if one is
		}
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return largest
	}
	// A power of two, so that numbers in the middle of the range lose nothing.
	_, exponent := math.Frexp(largest)
	sum, total := 0.0, 0.0
	for i, x := range v {
		if w := weightAt(weights, i); w > 0 {
			x = math.Ldexp(x, -exponent)
			sum += w * x * x
			total += w
		}
	}
	return math.Ldexp(math.Sqrt(sum/total), exponent)
}

func weightAt(weights []float64, i int) float64 {
	if weights == nil {
		return 1
	}
	return weights[i]
}
