package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/spf13/cobra"
)

type smoothOptions struct {
	exploreOptions
	Data, X, Target, Method string
	Bandwidth, Span, Level  float64
	Rule                    string
	Degree, Robust          int
	Components              int
}

func newSmooth(a *App) *cobra.Command {
	o := &smoothOptions{}
	cmd := &cobra.Command{
		Use:   "smooth DATA",
		Short: "Smooth a column over others: kernel or local regression",
		Long: `Draw a smooth curve through one column as a function of others.

  nw       Nadaraya–Watson kernel regression, bandwidth by leave-one-out
           cross-validation; the band holds the given share of observations
  local    local polynomials (LOWESS with --robust 3); the band is a pointwise
           confidence interval of the curve
  mixture  a Gaussian mixture of inputs and target together, conditioned on the
           inputs; without --components the number with the lowest BIC, up to 9;
           the band holds the given share of observations

Everything is in the units of the columns.`,
		Example: `  mercer smooth mcycle --plot curve.png
  mercer smooth mcycle --method local --span 0.3 --robust 3 -o curve.csv
  mercer smooth houses.csv --x rooms,age --target price --bandwidth 2
  mercer smooth mcycle --save curve.mercer`,
		Args: dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Data = args[0]
			return a.smooth(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.X, "x", "", "input columns; default: all numeric ones but the target")
	f.StringVar(&o.Target, "target", "", "column to smooth; default: the last")
	f.StringVar(&o.Method, "method", "nw", "nw, local or mixture")
	f.StringVar(&o.Kernel, "kernel", "", "smoothing kernel: "+smootherNames()+"; default: gaussian, local: tricube")
	f.StringVar(&o.Rule, "rule", "cv",
		"how the bandwidth of nw is found: cv, by leave-one-out; or robust, (4/3n)^(1/5) times 1.4826 MAD, of inputs and "+
			"targets together")
	f.Float64Var(&o.Bandwidth, "bandwidth", 0, "bandwidth in every input; default: by cross-validation, local: by --span")
	f.Float64Var(&o.Span, "span", 0.5, "local: share of the rows that each fit sees")
	f.IntVar(&o.Degree, "degree", 1, "local: degree of the polynomials, 0 to 4")
	f.IntVar(&o.Robust, "robust", 0, "local: rounds that play down outliers (LOWESS: 3)")
	f.IntVar(&o.Components, "components", 0, "mixture: how many Gaussians; default: by BIC")
	f.Float64Var(&o.Level, "level", 0.95, "level of the band")
	o.flags(cmd, "every row with its smoothed value and band", "the curve, or of the surface over two inputs")
	o.saveFlag(cmd, "the curve")
	return cmd
}

func smootherNames() string {
	var names []string
	for _, s := range density.Smoothers() {
		names = append(names, s.String())
	}
	return strings.Join(names, ", ")
}

func (o *exploreOptions) smoother(standard density.Smoother) (density.Smoother, error) {
	if o.Kernel == "" {
		return standard, nil
	}
	s, err := density.ParseSmoother(o.Kernel)
	if err != nil {
		return 0, usage("--kernel: %q is no smoothing kernel; give one of %s", o.Kernel, smootherNames())
	}
	return s, nil
}

// passedOver names the columns that a verb of numbers does not look at, where nobody chose columns:
// all but those in use and the label, a last column of classes, which no verb takes for a feature.
func (a *App) passedOver(d *data.Dataset, used []string, why string, o *exploreOptions) {
	for i := range d.Columns {
		c := &d.Columns[i]
		if slices.Contains(used, c.Name) {
			continue
		}
		if c.Name == d.Target {
			if task, _, err := data.InferTask(c); err == nil && task.Classification() {
				continue
			}
		}
		a.warn(o, fmt.Sprintf("column %q is %s and is left out: %s", c.Name, withArticle(c.Kind), why))
	}
}

// numericColumns is the columns named, which have to be numbers, or all that
// are; rows with missing values are refused or dropped.
func numericColumns(
	d *data.Dataset, flag string, names []string, except []string, o *exploreOptions,
) ([]string, error) {
	names, err := columnNames(d, flag, names)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		for _, c := range d.Columns {
			if c.Kind == data.Numeric && !slices.Contains(except, c.Name) {
				names = append(names, c.Name)
			}
		}
		if len(names) == 0 {
			return nil, usage("%s: no numeric columns (found: %s)", d.Name, strings.Join(d.Names(), ", "))
		}
	}
	for _, n := range names {
		if c, err := d.Column(n); err == nil && c.Kind != data.Numeric {
			return nil, usage("%s: column %q is %s; a smoother needs numbers: choose other columns with --%s, or set "+
				"--type %s=numeric", d.Name, n, c.Kind, flag, n)
		}
	}
	return names, nil
}

