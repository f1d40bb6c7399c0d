package svmtool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/kernel"
)

// Failure is an error whose text goes to standard error as it is; the exit
// code of LIBSVM's programs is 1 for every one of them.
type Failure struct{ Err error }

func (e *Failure) Error() string { return e.Err.Error() }
func (e *Failure) Unwrap() error { return e.Err }

// ErrSaid is returned when everything there is to say has been printed.
var ErrSaid = errors.New("usage printed")

// finish prints usage where that was asked for, and wraps the rest.
func finish(err error, usage string, stdout, stderr io.Writer) error {
	var help *helpRequest
	switch {
	case err == nil:
		return nil
	case errors.As(err, &help):
		if help.message != "" {
			fmt.Fprintln(stderr, help.message)
		}
		fmt.Fprint(stdout, usage)
		return ErrSaid
	case errors.Is(err, context.Canceled):
		return err
	}
	return &Failure{err}
}

// manyRows is above what memory is worth more than the time of its collection.
const manyRows = 10_000

// Train is svm-train.
func Train(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	return finish(train(ctx, args, stdout, stderr), trainUsage, stdout, stderr)
}

func train(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	p, err := parseTrain(args)
	if err != nil {
		return err
	}
	if p.Folds == 0 {
		if err := keepApart(p.Model, p.Data); err != nil {
			return err
		}
	}
	rows, err := readTable(ctx, p.Data, p.Kernel.Type == precomputed)
	if err != nil {
		return err
	}
	if rows.rows.Len() > manyRows {
		// Rows of the kernel matrix are most of the memory and hold no pointers: collecting them
		// sooner costs little.
		defer debug.SetGCPercent(debug.SetGCPercent(25))
	}
	t := &trainer{params: *p, log: stdout, warn: stderr, random: newRand()}
	if p.Quiet {
		t.log = io.Discard
	}
	if !p.GammaGiven && rows.rows.Dim() > 0 {
		t.Kernel.Gamma = 1 / float64(rows.rows.Dim())
	}
	if err := t.openDevice(rows); err != nil {
		return err
	}
	defer t.closeDevice()
	out := &modelFile{kernelParams: t.Kernel}
	if p.Kernel.Type == precomputed {
		serial, err := rows.serials()
		if err != nil {
			return err
		}
		problem, err := rows.precomputedProblem()
		if err != nil {
			return err
		}
		m, sv, err := work(ctx, t, problem, stdout)
		if m == nil || err != nil {
			return err
		}
		out.machines = *m
		for _, i := range sv {
			out.serial = append(out.serial, serial[i])
		}
	} else {
		m, sv, err := workRows(ctx, t, rows, stdout)
		if m == nil || err != nil {
			return err
		}
		out.machines = *m
		out.sv = data.Gather[data.SparseVec](rows.rows, sv).(data.SparseRows)
	}
	return files.WriteSoon(ctx, p.Model, out.write)
}

// keepApart refuses to write a file over one that is read.
func keepApart(write string, reads ...string) error {
	for _, r := range reads {
		if r == "-" {
			r = "/dev/stdin" // which may be a file
		}
		if files.Same(write, r) {
			return fmt.Errorf("%s would overwrite %s, which is read; give another name", write, r)
		}
	}
	return nil
}

// workRows is work on the rows of a table: along LIBSVM's path where that is asked for or short,
// else on rows that are laid out where few entries are zeros.
func workRows(ctx context.Context, t *trainer, rows *table, stdout io.Writer) (*machines, []int, error) {
	if !t.Identical && t.Device != "gpu" && small(rows) {
		if m, sv, done, err := workSmall(ctx, t, rows, stdout); done {
			return m, sv, err
		}
	}
	if !t.Identical && (dense(rows.rows) || t.Device == "gpu" && rows.rows.Dim() > 0) {
		return work(ctx, t, problem[kernel.Vec]{x: laidOut(rows.rows, rows.rows.Dim()), k: t.Kernel.kernel(), y: rows.y},
			stdout)
	}
	p, err := rows.sparseProblem(t.Kernel, 0)
	if err != nil {
		return nil, nil, err
	}
	return work(ctx, t, p, stdout)
}

// work cross-validates, or fits; only the second gives a model.
func work[T any](ctx context.Context, t *trainer, p problem[T], stdout io.Writer) (*machines, []int, error) {
	if t.Folds == 0 {
		return fit(ctx, t, p)
	}
	if t.Type == nuSVC && !groupClasses(p.y).feasible(t.Nu) {
		return nil, nil, fmt.Errorf("ERROR: specified nu is infeasible")
	}
	predicted, err := crossValidate(ctx, t, p)
	if err != nil {
		return nil, nil, err
	}
	t.tellFolds(stdout, predicted, p.y)
	return nil, nil, nil
}
