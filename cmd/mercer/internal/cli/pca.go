package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

type pcaOptions struct {
	tableOptions
	Project, Solver   string
	Method            string
	Denoise, Preimage string
	Components        int
	Iterations        int // of --method gplvm
	Points            int // kept of each component; 0: all
	Device            deviceOption
}

func newPCA(a *App) *cobra.Command {
	o := &pcaOptions{}
	cmd := &cobra.Command{
		Use:   "pca DATA",
		Short: "Kernel principal components: scores, variance, picture",
		Long: `Find the directions of largest variance in the feature space of a kernel. The
linear kernel gives ordinary principal components. Classes in the last column
are not used; they colour the picture. --method gplvm finds latent points
instead: few coordinates of which every column is a Gaussian process.`,
		Example: `  mercer pca iris --plot iris.png
  mercer pca oil.csv --components 5 --kernel 'gaussian(lengthscale=3)' -o z.csv
  mercer pca train.csv --project new.csv -o new_scores.csv
  mercer pca train.csv --save pca.mercer
  mercer pca train.csv --points 20 --save sparse.mercer
  mercer pca spectra.csv --components 8 --denoise clean.csv
  mercer pca oil.csv --method gplvm --plot latent.png --save latent.mercer`,
		Args: dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Data = args[0]
			return a.pca(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Components, "components", 2, "how many components")
	o.columnFlags(cmd, "that colours the picture and is not used")
	f.StringVar(&o.Project, "project", "", "data set whose rows are projected, in place of DATA's own")
	f.StringVar(&o.Method, "method", "pca",
		"pca, or gplvm: latent points by the evidence of a Gaussian process, for up to a thousand rows or two")
	f.IntVar(&o.Iterations, "iterations", 1000, "gplvm: steps of the search at most")
	f.IntVar(&o.Points, "points", 0,
		"keep so many rows of each component (sparse components: quick to use, and not orthogonal); 0: all")
	f.StringVar(&o.Solver, "solver", "auto", "auto, full, top or lowrank (for very many rows)")
	f.StringVar(&o.Denoise, "denoise", "",
		"CSV file for the rows as the components alone would have them, in their own units")
	f.StringVar(&o.Preimage, "preimage", "auto",
		"denoise: how rows are found from scores: fixed-point (kernels of the distance), learned or gradient")
	o.Device.flag(f)
	o.kernelFlag(cmd)
	o.flags(cmd, "the scores of every row", "the first two scores")
	o.saveFlag(cmd, "the components")
	return cmd
}

// pcaSolvers are the solvers by the name that --solver gives them.
var pcaSolvers = map[string]project.Solver{"auto": project.SolveAuto, "full": project.SolveFull,
	"top": project.SolveTop, "lowrank": project.SolveLowRank}

// checkPCA refuses flags that ask for what cannot be.
func (o *pcaOptions) checkPCA() error {
	if err := o.check(); err != nil {
		return err
	}
	if _, ok := pcaSolvers[o.Solver]; !ok {
		return usage("--solver: %q; give auto, full, top or lowrank", o.Solver)
	}
	if err := o.checkMethod(); err != nil {
		return err
	}
	if err := o.checkPoints(); err != nil {
		return err
	}
	if o.Components < 1 {
		return usage("--components: %d; give 1 or more", o.Components)
	}
	if !slices.Contains(preimagers, o.Preimage) {
		return usage("--preimage: %q%s; give %s", o.Preimage, meant(o.Preimage, preimagers), strings.Join(preimagers, ", "))
	}
	if o.Plot != "" && o.Components < 2 {
		return usage("--plot: the picture is of two components; give --components 2 or more")
	}
	return nil
}

// pca fits, projects, draws, writes and tells.
func (a *App) pca(ctx context.Context, o *pcaOptions) error {
	if err := o.checkPCA(); err != nil {
		return err
	}
	t, err := a.loadTable(ctx, &o.tableOptions)
	if err != nil {
		return err
	}
	if n := t.len(); o.Components >= n {
		return usage("--components: %d, but %s has %s; give %d or fewer", o.Components, t.Name, plural(n, "row"), n-1)
	}
	if o.Method == "gplvm" {
		return a.gplvm(ctx, o, t)
	}
	k, err := a.chooseKernel(ctx, &o.exploreOptions, notes, t)
	if err != nil {
		return err
	}
	device, err := o.Device.open(t.len())
	if err != nil {
		return err
	}
	defer func() { _ = device.Close() }()
	of := project.PCA[any]{Device: device, Kernel: k, Components: o.Components, Solver: pcaSolvers[o.Solver], Seed: o.Seed,
		Threads: o.par()}
	if o.Points > 0 {
		return a.sparsePCA(ctx, o, t, of)
	}
	trace, done := a.meter(&o.exploreOptions, "projecting", 0)
	of.Trace = trace
	m, err := of.Fit(ctx, t.points())
	done()
	if err != nil {
		return lookError(t.Name, err)
	}
	shown, scores := t, m.Scores()
	if o.Project != "" {
		if shown, scores, err = a.projectRows(ctx, o, t, m.Transform); err != nil {
			return err
		}
	}
	if o.Plot != "" {
		if err := a.drawScores(o, m, shown, scores); err != nil {
			return err
		}
	}
	if o.Output != "" {
		if err := a.writeColumns(o.Output, append(scoreColumns("component", scores), shown.labelColumn()...)...); err != nil {
			return err
		}
	}
	if o.Denoise != "" {
		if err := a.denoise(ctx, o, t, shown, k, m); err != nil {
			return err
		}
	}
	if err := a.save(&o.exploreOptions, t.Data, t.Enc, t.len(), m, model.Info{}); err != nil {
		return err
	}
	return a.tellPCA(o, t, k, m)
}

// componentNames are the names of the first two components, with how much of the variance they
// have.
func componentNames(share []float64) (names [2]string) {
	for j := range names {
		names[j] = fmt.Sprintf("component %d (%.1f%% of variance)", j+1, 100*share[j])
	}
	return names
}

// drawScores plots the scores on the first two components.
func (a *App) drawScores(o *pcaOptions, m *project.PCAModel[any], shown *table, scores *mat.Dense) error {
	if m.Components() < 2 {
		return usage("--plot: the data have one component only")
	}
	axis := componentNames(m.ExplainedRatio())
	f, err := plot.Scatter(axis[0], axis[1], "scores on the first two kernel principal components of "+shown.Name,
		shown.groups(matColumn(scores, 0), matColumn(scores, 1))...)
	if err != nil {
		return err
	}
	f.LegendTitle(shown.labelName())
	return a.writePlot(f, &o.plotOptions, "Kernel principal components of "+titleName(shown.Name))
}

// tellPCA says it in words, or as JSON.
func (a *App) tellPCA(o *pcaOptions, t *table, k kernel.Kernel[any], m *project.PCAModel[any]) error {
	name := t.kernelName(&o.exploreOptions, k)
	report := m.Report()
	if o.JSON {
		return a.outcome(map[string]any{"data": t.Name, "rows": t.len(), "features": t.Enc.Dim,
			"kernel": t.typedKernel(&o.exploreOptions, k), "variance": m.Variance(), "explained": m.ExplainedRatio(),
			"total_variance": m.TotalVariance(), "solver": report.Solver.String(), "residuals": report.Residuals,
			"warnings": append([]string{}, report.Warnings...)})
	}
	w := a.say(&o.exploreOptions)
	fmt.Fprintf(w, "kernel PCA of %s: %s, %s, %s\n", t.Name, plural(t.len(), "row"), t.width(), name)
	if t.Noted != "" {
		fmt.Fprintln(w, t.Noted)
	}
	fmt.Fprintf(w, "component   variance   share   together\n")
	sum, share := 0.0, m.ExplainedRatio()
	for j, v := range m.Variance() {
		sum += share[j]
		fmt.Fprintf(w, "%9d %10s %6.1f%% %9.1f%%\n", j+1, fourDigits(v), 100*share[j], 100*sum)
	}
	for _, s := range report.Warnings {
		fmt.Fprintln(w, "note:", s)
	}
	a.tellWritten(&o.exploreOptions)
	if o.Denoise != "" {
		fmt.Fprintln(w, "wrote", o.Denoise)
	}
	return nil
}

// projectRows projects the rows of another data set, encoded as the first.
func (a *App) projectRows(
	ctx context.Context, o *pcaOptions, t *table, transform func(context.Context, data.Points[any]) (*mat.Dense, error),
) (*table, *mat.Dense, error) {
	d, err := a.loadData(ctx, o.Project, &o.exploreOptions)
	if err != nil {
		return nil, nil, err
	}
	out := &table{Name: d.Name, Data: d, Enc: t.Enc, How: t.How}
	if err := out.take(d, &o.exploreOptions); err != nil {
		return nil, nil, err
	}
	if t.Label != nil {
		if c, err := d.Column(t.Label.Name); err == nil {
			out.Label = c
		}
	}
	scores, err := transform(ctx, out.points())
	return out, scores, lookError(d.Name, err)
}

func matColumn(m *mat.Dense, j int) []float64 { return mat.Col(nil, j, m) }

// labelColumn is the label of every row, if there is one.
func (t *table) labelColumn() []data.Column {
	if t.Label == nil {
		return nil
	}
	return []data.Column{t.Label.Gather(t.Kept)}
}

// labelName is what the column of labels is called; empty: there is none.
func (t *table) labelName() string {
	if t.Label == nil {
		return ""
	}
	return t.Label.Name
}

// groups cuts points by the label of their row, where it has few values.
func (t *table) groups(x, y []float64) []plot.Group {
	labels := make([]string, len(x))
	for i := range labels {
		labels[i] = t.labelOf(i)
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(labels)))
	if t.Label == nil || len(distinct) > plot.MostGroups {
		return []plot.Group{{X: x, Y: y}}
	}
	return groupBy(distinct, labels, x, y)
}

func groupBy(names, labels []string, x, y []float64) []plot.Group {
	out := make([]plot.Group, len(names))
	for i, n := range names {
		out[i].Name = n
		if n == "" {
			out[i].Name = "no label"
		}
		for j := range x {
			if labels[j] == n {
				out[i].X, out[i].Y = append(out[i].X, x[j]), append(out[i].Y, y[j])
			}
		}
	}
	return out
}
