package archtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/smooth"
	"github.com/mercer-ml/mercer/stat"
	"gonum.org/v1/gonum/mat"
)

type points = data.Points[[]float64]

// use is one thing that can be asked of a fitted model of points in the plane.
type use struct {
	name  string
	short func(ctx context.Context, x points) (any, error)
	room  func(n int) any // a destination for n points
	to    func(ctx context.Context, dst any, x points) error
	size  int  // bytes of the result of one point
	table bool // takes a matrix: no row differs from another in length
}

func intoSlice[R any](
	name string, short func(context.Context, points) ([]R, error), to func(context.Context, []R, points) error,
) use {
	return use{
		name:  name,
		short: func(ctx context.Context, x points) (any, error) { return short(ctx, x) },
		room:  func(n int) any { return make([]R, n) },
		to:    func(ctx context.Context, dst any, x points) error { return to(ctx, dst.([]R), x) },
		size:  int(unsafe.Sizeof(*new(R))),
	}
}

func intoMatrix(
	name string, cols int, short func(context.Context, points) (*mat.Dense, error),
	to func(context.Context, *mat.Dense, points) error,
) use {
	return use{
		name:  name,
		short: func(ctx context.Context, x points) (any, error) { return short(ctx, x) },
		room:  func(n int) any { return mat.NewDense(n, cols, nil) },
		to:    func(ctx context.Context, dst any, x points) error { return to(ctx, dst.(*mat.Dense), x) },
		size:  8 * cols,
	}
}

// matrixOf is the points as a matrix; nil where they are.
func matrixOf(x points) *mat.Dense {
	if x == nil {
		return nil
	}
	if x.Len() == 0 {
		return new(mat.Dense)
	}
	m := mat.NewDense(x.Len(), len(x.At(x.Len()-1)), nil)
	for i := range x.Len() {
		copy(m.RawRowView(i), x.At(i))
	}
	return m
}

func preimages(name string, p project.Preimager) use {
	u := intoMatrix(name, 2,
		func(ctx context.Context, x points) (*mat.Dense, error) { return p.Preimages(ctx, matrixOf(x), nil) },
		func(ctx context.Context, dst *mat.Dense, x points) error {
			return p.PreimagesTo(ctx, dst, matrixOf(x), nil)
		})
	u.table = true
	return u
}

// kept are the models of the first test that asks for them.
var kept struct {
	models []any
	uses   []use
}

// fitted is one model of every kind in stat, density, smooth, project and cluster.
func fitted(t *testing.T) (models []any, uses []use) {
	t.Helper()
	if kept.models == nil {
		kept.models, kept.uses = fit(t)
	}
	return kept.models, kept.uses
}