// plainTable is columns as they are, in their own units.
func plainTable(d *data.Dataset, columns []string, o *exploreOptions) (*table, error) {
	plain := *o
	plain.Encoding.Scaling = "none"
	if plain.Encoding.Missing == "indicator" {
		plain.Encoding.Missing = "mean"
	}
	if d.Sparse != nil {
		return nil, usage("%s: a LIBSVM file has no named columns; convert it with: mercer data %s --convert FILE.csv",
			d.Name, d.Name)
	}
	t := &table{Name: d.Name, Data: d}
	return t, t.encode(columns, &plain, "", "")
}

func (a *App) smooth(ctx context.Context, o *smoothOptions) error {
	if err := o.checkSmooth(); err != nil {
		return err
	}
	d, err := a.loadData(ctx, o.Data, &o.exploreOptions)
	if err != nil {
		return err
	}
	if o.Target == "" && len(d.Columns) > 0 {
		o.Target = d.Columns[len(d.Columns)-1].Name
	}
	target, err := numericColumns(d, "target", []string{o.Target}, nil, &o.exploreOptions)
	if err != nil {
		return err
	}
	inputs, err := numericColumns(d, "x", splitColumns(o.X), target, &o.exploreOptions)
	if err != nil {
		return err
	}
	if slices.Contains(inputs, o.Target) {
		return usage("--x: column %q is the target", o.Target)
	}
	if o.X == "" {
		if len(inputs) > 1 { // the only input may well be the order of the rows
			a.doubt(d, inputs, &o.exploreOptions)
		}
		a.passedOver(d, append(slices.Clone(inputs), o.Target), "a curve goes over numbers", &o.exploreOptions)
	}
	t, err := plainTable(d, append(slices.Clone(inputs), o.Target), &o.exploreOptions)
	if err != nil {
		return err
	}
	n, p := t.Rows.Len(), len(inputs)
	m, y := linalg.New[float64](n, p), make([]float64, n)
	for i := range n {
		copy(m.Row(i), t.Rows.At(i)[:p])
		y[i] = t.Rows.At(i)[p]
	}
	x := data.RowsOf(m)
	done := a.busy(&o.exploreOptions, "smoothing")
	c, err := o.fit(ctx, x, y)
	if err != nil {
		done()
		return lookError(t.Name, inColumns(err, inputs))
	}
	var fitted, low, high []float64
	if o.Output != "" || o.Plot != "" && p > 2 { // it may take as long as the fit
		fitted, low, high, err = c.at(ctx, x)
	}
	done()
	for _, w := range c.warnings {
		a.warn(&o.exploreOptions, w)
	}
	if err != nil {
		return lookError(t.Name, err)
	}
	if o.Plot != "" {
		f, err := o.figure(ctx, c, inputs, x, y, fitted)
		if err != nil {
			return lookError(t.Name, err)
		}
		if err := a.writePlot(f, &o.plotOptions, plot.AxisName(o.Target)+" by "+namesOf(inputs)+" ("+titleName(t.Name)+
			")"); err != nil {
			return err
		}
	}
	if o.Output != "" {
		columns := t.Data.Gather(t.Kept).Columns
		if err := a.writeColumns(o.Output, append(columns, data.NumberColumn("smooth", fitted), data.NumberColumn("low", low),
			data.NumberColumn("high", high))...); err != nil {
			return err
		}
	}
	if err := a.saveCurve(o, t, inputs, c); err != nil {
		return err
	}
	if o.JSON {
		c.facts["data"], c.facts["rows"], c.facts["x"], c.facts["target"] = t.Name, n, inputs, o.Target
		return a.outcome(c.facts)
	}
	w := a.say(&o.exploreOptions)
	fmt.Fprintf(w, "%s of %s over %s in %s: %s\n", map[string]string{"nw": "kernel regression",
		"local": "local regression", "mixture": "mixture regression"}[o.Method], o.Target, strings.Join(inputs, ", "), t.Name,
		plural(n, "row"))
	fmt.Fprintln(w, c.about)
	a.tellWritten(&o.exploreOptions)
	return nil
}

