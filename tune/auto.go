package tune

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// AutoOptions steers Auto; the zero value is a sound choice.
type AutoOptions struct {
	Budget  time.Duration // of everything; 0 means a minute
	Spent   time.Duration // of Budget, before Auto was called: on reading, say. What is planned depends on Budget alone
	Holdout float64       // share of rows kept for the final test; 0 means 0.2, negative none
	Folds   int           // of the search; 0 means 5
	Repeats int           // times the folds are drawn anew; 0: once, and where rows are few several times
	// Split, where it is there, says which rows are fitted on and which are held out, in place of
	// Holdout.
	Split *data.Fold
	// Refit has the chosen setting fitted once more, on all rows, after it was judged on those held
	// out.
	Refit  bool
	Task   data.Task // zero: inferred from the target
	Metric Metric    // zero: accuracy, average precision where one class of two is rare (RareShare), or RMSE
	// Positive names the class that measures of one class (F1) are of; empty: the rarer of two.
	Positive string
	// Transform is one of Transforms, by which the target of a regression is mapped before a model
	// is fitted: everything that is said of it is mapped back, and scores are of the target itself.
	// Empty: transformNone.
	Transform string
	// Balance weighs the classes in fits so that all have the same weight together; ClassWeights,
	// by name, does for single ones. Scores do not know either.
	Balance      learn.Balance
	ClassWeights map[string]float64
	// Threshold names a class from a probability on, and Costs, by class, is what a row costs that
	// is taken for the other: the threshold is then the one of least cost on rows that were not
	// fitted to; classes not named cost 1. Nil: the likelier class is named, but where one of two
	// is rare (RareShare) the threshold is that of the best f1.
	Threshold *model.Threshold
	Costs     map[string]float64
	// evidenceMetric judges Gaussian processes by their marginal likelihood on all fitted rows, without
	// folds (Protocol).
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

	// Learners are the only ones to try, as they are written: "svm", "norma(loss=hinge,
	// budget=100)". Nil: chosen by size and type of the data.
	Learners []string
	Centers  int // of a model of few centres of all rows; 0: as many as there is time for
	// CenterRows is rows, with the columns of the data set but the target, that are the centres of
	// radial basis function networks (rbf), the only learner then.
	CenterRows *data.Dataset
	Kernel     kernel.Kernel[kernel.Vec] // only this one, with its length-scales varied; nil: several
	Columns    *ColumnKernels            // only the kernel that this makes of the columns of the table
	// Written is the text of Kernel, or of what Columns makes: numbers that stand in it are kept,
	// whatever else is varied. Empty: there is none.
	Written string
	// Outputs is the matrix B of the kernel k·B that several targets share (learn.Problem.Outputs);
	// nil: where they are learnt as one model, it is found.
	Outputs *mat.SymDense
	// Repair is done to a kernel that is not positive definite on the rows of a fit
	// (fitting.Repaired).
	Repair gram.How
	// Axes are values to try in place of those of every candidate that has such a
	// parameter; the kernel's may be called by their last name.
	Axes     []Axis
	Strategy Strategy // nil: Grid{Refine: 2}, or Grid{} with Axes

	Seed    uint64
	Threads int
	Device  *gram.Device // for fits that are worth it (learn.Resources)
	// memory for the encoded rows and all that is computed from them; 0 means a quarter of the
	// machine's
	Bytes   int64
	Journal string
	Trace   func(Event)

	// solverName says how the model is fitted in the end, by a name of Solvers; empty: chosen by what
	// rows, time and memory allow.
	Solver string

	clock   clock         // that Budget is counted by; nil: the machine's
	fitted  *data.Encoder // to all rows of a table, of which the data set is some
	centers *data.Encoded // CenterRows
	rowText func(kernel.Kernel[any]) (string, bool)
	// parseFeatures reads Written where columns of features are named in it.
	parseFeatures func(string) (kernel.Kernel[kernel.Vec], error)
	notes         []notedColumn
	unasked       bool                       // Metric is chosen for the person
	wordColumns   []string                   // columns of words, where it is not said what becomes of them
	terms         map[string]data.TextPolicy // what was chosen for them
	only          contest
	first         bool   // the search is for a first answer alone (auto_first.go)
	answered      func() // told when there is one, or none can be had; for tests
	// linearObjects says that rows are one column of objects whose kernels are known by features,
	// so that linear machines tell classes apart by them.
	linearObjects bool
}

