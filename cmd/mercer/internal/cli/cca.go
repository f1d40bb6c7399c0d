package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/project"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
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
	return cmd
}

func (a *App) cca(ctx context.Context, o *ccaOptions) error {
	o.Method = "hsic" // two sides
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
	if err := o.check(); err != nil {
		return err
	}
	d, err := a.loadData(ctx, o.Data, &o.exploreOptions)
	if err != nil {
		return err
	}
	sides, err := o.views(d)
	if err != nil {
		return err
	}
	n := sides[0].Rows.Len()
	if o.Components >= n {
		return usage("--components: %d, but %s has %s; give fewer", o.Components, d.Name, plural(n, "row"))
	}
	var views []project.View
	var names [][]string
	for _, s := range sides {
		views, names = append(views, project.NewView(s.Kernel, s.points())), append(names, s.Columns)
	}
	c := project.CCA{Components: o.Components, Kappa: o.Kappa, Seed: o.Seed, Threads: o.par()}
	held := math.NaN()
	how := "as asked"
	if o.Kappa == 0 {
		how = "1% of the trace"
		if o.Folds > 0 && n >= 2*o.Folds {
			var kappas []float64
			for e := -4.0; e <= 0; e += 0.5 {
				kappas = append(kappas, float64(n)*math.Pow(10, e))
			}
			done := a.busy(&o.exploreOptions, "choosing κ")
			choice, err := c.ChooseKappa(ctx, kappas, o.Folds, views...)
			done()
			if err != nil {
				return lookError(d.Name, err)
			}
			c.Kappa = choice.Best
			held = choice.Scores[slices.Index(choice.Kappas, choice.Best)]
			how = fmt.Sprintf("by %d-fold cross-validation", o.Folds)
		}
	}
	done := a.busy(&o.exploreOptions, "correlating")
	m, err := c.Fit(ctx, views...)
	done()
	if err != nil {
		return lookError(d.Name, err)
	}
	p := math.NaN()
	if o.Permutations > 0 {
		done := a.busy(&o.exploreOptions, "permuting")
		t, err := c.Test(ctx, o.Permutations, views...)
		done()
		if err != nil {
			return lookError(d.Name, err)
		}
		p = t.P
	}
	scores := make([]*mat.Dense, len(sides))
	for i := range scores {
		scores[i] = m.Scores(i)
	}
	if o.Plot != "" {
		f, err := plot.Scatter("function of "+strings.Join(names[0], ", "), "function of "+strings.Join(names[1], ", "),
			"the first pair of canonical functions", sides[0].groups(matColumn(scores[0], 0), matColumn(scores[1], 0))...)
		if err != nil {
			return err
		}
		if err := writePlot(f, o.Plot); err != nil {
			return err
		}
	}
	if o.Output != "" {
		var columns []data.Column
		for j := range m.Components() {
			for i, s := range scores {
				columns = append(columns, data.NumberColumn(fmt.Sprintf("%s_%d", o.viewName(i), j+1), matColumn(s, j)))
			}
		}
		if err := a.writeColumns(o.Output, columns...); err != nil {
			return err
		}
	}
	kappa := m.Report().Kappa
	if o.JSON {
		return a.outcome(map[string]any{"data": d.Name, "rows": n, "views": names, "correlations": m.Correlations(), "held_out_correlation": held,
			"kappa": kappa, "p": p, "permutations": o.Permutations, "seed": o.Seed})
	}
	w := a.say(&o.exploreOptions)
	fmt.Fprintf(w, "kernel CCA of %s: %s, %s\n", d.Name, plural(n, "row"), variablesText(names, &o.independenceOptions))
	fmt.Fprintf(w, "κ = %s (%s)\n", numbers(slices.Compact(slices.Clone(kappa))), how)
	heading := "component   correlation (regularised)   of the functions' values"
	if len(sides) > 2 {
		heading = fmt.Sprintf("component   eigenvalue (0 to %d)         mean correlation of two functions", len(sides)-1)
	}
	fmt.Fprintln(w, heading)
	for j, r := range m.Correlations() {
		fmt.Fprintf(w, "%9d %13.4f %34.4f\n", j+1, r, meanCorrelation(scores, j))
	}
	if !math.IsNaN(held) {
		fmt.Fprintf(w, "first pair on rows left out: correlation %.4f\n", held)
	}
	if !math.IsNaN(p) {
		decision := "do not reject"
		if p <= o.Alpha {
			decision = "reject"
		}
		fmt.Fprintf(w, "p = %s    %s independence at %s (%s, seed %d)\n", pText(p), decision, o.level(), plural(o.Permutations, "permutation"), o.Seed)
	}
	a.tellWritten(&o.exploreOptions)
	return nil
}

// views is the groups of columns that --view names, or --x and --y.
func (o *ccaOptions) views(d *data.Dataset) ([]*side, error) {
	if len(o.Views) == 0 {
		return o.sides(d)
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
	return o.variables(d, groups)
}

// viewName is what the functions of view i are called.
func (o *ccaOptions) viewName(i int) string {
	if len(o.Views) == 0 {
		return string("xy"[i])
	}
	return fmt.Sprintf("view%d", i+1)
}

// meanCorrelation is that of component j between every two views.
func meanCorrelation(scores []*mat.Dense, j int) float64 {
	sum, pairs := 0.0, 0.0
	for a := range scores {
		for b := range a {
			sum += correlation(matColumn(scores[a], j), matColumn(scores[b], j))
			pairs++
		}
	}
	return sum / pairs
}

// correlation is Pearson's.
func correlation(x, y []float64) float64 {
	n := float64(len(x))
	mx, my := 0.0, 0.0
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	xx, yy, xy := 0.0, 0.0, 0.0
	for i := range x {
		xx, yy, xy = xx+(x[i]-mx)*(x[i]-mx), yy+(y[i]-my)*(y[i]-my), xy+(x[i]-mx)*(y[i]-my)
	}
	return xy / math.Sqrt(xx*yy)
}
