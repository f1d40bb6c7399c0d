package model

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// machineCases is every perceptron, online, sparse, network, neighbour and
// discriminant learner on one kind of points.
func machineCases[T any](k kernel.Kernel[T], x data.Points[T], test *data.Encoded, class []int, value []float64, kind string, weighted bool) (out []fittedCase) {
	ctx := context.Background()
	regress := func(name string, m interface {
		learn.Regressor[T]
		learn.Saver[T]
	}, std []float64) {
		out = append(out, fittedCase{kind + name, must(New[T](m, Info{})), test, m.Predict(nil, x), nil, nil, std})
	}
	rvm := must(learn.RVM[T]{Kernel: k}.Fit(ctx, x, value))
	std := rvm.Variance(nil, x)
	for i, v := range std {
		std[i] = math.Sqrt(math.Max(v-rvm.Noise(), 0))
	}
	regress("rvm", rvm, std)
	regress("l1vm", must(learn.L1VM[T]{Kernel: k}.Fit(ctx, x, value)), nil)
	regress("l2vm", must(learn.L2VM[T]{Kernel: k}.Fit(ctx, x, value)), nil)
	regress("rbf", must(learn.RBFNetwork[T]{Kernel: k, RBFOptions: learn.RBFOptions{Choice: learn.OrthogonalLeastSquares}}.Fit(ctx, x, value)), nil)
	regress("interpolation", must(learn.Interpolation[T]{Kernel: k}.Fit(ctx, x, value)), nil)
	regress("norma", must(learn.Norma[T]{Kernel: k, Loss: learn.EpsilonInsensitive, Passes: 3, Budget: 40, Intercept: true}.Fit(ctx, x, value)), nil)
	regress("knn", must(learn.KNNRegression[T]{Kernel: k, NeighbourOptions: learn.NeighbourOptions{K: 4, Weighted: weighted}}.Fit(ctx, x, value)), nil)

	for count, y := range map[string][]int{" 2": twoClasses(class), " 3": class} {
		classify := func(name string, m interface {
			learn.Classifier[T, int]
			learn.Saver[T]
		}) {
			var p *mat.Dense
			if q, ok := m.(interface {
				Proba(*mat.Dense, data.Points[T]) *mat.Dense
			}); ok {
				p = q.Proba(nil, x)
			}
			out = append(out, fittedCase{kind + name + count, must(New[T](m, Info{})), test, nil, m.Predict(nil, x), p, nil})
		}
		classify("rvm classifier", must(learn.RVMClassifier[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("l1vm classifier", must(learn.L1VMClassifier[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("l2vm classifier", must(learn.L2VMClassifier[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("rbf classifier", must(learn.RBFClassifier[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("perceptron", must(learn.Perceptron[T, int]{Kernel: k, PerceptronOptions: learn.PerceptronOptions{Voted: true, Intercept: true, Passes: 3}}.Fit(ctx, x, y)))
		classify("norma hinge", must(learn.NormaClassifier[T, int]{Norma: learn.Norma[T]{Kernel: k}}.Fit(ctx, x, y)))
		classify("norma logistic", must(learn.NormaClassifier[T, int]{Norma: learn.Norma[T]{Kernel: k, Loss: learn.LogisticLoss}}.Fit(ctx, x, y)))
		classify("fisher", must(learn.Fisher[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("medoid", must(learn.NearestMedoid[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("knn classifier", must(learn.KNN[T, int]{Kernel: k, NeighbourOptions: learn.NeighbourOptions{K: 6, Weighted: weighted}}.Fit(ctx, x, y)))
	}
	return out
}

// splineCase is a spline: its points are numbers.
func splineCase() fittedCase {
	line, value := make([]float64, 30), make([]float64, 30)
	x := mat.NewDense(30, 1, nil)
	for i := range line {
		line[i] = 3*math.Sin(float64(7*i)) + 10
		value[i] = math.Cos(line[i])
		x.Set(i, 0, line[i])
	}
	m := must(learn.SmoothingSpline{}.Fit(context.Background(), line[:20], value[:20])) // the rest lies between and beyond
	return fittedCase{"spline", must(New[kernel.Vec](m, Info{})), encoded(data.Rows(x)), m.Predict(nil, line), nil, nil, nil}
}

// primalCase is ridge regression on the features themselves.
func primalCase(x data.DenseRows, value []float64) fittedCase {
	m := must(learn.Ridge[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 0.1, Intercept: true, Method: learn.RidgePrimal}.Fit(context.Background(), x, value))
	return fittedCase{"primal ridge", must(New[kernel.Vec](m, Info{})), encoded(x), m.Predict(nil, x), nil, nil, nil}
}

// TestMachinesRoundTrip: predictions, probabilities and deviations keep their
// bits in the file, on dense and sparse rows and on kernel values.
func TestMachinesRoundTrip(t *testing.T) {
	xm, class, value := threeClasses(90, 4)
	x := data.Rows(xm)
	rows := make([]data.SparseVec, 90) // two of three columns, no row twice
	for i := range rows {
		for j := range 4 {
			if (i+j)%3 != 0 {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, xm.At(i, j))
			}
		}
	}
	sx := data.SparseOf(rows, 4)
	k := kernel.Gaussian{Lengthscale: 1.2}
	sk := must(kernel.OnSparse(k, 4))
	gram := mat.NewDense(90, 90, nil)
	kernel.Block(k, gram, x, x)
	cases := machineCases[kernel.Vec](k, x, encoded(x), class, value, "dense ", true)
	cases = append(cases, machineCases[data.SparseVec](sk, sx, encodedSparse(sx), class, value, "sparse ", true)...)
	cases = append(cases, machineCases[int](kernel.Precomputed{K: gram}, data.Indices(90), encoded(data.Rows(gram)), class, value, "precomputed ", false)...)
	roundTrip(t, append(cases, splineCase(), primalCase(x, value)))
}

// TestWeightedNeighboursOfKernelValuesAreRefused: k(x, x) of new points is not in
// a row of kernel values.
func TestWeightedNeighboursOfKernelValuesAreRefused(t *testing.T) {
	xm, class, _ := threeClasses(30, 4)
	gram := mat.NewDense(30, 30, nil)
	kernel.Block[kernel.Vec](kernel.Gaussian{}, gram, data.Rows(xm), data.Rows(xm))
	m := must(learn.KNN[int, int]{Kernel: kernel.Precomputed{K: gram}, NeighbourOptions: learn.NeighbourOptions{Weighted: true}}.Fit(context.Background(), data.Indices(30), class))
	if _, err := New[int](m, Info{}); err == nil {
		t.Error("saved")
	}
}
