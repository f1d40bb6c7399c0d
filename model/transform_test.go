package model

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/mapped"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/smooth"
	"gonum.org/v1/gonum/mat"
)

// transformCase is a fitted thing, the file's own model of it, and what the fitted thing itself
// says of new points, by column.
type transformCase struct {
	name   string
	fitted rkhs.Plainer[any]
	role   Role
	want   func(x data.DenseRows) map[string][]float64
}

func newPoints(seed uint64, n, d int) data.DenseRows {
	rng := rand.New(rand.NewPCG(seed, 3))
	m := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			m.Set(i, j, rng.NormFloat64()+float64(2*(i%2)))
		}
	}
	return data.Rows(m)
}

func asFloats(codes []int) []float64 {
	out := make([]float64, len(codes))
	for i, c := range codes {
		out[i] = float64(c + 1)
	}
	return out
}

// level is that of the bands below, and tail what lies on one side of them.
const level = 0.9

var tail = func(level float64) float64 { return (1 - level) / 2 }(level)

// transformCases fits every kind that can be saved, in all the ways that store something of their
// own.
func transformCases(tb testing.TB) []transformCase {
	ctx := context.Background()
	x := newPoints(1, 40, 2)
	t := make([]float64, x.Len())
	weights := make([]float64, x.Len())
	for i := range t {
		t[i] = math.Sin(x.At(i)[0]) + x.At(i)[1]/3
		weights[i] = float64(1 + i%3)
	}
	k := kernel.Gaussian{Lengthscale: 1.3}
	var out []transformCase
	add := func(name string, fitted rkhs.Plainer[any], role Role, want func(x data.DenseRows) map[string][]float64) {
		out = append(out, transformCase{name, fitted, role, want})
	}
	for name, p := range map[string]project.PCA[kernel.Vec]{
		"pca":         {Kernel: k, Components: 3},
		"pca lowrank": {Kernel: kernel.Linear{}, Components: 2, Solver: project.SolveLowRank},
	} {
		m := must(p.Fit(ctx, x))
		add(name, rkhs.ErasePlainer(m), roleProjection, func(x data.DenseRows) map[string][]float64 {
			z := must(m.Transform(ctx, x))
			return map[string][]float64{"component_1": mat.Col(nil, 0, z), "component_2": mat.Col(nil, 1, z),
				"residual": must(m.ReconstructionErrors(ctx, x))}
		})
	}
	sparse := must(project.SparsePCA[kernel.Vec]{PCA: project.PCA[kernel.Vec]{Kernel: k, Components: 2},
		Points: 5}.Fit(ctx, x))
	add("sparse pca", rkhs.ErasePlainer(sparse), roleProjection, func(x data.DenseRows) map[string][]float64 {
		z := must(sparse.Transform(ctx, x))
		return map[string][]float64{"component_1": mat.Col(nil, 0, z), "component_2": mat.Col(nil, 1, z)}
	})
	for name, a := range map[string]*gram.Approximation[kernel.Vec]{
		"fourier features":    must(gram.FourierFeatures(ctx, k, x, 6, false, gram.LowRankOptions{Seed: 4})),
		"orthogonal features": must(gram.FourierFeatures(ctx, k, x, 5, true, gram.LowRankOptions{Seed: 4})),
		"nystrom features":    must(gram.Nystrom(ctx, k, x, []int{0, 3, 7, 20, 39}, gram.LowRankOptions{})),
	} {
		m := must(mapped.Features(k, a))
		add(name, rkhs.ErasePlainer(m), roleProjection, func(x data.DenseRows) map[string][]float64 {
			z := must(m.Features(ctx, x))
			return map[string][]float64{"feature_1": mat.Col(nil, 0, z), "feature_5": mat.Col(nil, 4, z)}
		})
	}
	column := func(x data.DenseRows, j int) data.Points[kernel.Vec] {
		m := mat.NewDense(x.Len(), 1, nil)
		for i := range x.Len() {
			m.Set(i, 0, x.At(i)[j])
		}
		return data.Rows(m)
	}
	cca := must(project.CCA{Components: 2}.Fit(ctx, project.NewView[kernel.Vec](k, column(x, 0)),
		project.NewView[kernel.Vec](kernel.Linear{}, column(x, 1))))
	add("cca", rkhs.ErasePlainer(cca), roleProjection, func(x data.DenseRows) map[string][]float64 {
		z := must(cca.Transform(ctx, project.NewView[kernel.Vec](k, column(x, 0)),
			project.NewView[kernel.Vec](kernel.Linear{}, column(x, 1))))
		return map[string][]float64{"x_1": mat.Col(nil, 0, z[0]), "y_1": mat.Col(nil, 0, z[1]), "x_2": mat.Col(nil, 1, z[0]),
			"y_2": mat.Col(nil, 1, z[1])}
	})
	means := must(cluster.KMeans[kernel.Vec]{Kernel: k, Clusters: 3}.Fit(ctx, x))
	add("kmeans", rkhs.ErasePlainer(means), roleGrouping, func(x data.DenseRows) map[string][]float64 {
		return map[string][]float64{"cluster": asFloats(must(means.Assign(ctx, x)))}
	})
	latent := must(project.GPLVM{Iterations: 30}.Fit(ctx, x))
	add("gplvm", rkhs.ErasePlainer(latent), roleProjection, func(x data.DenseRows) map[string][]float64 {
		z := must(latent.Transform(ctx, x))
		return map[string][]float64{"latent_1": mat.Col(nil, 0, z), "latent_2": mat.Col(nil, 1, z)}
	})
	medoids := must(cluster.KMedoids[kernel.Vec]{Kernel: k, Clusters: 3}.Fit(ctx, x))
	add("kmedoids", rkhs.ErasePlainer(medoids), roleGrouping, func(x data.DenseRows) map[string][]float64 {
		return map[string][]float64{"cluster": asFloats(must(medoids.Assign(ctx, x)))}
	})
	for name, s := range map[string]cluster.Spectral[kernel.Vec]{
		"spectral":            {Kernel: k, Clusters: 2, Graph: cluster.KernelGraph},
		"spectral neighbours": {Kernel: k, Clusters: 2, Graph: cluster.NeighbourGraph, Neighbours: 5, Weighted: true},
	} {
		m := must(s.Fit(ctx, x))
		add(name, rkhs.ErasePlainer(m), roleGrouping, func(x data.DenseRows) map[string][]float64 {
			return map[string][]float64{"cluster": asFloats(must(m.Assign(ctx, x)))}
		})
	}
	h := mat.NewSymDense(2, []float64{0.3, 0.1, 0.1, 0.4})
	for name, c := range map[string]density.KDE{
		"kde":          {},
		"kde weighted": {Weights: weights, Smoother: density.Epanechnikov, Product: true, Bandwidth: 2},
		"kde matrix":   {BandwidthMatrix: h},
		"kde adaptive": {Adaptive: 0.5, Weights: weights},
		"kde bounded":  {Lower: []float64{-9, math.Inf(-1)}, Upper: []float64{math.Inf(1), 9}},
		"kde boxes":    {Method: density.FastGauss, RelTol: 1e-6},
	} {
		m := must(c.Fit(ctx, x))
		add(name, rkhs.ErasePlainer(m), roleDensity, func(x data.DenseRows) map[string][]float64 {
			return map[string][]float64{"log_density": must(m.LogDensity(ctx, x)), "density": must(m.Density(ctx, x))}
		})
	}
	near := must(density.KNN{K: 5}.Fit(ctx, x))
	add("knn", rkhs.ErasePlainer(near), roleDensity, func(x data.DenseRows) map[string][]float64 {
		return map[string][]float64{"log_density": must(near.LogDensity(ctx, x))}
	})
	mix := must(density.Mixture{Components: 2, Covariance: density.TiedCovariance}.Fit(ctx, x))
	add("mixture", rkhs.ErasePlainer(mix), roleDensity, func(x data.DenseRows) map[string][]float64 {
		return map[string][]float64{"log_density": must(mix.LogDensity(ctx, x)),
			"component": asFloats(mostProbable(must(mix.Responsibilities(ctx, x))))}
	})
	for name, c := range map[string]smooth.NadarayaWatson{
		"nw": {}, "nw weighted": {Weights: weights, Smoother: density.TriCube, Product: true, Bandwidths: []float64{3, 4}},
	} {
		m := must(c.Fit(ctx, x, t))
		add(name, rkhs.ErasePlainer(m), roleSmoother, func(x data.DenseRows) map[string][]float64 {
			low := make([]float64, x.Len())
			for i, p := range must(m.Conditional(ctx, x)) {
				low[i] = p.Quantile(tail)
			}
			return map[string][]float64{"smooth": must(m.Predict(ctx, x)), "low": low}
		})
	}
	for name, c := range map[string]smooth.LocalRegression{
		"local":       {Smoother: density.TriCube, Degree: 1, Span: 0.6, Scales: []float64{2, 0.5}, Robust: 2},
		"local width": {Smoother: density.Gaussian, Degree: 2, Bandwidth: 1.5, Weights: weights},
	} {
		m := must(c.Fit(ctx, x, t))
		add(name, rkhs.ErasePlainer(m), roleSmoother, func(x data.DenseRows) map[string][]float64 {
			low := make([]float64, x.Len())
			for i, b := range must(m.Bands(ctx, x, level)) {
				low[i] = b.Lower
			}
			return map[string][]float64{"smooth": must(m.Predict(ctx, x)), "low": low}
		})
	}
	joint := must(smooth.MixtureRegression{Mixture: density.Mixture{Components: 2}}.Fit(ctx, x, t))
	add("mixture regression", rkhs.ErasePlainer(joint), roleSmoother, func(x data.DenseRows) map[string][]float64 {
		return map[string][]float64{"smooth": must(joint.Predict(ctx, x))}
	})
	slices.SortFunc(out, func(a, b transformCase) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	return out
}

// held is an increasing list of log-densities.
func held(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i) - 20
	}
	return out
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// TestTransformsKeepEveryBitThroughAFile holds what a loaded file does against the fitted thing
// itself.
func TestTransformsKeepEveryBitThroughAFile(t *testing.T) {
	x := newPoints(5, 17, 2)
	seen := map[string]bool{}
	for _, c := range transformCases(t) {
		t.Run(c.name, func(t *testing.T) {
			info := Info{DataName: "rows.csv", Rows: 40}
			if c.role == roleDensity {
				info.HeldDensity = held(30)
			}
			m, err := NewTransform(c.fitted, info)
			if err != nil {
				t.Fatal(err)
			}
			seen[m.Learner()] = true
			b := encodeModel(t, m)
			back, err := Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			if again := encodeModel(t, back); !bytes.Equal(b, again) {
				t.Error("the file of the loaded one differs")
			}
			if back.Role() != c.role || back.Role() != m.Role() || len(back.Facts()) == 0 ||
				!reflect.DeepEqual(back.Info(), m.Info()) {
				t.Errorf("came back as %s with %v", back.Role(), back.Facts())
			}
			got, err := back.TransformEncoded(t.Context(), encoded(x), TransformOptions{Level: level})
			if err != nil {
				t.Fatal(err)
			}
			names := back.TransformNames()
			for name, want := range c.want(x) {
				i := slices.IndexFunc(got.Columns, func(c data.Column) bool { return c.Name == name })
				if i < 0 || !slices.Contains(names, name) {
					t.Errorf("no column %q among %v", name, names)
				} else if !sameBits(got.Columns[i].Numbers, want) {
					t.Errorf("column %q is %v, of the fitted one %v", name, got.Columns[i].Numbers[:3], want[:3])
				}
			}
			if p, err := back.TransformEncoded(t.Context(), &data.Encoded{Dense: data.DenseRows{}},
				TransformOptions{}); err != nil || p.Columns[0].Len() != 0 {
				t.Errorf("no rows give %v", err)
			}
			if _, err := back.TransformEncoded(t.Context(), encoded(newPoints(1, 3, 5)), TransformOptions{}); err == nil {
				t.Error("points of five features are taken")
			}
			if _, err := back.PredictEncoded(t.Context(), encoded(x), Want{}); !errors.Is(err, ErrNotPredictor) {
				t.Errorf("asked to predict: %v", err)
			}
			var unfit *UnfitError
			if err := back.WriteONNX(&bytes.Buffer{}, ONNXOptions{}); !errors.As(err, &unfit) {
				t.Errorf("exported: %v", err)
			}
			if back.Summary().Format != 2 {
				t.Error("an older mercer would take the file for a damaged one")
			}
		})
	}
	for kind := range kinds {
		if !seen[kind] {
			t.Errorf("no case of %s", kind)
		}
	}
}

