package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// LinearClassifier is a fitted classifier of the linear kernel that keeps its weights ⟨w, x⟩ + b in
// place of training points. T is kernel.Vec or data.SparseVec, or any where the kernel is known by
// features of its points (In): weights are then those of features.
type LinearClassifier[T any, L cmp.Ordered] struct {
	learner string
	classes []L
	w       [][]float64 // weights of each machine
	bias    []float64
	report  Report
	sparse  bool                 // its points are data.SparseVec
	space   *kernel.FeatureSpace // of the features that weights are of; nil: they are of coordinates
	once    sync.Once
	f       *rkhs.Func[T]
}

// NewLinearClassifier makes the model of weights and an intercept for each machine. learner is the
// name under which it is saved.
func NewLinearClassifier[T any, L cmp.Ordered](
	learner string, classes []L, w [][]float64, bias []float64, r Report,
) *LinearClassifier[T, L] {
	return &LinearClassifier[T, L]{learner: learner, classes: classes, w: w, bias: bias, report: r}
}

// Like is the model of points like those of x, which say whether its function is one of dense or of
// sparse vectors.
func (m *LinearClassifier[T, L]) Like(x data.Points[T]) *LinearClassifier[T, L] {
	_, m.sparse = data.SparseOfPoints(x)
	return m
}

// In is the model of points whose features are the coordinates that it has weights for.
func (m *LinearClassifier[T, L]) In(space *kernel.FeatureSpace) *LinearClassifier[T, L] {
	m.space = space
	return m
}

// Weights is a row of weights for each machine: one for two classes (positive
// for the larger label), else one for each class.
func (m *LinearClassifier[T, L]) Weights() *mat.Dense {
	if m.dim() == 0 {
		return new(mat.Dense)
	}
	w := mat.NewDense(len(m.w), m.dim(), nil)
	for k, row := range m.w {
		w.SetRow(k, row)
	}
	return w
}

func (m *LinearClassifier[T, L]) dim() int { return len(m.w[0]) }

// Intercepts has one number for each machine.
func (m *LinearClassifier[T, L]) Intercepts() []float64 { return slices.Clone(m.bias) }

// Func is the same function as an element of the RKHS of the linear kernel:
// its centres are the weight vectors themselves.
func (m *LinearClassifier[T, L]) Func() *rkhs.Func[T] {
	m.once.Do(func() {
		machines := len(m.w)
		coef := mat.NewDense(machines, machines, nil)
		for k := range machines {
			coef.Set(k, k, 1)
		}
		f := &rkhs.Func[T]{Coef: coef, Bias: m.Intercepts()}
		if m.space != nil {
			f = any(FeatureFunc(m.space, m.w, m.Intercepts())).(*rkhs.Func[T])
		} else if !m.sparse {
			f.Kernel, f.Centers = kernel.FromVectors[T](kernel.Kernel[kernel.Vec](kernel.Linear{})),
				data.FromVectors[T](data.RowsOf(m.centers()))
		} else {
			k, err := kernel.OnSparse(kernel.Linear{}, m.dim())
			if err != nil {
				panic(err) // the linear kernel has nothing to refuse
			}
			f.Kernel, f.Centers = kernel.FromSparse[T](k), data.FromSparse[T](sparseWeights(m.w))
		}
		m.f = f
	})
	return m.f
}

// sparseWeights is weights as sparse rows.
func sparseWeights(w [][]float64) data.SparseRows {
	rows := make([]data.SparseVec, len(w))
	for r := range rows {
		for j, v := range w[r] {
			if v != 0 {
				rows[r].Index, rows[r].Value = append(rows[r].Index, int32(j)), append(rows[r].Value, v)
			}
		}
	}
	return data.SparseOf(rows, len(w[0]))
}

// FeatureFunc is x ↦ ⟨wₖ, φ(x)⟩ + bₖ for the weights of the features of a space, a row for each
// output. Its centres are the weights, as vectors of features.
func FeatureFunc(space *kernel.FeatureSpace, w [][]float64, bias []float64) *rkhs.Func[any] {
	coef := mat.NewDense(len(w), len(w), nil)
	for k := range w {
		coef.Set(k, k, 1)
	}
	return &rkhs.Func[any]{Kernel: space, Centers: data.EraseSparse(sparseWeights(w)), Coef: coef, Bias: bias}
}

// centers is the weights as rows, of which there may be none without columns.
func (m *LinearClassifier[T, L]) centers() blas64.General {
	c := blas64.General{Rows: len(m.w), Cols: m.dim(), Stride: max(m.dim(), 1)}
	for _, row := range m.w {
		c.Data = append(c.Data, row...)
	}
	return c
}

