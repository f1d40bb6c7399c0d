package cli

import (
	"context"
	"strings"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
)

// widthsOfSide is how many widths of each side are aggregated.
const widthsOfSide = 3

// aggregated says that no kernel was asked for, and no width.
func (o *independenceOptions) aggregated() bool {
	return o.Method == "hsic" && o.Widths == "aggregate" && o.Given == "" && o.Kernel == "" && o.KernelY == "" &&
		!o.objects
}

func (o *independenceOptions) run(
	ctx context.Context, s []*side, settings stat.TestSettings,
) (*stat.TestResult, error) {
	settings.Null = stat.NullPermutation
	switch {
	case o.Method == "gamma":
		settings.Null = stat.NullGamma
	case o.Null == "shift":
		settings.Null = stat.NullShift
	}
	if o.Given != "" {
		return o.conditional(ctx, s, settings)
	}
	r, err := o.unconditional(ctx, s, settings)
	if err == nil && o.objects {
		for i := range s { // as --kernel takes them
			r.Kernels[i] = s[i].kernelText(s[i].Kernel)
		}
	}
	return r, err
}

// unconditional tests the variables as they are.
func (o *independenceOptions) unconditional(
	ctx context.Context, s []*side, settings stat.TestSettings,
) (*stat.TestResult, error) {
	vars := make([]stat.Variable, len(s))
	for i := range s {
		vars[i] = s[i].variable()
	}
	switch o.Method {
	case "dhsic":
		return stat.DHSIC{TestSettings: settings}.Test(ctx, vars...)
	case "coco":
		return stat.Dependence{Measure: stat.COCO, TestSettings: settings}.Test(ctx, vars...)
	case "kcc":
		return stat.Dependence{Measure: stat.Correlation, TestSettings: settings}.Test(ctx, vars...)
	case "kgv":
		return stat.Dependence{Measure: stat.GeneralisedVariance, TestSettings: settings}.Test(ctx, vars...)
	}
	if o.aggregated() {
		return aggregatedHSIC(ctx, s[0], s[1], settings)
	}
	return stat.HSIC[any, any]{KernelX: s[0].Kernel, KernelY: s[1].Kernel, TestSettings: settings}.Test(ctx, s[0].points(),
		s[1].points())
}

// aggregatedHSIC tests with several widths of each side. Those that speak loudest become the
// kernels of the sides, which pictures show.
func aggregatedHSIC(ctx context.Context, x, y *side, settings stat.TestSettings) (*stat.TestResult, error) {
	kx, err := stat.GaussianWidths(x.Rows, widthsOfSide)
	if err != nil {
		return nil, err
	}
	ky, err := stat.GaussianWidths(y.Rows, widthsOfSide)
	if err != nil {
		return nil, err
	}
	r, err := stat.AggregatedHSIC[kernel.Vec, kernel.Vec]{KernelsX: kx, KernelsY: ky, TestSettings: settings}.Test(ctx,
		x.Rows, y.Rows)
	if err != nil {
		return nil, err
	}
	x.Kernel, y.Kernel = kernel.OnVectors(kx[r.Best/len(ky)]), kernel.OnVectors(ky[r.Best%len(ky)])
	r.Measure, _, _ = strings.Cut(r.Measure, " at ")
	return &r.TestResult, nil
}
