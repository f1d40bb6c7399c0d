package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/trace"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// exploreOptions is what the verbs that look at data, rather than predict from
// it, have in common.
type exploreOptions struct {
	Input    inputOptions
	Encoding encodingOptions

	Kernel  string
	Repair  string
	Seed    uint64
	Threads int
	Output  string
	plotOptions
	Save        string // model file
	Quiet, JSON bool
}

func (o *exploreOptions) flags(cmd *cobra.Command, results, picture string) {
	f := cmd.Flags()
	f.Uint64Var(&o.Seed, "seed", 1, "seed of every random choice")
	f.IntVar(&o.Threads, "threads", 0, "threads; default: all cores. The result does not depend on it")
	f.StringVarP(&o.Output, "output", "o", "", "CSV file for "+results+" (- for standard output)")
	mayStream(f, "output")
	o.plotFlags(f, picture)
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "say nothing but errors")
	f.BoolVar(&o.JSON, "json", false, "progress and result as JSON")
	o.Input.flags(f)
	o.Encoding.flags(f)
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "scale" {
			name = "scaling"
		}
		return pflag.NormalizedName(name)
	})
}

func (o *exploreOptions) kernelFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Kernel, "kernel", "",
		"kernel, as in 'matern(nu=1.5)' or 'spectrum(k=3) on gene' (see: mercer kernels); default: gaussian whose "+
			"length-scale is the median distance; of strings, trees, graphs and the like, what mercer fit tries first")
	repairFlag(cmd.Flags(), &o.Repair)
}

// check refuses, before any work, what would fail at its end.
func (o *exploreOptions) check() error {
	if o.Threads < 0 {
		return usage("--threads: %d; give a positive number, or 0 for all cores", o.Threads)
	}
	if o.Output == "-" && o.JSON {
		return usage("-o - and --json both write to standard output; give a file to -o")
	}
	taken := jsonOutput(o.JSON)
	if o.Output == "-" {
		taken = "-o -"
	}
	return o.checkPlot(taken)
}

// tableOptions is what the verbs that look at the rows of one table have in common.
type tableOptions struct {
	exploreOptions
	Data, Label string
	Columns     []string
}

// columnFlags declares the flags that choose columns; classes is what the column of classes is for.
func (o *tableOptions) columnFlags(cmd *cobra.Command, classes string) {
	f := cmd.Flags()
	f.StringSliceVar(&o.Columns, "columns", nil, "columns to use; default: all but the label")
	f.StringVar(&o.Label, "label", "", "column of classes "+classes+"; none: there is none")
}

// columnNames splits the lists of a flag and checks them.
func columnNames(d *data.Dataset, flag string, names []string) ([]string, error) {
	var out []string
	for _, n := range names {
		if _, err := d.Column(n); err != nil {
			return nil, usage("--%s: %w", flag, err)
		}
		if slices.Contains(out, n) {
			return nil, usage("--%s: column %q is named twice", flag, n)
		}
		out = append(out, n)
	}
	return out, nil
}

// loadTable reads DATA. The classes of a set, if its last column has them, are no
// feature: they become the label, unless --label says otherwise ("none", or a
// column).
func (a *App) loadTable(ctx context.Context, o *tableOptions) (*table, error) {
	d, err := a.loadData(ctx, o.Data, &o.exploreOptions)
	if err != nil {
		return nil, err
	}
	t := &table{Name: d.Name, Data: d}
	switch {
	case o.Label == "none":
	case o.Label != "":
		c, err := d.Column(o.Label)
		if err != nil {
			return nil, usage("--label: %w", err)
		}
		t.Label = c
	case d.Target != "" && !slices.Contains(o.Columns, d.Target):
		c, err := d.Column(d.Target)
		if err != nil {
			return nil, inputError(err)
		}
		if task, _, err := data.InferTask(c); d.Sparse != nil || err == nil && task.Classification() {
			t.Label = c
			t.Noted = heldLabel(c.Name) + " (--label none to use it)"
		}
	}
	columns, err := columnNames(d, "columns", o.Columns)
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		for _, n := range d.Names() {
			if t.Label == nil || n != t.Label.Name {
				columns = append(columns, n)
			}
		}
		a.doubt(d, columns, &o.exploreOptions)
	}
	return t, t.encode(columns, &o.exploreOptions, "--kernel", o.Kernel)
}

// heldLabel says that a column of classes was left out.
func heldLabel(name string) string {
	return fmt.Sprintf("column %q holds classes: a label, not a feature", name)
}

// doubt warns of columns that nobody chose and a person would hardly have: numbers of rows, names,
// one value.
func (a *App) doubt(d *data.Dataset, columns []string, o *exploreOptions) {
	taken, err := subset(d, columns)
	if err != nil {
		return // who encodes them says so
	}
	for _, text := range dataWarnings(taken) {
		a.warn(o, text)
	}
}

