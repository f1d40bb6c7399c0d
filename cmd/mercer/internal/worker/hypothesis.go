package worker

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/stat"
)

// hypothesisArgs is a test of a hypothesis.
type hypothesisArgs struct {
	Kind         string       `json:"kind"` // two-sample, independence, conditional
	Kernel       string       `json:"kernel"`
	KernelY      string       `json:"kernelY"`
	Columns      []columnHead `json:"columns"` // of x, where it is a table of objects
	ColumnsY     []columnHead `json:"columnsY"`
	Widths       int          `json:"widths"` // of gaussians, where there is no kernel
	Permutations int          `json:"permutations"`
	Alpha        float64      `json:"alpha"`
	Seed         uint64       `json:"seed"`
}

// hypothesis tests: are two samples of one distribution, are two variables independent, are they so
// given a third?
func hypothesis(ctx context.Context, c *call) (*answer, error) {
	var args hypothesisArgs
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	s := stat.TestSettings{Permutations: args.Permutations, Alpha: args.Alpha, Seed: args.Seed, Trace: c.trace}
	if args.Columns != nil {
		return c.twoSamplesOfObjects(ctx, args, s)
	}
	var of [3]data.DenseRows
	for i, name := range []string{"x", "y", "z"} {
		if !c.arrays.has(name) {
			continue
		}
		m, err := dense(c.arrays, name)
		if err != nil {
			return nil, err
		}
		of[i] = data.Rows(m)
	}
	switch args.Kind {
	case "two-sample":
		return twoSamples(ctx, args, s, of[0], of[1])
	case "independence":
		return independence(ctx, args, s, of[0], of[1])
	}
	return conditional(ctx, args, s, of[0], of[1], of[2])
}

func twoSamples(
	ctx context.Context, args hypothesisArgs, s stat.TestSettings, x, y data.Points[kernel.Vec],
) (*answer, error) {
	if args.Kernel != "" {
		k, err := spec.ParseKernel(args.Kernel)
		if err != nil {
			return nil, err
		}
		return told(stat.MMD[kernel.Vec]{Kernel: k, TestSettings: s}.Test(ctx, x, y))
	}
	k, err := stat.GaussianScales(x, y, args.Widths)
	if err != nil {
		return nil, err
	}
	r, err := stat.AggregatedMMD[kernel.Vec]{Kernels: k, TestSettings: s}.Test(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return told(&r.TestResult, nil)
}

func independence(
	ctx context.Context, args hypothesisArgs, s stat.TestSettings, x, y data.Points[kernel.Vec],
) (*answer, error) {
	if args.Kernel == "" && args.KernelY == "" {
		kx, err := stat.GaussianWidths(x, args.Widths)
		if err != nil {
			return nil, err
		}
		ky, err := stat.GaussianWidths(y, args.Widths)
		if err != nil {
			return nil, err
		}
		r, err := stat.AggregatedHSIC[kernel.Vec, kernel.Vec]{KernelsX: kx, KernelsY: ky, TestSettings: s}.Test(ctx, x, y)
		if err != nil {
			return nil, err
		}
		return told(&r.TestResult, nil)
	}
	kx, err := kernelOr(args.Kernel, x)
	if err != nil {
		return nil, err
	}
	ky, err := kernelOr(args.KernelY, y)
	if err != nil {
		return nil, err
	}
	return told(stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: kx, KernelY: ky, TestSettings: s}.Test(ctx, x, y))
}

// kernelOr is a kernel by its text, or the gaussian of median width.
func kernelOr(text string, x data.Points[kernel.Vec]) (kernel.Kernel[kernel.Vec], error) {
	if text != "" {
		return spec.ParseKernel(text)
	}
	width, err := kernel.WidthMedian(x)
	return kernel.Gaussian{Lengthscale: width}, err
}

func conditional(
	ctx context.Context, args hypothesisArgs, s stat.TestSettings, x, y, z data.Points[kernel.Vec],
) (*answer, error) {
	var candidates []kernel.Kernel[kernel.Vec]
	if args.Kernel != "" {
		k, err := spec.ParseKernel(args.Kernel)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, k)
	} else {
		width, err := kernel.WidthMedian(z)
		if err != nil {
			return nil, err
		}
		for _, times := range []float64{0.25, 0.5, 1, 2, 4} {
			candidates = append(candidates, kernel.Gaussian{Lengthscale: times * width})
		}
	}
	r, err := stat.ConditionalIndependence[kernel.Vec]{Kernels: candidates, TestSettings: s}.Test(ctx, x, y, z)
	if err != nil {
		return nil, err
	}
	return told(&r.TestResult, nil)
}

func (c *call) twoSamplesOfObjects(ctx context.Context, args hypothesisArgs, s stat.TestSettings) (*answer, error) {
	if args.Kind != "two-sample" {
		return nil, fmt.Errorf("objects are tested by two samples; give numbers, or two samples")
	}
	d, err := c.table("x", args.Columns)
	if err != nil {
		return nil, err
	}
	x, err := newTabled(d)
	if err != nil {
		return nil, err
	}
	other, err := c.table("y", args.ColumnsY)
	if err != nil {
		return nil, err
	}
	y := *x
	if err := y.read(other); err != nil {
		return nil, err
	}
	if x.features {
		k, err := spec.ParseFeatures(x.schema, args.Kernel)
		if err != nil {
			return nil, err
		}
		return told(stat.MMD[kernel.Vec]{Kernel: k, TestSettings: s}.Test(ctx, x.encoded.AsDense(), y.encoded.AsDense()))
	}
	k, err := spec.ParseRows(x.schema, args.Kernel)
	if err != nil {
		return nil, err
	}
	return told(stat.MMD[mixed.Row]{Kernel: k, TestSettings: s}.Test(ctx, x.rows, y.rows))
}

// told is the outcome of a test as an answer.
func told(r *stat.TestResult, err error) (*answer, error) {
	if err != nil {
		return nil, err
	}
	a := newAnswer()
	a.result["test"], a.result["measure"], a.result["statistic"], a.result["p"] = r.Test, r.Measure, r.Statistic, r.P
	a.result["alpha"], a.result["reject"], a.result["null"], a.result["permutations"] = r.Alpha, r.Reject, r.Null.String(),
		r.Permutations
	a.result["kernels"], a.result["doubts"], a.result["text"], a.result["sizes"] = r.Kernels, r.Notes, r.String(), r.Sizes
	if !math.IsInf(r.Threshold, 0) && !math.IsNaN(r.Threshold) {
		a.result["threshold"] = r.Threshold
	}
	put(a, "draws", r.Draws)
	return a, nil
}
