package kernel

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/fault"
)

// Param is one real hyper-parameter of a kernel.
type Param struct {
	Name   string // qualified: "gaussian.lengthscale", "gaussian#2.lengthscale"
	Value  float64
	Domain Domain
}

// Domain is the set of values a parameter may take.
type Domain struct {
	Low, High float64 // may be ±Inf
	OpenLow   bool    // Low itself is excluded
	OpenHigh  bool    // High itself is excluded
	Integer   bool    // no derivative: gradients by it are 0
	LogScale  bool    // searched and differentiated on a log scale by preference
}

// Contains says whether v may be the parameter's value.
func (d Domain) Contains(v float64) bool {
	switch {
	case math.IsNaN(v) || v < d.Low || v > d.High || math.IsInf(v, 0):
		return false
	case d.OpenLow && v == d.Low, d.OpenHigh && v == d.High:
		return false
	case d.Integer && v != math.Trunc(v):
		return false
	}
	return true
}

// String writes the domain as an interval.
func (d Domain) String() string {
	left, right := "[", "]"
	if d.OpenLow || math.IsInf(d.Low, 0) {
		left = "("
	}
	if d.OpenHigh || math.IsInf(d.High, 0) {
		right = ")"
	}
	s := fmt.Sprintf("%s%g, %g%s", left, d.Low, d.High, right)
	if d.Integer {
		s = "integers in " + s
	}
	return s
}

// Tunable is an optional interface of kernels with hyper-parameters.
type Tunable[T any] interface {
	Kernel[T]
	Params() []Param
	// With returns a kernel of the same form with other parameter values, in
	// the order of Params. The receiver is not changed.
	With(theta []float64) Kernel[T]
}

// Params lists the hyper-parameters of k, none when k is not Tunable. The
// parameters of a composite kernel are those of its parts from left to right,
// under the name of the part; a name that comes again is told apart by a
// number: "gaussian.lengthscale", "gaussian#2.lengthscale".
func Params[T any](k Kernel[T]) []Param {
	if t, ok := k.(Tunable[T]); ok {
		return t.Params()
	}
	return nil
}

// Values returns the parameter values alone, in the order of Params.
func Values[T any](k Kernel[T]) []float64 {
	params := Params(k)
	theta := make([]float64, len(params))
	for i, p := range params {
		theta[i] = p.Value
	}
	return theta
}

// With returns k with the parameter values theta, in the order of Params. The
// error names the parameter whose value lies outside its domain.
func With[T any](k Kernel[T], theta []float64) (Kernel[T], error) {
	params := Params(k)
	if len(theta) != len(params) {
		return nil, fault.Errorf("kernel", "%d parameter values for %d parameters", len(theta), len(params))
	}
	for i, p := range params {
		if !p.Domain.Contains(theta[i]) {
			return nil, fault.Errorf("kernel", "parameter %s = %g is outside %v", p.Name, theta[i], p.Domain)
		}
	}
	if len(theta) == 0 {
		return k, nil
	}
	return any(k).(Tunable[T]).With(theta), nil
}

// Set returns k with the one parameter of that name changed.
func Set[T any](k Kernel[T], name string, value float64) (Kernel[T], error) {
	params := Params(k)
	theta := Values(k)
	for i, p := range params {
		if p.Name == name {
			theta[i] = value
			return With(k, theta)
		}
	}
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return nil, fault.Errorf("kernel", "no parameter %q (there are: %s)", name, strings.Join(names, ", "))
}

// positive describes a parameter in (0, ∞).
func positive(name string, value float64) Param {
	return Param{name, value, Domain{Low: 0, High: math.Inf(1), OpenLow: true, LogScale: true}}
}

// nonNegative describes a parameter in [0, ∞).
func nonNegative(name string, value float64) Param {
	return Param{name, value, Domain{Low: 0, High: math.Inf(1)}}
}

// anyReal describes a parameter in (-∞, ∞).
func anyReal(name string, value float64) Param {
	return Param{name, value, Domain{Low: math.Inf(-1), High: math.Inf(1)}}
}

// orOne is the rule that a zero field means 1.
func orOne(v float64) float64 {
	if v == 0 {
		return 1
	}
	return v
}

// mustBePositive is the error for a field that has to be > 0; 0 itself stands for the default.
func mustBePositive(kernel, field string, v float64) error {
	if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return fault.Errorf("kernel", "%s: %s = %g, want a finite number > 0", kernel, field, v)
	}
	return nil
}

func mustBeNonNegative(kernel, field string, v float64) error {
	if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return fault.Errorf("kernel", "%s: %s = %g, want a finite number ≥ 0", kernel, field, v)
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// distinct numbers the parameters whose names come again:
// a.b, a.b → a.b, a#2.b.
func distinct(params []Param) []Param {
	seen := map[string]int{}
	for i, p := range params {
		owner, field, dotted := strings.Cut(p.Name, ".")
		owner, _, _ = strings.Cut(owner, "#")
		base := owner
		if dotted {
			base += "." + field
		}
		seen[base]++
		if n := seen[base]; n > 1 {
			owner += "#" + strconv.Itoa(n)
		}
		params[i].Name = owner
		if dotted {
			params[i].Name += "." + field
		}
	}
	return params
}

func nonNegativeLog(name string, v float64) Param {
	p := nonNegative(name, v)
	p.Domain.LogScale = true
	return p
}

func paramsOf(ks []Kernel[any]) []Param {
	var all []Param
	for _, k := range ks {
		all = append(all, Params(k)...)
	}
	return distinct(all)
}

// withOne hands theta to k, which keeps itself when it has no parameters.
func withOne[T any](k Kernel[T], theta []float64) Kernel[T] {
	if t, ok := any(k).(Tunable[T]); ok && len(theta) > 0 {
		return t.With(theta)
	}
	return k
}

func withAll(ks []Kernel[any], theta []float64) []Kernel[any] {
	out := make([]Kernel[any], len(ks))
	for i, k := range ks {
		n := len(Params(k))
		out[i], theta = withOne(k, theta[:n]), theta[n:]
	}
	return out
}
