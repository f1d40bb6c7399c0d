package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
	gonumstat "gonum.org/v1/gonum/stat"
)

type densityOptions struct {
	exploreOptions
	Data, At, Method, Rule string
	Columns, Support       []string
	Bandwidth, Adaptive    float64
	Components, Near       int
	Sample                 int
	Grid, Full             bool
	Device                 deviceOption
	device                 *gram.Device
}

func newDensity(a *App) *cobra.Command {
	o := &densityOptions{}
	cmd := &cobra.Command{
		Use:   "density DATA",
		Short: "Estimate a density: kernels, neighbours or a mixture",
		Long: `Estimate the density that rows were drawn from, in the units of the columns.

  kde      kernel density estimate
  knn      nearest neighbours
  mixture  Gaussian mixture by EM; without --components the number with the
           lowest BIC, up to 9`,
		Example: `  mercer density faithful --columns waiting --rule sheather-jones --plot w.png
  mercer density faithful --plot plane.png -o density.csv
  mercer density pay.csv --columns pay --support pay=0: --kernel epanechnikov
  mercer density faithful --method mixture
  mercer density faithful --full --sample 1000 -o drawn.csv
  mercer density faithful --save density.mercer`,
		Args: dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Data = args[0]
			return a.density(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.Columns, "columns", nil, "columns; default: all numeric ones")
	f.StringVar(&o.Method, "method", "kde", "kde, knn or mixture")
	f.StringVar(&o.Kernel, "kernel", "", "kde: "+smootherNames()+"; default: gaussian")
	f.StringVar(&o.Rule, "rule", "silverman", "kde: bandwidth rule: "+strings.Join(ruleNames(), ", "))
	f.Float64Var(&o.Bandwidth, "bandwidth", 0, "kde: the same bandwidth in every column; default: by --rule")
	f.BoolVar(&o.Full, "full", false,
		"kde: a full bandwidth matrix, the covariance of the columns times the square of Scott's factor")
	f.Float64Var(&o.Adaptive, "adaptive", 0, "kde: widen kernels where rows are rare (Abramson's exponent, usually 0.5)")
	f.StringArrayVar(&o.Support, "support", nil, "kde: bounds of a column, as in income=0: or share=0:1; repeatable")
	f.IntVar(&o.Near, "neighbours", 0, "knn: how many; default: the root of the number of rows")
	f.IntVar(&o.Components, "components", 0, "mixture: how many; default: by BIC")
	f.StringVar(&o.At, "at", "", "data set at whose rows the density is written, in place of DATA's own")
	f.BoolVar(&o.Grid, "grid", false, "write the density on a grid (one or two columns)")
	f.IntVar(&o.Sample, "sample", 0, "kde: write this many new rows drawn from the density, in place of the density")
	o.Device.flag(f)
	o.flags(cmd, "the density at every row", "the density (one or two columns)")
	o.saveFlag(cmd, "the density, with how rare rows look that it was not fitted to")
	return cmd
}

var rules = []struct {
	name string
	rule density.BandwidthRule
}{
	{"silverman", density.SilvermanRule}, {"scott", density.ScottRule}, {"robust", density.RobustRule},
	{"sheather-jones", density.SheatherJonesRule}, {"likelihood", density.LikelihoodRule},
	{"least-squares", density.LeastSquaresRule},
}

func ruleNames() []string {
	out := make([]string, len(rules))
	for i, r := range rules {
		out[i] = r.name
	}
	return out
}

// estimate is a fitted density.
type estimate struct {
	draw  func(ctx context.Context, n int) (*mat.Dense, error) // nil: it cannot
	log   func(ctx context.Context, x data.Points[[]float64]) ([]float64, error)
	about []string
	facts map[string]any

	fitted rkhs.Plainer[kernel.Vec]
	// to other rows, with the settings that were found
	again func(ctx context.Context, x data.Points[[]float64]) (density.Estimate, error)
}

func (a *App) density(ctx context.Context, o *densityOptions) error {
	if err := o.checkDensity(); err != nil {
		return err
	}
	d, err := a.loadData(ctx, o.Data, &o.exploreOptions)
	if err != nil {
		return err
	}
	if err := refuseDensity(d, o.Columns); err != nil {
		return err
	}
	columns, err := numericColumns(d, "columns", o.Columns, nil, &o.exploreOptions)
	if err != nil {
		return err
	}
	if len(o.Columns) == 0 {
		a.doubt(d, columns, &o.exploreOptions)
		a.passedOver(d, columns, "a density is one of numbers", &o.exploreOptions)
	}
	if len(columns) > 2 && (o.Plot != "" || o.Grid) {
		return usage("--plot and --grid are for one or two columns, and there are %d; choose with --columns (found: %s)",
			len(columns), strings.Join(columns, ", "))
	}
	t, err := plainTable(d, columns, &o.exploreOptions)
	if err != nil {
		return err
	}
	for j, name := range columns {
		if text := lumps(t.Rows, j, name); text != "" {
			a.warn(&o.exploreOptions, text)
		}
	}
	if o.device, err = o.Device.open(t.Rows.Len()); err != nil {
		return err
	}
	defer func() { _ = o.device.Close() }()
	e, err := o.estimate(ctx, a, t, columns)
	if err != nil {
		return lookError(t.Name, inColumns(err, columns))
	}
	if o.Plot != "" {
		f, err := densityFigure(ctx, t, columns, e)
		if err != nil {
			return lookError(t.Name, err)
		}
		if err := a.writePlot(f, &o.plotOptions, "Density of "+namesOf(columns)+" ("+titleName(t.Name)+")"); err != nil {
			return err
		}
	}
	if o.Output != "" {
		if err := a.writeDensity(ctx, o, t, columns, e); err != nil {
			return err
		}
	}
	if err := a.saveDensity(ctx, o, t, e); err != nil {
		return lookError(t.Name, err)
	}
	for _, n := range o.device.Notes() {
		a.warn(&o.exploreOptions, n)
	}
	if o.JSON {
		e.facts["data"], e.facts["rows"], e.facts["columns"], e.facts["method"] = t.Name, t.Rows.Len(), columns, o.Method
		return a.outcome(e.facts)
	}
	w := a.say(&o.exploreOptions)
	what := map[string]string{"kde": "kernel density", "knn": "nearest-neighbour density",
		"mixture": "Gaussian mixture"}[o.Method]
	fmt.Fprintf(w, "%s of %s in %s: %s\n", what, strings.Join(columns, ", "), t.Name, plural(t.Rows.Len(), "row"))
	for _, s := range e.about {
		fmt.Fprintln(w, s)
	}
	a.tellWritten(&o.exploreOptions)
	return nil
}

// refuseDensity refuses columns that have no density: it is the share of rows for each unit of
// volume, and objects have no volume to count by. Where no column is named, one of numbers will do.
func refuseDensity(d *data.Dataset, named []string) error {
	var object *data.Column
	for i := range d.Columns {
		c := &d.Columns[i]
		if len(named) == 0 && c.Kind == data.Numeric {
			return nil
		}
		if c.Kind.Object() && (len(named) == 0 || slices.Contains(named, c.Name)) && object == nil {
			object = c
		}
	}
	if object == nil {
		return nil
	}
	return usage("%s: column %q is %s, which has no density: that is a share of rows for each unit of volume, and there "+
		"is no volume but of numbers; which rows are unusual says mercer fit %s --task novelty",
		d.Name, object.Name, withArticle(object.Kind), shellWord(d.Name))
}

// lumps says where a column has no density to estimate: a value that many rows share is a lump,
// whose height is what the bandwidth makes of it.
func lumps(rows data.Points[[]float64], j int, name string) string {
	const few, share = 12, 4 // values in all; one row in so many has the commonest
	count := map[float64]int{}
	n := rows.Len()
	for i := range n {
		count[rows.At(i)[j]]++
	}
	common, most := 0.0, 0
	for v, c := range count {
		if c > most || c == most && v < common {
			common, most = v, c
		}
	}
	if most < 5 || len(count) == 1 || most*share < n && len(count) > few {
		return ""
	}
	return fmt.Sprintf("column %q has %d different values in %s, %s in %s of them: it comes in lumps, and how high the "+
		"density is there the method decides, not the rows", name, len(count), plural(n, "row"), number(common),
		phrase.Thousands(most))
}

func (o *densityOptions) checkDensity() error {
	if !slices.Contains([]string{"kde", "knn", "mixture"}, o.Method) {
		return usage("--method: %q; give kde, knn or mixture", o.Method)
	}
	if !slices.Contains(ruleNames(), o.Rule) {
		return usage("--rule: %q%s; give %s", o.Rule, meant(o.Rule, ruleNames()), strings.Join(ruleNames(), ", "))
	}
	if o.Bandwidth < 0 || math.IsNaN(o.Bandwidth) || math.IsInf(o.Bandwidth, 0) {
		return usage("--bandwidth: %g; give a positive number", o.Bandwidth)
	}
	if o.Components < 0 || o.Near < 0 || o.Adaptive < 0 || o.Adaptive > 1 {
		return usage("--components and --neighbours: give 1 or more; --adaptive: give 0 to 1")
	}
	if o.Method != "kde" && (o.Full || o.Sample != 0) {
		return usage("--full and --sample work with --method kde, not %s", o.Method)
	}
	if o.Full && o.Bandwidth > 0 {
		return usage("--full and --bandwidth both set the bandwidth; give one")
	}
	if o.Sample < 0 {
		return usage("--sample: %d; give 1 or more", o.Sample)
	}
	if o.Sample > 0 && (o.Output == "" || o.Grid || o.At != "") {
		return usage("--sample writes drawn rows to -o FILE; give it, and neither --grid nor --at")
	}
	if o.Grid && o.At != "" {
		return usage("--grid and --at both say where; give one")
	}
	return o.check()
}

// scottMatrix is the columns' covariance times n^{-2/(d+4)} (Scott 1992).
func scottMatrix(t *table) *mat.SymDense {
	n, d := t.Rows.Len(), t.Enc.Dim
	var h mat.SymDense
	gonumstat.CovarianceMatrix(&h, linalg.Dense(linalg.Matrix[float64](t.Rows.RawMatrix())), nil)
	h.ScaleSym(math.Pow(float64(n), -2/float64(d+4)), &h)
	return &h
}

// bounds reads NAME=LOW:HIGH, either end of which may be left out.
func (o *densityOptions) bounds(columns []string) (lower, upper []float64, err error) {
	if len(o.Support) == 0 {
		return nil, nil, nil
	}
	for range columns {
		lower, upper = append(lower, math.Inf(-1)), append(upper, math.Inf(1))
	}
	for _, s := range o.Support {
		name, ends, _ := strings.Cut(s, "=")
		low, high, ok := strings.Cut(ends, ":")
		j := slices.Index(columns, name)
		if j < 0 {
			return nil, nil, usage("--support: no column %q%s (columns: %s)", name, meant(name, columns),
				strings.Join(columns, ", "))
		}
		read := func(text string, to *float64) {
			if text != "" && err == nil {
				*to, err = strconv.ParseFloat(text, 64)
			}
		}
		read(low, &lower[j])
		read(high, &upper[j])
		if err != nil || !ok {
			return nil, nil, usage("--support: %q; write NAME=LOW:HIGH, as in income=0:", s)
		}
	}
	return lower, upper, nil
}

// planeOf is the points of a grid over one or two columns, row by row.
func planeOf(axes ...[]float64) data.DenseRows {
	if len(axes) == 1 {
		m := linalg.New[float64](len(axes[0]), 1)
		for i, v := range axes[0] {
			m.Set(i, 0, v)
		}
		return data.RowsOf(m)
	}
	m := linalg.New[float64](len(axes[0])*len(axes[1]), 2)
	for j, y := range axes[1] {
		for i, x := range axes[0] {
			m.Set(j*len(axes[0])+i, 0, x)
			m.Set(j*len(axes[0])+i, 1, y)
		}
	}
	return data.RowsOf(m)
}

// columnValues is one column of points.
func columnValues(x data.DenseRows, j int) []float64 {
	out := make([]float64, x.Len())
	for i := range out {
		out[i] = x.At(i)[j]
	}
	return out
}

func (e *estimate) density(ctx context.Context, x data.Points[[]float64]) ([]float64, error) {
	out, err := e.log(ctx, x)
	for i, v := range out {
		out[i] = math.Exp(v)
	}
	return out, err
}

func (a *App) writeDensity(ctx context.Context, o *densityOptions, t *table, columns []string, e *estimate) error {
	if o.Sample > 0 {
		if need, has := 8*float64(o.Sample)*float64(len(columns)+1), 4*gram.DefaultBytes(); need > float64(has) {
			return usage("--sample: %d rows do not fit into this machine's %s; give fewer", o.Sample, phrase.Bytes(has))
		}
		drawn, err := e.draw(ctx, o.Sample)
		if err != nil {
			return err
		}
		var out []data.Column
		for j, n := range columns {
			out = append(out, data.NumberColumn(n, matColumn(drawn, j)))
		}
		return a.writeColumns(o.Output, out...)
	}
	x := t.Rows
	switch {
	case o.Grid && len(columns) == 1:
		x = planeOf(axisOver(columnValues(t.Rows, 0), 512))
	case o.Grid:
		x = planeOf(axisOver(columnValues(t.Rows, 0), 64), axisOver(columnValues(t.Rows, 1), 64))
	case o.At != "":
		d, err := a.loadData(ctx, o.At, &o.exploreOptions)
		if err != nil {
			return err
		}
		_, rows, err := o.Input.encode(d, t.Enc)
		if err != nil {
			return err
		}
		x = rows
	}
	done := a.busy(&o.exploreOptions, "evaluating")
	log, err := e.log(ctx, x)
	done()
	if err != nil {
		return lookError(t.Name, err)
	}
	var out []data.Column
	for j, n := range columns {
		out = append(out, data.NumberColumn(n, columnValues(x, j)))
	}
	p := make([]float64, len(log))
	for i, v := range log {
		p[i] = math.Exp(v)
	}
	return a.writeColumns(o.Output, append(out, data.NumberColumn("density", p), data.NumberColumn("log_density", log))...)
}

// densityFigure is the curve over one column; over two, shades with the lines
// that hold half and nine tenths of the rows.
func densityFigure(ctx context.Context, t *table, columns []string, e *estimate) (*plot.Figure, error) {
	px := columnValues(t.Rows, 0)
	alt := "estimated density of " + strings.Join(columns, " and ")
	if len(columns) == 1 {
		xs := axisOver(px, 512)
		y, err := e.density(ctx, planeOf(xs))
		if err != nil {
			return nil, err
		}
		return plot.Curves(columns[0], perUnit(columns[0]), alt, [][]float64{px}, plot.Series{X: xs, Y: y})
	}
	py := columnValues(t.Rows, 1)
	xs, ys := axisOver(px, 90), axisOver(py, 90)
	flat, err := e.density(ctx, planeOf(xs, ys))
	if err != nil {
		return nil, err
	}
	values := make([][]float64, len(ys))
	for j := range ys {
		values[j] = flat[j*len(xs) : (j+1)*len(xs)]
	}
	own, err := e.density(ctx, t.Rows)
	if err != nil {
		return nil, err
	}
	slices.Sort(own)
	levels := []float64{own[len(own)/10], own[len(own)/2]}
	return plot.Field{XName: columns[0], YName: columns[1], Alt: alt, Xs: xs, Ys: ys, Values: values,
		Levels: slices.Compact(levels),
		Of:     "density", Low: "lines: around 50% and 90% of rows", Groups: []plot.Group{{X: px, Y: py}}}.Figure()
}
