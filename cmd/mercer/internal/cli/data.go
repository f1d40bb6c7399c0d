package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/progress"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/internal/format/npy"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/spf13/cobra"
)

type dataOptions struct {
	Data, Target, Convert, To, As string
	Input                         inputOptions
	JSON                          bool
	plotOptions
	Seed uint64
}

func newData(a *App) *cobra.Command {
	o := &dataOptions{}
	cmd := &cobra.Command{
		Use:   "data [DATA]",
		Short: "Describe, draw or convert a data set; list the built-in ones",
		Example: `  mercer data
  mercer data houses.csv --target price
  mercer data iris --plot iris.png
  mercer data iris --convert iris.csv
  mercer data train.csv --convert train.libsvm
  mercer data new.csv --as model.mercer --convert new.libsvm`,
		Args: dataArgs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && (o.Plot != "" || o.Convert != "") {
				return usage("name the data to draw or convert, as in mercer data iris")
			}
			if len(args) == 0 {
				return a.builtins(o)
			}
			o.Data = args[0]
			return a.data(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Target, "target", "", "column to predict; default: the last, where it can be one")
	f.StringVar(&o.Convert, "convert", "", "file to write the data to (- for standard output)")
	mayStream(f, "convert")
	f.StringVar(&o.To, "to", "", "format to write: csv, tsv, libsvm, jsonl or npy; default: from the name")
	f.StringVar(&o.As, "as", "", "model file: show or write the rows as its encoder sees them, scaled and coded")
	o.plotFlags(f, "the rows, coloured by the target")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of generated sets")
	f.BoolVar(&o.JSON, "json", false, "write JSON")
	o.Input.flags(f)
	return cmd
}

func (a *App) builtins(o *dataOptions) error {
	sets := data.Builtins()
	if o.JSON {
		enc := json.NewEncoder(a.Out)
		enc.SetIndent("", " ")
		list := []map[string]any{}
		for _, b := range sets {
			list = append(list, map[string]any{"name": b.Name, "task": b.Task.String(), "description": b.Description,
				"generated": b.Generated})
		}
		return enc.Encode(list)
	}
	columns := progress.Width(a.Out)
	for _, b := range sets {
		if err := writeBroken(a.Out, fmt.Sprintf("%-14s %s:", b.Name, b.Task), b.Description, 15, columns); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) data(ctx context.Context, o *dataOptions) error {
	taken := jsonOutput(o.JSON)
	if o.Convert == "-" {
		taken = "--convert -"
	}
	if err := o.checkPlot(taken); err != nil {
		return err
	}
	in, err := o.Input.options(a)
	if err != nil {
		return err
	}
	in.Target, in.Seed = o.Target, o.Seed
	if o.As != "" {
		return a.dataAs(ctx, o, in)
	}
	d, err := a.read(ctx, o.Data, in)
	if err != nil && o.Target == "" && o.Data != "-" && ctx.Err() == nil {
		// Sequences, say, need no target to be described.
		in.NoTarget = true
		if without, again := a.read(ctx, o.Data, in); again == nil {
			d, err = without, nil
		}
	}
	if err != nil {
		return err
	}
	return a.showData(ctx, d, o)
}

// showData draws, writes or describes a data set.
func (a *App) showData(ctx context.Context, d *data.Dataset, o *dataOptions) error {
	if o.Plot != "" {
		f, err := dataFigure(ctx, d)
		if err != nil {
			return err
		}
		for _, c := range d.Features() {
			if c.Kind.Object() && c.Kind != data.Text {
				fmt.Fprintf(a.Err,
					"warning: column %q is %s and is not in the picture, which is of numbers (mercer pca %s --plot compares it)\n",
					c.Name, withArticle(c.Kind), shellWord(d.Name))
			}
		}
		if err := a.writePlot(f, &o.plotOptions, titleName(d.Name)+": "+plural(d.Len(), "row")); err != nil {
			return err
		}
	}
	if o.Convert != "" {
		return a.convert(d, o)
	}
	if o.JSON {
		enc := json.NewEncoder(a.Out)
		enc.SetIndent("", " ")
		columns := []columnFacts{}
		for i := range d.Columns {
			columns = append(columns, factsOf(&d.Columns[i], d.Target))
		}
		out := map[string]any{"name": d.Name, "rows": d.Len(), "target": d.Target, "sha256": d.Hash, "columns": columns,
			"warnings": append([]string{}, dataWarnings(d)...)}
		if d.Sparse != nil {
			out["sparse_features"] = d.Sparse.Dim()
		}
		return enc.Encode(out)
	}
	columns := progress.Width(a.Out)
	_ = writeBroken(a.Out, "", d.Summary(), 2, columns)
	if d.Sparse != nil {
		fmt.Fprintf(a.Out, "  %s sparse features, %s values\n", phrase.Thousands(d.Sparse.Dim()),
			phrase.Thousands(len(d.Sparse.CSR().Value)))
	}
	shown, _, rest := columnLines(d, terminalColumns)
	name, kind := 0, 0 // as wide as they are: the values follow
	for _, c := range shown {
		name, kind = max(name, min(20, utf8.RuneCountInString(c.Name))), max(kind, len(c.Kind))
	}
	for _, c := range shown {
		missing := ""
		if c.Missing != "" {
			if missing = c.Missing + " missing"; c.Range != "" {
				missing = ", " + missing
			}
		}
		shown := c.Name
		if utf8.RuneCountInString(shown) > name { // the others stay where they are
			fmt.Fprintf(a.Out, "  %s\n", shown)
			shown = ""
		}
		_ = writeBroken(a.Out, fmt.Sprintf("  %-*s  %-*s ", name, shown, kind, c.Kind), c.Range+missing, name+kind+6, columns)
		if c.Read != "" {
			read := fmt.Sprintf("%s (otherwise: %s)", c.Read, c.Overrule)
			_ = writeBroken(a.Out, fmt.Sprintf("  %-*s   ", name, ""), read, name+6, columns)
		}
	}
	if rest != "" {
		_ = writeBroken(a.Out, "  …", rest, 4, columns)
	}
	if d.Target != "" {
		if target, err := d.Column(d.Target); err == nil {
			if task, why, err := data.InferTask(target); err == nil {
				_ = writeBroken(a.Out, "", fmt.Sprintf("task: %s (%s)", task, why), 2, columns)
				if text := otherTask(target, task); text != "" {
					_ = writeBroken(a.Out, "", text, 2, columns)
				}
			}
		}
	}
	tellWarnings(a.Out, columns, dataWarnings(d))
	_, err := fmt.Fprintln(a.Out,
		"to read a column otherwise: --type NAME=KIND; to leave it out: --ignore NAME\n  (see: mercer help formats)")
	return err
}

// format is what the data are written as.
func (o *dataOptions) format() load.Format {
	switch {
	case o.To != "":
		return load.Format(o.To)
	case o.Convert == "-":
		return load.Format("csv")
	}
	return load.Detect(o.Convert, nil)
}

// convert writes the data set in another format.
func (a *App) convert(d *data.Dataset, o *dataOptions) error {
	bytes, err := o.Input.bytes()
	if err != nil {
		return err
	}
	write, err := writerOf(d, o.format(), bytes)
	if err != nil {
		return err
	}
	if o.Convert == "-" {
		return write(a.Out)
	}
	if err := files.WriteAtomic(o.Convert, write); err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "wrote %s: %s rows\n", o.Convert, phrase.Thousands(d.Len()))
	return nil
}

func writeTable(w io.Writer, d *data.Dataset, delimiter byte) error {
	if d.Sparse != nil {
		dense, err := spelledOut(d)
		if err != nil {
			return err
		}
		d = dense
	}
	out := csvio.NewWriter(w, delimiter)
	if err := out.Write(d); err != nil {
		return err
	}
	return out.Flush()
}

// spelledOut gives every sparse feature a column, where there are few enough.
func spelledOut(d *data.Dataset) (*data.Dataset, error) {
	const most = 10000
	dim := d.Sparse.Dim()
	if dim > most {
		return nil, usage("%s: %s sparse features are too many columns; write LIBSVM", d.Name, phrase.Thousands(dim))
	}
	columns := make([][]float64, dim)
	for j := range columns {
		columns[j] = make([]float64, d.Len())
	}
	for i := range d.Len() {
		v := d.Sparse.At(i)
		for a, j := range v.Index {
			columns[j][i] = v.Value[a]
		}
	}
	out := &data.Dataset{Name: d.Name, Target: d.Target}
	for j, c := range columns {
		out.Columns = append(out.Columns, data.NumberColumn(fmt.Sprintf("f%d", j+1), c))
	}
	out.Columns = append(out.Columns, d.Columns...)
	return out, nil
}

// encoded is the data set as numbers, unscaled, with the target.
func encoded(d *data.Dataset) (*data.Encoded, error) {
	if err := keepsDigits(d); err != nil {
		return nil, err
	}
	e, err := data.FitEncoder(d, data.EncoderOptions{Scaling: "none", Text: "tfidf"})
	if err != nil {
		return nil, inputError(err)
	}
	if d.Target == "" {
		return e.Transform(d)
	}
	x, err := e.TransformLabelled(d)
	return x, inputError(err)
}

// keepsDigits refuses whole numbers that a format of float64 would make others of, and of two
// classes or ids perhaps one.
func keepsDigits(d *data.Dataset) error {
	for i := range d.Columns {
		c := d.Columns[i]
		if n, err := c.As(data.Numeric); err == nil && c.Kind == data.Categorical && c.Name == d.Target {
			c = n
		}
		if rows := slices.Sorted(maps.Keys(c.Digits)); len(rows) > 0 {
			return usage("%s: column %q has whole numbers beyond 2^53, such as %s, which the format would round\n  write csv, "+
				"tsv or jsonl, which keep their digits, or leave the column out (--ignore %s)", d.Name, c.Name, c.Digits[rows[0]],
				shellWord(c.Name))
		}
	}
	return nil
}

func writeLIBSVM(w io.Writer, d *data.Dataset) error {
	x, err := encoded(d)
	if err != nil {
		return err
	}
	label := x.Target
	if label == nil {
		label = make([]float64, x.Len())
	} else if t, err := d.Column(d.Target); err == nil {
		// Classes that are numbers keep them.
		if n, err := t.As(data.Numeric); err == nil {
			label = n.Gather(x.Kept).Numbers
		}
	}
	if x.Sparse != nil {
		return libsvm.Write(w, *x.Sparse, label, nil)
	}
	return libsvm.Write(w, libsvm.ToSparse(x.Dense), label, nil)
}

func writeJSONL(w io.Writer, d *data.Dataset) error {
	if d.Sparse != nil {
		dense, err := spelledOut(d)
		if err != nil {
			return err
		}
		d = dense
	}
	var b strings.Builder
	for i := range d.Len() {
		b.Reset()
		b.WriteByte('{')
		for j := range d.Columns {
			c := &d.Columns[j]
			if j > 0 {
				b.WriteByte(',')
			}
			name, err := json.Marshal(c.Name)
			if err != nil {
				return err
			}
			b.Write(name)
			b.WriteByte(':')
			switch {
			case c.IsMissing(i):
				b.WriteString("null")
			case c.Kind == data.Numeric && c.Notation != nil && c.Notation.Width > 0: // zeros before a number are no JSON
				b.WriteString(strconv.Quote(c.String(i)))
			case c.Kind == data.Numeric:
				b.WriteString(c.String(i))
			case c.Kind == data.Boolean && c.Codes[i] < 2:
				b.WriteString(strconv.FormatBool(c.Codes[i] == 1))
			case (c.Kind == data.Sequence || c.Kind == data.Bag) && c.Channels > 1:
				b.WriteString(c.String(i))
			case c.Kind == data.Sequence || c.Kind == data.Bag:
				b.WriteString("[" + c.String(i) + "]")
			default:
				text, err := json.Marshal(c.String(i))
				if err != nil {
					return err
				}
				b.Write(text)
			}
		}
		b.WriteString("}\n")
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// writeNPY writes the features and, as the last column, the target.
func writeNPY(w io.Writer, d *data.Dataset, bytes int64) error {
	x, err := encoded(d)
	if err != nil {
		return err
	}
	rows, err := x.AsDenseWithin(d.Name, bytes)
	if err != nil {
		return inputError(err)
	}
	width := rows.Dim()
	if x.Target != nil {
		width++
	}
	out, err := npy.NewWriter(w, rows.Len(), width)
	if err != nil {
		return err
	}
	for i := range rows.Len() {
		row := append([]float64(nil), rows.At(i)...)
		if x.Target != nil {
			row = append(row, x.Target[i])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return out.Close()
}
