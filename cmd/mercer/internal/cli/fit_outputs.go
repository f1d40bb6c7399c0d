package cli

import (
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/learn/refusal"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
	"gonum.org/v1/gonum/mat"
)

// outputsKernel reads --outputs-kernel, rows with semicolons between them; nil where it is not
// given.
func (o *fitOptions) outputsKernel(d *data.Dataset) (*mat.SymDense, error) {
	if o.OutputsKernel == "" {
		return nil, nil
	}
	targets := len(d.More) + 1
	if targets == 1 {
		return nil, usage("--outputs-kernel: it is of several targets, and --target names one; name them as in --target a,b")
	}
	if o.Solver != "" {
		return nil, usage("--outputs-kernel: joint targets are solved by an eigendecomposition; leave --solver out")
	}
	for _, name := range (learnerList{&o.Learners}).names() {
		if l, ok := all.Described(name); ok && !l.Joint {
			return nil, usage("--learner: %w", &refusal.OutputsError{Learner: name, Can: tune.JointLearners()})
		}
	}
	rows := strings.Split(strings.TrimSuffix(strings.TrimSpace(o.OutputsKernel), ";"), ";")
	if len(rows) != targets {
		return nil, usage("--outputs-kernel: %d rows for %d targets; give a row for each, as '1,0.8; 0.8,1'", len(rows),
			targets)
	}
	values := mat.NewDense(targets, targets, nil)
	for t, row := range rows {
		cells := strings.FieldsFunc(row, func(r rune) bool { return r == ',' || r == ' ' })
		if len(cells) != targets {
			return nil, usage("--outputs-kernel: row %d has %d numbers for %d targets", t+1, len(cells), targets)
		}
		for u, cell := range cells {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return nil, usage("--outputs-kernel: %q in row %d is no number", cell, t+1)
			}
			values.Set(t, u, v)
		}
	}
	b := mat.NewSymDense(targets, nil)
	for t := range targets {
		for u := range t + 1 {
			if values.At(t, u) != values.At(u, t) {
				return nil, usage("--outputs-kernel: %g for targets %d and %d, %g the other way round; a kernel is symmetric",
					values.At(t, u), t+1, u+1, values.At(u, t))
			}
			b.SetSym(t, u, values.At(t, u))
		}
	}
	p := learn.Problem[any]{Points: data.Slice[any]{0.0}, Task: data.Regression, Y: []float64{0},
		More: make([][]float64, targets-1), Outputs: b}
	for t := range p.More {
		p.More[t] = []float64{0}
	}
	if err := p.Check(); err != nil {
		return nil, usage("--outputs-kernel: %w", err)
	}
	return b, nil
}
