package fit

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// setting is a kernel and λ on their way.
type setting struct {
	at    int // of the kernel
	steps *nystrom.LogisticSteps[kernel.Vec]
	held  int     // fold that is judged and not learnt from; -1: none
	loss  float64 // mean loss on its rows
}

// roughly is how near the solution a setting has to be for judging it: what is left of its
// gradient, relative to that at f = 0.
const roughly = 1e-3

// logistic is Newton's method: a job for each step, in which all kernels and λ go on together. They
// are judged on one fold, the first, which they do not learn from: all folds would be as many times
// the work. The chosen one then goes on with all rows.
func (f *fitting) logistic(ctx context.Context) (*Result, error) {
	r := f.result()
	var all []*setting
	for k, e := range f.equations {
		for _, lambda := range f.lambdas {
			steps, err := nystrom.NewLogisticSteps(e, lambda)
			if err != nil {
				return nil, err
			}
			one := &setting{at: k, steps: steps, held: -1, loss: math.NaN()}
			if f.Folds > 1 {
				one.held, steps.Tol = 0, roughly
			}
			all = append(all, one)
		}
	}
	best, pass := all[0], 0
	if f.Folds > 1 {
		if err := f.newton(ctx, all, &pass); err != nil {
			return nil, err
		}
		r.Spread = entropy(f.seen.Shares)
		r.Best = Tried{Mean: math.Inf(1)}
		for _, s := range all {
			one := Tried{Kernel: f.kernels[s.at], Lambda: s.steps.Lambda, Mean: s.loss, ByFold: []float64{s.loss}, at: s.at}
			if r.Tried = append(r.Tried, one); one.Mean < r.Best.Mean {
				r.Best, best = one, s
			}
		}
		if err := r.chosen(); err != nil {
			return nil, err
		}
		best = &setting{at: best.at, held: -1, steps: best.steps.Onward(float64(f.Folds) / float64(f.Folds-1))}
	} else {
		r.Best = Tried{Kernel: f.kernels[0], Lambda: f.lambdas[0], Mean: math.NaN()}
		r.Tried = []Tried{r.Best}
	}
	if err := f.newton(ctx, []*setting{best}, &pass); err != nil {
		return nil, err
	}
	m, err := best.steps.Model()
	if err != nil {
		return nil, err
	}
	r.Passes, r.Report = pass, m.Report()
	r.Model, err = f.made(m, r.Best, r.verdict())
	return r, err
}

// newton goes on until all settings have arrived.
func (f *fitting) newton(ctx context.Context, all []*setting, pass *int) error {
	for {
		var going []*setting
		plan := f.sums()
		bytes, far := int64(0), 0.0
		for _, s := range all {
			if !s.steps.Done {
				going = append(going, s)
				plan.Sums.Places = append(plan.Sums.Places, jobs.Place{Kernel: s.at, Held: s.held, At: s.steps.At})
				bytes += 8 * int64(s.steps.RiskLen())
				far = math.Max(far, s.steps.Residual)
			}
		}
		if len(going) == 0 {
			return nil
		}
		if *pass++; *pass == 1 {
			f.told("%s; Newton's method, a job for each step", f.features())
		}
		f.told("step %d: %d of %d settings, sums of %s, gradients down to %.2g", *pass, len(going), len(all),
			phrase.Bytes(bytes), far)
		var sums [][]float64
		if err := f.pass(fmt.Sprintf("step-%d", *pass), func(j *jobs.Job) (err error) {
			sums, err = j.SumShards(ctx, &plan, f.equations, f.seen.Kept)
			return err
		}); err != nil {
			return err
		}
		for i, s := range going {
			if held := sums[2*i+1]; s.held >= 0 {
				if !(held[1] > 0) {
					return fmt.Errorf("no row is held out; give fewer folds, or more rows")
				}
				s.loss = held[2] / held[1]
			}
			if err := s.steps.Next(ctx, sums[2*i]); err != nil {
				return err
			}
		}
	}
}

// entropy is the mean loss of the shares of classes themselves.
func entropy(shares []float64) (out float64) {
	for _, s := range shares {
		if s > 0 {
			out -= s * math.Log(s)
		}
	}
	return out
}
