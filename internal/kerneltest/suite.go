// Package kerneltest is a conformance suite that any kernel must pass:
//
//	func TestMyKernel(t *testing.T) {
//		kerneltest.Run(t, MyKernel{}, kerneltest.Options[kernel.Vec]{Points: kerneltest.Vectors(1, 24, 3)})
//	}
//
// It holds what the rest of mercer takes for granted: symmetry, positive
// semi-definite Gram matrices on ordinary and on adversarial samples, fast paths
// that equal Eval, sparse rows that equal dense ones, derivatives that equal
// differences, parameters that round-trip, and values that do not depend on who else
// is asking.
//
// Names to know: [Run] is the suite and [Options] what it is told. [Vectors], [UnitCube], [Ball],
// [Codes] and [Adversarial] are points to test on.
package kerneltest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Options says what to test a kernel on.
type Options[T any] struct {
	// Points is an ordinary sample, at least 4 points in the domain of the kernel.
	Points data.Points[T]
	// Adversarial are further samples on which Gram matrices must stay positive
	// semi-definite. Repetitions of Points are always among them.
	Adversarial []data.Points[T]
	// RoundTrip writes the kernel as text and reads it back; nil skips that check.
	RoundTrip func(k kernel.Kernel[T]) (kernel.Kernel[T], error)
	// Tolerance is how far fast paths may be from Eval, relative to the largest
	// value; 1e-10 when zero.
	Tolerance float64
	// Kinks says that the kernel has no derivative by its points everywhere in the sample, so
	// that differences prove nothing there.
	Kinks bool

	values func() (*mat.Dense, float64) // Eval of every pair of Points, made once for all checks of a kernel
}

// of is the options of all checks of a kernel.
func (o Options[T]) of(k kernel.Kernel[T]) Options[T] {
	o.values = sync.OnceValues(func() (*mat.Dense, float64) { return evalGram(k, o.Points, o.Points) })
	return o
}

// gram is a call of Eval for each pair of Points, and the largest absolute value.
func (o Options[T]) gram(k kernel.Kernel[T]) (*mat.Dense, float64) {
	if o.values == nil { // a check by itself
		return evalGram(k, o.Points, o.Points)
	}
	return o.values()
}

func (o Options[T]) tolerance() float64 {
	if o.Tolerance == 0 {
		return 1e-10
	}
	return o.Tolerance
}

// Check is one property of a kernel; Test returns nil when it holds.
type Check[T any] struct {
	Name string
	Test func(k kernel.Kernel[T], o Options[T]) error
}

// Checks lists all checks.
func Checks[T any]() []Check[T] {
	return []Check[T]{
		{"accepted", accepted[T]},
		{"symmetric", symmetric[T]},
		{"positive semi-definite", positive[T]},
		{"block equals eval", blocks[T]},
		{"columns prepared once", base[T]},
		{"normalised columns", normalisedBase[T]},
		{"single precision", single[T]},
		{"diagonal", diagonal[T]},
		{"properties hold", properties[T]},
		{"sparse equals dense", sparse[T]},
		{"sparse features", features[T]},
		{"derivatives by parameters", paramGrads[T]},
		{"derivatives by points", inputGrads[T]},
		{"parameters round-trip", parameters[T]},
		{"text round-trip", roundTrip[T]},
		{"concurrent", concurrent[T]},
	}
}

// Run runs every check as a subtest.
func Run[T any](t *testing.T, k kernel.Kernel[T], o Options[T]) {
	t.Helper()
	o = o.of(k)
	for _, c := range Checks[T]() {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Test(k, o); err != nil {
				t.Error(err)
			}
		})
	}
}

// Errors runs every check and returns what failed, by the name of the check.
func Errors[T any](k kernel.Kernel[T], o Options[T]) map[string]error {
	failed := map[string]error{}
	o = o.of(k)
	for _, c := range Checks[T]() {
		if err := c.Test(k, o); err != nil {
			failed[c.Name] = err
		}
	}
	return failed
}

func accepted[T any](k kernel.Kernel[T], o Options[T]) error {
	if o.Points.Len() < 4 {
		return fmt.Errorf("kerneltest: %d points are too few, want at least 4", o.Points.Len())
	}
	return kernel.Check(k, o.Points)
}

func roundTrip[T any](k kernel.Kernel[T], o Options[T]) error {
	if o.RoundTrip == nil {
		return nil
	}
	back, err := o.RoundTrip(k)
	if err != nil {
		return err
	}
	values, _ := o.gram(k)
	for i := range o.Points.Len() {
		for j := range o.Points.Len() {
			if a, b := values.At(i, j), back.Eval(o.Points.At(i), o.Points.At(j)); a != b {
				return fmt.Errorf("k(%d, %d) = %v, but %v after a round trip through text", i, j, a, b)
			}
		}
	}
	return nil
}
