package all

import (
	"cmp"
	"context"
	"maps"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	grow "github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/forest"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/rbf"
	"github.com/mercer-ml/mercer/learn/representer"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"github.com/mercer-ml/mercer/learn/svm"
)

// fitOptions is what the tables of machines hand to every learner.
type fitOptions[L cmp.Ordered] struct {
	learn.Resources
	sample []float64
	class  map[L]float64
}

type classFit[T any, L cmp.Ordered] func(ctx context.Context, k kernel.Kernel[T], o fitOptions[L], x data.Points[T],
	y []L) (learn.Classifier[T, L], error)

type valueFit[T any] func(ctx context.Context, k kernel.Kernel[T], o fitOptions[int], x data.Points[T],
	y []float64) (learn.Regressor[T], error)

// classMachines is every classifier on any points and labels: those of classFamilies and of the
// perceptron, online, network, sparse, neighbour and discriminant families. A new learner belongs
// here; every test of what learners have in common then asks it too.
func classMachines[T any, L cmp.Ordered]() map[string]classFit[T, L] {
	type fit = classFit[T, L]
	type ctx = context.Context
	type k = kernel.Kernel[T]
	type o = fitOptions[L]
	type xs = data.Points[T]
	type out = learn.Classifier[T, L]
	perceptron := func(p online.PerceptronOptions) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return online.Perceptron[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample, PerceptronOptions: p,
				Resources: o.Resources}.Fit(ctx, x, y)
		}
	}
	linear := func(p online.PerceptronOptions) fit {
		return func(ctx ctx, _ k, o o, x xs, y []L) (out, error) {
			return online.LinearPerceptron[T, L]{ClassWeights: o.class, Weights: o.sample, PerceptronOptions: p,
				Resources: o.Resources}.Fit(ctx, x, y)
		}
	}
	norma := func(n online.Norma[T]) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			n.Kernel, n.Weights, n.Resources = k, o.sample, o.Resources
			return online.NormaClassification[T, L]{ClassWeights: o.class, Norma: n}.Fit(ctx, x, y)
		}
	}
	rbfBy := func(r rbf.Options) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			r.Resources = o.Resources
			return rbf.Classification[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample, Options: r}.Fit(ctx, x, y)
		}
	}
	all := map[string]fit{
		"perceptron":              perceptron(online.PerceptronOptions{Intercept: true, Passes: 5}),
		"voted perceptron":        perceptron(online.PerceptronOptions{Voted: true, Shuffle: true, Seed: 3, Passes: 5}),
		"linear perceptron":       linear(online.PerceptronOptions{Intercept: true, Passes: 5}),
		"voted linear perceptron": linear(online.PerceptronOptions{Voted: true, Intercept: true, Passes: 5}),
		"norma hinge":             norma(online.Norma[T]{Loss: online.Hinge, Passes: 2, Shuffle: true, Seed: 5}),
		"norma logistic":          norma(online.Norma[T]{Loss: online.LogisticLoss, Intercept: true}),
		"rbf random":              rbfBy(rbf.Options{Seed: 2}),
		"rbf ols":                 rbfBy(rbf.Options{Choice: rbf.OrthogonalLeastSquares}),
		"rvm classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return sparse.RVMClassification[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample,
				Resources: o.Resources}.Fit(ctx, x, y)
		},
		"representer classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return representer.Classification[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample,
				Options: representer.Options{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"l1vm classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return sparse.L1VMClassification[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample,
				Options: sparse.Options{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"l2vm classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return sparse.L2VMClassification[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample,
				Options: sparse.Options{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"fisher": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return fisher.Discriminant[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample,
				Resources: o.Resources}.Fit(ctx, x, y)
		},
		"knn classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return neighbours.Classification[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample,
				Options: neighbours.Options{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"nw classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return neighbours.KernelMeanClassification[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample,
				Resources: o.Resources}.Fit(ctx, x, y)
		},
		"svc without bias": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return svm.Classification[T, L]{Kernel: k, NoBias: true, ClassWeights: o.class, Weights: o.sample,
				Options: svm.Options{Tol: 1e-6, Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"ordinal": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return logistic.Ordinal[T, L]{Kernel: k, ClassWeights: o.class, Weights: o.sample, Resources: o.Resources}.Fit(ctx,
				x, y)
		},
		"elastic logistic": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return logistic.L1[T, L]{Kernel: k, Lambda: 0.1, Ridge: 0.1, Intercept: true, ClassWeights: o.class,
				Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"normalised rbf classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return rbf.NormalisedClassification[T, L]{Classification: rbf.Classification[T, L]{Kernel: k, ClassWeights: o.class,
				Weights: o.sample, Options: rbf.Options{Choice: rbf.OrthogonalLeastSquares, Resources: o.Resources}}}.Fit(ctx, x, y)
		},
		"centroid": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return neighbours.Centroid[T, L]{Kernel: k, Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"medoid": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return neighbours.Medoid[T, L]{Kernel: k, Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
	}
	maps.Copy(all, classFamilies[T, L]())
	if f, ok := any(classFit[kernel.Vec, L](fitForestClassifier[L])).(classFit[T, L]); ok {
		all["forest classifier"] = f
	}
	if f, ok := any(classFit[kernel.Vec, L](fitBoostingClassifier[L])).(classFit[T, L]); ok {
		all["forest boosted classifier"] = f
	}
	return all
}

