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
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/spec"
)

// AutoOptions steers Auto; the zero value is a sound choice.
type AutoOptions struct {
	Budget  time.Duration // of everything; 0 means a minute
	Spent   time.Duration // of Budget, before Auto was called: on reading, say. What is planned depends on Budget alone
	Holdout float64       // share of rows kept for the final test; 0 means 0.2, negative none
	Folds   int           // of the search; 0 means 5
	Repeats int           // times the folds are drawn anew; 0: once, and where rows are few several times
	// Split, where it is there, says which rows are fitted on and which are held out, in place of Holdout.
	Split *data.Fold
	// Refit has the chosen setting fitted once more, on all rows, after it was judged on those held out.
	Refit  bool
	Task   data.Task // zero: inferred from the target
	Metric Metric    // zero: accuracy, or RMSE
	// Positive names the class that measures of one class (F1) are of; empty: the rarer of two.
	Positive string
	// Transform is one of Transforms, by which the target of a regression is mapped before a model is fitted: everything that is said of it is mapped back, and scores are of the target
	// itself. Empty: TransformNone.
	Transform string
	// Balance weighs the classes in fits so that all have the same weight together; ClassWeights, by name, does for single ones. Scores do not know either.
	Balance      learn.Balance
	ClassWeights map[string]float64
	// Evidence judges Gaussian processes by their marginal likelihood on all fitted rows, without folds (Protocol).
	Evidence bool
	// Time names a column of numbers or dates: the latest rows are held out, and
	// folds judge later rows by earlier ones.
	Time  string
	OneSE bool // choose the simplest cell within one standard error of the best
	Best  Best // BestOne, or BestCommittee where a weighted mean of several cells may be chosen
	// NoProbabilities lets a classifier do without them: those that have none of
	// their own are not calibrated.
	NoProbabilities bool

	Encoder data.EncoderOptions

	// Learners are the only ones to try, as they are written: "svm", "norma(loss=hinge, budget=100)". Nil: chosen by size and type of the data.
	Learners []string
	Centers  int // of a model of few centres of all rows; 0: as many as there is time for
	// CenterRows is rows, with the columns of the data set but the target, that are the centres of radial basis function networks (rbf), the only learner then.
	CenterRows *data.Dataset
	Kernel     kernel.Kernel[kernel.Vec] // only this one, with its length-scales varied; nil: several
	Columns    *ColumnKernels            // only the kernel that this makes of the columns of the table
	// Repair is done to a kernel that is not positive definite on the rows of a fit (learn.Repaired).
	Repair gram.How
	// Axes are values to try in place of those of every candidate that has such a
	// parameter; the kernel's may be called by their last name.
	Axes     []Axis
	Strategy Strategy // nil: Grid{Refine: 2}, or Grid{} with Axes

	Seed    uint64
	Threads int
	Device  *gram.Device // for fits that are worth it (learn.Resources)
	Bytes   int64        // memory for the encoded rows and all that is computed from them; 0 means a quarter of the machine's
	Journal string
	Trace   func(Event)

	// Solver says how the model is fitted in the end, by a name of Solvers; empty: chosen by what rows, time and memory allow.
	Solver string

	clock   clock         // that Budget is counted by; nil: the machine's
	fitted  *data.Encoder // to all rows of a table, of which the data set is some
	centers *data.Encoded // CenterRows
	rowText func(kernel.Kernel[mixed.Row]) (string, bool)
	notes   []notedColumn
	only    contest
}

