// Package fit learns from shards: a pass that looks through them, a pass that adds the equations up, and their solution in one place.
package fit

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/spec"
)

// Fit is ridge regression, or least-squares classification, on centres drawn among the rows of shards.
type Fit struct {
	Shards  []string
	Input   jobs.Input
	Layout  load.Layout
	Encoder data.EncoderOptions // with the task

	Kernels   []string  // as text; none: Gaussians as wide as rows are apart
	Lambdas   []float64 // a row; none: defaultLambdas
	Centers   int
	Folds     int // 1: nothing is chosen
	Seed      uint64
	Intercept bool
	Threads   int // of a worker
}

// Run does it. The folder of the job has a folder for each pass.
func (f *Fit) Run(ctx context.Context, job *jobs.Job) (*Result, error) {
	plan := jobs.Plan{Shards: f.Shards, Input: f.Input, Threads: f.Threads}
	first := *job
	first.Folder, first.Name = job.Folder+"-survey", job.Name+"-survey"
	defer func() { _ = first.Remove() }()
	survey := plan
	survey.Survey = &jobs.Survey{Layout: f.Layout, Encoder: f.Encoder, Sample: f.Centers, Seed: f.Seed}
	seen, err := first.SurveyShards(ctx, &survey)
	if err != nil {
		return nil, err
	}
	equations, err := f.equations(ctx, seen)
	if err != nil {
		return nil, err
	}
	if job.Told != nil {
		job.Told("%s rows to learn from, %d features, %d centres, %d kernels, %d folds: sums of %s", data.Thousands(seen.Kept), seen.Encoder.Dim, equations[0].Centers.Len(), len(equations), f.Folds,
			data.FormatBytes(8*int64(len(equations)*f.Folds)*int64(equations[0].Len())))
	}
	second := plan
	second.Sums = &jobs.Sums{Layout: f.Layout, Encoder: seen.Encoder, Kernels: make([]string, len(equations)), Folds: f.Folds, Seed: f.Seed}
	for k, e := range equations {
		if second.Sums.Kernels[k], err = spec.FormatKernel(e.Kernel); err != nil {
			return nil, err
		}
	}
	sums, err := job.SumShards(ctx, &second, equations, seen.Kept)
	if err != nil {
		return nil, err
	}
	return f.solve(ctx, seen, equations, second.Sums.Kernels, sums)
}

// equations are those of every kernel, on the centres that were drawn.
func (f *Fit) equations(ctx context.Context, seen *jobs.Surveyed) ([]*nystrom.Equations[kernel.Vec], error) {
	centers, err := seen.Encode()
	if err != nil {
		return nil, err
	}
	var kernels []kernel.Kernel[kernel.Vec]
	for _, text := range f.Kernels {
		k, err := spec.ParseKernel(text)
		if err != nil {
			return nil, fmt.Errorf("kernel %q: %w", text, err)
		}
		kernels = append(kernels, k)
	}
	if len(kernels) == 0 {
		width := rounded(jobs.MedianDistance(centers))
		for _, times := range []float64{0.5, 1, 2} {
			kernels = append(kernels, kernel.Gaussian{Lengthscale: width * times})
		}
	}
	classes, shift := 0, []float64{seen.Mean}
	if f.Encoder.Task.Classification() {
		if classes, shift = len(seen.Shares), seen.Shares; classes < 2 {
			return nil, &data.Error{Column: f.Layout.Target, Kind: data.ErrTarget, Remedy: data.RemedyTarget, Reason: fmt.Sprintf("column %q has one class in all shards", f.Layout.Target)}
		}
	}
	out := make([]*nystrom.Equations[kernel.Vec], len(kernels))
	for i, k := range kernels {
		if out[i], err = nystrom.NewEquations(ctx, k, centers, classes, shift, f.Intercept, 0); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rounded keeps four digits, for people.
func rounded(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v))-3)
	return math.Round(v/unit) * unit
}

// solve chooses kernel and λ by the folds, and solves for them on all rows.
func (f *Fit) solve(ctx context.Context, seen *jobs.Surveyed, equations []*nystrom.Equations[kernel.Vec], kernels []string, sums [][][]float64) (*Result, error) {
	r := &Result{Rows: seen.Kept, Dropped: seen.Rows - seen.Kept, Task: f.Encoder.Task, Folds: f.Folds, Spread: math.NaN()}
	best := Tried{Mean: math.Inf(1)}
	lambdas := f.Lambdas
	if len(lambdas) == 0 {
		lambdas = learn.LogSpace(1e-9, 1e-2, 15)
	}
	if f.Folds == 1 {
		best = Tried{Kernel: kernels[0], Lambda: lambdas[0], Mean: math.NaN()}
		r.Tried = []Tried{best}
	}
	for k, e := range equations {
		if f.Folds == 1 {
			break
		}
		judged, spread, err := e.CrossValidate(ctx, sums[k], lambdas)
		if err != nil {
			return nil, err
		}
		r.Spread = spread
		for _, j := range judged {
			one := Tried{kernels[k], j.Lambda, j.Mean, j.Squares, k}
			if r.Tried = append(r.Tried, one); one.Mean < best.Mean {
				best = one
			}
		}
	}
	if best.Kernel == "" {
		return nil, fmt.Errorf("no kernel and λ has a finite error on held-out rows; raise λ, or scale the columns")
	}
	r.Best = best
	all := make([]float64, equations[best.at].Len())
	for _, s := range sums[best.at] {
		for i, v := range s {
			all[i] += v
		}
	}
	info := model.Info{
		Spec: fmt.Sprintf("nystrom(lambda=%.6g, centres=%d)", best.Lambda*float64(seen.Kept), equations[best.at].Centers.Len()), Encoder: seen.Encoder,
		DataName: fmt.Sprintf("%s and %d more shards", f.Shards[0], len(f.Shards)-1), Rows: seen.Kept, Seed: f.Seed,
		Notes:     map[string]string{"search": r.verdict(), "made by": "mercer-beam"},
		Yardstick: model.Yardstick{Baseline: learn.Baseline{Mean: seen.Mean, Deviation: seen.Deviation, Shares: seen.Shares}},
	}
	if f.Encoder.Task.Classification() {
		m, err := equations[best.at].SolveClasses(ctx, all, []float64{best.Lambda})
		if err != nil {
			return nil, err
		}
		r.Report = m[0].Report()
		r.Model, err = model.New(m[0], info)
		return r, err
	}
	m, err := equations[best.at].Solve(ctx, all, []float64{best.Lambda})
	if err != nil {
		return nil, err
	}
	r.Report = m[0].Report()
	r.Model, err = model.New(m[0], info)
	return r, err
}
