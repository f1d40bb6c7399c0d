package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// AutoOptions steers Auto; the zero value is a sound choice.
type AutoOptions struct {
	Budget  time.Duration // of everything; 0 means a minute
	Holdout float64       // share of rows kept for the final test; 0 means 0.2, negative none
	Folds   int           // of the search; 0 means 5
	Task    data.Task     // zero: inferred from the target
	Metric  Metric        // zero: accuracy, or RMSE
	// Time names a column of numbers or dates: the latest rows are held out, and
	// folds judge later rows by earlier ones.
	Time  string
	OneSE bool // choose the simplest cell within one standard error of the best
	// NoProbabilities lets a classifier do without them: those that have none of
	// their own are not calibrated.
	NoProbabilities bool

	Encoder data.EncoderOptions

	Learners []string                  // only these; nil: chosen by size and type of the data
	Kernel   kernel.Kernel[kernel.Vec] // only this one, with its length-scales varied; nil: several
	// Repair is done to a kernel that is not positive definite on the rows of a fit (learn.Repaired).
	Repair gram.How
	// Axes are values to try in place of those of every candidate that has such a
	// parameter; the kernel's may be called by their last name.
	Axes     []Axis
	Strategy Strategy // nil: Grid{Refine: 2}, or Grid{} with Axes

	Seed    uint64
	Threads int
	Bytes   int64
	Journal string
	Trace   func(Event)

	clock clock // that Budget is counted by; nil: the machine's
}

// TestScore is a metric on the rows held out.
type TestScore struct {
	Metric    string  `json:"metric"`
	Value     float64 `json:"value"`
	Low, High float64 // 95 % interval over the rows: Wilson's for shares, bootstrap for others; NaN without one
}

// AutoResult is what Auto found.
type AutoResult struct {
	Task    data.Task
	Encoder *data.Encoder // fitted on the rows that were not held out
	Why     []string      // what was decided, and why, in order
	Split   data.Fold     // rows of the data set fitted on and held out
	Dropped int           // rows left out for missing values
	Classes []string

	Metric      Metric
	Protocol    Protocol // of the search
	Cells       []Cell   // everything tried
	Best        Cell
	Chosen      Cell
	Fits        int
	Resumed     int
	Interrupted bool
	Elapsed     time.Duration

	Test            []TestScore       // the chosen metric first
	TestPredictions learn.Predictions // of the rows held out; Rows are rows of the data set

	outcome outcome
}

