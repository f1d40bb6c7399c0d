package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// ExpansionRegressor is a fitted regression that is nothing but its function
// f(x) = Σ αᵢ k(cᵢ, x) + b and the training points it kept.
type ExpansionRegressor[T any] struct {
	f       *rkhs.Func[T]
	support []int
	report  Report
}

// Func is the regression function.
func (m *ExpansionRegressor[T]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went.
func (m *ExpansionRegressor[T]) Report() Report { return m.report }

// Support lists the training points the function retains, in increasing order;
// nil where the centres are not training points.
func (m *ExpansionRegressor[T]) Support() []int { return append([]int(nil), m.support...) }

// Predict returns a value for each point, in dst when it is long enough.
func (m *ExpansionRegressor[T]) Predict(dst []float64, x data.Points[T]) []float64 {
	n := x.Len()
	if len(dst) < n {
		dst = make([]float64, n)
	}
	dst = dst[:n]
	if m.f.Centers.Len() == 0 { // an online learner that has not learnt yet
		for i := range dst {
			dst[i] = m.f.Bias[0]
		}
		return dst
	}
	if n > 0 {
		m.f.EvalTo(mat.NewDense(n, 1, dst), x)
	}
	return dst
}

// ExpansionClassifier is a fitted classifier that is nothing but its decision
// function and the training points it kept: one output for two classes,
// positive for the larger label, else one for each class in order, of which
// the largest wins.
type ExpansionClassifier[T any, L cmp.Ordered] struct {
	f       *rkhs.Func[T]
	classes []L
	support []int
	report  Report
}

// Func is the decision function.
func (m *ExpansionClassifier[T, L]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went.
func (m *ExpansionClassifier[T, L]) Report() Report { return m.report }

// Classes lists the labels in increasing order.
func (m *ExpansionClassifier[T, L]) Classes() []L { return append([]L(nil), m.classes...) }

// Support lists the training points that any output retains, in increasing
// order; nil where the centres are not training points.
func (m *ExpansionClassifier[T, L]) Support() []int { return append([]int(nil), m.support...) }

// Decision writes the decision values, a row for each point, into dst, or into
// a new matrix when dst is nil.
func (m *ExpansionClassifier[T, L]) Decision(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	return evaluateAll(m.f, dst, x)
}

// Predict returns the label of each point, in dst when it is long enough.
func (m *ExpansionClassifier[T, L]) Predict(dst []L, x data.Points[T]) []L {
	code := make([]int, x.Len())
	if d := m.Decision(nil, x); d != nil {
		for i := range code {
			code[i] = DecideOneVsRest(d.RawRowView(i))
		}
	}
	return decode(dst, m.classes, code)
}

// expansionOf collects the coefficients of each output over the points that
// any of them uses. beta[o] has a number for each point of x, bias may be nil.
func expansionOf[T any](k kernel.Kernel[T], x data.Points[T], beta [][]float64, bias []float64) (*rkhs.Func[T], []int) {
	used := []int{}
	for j := range x.Len() {
		for _, b := range beta {
			if b[j] != 0 {
				used = append(used, j)
				break
			}
		}
	}
	centres := used
	if len(used) == 0 {
		centres = []int{0} // an expansion has at least one centre; its coefficients are 0
	}
	coef := mat.NewDense(len(centres), len(beta), nil)
	for a, j := range centres {
		for o, b := range beta {
			coef.Set(a, o, b[j])
		}
	}
	return &rkhs.Func[T]{Kernel: k, Centers: data.OwnSubset(x, centres), Coef: coef, Bias: bias}, used
}

// largestFeature bounds kernel values so that their squares and sums are finite.
const largestFeature = 1e150

// kernelBasis is the functions k(xⱼ, ·) at all points, a row each, with room for
// extra rows after them, which are left 0. copies is how many arrays of that
// size the learner needs in all. The caller runs it inside heeding.
func kernelBasis[T any](ctx context.Context, learner string, k kernel.Kernel[T], x data.Points[T], r Resources, extra, copies int) (linalg.Matrix[float64], error) {
	n := int64(x.Len())
	if need := 8 * n * (n + int64(extra)) * int64(copies); need > r.Bytes {
		return linalg.Matrix[float64]{}, &OverBudget{Learner: learner, Points: int(n), Needs: need, Budget: r.Bytes, Instead: "raise Bytes or take fewer points"}
	}
	m := linalg.New[float64](int(n)+extra, int(n))
	kernel.FillSym(r.Threads, m.Slice(0, int(n), 0, int(n)), kernel.Prepare(kernel.Until(ctx, k), x, x))
	if err := ctx.Err(); err != nil {
		return m, err
	}
	return m, checkFeatures(ctx, m)
}

func checkFeatures(ctx context.Context, m linalg.Matrix[float64]) error {
	for j := range m.Rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, v := range m.Row(j) {
			if math.IsNaN(v) || math.Abs(v) > largestFeature {
				return fmt.Errorf("kernel value of points %d and %d is %g; scale the points or the kernel", i, j, v)
			}
		}
	}
	return nil
}

// checkClassification is what every classifier asks of its input; it returns
// the labels and the weight of each point.
func checkClassification[T any, L cmp.Ordered](k kernel.Kernel[T], x data.Points[T], y []L, b Balance, class map[L]float64, sample []float64) (Labels[L], []float64, error) {
	if x == nil || x.Len() == 0 {
		return Labels[L]{}, nil, ErrNoPoints
	}
	if x.Len() != len(y) {
		return Labels[L]{}, nil, fmt.Errorf("%d points but %d labels", x.Len(), len(y))
	}
	labels, err := EncodeLabels(y)
	if err != nil {
		return labels, nil, err
	}
	if err := kernel.Check(k, x); err != nil {
		return labels, nil, err
	}
	w, err := labels.PointWeights(b, class, sample)
	return labels, w, err
}

// checkRegression is what every regression asks of its input; it returns the
// weight of each point.
func checkRegression[T any](k kernel.Kernel[T], x data.Points[T], y, sample []float64) ([]float64, error) {
	if err := checkTargets(x, y); err != nil {
		return nil, err
	}
	if err := kernel.Check(k, x); err != nil {
		return nil, err
	}
	return prices(1, len(y), sample)
}

// setOrDefault is v, or otherwise where v is 0; it refuses what is not positive
// and finite.
func setOrDefault(name string, v *float64, otherwise float64) error {
	if *v == 0 {
		*v = otherwise
	}
	if !(*v > 0) || math.IsInf(*v, 0) {
		return fmt.Errorf("%s is %g; give a positive, finite number, or 0 for %g", name, *v, otherwise)
	}
	return nil
}

func setOrDefaultInt(name string, v *int, otherwise int) error {
	if *v == 0 {
		*v = otherwise
	}
	if *v < 0 {
		return fmt.Errorf("%s is %d; give a positive number, or 0 for %d", name, *v, otherwise)
	}
	return nil
}

func sumOf(v []float64) float64 {
	s := 0.0
	for _, a := range v {
		s += a
	}
	return s
}

func squaredNorm(v []float64) float64 { return simd.Dot(v, v) }
