package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/stat"
	"github.com/spf13/cobra"
)

type independenceOptions struct {
	testOptions
	Data, X, Y, Given, Method, KernelY string
	Widths, Null                       string
	need                               need // of the kernels
	given                              func(flag string) bool
	objects                            bool // some variable has columns of objects
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
those columns and HSIC looks at what is left over.

Permutations take rows for independent of each other. Of rows in the order of
time, each of which depends on those before, --null shift shifts y against x
instead, which keeps that (hsic alone, 50 rows or more, in the file's order).`,
		Example: `  mercer test independence faithful --x eruptions --y waiting
  mercer test independence houses.csv --x rooms,age --y price --plot null.png
  mercer test independence houses.csv --x rooms --y price --given area
  mercer test independence sensors.csv --x a,b,c --method dhsic
  mercer test independence weather.csv --x wind --y rain --null shift`,
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
	f.StringVar(&o.Null, "null", "permutation", "hsic: permutation, or shift for rows in the order of time")
	o.kernelFlag(cmd)
	f.StringVar(&o.KernelY, "kernel-y", "", "kernel on the y side; default: as --kernel")
	o.given = f.Changed
	o.testFlags(f)
	o.flags(cmd, "the statistic under every permutation",
		"the dependence (one column against one) or of the null distribution")
	return cmd
}

// checkIndependence refuses what does not go together, before anything is read.
func (o *independenceOptions) checkIndependence() error {
	if err := o.checkTest(); err != nil {
		return err
	}
	switch {
	case o.Method == "gamma" && o.Output != "":
		return usage("-o: --method gamma has no permutations to write; use --method hsic")
	case o.Widths != "aggregate" && o.Widths != "median":
		return usage("--widths: %q; give aggregate or median", o.Widths)
	case o.Null != "permutation" && o.Null != "shift":
		return usage("--null: %q; give permutation or shift", o.Null)
	case o.Null == "shift" && (o.Method != "hsic" || o.Given != ""):
		return usage("--null shift works with --method hsic and without --given")
	}
	return nil
}

// needs says what the method asks of its kernels.
func (o *independenceOptions) needs() need {
	switch {
	case o.Method == "kcc" || o.Method == "kgv":
		return positive
	case (o.Method == "hsic" || o.Method == "gamma") && o.Given == "":
		return notes
	default:
		return warning
	}
}

func (a *App) independence(ctx context.Context, o *independenceOptions) error {
	if err := o.checkIndependence(); err != nil {
		return err
	}
	o.need = o.needs()
	d, err := a.loadData(ctx, o.Data, &o.exploreOptions)
	if err != nil {
		return err
	}
	sides, err := a.sides(ctx, o, d)
	if err != nil {
		return err
	}
	if o.Null != "shift" {
		a.doubtSides(&o.exploreOptions, sides, "--null shift")
	} else if late := outOfTime(sides[0].Data); late != "" {
		return usage("--null shift: the rows are not in the order of %q; sort the file by it, or leave the column out "+
			"with --ignore", late)
	}
	bounded := o.bound(sides)
	planned := o.Permutations
	if o.aggregated() {
		planned *= 2 * widthsOfSide * widthsOfSide
	}
	device, err := o.Device.open(sides[0].len())
	if err != nil {
		return err
	}
	defer func() { _ = device.Close() }()
	trace, done := a.meter(&o.exploreOptions, "permuting", planned)
	settings := stat.TestSettings{Permutations: o.Permutations, Alpha: o.Alpha, Seed: o.Seed, Threads: o.par(),
		Device: device, Trace: trace}
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
		if err := a.writePlot(f, &o.plotOptions, o.pictureTitle(sides, d.Name)); err != nil {
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
		if bounded != "" {
			out["notes"] = append(append([]string{}, r.Notes...), bounded)
		}
		return a.outcome(out)
	}
	a.tellIndependence(o, sides, names, r)
	if bounded != "" {
		fmt.Fprintln(a.say(&o.exploreOptions), "note:", bounded)
	}
	a.tellWritten(&o.exploreOptions)
	return nil
}

// tellIndependence prints what was tested, the verdict and the notes.
func (a *App) tellIndependence(o *independenceOptions, sides []*side, names [][]string, r *stat.TestResult) {
	w := a.say(&o.exploreOptions)
	if o.aggregated() {
		null := fmt.Sprintf("2 × %s, seed %d", plural(o.Permutations, "permutation"), o.Seed)
		if r.Null == stat.NullShift {
			null = plural(r.Permutations, "shift") + " of y"
		}
		fmt.Fprintf(w, "HSIC test, gaussian kernels, %d×%d widths aggregated, %s\n", widthsOfSide, widthsOfSide, null)
	} else {
		fmt.Fprintf(w, "%s, %s, %s\n", r.Test, kernelText(r.Kernels), nullText(r))
	}
	fmt.Fprintf(w, "n = %s, %s\n", phrase.Thousands(sides[0].len()), variablesText(names, o))
	what := "independence"
	if o.Given != "" {
		what = "conditional independence"
	}
	fmt.Fprintln(w, o.verdict(r, what))
	if o.aggregated() {
		x, _ := kernel.Concrete(sides[0].Kernel).(kernel.Gaussian)
		y, _ := kernel.Concrete(sides[1].Kernel).(kernel.Gaussian)
		fmt.Fprintf(w, "strongest at widths %s and %s (--widths median takes one each)\n", fourDigits(x.Lengthscale),
			fourDigits(y.Lengthscale))
	}
	for _, n := range r.Notes {
		fmt.Fprintln(w, "note:", inFlags(n))
	}
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
		return "kernel " + spec.Rounded(kernels[0])
	}
	return "kernels " + spec.Rounded(strings.Join(kernels, ", "))
}
