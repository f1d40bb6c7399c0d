package neighbours

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// KernelMean is kernel regression (Nadaraya 1964, Watson 1964) with any kernel that is not
// negative: all training points are neighbours, each by its kernel value,
//
//	y(x) = Σᵢ wᵢ k(xᵢ, x) yᵢ / Σᵢ wᵢ k(xᵢ, x).
//
// There is nothing to solve. Where no point is near enough to count, y is the mean of the targets.
type KernelMean[T any] struct {
	Kernel  kernel.Kernel[T]
	Weights []float64 // wᵢ; nil means 1
	learn.Resources
}

// Fit keeps the points and their values.
func (c KernelMean[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (_ *learn.RatioRegressor[T], err error) {
	defer fault.Name("nw", &err)
	start := time.Now()
	weights, err := fitting.CheckRegression(c.Kernel, x, y, c.Weights)
	if err != nil {
		return nil, err
	}
	coef := mat.NewDense(len(y), 2, nil)
	for i, v := range y {
		coef.Set(i, 0, weights[i]*v)
		coef.Set(i, 1, weights[i])
	}
	r, err := kernelMean(ctx, "nw", c.Kernel, x, coef, []float64{learn.Mean(y, weights)}, c.Resources, start)
	if err != nil {
		return nil, err
	}
	return &learn.RatioRegressor[T]{Ratio: r}, ctx.Err()
}

// KernelMeanClassification is KernelMean of the indicators of classes: the share of each among the
// neighbours, by their kernel values. It is the rule of Bayes with the density of each class by
// Parzen windows.
type KernelMeanClassification[T any, L cmp.Ordered] struct {
	Kernel       kernel.Kernel[T]
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // weight of a point; nil means 1
	learn.Resources
}

// Fit keeps the points and their labels.
func (c KernelMeanClassification[T, L]) Fit(
	ctx context.Context, x data.Points[T], y []L,
) (_ *learn.RatioClassifier[T, L], err error) {
	defer fault.Name("nw classifier", &err)
	start := time.Now()
	labels, weights, err := fitting.CheckClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	k := len(labels.Classes)
	coef, far, total := mat.NewDense(len(y), k+1, nil), make([]float64, k), 0.0
	for i, code := range labels.Code {
		coef.Set(i, code, weights[i])
		coef.Set(i, k, weights[i])
		far[code] += weights[i]
		total += weights[i]
	}
	for o := range far {
		far[o] /= total
	}
	r, err := kernelMean(ctx, "nw classifier", c.Kernel, x, coef, far, c.Resources, start)
	if err != nil {
		return nil, err
	}
	return &learn.RatioClassifier[T, L]{Ratio: r, Shares: true, Labels: labels.Classes}, ctx.Err()
}

// mostLookedAt is the rows among which a kernel below 0 is looked for.
const mostLookedAt = 200

// kernelMean is the model of weighted targets, once the kernel is known to be no weight below 0.
func kernelMean[T any](
	ctx context.Context, name string, k kernel.Kernel[T], x data.Points[T], coef *mat.Dense, far []float64,
	r learn.Resources, start time.Time,
) (learn.Ratio[T], error) {
	var none learn.Ratio[T]
	r, err := r.WithDefaults()
	if err != nil {
		return none, err
	}
	n, outputs := coef.Dims()
	bytes := 8 * int64(n) * int64(outputs)
	if bytes > r.Bytes {
		return none, &learn.OverBudget{Learner: name, Points: n, Needs: bytes, Budget: r.Bytes,
			Instead: "give it more memory or take fewer points"}
	}
	own := data.Own(x)
	some := data.Gather(x, par.Indices(0, min(n, mostLookedAt)))
	weights := linalg.New[float64](some.Len(), some.Len())
	kernel.FillSym(r.Threads, blas64.General(weights), kernel.Prepare(ctx, k, some, some))
	if err := ctx.Err(); err != nil {
		return none, err
	}
	for i := range weights.Rows {
		for j, v := range weights.Row(i)[:i] {
			if v < 0 {
				return none, fmt.Errorf("k is %.3g between rows %d and %d, and a weight is not negative; take a kernel such as "+
					"gaussian, laplace or matern", v, j, i)
			}
		}
	}
	f := &rkhs.Func[T]{Kernel: k, Centers: own, Coef: coef}
	report := learn.Report{Learner: name, Certified: "exact", Converged: true, Elapsed: time.Since(start), Bytes: bytes}
	return learn.NewRatio(f, make([]float64, outputs-1), far, nil, report), fitting.FiniteCoefficients(f)
}