// AutoResult is what Auto found.
type AutoResult struct {
	Task    data.Task
	Encoder *data.Encoder // fitted on the rows that were not held out
	Why     []string      // what was decided, and why, in order
	// of these, what was done with rows and columns that nobody asked for: a person is to see it
	// without a report
	Notes   []string
	Split   data.Fold // rows of the data set fitted on and held out
	Dropped int       // rows left out for missing values
	Classes []string
	// Positive is the class that measures of one class are of; empty: none, as with more than two
	// where none is named.
	Positive string
	// Baseline is what somebody would predict who knows the targets of the fitted rows and nothing
	// else.
	Baseline learn.Baseline
	// TargetMap is what the model was fitted in, with Transform; nil: the target itself. Residuals
	// of intervals are in it, everything else is of the target.
	TargetMap *data.TargetMap
	Columns   []ColumnWorth // what columns of objects are compared by; nil where there are none

	Metric   Metric
	Protocol Protocol // of the search
	Cells    []Cell   // everything tried
	Chance   Cell     // what the baseline of each fold's fitted rows scores on the folds of the search
	// Inside is the chosen cell on the folds of the search with the encoder (scales, words, fill
	// values) fitted to the fitted rows of each fold alone; without scores where there was no time
	// for it, as Why says then.
	Inside      Cell
	Best        Cell
	Chosen      Cell       // what was chosen: a cell, or a committee
	Committee   *Committee // that was looked at, with BestCommittee; nil: none could be had, and Why says why
	Fits        int
	Resumed     int
	Interrupted bool
	Warnings    []string // what is to be doubted about the result; Why has them too
	Elapsed     time.Duration
	// StandIn says why the model is of few centres in place of what was planned (Result); empty: it
	// is not.
	StandIn string
	// JournalFaults says what went wrong with the journal; the result does not depend on it.
	JournalFaults []string

	Refitted int // rows that the model was fitted on after the test; 0: it is the one that was judged

	Given int // rows there were to fit on; 0: those of Split.Train that were not dropped
	// Growth is the models that competed where the search saw a part of the rows: of more rows, and
	// of more centres.
	Growth []Growth

	Test            []TestScore       // the chosen metric first
	Refused         int               // rows held out that the model refuses to predict: they are not judged
	TestPredictions learn.Predictions // of the rows held out; Rows are rows of the data set
	// TestUnits says which rows held out are of one piece, a group or a stretch of time, in the
	// order of TestPredictions: intervals are over these. Nil: each row is by itself.
	TestUnits []int

	// Targets is what is known of each target, where there are several: Test is then of the mean
	// over all of them.
	Targets []TargetResult

	// Threshold is from which probability on a class is named; nil: the likelier is.
	Threshold *model.Threshold
	// ByGroups is what folds of whole groups say where a column seems to name some; nil: none does.
	ByGroups *ByGroups

	residuals   [][]float64        // absolute, of rows that were not fitted to, for each target
	foldOff     [][]float64        // the same, of the folds of the search
	foldKnown   *learn.Predictions // of the rows of the folds, each by a fit to others; nil: there are none
	outcome     outcome
	linearAlone bool   // there are too many rows of objects for other learners than linear machines
	identity    string // of the search in its journal
	timeColumn  string
	searched    []int // rows of the data set that the folds of the search are of
}

