package worker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/mapped"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/smooth"
	"gonum.org/v1/gonum/mat"
)

// shapeArgs is what a fit without a learner of the table is told: projections, groupings, densities
// and smoothers.
type shapeArgs struct {
	Kind       string    `json:"kind"`
	Kernel     string    `json:"kernel"`
	Kernels    []string  `json:"kernels"` // of views
	Count      int       `json:"count"`   // components, clusters, centres, frequencies
	Seed       uint64    `json:"seed"`
	Tol        float64   `json:"tol"`
	Restarts   int       `json:"restarts"`
	Iterations int       `json:"iterations"`
	Neighbours int       `json:"neighbours"` // of a graph; 0: the kernel's own
	Kappa      float64   `json:"kappa"`
	Smoother   string    `json:"smoother"`
	Bandwidth  float64   `json:"bandwidth"`
	Bandwidths []float64 `json:"bandwidths"`
	Rule       string    `json:"rule"`
	RelTol     float64   `json:"rtol"`
	AbsTol     float64   `json:"atol"`
	Degree     int       `json:"degree"`
	Span       float64   `json:"span"`
	Robust     int       `json:"robust"`
	Centers    string    `json:"centers"` // how centres are chosen

	given kernel.Kernel[kernel.Vec] // on the places of objects, where the matrix came
}

// kernel is the one that was given as a matrix, or the one of the text, fitted to the rows where it
// is one that has to be.
func (a shapeArgs) kernel(ctx context.Context, x data.DenseRows) (kernel.Kernel[kernel.Vec], error) {
	if a.given != nil {
		return a.given, nil
	}
	k, err := spec.ParseKernel(a.Kernel)
	if err != nil || !kernel.Learns(kernel.OnVectors(k)) {
		return k, err
	}
	learnt, err := kernel.Learn(ctx, kernel.OnVectors(k), kernel.Examples{Points: data.EraseVectors(x)})
	if err != nil {
		return nil, err
	}
	own, ok := kernel.Typed[kernel.Vec](learnt)
	if !ok {
		return nil, fmt.Errorf("%s is no kernel on vectors", a.Kernel)
	}
	return own, nil
}

// rows is the points: vectors, or the places of objects whose matrix of kernel values came instead.
func (c *call) rows(args *shapeArgs) (data.DenseRows, error) {
	x, err := c.arrays.points("x")
	if err != nil {
		return data.DenseRows{}, err
	}
	if x.sparse != nil {
		return data.DenseRows{}, fmt.Errorf("sparse rows, where dense ones are wanted")
	}
	if x.gram == nil {
		return data.Rows(x.dense), nil
	}
	n, columns := x.gram.Dims()
	if n != columns {
		return data.DenseRows{}, fmt.Errorf("precomputed matrix must be a square matrix: %d × %d", n, columns)
	}
	args.given = listed{x.gram}
	return places(n), nil
}

// shaped is a fitted thing with what is told of it.
type shaped struct {
	rkhs.Plainer[any]
	tell func(a *answer)
}

// shapes fits, by kind.
var shapes = map[string]func(context.Context, *call, shapeArgs, data.DenseRows) (shaped, error){
	"pca": fitPCA, "kmeans": fitKMeans, "spectral": fitSpectral, "kde": fitKDE,
	"nystroem": fitFeatures, "fourier": fitFeatures, "nadaraya-watson": fitCurve, "local-regression": fitLocal,
	"cca": fitCCA,
}

// shape fits what is no learner of the table.
func shape(ctx context.Context, c *call) (*answer, error) {
	var args shapeArgs
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	do := shapes[args.Kind]
	if do == nil {
		return nil, &fault{"internal", fmt.Sprintf("there is no kind %q", args.Kind)}
	}
	x, err := c.rows(&args)
	if err != nil {
		return nil, err
	}
	s, err := do(ctx, c, args, x)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	m, err := model.NewTransform(s, model.Info{Spec: args.Kind})
	if err != nil {
		return nil, err
	}
	a, err := c.fitted(&fitted{model: m}, fitArgs{})
	if err != nil {
		return nil, err
	}
	s.tell(a)
	return a, nil
}

func fitPCA(ctx context.Context, c *call, args shapeArgs, x data.DenseRows) (shaped, error) {
	k, err := args.kernel(ctx, x)
	if err != nil {
		return shaped{}, err
	}
	m, err := project.PCA[kernel.Vec]{Kernel: k, Components: args.Count, Tolerance: args.Tol, Seed: args.Seed,
		Trace: c.trace}.Fit(ctx, x)
	if err != nil {
		return shaped{}, err
	}
	return shaped{rkhs.ErasePlainer(m), func(a *answer) {
		put(a, "variance", m.Variance())
		a.putMatrix("scores", m.Scores())
		a.result["total"] = m.TotalVariance()
	}}, nil
}

