package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
)

// testBlocks draws the conclusion from blocks of rows.
func (a *app) testBlocks(
	ctx context.Context, o *statsFlags, seen *jobs.Surveyed, kind string, variables []jobs.Variable, s stat.TestSettings,
) error {
	p := &jobs.Plan{Shards: o.shards, Input: o.input, Threads: o.threads,
		Blocks: &jobs.Blocks{Layout: o.layout, Encoder: seen.Encoder, Variables: variables, Size: o.block, Kept: seen.KeptBy}}
	rows := seen.Kept
	if kind == "two-sample" {
		p.Blocks.Second = o.secondSampleFirst
		first := 0
		for _, n := range seen.KeptBy[:o.secondSampleFirst] {
			first += n
		}
		rows = min(first, seen.Kept-first)
	}
	if o.block == 0 {
		p.Blocks.Size = min(max(int(math.Sqrt(float64(rows))), 16), 1000)
	}
	all, err := o.job.SumBlocks(ctx, p)
	if err != nil {
		return err
	}
	kernels := make([]kernel.Kernel[kernel.Vec], len(variables))
	for i, v := range variables {
		if kernels[i], err = spec.ParseKernel(v.Kernel); err != nil {
			return err
		}
	}
	var r *stat.TestResult
	if kind == "two-sample" {
		r, err = stat.MMD[kernel.Vec]{Kernel: kernels[0], TestSettings: s}.TestBlocks(all)
	} else {
		r, err = stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: kernels[0], KernelY: kernels[1], TestSettings: s}.TestBlocks(all)
	}
	if err != nil {
		return usageError{fmt.Errorf("%w (--block)", err)}
	}
	_, err = fmt.Fprintf(a.out, "%s\nrows are taken for independent as they lie; %s of %s were in whole blocks\n", r,
		phrase.Thousands(all.Rows), phrase.Thousands(rows))
	return err
}
