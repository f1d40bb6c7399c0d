// Package fit learns from shards: a pass that looks through them, a pass or a few that add up what
// is to be solved, and its solution in one place.
package fit

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/features"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/model"
)

// Learner names what is fitted, as the table of learners does.
type Learner string

// The learners: squares or the logistic loss, on centres drawn among the rows or on random
// features.
const (
	Nystrom          Learner = "nystrom"
	NystromLogistic  Learner = "nystrom-logistic"
	Features         Learner = "features"
	FeaturesLogistic Learner = "features-logistic"
)

// Learners are all of them.
var Learners = []Learner{Nystrom, NystromLogistic, Features, FeaturesLogistic}

// Logistic says whether the loss is the logistic one.
func (l Learner) Logistic() bool { return l == NystromLogistic || l == FeaturesLogistic }

// Waves says whether functions are made of random features.
func (l Learner) Waves() bool { return l == Features || l == FeaturesLogistic }

// Fit is a fit to the rows of shards.
type Fit struct {
	Shards  []string
	Input   jobs.Input
	Layout  load.Layout
	Encoder data.EncoderOptions // with the task

	Learner     Learner
	Kernels     []string  // as text; none: Gaussians as wide as rows are apart
	Lambdas     []float64 // a row; none: defaultLambdas
	Centers     int
	Leverage    bool // draw centres by leverage scores
	Frequencies int  // of random features
	Independent bool // draw them independently, not in orthogonal blocks
	Folds       int  // 1: nothing is chosen
	Seed        uint64
	Intercept   bool
	Threads     int // of a worker
}

// fitting is a fit in the course of its passes.
type fitting struct {
	*Fit
	plan      jobs.Plan
	job       *jobs.Job
	seen      *jobs.Surveyed
	equations []*nystrom.Equations[kernel.Vec] // of each kernel
	kernels   []string                         // as text
	lambdas   []float64
}

// fewRows is how many rows say how far apart rows are, and near what random features are summed.
const fewRows = 1000

// Run does it. The folder of the job has a folder for each pass.
func (f *Fit) Run(ctx context.Context, job *jobs.Job) (*Result, error) {
	run := &fitting{Fit: f, job: job, plan: jobs.Plan{Shards: f.Shards, Input: f.Input, Threads: f.Threads},
		lambdas: f.defaultLambdas()}
	survey := run.plan
	survey.Survey = &jobs.Survey{Layout: f.Layout, Encoder: f.Encoder, Sample: f.Centers, Seed: f.Seed}
	switch {
	case f.Learner.Waves():
		survey.Survey.Sample = fewRows
	case f.Leverage:
		survey.Survey.Sample = 2 * f.Centers
	}
	if f.calibrated() {
		survey.Survey.Sample = max(survey.Survey.Sample, calibrationRows)
	}
	if err := run.pass("survey", func(j *jobs.Job) (err error) {
		run.seen, err = j.SurveyShards(ctx, &survey)
		return err
	}); err != nil {
		return nil, err
	}
	if err := run.setEquations(ctx); err != nil {
		return nil, err
	}
	if f.Learner.Logistic() {
		return run.logistic(ctx)
	}
	return run.squares(ctx)
}

// pass has a job of its own done in a folder of its own, which is removed.
func (f *fitting) pass(name string, do func(*jobs.Job) error) error {
	one := *f.job
	one.Folder, one.Name = f.job.Folder+"-"+name, f.job.Name+"-"+name
	defer func() { _ = one.Remove() }()
	return do(&one)
}

// told tells of progress.
func (f *fitting) told(format string, a ...any) {
	if f.job.Told != nil {
		f.job.Told(format, a...)
	}
}

// setEquations makes those of every kernel: on the centres that were drawn, or on frequencies.
func (f *fitting) setEquations(ctx context.Context) error {
	drawn, err := f.seen.Encode()
	if err != nil {
		return err
	}
	kernels, err := f.parseKernels(drawn)
	if err != nil {
		return err
	}
	classes, shift := 0, f.seen.Means
	if f.Encoder.Task.Classification() {
		if classes, shift = len(f.seen.Shares), f.seen.Shares; classes < 2 {
			return &data.Error{Column: f.Layout.Target, Kind: data.ErrTarget, Remedy: mend.Target,
				Reason: fmt.Sprintf("column %q has one class in all shards", f.Layout.Target)}
		}
	}
	centers := make([]data.Points[kernel.Vec], len(kernels))
	for i := range centers {
		centers[i] = data.Span(drawn, 0, min(f.Centers, drawn.Len()))
	}
	if f.Leverage && !f.Learner.Waves() {
		if centers, err = f.byLeverage(ctx, data.Span(drawn, 0, min(2*f.Centers, drawn.Len()))); err != nil {
			return err
		}
	}
	f.equations = make([]*nystrom.Equations[kernel.Vec], len(kernels))
	for i, k := range kernels {
		if f.Learner.Waves() {
			f.equations[i], err = features.NewEquations(ctx, k, drawn, classes, shift, f.Intercept,
				features.Options{Frequencies: f.Frequencies, Orthogonal: !f.Independent, Seed: f.Seed})
		} else {
			f.equations[i], err = nystrom.NewEquations(ctx, k, centers[i], classes, shift, f.Intercept, 0)
		}
		if err != nil {
			return &KernelError{f.kernels[i], err}
		}
	}
	return nil
}

