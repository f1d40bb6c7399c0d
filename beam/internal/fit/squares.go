package fit

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/features"
)

// squares is the pass that adds the equations up, and what follows from them: kernel and λ chosen
// by the folds, and the solution for all rows.
func (f *fitting) squares(ctx context.Context) (*Result, error) {
	f.told("%s, %d kernels, %d folds: sums of %s", f.features(), len(f.equations), f.Folds,
		phrase.Bytes(8*int64(len(f.equations)*f.Folds)*int64(f.equations[0].Len())))
	plan := f.sums()
	var sums [][]float64
	if err := f.pass("sums", func(j *jobs.Job) (err error) {
		sums, err = j.SumShards(ctx, &plan, f.equations, f.seen.Kept)
		return err
	}); err != nil {
		return nil, err
	}
	r := f.result()
	if err := f.chooseBySums(ctx, r, sums); err != nil {
		return nil, err
	}
	at := r.Best.at
	all := make([]float64, f.equations[at].Len())
	for _, s := range sums[at*f.Folds : (at+1)*f.Folds] {
		for i, v := range s {
			all[i] += v
		}
	}
	m, err := f.solved(ctx, at, all, r.Best.Lambda)
	if err == nil && f.calibrated() {
		m, err = f.withProbabilities(ctx, m, at, all, sums[at*f.Folds], r.Best.Lambda)
	}
	if err != nil {
		return nil, err
	}
	r.Report = m.Report()
	r.Model, err = f.made(m, r.Best, r.verdict())
	return r, err
}

// chooseBySums judges every kernel and λ by the sums of the folds.
func (f *fitting) chooseBySums(ctx context.Context, r *Result, sums [][]float64) error {
	r.Best = Tried{Mean: math.Inf(1)}
	if f.Folds == 1 {
		r.Best = Tried{Kernel: f.kernels[0], Lambda: f.lambdas[0], Mean: math.NaN()}
		r.Tried = []Tried{r.Best}
		return nil
	}
	for k, e := range f.equations {
		judged, spread, err := e.CrossValidate(ctx, sums[k*f.Folds:(k+1)*f.Folds], f.lambdas)
		if err != nil {
			return err
		}
		several := len(r.Targets) > 1
		if r.Spread = 0; several {
			r.Spread = 1
		} else {
			for _, s := range spread {
				r.Spread += s
			}
		}
		for _, j := range judged {
			one := Tried{Kernel: f.kernels[k], Lambda: j.Lambda, Mean: j.Mean, ByFold: j.Squares, at: k}
			if several {
				one.inUnits(j.Outputs, spread)
			}
			if r.Tried = append(r.Tried, one); one.Mean < r.Best.Mean {
				r.Best = one
			}
		}
	}
	return r.chosen()
}

// inUnits judges several targets by the share of its variance that is left of each: targets of
// different units count alike.
func (t *Tried) inUnits(left, spread []float64) {
	t.Mean, t.ByFold = 0, nil
	for o, s := range spread {
		t.ByTarget = append(t.ByTarget, math.Sqrt(left[o]))
		if s > 0 { // a constant is learnt by any
			t.Mean += left[o] / s / float64(len(spread))
		}
	}
}

// solved is the model of a kernel and λ.
func (f *fitting) solved(ctx context.Context, at int, all []float64, lambda float64) (learn.Saver[kernel.Vec], error) {
	e := f.equations[at]
	if f.Encoder.Task.Classification() {
		m, err := e.SolveClasses(ctx, all, []float64{lambda})
		switch {
		case err != nil:
			return nil, err
		case f.Learner.Waves():
			return features.ClassifierOf(m[0]), nil
		}
		return m[0], nil
	}
	m, err := e.Solve(ctx, all, []float64{lambda})
	switch {
	case err != nil:
		return nil, err
	case f.Learner.Waves():
		return features.RegressorOf(m[0]), nil
	}
	return m[0], nil
}

// chosen refuses a search that found nothing.
func (r *Result) chosen() error {
	if r.Best.Kernel == "" {
		return fmt.Errorf("no kernel and λ has a finite error on held-out rows; raise λ, or scale the columns")
	}
	return nil
}

// calibrated says whether decision values are made probabilities: where there are classes, and rows
// held out to do it by.
func (f *Fit) calibrated() bool {
	return f.Encoder.Task.Classification() && !f.Learner.Logistic() && f.Folds > 1
}

// calibrationRows is how many rows are drawn for that. Those of them that are of the first fold are
// used: one number is to be found.
const calibrationRows = 2500

// withProbabilities gives a classifier the probabilities that its decision values are worth: on
// rows of the first fold, by the solution for the rows of the others. Where too few rows were drawn
// it stays as it is.
func (f *fitting) withProbabilities(
	ctx context.Context, m learn.Saver[kernel.Vec], at int, all, held []float64, lambda float64,
) (learn.Saver[kernel.Vec], error) {
	x, codes, err := f.seen.EncodeFold(0, f.Folds)
	if err != nil || x.Len() == 0 {
		return m, err
	}
	others := make([]float64, len(all))
	for i, v := range all {
		others[i] = v - held[i]
	}
	like, err := f.solved(ctx, at, others, lambda)
	if err != nil {
		return nil, err
	}
	return learn.CalibrateOn(ctx, m.(learn.Classifier[kernel.Vec, int]), like.(learn.Classifier[kernel.Vec, int]), x,
		codes)
}
