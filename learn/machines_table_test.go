package learn

import (
	"cmp"
	"context"
	"maps"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// fitOptions is what the tables of machines hand to every learner.
type fitOptions[L cmp.Ordered] struct {
	Resources
	sample []float64
	class  map[L]float64
}

type classFit[T any, L cmp.Ordered] func(ctx context.Context, k kernel.Kernel[T], o fitOptions[L], x data.Points[T], y []L) (Classifier[T, L], error)

type valueFit[T any] func(ctx context.Context, k kernel.Kernel[T], o fitOptions[int], x data.Points[T], y []float64) (Regressor[T], error)

// classMachines is every classifier on any points and labels: those of classFamilies and of the
// perceptron, online, network, sparse, neighbour and discriminant families. A new learner belongs here; every test of
// what learners have in common then asks it too.
func classMachines[T any, L cmp.Ordered]() map[string]classFit[T, L] {
	type fit = classFit[T, L]
	type ctx = context.Context
	type k = kernel.Kernel[T]
	type o = fitOptions[L]
	type xs = data.Points[T]
	type out = Classifier[T, L]
	perceptron := func(p PerceptronOptions) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return Perceptron[T, L]{Kernel: k, ClassWeights: o.class, SampleWeights: o.sample, PerceptronOptions: p, Resources: o.Resources}.Fit(ctx, x, y)
		}
	}
	linear := func(p PerceptronOptions) fit {
		return func(ctx ctx, _ k, o o, x xs, y []L) (out, error) {
			return LinearPerceptron[T, L]{ClassWeights: o.class, SampleWeights: o.sample, PerceptronOptions: p, Resources: o.Resources}.Fit(ctx, x, y)
		}
	}
	norma := func(n Norma[T]) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			n.Kernel, n.SampleWeights, n.Resources = k, o.sample, o.Resources
			return NormaClassifier[T, L]{ClassWeights: o.class, Norma: n}.Fit(ctx, x, y)
		}
	}
	rbf := func(r RBFOptions) fit {
		return func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			r.Resources = o.Resources
			return RBFClassifier[T, L]{Kernel: k, ClassWeights: o.class, SampleWeights: o.sample, RBFOptions: r}.Fit(ctx, x, y)
		}
	}
	all := map[string]fit{
		"perceptron":              perceptron(PerceptronOptions{Intercept: true, Passes: 5}),
		"voted perceptron":        perceptron(PerceptronOptions{Voted: true, Shuffle: true, Seed: 3, Passes: 5}),
		"linear perceptron":       linear(PerceptronOptions{Intercept: true, Passes: 5}),
		"voted linear perceptron": linear(PerceptronOptions{Voted: true, Intercept: true, Passes: 5}),
		"norma hinge":             norma(Norma[T]{Loss: Hinge, Passes: 2, Shuffle: true, Seed: 5}),
		"norma logistic":          norma(Norma[T]{Loss: LogisticLoss, Intercept: true}),
		"rbf random":              rbf(RBFOptions{Seed: 2}),
		"rbf ols":                 rbf(RBFOptions{Choice: OrthogonalLeastSquares}),
		"rvm classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return RVMClassifier[T, L]{Kernel: k, ClassWeights: o.class, SampleWeights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"l1vm classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return L1VMClassifier[T, L]{Kernel: k, ClassWeights: o.class, SampleWeights: o.sample, VectorMachineOptions: VectorMachineOptions{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"l2vm classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return L2VMClassifier[T, L]{Kernel: k, ClassWeights: o.class, SampleWeights: o.sample, VectorMachineOptions: VectorMachineOptions{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"fisher": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return Fisher[T, L]{Kernel: k, ClassWeights: o.class, SampleWeights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"knn classifier": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return KNN[T, L]{Kernel: k, ClassWeights: o.class, SampleWeights: o.sample, NeighbourOptions: NeighbourOptions{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"medoid": func(ctx ctx, k k, o o, x xs, y []L) (out, error) {
			return NearestMedoid[T, L]{Kernel: k, SampleWeights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
	}
	maps.Copy(all, classFamilies[T, L]())
	return all
}

// valueMachines is every regression.
func valueMachines[T any]() map[string]valueFit[T] {
	type fit = valueFit[T]
	type ctx = context.Context
	type k = kernel.Kernel[T]
	type o = fitOptions[int]
	type xs = data.Points[T]
	type out = Regressor[T]
	all := map[string]fit{
		"rvm": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return RVM[T]{Kernel: k, SampleWeights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"l1vm": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return L1VM[T]{Kernel: k, SampleWeights: o.sample, VectorMachineOptions: VectorMachineOptions{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"l2vm": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return L2VM[T]{Kernel: k, SampleWeights: o.sample, VectorMachineOptions: VectorMachineOptions{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"rbf network": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return RBFNetwork[T]{Kernel: k, SampleWeights: o.sample, RBFOptions: RBFOptions{Choice: OrthogonalLeastSquares, Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"norma squared": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return Norma[T]{Kernel: k, Loss: Squared, Eta: 0.5, Passes: 2, SampleWeights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"norma tube": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return Norma[T]{Kernel: k, Loss: EpsilonInsensitive, Intercept: true, Shuffle: true, Budget: 20, BudgetRule: ProjectSmallest, SampleWeights: o.sample, Resources: o.Resources}.Fit(ctx, x, y)
		},
		"knn": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return KNNRegression[T]{Kernel: k, SampleWeights: o.sample, NeighbourOptions: NeighbourOptions{Resources: o.Resources}}.Fit(ctx, x, y)
		},
		"interpolation": func(ctx ctx, k k, o o, x xs, y []float64) (out, error) {
			return Interpolation[T]{Kernel: k, Resources: o.Resources}.Fit(ctx, x, y)
		},
	}
	maps.Copy(all, valueFamilies[T]())
	if f, ok := any(valueFit[kernel.Vec](fitSpline)).(valueFit[T]); ok {
		all["smoothing spline"] = f
	}
	return all
}

// fittedMachine is a fitted machine of either sort, asked in numbers.
type fittedMachine[T any] struct {
	Model[T]
	predict func(x data.Points[T]) []float64
}

// allMachines is both tables on class codes, numbers being the targets of regressions.
func allMachines[T any]() map[string]func(ctx context.Context, k kernel.Kernel[T], o fitOptions[int], x data.Points[T], code []int, y []float64) (fittedMachine[T], error) {
	out := map[string]func(context.Context, kernel.Kernel[T], fitOptions[int], data.Points[T], []int, []float64) (fittedMachine[T], error){}
	for name, fit := range classMachines[T, int]() {
		out[name] = func(ctx context.Context, k kernel.Kernel[T], o fitOptions[int], x data.Points[T], code []int, _ []float64) (fittedMachine[T], error) {
			m, err := fit(ctx, k, o, x, code)
			return fittedMachine[T]{m, func(x data.Points[T]) []float64 {
				v := make([]float64, x.Len())
				for i, c := range m.Predict(nil, x) {
					v[i] = float64(c)
				}
				return v
			}}, err
		}
	}
	for name, fit := range valueMachines[T]() {
		out[name] = func(ctx context.Context, k kernel.Kernel[T], o fitOptions[int], x data.Points[T], _ []int, y []float64) (fittedMachine[T], error) {
			m, err := fit(ctx, k, o, x, y)
			return fittedMachine[T]{m, func(x data.Points[T]) []float64 { return m.Predict(nil, x) }}, err
		}
	}
	return out
}

func finiteAll(v []float64) bool {
	for _, a := range v {
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return false
		}
	}
	return true
}