func fitKMeans(ctx context.Context, c *call, args shapeArgs, x data.DenseRows) (shaped, error) {
	k, err := args.kernel(ctx, x)
	if err != nil {
		return shaped{}, err
	}
	m, err := cluster.KMeans[kernel.Vec]{Kernel: k, Clusters: args.Count, Restarts: args.Restarts,
		MaxIterations: args.Iterations, Seed: args.Seed, Trace: c.trace}.Fit(ctx, x)
	if err != nil {
		return shaped{}, err
	}
	return shaped{rkhs.ErasePlainer(m), func(a *answer) {
		a.putInts("labels", m.Labels())
		a.result["inertia"], a.result["iterations"] = m.Inertia(), m.Iterations()
		a.result["report"] = map[string]any{"warnings": m.Warnings(), "converged": m.Converged()}
	}}, nil
}

func fitSpectral(ctx context.Context, _ *call, args shapeArgs, x data.DenseRows) (shaped, error) {
	k, err := args.kernel(ctx, x)
	if err != nil {
		return shaped{}, err
	}
	s := cluster.Spectral[kernel.Vec]{Kernel: k, Clusters: args.Count, Restarts: args.Restarts, Tolerance: args.Tol,
		Seed: args.Seed}
	if args.Neighbours > 0 {
		s.Graph, s.Neighbours = cluster.NeighbourGraph, args.Neighbours
	}
	m, err := s.Fit(ctx, x)
	if err != nil {
		return shaped{}, err
	}
	return shaped{rkhs.ErasePlainer(m), func(a *answer) {
		a.putInts("labels", m.Labels())
		put(a, "eigenvalues", m.Eigenvalues())
		a.putMatrix("embedding", m.Embedding())
		a.result["report"] = map[string]any{"warnings": m.Warnings()}
	}}, nil
}

// rules are those of a bandwidth, by the names that Python has for them.
var rules = map[string]density.BandwidthRule{
	"silverman": density.SilvermanRule, "scott": density.ScottRule, "robust": density.RobustRule,
	"sheather-jones": density.SheatherJonesRule, "likelihood": density.LikelihoodRule,
	"least-squares": density.LeastSquaresRule,
}

func smootherOf(name string) (density.Smoother, error) {
	if name == "" {
		return density.Gaussian, nil
	}
	return density.ParseSmoother(name)
}

func fitKDE(ctx context.Context, c *call, args shapeArgs, x data.DenseRows) (shaped, error) {
	smoother, err := smootherOf(args.Smoother)
	if err != nil {
		return shaped{}, err
	}
	rule, ok := rules[args.Rule]
	if args.Rule != "" && !ok {
		return shaped{}, fmt.Errorf("there is no rule %q for a bandwidth; give %s", args.Rule,
			strings.Join(slices.Sorted(maps.Keys(rules)), ", "))
	}
	w, err := vector[float64](c.arrays, "weights")
	if err != nil {
		return shaped{}, err
	}
	m, err := density.KDE{Smoother: smoother, Bandwidth: args.Bandwidth, Bandwidths: args.Bandwidths, Rule: rule,
		Weights: w, RelTol: args.RelTol, AbsTol: args.AbsTol}.Fit(ctx, x)
	if err != nil {
		return shaped{}, err
	}
	return shaped{rkhs.ErasePlainer(m), func(a *answer) {
		put(a, "bandwidths", m.Bandwidths())
		a.result["report"] = reportOf(m.Report())
	}}, nil
}

func fitFeatures(ctx context.Context, _ *call, args shapeArgs, x data.DenseRows) (shaped, error) {
	k, err := spec.ParseKernel(args.Kernel)
	if err != nil {
		return shaped{}, err
	}
	o := gram.LowRankOptions{Seed: args.Seed}
	var approximation *gram.Approximation[kernel.Vec]
	var index []int
	if args.Kind == "fourier" {
		approximation, err = gram.FourierFeatures(ctx, k, x, args.Count, true, o)
	} else {
		if index, err = centres(ctx, k, x, args); err != nil {
			return shaped{}, err
		}
		approximation, err = gram.Nystrom(ctx, k, x, index, o)
	}
	if err != nil {
		return shaped{}, err
	}
	m, err := mapped.Features(k, approximation)
	if err != nil {
		return shaped{}, err
	}
	return shaped{rkhs.ErasePlainer(m), func(a *answer) {
		if index != nil {
			a.putInts("index", index)
		}
		rms, largest, _ := m.Error()
		a.result["count"], a.result["rms"], a.result["largest"] = m.Dim(), rms, largest
	}}, nil
}