// TestRarity counts by hand.
func TestRarity(t *testing.T) {
	h := []float64{1, 2, 2, 5}
	for v, want := range map[float64]float64{0: 1. / 5, 1: 2. / 5, 2: 4. / 5, 3: 4. / 5, 5: 1, 9: 1,
		math.Inf(-1): 1. / 5} {
		if got := rarity(v, h); got != want {
			t.Errorf("rarity of %g among %v is %g, want %g", v, h, got, want)
		}
	}
	c := transformCases(t)
	m := must(NewTransform(c[slices.IndexFunc(c, func(c transformCase) bool { return c.name == "kde" })].fitted,
		Info{HeldDensity: held(30)}))
	got := must(m.TransformEncoded(t.Context(), encoded(newPoints(5, 9, 2)), TransformOptions{Anomalies: 0.9}))
	last := got.Columns[len(got.Columns)-1]
	for i, v := range got.Columns[1].Numbers {
		want := "no"
		if rarity(v, held(30)) <= 0.9 {
			want = "yes"
		}
		if last.Name != "anomaly" || last.String(i) != want {
			t.Errorf("row %d of log-density %g is %q, want %q", i, v, last.String(i), want)
		}
	}
	if _, err := m.TransformEncoded(t.Context(), encoded(newPoints(5, 9, 2)),
		TransformOptions{Anomalies: 0.001}); !errors.Is(err, errNoAnomalies) {
		t.Errorf("30 rows tell one in a thousand: %v", err)
	}
}

