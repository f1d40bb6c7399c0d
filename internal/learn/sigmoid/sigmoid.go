// Package sigmoid holds the logistic function and its relatives without overflow.
package sigmoid

import "math"

// Of is 1/(1 + e^{-z}).
func Of(z float64) float64 {
	if z < 0 {
		e := math.Exp(z)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-z))
}

// Log is log 1/(1 + e^{-z}).
func Log(z float64) float64 { return -Softplus(-z) }

// Softplus is log(1 + e^z).
func Softplus(z float64) float64 {
	if z > 0 {
		return z + math.Log1p(math.Exp(-z))
	}
	return math.Log1p(math.Exp(z))
}

// LogSumExp is log Σ e^{vᵢ}.
func LogSumExp(v []float64) float64 {
	top := math.Inf(-1)
	for _, x := range v {
		top = math.Max(top, x)
	}
	sum := 0.0
	for _, x := range v {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}
