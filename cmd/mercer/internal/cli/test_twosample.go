package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/stat"
	"github.com/spf13/cobra"
)

type twoSampleOptions struct {
	testOptions
	A, B, By string
	Columns  []string
	Widths   string
	Scales   int
	Estimate string
	Null     string
}

func newTwoSample(a *App) *cobra.Command {
	o := &twoSampleOptions{}
	cmd := &cobra.Command{
		Use:   "two-sample A B",
		Short: "Were two samples drawn from one distribution? (MMD)",
		Long: `Test whether two data sets come from one distribution, by the maximum mean
discrepancy of a kernel. Columns are scaled by both samples together. By default
gaussians of nine widths are tried at once and the p-value accounts for it; the
level is exact at any sample size.

The point named last is the row at which the witness function is largest: where
one sample is densest compared with the other. With one DATA and --by, the two
values of a column make the samples.`,
		Example: `  mercer test two-sample before.csv after.csv
  mercer test two-sample a.csv b.csv --columns load,temp --plot witness.png
  mercer test two-sample trial.csv --by group --kernel 'laplace(lengthscale=2)'`,
		Args: dataArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.A = args[0]
			if len(args) == 2 {
				o.B = args[1]
			}
			return a.twoSample(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.By, "by", "", "column of a single DATA whose two values make the samples")
	f.StringSliceVar(&o.Columns, "columns", nil, "columns to compare; default: all")
	f.StringVar(&o.Kernel, "kernel", "", "one kernel, as in 'matern(nu=1.5)', in place of gaussians of several widths")
	repairFlag(f, &o.Repair)
	f.StringVar(&o.Widths, "widths", "aggregate", "width of the gaussian: aggregate (several at once), median, or power (chosen on half of the rows)")
	f.IntVar(&o.Scales, "scales", 9, "how many widths to aggregate over, or to choose from by power")
	f.StringVar(&o.Estimate, "estimate", "unbiased", "with one kernel: unbiased, biased, block or linear (the last two for very many rows)")
	f.StringVar(&o.Null, "null", "permutation", "with one kernel: permutation, gamma, spectral or normal")
	o.testFlags(f)
	o.flags(cmd, "the witness at every row", "the witness function")
	return cmd
}

// samples is two tables with the columns they share.
type samples struct {
	Names   [2]string
	Columns []string
	Pooled  *table
	X, Y    data.Points[kernel.Vec]
	At      [2][]int // row of the pooled table for each point
}

func (a *App) twoSample(ctx context.Context, o *twoSampleOptions) error {
	if err := o.checkTest(); err != nil {
		return err
	}
	s, err := a.samples(ctx, o)
	if err != nil {
		return err
	}
	name := s.Names[0] + ", " + s.Names[1]
	planned := o.Permutations
	if o.aggregated() {
		planned *= 2 * o.Scales // for each kernel; as many again judge the smallest p-value
	}
	device, err := o.Device.open(s.X.Len() + s.Y.Len())
	if err != nil {
		return err
	}
	defer func() { _ = device.Close() }()
	trace, done := a.meter(&o.exploreOptions, "permuting", planned)
	settings := stat.TestSettings{Permutations: o.Permutations, Alpha: o.Alpha, Seed: o.Seed, Threads: o.par(), Device: device, Trace: trace}
	r, k, how, err := a.testSamples(ctx, o, s, settings)
	done()
	if err != nil {
		return lookError(name, err)
	}
	witness, err := stat.Witness(ctx, k, s.X, s.Y)
	if err != nil {
		return lookError(name, err)
	}
	largest, err := stat.LargestDifferences(ctx, witness, s.X, s.Y, 1)
	if err != nil {
		return lookError(name, err)
	}
	place, denser, fields := s.place(ctx, largest[0])
	if o.Plot != "" {
		f, err := s.witnessPlot(ctx, witness)
		if err != nil {
			return err
		}
		if err := writePlot(f, o.Plot); err != nil {
			return err
		}
	}
	if o.Output != "" {
		if err := a.writeWitness(o, s, witness); err != nil {
			return err
		}
	}
	if o.JSON {
		out := testJSON(r)
		out["samples"], out["columns"], out["widths"] = s.Names, s.Columns, how
		out["largest_difference"], out["denser"], out["witness"] = fields, denser, largest[0].Value
		return a.outcome(out)
	}
	w := a.say(&o.exploreOptions)
	null := nullText(r)
	if o.aggregated() {
		null = fmt.Sprintf("2 × %s, seed %d", plural(o.Permutations, "permutation"), o.Seed)
	}
	fmt.Fprintf(w, "MMD test, %s, %s\n", how, null)
	fmt.Fprintf(w, "n = %s, m = %s, %s\n", data.Thousands(s.X.Len()), data.Thousands(s.Y.Len()), plural(len(s.Columns), "column"))
	fmt.Fprintln(w, o.verdict(r, "equality"))
	see := ""
	if o.Plot != "" {
		see = "; see " + o.Plot
	}
	fmt.Fprintf(w, "largest difference near: %s, where %s is denser (witness%s)\n", place, denser, see)
	for _, n := range r.Notes {
		fmt.Fprintln(w, "note:", inFlags(n))
	}
	return nil
}

func (o *twoSampleOptions) aggregated() bool { return o.Kernel == "" && o.Widths == "aggregate" }

// testSamples runs the test asked for and returns the kernel that its witness has.
func (a *App) testSamples(ctx context.Context, o *twoSampleOptions, s *samples, settings stat.TestSettings) (*stat.TestResult, kernel.Kernel[kernel.Vec], string, error) {
	if o.Scales < 1 || o.Scales > 100 {
		return nil, nil, "", usage("--scales: %d; give a number from 1 to 100", o.Scales)
	}
	x, y := s.X, s.Y
	var k kernel.Kernel[kernel.Vec]
	how := ""
	switch {
	case o.Kernel != "":
		var err error
		if k, err = a.kernelOr(ctx, "--kernel", &o.exploreOptions, notes, o.Kernel, s.Names[0], s.Pooled.points()); err != nil {
			return nil, nil, "", err
		}
		how = "kernel " + o.Kernel
	case o.Widths == "median":
		g, err := stat.MedianKernel(x, y)
		if err != nil {
			return nil, nil, "", err
		}
		k, how = g, "gaussian kernel, median width "+fourDigits(g.Lengthscale)
	case o.Widths == "aggregate", o.Widths == "power":
		scales, err := stat.PooledWidths(x, y, o.Scales)
		if err != nil {
			return nil, nil, "", err
		}
		if o.Widths == "aggregate" {
			if o.Estimate != "unbiased" || o.Null != "permutation" {
				return nil, nil, "", usage("--estimate and --null are for one kernel; add --widths median or --kernel")
			}
			r, err := stat.AggregatedMMD[kernel.Vec]{Kernels: scales, TestSettings: settings}.Test(ctx, x, y)
			if err != nil {
				return nil, nil, "", err
			}
			how := fmt.Sprintf("gaussian kernel, widths aggregated over %s", plural(len(scales), "scale"))
			if g, ok := scales[r.Best].(kernel.Gaussian); ok {
				how += fmt.Sprintf(" (strongest at %s)", fourDigits(g.Lengthscale))
			}
			r.Measure, _, _ = strings.Cut(r.Measure, " at ")
			return &r.TestResult, scales[r.Best], how, nil
		}
		p, err := stat.SelectByPower(ctx, scales, x, y, stat.PowerOptions{Seed: o.Seed, Threads: o.par()})
		if err != nil {
			return nil, nil, "", err
		}
		k, x, y = p.Kernel, p.TestX, p.TestY
		how = fmt.Sprintf("gaussian kernel, width chosen by power on the other half of the rows (%d and %d are tested)", x.Len(), y.Len())
	default:
		return nil, nil, "", usage("--widths: %q; give aggregate, median or power", o.Widths)
	}
	estimates := map[string]stat.MMDEstimate{"unbiased": stat.Unbiased, "biased": stat.Biased, "block": stat.Block, "linear": stat.Linear}
	estimate, ok := estimates[o.Estimate]
	if !ok {
		return nil, nil, "", usage("--estimate: %q; give unbiased, biased, block or linear", o.Estimate)
	}
	nulls := map[string]stat.Null{"permutation": stat.NullPermutation, "gamma": stat.NullGamma, "spectral": stat.NullSpectral, "normal": stat.NullNormal}
	if settings.Null, ok = nulls[o.Null]; !ok {
		return nil, nil, "", usage("--null: %q; give permutation, gamma, spectral or normal", o.Null)
	}
	r, err := stat.MMD[kernel.Vec]{Kernel: k, Estimate: estimate, TestSettings: settings}.Test(ctx, x, y)
	return r, k, how, err
}

// samples reads the two samples and scales them by what both hold together,
// which keeps the level: the scaling does not see which row is from which.
func (a *App) samples(ctx context.Context, o *twoSampleOptions) (*samples, error) {
	s := &samples{}
	var parts [2]*data.Dataset
	d, err := a.loadData(ctx, o.A, &o.exploreOptions)
	if err != nil {
		return nil, err
	}
	switch {
	case o.By == "" && o.B == "":
		return nil, usage("give two data sets, or one and --by COLUMN whose two values make the samples")
	case o.By != "" && o.B != "":
		return nil, usage("--by splits one data set, but two are given; leave one out")
	case o.By != "":
		if parts, s.Names, err = splitBy(d, o.By); err != nil {
			return nil, err
		}
	default:
		parts[0] = d
		if parts[1], err = a.loadData(ctx, o.B, &o.exploreOptions); err != nil {
			return nil, err
		}
		s.Names = [2]string{parts[0].Name, parts[1].Name}
		if s.Names[0] == s.Names[1] {
			s.Names = [2]string{"the first " + s.Names[0], "the second " + s.Names[1]}
		}
	}
	if s.Columns, err = columnNames(parts[0], "columns", o.Columns); err != nil {
		return nil, err
	}
	if len(s.Columns) == 0 {
		s.Columns = slices.DeleteFunc(parts[0].Names(), func(n string) bool { return n == o.By })
	}
	var chunks [2]*data.Dataset
	for i, p := range parts {
		if p.Sparse != nil {
			return nil, usage("%s: a LIBSVM file has no named columns to compare; convert it with: mercer data %s --convert FILE.csv", p.Name, p.Name)
		}
		if chunks[i], err = comparable(p, parts[0], s.Columns); err != nil {
			return nil, err
		}
	}
	pooled, err := data.Concat(chunks[:])
	if err != nil {
		return nil, inputError(err)
	}
	pooled.Name = s.Names[0] + " and " + s.Names[1]
	s.Pooled = &table{Name: pooled.Name, Data: pooled}
	if err := s.Pooled.encode(s.Columns, &o.exploreOptions); err != nil {
		return nil, err
	}
	n := parts[0].Len()
	for i, row := range s.Pooled.Kept {
		which := 0
		if row >= n {
			which = 1
		}
		s.At[which] = append(s.At[which], i)
	}
	for i, at := range s.At {
		if len(at) < 2 {
			return nil, usage("%s: %s; a sample needs at least 2", s.Names[i], plural(len(at), "row"))
		}
	}
	s.X, s.Y = data.Gather(s.Pooled.points(), s.At[0]), data.Gather(s.Pooled.points(), s.At[1])
	return s, nil
}

// comparable is the columns of d that the test compares, of the kinds that the
// first sample has.
func comparable(d, first *data.Dataset, columns []string) (*data.Dataset, error) {
	out := &data.Dataset{Name: d.Name}
	for _, n := range columns {
		c, err := d.Column(n)
		if err != nil {
			return nil, usage("%w\n  %s has it; choose columns that both have with --columns", err, first.Name)
		}
		f, err := first.Column(n)
		if err != nil {
			return nil, inputError(err)
		}
		got := *c
		if c.Kind != f.Kind {
			if got, err = c.As(f.Kind); err != nil {
				return nil, usage("%s: column %q is %s, but %s in %s; mend the file, set --type %s=%s, or leave it out with --columns",
					d.Name, n, c.Kind, f.Kind, first.Name, n, f.Kind)
			}
		}
		out.Columns = append(out.Columns, got)
	}
	if len(out.Columns) == 0 {
		return nil, usage("%s: no columns to compare", d.Name)
	}
	return out, nil
}

// splitBy cuts a data set by the two values of a column.
func splitBy(d *data.Dataset, by string) (parts [2]*data.Dataset, names [2]string, err error) {
	c, err := d.Column(by)
	if err != nil {
		return parts, names, usage("--by: %w", err)
	}
	rows := map[string][]int{}
	var values []string
	for i := range c.Len() {
		v := c.String(i)
		if v == "" {
			continue
		}
		if rows[v] == nil {
			values = append(values, v)
		}
		rows[v] = append(rows[v], i)
	}
	if len(values) != 2 {
		slices.Sort(values)
		shown := strings.Join(values[:min(5, len(values))], ", ")
		return parts, names, usage("--by: column %q of %s has %s (%s), not two; choose another, or cut the file in two", by, d.Name, plural(len(values), "value"), shown)
	}
	slices.Sort(values)
	for i, v := range values {
		parts[i], names[i] = d.Gather(rows[v]), by+"="+v
	}
	return parts, names, nil
}

// place names the row of largest difference by the columns that differ most.
func (s *samples) place(ctx context.Context, at stat.Difference) (text, denser string, fields map[string]string) {
	row := s.Pooled.Kept[s.At[at.Sample][at.Index]]
	const most = 3
	var parts []string
	fields = map[string]string{}
	for i, name := range s.byDifference(ctx) {
		c, err := s.Pooled.Data.Column(name)
		if err != nil {
			continue
		}
		value := c.String(row)
		if c.Kind == data.Numeric {
			value = fourDigits(c.Numbers[row])
		}
		if i < most {
			parts = append(parts, name+"="+value)
		}
		fields[name] = c.String(row)
	}
	denser = s.Names[0]
	if at.Value < 0 {
		denser = s.Names[1]
	}
	return strings.Join(parts, ", "), denser, fields
}

// byDifference lists the columns, first those in which the samples differ most
// by themselves: by the biased MMD of a gaussian of median width on at most
// 500 rows of each.
func (s *samples) byDifference(ctx context.Context) []string {
	size := map[string]float64{}
	for _, c := range s.Pooled.Enc.Columns {
		part := func(at []int) data.DenseRows {
			step := max(1, len(at)/500)
			width := c.Width
			m := linalg.New[float64]((len(at)+step-1)/step, width)
			for i := range m.Rows {
				copy(m.Row(i), s.Pooled.Rows.At(at[i*step])[c.Offset:c.Offset+width])
			}
			return data.RowsOf(m)
		}
		x, y := part(s.At[0]), part(s.At[1])
		k, err := stat.MedianKernel(x, y)
		if err != nil {
			continue // a constant column
		}
		f, err := stat.Witness[kernel.Vec](ctx, k, x, y)
		if err == nil {
			size[c.Name] = f.Norm()
		}
	}
	out := slices.Clone(s.Columns)
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(size[b], size[a]) })
	return out
}

// witnessAt is the witness at every row of both samples.
func (s *samples) witnessAt(f *rkhs.Func[kernel.Vec]) (out [2][]float64, err error) {
	for i, x := range []data.Points[kernel.Vec]{s.X, s.Y} {
		if out[i], err = evalFunc(f, x); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (a *App) writeWitness(o *twoSampleOptions, s *samples, f *rkhs.Func[kernel.Vec]) error {
	values, err := s.witnessAt(f)
	if err != nil {
		return err
	}
	var index []int
	var which []string
	var at []float64
	for i := range values {
		for j, v := range values[i] {
			index = append(index, s.Pooled.Kept[s.At[i][j]])
			which, at = append(which, s.Names[i]), append(at, v)
		}
	}
	columns := s.Pooled.Data.Gather(index).Columns
	return a.writeColumns(o.Output, append(columns, data.TextColumn("sample", which), data.NumberColumn("witness", at))...)
}