// Auto learns to predict the target of a data set: it infers the task, encodes and
// scales the columns, holds rows out for the final test, picks learners and
// kernels by size and type of the data, searches, fits the choice on all
// rows that were not held out and judges it on those that were. Why says what it did.
func Auto(ctx context.Context, d *data.Dataset, o AutoOptions) (*AutoResult, error) {
	clock := clockOr(o.clock)
	begun := clock.now()
	start := begun.Add(-o.Spent)
	if err := o.checked(d); err != nil {
		return nil, err
	}
	r, err := o.inferred(d)
	if err != nil {
		return nil, err
	}
	mapped, err := o.transforms(d, r.Task)
	if err != nil {
		return nil, err
	}
	if mapped && o.Transform == transformAuto {
		return autoTransform(ctx, d, o)
	}
	if err := o.settleMetric(d, r); err != nil {
		return nil, err
	}
	if err := o.checkThreshold(r); err != nil {
		return nil, err
	}
	if err := r.split(d, r.Task, o); err != nil {
		return nil, err
	}
	if d, err = o.noted(d, r); err != nil {
		return nil, err
	}
	begins := *r
	early := func(allowed time.Duration) earlyAnswer { return o.early(ctx, d, &begins, start, allowed) }
	first := early(start.Add(o.Budget).Sub(clock.now())) // it is little work, and takes long on a busy machine alone
	if o.answered != nil {
		o.answered()
	}
	if err := o.find(ctx, d, r, start); err != nil {
		if r, err = first.instead(ctx, err, o.Budget, func() earlyAnswer { return early(lateTime) }); err != nil {
			return nil, err
		}
	}
	r.weighAsChosen()
	r.nameTargets(d)
	switch {
	case r.outcome.wide():
		r.because("scales and levels are of all rows but those held out: among so many a row has no say in them")
	case !r.Interrupted && !o.Evidence:
		r.judgeInside(ctx, d, clock, start.Add(o.Budget-judging(len(r.Split.Test))))
	}
	if !r.Interrupted && !o.Evidence && len(r.Targets) == 0 {
		r.judgeByGroups(ctx, d, o, clock, start.Add(o.Budget-judging(len(r.Split.Test))))
	}
	if err := r.setThreshold(ctx, d, o); err != nil {
		return nil, err
	}
	if err := r.judge(ctx, d, o.Seed, timeLeft(ctx, clock, start.Add(o.Budget)), clock); err != nil {
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

// find encodes the rows that are not held out, and searches for a model of them.
func (o *AutoOptions) find(ctx context.Context, d *data.Dataset, r *AutoResult, start time.Time) error {
	p, err := o.pose(ctx, d, r, start)
	if err != nil {
		return err
	}
	if o.Transform != "" && o.Transform != transformNone {
		if err := r.mapTarget(o.Transform, p.x.Target); err != nil {
			return err
		}
	}
	return p.search(ctx, r, *o, start)
}

// checked refuses what cannot be searched, and settles the time and the solver.
func (o *AutoOptions) checked(d *data.Dataset) error {
	if o.Budget == 0 {
		o.Budget = time.Minute
	}
	if o.Budget < 0 {
		return fault.Errorf("tune", "Budget is %v; give a positive time", o.Budget)
	}
	if d == nil {
		return fault.Errorf("tune", "no data set")
	}
	if err := d.Check(); err != nil {
		return err
	}
	if err := d.CheckRange(); err != nil { // in all rows: those held out are looked at last
		return err
	}
	if err := o.settleSolver(); err != nil {
		return err
	}
	if err := o.settleNoise(d); err != nil {
		return err
	}
	if d.Target == "" {
		return fault.Errorf("tune", "%s has no target; choose the column to predict", d.Name)
	}
	return nil
}

// inferred begins a result, with the task as told or as the target says.
func (o *AutoOptions) inferred(d *data.Dataset) (*AutoResult, error) {
	target, err := d.Column(d.Target)
	if err != nil {
		return nil, err
	}
	task, why := o.Task, "as told"
	if len(d.More) > 0 {
		if task, why, err = severalTask(d, *o); err != nil {
			return nil, err
		}
	}
	if task == data.Unsupervised {
		if task, why, err = data.InferTask(target); err != nil {
			return nil, data.PlaceError(d.Name, 0, err)
		}
	}
	r := &AutoResult{Task: task, timeColumn: o.Time}
	r.because("%v: %s", task, why)
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
