package project

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
)

// Components of an indefinite kernel are refused with its worst eigenvalue, those of the repaired
// one have shares that add up to all, and points far from the origin are told of.
func TestPCADoubtsItsKernel(t *testing.T) {
	ctx := context.Background()
	x := make(data.Slice[kernel.Vec], 40)
	for i := range x {
		x[i] = kernel.Vec{float64(i%7) - 3, float64(i%5) - 2, float64(i%3) - 1}
	}
	var tanh kernel.Kernel[kernel.Vec] = kernel.Sigmoid{Gamma: 0.3, Offset: -1}
	var no *gram.NotPSD
	if _, err := (PCA[kernel.Vec]{Kernel: tanh, Components: 2}).Fit(ctx, x); !errors.As(err, &no) || no.Min >= 0 {
		t.Fatalf("error %v", err)
	}
	for _, how := range []gram.How{gram.Clip, gram.Flip, gram.Shift} {
		k, err := gram.RepairKernel(ctx, tanh, data.Points[kernel.Vec](x), how, gram.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := PCA[kernel.Vec]{Kernel: k}.Fit(ctx, x)
		if err != nil {
			t.Fatal(how, err)
		}
		sum := 0.0
		for _, v := range m.ExplainedRatio() {
			sum += v
		}
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("%v: shares add up to %g", how, sum)
		}
	}
	for i := range x {
		x[i][0] += 1e7
	}
	m, err := PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 2}.Fit(ctx, x)
	if err != nil || !strings.Contains(strings.Join(m.Report().Warnings, " "), "digits") {
		t.Errorf("%v %+v", err, m.Report())
	}
}
