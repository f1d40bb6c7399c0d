package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/spf13/cobra"
)

type splitOptions struct {
	Data, Target, Groups, Order, Output, To string
	Share                                   float64
	Seed                                    uint64
	Input                                   inputOptions
}

func newSplit(a *App) *cobra.Command {
	o := &splitOptions{}
	cmd := &cobra.Command{
		Use:   "split DATA",
		Short: "Cut a data set into one file to fit on and one to test on",
		Long: `Cut a data set into NAME.train.csv and NAME.test.csv, every row in one of
them, in the order of the file.

Where the target has classes, each keeps its share in both files. With
--groups no group is in both; with --order the test rows are the last ones.
The same seed gives the same rows.`,
		Example: `  mercer split houses.csv --target price
  mercer split visits.csv --groups patient --test 0.2
  mercer split iris -o flowers --to jsonl`,
		Args: dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Data = args[0]
			return a.split(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.Float64Var(&o.Share, "test", 0.25, "share of the rows to test on")
	f.StringVar(&o.Target, "target", "",
		"column whose classes keep their shares; default: the last, where it can be a target")
	f.StringVar(&o.Groups, "groups", "", "column of groups that are not to be cut")
	f.StringVar(&o.Order, "order", "", "column (numbers or times) to cut by: the test rows come last")
	f.StringVarP(&o.Output, "output", "o", "", "NAME of the files; default: that of the data")
	f.StringVar(&o.To, "to", "csv", "format to write: csv, tsv, libsvm, jsonl or npy")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the random choice")
	o.Input.flags(f)
	return cmd
}

func (a *App) split(ctx context.Context, o *splitOptions) error {
	if o.Groups != "" && o.Order != "" {
		return usage("--groups and --order ask for different cuts; give one of them")
	}
	name := cmp.Or(o.Output, baseName(o.Data))
	names := [2]string{fmt.Sprintf("%s.train.%s", name, o.To), fmt.Sprintf("%s.test.%s", name, o.To)}
	// The name of x.train.csv itself ends in what is written.
	if err := checkPlaces([]place{readFrom(o.Data)}, []place{{"-o", names[0]}, {"-o", names[1]}}); err != nil {
		return err
	}
	in, err := o.Input.options(a)
	if err != nil {
		return err
	}
	in.Target, in.NoTarget = o.Target, o.Target == "" && (o.Groups != "" || o.Order != "")
	by := cmp.Or(o.Groups, o.Order)
	leftOut := slices.Contains(in.Ignore, by) // of the files: the cut needs it
	in.Ignore = slices.DeleteFunc(slices.Clone(in.Ignore), func(name string) bool { return name == by })
	d, err := a.read(ctx, o.Data, in)
	if err != nil {
		return err
	}
	fold, how, err := o.fold(d)
	if err != nil {
		return inputError(err)
	}
	if leftOut {
		d.Columns = slices.DeleteFunc(d.Columns, func(c data.Column) bool { return c.Name == by })
	}
	bytes, err := o.Input.bytes()
	if err != nil {
		return err
	}
	for i, part := range [2][]int{fold.Train, fold.Test} {
		rows := d.Gather(part)
		write, err := writerOf(rows, load.Format(o.To), bytes)
		if err != nil {
			return err
		}
		if err := files.WriteAtomic(names[i], write); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.Out, "%s: %s\n", names[i], plural(rows.Len(), "row")); err != nil {
			return err
		}
	}
	warnings := sharedWarning(d, fold)
	if by == "" {
		warnings = append(warnings, doubtsWith(d, mend.Groups, mend.Order)...)
	}
	tellWarnings(a.Err, progress.Width(a.Err), warnings)
	_, err = fmt.Fprintf(a.Out, "%s\n", how)
	return err
}

// fold chooses the rows, and says how.
func (o *splitOptions) fold(d *data.Dataset) (data.Fold, string, error) {
	switch {
	case o.Order != "":
		at, err := orderOf(d, o.Order)
		if err != nil {
			return data.Fold{}, "", err
		}
		fold, err := data.TimeHoldout(at, o.Share)
		return fold, fmt.Sprintf("the test rows are the last by %q", o.Order), err
	case o.Groups != "":
		return o.grouped(d)
	}
	if target, err := d.Column(d.Target); err == nil && d.Target != "" {
		if task, _, err := data.InferTask(target); err == nil && task != data.Regression {
			codes, classes := codesOf(target)
			if fold, err := data.StratifiedHoldout(codes, o.Share, o.Seed); err == nil {
				return fold, fmt.Sprintf("drawn by seed %d; each of the %d classes of %q keeps its share", o.Seed, classes,
					d.Target), nil
			}
			fold, err := data.Holdout(d.Len(), o.Share, o.Seed)
			return fold, fmt.Sprintf("drawn by seed %d; the classes of %q are too small to keep their shares", o.Seed, d.Target),
				err
		}
	}
	fold, err := data.Holdout(d.Len(), o.Share, o.Seed)
	return fold, fmt.Sprintf("drawn by seed %d", o.Seed), err
}

// grouped takes whole groups, as near to the share as folds of equal size come.
func (o *splitOptions) grouped(d *data.Dataset) (data.Fold, string, error) {
	if !(o.Share > 0 && o.Share <= 0.5) {
		return data.Fold{}, "", usage("--test: %g of the groups; give a share of at most 0.5", o.Share)
	}
	c, err := d.Column(o.Groups)
	if err != nil {
		return data.Fold{}, "", err
	}
	codes, groups := codesOf(c)
	folds, err := data.Grouped(codes, int(math.Round(1/o.Share)), o.Seed)
	if err != nil {
		return data.Fold{}, "", err
	}
	how := fmt.Sprintf("drawn by seed %d; none of the %d groups of %q is in both files", o.Seed, groups, o.Groups)
	if gaps := c.Missing(); gaps > 0 {
		how += fmt.Sprintf("; %s without one, taken for one group", plural(gaps, "row"))
	}
	return folds[0], how, nil
}

// codesOf numbers the different values of a column; missing ones are one value.
func codesOf(c *data.Column) (codes []int, different int) {
	number := map[string]int{}
	for i := range c.Len() {
		v := c.String(i)
		if _, ok := number[v]; !ok {
			number[v] = len(number)
		}
		codes = append(codes, number[v])
	}
	return codes, len(number)
}

// orderOf is a column of numbers or times as numbers.
func orderOf(d *data.Dataset, name string) ([]float64, error) {
	c, err := d.Column(name)
	if err != nil {
		return nil, err
	}
	at := make([]float64, c.Len())
	for i := range at {
		switch {
		case c.Kind != data.Numeric && c.Kind != data.Time:
			return nil, usage("--order: column %q is %s; give one of numbers or times", name, c.Kind)
		case c.IsMissing(i):
			return nil, usage("--order: column %q has no value in row %d; fill it in or drop the row", name, i+1)
		case c.Kind == data.Time:
			at[i] = float64(c.Micros[i])
		default:
			at[i] = c.Numbers[i]
		}
	}
	return at, nil
}

// baseName is the name of a file without folder and endings; standard input is called data.
func baseName(path string) string {
	if path == "-" {
		return "data"
	}
	name := filepath.Base(path)
	for range 2 { // houses.csv.gz
		if ext := filepath.Ext(name); ext != "" && ext != name {
			name = strings.TrimSuffix(name, ext)
		}
	}
	return name
}

// writerOf writes a data set in a format.
func writerOf(d *data.Dataset, to load.Format, bytes int64) (func(w io.Writer) error, error) {
	switch to {
	case "csv":
		return func(w io.Writer) error { return writeTable(w, d, ',') }, nil
	case "tsv":
		return func(w io.Writer) error { return writeTable(w, d, '\t') }, nil
	case "libsvm":
		return func(w io.Writer) error { return writeLIBSVM(w, d) }, nil
	case "jsonl":
		return func(w io.Writer) error { return writeJSONL(w, d) }, nil
	case "npy":
		return func(w io.Writer) error { return writeNPY(w, d, bytes) }, nil
	}
	return nil, usage("--to: %q cannot be written; give csv, tsv, libsvm, jsonl or npy", to)
}