// TestDamagedTransforms takes every array and number away, and makes each NaN: nothing of it may be
// accepted or panic.
func TestDamagedTransforms(t *testing.T) {
	// may hold what is no number
	infinite := map[string]bool{"lower": true, "upper": true, "residuals": true, "fitted": true}
	optional := map[string]bool{"weights": true, "lower": true, "upper": true}
	for _, c := range transformCases(t) {
		p := must(c.fitted.Plain())
		for name := range p.Numbers {
			q := p
			q.Numbers = map[string]float64{}
			for n, v := range p.Numbers {
				q.Numbers[n] = v
			}
			q.Numbers[name] = math.NaN()
			if _, err := newTransform(q, nil); err == nil {
				t.Errorf("%s: number %q may be NaN", c.name, name)
			}
		}
		for name, a := range p.Arrays {
			q := p
			q.Arrays = map[string]*mat.Dense{}
			for n, v := range p.Arrays {
				q.Arrays[n] = v
			}
			delete(q.Arrays, name)
			if _, err := newTransform(q, nil); err == nil && !optional[name] {
				t.Errorf("%s: array %q may be missing", c.name, name)
			}
			spoilt := mat.DenseCopyOf(a)
			spoilt.Set(0, 0, math.NaN())
			q.Arrays[name] = spoilt
			if _, err := newTransform(q, nil); err == nil && !infinite[name] {
				t.Errorf("%s: array %q may hold NaN", c.name, name)
			}
			q.Arrays[name] = mat.NewDense(7, 9, nil)
			if _, err := newTransform(q, nil); err == nil && c.name != "knn" { // which has nothing but points
				t.Errorf("%s: array %q may be of any size", c.name, name)
			}
		}
		q := p
		q.Funcs = nil
		if _, err := newTransform(q, nil); err == nil && len(p.Funcs) > 0 {
			t.Errorf("%s: functions may be missing", c.name)
		}
	}
}
