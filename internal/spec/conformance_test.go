package spec_test

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

func pointsOf(d spec.Domain) data.Points[kernel.Vec] {
	switch d {
	case spec.Cube:
		return kerneltest.UnitCube(2, 16, 3)
	case spec.Ball:
		return kerneltest.Ball(3, 16, 3)
	case spec.Codes:
		return kerneltest.Codes(5, 16, 3)
	case spec.Angle:
		return kerneltest.Vectors(4, 16, 1)
	}
	return kerneltest.Vectors(1, 16, 3)
}

// Every sample of the catalogue and of the algebra passes the whole conformance suite, is printed
// as it stands, and uses its own entry.
func TestEverySampleConforms(t *testing.T) {
	for _, e := range append(spec.Algebra(), spec.Vectors()...) {
		if len(e.Samples) == 0 || !strings.Contains(strings.Join(e.Samples, " "), e.Name) {
			t.Errorf("%q (%s) has no sample", e.Name, e.Formula)
		}
		for _, text := range e.Samples {
			t.Run(text, func(t *testing.T) {
				k, err := spec.ParseKernel(text)
				if err != nil {
					t.Fatal(err)
				}
				if again, err := spec.FormatKernel(k); err != nil || again != text {
					t.Errorf("printed as %q (%v)", again, err)
				}
				o := kerneltest.Options[kernel.Vec]{Points: pointsOf(e.Domain), RoundTrip: throughText}
				if e.Domain == spec.Anywhere {
					o.Adversarial = kerneltest.Adversarial(3)
				}
				if strings.HasPrefix(text, "laplace(") || strings.Contains(text, "order=0") { // roots of rounding at x = y
					o.Tolerance = 1e-7
				}
				kerneltest.Run(t, k, o)
			})
		}
	}
}

// throughText prints a kernel and reads it back.
func throughText(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[kernel.Vec], error) {
	text, err := spec.FormatKernel(k)
	if err != nil {
		return nil, err
	}
	return spec.ParseKernel(text)
}
