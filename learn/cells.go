package learn

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// Cells are settings of a learner with one kernel that a search judges together, on the folds of a
// cross-validation.
type Cells struct {
	Problem     Problem[any]
	Kernel      kernel.Kernel[any]
	Hold        []string // parameters of Kernel that stay as they are (Settings)
	NoIntercept bool
	Folds       []data.Fold
	Params      []map[string]float64 // the learner's, of each cell
	Proba       bool                 // class probabilities are asked for, where the learner can
	Tol         float64              // 0: the learner's own
	Threads     int
	Bytes       int64
	Device      *gram.Device // for machines that are worth it; nil means processors alone
	InOrder     bool         // folds one after another, for racing

	// Gram is the Gram matrix of all points, for the caller to keep or overwrite.
	Gram func() blas64.General
	// BorrowGram is the Gram matrix in single precision, 0 in place of numbers too small to be
	// normal, until done is called, and a bound on the size of its entries off the diagonal: +Inf
	// where they are not as good as nothing.
	BorrowGram func() (k blas32.General, offDiagonal float64, done func())
	// Stored is the kernel with its Gram matrix, in which values between the points are looked up,
	// and the problem with points that know their places there. They are what was given where the
	// matrix does not fit into Bytes.
	Stored func() (kernel.Kernel[any], Problem[any])
	// Scratch is what a learner left for its next kernel, in the course of one search.
	Scratch *sync.Pool

	// Alive says whether a cell is still to be judged on a fold.
	Alive func(cell, fold int) bool
	// Judge takes the predictions of a cell on a fold.
	Judge func(cell, fold int, p Predictions)
	// Doubt notes that a fit of a cell stopped with its certificate left above the tolerance; 0
	// means that it did not.
	Doubt func(cell int, left float64)
	// Refuse notes that a fit of a cell to all points would fail, and with what: its folds are not
	// judged any more.
	Refuse func(cell int, err error)
}

// JudgeModel judges a cell by a model fitted to the other folds; p is the problem, or the one of
// Stored.
func (c *Cells) JudgeModel(ctx context.Context, cell, fold int, m Model[any], p Problem[any]) error {
	return JudgeModel(ctx, c, cell, fold, m, p.Gather(c.Folds[fold].Test))
}

// JudgeModel is that of Cells for a model on other points that stand for those of the fold.
func JudgeModel[U any](ctx context.Context, c *Cells, cell, fold int, m Model[U], test Problem[U]) error {
	p, err := PredictKnown(ctx, m, c.Problem.ClassCount(), test)
	if err != nil {
		return err
	}
	p.Rows = c.Folds[fold].Test
	c.Doubt(cell, Unfinished(m))
	c.Judge(cell, fold, p)
	return nil
}

// Unfinished is the certificate that a fit was left with where it did not converge, else 0.
func Unfinished[T any](m Model[T]) float64 {
	if r := m.Report(); !r.Converged {
		return max(r.Certificate, math.SmallestNonzeroFloat64)
	}
	return 0
}

// Settings is those of one cell, with some threads.
func (c *Cells) Settings(cell int, k kernel.Kernel[any], threads int) Settings {
	return Settings{Kernel: k, Params: c.Params[cell], Hold: c.Hold, NoIntercept: c.NoIntercept, Proba: c.Proba,
		Tol:       c.Tol,
		Resources: Resources{Threads: threads, Bytes: c.Bytes}}
}

// Partition says whether every fold fits on all the rows it is not judged by.
func (c *Cells) Partition() bool {
	for _, f := range c.Folds {
		if len(f.Train)+len(f.Test) != c.Problem.Len() {
			return false
		}
	}
	return true
}

// OverFolds calls f for each of the first n folds over the threads, in order in one.
func (c *Cells) OverFolds(n int, f func(fold int) error) error {
	errs := make([]error, n)
	threads := c.Threads
	if c.InOrder {
		threads = 1
	}
	par.For(threads, n, 1, func(i, _ int) { errs[i] = f(i) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Order sorts the cells by parameters, the last named fastest.
func (c *Cells) Order(names ...string) []int {
	order := par.Indices(0, len(c.Params))
	slices.SortStableFunc(order, func(a, b int) int {
		for _, name := range names {
			switch x, y := c.Params[a][name], c.Params[b][name]; {
			case x < y:
				return -1
			case x > y:
				return 1
			}
		}
		return 0
	})
	return order
}