// AutoResult is what Auto found.
type AutoResult struct {
	Task    data.Task
	Encoder *data.Encoder // fitted on the rows that were not held out
	Why     []string      // what was decided, and why, in order
	Notes   []string      // of these, what was done with rows and columns that nobody asked for: a person is to see it without a report
	Split   data.Fold     // rows of the data set fitted on and held out
	Dropped int           // rows left out for missing values
	Classes []string
	// Positive is the class that measures of one class are of; empty: none, as with more than two where none is named.
	Positive string
	// Baseline is what somebody would predict who knows the targets of the fitted rows and nothing else.
	Baseline learn.Baseline
	// TargetMap is what the model was fitted in, with Transform; nil: the target itself. Residuals of intervals are in it, everything else is of the target.
	TargetMap *data.TargetMap
	Columns   []ColumnWorth // what columns of objects are compared by; nil where there are none

	Metric   Metric
	Protocol Protocol // of the search
	Cells    []Cell   // everything tried
	Chance   Cell     // what the baseline of each fold's fitted rows scores on the folds of the search
	// Inside is the chosen cell on the folds of the search with the encoder (scales, words, fill values) fitted to the fitted rows of
	// each fold alone; without scores where there was no time for it, as Why says then.
	Inside      Cell
	Best        Cell
	Chosen      Cell       // what was chosen: a cell, or a committee
	Committee   *Committee // that was looked at, with BestCommittee; nil: none could be had, and Why says why
	Fits        int
	Resumed     int
	Interrupted bool
	Warnings    []string // what is to be doubted about the result; Why has them too
	Elapsed     time.Duration
	// JournalFaults says what went wrong with the journal; the result does not depend on it.
	JournalFaults []string

	Refitted int // rows that the model was fitted on after the test; 0: it is the one that was judged

	Given int // rows there were to fit on; 0: those of Split.Train that were not dropped
	// Growth is the models that competed where the search saw a part of the rows: of more rows, and of more centres.
	Growth []Growth

	Test            []TestScore       // the chosen metric first
	Refused         int               // rows held out that the model refuses to predict: they are not judged
	TestPredictions learn.Predictions // of the rows held out; Rows are rows of the data set

	// Targets is what is known of each target, where there are several: Test is then of the mean over all of them.
	Targets []TargetResult

	residuals  [][]float64 // absolute, of rows that were not fitted to, for each target
	outcome    outcome
	timeColumn string
	searched   []int // rows of the data set that the folds of the search are of
}

