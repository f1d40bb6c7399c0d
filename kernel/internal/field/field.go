// Package field holds the rules for the fields of kernels on structured points: zero stands for a
// standard value, and a value that makes no sense is refused with its name.
package field

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/kernel"
)

// Or is the rule that a zero field means the standard value.
func Or(v, standard float64) float64 {
	if v == 0 {
		return standard
	}
	return v
}

// Positive describes a parameter in (0, ∞).
func Positive(name string, value float64) kernel.Param {
	return kernel.Param{Name: name, Value: value, Domain: kernel.Domain{Low: 0, High: math.Inf(1), OpenLow: true,
		LogScale: true}}
}

// Count describes a whole parameter of low or more.
func Count(name string, value, low int) kernel.Param {
	return kernel.Param{Name: name, Value: float64(value), Domain: kernel.Domain{Low: float64(low), High: math.Inf(1),
		Integer: true}}
}

// MustBePositive is the error for a field that has to be > 0; 0 itself stands for the standard
// value.
func MustBePositive(name, field string, v float64) error {
	if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("kernel: %s: %s = %g, want a finite number > 0", name, field, v)
	}
	return nil
}

// Discrete is what is known of a positive semi-definite kernel on points that are no vectors.
func Discrete(bound float64) kernel.Properties {
	return kernel.Properties{PSD: kernel.Yes, Stationary: kernel.No, Isotropic: kernel.No, Bound: bound,
		Smoothness: math.NaN()}
}