func fit(t *testing.T) (models []any, uses []use) {
	t.Helper()
	ctx := context.Background()
	x := plane(60, 1)
	y := make([]float64, 60)
	classes := make([]string, 60)
	for i := range y {
		y[i] = math.Sin(x[i][0])
		classes[i] = []string{"a", "b", "c"}[i%3]
	}
	gauss := kernel.Gaussian{Lengthscale: 1.5}
	kde := must(density.KDE{}.Fit(ctx, x))(t)
	tree := must(density.KDE{Method: density.Tree, Lower: []float64{-9, -9}, Adaptive: 0.5}.Fit(ctx, x))(t)
	knn := must(density.KNN{K: 5}.Fit(ctx, x))(t)
	post := must(density.KNNPosterior[string]{K: 5}.Fit(ctx, x, classes))(t)
	mix := must(density.Mixture{Components: 2}.Fit(ctx, x))(t)
	nw := must(smooth.NadarayaWatson{Bandwidth: 1}.Fit(ctx, x, y))(t)
	local := must(smooth.LocalRegression{Degree: 1, Span: 0.5}.Fit(ctx, x, y))(t)
	both := must(smooth.MixtureRegression{Mixture: density.Mixture{Components: 2}}.Fit(ctx, x, y))(t)
	pca := must(project.PCA[kernel.Vec]{Kernel: gauss, Components: 2}.Fit(ctx, x))(t)
	rank := must(project.PCA[kernel.Vec]{Kernel: gauss, Components: 2, Solver: project.SolveLowRank}.Fit(ctx, x))(t)
	sparse := must(project.SparsePCA[kernel.Vec]{PCA: project.PCA[kernel.Vec]{Kernel: gauss, Components: 2},
		Points: 6}.Fit(ctx, x))(t)
	learnt := must(project.MapLearner{}.Fit(ctx, pca.Scores(), x))(t)
	cca := must(project.CCA{Components: 2}.Fit(ctx, project.NewView[kernel.Vec](gauss, x),
		project.NewView[kernel.Vec](gauss, plane(60, 2))))(t)
	means := must(cluster.KMeans[kernel.Vec]{Kernel: gauss, Clusters: 3}.Fit(ctx, x))(t)
	medoids := must(cluster.KMedoids[kernel.Vec]{Kernel: gauss, Clusters: 3}.Fit(ctx, x))(t)
	cut := must(cluster.Spectral[kernel.Vec]{Kernel: gauss, Clusters: 3}.Fit(ctx, x))(t)
	near := must(cluster.Spectral[kernel.Vec]{Kernel: gauss, Clusters: 3, Graph: cluster.NeighbourGraph}.Fit(ctx, x))(t)
	fixed, steep := project.FixedPoint{Model: pca}, project.Gradient{Model: pca}

	models = []any{kde, knn, post, mix, nw, local, both, pca, sparse, cca, fixed, steep, learnt, means, medoids, cut}
	uses = []use{
		intoSlice("KDEModel.LogDensity", kde.LogDensity, kde.LogDensityTo),
		intoSlice("KDEModel.Density", kde.Density, kde.DensityTo),
		intoSlice("KDEModel.Density, bounded", tree.Density, tree.DensityTo),
		intoSlice("KNNModel.LogDensity", knn.LogDensity, knn.LogDensityTo),
		intoSlice("KNNModel.Density", knn.Density, knn.DensityTo),
		intoSlice("KNNPosteriorModel.LogDensity", post.LogDensity, post.LogDensityTo),
		intoSlice("KNNPosteriorModel.Density", post.Density, post.DensityTo),
		intoMatrix("KNNPosteriorModel.Posterior", 3, post.Posterior, post.PosteriorTo),
		intoSlice("MixtureModel.LogDensity", mix.LogDensity, mix.LogDensityTo),
		intoSlice("MixtureModel.Density", mix.Density, mix.DensityTo),
		intoMatrix("MixtureModel.Responsibilities", 2, mix.Responsibilities, mix.ResponsibilitiesTo),
		intoSlice("NadarayaWatsonModel.Predict", nw.Predict, nw.PredictTo),
		intoMatrix("NadarayaWatsonModel.EquivalentWeights", 60, nw.EquivalentWeights, nw.EquivalentWeightsTo),
		intoMatrix("LocalRegressionModel.EquivalentWeights", 60, local.EquivalentWeights, local.EquivalentWeightsTo),
		intoSlice("NadarayaWatsonModel.Conditional", nw.Conditional, nw.ConditionalTo),
		intoSlice("LocalRegressionModel.Predict", local.Predict, local.PredictTo),
		intoSlice("LocalRegressionModel.Bands",
			func(ctx context.Context, x points) ([]smooth.Band, error) { return local.Bands(ctx, x, 0.9) },
			func(ctx context.Context, dst []smooth.Band, x points) error { return local.BandsTo(ctx, dst, x, 0.9) }),
		intoSlice("MixtureRegressionModel.Predict", both.Predict, both.PredictTo),
		intoSlice("MixtureRegressionModel.Conditional", both.Conditional, both.ConditionalTo),
		intoMatrix("PCAModel.Transform", 2, pca.Transform, pca.TransformTo),
		intoMatrix("PCAModel.Transform, low rank", 2, rank.Transform, rank.TransformTo),
		intoMatrix("SparsePCAModel.Transform", 2, sparse.Transform, sparse.TransformTo),
		intoSlice("PCAModel.ReconstructionErrors", pca.ReconstructionErrors, pca.ReconstructionErrorsTo),
		intoMatrix("CCAModel.Transform", 2,
			func(ctx context.Context, x points) (*mat.Dense, error) {
				z, err := cca.Transform(ctx, project.NewView[kernel.Vec](gauss, x), nil)
				if err != nil {
					return nil, err
				}
				return z[0], nil
			},
			func(ctx context.Context, dst *mat.Dense, x points) error {
				return cca.TransformTo(ctx, []*mat.Dense{dst, nil}, project.NewView[kernel.Vec](gauss, x), nil)
			}),
		preimages("FixedPoint.Preimages", fixed),
		preimages("Gradient.Preimages", steep),
		preimages("LearnedMap.Preimages", learnt),
		intoMatrix("Denoise", 2,
			func(ctx context.Context, x points) (*mat.Dense, error) { return project.Denoise(ctx, pca, learnt, x) },
			func(ctx context.Context, dst *mat.Dense, x points) error {
				return project.DenoiseTo(ctx, dst, pca, learnt, x)
			}),
		intoSlice("KMeansModel.Assign", means.Assign, means.AssignTo),
		intoMatrix("KMeansModel.SquaredDistances", 3, means.SquaredDistances, means.SquaredDistancesTo),
		intoSlice("KMedoidsModel.Assign", medoids.Assign, medoids.AssignTo),
		intoSlice("SpectralModel.Assign", cut.Assign, cut.AssignTo),
		intoSlice("SpectralModel.Assign, neighbours", near.Assign, near.AssignTo),
	}
	return models, uses
}

