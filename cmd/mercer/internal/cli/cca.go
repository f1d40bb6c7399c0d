package cli

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/spf13/cobra"
)

type ccaOptions struct {
	independenceOptions
	Components int
	Kappa      float64
	Folds      int
	Views      []string
}

func newCCA(a *App) *cobra.Command {
	o := &ccaOptions{}
	cmd := &cobra.Command{
		Use:   "cca DATA --x COLUMNS --y COLUMNS",
		Short: "Kernel canonical correlation of two or more groups of columns",
		Long: `Find functions of the columns --x and of the columns --y that are most
correlated, or of each of several groups of columns, named by --view. κ keeps
the functions from fitting noise: it is chosen by cross-validation, and the
correlation on rows left out is told. The p-value says how often rows paired at
random give as large a correlation.`,
		Example: `  mercer cca iris --x sepal_length,sepal_width --y petal_length,petal_width
  mercer cca lab.csv --y yield,purity --kernel 'linear()' --components 2
  mercer cca survey.csv --view age,income --view q1,q2,q3 --view region`,
		Args: dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Data = args[0]
			return a.cca(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.X, "x", "", "columns of one view; default: all that --y does not name")
	f.StringVar(&o.Y, "y", "", "columns of the other view")
	f.StringArrayVar(&o.Views, "view", nil, "columns of one of several views, in place of --x and --y; repeatable")
	f.IntVar(&o.Components, "components", 1, "how many pairs of functions")
	f.Float64Var(&o.Kappa, "kappa", 0, "regularisation κ; default: by cross-validation with --folds, else 1% of the trace")
	f.IntVar(&o.Folds, "folds", 5, "folds of the cross-validation that chooses κ; 0: none")
	o.kernelFlag(cmd)
	f.StringVar(&o.KernelY, "kernel-y", "", "kernel of the y view; default: as --kernel")
	f.IntVar(&o.Permutations, "permutations", 199, "permutations for the p-value; 0: no p-value")
	f.Float64Var(&o.Alpha, "alpha", 0.05, "level of the test")
	o.flags(cmd, "the values of the functions at every row", "the first pair of functions")
	o.saveFlag(cmd, "the functions")
	return cmd
}

// cca reads the views, correlates them and tells of it.
func (a *App) cca(ctx context.Context, o *ccaOptions) error {
	if err := o.checkCCA(); err != nil {
		return err
	}
	d, err := a.loadData(ctx, o.Data, &o.exploreOptions)
	if err != nil {
		return err
	}
	sides, err := a.views(ctx, o, d)
	if err != nil {
		return err
	}
	if n := sides[0].len(); o.Components >= n {
		return usage("--components: %d, but %s has %s; give fewer", o.Components, d.Name, plural(n, "row"))
	}
	c := &correlated{data: d.Name, sides: sides, held: math.NaN(), p: math.NaN()}
	if err := a.correlate(ctx, o, c); err != nil {
		return lookError(d.Name, err)
	}
	if o.Plot != "" {
		if err := a.drawPair(o, c); err != nil {
			return err
		}
	}
	if o.Output != "" {
		if err := a.writeColumns(o.Output, c.columns(o)...); err != nil {
			return err
		}
	}
	if err := a.saveCCA(o, d, c); err != nil {
		return err
	}
	return a.tellCCA(o, c)
}

// checkCCA refuses flags that ask for what cannot be.
func (o *ccaOptions) checkCCA() error {
	o.Method, o.need = "hsic", positive // two sides
	switch {
	case o.Components < 1:
		return usage("--components: %d; give 1 or more", o.Components)
	case o.Kappa < 0 || math.IsNaN(o.Kappa) || math.IsInf(o.Kappa, 0):
		return usage("--kappa: %g; give a positive number", o.Kappa)
	case o.Folds < 0 || o.Folds == 1:
		return usage("--folds: %d; give 2 or more, or 0 for none", o.Folds)
	case o.Permutations < 0:
		return usage("--permutations: %d; give 0 or more", o.Permutations)
	}
	return o.check()
}

// tellCCA says it in words, or as JSON.
func (a *App) tellCCA(o *ccaOptions, c *correlated) error {
	kappa := c.model.Report().Kappa
	if o.JSON {
		return a.outcome(map[string]any{"data": c.data, "rows": c.rows(), "views": c.names,
			"correlations": c.model.Correlations(), "held_out_correlation": c.held,
			"kappa": kappa, "p": c.p, "permutations": o.Permutations, "seed": o.Seed})
	}
	w := a.say(&o.exploreOptions)
	fmt.Fprintf(w, "kernel CCA of %s: %s, %s\n", c.data, plural(c.rows(), "row"),
		variablesText(c.names, &o.independenceOptions))
	fmt.Fprintf(w, "κ = %s (%s)\n", numbers(slices.Compact(slices.Clone(kappa))), c.how)
	heading := "component   correlation (regularised)   of the functions' values"
	if len(c.sides) > 2 {
		heading = fmt.Sprintf("component   eigenvalue (0 to %d)         mean correlation of two functions", len(c.sides)-1)
	}
	fmt.Fprintln(w, heading)
	for j, r := range c.model.Correlations() {
		fmt.Fprintf(w, "%9d %13.4f %34.4f\n", j+1, r, meanCorrelation(c.scores, j))
	}
	if !math.IsNaN(c.held) {
		fmt.Fprintf(w, "first pair on rows left out: correlation %.4f\n", c.held)
	}
	if !math.IsNaN(c.p) {
		decision := "do not reject"
		if c.p <= o.Alpha {
			decision = "reject"
		}
		fmt.Fprintf(w, "p = %s    %s independence at %s (%s, seed %d)\n", pText(c.p), decision, o.level(),
			plural(o.Permutations, "permutation"), o.Seed)
	}
	a.tellWritten(&o.exploreOptions)
	return nil
}

// views is the groups of columns that --view names, or --x and --y.
func (a *App) views(ctx context.Context, o *ccaOptions, d *data.Dataset) ([]*side, error) {
	if len(o.Views) == 0 {
		return a.sides(ctx, &o.independenceOptions, d)
	}
	if o.X != "" || o.Y != "" || len(o.Views) < 2 {
		return nil, usage("--view: give it two times or more, and neither --x nor --y")
	}
	var groups [][]string
	for _, v := range o.Views {
		names, err := columnNames(d, "view", splitColumns(v))
		if err != nil {
			return nil, err
		}
		groups = append(groups, names)
	}
	if err := disjoint(groups, "view"); err != nil {
		return nil, err
	}
	return a.variables(ctx, &o.independenceOptions, d, groups)
}

// viewName is what the functions of view i are called.
func (o *ccaOptions) viewName(i int) string {
	if len(o.Views) == 0 {
		return string("xy"[i])
	}
	return fmt.Sprintf("view%d", i+1)
}
