package rbf

import (
	"cmp"
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Normalised is Network on the normalised basis k(x, μⱼ)/Σₗ k(x, μₗ), which sums to 1 everywhere,
// so that between centres far apart there are no holes (Moody and Darken 1989). The kernel must not
// be negative. Centres by OrthogonalLeastSquares are those of the plain basis.
type Normalised[T any] struct{ Network[T] }

// Fit learns from points and their values.
func (c Normalised[T]) Fit(ctx context.Context, x data.Points[T], y []float64) (*learn.RatioRegressor[T], error) {
	c.normalised = true
	m, err := c.Network.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return &learn.RatioRegressor[T]{Ratio: ratioOf(m.Func(), m.Report())}, nil
}

// NormalisedClassification is Classification on the normalised basis.
type NormalisedClassification[T any, L cmp.Ordered] struct{ Classification[T, L] }

// Fit learns from points and their labels.
func (c NormalisedClassification[T, L]) Fit(
	ctx context.Context, x data.Points[T], y []L,
) (*learn.RatioClassifier[T, L], error) {
	c.normalised = true
	m, err := c.Classification.Fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return &learn.RatioClassifier[T, L]{Ratio: ratioOf(m.Func(), m.Report()), Labels: m.Classes()}, nil
}

// normalise divides the features of each point by their sum; of a point with none near all stay 0.
func normalise(columns linalg.Matrix[float64]) error {
	for i := range columns.Cols {
		sum := 0.0
		for j := range columns.Rows {
			v := columns.At(j, i)
			if v < 0 {
				return fmt.Errorf("k is %.3g between centre %d and row %d; a normalised basis needs a kernel that is not "+
					"negative, such as gaussian", v, j, i)
			}
			sum += v
		}
		for j := range columns.Rows {
			if sum > 0 {
				columns.Set(j, i, columns.At(j, i)/sum)
			}
		}
	}
	return nil
}

// ratioOf is the model of a normalised basis: the function with a numerator for each output, and
// the sum of all features. Far from all centres the features of a point are 0, and what is left is
// the bias.
func ratioOf[T any](f *rkhs.Func[T], report learn.Report) learn.Ratio[T] {
	centers, outputs := f.Coef.Dims()
	coef, bias := mat.NewDense(centers, outputs+1, nil), make([]float64, outputs)
	copy(bias, f.Bias)
	for j := range centers {
		for o := range outputs {
			coef.Set(j, o, f.Coef.At(j, o))
		}
		coef.Set(j, outputs, 1)
	}
	report.Learner = "normalised " + report.Learner
	return learn.NewRatio(&rkhs.Func[T]{Kernel: f.Kernel, Centers: f.Centers, Coef: coef}, bias, bias, nil, report)
}