func must[R any](r R, err error) func(t *testing.T) R {
	return func(t *testing.T) R {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func plane(n int, seed uint64) data.Slice[[]float64] {
	rng := rand.New(rand.NewPCG(seed, 3))
	out := make(data.Slice[[]float64], n)
	for i := range out {
		out[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	return out
}

// bad are points that no model of the plane can take, with what its error has to say.
var bad = []struct {
	name, want string
	x          points
}{
	{"nil", "no ", nil},
	{"wrong dimension", "row 1", data.Slice[[]float64]{{0, 0}, {1, 2, 3}}},
	{"NaN", "row 1", data.Slice[[]float64]{{0, 0}, {1, math.NaN()}, {0, 1}}},
	{"+Inf", "row 2", data.Slice[[]float64]{{0, 0}, {1, 1}, {math.Inf(1), 0}}},
	{"-Inf", "row 0", data.Slice[[]float64]{{0, math.Inf(-1)}, {1, 1}}},
}

// calm calls f and turns a panic into a failure.
func calm(t *testing.T, what string, f func() error) (err error) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s: panic: %v", what, r)
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

func TestFittedThingsRefuseBadPoints(t *testing.T) {
	_, uses := fitted(t)
	ended, end := context.WithCancel(context.Background())
	end()
	for _, u := range uses {
		try := func(what, want string, ctx context.Context, dst any, x points) {
			t.Helper()
			for form, f := range map[string]func() error{
				"short": func() error { _, err := u.short(ctx, x); return err },
				"To":    func() error { return u.to(ctx, dst, x) },
			} {
				if form == "short" && what == "destination" {
					continue
				}
				name := fmt.Sprintf("%s, %s, %s form", u.name, what, form)
				if err := calm(t, name, f); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %v; want one with %q", name, err, want)
				}
			}
		}
		for _, b := range bad {
			want, n := b.want, 1
			if b.name == "wrong dimension" && u.table {
				want = "row 0"
			}
			if b.x != nil {
				n = max(1, b.x.Len())
			}
			try(b.name, want, context.Background(), u.room(n), b.x)
		}
		try("destination", "destination", context.Background(), u.room(4), plane(3, 5))
		if err := u.to(ended, u.room(3), plane(3, 5)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a cancelled context gives %v", u.name, err)
		}
		if _, err := u.short(ended, plane(3, 5)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, short form: a cancelled context gives %v", u.name, err)
		}
	}
}

// No points are no results, without an error, in either form.
func TestFittedThingsTakeNoPoints(t *testing.T) {
	_, uses := fitted(t)
	none := data.Slice[[]float64]{}
	for _, u := range uses {
		got, err := u.short(context.Background(), none)
		if err != nil {
			t.Errorf("%s: %v", u.name, err)
			continue
		}
		if m, ok := got.(*mat.Dense); ok && (m == nil || !m.IsEmpty()) || !ok && reflect.ValueOf(got).Len() != 0 {
			t.Errorf("%s of no points is %v", u.name, got)
		}
		dst := reflect.Zero(reflect.TypeOf(got)).Interface()
		if err := calm(t, u.name, func() error { return u.to(context.Background(), dst, none) }); err != nil {
			t.Errorf("%s, To form: %v", u.name, err)
		}
		if err := calm(t, u.name, func() error { return u.to(context.Background(), u.room(2), none) }); err == nil {
			t.Errorf("%s, To form: room for two results of no points was taken", u.name)
		}
	}
}

// The two forms say the same, and the short one allocates the result that the other does not.
func TestFittedThingsWriteIntoTheCallersMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one goroutine: the same scratch every time
	_, uses := fitted(t)
	n := datatest.Size(512, 200)
	x := plane(n, 7)
	for _, u := range uses {
		dst := u.room(n)
		want, err := u.short(context.Background(), x)
		if err != nil {
			t.Errorf("%s: %v", u.name, err)
			continue
		}
		to := leastAllocated(func() { err = u.to(context.Background(), dst, x) })
		if err != nil {
			t.Errorf("%s: %v", u.name, err)
			continue
		}
		if fmt.Sprint(dst) != fmt.Sprint(want) { // by text: NaN equals NaN
			t.Errorf("%s: the two forms differ", u.name)
		}
		short := leastAllocated(func() { _, _ = u.short(context.Background(), x) })
		if saved := int(short) - int(to); saved < n*u.size*9/10 {
			t.Errorf("%s: the To form saves %d bytes of a result of %d", u.name, saved, n*u.size)
		}
	}
}

// leastAllocated is the bytes that f allocates, the least of some calls: pools that are empty
// fill up in the first.
func leastAllocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	var before, after runtime.MemStats
	for range 5 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// Every method of a model that takes a context and returns a result for each point is in the
// table, and has its To form.
func TestFittedThingsAreAllInTheTable(t *testing.T) {
	models, uses := fitted(t)
	known := map[string]bool{}
	for _, u := range uses {
		name, _, _ := strings.Cut(u.name, ",")
		known[name] = true
	}
	for _, m := range models {
		ty := reflect.TypeOf(m)
		name := ty.String()
		name, _, _ = strings.Cut(name[strings.Index(name, ".")+1:], "[")
		for i := range ty.NumMethod() {
			f := ty.Method(i)
			if f.Type.NumIn() < 2 || f.Type.In(1) != reflect.TypeFor[context.Context]() || f.Type.NumOut() != 2 {
				continue
			}
			if f.Type.NumIn() < 3 || !ofPoints(f.Type.In(2)) {
				continue
			}
			if out := f.Type.Out(0); out.Kind() != reflect.Slice && out != reflect.TypeFor[*mat.Dense]() {
				continue
			}
			if !known[name+"."+f.Name] {
				t.Errorf("%s.%s is not in the table", name, f.Name)
			}
			if _, ok := ty.MethodByName(f.Name + "To"); !ok {
				t.Errorf("%s.%s has no %sTo", name, f.Name, f.Name)
			}
		}
	}
}

// ofPoints says whether a parameter holds points: themselves, views of them, or scores.
func ofPoints(ty reflect.Type) bool {
	return ty == reflect.TypeFor[points]() || ty == reflect.TypeFor[[]project.View]() ||
		ty == reflect.TypeFor[*mat.Dense]()
}

// A kernel that is not defined everywhere has the last word on new points.
func TestFittedThingsAskTheKernel(t *testing.T) {
	ctx := context.Background()
	x := plane(40, 1)
	for _, row := range x {
		row[0], row[1] = math.Abs(row[0]), math.Abs(row[1])
	}
	k := kernel.ChiSquare{Gamma: 1}
	pca := must(project.PCA[kernel.Vec]{Kernel: k, Components: 2}.Fit(ctx, x))(t)
	means := must(cluster.KMeans[kernel.Vec]{Kernel: k, Clusters: 2}.Fit(ctx, x))(t)
	medoids := must(cluster.KMedoids[kernel.Vec]{Kernel: k, Clusters: 2}.Fit(ctx, x))(t)
	cut := must(cluster.Spectral[kernel.Vec]{Kernel: k, Clusters: 2}.Fit(ctx, x))(t)
	witness := must(stat.Witness[kernel.Vec](ctx, k, x[:20], x[20:]))(t)
	outside := data.Slice[[]float64]{{1, 1}, {1, -1}}
	for name, f := range map[string]func() error{
		"PCA":      func() error { _, err := pca.Transform(ctx, outside); return err },
		"KMeans":   func() error { _, err := means.Assign(ctx, outside); return err },
		"KMedoids": func() error { _, err := medoids.Assign(ctx, outside); return err },
		"Spectral": func() error { _, err := cut.Assign(ctx, outside); return err },
		"witness":  func() error { _, err := stat.LargestDifferences(ctx, witness, outside, x, 1); return err },
	} {
		if err := calm(t, name, f); err == nil || !strings.Contains(err.Error(), "row 1") {
			t.Errorf("%s took a point outside the kernel's domain: %v", name, err)
		}
	}
}

// Fitting refuses what cannot be fitted, in the same words, and stops when told to.
func TestFitsRefuseBadPoints(t *testing.T) {
	g := kernel.Gaussian{Lengthscale: 1}
	count := func(x points) int {
		if x == nil {
			return 0
		}
		return x.Len()
	}
	targets := func(x points) []float64 { return make([]float64, count(x)) }
	fits := map[string]func(ctx context.Context, x points) error{
		"KDE": func(ctx context.Context, x points) error { _, err := density.KDE{Bandwidth: 1}.Fit(ctx, x); return err },
		"KNN": func(ctx context.Context, x points) error { _, err := density.KNN{K: 1}.Fit(ctx, x); return err },
		"KNNPosterior": func(ctx context.Context, x points) error {
			_, err := density.KNNPosterior[int]{K: 1}.Fit(ctx, x, make([]int, count(x)))
			return err
		},
		"Mixture": func(ctx context.Context, x points) error { _, err := density.Mixture{}.Fit(ctx, x); return err },
		"NadarayaWatson": func(ctx context.Context, x points) error {
			_, err := smooth.NadarayaWatson{Bandwidth: 1}.Fit(ctx, x, targets(x))
			return err
		},
		"LocalRegression": func(ctx context.Context, x points) error {
			_, err := smooth.LocalRegression{Span: 1}.Fit(ctx, x, targets(x))
			return err
		},
		"MixtureRegression": func(ctx context.Context, x points) error {
			_, err := smooth.MixtureRegression{}.Fit(ctx, x, targets(x))
			return err
		},
		"PCA": func(ctx context.Context, x points) error {
			_, err := project.PCA[kernel.Vec]{Kernel: g}.Fit(ctx, x)
			return err
		},
		"CCA": func(ctx context.Context, x points) error {
			_, err := project.CCA{}.Fit(ctx, project.NewView[kernel.Vec](g, x), project.NewView[kernel.Vec](g, x))
			return err
		},
		"MapLearner": func(ctx context.Context, x points) error {
			_, err := project.MapLearner{Kernel: g}.Fit(ctx, mat.NewDense(max(1, count(x)), 2, nil), x)
			return err
		},
		"KMeans": func(ctx context.Context, x points) error {
			_, err := cluster.KMeans[kernel.Vec]{Kernel: g, Clusters: 1}.Fit(ctx, x)
			return err
		},
		"KMedoids": func(ctx context.Context, x points) error {
			_, err := cluster.KMedoids[kernel.Vec]{Kernel: g, Clusters: 1}.Fit(ctx, x)
			return err
		},
		"Spectral": func(ctx context.Context, x points) error {
			_, err := cluster.Spectral[kernel.Vec]{Kernel: g, Clusters: 1}.Fit(ctx, x)
			return err
		},
		"MMD": func(ctx context.Context, x points) error {
			_, err := stat.MMD[kernel.Vec]{Kernel: g}.Test(ctx, x, x)
			return err
		},
		"HSIC": func(ctx context.Context, x points) error {
			_, err := stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: g, KernelY: g}.Test(ctx, x, x)
			return err
		},
		"DHSIC": func(ctx context.Context, x points) error {
			_, err := stat.DHSIC{}.Test(ctx, stat.NewVariable[kernel.Vec](g, x), stat.NewVariable[kernel.Vec](g, x))
			return err
		},
		"Dependence": func(ctx context.Context, x points) error {
			_, err := stat.Dependence{}.Test(ctx, stat.NewVariable[kernel.Vec](g, x), stat.NewVariable[kernel.Vec](g, x))
			return err
		},
		"Witness": func(ctx context.Context, x points) error {
			_, err := stat.Witness[kernel.Vec](ctx, g, x, x)
			return err
		},
	}
	ended, end := context.WithCancel(context.Background())
	end()
	for name, fit := range fits {
		for _, b := range bad {
			what := name + ", " + b.name
			err := calm(t, what, func() error { return fit(context.Background(), b.x) })
			if err == nil {
				t.Errorf("%s was taken", what)
			} else if row := strings.HasPrefix(b.want, "row"); row && !strings.Contains(err.Error(), b.want) &&
				!strings.Contains(err.Error(), strings.Replace(b.want, "row", "vector", 1)) {
				t.Errorf("%s: error %q does not name the %s", what, err, b.want)
			}
		}
		if err := fit(ended, plane(20, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a cancelled context gives %v", name, err)
		}
	}
}