func (a *App) loadData(ctx context.Context, path string, o *exploreOptions) (*data.Dataset, error) {
	in, err := o.Input.options(a)
	if err != nil {
		return nil, err
	}
	in.Seed = o.Seed
	return a.read(ctx, path, in)
}

// subset is the data set of some columns, none of which plays a role.
func subset(d *data.Dataset, columns []string) (*data.Dataset, error) {
	out := &data.Dataset{Name: d.Name, Hash: d.Hash, Sparse: d.Sparse}
	for _, n := range columns {
		c, err := d.Column(n)
		if err != nil {
			return nil, inputError(err)
		}
		out.Columns = append(out.Columns, *c)
		for _, j := range d.Joins {
			if j.Name == n {
				out.Joins = append(out.Joins, j)
			}
		}
	}
	if len(out.Columns) == 0 && out.Sparse == nil {
		return nil, usage("%s: no columns to look at (found: %s); choose with --columns or --label", d.Name,
			strings.Join(d.Names(), ", "))
	}
	return out, nil
}

// labelOf is the label of row i, or nothing.
func (t *table) labelOf(i int) string {
	if t.Label == nil {
		return ""
	}
	return t.Label.String(t.Kept[i])
}

// inColumns is err with the name of the column that it is about, where a library knows it by its
// number in x.
func inColumns(err error, columns []string) error {
	var of *fault.Column
	if !errors.As(err, &of) || of.Index >= len(columns) {
		return err
	}
	return fmt.Errorf("column %q %s", columns[of.Index], of.Said)
}

// lookError makes what a method says of the data the person's to mend, and
// names the file.
func lookError(name string, err error) error {
	var bad *UsageError
	if err == nil || errors.Is(err, context.Canceled) || errors.As(err, &bad) {
		return err
	}
	var wrong *data.Error
	if errors.As(err, &wrong) && wrong.File != "" {
		return inputError(err)
	}
	return usage("%s: %w", name, err)
}

// meter tells of work by its steps, of which planned are to come in all rounds
// together (0: not known).
func (a *App) meter(o *exploreOptions, verb string, planned int) (trace.Func, func()) {
	m := a.show(progress.StyleFor(a.Err, o.Quiet, o.JSON), verb)
	start := time.Now()
	last, before := 0, 0
	return func(s trace.Step) {
		if s.Iteration < last { // the next of several rounds
			before += last
		}
		last = s.Iteration
		s.Iteration += before
		elapsed := time.Since(start)
		if elapsed < time.Second {
			return
		}
		state := progress.State{Done: s.Iteration, Planned: planned, Elapsed: elapsed}
		if planned > 0 && s.Iteration > 0 {
			state.Left = time.Duration(float64(elapsed) * (float64(planned)/float64(s.Iteration) - 1))
		}
		m.Update(state)
	}, m.Clear
}

// busy tells of work that does not say how far it has come, by the time it has
// taken, until the function it returns is called.
func (a *App) busy(o *exploreOptions, verb string) func() {
	m := a.show(progress.StyleFor(a.Err, o.Quiet, o.JSON), verb)
	start := time.Now()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.Update(progress.State{Elapsed: time.Since(start)})
			case <-stop:
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		m.Clear()
	}
}

// say is where the result goes.
func (a *App) say(o *exploreOptions) io.Writer {
	if o.Quiet || o.JSON || o.Output == "-" {
		return io.Discard
	}
	return a.Out
}

func (o *exploreOptions) par() int { return o.Threads }

// writeColumns writes results as CSV.
func (a *App) writeColumns(path string, columns ...data.Column) error {
	write := func(w io.Writer) error {
		out := csvio.NewWriter(w, ',')
		if err := out.Write(&data.Dataset{Name: path, Columns: columns}); err != nil {
			return err
		}
		return out.Flush()
	}
	if path == "-" {
		return write(a.Out)
	}
	return files.WriteAtomic(path, write)
}

// outcome writes the result as JSON; numbers that JSON does not have are null.
func (a *App) outcome(v map[string]any) error {
	for key, x := range v {
		if f, ok := x.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			v[key] = nil
		}
	}
	if len(a.warnings) > 0 {
		said, _ := v["warnings"].([]string)
		v["warnings"] = append(said, a.warnings...)
	}
	enc := json.NewEncoder(a.Out)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}

// tellWritten says where results went.
func (a *App) tellWritten(o *exploreOptions, more ...string) {
	for _, path := range append([]string{o.Output, o.Plot, o.Save}, more...) {
		if path != "" && path != "-" {
			fmt.Fprintln(a.say(o), "wrote", path)
		}
	}
}

// plural is "1 column", "6 columns".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return phrase.Thousands(n) + " " + what + "s"
}

// pText writes a p-value as a paper would.
func pText(p float64) string {
	if p < 1e-4 {
		return strconv.FormatFloat(p, 'e', 1, 64)
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}

// fourDigits writes a number in four digits.
func fourDigits(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
