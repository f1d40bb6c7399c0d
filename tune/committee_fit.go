package tune

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// committee is a fitted one.
type committee struct {
	members []*Fitted
	weights []float64
	cells   []Cell
	report  learn.Report
}

// PredictAll is the weighted mean of what the members say.
func (c *committee) PredictAll(ctx context.Context, x data.Points[any]) (learn.Predictions, error) {
	out := make([]learn.Predictions, len(c.members))
	for m, f := range c.members {
		var err error
		if out[m], err = f.PredictAll(ctx, x); err != nil {
			return learn.Predictions{}, err
		}
	}
	return learn.Blend(c.weights, out)
}

// join puts the committee in place of the model: the cell that was chosen is fitted already.
func (r *Result) join(ctx context.Context, c *Committee, p learn.Problem[any]) error {
	alone, known := r.Chosen, r.Model
	fit := func(ctx context.Context, p learn.Problem[any], known *Fitted) (*Fitted, error) {
		out := &committee{report: c.report()}
		whole := &Fitted{Learner: committeeName, Task: p.Task, Rows: p.Len(), Classes: p.Classes, classes: p.ClassCount(),
			Custom: out}
		for _, m := range c.Members {
			f := known
			if known == nil || key(m.Cell.Candidate, m.Cell.theta) != key(alone.Candidate, alone.theta) {
				var err error
				if f, err = r.fitCell(ctx, m.Cell, p); err != nil {
					return nil, fmt.Errorf("%v: %w", m.Cell, err)
				}
			}
			if p.Task.Classification() && !f.sure() {
				return nil, fmt.Errorf("%v has no probabilities", m.Cell)
			}
			if whole.Kernel == nil {
				whole.Kernel = f.Kernel // of the heaviest
			}
			out.members, out.weights, out.cells = append(out.members, f), append(out.weights, m.Weight),
				append(out.cells, m.Cell)
		}
		return whole, nil
	}
	m, err := fit(ctx, p, known)
	if err != nil {
		return err
	}
	r.Model, r.Chosen = m, c.Judged
	r.refit = func(ctx context.Context, p learn.Problem[any]) (*Fitted, error) { return fit(ctx, p, nil) }
	return nil
}

// sure says whether a classifier has probabilities.
func (f *Fitted) sure() bool {
	p, ok := f.Model.(learn.Probabilistic[any])
	return ok && p.HasProba()
}

// report says how the weights came about.
func (c *Committee) report() learn.Report {
	return learn.Report{Learner: committeeName, Converged: true, Certificate: c.Violation,
		Certified: "KKT violation of the weights"}
}

// save puts the members into one file.
func (c *committee) save(info model.Info) (*model.Model, error) {
	out := model.Committee{Report: c.report}
	for m, f := range c.members {
		saver, ok := f.Model.(learn.Saver[any])
		if !ok {
			return nil, fault.Errorf("tune", "a model of %s cannot be saved", f.Learner)
		}
		one, err := model.New(saver, model.Info{Encoder: info.Encoder, Classes: info.Classes, Spec: c.cells[m].String()})
		if err != nil {
			return nil, err
		}
		out.Members = append(out.Members, model.CommitteeMember{Model: one, Weight: c.weights[m]})
	}
	return model.NewCommittee(out, info)
}

// centers is how many points the functions of all members are expanded in.
func (c *committee) centers() (n int) {
	for _, f := range c.members {
		n += f.Model.Func().Centers.Len()
	}
	return n
}