// Report says how the fit went; its objective is the primal one.
func (m *LinearClassifier[T, L]) Report() Report { return m.report }

// Classes lists the labels in increasing order.
func (m *LinearClassifier[T, L]) Classes() []L { return slices.Clone(m.classes) }

// Decisions is 1 for two classes, else their number.
func (m *LinearClassifier[T, L]) Decisions() int { return len(m.bias) }

// Decision returns the decision values, a row for each point and a column for each machine.
func (m *LinearClassifier[T, L]) Decision(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.bias), func(dst *mat.Dense) error { return m.DecisionTo(ctx, dst, x) })
}

// DecisionTo writes the decision values of point i to row i of dst. Columns of sparse points that
// the model has never seen count for nothing.
func (m *LinearClassifier[T, L]) DecisionTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	if err := apply.CheckDims(dst, x.Len(), len(m.bias)); err != nil || x.Len() == 0 {
		return err
	}
	if err := m.checkPoints(x); err != nil {
		return err
	}
	dense, isDense := data.VectorsOf(x)
	sparse, isSparse := data.SparseOfPoints(x)
	if m.space != nil {
		sparse, isDense, isSparse = m.space.Rows(ctx, 0, data.Erase(x)), false, true
	}
	par.For(0, x.Len(), 256, func(lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			row := dst.RawRowView(i)
			copy(row, m.bias)
			switch {
			case isDense:
				m.addDense(row, dense.At(i))
			case isSparse:
				m.addSparse(row, sparse.At(i))
			}
		}
	})
	return ctx.Err()
}

// addDense adds ⟨w, x⟩ of each machine.
func (m *LinearClassifier[T, L]) addDense(row []float64, x kernel.Vec) {
	for k, weights := range m.w {
		sum, x := row[k], x[:len(weights)]
		for j, w := range weights {
			sum += w * x[j]
		}
		row[k] = sum
	}
}

// addSparse is addDense of a sparse row.
func (m *LinearClassifier[T, L]) addSparse(row []float64, x data.SparseVec) {
	value := x.Value[:len(x.Index)]
	for k, w := range m.w {
		sum := row[k]
		for e, j := range x.Index {
			if int(j) < len(w) {
				sum += w[j] * value[e]
			}
		}
		row[k] = sum
	}
}

// checkPoints refuses vectors of another dimension and values that are not finite.
func (m *LinearClassifier[T, L]) checkPoints(x data.Points[T]) error {
	if m.space != nil {
		return m.space.CheckPoints(data.Erase(x))
	}
	dim := m.dim()
	dense, isDense := data.VectorsOf(x)
	sparse, isSparse := data.SparseOfPoints(x)
	if rows, ok := sparse.(data.SparseRows); ok {
		if m := rows.CSR(); simd.Finite(m.Value[m.Ptr[0]:m.Ptr[m.Rows]]) {
			return nil
		}
	}
	for i := range x.Len() {
		var values []float64
		switch {
		case isDense:
			if values = dense.At(i); len(values) != dim {
				return fmt.Errorf("row %d has %d coordinates, the model %d", i, len(values), dim)
			}
		case isSparse:
			values = sparse.At(i).Value
		}
		if v, ok := notFinite(values); ok {
			return fmt.Errorf("row %d has the value %g; drop the row or fill the value in", i, v)
		}
	}
	return nil
}

// Predict returns the label of each point: by the sign of the decision value for two classes, else
// by the largest.
func (m *LinearClassifier[T, L]) Predict(ctx context.Context, x data.Points[T]) ([]L, error) {
	return apply.Slice(x, func(dst []L) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the label of point i to dst[i].
func (m *LinearClassifier[T, L]) PredictTo(ctx context.Context, dst []L, x data.Points[T]) error {
	return PredictFrom(ctx, m, dst, x, DecideOneVsRest)
}

// Saved returns the model as plain data, the weights as the array "weights".
func (m *LinearClassifier[T, L]) Saved() Saved[T] {
	s := Saved[T]{Learner: m.learner, Func: m.Func(), Classes: len(m.classes), Report: m.report}
	if m.space == nil {
		s.Arrays = map[string]*mat.Dense{"weights": m.Weights()}
	}
	return s
}

// notFinite is the first value that is NaN or infinite, if there is one.
func notFinite(values []float64) (float64, bool) {
	if simd.Finite(values) {
		return 0, false
	}
	i := slices.IndexFunc(values, func(v float64) bool { return v-v != 0 })
	return values[i], true
}
