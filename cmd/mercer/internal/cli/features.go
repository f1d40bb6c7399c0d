package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

type featuresOptions struct {
	tableOptions
	Map string
	Dim int
}

// featureMaps are what --map takes.
var featureMaps = []string{"fourier", "orthogonal", "nystrom"}

func newFeatures(a *App) *cobra.Command {
	o := &featuresOptions{}
	cmd := &cobra.Command{
		Use:   "features DATA",
		Short: "Columns whose inner products are a kernel, to use and save",
		Long: `Make a map from rows to numbers whose inner products are about the values of a
kernel, and save it: a linear method on these columns is a kernel method.

  fourier     cosines and sines of random frequencies, of a stationary kernel
  orthogonal  the same, with frequencies at right angles: less error
  nystrom     the kernel with some of the rows, made orthonormal; any kernel

The error is measured on up to 256 rows.`,
		Example: `  mercer features iris --dim 100 --save map.mercer
  mercer transform map.mercer new.csv > features.csv
  mercer features train.csv --map nystrom --kernel 'laplace()' --dim 50 -o z.csv`,
		Args: dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Data = args[0]
			return a.features(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Map, "map", "orthogonal", "how: "+strings.Join(featureMaps, ", "))
	f.IntVar(&o.Dim, "dim", 64, "how many features: even where they are cosines and sines; by nystrom fewer, where rows depend on each other")
	o.columnFlags(cmd, "that is not used, and written beside the features")
	o.kernelFlag(cmd)
	o.flags(cmd, "the features of every row", "inner products of features beside the kernel")
	o.saveFlag(cmd, "the map")
	return cmd
}

func (o *featuresOptions) checkFeatures() error {
	if err := o.check(); err != nil {
		return err
	}
	if !slices.Contains(featureMaps, o.Map) {
		return usage("--map: %q%s; give %s", o.Map, meant(o.Map, featureMaps), strings.Join(featureMaps, ", "))
	}
	if o.Dim < 1 || o.Map != "nystrom" && o.Dim%2 != 0 {
		return usage("--dim: %d; give 1 or more and, by %s, an even number: features are cosines and sines", o.Dim, o.Map)
	}
	return nil
}

// features draws a map, measures it, and writes what was asked for.
func (a *App) features(ctx context.Context, o *featuresOptions) error {
	if err := o.checkFeatures(); err != nil {
		return err
	}
	t, err := a.loadTable(ctx, &o.tableOptions)
	if err != nil {
		return err
	}
	if n := t.Rows.Len(); o.Map == "nystrom" && o.Dim > n {
		return usage("--dim: %d, but %s has %s, which the map is made of; give %d or fewer", o.Dim, t.Name, plural(n, "row"), n)
	}
	k, err := a.chooseKernel(ctx, &o.exploreOptions, positive, t.Name, t.points())
	if err != nil {
		return err
	}
	approximation, err := o.approximate(ctx, k, t.points())
	if err != nil {
		return lookError(t.Name, err)
	}
	m, err := project.Features(k, approximation)
	if err != nil {
		return lookError(t.Name, err)
	}
	z, err := m.Features(ctx, t.points())
	if err != nil {
		return lookError(t.Name, err)
	}
	if o.Plot != "" {
		if err := a.drawFeatures(o, k, t, z); err != nil {
			return err
		}
	}
	if o.Output != "" {
		var columns []data.Column
		for j := range m.Dim() {
			columns = append(columns, data.NumberColumn(fmt.Sprintf("feature_%d", j+1), matColumn(z, j)))
		}
		if err := a.writeColumns(o.Output, append(columns, t.labelColumn()...)...); err != nil {
			return err
		}
	}
	if err := a.save(&o.exploreOptions, t.Data, t.Enc, t.Rows.Len(), m, model.Info{}); err != nil {
		return err
	}
	return a.tellFeatures(o, t, k, m, approximation.Report)
}

// approximate is the map with its error.
func (o *featuresOptions) approximate(ctx context.Context, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec]) (*gram.Approximation[kernel.Vec], error) {
	how := gram.LowRankOptions{Threads: o.par(), Seed: o.Seed}
	if o.Map != "nystrom" {
		return gram.FourierFeatures(ctx, k, x, o.Dim/2, o.Map == "orthogonal", how)
	}
	centers, err := gram.KMeansCenters(ctx, k, x, o.Dim, o.par(), o.Seed)
	if err != nil {
		return nil, err
	}
	return gram.Nystrom(ctx, k, x, centers, how)
}

// drawFeatures plots inner products of features beside kernel values, of pairs of rows drawn at
// random.
func (a *App) drawFeatures(o *featuresOptions, k kernel.Kernel[kernel.Vec], t *table, z *mat.Dense) error {
	const pairs = 500
	rng := rand.New(rand.NewPCG(o.Seed, 0x7061697273))
	var g plot.Group
	for range pairs {
		i, j := rng.IntN(t.Rows.Len()), rng.IntN(t.Rows.Len())
		g.X, g.Y = append(g.X, k.Eval(t.Rows.At(i), t.Rows.At(j))), append(g.Y, mat.Dot(z.RowView(i), z.RowView(j)))
	}
	f, err := plot.Equal("kernel", "inner product of features", "features of "+t.Name+" beside the kernel", g)
	if err != nil {
		return err
	}
	return a.writePlot(f, &o.plotOptions, fmt.Sprintf("%s of %s: %s of rows", plural(o.Dim, "feature"), titleName(t.Name), plural(pairs, "pair")))
}

// tellFeatures says it in words, or as JSON.
func (a *App) tellFeatures(o *featuresOptions, t *table, k kernel.Kernel[kernel.Vec], m *project.FeatureModel, e gram.ErrorReport) error {
	name := kernelName(&o.exploreOptions, k)
	if o.JSON {
		return a.outcome(map[string]any{"data": t.Name, "rows": t.Rows.Len(), "features": t.Enc.Dim, "kernel": typedKernel(&o.exploreOptions, k), "map": o.Map, "dim": m.Dim(),
			"rms_error": e.RMS, "largest_error": e.MaxAbs, "spectral_error": e.Spectral, "spectral_norm": e.Scale, "sampled": e.Sampled})
	}
	w := a.say(&o.exploreOptions)
	fmt.Fprintf(w, "%s features of %s: %s, %s, %s\n", o.Map, t.Name, plural(t.Rows.Len(), "row"), plural(t.Enc.Dim, "column"), name)
	if t.Noted != "" {
		fmt.Fprintln(w, t.Noted)
	}
	fmt.Fprintf(w, "%s; inner products are off by %s in the root mean square, at most %s (%s)\n", plural(m.Dim(), "feature"), fourDigits(e.RMS), fourDigits(e.MaxAbs), plural(e.Sampled, "row"))
	fmt.Fprintf(w, "spectral norm of the error %s, of the kernel matrix %s\n", fourDigits(e.Spectral), fourDigits(e.Scale))
	a.tellWritten(&o.exploreOptions)
	return nil
}
