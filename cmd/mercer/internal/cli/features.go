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
	"github.com/mercer-ml/mercer/internal/mapped"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
)

type featuresOptions struct {
	tableOptions
	Map   string
	Draw  string // nystrom: how rows are chosen
	Dim   int
	given func(flag string) bool
}

// featureMaps are what --map takes.
var featureMaps = []string{"fourier", "orthogonal", "nystrom"}

// rowDraws are what --draw takes.
var rowDraws = []string{"kmeans", "uniform", "leverage"}

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
	f.StringVar(&o.Draw, "draw", "kmeans",
		"nystrom: which rows: kmeans (far from each other, by the rule of k-means++), uniform or leverage (by ridge "+
			"leverage scores)")
	o.given = f.Changed
	f.IntVar(&o.Dim, "dim", 64,
		"how many features: even where they are cosines and sines; by nystrom fewer, where rows depend on each other")
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
	if !slices.Contains(rowDraws, o.Draw) {
		return usage("--draw: %q%s; give %s", o.Draw, meant(o.Draw, rowDraws), strings.Join(rowDraws, ", "))
	}
	if o.given("draw") && o.Map != "nystrom" {
		if o.given("map") {
			return usage("--draw: for rows, which --map %s has none of; give --map nystrom", o.Map)
		}
		o.Map = "nystrom"
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
	if err := o.suited(a, t); err != nil {
		return err
	}
	if n := t.len(); o.Map == "nystrom" && o.Dim > n {
		return usage("--dim: %d, but %s has %s, which the map is made of; give %d or fewer", o.Dim, t.Name, plural(n, "row"),
			n)
	}
	k, err := a.chooseKernel(ctx, &o.exploreOptions, positive, t)
	if err != nil {
		return err
	}
	m, report, err := o.approximate(ctx, k, t)
	if err != nil {
		return lookError(t.Name, err)
	}
	z, err := m.FeaturesOf(ctx, t.points())
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
	if err := a.save(&o.exploreOptions, t.Data, t.Enc, t.len(), m, model.Info{}); err != nil {
		return err
	}
	return a.tellFeatures(o, t, k, m, report)
}

// approximate is the map with its error.
func (o *featuresOptions) approximate(
	ctx context.Context, k kernel.Kernel[any], t *table,
) (*mapped.Model, gram.ErrorReport, error) {
	how := gram.LowRankOptions{Threads: o.par(), Seed: o.Seed}
	if o.Map != "nystrom" {
		v, ok := kernel.Typed[kernel.Vec](k)
		if !ok {
			return nil, gram.ErrorReport{}, fmt.Errorf("a repaired kernel has no Fourier transform; use --map nystrom")
		}
		a, err := gram.FourierFeatures(ctx, v, t.Rows, o.Dim/2, o.Map == "orthogonal", how)
		if err != nil {
			return nil, gram.ErrorReport{}, err
		}
		m, err := mapped.Features(v, a)
		return m, a.Report, err
	}
	centers, err := o.drawRows(ctx, k, t)
	if err != nil {
		return nil, gram.ErrorReport{}, err
	}
	a, err := gram.Nystrom(ctx, k, t.points(), centers, how)
	if err != nil {
		return nil, gram.ErrorReport{}, err
	}
	m, err := mapped.Features(k, a)
	return m, a.Report, err
}

// drawRows chooses the rows that a map by Nyström is made of.
func (o *featuresOptions) drawRows(ctx context.Context, k kernel.Kernel[any], t *table) ([]int, error) {
	switch o.Draw {
	case "uniform":
		return gram.UniformCenters(t.len(), o.Dim, o.Seed)
	case "leverage":
		return gram.LeverageCenters(ctx, k, t.points(), o.Dim, 0, o.par(), o.Seed)
	}
	return gram.KMeansCenters(ctx, k, t.points(), o.Dim, o.par(), o.Seed)
}

// suited makes of the map what columns of objects allow: a kernel on them has no Fourier transform,
// and Nyström's method needs none.
func (o *featuresOptions) suited(a *App, t *table) error {
	if t.vectors() {
		return nil
	}
	c := t.object()
	switch {
	case o.Map == "nystrom":
	case o.given("map"):
		return usage("--map %s: cosines and sines are of the Fourier transform of a kernel of differences, and column %q "+
			"is %s, which have none; use --map nystrom", o.Map, c.Name, withArticle(c.Kind))
	default:
		o.Map = "nystrom"
		a.warn(&o.exploreOptions,
			fmt.Sprintf("column %q is %s: features are by nystrom, since a kernel on them has no Fourier transform", c.Name,
				withArticle(c.Kind)))
	}
	if !o.given("dim") {
		o.Dim = min(o.Dim, t.len())
	}
	return nil
}

func zDim(z *mat.Dense) int { _, c := z.Dims(); return c }

// columnsText says how much of a row is mapped.
func columnsText(t *table) string {
	if t.vectors() {
		return plural(t.Enc.Dim, "column")
	}
	return t.width()
}

// drawFeatures plots inner products of features beside kernel values, of pairs of rows drawn at
// random.
func (a *App) drawFeatures(o *featuresOptions, k kernel.Kernel[any], t *table, z *mat.Dense) error {
	const pairs = 500
	rng := rand.New(rand.NewPCG(o.Seed, 0x7061697273))
	x := data.Boxed(t.points())
	var g plot.Group
	for range pairs {
		i, j := rng.IntN(x.Len()), rng.IntN(x.Len())
		g.X, g.Y = append(g.X, k.Eval(x.At(i), x.At(j))), append(g.Y, mat.Dot(z.RowView(i), z.RowView(j)))
	}
	f, err := plot.Equal("kernel", "inner product of features", "features of "+t.Name+" beside the kernel", g)
	if err != nil {
		return err
	}
	return a.writePlot(f, &o.plotOptions, fmt.Sprintf("%s of %s: %s of rows", plural(zDim(z), "feature"),
		titleName(t.Name), plural(pairs, "pair")))
}

// tellFeatures says it in words, or as JSON.
func (a *App) tellFeatures(
	o *featuresOptions, t *table, k kernel.Kernel[any], m *mapped.Model, e gram.ErrorReport,
) error {
	name := t.kernelName(&o.exploreOptions, k)
	if o.JSON {
		return a.outcome(map[string]any{"data": t.Name, "rows": t.len(), "features": t.Enc.Dim,
			"kernel": t.typedKernel(&o.exploreOptions, k), "map": o.Map, "dim": m.Dim(),
			"rms_error": e.RMS, "largest_error": e.MaxAbs, "spectral_error": e.Spectral, "spectral_norm": e.Scale,
			"sampled": e.Sampled})
	}
	w := a.say(&o.exploreOptions)
	fmt.Fprintf(w, "%s features of %s: %s, %s, %s\n", o.Map, t.Name, plural(t.len(), "row"), columnsText(t), name)
	if t.Noted != "" {
		fmt.Fprintln(w, t.Noted)
	}
	fmt.Fprintf(w, "%s; inner products are off by %s in the root mean square, at most %s (%s)\n",
		plural(m.Dim(), "feature"), fourDigits(e.RMS), fourDigits(e.MaxAbs), plural(e.Sampled, "row"))
	fmt.Fprintf(w, "spectral norm of the error %s, of the kernel matrix %s\n", fourDigits(e.Spectral), fourDigits(e.Scale))
	a.tellWritten(&o.exploreOptions)
	return nil
}
