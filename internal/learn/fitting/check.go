package fitting

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// CheckFeatures refuses kernel values whose squares may overflow; it names the points.
func CheckFeatures(ctx context.Context, m linalg.Matrix[float64]) error {
	for j := range m.Rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, v := range m.Row(j) {
			if math.IsNaN(v) || math.Abs(v) > LargestFeature {
				return fmt.Errorf("kernel value of points %d and %d is %g; scale the points or the kernel", i, j, v)
			}
		}
	}
	return nil
}

// Labels encodes the labels of points, one for each.
func Labels[T any, L cmp.Ordered](x data.Points[T], y []L) (learn.Labels[L], error) {
	if x == nil || x.Len() == 0 {
		return learn.Labels[L]{}, learn.ErrNoPoints
	}
	if x.Len() != len(y) {
		return learn.Labels[L]{}, fmt.Errorf("%d points but %d labels", x.Len(), len(y))
	}
	return learn.EncodeLabels(y)
}

// Codes is labels that have lost their type: each class is its code.
func Codes[L cmp.Ordered](l learn.Labels[L]) learn.Labels[int] {
	return learn.Labels[int]{Classes: par.Indices(0, len(l.Classes)), Code: l.Code}
}

// CheckClassification is what every classifier asks of its input; it returns
// the labels and the weight of each point.
func CheckClassification[T any, L cmp.Ordered](
	k kernel.Kernel[T], x data.Points[T], y []L, b learn.Balance, class map[L]float64, sample []float64,
) (learn.Labels[L], []float64, error) {
	labels, err := Labels(x, y)
	if err != nil {
		return labels, nil, err
	}
	if err := kernel.Check(k, x); err != nil {
		return labels, nil, err
	}
	w, err := labels.PointWeights(b, class, sample)
	return labels, w, err
}

// CheckRegression is what every regression asks of its input; it returns the
// weight of each point.
func CheckRegression[T any](k kernel.Kernel[T], x data.Points[T], y, sample []float64) ([]float64, error) {
	if err := CheckTargets(x, y); err != nil {
		return nil, err
	}
	if err := kernel.Check(k, x); err != nil {
		return nil, err
	}
	return Prices(1, len(y), sample)
}

// SetOrDefault is v, or otherwise where v is 0; it refuses what is not positive
// and finite.
func SetOrDefault(name string, v *float64, otherwise float64) error {
	if *v == 0 {
		*v = otherwise
	}
	if !(*v > 0) || math.IsInf(*v, 0) {
		return fmt.Errorf("%s is %g; give a positive, finite number, or 0 for %g", name, *v, otherwise)
	}
	return nil
}

// SetOrDefaultInt is SetOrDefault for whole numbers.
func SetOrDefaultInt(name string, v *int, otherwise int) error {
	if *v == 0 {
		*v = otherwise
	}
	if *v < 0 {
		return fmt.Errorf("%s is %d; give a positive number, or 0 for %d", name, *v, otherwise)
	}
	return nil
}

// CheckTargets refuses no points, lengths that do not agree and values that are
// not finite or whose squares may not be.
func CheckTargets[T any](x data.Points[T], y []float64) error {
	switch {
	case x == nil || x.Len() == 0:
		return learn.ErrNoPoints
	case x.Len() != len(y):
		return fmt.Errorf("%d points but %d targets", x.Len(), len(y))
	}
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("target of row %d is %g; drop the row or fill the value in", i, v)
		}
		if math.Abs(v) > learn.LargestTarget {
			return fmt.Errorf("target of row %d is %g, too large to square; scale the targets", i, v)
		}
	}
	return nil
}

// FiniteCoefficients refuses a function that overflowed on the way.
func FiniteCoefficients[T any](f *rkhs.Func[T]) error {
	coef := linalg.Of(f.Coef)
	for i := range coef.Rows {
		for j, v := range coef.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("coefficient of point %d, output %d is %g: the numbers overflow; scale the targets or the kernel",
					i, j, v)
			}
		}
	}
	return nil
}

// RefuseNonFinite reports the first NaN or infinity among points that are
// vectors; other kinds of points have none to find.
func RefuseNonFinite[T any](x data.Points[T]) error {
	bad := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	for i := range x.Len() {
		switch p := any(x.At(i)).(type) {
		case []float64:
			if simd.Finite(p) {
				continue
			}
			for j, v := range p {
				if bad(v) {
					return fmt.Errorf("row %d, column %d is %g; drop the row or fill the value in", i, j, v)
				}
			}
		case data.SparseVec:
			if simd.Finite(p.Value) {
				continue
			}
			for j, v := range p.Value {
				if bad(v) {
					return fmt.Errorf("row %d, column %d is %g; drop the row or fill the value in", i, p.Index[j], v)
				}
			}
		case float64:
			if bad(p) {
				return fmt.Errorf("row %d is %g; drop the row or fill the value in", i, p)
			}
		default:
			return nil
		}
	}
	return nil
}

// Prices multiplies C by the sample weights.
func Prices(c float64, n int, weights []float64) ([]float64, error) {
	if weights != nil && len(weights) != n {
		return nil, fmt.Errorf("%d points but %d sample weights", n, len(weights))
	}
	out := make([]float64, n)
	total := 0.0
	for i := range out {
		w := 1.0
		if weights != nil {
			if w = weights[i]; !(w >= 0) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("sample weight of row %d is %g; give a finite number, 0 or more", i, w)
			}
		}
		out[i] = c * w
		total += w
	}
	if total == 0 {
		return nil, fmt.Errorf("all sample weights are 0")
	}
	return out, nil
}