// KernelError says that nothing can be fitted with a kernel.
type KernelError struct {
	Kernel string
	Err    error
}

func (e *KernelError) Error() string { return fmt.Sprintf("kernel %s: %v", e.Kernel, e.Err) }

// Unwrap gives the reason.
func (e *KernelError) Unwrap() error { return e.Err }

// byLeverage is the pass that draws centres for each kernel.
func (f *fitting) byLeverage(
	ctx context.Context, sample data.Points[kernel.Vec],
) (out []data.Points[kernel.Vec], err error) {
	p := f.plan
	p.Leverage = &jobs.Leverage{Layout: f.Layout, Encoder: f.seen.Encoder, Kernels: f.kernels, Rows: f.seen.Kept,
		Count: f.Centers, Seed: f.Seed}
	err = f.pass("leverage", func(j *jobs.Job) (err error) {
		out, err = j.DrawByLeverage(ctx, &p, sample, 0)
		return err
	})
	return out, err
}

// parseKernels are those asked for, or Gaussians half, once and twice as wide as rows are apart.
func (f *fitting) parseKernels(drawn data.Points[kernel.Vec]) (out []kernel.Kernel[kernel.Vec], err error) {
	for _, text := range f.Kernels {
		k, err := spec.ParseKernel(text)
		if err != nil {
			return nil, fmt.Errorf("kernel %q: %w", text, err)
		}
		out = append(out, k)
	}
	if len(out) == 0 {
		width := rounded(jobs.MedianDistance(drawn))
		for _, times := range []float64{0.5, 1, 2} {
			out = append(out, kernel.Gaussian{Lengthscale: width * times})
		}
	}
	f.kernels = make([]string, len(out))
	for i, k := range out {
		if f.kernels[i], err = spec.FormatKernel(k); err != nil {
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

// defaultLambdas are tried where none are given: many where a choice among them is free, few where
// each is summed for itself.
func (f *Fit) defaultLambdas() []float64 {
	switch {
	case len(f.Lambdas) > 0:
		return f.Lambdas
	case f.Learner.Logistic():
		return learn.LogSpace(1e-8, 1e-2, 4)
	}
	return learn.LogSpace(1e-9, 1e-2, 15)
}

// made is the model file of what was fitted.
func (f *fitting) made(m learn.Saver[kernel.Vec], best Tried, verdict string) (*model.Model, error) {
	of := fmt.Sprintf("centres=%d", f.equations[best.at].Centers.Len())
	if f.Learner.Waves() {
		of = fmt.Sprintf("frequencies=%d", f.Frequencies)
	}
	baseline := learn.Baseline{Shares: f.seen.Shares}
	var more []model.TargetInfo
	for t := range f.seen.Means {
		one := learn.Baseline{Mean: f.seen.Means[t], Deviation: f.seen.Deviations[t]}
		if t == 0 {
			baseline = one
			continue
		}
		more = append(more, model.TargetInfo{Baseline: one})
	}
	return model.New(m, model.Info{
		More: more,
		Spec: fmt.Sprintf("%s(lambda=%.6g, %s)", f.Learner, best.Lambda*float64(f.seen.Kept), of), Encoder: f.seen.Encoder,
		DataName: fmt.Sprintf("%s and %d more shards", f.Shards[0], len(f.Shards)-1), Rows: f.seen.Kept, Seed: f.Seed,
		Notes:     map[string]string{"search": verdict, "made by": "mercer-beam"},
		Yardstick: model.Yardstick{Baseline: baseline},
	})
}

// result is one with nothing tried yet.
func (f *fitting) result() *Result {
	return &Result{Rows: f.seen.Kept, Dropped: f.seen.Rows - f.seen.Kept, Task: f.Encoder.Task, Learner: f.Learner,
		Targets: f.seen.Encoder.Targets(), Folds: f.Folds, Spread: math.NaN()}
}

// sums is a plan for a pass of sums.
func (f *fitting) sums() jobs.Plan {
	p := f.plan
	p.Sums = &jobs.Sums{Layout: f.Layout, Encoder: f.seen.Encoder, Kernels: f.kernels, Folds: f.Folds, Seed: f.Seed}
	return p
}

// features says what functions are made of.
func (f *fitting) features() string {
	if f.Learner.Waves() {
		return fmt.Sprintf("%s rows to learn from, %d features, %d random frequencies", phrase.Thousands(f.seen.Kept),
			f.seen.Encoder.Dim, f.Frequencies)
	}
	return fmt.Sprintf("%s rows to learn from, %d features, %d centres", phrase.Thousands(f.seen.Kept), f.seen.Encoder.Dim,
		f.equations[0].Centers.Len())
}
