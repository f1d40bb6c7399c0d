package fitting

import (
	"math"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Choice is a parameter that is one of a few words, the first unless said otherwise.
func Choice(name, summary string, words ...string) learn.Param {
	return learn.Param{Name: name, Summary: summary, Choices: words, Linear: true,
		Domain: kernel.Domain{High: float64(len(words) - 1), Integer: true}}
}

// Always is a Shares for cells that keep to the budget by themselves.
func Always(*learn.Cells) bool { return true }

// Positive is the domain of a positive parameter that is best searched by ratios.
var Positive = kernel.Domain{Low: 0, High: math.Inf(1), OpenLow: true, LogScale: true}

// Count is the domain of a whole number that may be 0.
var Count = kernel.Domain{Low: 0, High: math.Inf(1), Integer: true}

// Share is the domain of a part of a whole, 0 included.
var Share = kernel.Domain{Low: 0, High: 1}

// NonNegative is the domain of a parameter that may be 0.
var NonNegative = kernel.Domain{Low: 0, High: math.Inf(1)}

// Fitted is what a fit returned as a Model, nil where it failed.
func Fitted[T any, M learn.Model[T]](m M, err error) (learn.Model[T], error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// LinSpace is n values from low to high with equal differences.
func LinSpace(low, high float64, n int) []float64 {
	if n == 1 {
		return []float64{low}
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = low + (high-low)*float64(i)/float64(n-1)
	}
	return out
}