// valueMachines is every regression.
func valueMachines[T any]() map[string]valueFit[T] {
	type fit = valueFit[T]
	type ctx = context.Context
	type k = kernel.Kernel[T]
	type o = fitOptions[int]
	type xs = data.Points[T]
	type out = learn.Regressor[T]
	all := map[string]fit{
		"rvm": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return sparse.RVM[T]{Kernel: k, Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"l1vm": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return sparse.L1VM[T]{Kernel: k, Weights: o.sample, Options: sparse.Options{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"l2vm": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return sparse.L2VM[T]{Kernel: k, Weights: o.sample, Options: sparse.Options{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"rbf network": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return rbf.Network[T]{Kernel: k, Weights: o.sample, Options: rbf.Options{Choice: rbf.OrthogonalLeastSquares,
				Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"norma squared": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return online.Norma[T]{Kernel: k, Loss: online.Squared, Eta: 0.5, Passes: 2, Weights: o.sample,
				Resources: o.Resources}.Fit(ctx, x, y)
		},
		"norma tube": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return online.Norma[T]{Kernel: k, Loss: online.EpsilonInsensitive, Intercept: true, Shuffle: true, Budget: 20,
				BudgetRule: online.ProjectSmallest, Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"knn": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return neighbours.Regression[T]{Kernel: k, Weights: o.sample,
				Options: neighbours.Options{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"nw": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return neighbours.KernelMean[T]{Kernel: k, Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"normalised rbf": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return rbf.Normalised[T]{Network: rbf.Network[T]{Kernel: k, Weights: o.sample,
				Options: rbf.Options{Choice: rbf.OrthogonalLeastSquares, Resources: o.Resources}}}.Fit(ctx, x, y)
		},
		"representer": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return representer.Regression[T]{Kernel: k, Weights: o.sample,
				Options: representer.Options{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"interpolation": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return ridge.Interpolation[T]{Kernel: k, Resources: o.Resources}.Fit(ctx, x, y)
		},
	}
	maps.Copy(all, valueFamilies[T]())
	if f, ok := any(valueFit[kernel.Vec](fitSpline)).(valueFit[T]); ok {
		all["smoothing spline"] = f
	}
	if f, ok := any(valueFit[kernel.Vec](fitLocal)).(valueFit[T]); ok {
		all["nw local"] = f
	}
	if f, ok := any(valueFit[kernel.Vec](fitForest)).(valueFit[T]); ok {
		all["forest"] = f
	}
	if f, ok := any(valueFit[kernel.Vec](fitBoosting)).(valueFit[T]); ok {
		all["forest boosted"] = f
	}
	if f, ok := any(valueFit[kernel.Vec](fitThinPlate)).(valueFit[T]); ok {
		all["thin plate"] = f
	}
	return all
}

// fitForest has a kernel of its own, on vectors.
func fitForest(
	ctx context.Context, _ kernel.Kernel[kernel.Vec], o fitOptions[int], x data.Points[kernel.Vec], y []float64,
) (learn.Regressor[kernel.Vec], error) {
	return forest.Regression{Growth: grow.Growth{Trees: 20, Seed: 3}, Weights: o.sample, Resources: o.Resources}.Fit(ctx,
		x, y)
}

func fitForestClassifier[L cmp.Ordered](
	ctx context.Context, _ kernel.Kernel[kernel.Vec], o fitOptions[L], x data.Points[kernel.Vec], y []L,
) (learn.Classifier[kernel.Vec, L], error) {
	return forest.Classification[L]{Growth: grow.Growth{Trees: 20, Seed: 3}, ClassWeights: o.class, Weights: o.sample,
		Resources: o.Resources}.Fit(ctx, x, y)
}

func fitBoosting(
	ctx context.Context, _ kernel.Kernel[kernel.Vec], o fitOptions[int], x data.Points[kernel.Vec], y []float64,
) (learn.Regressor[kernel.Vec], error) {
	return forest.Boosting{Growth: grow.Growth{Trees: 20, Seed: 3}, Weights: o.sample, Resources: o.Resources}.Fit(ctx, x,
		y)
}

func fitBoostingClassifier[L cmp.Ordered](
	ctx context.Context, _ kernel.Kernel[kernel.Vec], o fitOptions[L], x data.Points[kernel.Vec], y []L,
) (learn.Classifier[kernel.Vec, L], error) {
	return forest.BoostingClassification[L]{Growth: grow.Growth{Trees: 20, Seed: 3}, ClassWeights: o.class,
		Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
}

// fitThinPlate has a kernel of its own.
func fitThinPlate(
	ctx context.Context, _ kernel.Kernel[kernel.Vec], o fitOptions[int], x data.Points[kernel.Vec], y []float64,
) (learn.Regressor[kernel.Vec], error) {
	return ridge.ThinPlate{Lambda: 0.01, Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
}

// fitLocal is for vectors, too.
func fitLocal(
	ctx context.Context, k kernel.Kernel[kernel.Vec], o fitOptions[int], x data.Points[kernel.Vec], y []float64,
) (learn.Regressor[kernel.Vec], error) {
	return neighbours.Local{Kernel: k, Degree: 1, Weights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
}

// fittedMachine is a fitted machine of either sort, asked in numbers.
type fittedMachine[T any] struct {
	learn.Model[T]
	ask func(ctx context.Context, x data.Points[T]) ([]float64, error)
}

// predict is the values or class codes of points that the machine is to take.
func (m fittedMachine[T]) predict(t testing.TB, x data.Points[T]) []float64 {
	t.Helper()
	return modeltest.Must(m.ask(t.Context(), x))(t)
}

// allMachines is both tables on class codes, numbers being the targets of regressions.
func allMachines[T any]() map[string]func(ctx context.Context, k kernel.Kernel[T], o fitOptions[int], x data.Points[T],
	code []int, y []float64) (fittedMachine[T], error) {
	out := map[string]func(context.Context, kernel.Kernel[T], fitOptions[int], data.Points[T], []int,
		[]float64) (fittedMachine[T], error){}
	for name, fit := range classMachines[T, int]() {
		out[name] = func(ctx context.Context, k kernel.Kernel[T], o fitOptions[int], x data.Points[T], code []int,
			_ []float64) (fittedMachine[T], error) {
			m, err := fit(ctx, k, o, x, code)
			return fittedMachine[T]{m, func(ctx context.Context, x data.Points[T]) ([]float64, error) {
				codes, err := m.Predict(ctx, x)
				v := make([]float64, len(codes))
				for i, c := range codes {
					v[i] = float64(c)
				}
				return v, err
			}}, err
		}
	}
	for name, fit := range valueMachines[T]() {
		out[name] = func(ctx context.Context, k kernel.Kernel[T], o fitOptions[int], x data.Points[T], _ []int,
			y []float64) (fittedMachine[T], error) {
			m, err := fit(ctx, k, o, x, y)
			return fittedMachine[T]{m, func(ctx context.Context, x data.Points[T]) ([]float64,
				error) {
				return m.Predict(ctx, x)
			}}, err
		}
	}
	return out
}
