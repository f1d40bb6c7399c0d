package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// checkMethod refuses a method that is none, and what latent points have not.
func (o *pcaOptions) checkMethod() error {
	switch o.Method {
	case "pca":
		return nil
	case "gplvm":
	default:
		return usage("--method: %q%s; give pca or gplvm", o.Method, meant(o.Method, []string{"pca", "gplvm"}))
	}
	switch {
	case o.Iterations < 1:
		return usage("--iterations: %d; give 1 or more", o.Iterations)
	case o.Solver != "auto":
		return usage("--solver: %s is a solver of eigenvalue problems; latent points are found by descent (leave --solver "+
			"out, or --method gplvm)", o.Solver)
	case o.Denoise != "" || o.Preimage != "auto":
		return usage("--denoise, --preimage: for principal components; the rows of latent points are " +
			"GPLVMModel.Reconstruct of the library")
	case o.Device == "gpu":
		return usage("--device gpu: latent points are found on the processor; leave it out")
	}
	return nil
}

// gplvm finds latent points, draws, writes and tells. --kernel is the kernel of latent points at
// the start of the search.
func (a *App) gplvm(ctx context.Context, o *pcaOptions, t *table) error {
	if !t.vectors() {
		c := t.object()
		return usage("--method gplvm: column %q is %s; each column of latent points is a process of numbers (--ignore %s, "+
			"or --method pca)", c.Name, withArticle(c.Kind), c.Name)
	}
	g := project.GPLVM{Components: o.Components, Iterations: o.Iterations, Threads: o.par()}
	if o.Kernel != "" {
		k, err := parseKernel("--kernel", o.Kernel)
		if err != nil {
			return err
		}
		g.Kernel = k
	}
	var done func()
	g.Trace, done = a.meter(&o.exploreOptions, "finding latent points", 0)
	m, err := g.Fit(ctx, t.Rows)
	done()
	if err != nil {
		return lookError(t.Name, err)
	}
	shown, latent := t, m.Latent()
	if o.Project != "" {
		if shown, latent, err = a.projectRows(ctx, o, t, ofVectors(m.Transform)); err != nil {
			return err
		}
	}
	if o.Plot != "" {
		if err := a.drawLatent(o, shown, latent); err != nil {
			return err
		}
	}
	if o.Output != "" {
		var columns []data.Column
		for j := range m.Components() {
			columns = append(columns, data.NumberColumn(fmt.Sprintf("latent_%d", j+1), matColumn(latent, j)))
		}
		if err := a.writeColumns(o.Output, append(columns, shown.labelColumn()...)...); err != nil {
			return err
		}
	}
	if err := a.save(&o.exploreOptions, t.Data, t.Enc, t.Rows.Len(), rkhs.ErasePlainer(m), model.Info{}); err != nil {
		return err
	}
	return a.tellLatent(o, t, m)
}

// ofVectors is a transform of vectors for points that have forgotten that they are.
func ofVectors(
	transform func(context.Context, data.Points[kernel.Vec]) (*mat.Dense, error),
) func(context.Context, data.Points[any]) (*mat.Dense, error) {
	return func(ctx context.Context, x data.Points[any]) (*mat.Dense, error) {
		rows, ok := data.VectorsOf(x)
		if !ok {
			return nil, fmt.Errorf("rows that are no vectors")
		}
		return transform(ctx, rows)
	}
}

// drawLatent plots the first two coordinates.
func (a *App) drawLatent(o *pcaOptions, shown *table, latent *mat.Dense) error {
	f, err := plot.Scatter("latent coordinate 1", "latent coordinate 2", "latent points of "+shown.Name+
		", of which every column is a Gaussian process",
		shown.groups(matColumn(latent, 0), matColumn(latent, 1))...)
	if err != nil {
		return err
	}
	f.LegendTitle(shown.labelName())
	return a.writePlot(f, &o.plotOptions, "Latent points of "+titleName(shown.Name))
}

// tellLatent says it in words, or as JSON.
func (a *App) tellLatent(o *pcaOptions, t *table, m *project.GPLVMModel) error {
	var k kernel.Kernel[kernel.Vec] = m.Kernel()
	text, err := spec.FormatKernel(k)
	if err != nil {
		return err
	}
	report := m.Report()
	spread := make([]float64, m.Components())
	for j := range spread {
		spread[j] = stat.PopStdDev(matColumn(m.Latent(), j), nil)
	}
	if o.JSON {
		return a.outcome(map[string]any{"data": t.Name, "rows": t.Rows.Len(), "features": t.Enc.Dim, "method": "gplvm",
			"kernel": text, "noise": m.Noise(), "spread": spread,
			"log_density": report.LogDensity, "iterations": report.Iterations, "gradient": report.Gradient,
			"converged": report.Converged, "warnings": append([]string{}, report.Warnings...)})
	}
	w := a.say(&o.exploreOptions)
	fmt.Fprintf(w, "latent points of %s: %s, %s, %s\n", t.Name, plural(t.Rows.Len(), "row"), plural(t.Enc.Dim, "feature"),
		plural(m.Components(), "coordinate"))
	if t.Noted != "" {
		fmt.Fprintln(w, t.Noted)
	}
	fmt.Fprintf(w, "kernel      %s, in units of the variance of the features\n", shortKernel(k, text))
	fmt.Fprintf(w, "noise       %s, the deviation of rows from the surface\n", fourDigits(m.Noise()))
	fmt.Fprintf(w, "spread      %s by coordinate; near 0: not needed\n", numbers(spread))
	how := "converged"
	if !report.Converged {
		how = "not converged"
	}
	fmt.Fprintf(w, "log p(Y, X) %s, %s after %s, gradient %s\n", fourDigits(report.LogDensity), how,
		plural(report.Iterations, "step"), fourDigits(report.Gradient))
	for _, s := range report.Warnings {
		fmt.Fprintln(w, "note:", s+" (--iterations)")
	}
	a.tellWritten(&o.exploreOptions)
	return nil
}

// shortKernel is the text of a kernel with four digits of its parameters, where that can be.
func shortKernel(k kernel.Kernel[kernel.Vec], text string) string {
	theta := kernel.Values(k)
	for i, v := range theta {
		if v != 0 {
			unit := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
			theta[i] = math.Round(v*unit) / unit
		}
	}
	short, err := kernel.With(k, theta)
	if err != nil {
		return text
	}
	if said, err := spec.FormatKernel(short); err == nil {
		return said
	}
	return text
}