// Auto learns to predict the target of a data set: it infers the task, encodes and
// scales the columns, holds rows out for the final test, picks learners and
// kernels by size and type of the data, searches, fits the choice on all
// rows that were not held out and judges it on those that were. Why says what it did.
func Auto(ctx context.Context, d *data.Dataset, o AutoOptions) (*AutoResult, error) {
	clock := clockOr(o.clock)
	start := clock.now()
	if o.Budget == 0 {
		o.Budget = time.Minute
	}
	if o.Budget < 0 {
		return nil, fault.Errorf("tune", "Budget is %v; give a positive time", o.Budget)
	}
	if d == nil {
		return nil, fault.Errorf("tune", "no data set")
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	if err := d.CheckRange(); err != nil { // in all rows: those held out are looked at last
		return nil, err
	}
	if d.Target == "" {
		return nil, fault.Errorf("tune", "%s has no target; choose the column to predict", d.Name)
	}
	target, err := d.Column(d.Target)
	if err != nil {
		return nil, err
	}
	task, why := o.Task, "as told"
	if task == data.Unsupervised {
		if task, why, err = data.InferTask(target); err != nil {
			return nil, data.PlaceError(d.Name, 0, err)
		}
	}
	r := &AutoResult{Task: task}
	r.because("%v: %s", task, why)
	if err := r.split(d, task, o); err != nil {
		return nil, err
	}
	if o.Encoder.Text == "" && hasText(d) {
		o.Encoder.Text = data.TextTFIDF
		r.because("text columns become words weighted by rarity (tf-idf)")
	}
	o.Encoder.Task = task // of all rows, not of those that are not held out
	train := d.Gather(r.Split.Train)
	if r.Encoder, err = data.FitEncoder(train, o.Encoder); err != nil {
		return nil, data.PlaceRow(r.Split.Train, err)
	}
	x, err := r.Encoder.TransformLabelled(train)
	if err != nil {
		return nil, data.PlaceRow(r.Split.Train, err)
	}
	r.Dropped = train.Len() - x.Len()
	if r.Encoder.Target != nil {
		r.Classes = r.Encoder.Target.Classes
		if task == data.Multiclass && len(r.Classes) == 2 { // others were left out
			task = data.Binary
			r.Task, r.Encoder.Target.Task = task, task
		}
	}
	groups, err := groupsOf(d, data.Take(r.Split.Train, x.Kept))
	if err != nil {
		return nil, err
	}
	times, err := timesOf(d, o.Time, data.Take(r.Split.Train, x.Kept))
	if err != nil {
		return nil, err
	}
	scaling := r.Encoder.Options.Scaling
	if x.Sparse != nil {
		r.because("%s, scaled by the largest absolute value", features(r.Encoder.Dim, "sparse feature"))
		p := learn.Problem[data.SparseVec]{Points: *x.Sparse, Task: task, Y: x.Target, Classes: r.Classes, Weights: x.Weights, Groups: groups, Times: times}
		lift := func(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[data.SparseVec], error) {
			return kernel.OnSparse(k, r.Encoder.Dim)
		}
		var res *Result[data.SparseVec]
		res, err = autoSearch(ctx, r, p, lift, o, start)
		r.outcome = found[data.SparseVec]{res, func(x *data.Encoded) data.Points[data.SparseVec] { return *x.Sparse }}
	} else {
		r.because("%s, scaling: %s", features(r.Encoder.Dim, "feature"), scaling)
		p := learn.Problem[kernel.Vec]{Points: x.Dense, Task: task, Y: x.Target, Classes: r.Classes, Weights: x.Weights, Groups: groups, Times: times}
		same := func(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[kernel.Vec], error) { return k, nil }
		var res *Result[kernel.Vec]
		res, err = autoSearch(ctx, r, p, same, o, start)
		r.outcome = found[kernel.Vec]{res, func(x *data.Encoded) data.Points[kernel.Vec] { return x.Dense }}
	}
	if err != nil {
		return nil, err
	}
	if err := r.judge(ctx, d, o); err != nil {
		return nil, err
	}
	r.Elapsed = clock.now().Sub(start)
	return r, nil
}

func (r *AutoResult) because(format string, a ...any) {
	r.Why = append(r.Why, fmt.Sprintf(format, a...))
}

func features(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func hasText(d *data.Dataset) bool {
	for _, c := range d.Features() {
		if c.Kind == data.Text {
			return true
		}
	}
	return false
}

// split holds rows out, stratified by class, whole groups where there are groups.
func (r *AutoResult) split(d *data.Dataset, task data.Task, o AutoOptions) error {
	all, codes, rare, err := r.usable(d, task)
	if err != nil {
		return err
	}
	share := o.Holdout
	if share == 0 {
		share = 0.2
	}
	if share < 0 || len(all) < 10 {
		r.Split = data.Fold{Train: all}
		r.because("no rows held out")
		return nil
	}
	switch {
	case o.Time != "":
		var times []float64
		if times, err = timesOf(d, o.Time, all); err != nil {
			return err
		}
		r.because("the latest rows by %q are held out", o.Time)
		r.Split, err = data.TimeHoldout(times, share)
	case d.Groups != "":
		var groups []int
		if groups, err = groupsOf(d, all); err != nil {
			return err
		}
		var folds []data.Fold
		if folds, err = data.Grouped(groups, max(2, int(math.Round(1/share))), o.Seed); err == nil {
			r.Split = folds[0]
		}
	case task.Classification():
		r.Split, err = spared(codes, rare, share, o.Seed)
	default:
		r.Split, err = data.Holdout(len(all), share, o.Seed)
	}
	if err != nil {
		return fault.In("tune", err)
	}
	// From places among the usable rows to rows of the file, in their order.
	r.Split = data.Fold{Train: data.Take(all, r.Split.Train), Test: data.Take(all, r.Split.Test)}
	if o.Time == "" {
		slices.Sort(r.Split.Train)
	}
	r.because("%d rows held out for the final test", len(r.Split.Test))
	return nil
}

// groupsOf numbers the groups of rows, nil without a group column.
func groupsOf(d *data.Dataset, rows []int) ([]int, error) {
	if d.Groups == "" {
		return nil, nil
	}
	c, err := d.Column(d.Groups)
	if err != nil {
		return nil, err
	}
	levels, err := c.As(data.Categorical)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(rows))
	for i, row := range rows {
		out[i] = int(levels.Codes[row])
	}
	return out, nil
}

// timesOf is the time of rows, nil where no column is named.
func timesOf(d *data.Dataset, column string, rows []int) ([]float64, error) {
	if column == "" {
		return nil, nil
	}
	c, err := d.Column(column)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(rows))
	for i, row := range rows {
		switch {
		case c.IsMissing(row):
			return nil, fault.Errorf("tune", "row %d of %q has no time; fill it in or drop the row", row, column)
		case c.Kind == data.Numeric:
			out[i] = c.Numbers[row]
		case c.Kind == data.Time:
			out[i] = float64(c.Micros[row])
		default:
			return nil, fault.Errorf("tune", "%q is %s; the column of times has numbers or dates", column, c.Kind)
		}
	}
	return out, nil
}

// heldOut counts the row of a fault in all rows, not in those held out.
func heldOut(err error, test []int) error {
	placed := data.PlaceRow(test, err)
	if placed == err {
		return fault.Errorf("tune", "the rows held out: %w", err)
	}
	return fault.In("tune", data.ExplainError("; the row is held out for the test", placed))
}

// judge asks the model about the rows held out. Of a search that was stopped only the chosen
// metric has an interval: the others, by ranks above all, would take longer than a person waits.
func (r *AutoResult) judge(ctx context.Context, d *data.Dataset, o AutoOptions) error {
	if len(r.Split.Test) == 0 {
		return nil
	}
	x, err := r.Encoder.TransformLabelled(d.Gather(r.Split.Test))
	if err != nil {
		return heldOut(err, r.Split.Test)
	}
	if x.Len() == 0 {
		return nil
	}
	if r.TestPredictions, err = r.Predict(context.WithoutCancel(ctx), x); err != nil {
		return err
	}
	p := &r.TestPredictions
	p.Rows, p.Truth, p.Weights = data.Take(r.Split.Test, x.Kept), x.Target, x.Weights
	if p.Groups, err = groupsOf(d, p.Rows); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, m := range append([]Metric{r.Metric}, Metrics(r.Task)...) {
		if seen[m.Name] {
			continue
		}
		seen[m.Name] = true
		s := m.Score(*p)
		switch {
		case math.IsNaN(s):
		case ctx.Err() != nil && len(r.Test) > 0:
			r.Test = append(r.Test, TestScore{Metric: m.Name, Value: s, Low: math.NaN(), High: math.NaN()})
		default:
			r.Test = append(r.Test, interval(m, *p, s, o.Seed))
		}
	}
	return nil
}