func (o *smoothOptions) checkSmooth() error {
	if !slices.Contains([]string{"nw", "local", "mixture"}, o.Method) {
		return usage("--method: %q; give nw, local or mixture", o.Method)
	}
	if o.Components < 0 {
		return usage("--components: %d; give 1 or more", o.Components)
	}
	switch {
	case o.Rule != "cv" && o.Rule != "robust":
		return usage("--rule: %q%s; give cv or robust", o.Rule, meant(o.Rule, []string{"cv", "robust"}))
	case o.Rule == "robust" && (o.Method != "nw" || o.Bandwidth != 0):
		return usage("--rule robust: it finds the bandwidth of --method nw; leave --bandwidth out")
	}
	if o.Bandwidth < 0 || math.IsNaN(o.Bandwidth) || math.IsInf(o.Bandwidth, 0) {
		return usage("--bandwidth: %g; give a positive number", o.Bandwidth)
	}
	if !(o.Span > 0 && o.Span <= 1) {
		return usage("--span: %g; give a share of the rows, above 0 and up to 1", o.Span)
	}
	if !(o.Level > 0 && o.Level < 1) {
		return usage("--level: %g; give a share between 0 and 1", o.Level)
	}
	if o.Degree < 0 || o.Degree > 4 {
		return usage("--degree: %d; give 0 to 4", o.Degree)
	}
	if o.Robust < 0 {
		return usage("--robust: %d; give 0 or more", o.Robust)
	}
	return o.check()
}

func numbers(v []float64) string {
	parts := make([]string, len(v))
	for i := range v {
		parts[i] = fourDigits(v[i])
	}
	return strings.Join(parts, ", ")
}

// figure is the curve over one input, the surface over two, and the smoothed
// against the observed values over more.
func (o *smoothOptions) figure(
	ctx context.Context, c *curve, inputs []string, x data.DenseRows, y, fitted []float64,
) (*plot.Figure, error) {
	column := func(j int) []float64 {
		out := make([]float64, x.Len())
		for i := range out {
			out[i] = x.At(i)[j]
		}
		return out
	}
	switch len(inputs) {
	case 1:
		px := column(0)
		low, high := slices.Min(px), slices.Max(px)
		m := linalg.New[float64](300, 1)
		xs := make([]float64, m.Rows)
		for i := range xs {
			xs[i] = low + (high-low)*float64(i)/float64(len(xs)-1)
			m.Set(i, 0, xs[i])
		}
		s := plot.Series{X: xs, Name: "smooth " + o.Target, Band: fmt.Sprintf("%g%% of observations", 100*o.Level)}
		if o.Method == "local" {
			s.Band = fmt.Sprintf("%g%% confidence of the curve", 100*o.Level)
		}
		var err error
		if s.Y, s.Low, s.High, err = c.at(ctx, data.RowsOf(m)); err != nil {
			return nil, err
		}
		blankGaps(&s, px)
		return plot.FitCurve(inputs[0], o.Target, px, y, s)
	case 2:
		px, py := column(0), column(1)
		xs, ys := axisOver(px, 50), axisOver(py, 50)
		values := make([][]float64, len(ys))
		for j := range ys {
			m := linalg.New[float64](len(xs), 2)
			for i := range xs {
				m.Set(i, 0, xs[i])
				m.Set(i, 1, ys[j])
			}
			var err error
			if values[j], _, _, err = c.at(ctx, data.RowsOf(m)); err != nil {
				return nil, err
			}
		}
		f := plot.Field{XName: inputs[0], YName: inputs[1], Alt: "smoothed " + o.Target, Xs: xs, Ys: ys, Values: values,
			Of: o.Target, Groups: []plot.Group{{X: px, Y: py}}}
		f.BlankFar(px, py)
		return f.Figure()
	}
	return plot.Predicted(y, fitted, o.Target)
}

// blankGaps takes the curve away where it says nothing: in gaps, farther from every row than a
// tenth of the axis, or three times as far as values are from the next one, whichever is more.
func blankGaps(s *plot.Series, px []float64) {
	values := slices.Clone(px)
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) < 2 {
		return
	}
	var gaps []float64
	for i := 1; i < len(values); i++ {
		gaps = append(gaps, values[i]-values[i-1])
	}
	slices.Sort(gaps)
	reach := max(0.1*(values[len(values)-1]-values[0]), 3*gaps[len(gaps)/2])
	for i, v := range s.X {
		at, _ := slices.BinarySearch(values, v)
		if at == 0 || at == len(values) { // the curve does not go beyond the rows
			continue
		}
		// no slit in a gap that is hardly one
		if low, high := values[at-1], values[at]; high-low > 3*reach && min(high-v, v-low) > reach {
			s.Y[i], s.Low[i], s.High[i] = math.NaN(), math.NaN(), math.NaN()
		}
	}
}
