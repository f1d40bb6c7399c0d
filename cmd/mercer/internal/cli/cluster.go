package cli

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/spf13/cobra"
)

type clusterOptions struct {
	tableOptions
	Method, Graph            string
	Clusters, Restarts, Near int
}

func newCluster(a *App) *cobra.Command {
	o := &clusterOptions{}
	cmd := &cobra.Command{
		Use:   "cluster DATA",
		Short: "Group rows: kernel k-means, k-medoids or spectral clustering",
		Long: `Group rows so that those of one group are alike under a kernel. Without
--clusters the number from 2 to 10 with the largest silhouette is taken
(spectral clustering: with the largest gap between eigenvalues). Classes in the
last column are not used; how well the groups agree with them is told.`,
		Example: `  mercer cluster iris --plot groups.png
  mercer cluster spirals --method spectral --clusters 2 -o groups.csv
  mercer cluster sales.csv --method kmedoids --clusters 4 --save groups.mercer`,
		Args: dataArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Data = args[0]
			return a.cluster(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.IntVarP(&o.Clusters, "clusters", "k", 0, "how many groups; default: chosen from 2 to 10")
	f.StringVar(&o.Method, "method", "kmeans", "kmeans, kmedoids or spectral")
	f.StringVar(&o.Graph, "graph", "neighbours",
		"spectral: tie nearest neighbours, or all rows by the kernel: neighbours or kernel")
	f.IntVar(&o.Near, "neighbours", 10, "spectral: neighbours of each row")
	f.IntVar(&o.Restarts, "restarts", 10, "starts, of which the best is kept")
	o.columnFlags(cmd, "to compare with, not used")
	o.kernelFlag(cmd)
	o.flags(cmd, "the rows with their cluster and silhouette", "the groups")
	o.saveFlag(cmd, "the groups")
	return cmd
}

// grouping is one clustering and how good it is.
type grouping struct {
	K          int
	Labels     []int
	Silhouette []float64
	Mean       float64
	Eigen      []float64 // spectral
	Medoids    []int     // k-medoids
	Warnings   []string
	Fitted     rkhs.Plainer[any]
}

func (a *App) cluster(ctx context.Context, o *clusterOptions) error {
	if err := o.checkCluster(); err != nil {
		return err
	}
	t, err := a.loadTable(ctx, &o.tableOptions)
	if err != nil {
		return err
	}
	n := t.len()
	if o.Clusters > n || n < 3 {
		return usage("%s: %s cannot make %d groups; give fewer --clusters or more rows", t.Name, plural(n, "row"),
			max(o.Clusters, 2))
	}
	k, err := a.chooseKernel(ctx, &o.exploreOptions, notes, t)
	if err != nil {
		return err
	}
	best, why, err := a.group(ctx, o, t, k)
	if err != nil {
		return lookError(t.Name, err)
	}
	if o.Plot != "" {
		f, err := o.figure(ctx, t, k, best)
		if err != nil {
			return err
		}
		if err := a.writePlot(f, &o.plotOptions, plural(best.K, "cluster")+" of "+titleName(t.Name)); err != nil {
			return err
		}
	}
	if o.Output != "" {
		codes := make([]float64, n)
		for i, c := range best.Labels {
			codes[i] = float64(c + 1)
		}
		columns := t.Data.Gather(t.Kept).Columns
		if err := a.writeColumns(o.Output, append(columns, data.NumberColumn("cluster", codes),
			data.NumberColumn("silhouette", best.Silhouette))...); err != nil {
			return err
		}
	}
	if err := a.save(&o.exploreOptions, t.Data, t.Enc, n, best.Fitted, model.Info{}); err != nil {
		return err
	}
	return a.tellCluster(o, t, k, best, why)
}

func (o *clusterOptions) checkCluster() error {
	if !slices.Contains([]string{"kmeans", "kmedoids", "spectral"}, o.Method) {
		return usage("--method: %q; give kmeans, kmedoids or spectral", o.Method)
	}
	if o.Graph != "neighbours" && o.Graph != "kernel" {
		return usage("--graph: %q; give neighbours or kernel", o.Graph)
	}
	if o.Clusters < 0 || o.Clusters == 1 {
		return usage("--clusters: %d; give 2 or more, or leave it out", o.Clusters)
	}
	if o.Restarts < 1 || o.Near < 1 {
		return usage("--restarts and --neighbours: give 1 or more")
	}
	return o.check()
}

// group clusters with the number asked for, or with every one from 2 to 10.
func (a *App) group(ctx context.Context, o *clusterOptions, t *table, k kernel.Kernel[any]) (*grouping, string, error) {
	trace, done := a.meter(&o.exploreOptions, "clustering", 0)
	defer done()
	fit := func(count int) (*grouping, error) {
		g := &grouping{K: count}
		switch o.Method {
		case "kmedoids":
			m, err := cluster.KMedoids[any]{Kernel: k, Clusters: count, Restarts: o.Restarts, Seed: o.Seed, Threads: o.par(),
				Trace: trace}.Fit(ctx, t.points())
			if err != nil {
				return nil, err
			}
			g.Fitted, g.Labels, g.Medoids, g.Warnings = m, m.Labels(), m.Medoids(), m.Warnings()
		case "spectral":
			s := cluster.Spectral[any]{Kernel: k, Clusters: count, Restarts: o.Restarts, Seed: o.Seed, Threads: o.par()}
			if o.Graph == "neighbours" {
				s.Graph, s.Neighbours = cluster.NeighbourGraph, min(o.Near, t.len()-1)
			}
			m, err := s.Fit(ctx, t.points())
			if err != nil {
				return nil, err
			}
			g.Fitted, g.Labels, g.Eigen, g.Warnings = m, m.Labels(), m.Eigenvalues(), m.Warnings()
		default:
			m, err := cluster.KMeans[any]{Kernel: k, Clusters: count, Restarts: o.Restarts, Seed: o.Seed, Threads: o.par(),
				Trace: trace}.Fit(ctx, t.points())
			if err != nil {
				return nil, err
			}
			g.Fitted, g.Labels, g.Warnings = m, m.Labels(), m.Warnings()
		}
		var err error
		g.Silhouette, g.Mean, err = cluster.Silhouette(ctx, k, t.points(), g.Labels, o.par())
		return g, err
	}
	if o.Clusters > 0 {
		g, err := fit(o.Clusters)
		return g, "as asked", err
	}
	most := min(10, t.len()-1)
	if o.Method == "spectral" {
		g, err := fit(min(most+1, t.len()))
		if err != nil {
			return nil, "", err
		}
		count, gap := 2, math.Inf(-1)
		for c := 2; c < len(g.Eigen); c++ {
			// How much looser the next cut is than the last, as a ratio: the
			// differences grow all along a chain of points that is one group.
			if d := (1 - g.Eigen[c] + 1e-6) / (1 - g.Eigen[c-1] + 1e-6); d > gap {
				count, gap = c, d
			}
		}
		g, err = fit(count)
		return g, "by the largest gap between eigenvalues", err
	}
	var best *grouping
	for count := 2; count <= most; count++ {
		g, err := fit(count)
		if err != nil {
			if best != nil && ctx.Err() == nil {
				break // no more distinct points than that
			}
			return nil, "", err
		}
		if best == nil || g.Mean > best.Mean {
			best = g
		}
	}
	return best, bySilhouette, nil
}

// bySilhouette is how the number of clusters came about where it is neither asked for nor told by
// eigenvalues.
const bySilhouette = "by the largest silhouette"

// weakSilhouette is the mean below which clusters may be artificial (L. Kaufman and P. Rousseeuw,
// Finding Groups in Data, 1990, table 4).
const weakSilhouette = 0.5

func (a *App) tellCluster(o *clusterOptions, t *table, k kernel.Kernel[any], g *grouping, why string) error {
	for _, w := range g.Warnings {
		a.warn(&o.exploreOptions, inFlags(w))
	}
	sizes, mean := make([]int, g.K), make([]float64, g.K)
	for i, c := range g.Labels {
		sizes[c]++
		mean[c] += g.Silhouette[i]
	}
	result := map[string]any{"data": t.Name, "rows": t.len(), "method": o.Method,
		"kernel": t.typedKernel(&o.exploreOptions, k), "clusters": g.K,
		"sizes": sizes, "silhouette": g.Mean, "seed": o.Seed}
	agreement := ""
	if t.Label != nil {
		labels := make([]string, len(g.Labels))
		for i := range labels {
			labels[i] = t.labelOf(i)
		}
		rand, err := cluster.AdjustedRand(g.Labels, labels)
		if err != nil {
			return lookError(t.Name, err)
		}
		info, err := cluster.NormalizedMutualInformation(g.Labels, labels)
		if err != nil {
			return lookError(t.Name, err)
		}
		result["adjusted_rand"], result["normalized_mutual_information"] = rand, info
		agreement = fmt.Sprintf("agreement with %q: adjusted Rand index %.3f, normalised mutual information %.3f",
			t.Label.Name, rand, info)
	}
	if o.JSON {
		return a.outcome(result)
	}
	w := a.say(&o.exploreOptions)
	fmt.Fprintf(w, "%s of %s: %s, %s, %s, seed %d\n", o.Method, t.Name, plural(t.len(), "row"), t.width(),
		t.kernelName(&o.exploreOptions, k), o.Seed)
	if t.Noted != "" {
		fmt.Fprintln(w, t.Noted)
	}
	fmt.Fprintf(w, "%d clusters (%s), mean silhouette %.3f\n", g.K, why, g.Mean)
	if why == bySilhouette && g.Mean < weakSilhouette {
		fmt.Fprintf(w, "below %g that is weak: data without any groups is cut into such, too\n", weakSilhouette)
	}
	fmt.Fprintln(w, "cluster    rows   silhouette")
	for c := range sizes {
		centre := ""
		if g.Medoids != nil {
			centre = "   centre: row " + strconv.Itoa(t.Kept[g.Medoids[c]]+1)
		}
		fmt.Fprintf(w, "%7d %7d %12.3f%s\n", c+1, sizes[c], mean[c]/float64(max(sizes[c], 1)), centre)
	}
	if agreement != "" {
		fmt.Fprintln(w, agreement)
	}
	a.tellWritten(&o.exploreOptions)
	return nil
}

// figure shows the groups over the two columns there are, or over the first
// two principal components: of rows with columns of objects those of the kernel.
func (o *clusterOptions) figure(
	ctx context.Context, t *table, k kernel.Kernel[any], g *grouping,
) (*plot.Figure, error) {
	all := make([]int, t.len())
	labels, names := make([]string, len(all)), make([]string, g.K)
	for i := range all {
		all[i], labels[i] = i, "cluster "+strconv.Itoa(g.Labels[i]+1)
	}
	for c := range names {
		names[c] = "cluster " + strconv.Itoa(c+1)
	}
	alt := "the clusters of " + t.Name
	c := t.Enc.Columns
	if len(c) == 2 && t.Enc.Dim == 2 && c[0].Kind == data.Numeric && c[1].Kind == data.Numeric {
		return plot.Scatter(c[0].Name, c[1].Name, alt, groupBy(names, labels, t.unscaled(c[0].Name, all),
			t.unscaled(c[1].Name, all))...)
	}
	if t.vectors() {
		k = kernel.OnVectors(kernel.Linear{})
	}
	if t.vectors() && t.Enc.Dim < 2 {
		if len(c) == 1 && c[0].Kind == data.Numeric {
			return plot.Scatter(c[0].Name, "silhouette", alt, groupBy(names, labels, t.unscaled(c[0].Name, all),
				g.Silhouette)...)
		}
		return nil, usage("--plot: one feature that is no number makes no picture; use two columns or more")
	}
	m, err := project.PCA[any]{Kernel: k, Components: 2, Seed: o.Seed}.Fit(ctx, t.points())
	if err != nil {
		return nil, lookError(t.Name, err)
	}
	if m.Components() < 2 {
		return nil, usage("--plot: the rows of %s lie on a line; choose one column with --columns", t.Name)
	}
	axis := componentNames(m.ExplainedRatio())
	groups := groupBy(names, labels, matColumn(m.Scores(), 0), matColumn(m.Scores(), 1))
	return plot.Scatter(axis[0], axis[1], alt, groups...)
}
