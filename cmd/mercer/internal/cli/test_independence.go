package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
	"github.com/spf13/cobra"
)

type independenceOptions struct {
	testOptions
	Data, X, Y, Given, Method, KernelY string
	Widths                             string
	need                               need // of the kernels
}

// widthsOfSide is how many widths of each side are aggregated.
const widthsOfSide = 3

// aggregated says that no kernel was asked for, and no width.
func (o *independenceOptions) aggregated() bool {
	return o.Method == "hsic" && o.Widths == "aggregate" && o.Given == "" && o.Kernel == "" && o.KernelY == ""
}

func newIndependence(a *App) *cobra.Command {
	o := &independenceOptions{}
	cmd := &cobra.Command{
		Use:   "independence DATA --x COLUMNS --y COLUMNS",
		Short: "Do columns say anything about each other? (HSIC)",
		Long: `Test whether the columns --x and --y are independent, by the Hilbert–Schmidt
independence criterion: any dependence counts, not only a linear one.

Methods:
  hsic    HSIC, p-value by permutation: exact level at any sample size. Unless a
          kernel is named, three widths of each side are tried together, half,
          once and twice the median distance, and the level accounts for that
          (HSICAgg); --widths median takes the one
  gamma   HSIC, p-value by a gamma distribution: fast, no permutations
  dhsic   joint independence of all columns named, each a variable of its own
  coco    constrained covariance, by permutation
  kcc     kernel canonical correlation, by permutation
  kgv     kernel generalised variance, by permutation

With --given the test is of conditional independence: x and y are regressed on
those columns and HSIC looks at what is left over.`,
		Example: `  mercer test independence faithful --x eruptions --y waiting
  mercer test independence houses.csv --x rooms,age --y price --plot null.png
  mercer test independence houses.csv --x rooms --y price --given area
  mercer test independence sensors.csv --x a,b,c --method dhsic`,
		Args: dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Data = args[0]
			return a.independence(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.X, "x", "", "columns on one side; default: all that --y does not name")
	f.StringVar(&o.Y, "y", "", "columns on the other side")
	f.StringVar(&o.Given, "given", "", "columns to condition on")
	f.StringVar(&o.Method, "method", "hsic", "hsic, gamma, dhsic, coco, kcc or kgv")
	f.StringVar(&o.Widths, "widths", "aggregate", "hsic: widths of the gaussian kernels: aggregate or median")
	o.kernelFlag(cmd)
	f.StringVar(&o.KernelY, "kernel-y", "", "kernel on the y side; default: as --kernel")
	o.testFlags(f)
	o.flags(cmd, "the statistic under every permutation", "the dependence (one column against one) or of the null distribution")
	return cmd
}

// side is some columns as one variable.
type side struct {
	*table
	Columns []string
	Kernel  kernel.Kernel[kernel.Vec]
}

func (s *side) variable() stat.Variable { return stat.NewVariable(s.Kernel, s.points()) }

func (a *App) independence(ctx context.Context, o *independenceOptions) error {
	if err := o.checkTest(); err != nil {
		return err
	}
	if o.Method == "gamma" && o.Output != "" {
		return usage("-o: --method gamma has no permutations to write; use --method hsic")
	}
	if o.Widths != "aggregate" && o.Widths != "median" {
		return usage("--widths: %q; give aggregate or median", o.Widths)
	}
	switch {
	case o.Method == "kcc" || o.Method == "kgv":
		o.need = positive
	case (o.Method == "hsic" || o.Method == "gamma") && o.Given == "":
		o.need = notes
	default:
		o.need = warning
	}
	d, err := a.loadData(ctx, o.Data, &o.exploreOptions)
	if err != nil {
		return err
	}
	sides, err := a.sides(ctx, o, d)
	if err != nil {
		return err
	}
	planned := o.Permutations
	if o.aggregated() {
		planned *= 2 * widthsOfSide * widthsOfSide
	}
	device, err := o.Device.open(sides[0].Rows.Len())
	if err != nil {
		return err
	}
	defer func() { _ = device.Close() }()
	trace, done := a.meter(&o.exploreOptions, "permuting", planned)
	settings := stat.TestSettings{Permutations: o.Permutations, Alpha: o.Alpha, Seed: o.Seed, Threads: o.par(), Device: device, Trace: trace}
	r, err := o.run(ctx, sides, settings)
	done()
	if err != nil {
		return lookError(d.Name, err)
	}
	if o.Plot != "" {
		f, err := o.figure(sides, r)
		if err != nil {
			return err
		}
		if err := writePlot(f, o.Plot); err != nil {
			return err
		}
	}
	if o.Output != "" {
		if err := a.writeColumns(o.Output, data.NumberColumn("statistic", r.Draws)); err != nil {
			return err
		}
	}
	names := make([][]string, len(sides))
	for i, s := range sides {
		names[i] = s.Columns
	}
	if o.JSON {
		out := testJSON(r)
		out["data"], out["variables"], out["method"] = d.Name, names, o.Method
		return a.outcome(out)
	}
	w := a.say(&o.exploreOptions)
	what := "independence"
	if o.Given != "" {
		what = "conditional independence"
	}
	if o.aggregated() {
		fmt.Fprintf(w, "HSIC test, gaussian kernels, %d×%d widths aggregated, 2 × %s, seed %d\n", widthsOfSide, widthsOfSide, plural(o.Permutations, "permutation"), o.Seed)
	} else {
		fmt.Fprintf(w, "%s, %s, %s\n", r.Test, kernelText(r.Kernels), nullText(r))
	}
	fmt.Fprintf(w, "n = %s, %s\n", data.Thousands(sides[0].Rows.Len()), variablesText(names, o))
	fmt.Fprintln(w, o.verdict(r, what))
	if o.aggregated() {
		x, _ := sides[0].Kernel.(kernel.Gaussian)
		y, _ := sides[1].Kernel.(kernel.Gaussian)
		fmt.Fprintf(w, "strongest at widths %s and %s (--widths median takes one each)\n", fourDigits(x.Lengthscale), fourDigits(y.Lengthscale))
	}
	for _, n := range r.Notes {
		fmt.Fprintln(w, "note:", inFlags(n))
	}
	a.tellWritten(&o.exploreOptions)
	return nil
}

func variablesText(names [][]string, o *independenceOptions) string {
	parts := make([]string, len(names))
	for i := range names {
		parts[i] = strings.Join(names[i], ", ")
		if len(names[i]) > 1 {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	text := strings.Join(parts[:2], " against ")
	switch {
	case o.Given != "":
		text += " given " + parts[2]
	case o.Method == "dhsic" || len(parts) > 2:
		text = fmt.Sprintf("%d variables: %s", len(parts), strings.Join(parts, ", "))
	}
	return text
}

// kernelText names the kernels once where they are the same.
func kernelText(kernels []string) string {
	if len(kernels) > 4 {
		kernels = append(slices.Clone(kernels[:3]), "…")
	}
	kernels = slices.Compact(slices.Clone(kernels))
	if len(kernels) == 1 {
		return "kernel " + kernels[0]
	}
	return "kernels " + strings.Join(kernels, ", ")
}

// sides cuts the columns into variables; rows with missing values go from all
// of them together.
func (a *App) sides(ctx context.Context, o *independenceOptions, d *data.Dataset) ([]*side, error) {
	if d.Sparse != nil {
		return nil, usage("%s: a LIBSVM file has no named columns; convert it with: mercer data %s --convert FILE.csv", d.Name, d.Name)
	}
	if !slices.Contains([]string{"hsic", "gamma", "dhsic", "coco", "kcc", "kgv"}, o.Method) {
		return nil, usage("--method: %q; give hsic, gamma, dhsic, coco, kcc or kgv", o.Method)
	}
	if o.Given != "" && o.Method != "hsic" && o.Method != "gamma" {
		return nil, usage("--given works with --method hsic or gamma, not %s", o.Method)
	}
	var lists [3][]string
	var err error
	for i, f := range []struct{ flag, text string }{{"x", o.X}, {"y", o.Y}, {"given", o.Given}} {
		if lists[i], err = columnNames(d, f.flag, splitColumns(f.text)); err != nil {
			return nil, err
		}
	}
	x, y, z := lists[0], lists[1], lists[2]
	rest := func(taken ...[]string) []string {
		return slices.DeleteFunc(d.Names(), func(n string) bool { return slices.Contains(slices.Concat(taken...), n) })
	}
	var groups [][]string
	switch {
	case o.Method == "dhsic":
		all := slices.Concat(x, y)
		if len(all) == 0 {
			all = d.Names()
		}
		for _, n := range all {
			groups = append(groups, []string{n})
		}
		if len(groups) < 2 {
			return nil, usage("--method dhsic needs two columns or more; name them with --x (found: %s)", strings.Join(d.Names(), ", "))
		}
	case len(y) == 0:
		return nil, usage("name the columns of one side with --y, and of the other with --x (found: %s)", strings.Join(d.Names(), ", "))
	default:
		if len(x) == 0 {
			x = rest(y, z)
		}
		groups = [][]string{x, y}
		if len(z) > 0 {
			groups = append(groups, z)
		}
	}
	if err := disjoint(groups, "x"); err != nil {
		return nil, err
	}
	return a.variables(ctx, o, d, groups)
}

// disjoint refuses groups of columns that are empty or share one.
func disjoint(groups [][]string, flag string) error {
	seen := map[string]bool{}
	for _, g := range groups {
		if len(g) == 0 {
			return usage("--%s: no columns are left; name some", flag)
		}
		for _, n := range g {
			if seen[n] {
				return usage("column %q is on both sides; leave it out of one", n)
			}
			seen[n] = true
		}
	}
	return nil
}

func (a *App) variables(ctx context.Context, o *independenceOptions, d *data.Dataset, groups [][]string) ([]*side, error) {
	if o.Encoding.Missing == "drop" {
		var whole []int
		for i := range d.Len() {
			ok := true
			for _, n := range slices.Concat(groups...) {
				c, err := d.Column(n)
				if err != nil {
					return nil, inputError(err)
				}
				ok = ok && !c.IsMissing(i)
			}
			if ok {
				whole = append(whole, i)
			}
		}
		d = d.Gather(whole)
	}
	var out []*side
	for i, g := range groups {
		s := &side{table: &table{Name: d.Name, Data: d}, Columns: g}
		if err := s.encode(g, &o.exploreOptions); err != nil {
			return nil, err
		}
		text, flag := o.Kernel, "--kernel"
		if i == 1 && o.KernelY != "" {
			text, flag = o.KernelY, "--kernel-y"
		}
		var err error
		if s.Kernel, err = a.kernelOr(ctx, flag, &o.exploreOptions, o.need, text, d.Name+": column "+strings.Join(g, ", "), s.points()); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (o *independenceOptions) run(ctx context.Context, s []*side, settings stat.TestSettings) (*stat.TestResult, error) {
	settings.Null = stat.NullPermutation
	if o.Method == "gamma" {
		settings.Null = stat.NullGamma
	}
	if o.Given != "" {
		z := s[2]
		t := stat.ConditionalIndependence[kernel.Vec]{TestSettings: settings}
		if o.Kernel != "" {
			t.Kernels = []kernel.Kernel[kernel.Vec]{z.Kernel}
		} else {
			widths, err := kernel.WidthQuantiles(z.points(), 0.1, 0.5, 0.9)
			if err != nil {
				return nil, err
			}
			for _, w := range widths {
				t.Kernels = append(t.Kernels, kernel.Gaussian{Lengthscale: w})
			}
			t.Kernels = append(t.Kernels, kernel.Gaussian{Lengthscale: 4 * widths[2]})
		}
		r, err := t.Test(ctx, s[0].points(), s[1].points(), z.points())
		if err != nil {
			return nil, err
		}
		return &r.TestResult, nil
	}
	vars := make([]stat.Variable, len(s))
	for i := range s {
		vars[i] = s[i].variable()
	}
	switch o.Method {
	case "dhsic":
		return stat.DHSIC{TestSettings: settings}.Test(ctx, vars...)
	case "coco":
		return stat.Dependence{Measure: stat.COCO, TestSettings: settings}.Test(ctx, vars...)
	case "kcc":
		return stat.Dependence{Measure: stat.Correlation, TestSettings: settings}.Test(ctx, vars...)
	case "kgv":
		return stat.Dependence{Measure: stat.GeneralisedVariance, TestSettings: settings}.Test(ctx, vars...)
	}
	if o.aggregated() {
		return aggregatedHSIC(ctx, s[0], s[1], settings)
	}
	return stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: s[0].Kernel, KernelY: s[1].Kernel, TestSettings: settings}.Test(ctx, s[0].points(), s[1].points())
}

// aggregatedHSIC tests with several widths of each side. Those that speak loudest become the kernels of the sides, which pictures show.
func aggregatedHSIC(ctx context.Context, x, y *side, settings stat.TestSettings) (*stat.TestResult, error) {
	kx, err := stat.GaussianWidths(x.points(), widthsOfSide)
	if err != nil {
		return nil, err
	}
	ky, err := stat.GaussianWidths(y.points(), widthsOfSide)
	if err != nil {
		return nil, err
	}
	r, err := stat.AggregatedHSIC[kernel.Vec, kernel.Vec]{KernelsX: kx, KernelsY: ky, TestSettings: settings}.Test(ctx, x.points(), y.points())
	if err != nil {
		return nil, err
	}
	x.Kernel, y.Kernel = kx[r.Best/len(ky)], ky[r.Best%len(ky)]
	r.Measure, _, _ = strings.Cut(r.Measure, " at ")
	return &r.TestResult, nil
}

// figure is the witness of dependence where one number stands against another,
// and the null distribution otherwise.
func (o *independenceOptions) figure(s []*side, r *stat.TestResult) (*plot.Figure, error) {
	plain := func(t *side) bool {
		c := t.Enc.Columns
		return len(c) == 1 && c[0].Kind == data.Numeric && t.Enc.Dim == 1
	}
	if len(s) == 2 && plain(s[0]) && plain(s[1]) {
		return dependenceField(s[0], s[1])
	}
	if r.Draws == nil {
		return nil, usage("--plot: with more than two columns the picture is of the permutations, and --method gamma has none; use --method hsic")
	}
	return plot.Null(r.Measure, r.Draws, r.Statistic, r.Threshold)
}

// dependenceField is the witness of HSIC over the plane: how much denser pairs
// are there, seen through the kernels, than if the columns were independent,
//
//	f(x, y) = (1/n)Σ k(xᵢ, x)l(yᵢ, y) − (1/n)Σ k(xᵢ, x) · (1/n)Σ l(yᵢ, y).
func dependenceField(x, y *side) (*plot.Figure, error) {
	all := make([]int, x.Rows.Len())
	for i := range all {
		all[i] = i
	}
	px, py := x.unscaled(x.Columns[0], all), y.unscaled(y.Columns[0], all)
	xs, ys := axisOver(px, 60), axisOver(py, 60)
	kx, ky := evalPairs(x, xs), evalPairs(y, ys)
	n := float64(len(all))
	mean := func(v []float64) float64 {
		sum := 0.0
		for _, z := range v {
			sum += z
		}
		return sum / n
	}
	values, size := make([][]float64, len(ys)), 0.0
	for j := range ys {
		values[j] = make([]float64, len(xs))
		my := mean(ky[j])
		for i := range xs {
			sum := 0.0
			for t, k := range kx[i] {
				sum += k * ky[j][t]
			}
			values[j][i] = sum/n - mean(kx[i])*my
			size = max(size, values[j][i], -values[j][i])
		}
	}
	return plot.Field{
		XName: x.Columns[0], YName: y.Columns[0], Alt: "where pairs are denser and rarer than independence would have them",
		Xs: xs, Ys: ys, Values: values, Signed: true, High: "more pairs than if independent", Low: "fewer",
		Levels: []float64{-size / 2, size / 2}, Groups: []plot.Group{{X: px, Y: py}},
	}.Figure()
}

// evalPairs is k(grid value, row) for every value and every row.
func evalPairs(s *side, values []float64) [][]float64 {
	at := s.rescaled(values)
	out := make([][]float64, len(values))
	for i := range out {
		out[i] = make([]float64, s.Rows.Len())
		for j := range out[i] {
			out[i][j] = s.Kernel.Eval(at.At(i), s.Rows.At(j))
		}
	}
	return out
}
