package model

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/fisher"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/rbf"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"gonum.org/v1/gonum/mat"
)

// machineCases is every perceptron, online, sparse, network, neighbour and
// discriminant learner on one kind of points.
func machineCases[T any](
	k kernel.Kernel[T], x data.Points[T], test *data.Encoded, class []int, value []float64, kind string, weighted bool,
) (out []fittedCase) {
	ctx := context.Background()
	regress := func(name string, m interface {
		learn.Regressor[T]
		learn.Saver[T]
	}, std []float64) {
		out = append(out, fittedCase{kind + name, must(New[T](m, Info{})), test, must(m.Predict(context.Background(), x)),
			nil, nil, std})
	}
	rvm := must(sparse.RVM[T]{Kernel: k}.Fit(ctx, x, value))
	std := must(rvm.Variance(context.Background(), x))
	for i, v := range std {
		std[i] = math.Sqrt(math.Max(v-rvm.Noise(), 0))
	}
	regress("rvm", rvm, std)
	regress("l1vm", must(sparse.L1VM[T]{Kernel: k}.Fit(ctx, x, value)), nil)
	regress("l2vm", must(sparse.L2VM[T]{Kernel: k}.Fit(ctx, x, value)), nil)
	regress("rbf", must(rbf.Network[T]{Kernel: k, Options: rbf.Options{Choice: rbf.OrthogonalLeastSquares}}.Fit(ctx, x,
		value)), nil)
	regress("interpolation", must(ridge.Interpolation[T]{Kernel: k}.Fit(ctx, x, value)), nil)
	regress("norma", must(online.Norma[T]{Kernel: k, Loss: online.EpsilonInsensitive, Passes: 3, Budget: 40,
		Intercept: true}.Fit(ctx, x, value)), nil)
	regress("knn", must(neighbours.Regression[T]{Kernel: k, Options: neighbours.Options{K: 4, Weighted: weighted}}.Fit(ctx,
		x, value)), nil)

	for count, y := range map[string][]int{" 2": twoClasses(class), " 3": class} {
		classify := func(name string, m interface {
			learn.Classifier[T, int]
			learn.Saver[T]
		}) {
			var p *mat.Dense
			if q, ok := m.(learn.Probabilistic[T]); ok && q.HasProba() {
				p = must(q.Proba(context.Background(), x))
			}
			out = append(out, fittedCase{kind + name + count, must(New[T](m, Info{})), test, nil,
				must(m.Predict(context.Background(), x)), p, nil})
		}
		classify("rvm classifier", must(sparse.RVMClassification[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("l1vm classifier", must(sparse.L1VMClassification[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("l2vm classifier", must(sparse.L2VMClassification[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("rbf classifier", must(rbf.Classification[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("perceptron", must(online.Perceptron[T, int]{Kernel: k,
			PerceptronOptions: online.PerceptronOptions{Voted: true, Intercept: true, Passes: 3}}.Fit(ctx, x, y)))
		classify("norma hinge", must(online.NormaClassification[T, int]{Norma: online.Norma[T]{Kernel: k}}.Fit(ctx, x, y)))
		classify("norma logistic", must(online.NormaClassification[T,
			int]{Norma: online.Norma[T]{Kernel: k, Loss: online.LogisticLoss}}.Fit(ctx, x, y)))
		classify("fisher", must(fisher.Discriminant[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("medoid", must(neighbours.Medoid[T, int]{Kernel: k}.Fit(ctx, x, y)))
		classify("knn classifier", must(neighbours.Classification[T, int]{Kernel: k,
			Options: neighbours.Options{K: 6, Weighted: weighted}}.Fit(ctx, x, y)))
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
	// the rest lies between and beyond
	m := must(ridge.Spline{}.Fit(context.Background(), data.Line(line[:20]), value[:20]))
	return fittedCase{"spline", must(New[kernel.Vec](m, Info{})), encoded(data.Rows(x)),
		must(m.Predict(context.Background(), data.Line(line))), nil, nil, nil}
}

// primalCase is ridge regression on the features themselves.
func primalCase(x data.DenseRows, value []float64) fittedCase {
	m := must(ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: 0.1, Intercept: true,
		Method: ridge.Primal}.Fit(context.Background(), x, value))
	return fittedCase{"primal ridge", must(New[kernel.Vec](m, Info{})), encoded(x),
		must(m.Predict(context.Background(), x)), nil, nil, nil}
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
	kernel.Block(context.Background(), k, gram, x, x)
	cases := machineCases[kernel.Vec](k, x, encoded(x), class, value, "dense ", true)
	cases = append(cases, machineCases[data.SparseVec](sk, sx, encodedSparse(sx), class, value, "sparse ", true)...)
	cases = append(cases, machineCases[int](kernel.Precomputed{K: gram}, data.Indices(90), encoded(data.Rows(gram)), class,
		value, "precomputed ", false)...)
	roundTrip(t, append(cases, splineCase(), primalCase(x, value)))
}

// TestWeightedNeighboursOfKernelValuesAreRefused: k(x, x) of new points is not in
// a row of kernel values.
func TestWeightedNeighboursOfKernelValuesAreRefused(t *testing.T) {
	xm, class, _ := threeClasses(30, 4)
	gram := mat.NewDense(30, 30, nil)
	kernel.Block[kernel.Vec](context.Background(), kernel.Gaussian{}, gram, data.Rows(xm), data.Rows(xm))
	m := must(neighbours.Classification[int, int]{Kernel: kernel.Precomputed{K: gram},
		Options: neighbours.Options{Weighted: true}}.Fit(context.Background(), data.Indices(30), class))
	if _, err := New[int](m, Info{}); err == nil {
		t.Error("saved")
	}
}
