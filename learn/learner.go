package learn

import (
	"context"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Learner is a learner's entry in the table of learners (learn/all): all that model selection,
// model files, the command line and the documents know of it. A family keeps the entries of its
// learners next to their code, in learners.go; adding a learner is adding an entry there.
type Learner struct {
	Name    string // by which a search, the command line and people call it: "svm"
	Summary string // what it is, in a line of help

	Values, Classes bool // what it predicts: numbers, classes
	Several         bool // it learns the further targets of a problem beside the first, to a model that is a Several
	Joint           bool // it learns them as one model where it is asked to, and heeds Problem.Outputs; others refuse it

	RowNoise bool // it heeds the noise of each row (Problem.Noise); others refuse it

	Options string // that an entry of one's own was made with, for journals to tell it from others

	// Params are its own parameters, not those of its kernel, for a task.
	Params func(task data.Task) []Param

	// Fit learns from a problem: a Regressor for data.Regression, else a Classifier on class codes.
	Fit func(ctx context.Context, s Settings, p Problem[any]) (Model[any], error)

	// Cells judges many settings of the learner with one kernel on the folds of a cross-validation,
	// sharing what can be shared; nil means that each is fitted on its own from one Gram matrix,
	// and so are those that Shares refuses.
	Cells  func(ctx context.Context, c *Cells) error
	Shares func(c *Cells) bool // nil: where Bytes fit into the budget
	// Bytes is what the cells of one kernel need with n points at the most; nil means two Gram
	// matrices.
	Bytes func(task data.Task, n int) int64
	// Path says that cells start from each other's solutions: their last bits depend on which are
	// fitted together.
	Path bool
	// LastFit is the time that the last fit, on all rows, may take, in units of the time its cells
	// took; nil means half.
	LastFit func(proba bool) float64
	// Evidence says that its models have LogMarginal() float64, the log marginal likelihood of what
	// they were fitted to.
	Evidence bool
	// AnyOrigin says that a fit with an intercept to points of a bilinear kernel is the same
	// function wherever the points lie, so that a search too may move them (MoveToMean).
	AnyOrigin bool
	// ByFunc says that its models use the kernel in their Func alone, so that one fitted with a
	// repaired kernel, whose matrix is singular, can be written with the kernel itself (Repaired).
	ByFunc bool
	// OwnKernel says that it has a kernel of its own, or none: a search tries it once.
	OwnKernel bool
	// Even says that all kernels take equally long, so that a search is best off with one thread
	// for each.
	Even bool

	// At is the learner with its centres given; nil: it has none, or chooses them itself.
	At func(centers data.Points[any]) Learner

	// Auto says when a search that picks for itself tries the learner.
	Auto Auto

	// Saved has, by the Learner of Saved, what makes models of plain data.
	Saved map[string]Restorer[any]
}

// Param is a parameter of a learner.
type Param struct {
	Name    string
	Default float64
	Domain  kernel.Domain
	Summary string // what it is, in a line of help

	// Grid is what a search varies where nothing else was asked for; nil means that it keeps the
	// default. LinearGrid takes its place for the linear kernel, where not nil.
	Grid, LinearGrid []float64
	// PerDeviation says that the grid is in units of the standard deviation of a regression's
	// targets.
	PerDeviation bool
	// PerKernel is the power of the kernel's values that the parameter is in units of: 1 for the
	// weight of a penalty on the norm of f. A search takes the grid times that power of the mean of
	// k(x, x), with a kernel of the user's.
	PerKernel float64
	// Linear says that steps are differences, not ratios.
	Linear bool
	// Choices are the words that it takes in place of numbers: its value is the place of one of
	// them, the first unless said otherwise.
	Choices []string
	// Replaces names parameters that have no say where this one is not 0, so that a search need not
	// vary them.
	Replaces []string
	// Excludes says that what it replaces is not even heard where somebody gives both, which is
	// refused.
	Excludes bool
}

// Text writes a value of the parameter: a word of Choices, or the number.
func (p Param) Text(v float64) string {
	if i := int(v); p.Choices != nil && i >= 0 && i < len(p.Choices) {
		return p.Choices[i]
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// With is the parameter that replaces others where it is given without them; given with them, all
// hold.
func (p Param) With(replaces ...string) Param {
	p.Replaces = replaces
	return p
}

// InPlaceOf is the parameter that is given in place of others, never beside them.
func (p Param) InPlaceOf(others ...string) Param {
	p.Replaces, p.Excludes = others, true
	return p
}

// Auto is the rows up to which a learner is worth its time in a search that picks for itself, and
// the kernels, by name, that it is tried with there; nil means the first.
type Auto struct {
	Rows    func(task data.Task) int // nil: never
	Kernels []string
}

// Settings is all that a fit of a Learner is told.
type Settings struct {
	Kernel kernel.Kernel[any]
	Params map[string]float64 // the learner's
	// parameters of Kernel, by their names in kernel.Params, that stay as they are where the
	// learner finds others
	Hold        []string
	NoIntercept bool    // f alone, without the constant that is not penalised
	Proba       bool    // class probabilities are asked for, where the learner can
	Tol         float64 // 0: the learner's own
	// MaxIterations bounds the steps of a support vector solver; 0: its own bound.
	MaxIterations int
	Resources
}

// Asks says that a parameter is not at its zero: of a Choice, that it is not the first word.
func (s Settings) Asks(name string) bool { return s.Params[name] != 0 }

// ParamsFor is the parameters of the learner for a task; none where it has none.
func (l Learner) ParamsFor(task data.Task) []Param {
	if l.Params == nil {
		return nil
	}
	return l.Params(task)
}

// Does says whether the learner predicts what a task asks for.
func (l Learner) Does(task data.Task) bool {
	if task == data.Regression {
		return l.Values
	}
	return task.Classification() && l.Classes
}

// AnyUnit says whether the learner has the same function for targets in other units, however large
// or small these make them: it is linear in them. One with prices in units of the target, or a
// marginal likelihood, squares them.
func (l Learner) AnyUnit(task data.Task) bool {
	for _, p := range l.ParamsFor(task) {
		if p.PerDeviation && task == data.Regression {
			return false
		}
	}
	return !l.Evidence || task != data.Regression
}

// CanShare says whether cells are to be judged together.
func (l Learner) CanShare(c *Cells) bool {
	switch {
	case l.Cells == nil:
		return false
	case l.Shares == nil:
		return l.SharedBytes(c.Problem.Task, c.Problem.Len()) <= c.Bytes
	}
	return l.Shares(c)
}

// SharedBytes is what the cells of one kernel need with n points.
func (l Learner) SharedBytes(task data.Task, n int) int64 {
	if l.Bytes == nil {
		return 16 * int64(n) * int64(n)
	}
	return l.Bytes(task, n)
}

// LogSpace is n values from low to high with equal ratios: a grid.
func LogSpace(low, high float64, n int) []float64 {
	if n == 1 {
		return []float64{low}
	}
	out := make([]float64, n)
	a, b := math.Log(low), math.Log(high)
	for i := range out {
		out[i] = math.Exp(a + (b-a)*float64(i)/float64(n-1))
	}
	out[0], out[n-1] = low, high
	return out
}