// centres chooses rows for Nyström's approximation.
func centres(ctx context.Context, k kernel.Kernel[kernel.Vec], x data.DenseRows, args shapeArgs) ([]int, error) {
	count := min(args.Count, x.Len())
	if args.Centers == "kmeans" {
		return gram.KMeansCenters(ctx, k, data.Points[kernel.Vec](x), count, 0, args.Seed)
	}
	return gram.UniformCenters(x.Len(), count, args.Seed)
}

func fitCurve(ctx context.Context, c *call, args shapeArgs, x data.DenseRows) (shaped, error) {
	smoother, y, w, err := curveData(c, args)
	if err != nil {
		return shaped{}, err
	}
	m, err := smooth.NadarayaWatson{Smoother: smoother, Bandwidth: args.Bandwidth, Bandwidths: args.Bandwidths,
		Robust: args.Robust > 0, Weights: w}.Fit(ctx, x, y)
	if err != nil {
		return shaped{}, err
	}
	return shaped{rkhs.ErasePlainer(m), func(a *answer) {
		put(a, "bandwidths", m.Bandwidths())
		a.result["freedom"], a.result["report"] = m.Freedom(), reportOf(m.Report())
	}}, nil
}

func fitLocal(ctx context.Context, c *call, args shapeArgs, x data.DenseRows) (shaped, error) {
	smoother, y, w, err := curveData(c, args)
	if err != nil {
		return shaped{}, err
	}
	m, err := smooth.LocalRegression{Smoother: smoother, Degree: args.Degree, Span: args.Span, Bandwidth: args.Bandwidth,
		Bandwidths: args.Bandwidths, Robust: args.Robust, Weights: w}.Fit(ctx, x, y)
	if err != nil {
		return shaped{}, err
	}
	return shaped{rkhs.ErasePlainer(m), func(a *answer) {
		a.result["freedom"], a.result["sigma"], a.result["report"] = m.Freedom(),
			finite(map[string]float64{"sigma": m.Sigma()}), reportOf(m.Report())
	}}, nil
}

func curveData(c *call, args shapeArgs) (density.Smoother, []float64, []float64, error) {
	smoother, err := smootherOf(args.Smoother)
	if err != nil {
		return 0, nil, nil, err
	}
	y, err := targets(c.arrays)
	if err != nil || len(y) != 1 {
		return 0, nil, nil, fmt.Errorf("a smoother has one target, not %d", len(y))
	}
	w, err := vector[float64](c.arrays, "weights")
	return smoother, y[0], w, err
}

// fitCCA has two views: x and x2.
func fitCCA(ctx context.Context, c *call, args shapeArgs, x data.DenseRows) (shaped, error) {
	other, err := dense(c.arrays, "x2")
	if err != nil {
		return shaped{}, err
	}
	if len(args.Kernels) != 2 {
		return shaped{}, &fault{"internal", "two views have two kernels"}
	}
	var views []project.View
	for i, rows := range []data.DenseRows{x, data.Rows(other)} {
		k, err := spec.ParseKernel(args.Kernels[i])
		if err != nil {
			return shaped{}, err
		}
		views = append(views, project.NewView(k, data.Points[kernel.Vec](data.Own[kernel.Vec](rows))))
	}
	m, err := project.CCA{Components: args.Count, Kappa: args.Kappa, Tolerance: args.Tol, Seed: args.Seed}.Fit(ctx,
		views...)
	if err != nil {
		return shaped{}, err
	}
	return shaped{rkhs.ErasePlainer(m), func(a *answer) {
		put(a, "correlations", m.Correlations())
		a.putMatrix("scores.x", m.Scores(0))
		a.putMatrix("scores.y", m.Scores(1))
	}}, nil
}

// transform does with points what a fitted thing is for.
func transform(ctx context.Context, c *call) (*answer, error) {
	var args struct {
		Model   uint64       `json:"model"`
		Level   float64      `json:"level"`
		Columns []columnHead `json:"columns"`
	}
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	a := newAnswer()
	m, err := c.using(args.Model, a)
	if err != nil {
		return nil, err
	}
	x, err := c.encoded(m, args.Columns)
	if err != nil {
		return nil, err
	}
	t, err := m.TransformEncoded(ctx, x, model.TransformOptions{Level: args.Level})
	if err != nil {
		return nil, err
	}
	var names []string
	var columns [][]float64
	for _, column := range t.Columns {
		if column.Kind == data.Numeric {
			names, columns = append(names, column.Name), append(columns, column.Numbers)
		}
	}
	out := mat.NewDense(len(t.Rows), len(columns), nil)
	for j, v := range columns {
		out.SetCol(j, v)
	}
	a.result["names"] = names
	a.putMatrix("columns", out)
	return a, nil
}
