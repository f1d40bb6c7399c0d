package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/rbf"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
)

// The learners that a search fits fold by fold, from one Gram matrix for each setting of the kernel; L1VM and L2VM along paths of λ.
const (
	RVM           Learner = "rvm"           // learn.RVM, learn.RVMClassifier
	L1VM          Learner = "l1vm"          // learn.L1VM, learn.L1VMClassifier; parameter lambda
	L2VM          Learner = "l2vm"          // learn.L2VM, learn.L2VMClassifier; parameter lambda
	RBF           Learner = "rbf"           // learn.RBFNetwork, learn.RBFClassifier; parameter lambda
	Perceptron    Learner = "perceptron"    // learn.Perceptron, voted
	Norma         Learner = "norma"         // learn.Norma, learn.NormaClassifier; parameter lambda
	KNN           Learner = "knn"           // learn.KNN, learn.KNNRegression; parameter k
	Medoid        Learner = "medoid"        // learn.NearestMedoid
	Fisher        Learner = "fisher"        // learn.Fisher; parameter mu, as a share of the largest k(x, x)
	Interpolation Learner = "interpolation" // learn.Interpolation
)

// Learners lists all learners a search knows.
func Learners() []Learner {
	return []Learner{SVM, Ridge, Logistic, GP, RVM, L1VM, L2VM, RBF, Perceptron, Norma, KNN, Medoid, Fisher, Interpolation}
}

// machine is what a search knows of such a learner.
type machine struct {
	values, classes bool // what it predicts
	param           *learnerParam
	grid            []float64 // of the parameter, when a search picks it
	linear          bool
}

// machines is the table of them.
func machines() map[Learner]machine {
	lambda := func(fallback float64) *learnerParam { return &learnerParam{"lambda", fallback, positive} }
	return map[Learner]machine{
		RVM:           {values: true, classes: true},
		L1VM:          {values: true, classes: true, param: lambda(1), grid: LogSpace(1e-2, 10, 4)},
		L2VM:          {values: true, classes: true, param: lambda(1), grid: LogSpace(1e-3, 10, 5)},
		RBF:           {values: true, classes: true, param: lambda(1e-3), grid: LogSpace(1e-6, 1, 4)},
		Norma:         {values: true, classes: true, param: lambda(0.01), grid: LogSpace(1e-5, 1e-1, 5)},
		KNN:           {values: true, classes: true, param: &learnerParam{"k", 5, kernel.Domain{Low: 1, High: math.Inf(1)}}, grid: []float64{1, 3, 5, 9, 15, 25}, linear: true},
		Perceptron:    {classes: true},
		Medoid:        {classes: true},
		Fisher:        {classes: true, param: &learnerParam{"mu", 1e-3, positive}, grid: LogSpace(1e-5, 1e-1, 5)},
		Interpolation: {values: true},
	}
}

// refuses says why a machine does not do a task, or nothing.
func (m machine) refuses(l Learner, task data.Task) string {
	switch {
	case task.Classification() && !m.classes:
		return fmt.Sprintf("%s predicts numbers, and the task is %v", l, task)
	case task == data.Regression && !m.values:
		return fmt.Sprintf("%s tells classes apart, and the task is %v", l, task)
	}
	return ""
}

// axes is what a search varies when it picks for itself.
func (m machine) axes() []Axis {
	if m.param == nil {
		return nil
	}
	return []Axis{{Name: m.param.name, Values: slices.Clone(m.grid), Linear: m.linear}}
}