// Auto learns to predict the target of a data set: it infers the task, encodes and
// scales the columns, holds rows out for the final test, picks learners and
// kernels by size and type of the data, searches, fits the choice on all
// rows that were not held out and judges it on those that were. Why says what it did.
func Auto(ctx context.Context, d *data.Dataset, o AutoOptions) (*AutoResult, error) {
	clock := clockOr(o.clock)
	begun := clock.now()
	start := begun.Add(-o.Spent)
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
	if err := o.settleSolver(); err != nil {
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
	if len(d.More) > 0 {
		if task, why, err = severalTask(d, o); err != nil {
			return nil, err
		}
	}
	if task == data.Unsupervised {
		if task, why, err = data.InferTask(target); err != nil {
			return nil, data.PlaceError(d.Name, 0, err)
		}
	}
	mapped, err := o.transforms(d, task)
	if err != nil {
		return nil, err
	}
	if mapped && o.Transform == TransformAuto {
		return autoTransform(ctx, d, target, o)
	}
	if mapped && o.Transform == TransformLog {
		if err := checkLog(d, target); err != nil {
			return nil, err
		}
	}
	r := &AutoResult{Task: task, timeColumn: o.Time}
	r.because("%v: %s", task, why)
	if err := r.split(d, task, o); err != nil {
		return nil, err
	}
	if o.fitted == nil {
		if d, o.notes, err = notedColumns(d); err != nil {
			return nil, err
		}
		for _, n := range o.notes {
			r.note("%s has a note for each letter of %s", n.notes, n.letters)
		}
	}
	if o.Encoder.Text == "" && o.Encoder.Texts == nil {
		var why []string
		o.Encoder.Texts, why = textPolicies(d)
		for _, w := range why {
			r.note("%s", w)
		}
	}
	o.Encoder.Task = task // of all rows, not of those that are not held out
	if o.Evidence && o.Learners == nil {
		o.Learners = []string{"gp"}
	}
	train := d.Gather(r.Split.Train)
	if r.Encoder = o.fitted; r.Encoder == nil {
		r.Encoder, err = data.FitEncoder(train, o.Encoder)
	}
	if err != nil {
		return nil, data.PlaceRow(r.Split.Train, err)
	}
	x, err := r.Encoder.TransformLabelled(train)
	if err != nil {
		return nil, data.PlaceRow(r.Split.Train, err)
	}
	if o.Bytes, err = besideRows(o.Bytes, x); err != nil {
		return nil, err
	}
	if err := o.encodeCenters(r); err != nil {
		return nil, err
	}
	r.Dropped = train.Len() - x.Len()
	r.searched = data.Take(r.Split.Train, x.Kept)
	if r.Encoder.Target != nil {
		r.Classes = r.Encoder.Target.Classes
		if task == data.Multiclass && len(r.Classes) == 2 { // others were left out
			task = data.Binary
			r.Task, r.Encoder.Target.Task = task, task
		}
	}
	groups, err := d.RowGroups(data.Take(r.Split.Train, x.Kept))
	if err != nil {
		return nil, err
	}
	times, err := timesOf(d, o.Time, data.Take(r.Split.Train, x.Kept))
	if err != nil {
		return nil, err
	}
	classWeights, err := o.classWeights(task, x, r.Classes)
	if err != nil {
		return nil, err
	}
	if classWeights != nil {
		r.because("weights of the classes in fits: %s", weightText(r.Classes, classWeights))
	}
	if mapped {
		if err := r.mapTarget(o.Transform, x.Target); err != nil {
			return nil, err
		}
	}
	scaling := r.Encoder.Options.Scaling
	schema := mixed.SchemaOf(r.Encoder)
	if o.Columns != nil && len(schema.Objects()) == 0 {
		if o.Kernel, err = o.Columns.Features(schema); err != nil {
			return nil, err
		}
	}
	switch {
	case len(schema.Objects()) > 0:
		if r.Encoder.Dim > 0 {
			r.because("%s, scaling: %s", features(r.Encoder.Dim, "feature"), scaling)
		}
		var rows data.Slice[mixed.Row]
		if rows, err = schema.Rows(x); err != nil {
			return nil, data.PlaceRow(r.Split.Train, err)
		}
		p := learn.Problem[mixed.Row]{Points: rows, Task: task, Y: x.Target, More: x.More, Classes: r.Classes, Positive: o.Positive, Weights: x.Weights, ClassWeights: classWeights, Groups: groups, Times: times}
		pick := func(part learn.Problem[mixed.Row]) ([]Candidate[mixed.Row], error) {
			return rowCandidates(ctx, r, schema, part, o)
		}
		o.rowText = func(k kernel.Kernel[mixed.Row]) (string, bool) {
			text, err := spec.FormatRows(schema, k)
			return text, err == nil
		}
		if o.Strategy == nil {
			o.Strategy = Grid{} // numbers of rounds and letters have nothing in between
		}
		var res *Result[mixed.Row]
		res, err = autoSearch(ctx, r, p, pick, nil, o, start)
		r.outcome = found[mixed.Row]{res, func(x *data.Encoded) (data.Points[mixed.Row], error) { return schema.Rows(x) }, r.Positive, classWeights, r.TargetMap}
	case x.Sparse != nil:
		r.because("%s, scaled by the largest absolute value", features(r.Encoder.Dim, "sparse feature"))
		p := learn.Problem[data.SparseVec]{Points: *x.Sparse, Task: task, Y: x.Target, More: x.More, Classes: r.Classes, Positive: o.Positive, Weights: x.Weights, ClassWeights: classWeights, Groups: groups, Times: times}
		lift := func(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[data.SparseVec], error) {
			return kernel.OnSparse(k, r.Encoder.Dim)
		}
		var res *Result[data.SparseVec]
		pick := func(part learn.Problem[data.SparseVec]) ([]Candidate[data.SparseVec], error) {
			return autoCandidates(r, part, lift, o)
		}
		res, err = autoSearch(ctx, r, p, pick, nil, o, start)
		r.outcome = found[data.SparseVec]{res, func(x *data.Encoded) (data.Points[data.SparseVec], error) { return *x.Sparse, nil }, r.Positive, classWeights, r.TargetMap}
	default:
		r.because("%s, scaling: %s", features(r.Encoder.Dim, "feature"), scaling)
		p := learn.Problem[kernel.Vec]{Points: x.Dense, Task: task, Y: x.Target, More: x.More, Classes: r.Classes, Positive: o.Positive, Weights: x.Weights, ClassWeights: classWeights, Groups: groups, Times: times}
		same := func(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[kernel.Vec], error) { return k, nil }
		var res *Result[kernel.Vec]
		pick := func(part learn.Problem[kernel.Vec]) ([]Candidate[kernel.Vec], error) {
			return autoCandidates(r, part, same, o)
		}
		res, err = autoSearch[kernel.Vec](ctx, r, p, pick, vectorColumns{r.Encoder, o.Kernel != nil}, o, start)
		r.outcome = found[kernel.Vec]{res, func(x *data.Encoded) (data.Points[kernel.Vec], error) { return x.Dense, nil }, r.Positive, classWeights, r.TargetMap}
	}
	if err != nil {
		return nil, err
	}
	r.weighAsChosen()
	r.nameTargets(d)
	switch {
	case r.outcome.wide():
		r.because("scales and levels are of all rows but those held out: among so many a row has no say in them")
	case !r.Interrupted && !o.Evidence:
		r.judgeInside(ctx, d, clock, start.Add(o.Budget-judging(len(r.Split.Test))))
	}
	if err := r.judge(ctx, d, o.Seed, func() bool { return ctx.Err() != nil || clock.now().After(start.Add(o.Budget)) }); err != nil {
		return nil, err
	}
	if o.Refit {
		if err := r.refitAll(ctx, d); err != nil {
			return nil, err
		}
	}
	r.Elapsed = clock.now().Sub(begun)
	return r, nil
}

func (r *AutoResult) because(format string, a ...any) {
	r.Why = append(r.Why, fmt.Sprintf(format, a...))
}

// note is because, for what a person is to see at once.
func (r *AutoResult) note(format string, a ...any) {
	r.because(format, a...)
	r.Notes = append(r.Notes, r.Why[len(r.Why)-1])
}

// doubt is because, for a warning.
func (r *AutoResult) doubt(format string, a ...any) {
	r.because(format, a...)
	r.Warnings = append(r.Warnings, r.Why[len(r.Why)-1])
}

func features(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// split holds rows out, stratified by class, whole groups where there are groups.
func (r *AutoResult) split(d *data.Dataset, task data.Task, o AutoOptions) error {
	all, codes, rare, err := r.usable(d, task)
	if err != nil {
		return err
	}
	if o.Split != nil {
		return r.splitAsTold(all, d.Len(), *o.Split)
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
		if groups, err = d.RowGroups(all); err != nil {
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

// judge asks the model about the rows held out. Of a search that was stopped, or when the time is up, only the chosen
// metric has an interval: the others, by ranks above all, would take longer than a person waits.
func (r *AutoResult) judge(ctx context.Context, d *data.Dataset, seed uint64, over func() bool) error {
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
	known, answered, refused := r.outcome.known(context.WithoutCancel(ctx), x)
	if refused != nil {
		r.Refused = x.Len() - len(answered)
		r.doubt("%d of %d test rows are refused by the model, which would refuse them in prediction, and have no part in its scores: %v", r.Refused, x.Len(), fault.Plain(refused))
	}
	if len(answered) == 0 {
		return nil
	}
	r.TestPredictions = known
	p := &r.TestPredictions
	p.Rows = data.Take(data.Take(r.Split.Test, x.Kept), answered)
	if r.Task == data.Regression {
		off, err := r.outcome.residuals(context.WithoutCancel(ctx), x, answered)
		if err != nil {
			return err
		}
		r.residuals = thinEach(off)
	}
	if p.Groups, err = d.RowGroups(p.Rows); err != nil {
		return err
	}
	if len(p.More) > 0 {
		r.judgeTargets(seed, over)
		return nil
	}
	r.Test = Judge(*p, r.Baseline, metricsFrom(r.Metric, r.Task)...)
	for i, m := range r.Test {
		if i > 0 && over() {
			break
		}
		r.Test[i].Low, r.Test[i].High = interval(m.by, *p, m.Value, seed)
	}
	return nil
}
