package spec_test

import (
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

func kernelValues(text string) ([]float64, error) {
	k, err := spec.ParseKernel(text)
	if err != nil {
		return nil, err
	}
	return kernel.Values(k), nil
}

// A parameter is written where its number stands in the text, whatever it is, and not where its
// default is meant.
func TestWritten(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // names of parameters that are written
	}{
		{"gaussian()", nil},
		{"gaussian", nil},
		{"gaussian(lengthscale=3)", []string{"gaussian.lengthscale"}},
		{"gaussian(lengthscale=1)", []string{"gaussian.lengthscale"}}, // its default
		{"gaussian(3)", []string{"gaussian.lengthscale"}},
		{"gaussian() + gaussian(lengthscale=2)", []string{"gaussian#2.lengthscale"}},
		{"2*gaussian() + linear()", []string{"scale.factor"}},
		{"matern(nu=2.5)", []string{"matern.nu"}},
		{"matern(nu=2.5, lengthscale=4)", []string{"matern.nu", "matern.lengthscale"}},
		{"poly(degree=3)", []string{"poly.degree"}},
		{"gaussian()^2", nil},
	} {
		k, err := spec.ParseKernel(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		marks, err := spec.Written(c.text, kernelValues)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		var names []string
		for i, p := range kernel.Params(k) {
			if marks[i] {
				names = append(names, p.Name)
			}
		}
		slices.Sort(names)
		slices.Sort(c.want)
		if !slices.Equal(names, c.want) {
			t.Errorf("%s: written are %q; want %q", c.text, names, c.want)
		}
	}
}

// What cannot be read has no parameters.
func TestWrittenFaults(t *testing.T) {
	for _, text := range []string{"", "gaussian(", "gausian()", "gaussian(lengthscale=-1)"} {
		if _, err := spec.Written(text, kernelValues); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// Of every kernel of the catalogue a parameter that was set to another value stands in the printed
// text, and is found to be written there.
func TestWrittenOfTheCatalogue(t *testing.T) {
	tried := 0
	for _, e := range spec.Vectors() {
		for _, sample := range e.Samples {
			k, err := spec.ParseKernel(sample)
			if err != nil {
				t.Fatalf("%s: %v", sample, err)
			}
			for i, p := range kernel.Params(k) {
				value := 1.5*p.Value + 0.125
				if p.Domain.Integer {
					value = p.Value + 1
				}
				if !p.Domain.Contains(value) {
					value = 0.75*p.Value + 0.01
				}
				other, err := kernel.Set(k, p.Name, value)
				if err != nil {
					continue // a domain that neither is in
				}
				text, err := spec.FormatKernel(other)
				if err != nil {
					t.Fatalf("%s: %v", sample, err)
				}
				marks, err := spec.Written(text, kernelValues)
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
				if tried++; !marks[i] {
					t.Errorf("%s: %s is not found to be written", text, p.Name)
				}
			}
		}
	}
	if tried < 40 {
		t.Errorf("%d parameters were tried", tried)
	}
}
