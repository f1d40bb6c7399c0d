package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
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
	options := learn.VectorMachineOptions{Lambda: out.Params["lambda"], Resources: r}
	network := learn.RBFOptions{Lambda: out.Params["lambda"], Choice: learn.OrthogonalLeastSquares, Resources: r}
	near := learn.NeighbourOptions{K: min(int(math.Round(out.Params["k"])), p.Len()), Resources: r}
	online := learn.Norma[T]{Kernel: k, Lambda: out.Params["lambda"], Loss: learn.Squared, Intercept: true, Passes: 5, Shuffle: true, SampleWeights: p.Weights, Resources: r}
	if out.Learner == Norma {
		online.Eta = 1 / (online.Lambda + 1 + largestSelf(k, p.Points)) // a step that does not overshoot
	}
	if p.Task == data.Regression {
		switch out.Learner {
		case RVM:
			out.Regressor, err = learn.RVM[T]{Kernel: k, SampleWeights: p.Weights, Resources: r}.Fit(ctx, p.Points, p.Y)
		case L1VM:
			out.Regressor, err = learn.L1VM[T]{Kernel: k, SampleWeights: p.Weights, VectorMachineOptions: options}.Fit(ctx, p.Points, p.Y)
		case L2VM:
			out.Regressor, err = learn.L2VM[T]{Kernel: k, SampleWeights: p.Weights, VectorMachineOptions: options}.Fit(ctx, p.Points, p.Y)
		case RBF:
			out.Regressor, err = learn.RBFNetwork[T]{Kernel: k, SampleWeights: p.Weights, RBFOptions: network}.Fit(ctx, p.Points, p.Y)
		case Norma:
			out.Regressor, err = online.Fit(ctx, p.Points, p.Y)
		case KNN:
			out.Regressor, err = learn.KNNRegression[T]{Kernel: k, SampleWeights: p.Weights, NeighbourOptions: near}.Fit(ctx, p.Points, p.Y)
		case Interpolation:
			if p.Weights != nil {
				return fmt.Errorf("interpolation goes through every point, whatever its weight; leave the weights out")
			}
			out.Regressor, err = learn.Interpolation[T]{Kernel: k, Resources: r}.Fit(ctx, p.Points, p.Y)
		}
		return err
	}
	y := p.codes()
	switch out.Learner {
	case RVM:
		out.Classifier, err = learn.RVMClassifier[T, int]{Kernel: k, SampleWeights: p.Weights, Resources: r}.Fit(ctx, p.Points, y)
	case L1VM:
		out.Classifier, err = learn.L1VMClassifier[T, int]{Kernel: k, SampleWeights: p.Weights, VectorMachineOptions: options}.Fit(ctx, p.Points, y)
	case L2VM:
		out.Classifier, err = learn.L2VMClassifier[T, int]{Kernel: k, SampleWeights: p.Weights, VectorMachineOptions: options}.Fit(ctx, p.Points, y)
	case RBF:
		out.Classifier, err = learn.RBFClassifier[T, int]{Kernel: k, SampleWeights: p.Weights, RBFOptions: network}.Fit(ctx, p.Points, y)
	case Norma:
		online.Loss = learn.LogisticLoss
		out.Classifier, err = learn.NormaClassifier[T, int]{Norma: online}.Fit(ctx, p.Points, y)
	case KNN:
		out.Classifier, err = learn.KNN[T, int]{Kernel: k, SampleWeights: p.Weights, NeighbourOptions: near}.Fit(ctx, p.Points, y)
	case Perceptron:
		rule := learn.PerceptronOptions{Voted: true, Intercept: true, Passes: 10, Shuffle: true}
		out.Classifier, err = learn.Perceptron[T, int]{Kernel: k, SampleWeights: p.Weights, PerceptronOptions: rule, Resources: r}.Fit(ctx, p.Points, y)
	case Medoid:
		out.Classifier, err = learn.NearestMedoid[T, int]{Kernel: k, SampleWeights: p.Weights, Resources: r}.Fit(ctx, p.Points, y)
	case Fisher:
		mu := out.Params["mu"] * math.Max(largestSelf(k, p.Points), 1e-300)
		out.Classifier, err = learn.Fisher[T, int]{Kernel: k, Mu: mu, SampleWeights: p.Weights, Resources: r}.Fit(ctx, p.Points, y)
	}
	return err
}

// largestSelf is the largest k(x, x).
func largestSelf[T any](k kernel.Kernel[T], x data.Points[T]) float64 {
	self := make([]float64, x.Len())
	kernel.Diag(k, self, x)
	return slices.Max(self)
}