// fitMachine fits one of them.
func fitMachine[T any](ctx context.Context, out *Fitted[T], p Problem[T], o fitOptions) (err error) {
	k, r := out.Kernel, o.resources()
	options := sparse.Options{Lambda: out.Params["lambda"], Resources: r}
	network := rbf.Options{Lambda: out.Params["lambda"], Choice: rbf.OrthogonalLeastSquares, Resources: r}
	near := neighbours.Options{K: min(int(math.Round(out.Params["k"])), p.Len()), Resources: r}
	online := online.Norma[T]{Kernel: k, Lambda: out.Params["lambda"], Loss: online.Squared, Intercept: true, Passes: 5, Shuffle: true, Weights: p.Weights, Resources: r}
	if out.Learner == Norma {
		online.Eta = 1 / (online.Lambda + 1 + largestSelf(k, p.Points)) // a step that does not overshoot
	}
	if p.Task == data.Regression {
		switch out.Learner {
		case RVM:
			out.Regressor, err = sparse.RVM[T]{Kernel: k, Weights: p.Weights, Resources: r}.Fit(ctx, p.Points, p.Y)
		case L1VM:
			out.Regressor, err = sparse.L1VM[T]{Kernel: k, Weights: p.Weights, Options: options}.Fit(ctx, p.Points, p.Y)
		case L2VM:
			out.Regressor, err = sparse.L2VM[T]{Kernel: k, Weights: p.Weights, Options: options}.Fit(ctx, p.Points, p.Y)
		case RBF:
			out.Regressor, err = rbf.Network[T]{Kernel: k, Weights: p.Weights, Options: network}.Fit(ctx, p.Points, p.Y)
		case Norma:
			out.Regressor, err = online.Fit(ctx, p.Points, p.Y)
		case KNN:
			out.Regressor, err = neighbours.Regression[T]{Kernel: k, Weights: p.Weights, Options: near}.Fit(ctx, p.Points, p.Y)
		case Interpolation:
			if p.Weights != nil {
				return fmt.Errorf("interpolation goes through every point, whatever its weight; leave the weights out")
			}
			out.Regressor, err = ridge.Interpolation[T]{Kernel: k, Resources: r}.Fit(ctx, p.Points, p.Y)
		}
		return err
	}
	y := p.codes()
	switch out.Learner {
	case RVM:
		out.Classifier, err = sparse.RVMClassification[T, int]{Kernel: k, Weights: p.Weights, Resources: r}.Fit(ctx, p.Points, y)
	case L1VM:
		out.Classifier, err = sparse.L1VMClassification[T, int]{Kernel: k, Weights: p.Weights, Options: options}.Fit(ctx, p.Points, y)
	case L2VM:
		out.Classifier, err = sparse.L2VMClassification[T, int]{Kernel: k, Weights: p.Weights, Options: options}.Fit(ctx, p.Points, y)
	case RBF:
		out.Classifier, err = rbf.Classification[T, int]{Kernel: k, Weights: p.Weights, Options: network}.Fit(ctx, p.Points, y)
	case Norma:
		online.Loss = online.LogisticLoss
		out.Classifier, err = online.NormaClassification[T, int]{Norma: online}.Fit(ctx, p.Points, y)
	case KNN:
		out.Classifier, err = neighbours.Classification[T, int]{Kernel: k, Weights: p.Weights, Options: near}.Fit(ctx, p.Points, y)
	case Perceptron:
		rule := online.PerceptronOptions{Voted: true, Intercept: true, Passes: 10, Shuffle: true}
		out.Classifier, err = online.Perceptron[T, int]{Kernel: k, Weights: p.Weights, PerceptronOptions: rule, Resources: r}.Fit(ctx, p.Points, y)
	case Medoid:
		out.Classifier, err = neighbours.Medoid[T, int]{Kernel: k, Weights: p.Weights, Resources: r}.Fit(ctx, p.Points, y)
	case Fisher:
		mu := out.Params["mu"] * math.Max(largestSelf(k, p.Points), 1e-300)
		out.Classifier, err = fisher.Discriminant[T, int]{Kernel: k, Mu: mu, Weights: p.Weights, Resources: r}.Fit(ctx, p.Points, y)
	}
	return err
}

// largestSelf is the largest k(x, x).
func largestSelf[T any](k kernel.Kernel[T], x data.Points[T]) float64 {
	self := make([]float64, x.Len())
	kernel.Diag(ctx, k, self, x)
	return slices.Max(self)
}
