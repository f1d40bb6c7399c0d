package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// LinearSVC is the support vector classifier with the linear kernel, for data
// with many rows or many, mostly empty, columns (text). T is kernel.Vec or
// data.SparseVec. It solves
//
//	minimise over w, b   ½(‖w‖² + b²) + C Σ wᵢ max(0, 1 - yᵢ(⟨w, xᵢ⟩ + b))ᵖ
//
// with p = 2, or p = 1 with Hinge, by dual coordinate descent (Hsieh et al.
// 2008): LIBLINEAR's -s 1 and -s 3 with -B 1. The intercept is regularised as the weight of a
// constant column. More than two classes are told apart one-vs-rest.
type LinearSVC[T any, L cmp.Ordered] struct {
	C             float64 // price of a margin error; 0 means 1
	Hinge         bool    // p = 1
	NoIntercept   bool
	Balance       Balance
	ClassWeights  map[L]float64
	SampleWeights []float64

	Tol           float64 // range of the projected gradient; 0 means 0.1, as in LIBLINEAR
	MaxIterations int     // passes over the data; 0 means 1000
	NoShrinking   bool
	Seed          uint64 // of the order of the points
	Threads       int    // classes fitted at a time
	Bytes         int64  // memory for weights, coefficients and rows that have to be copied; 0 means a quarter of the machine's memory
	Trace         trace.Func
}

// Fit learns from points and their labels.
func (c LinearSVC[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*LinearSVCModel[T, L], error) {
	m, err := c.fit(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("linear svc: %w", err)
	}
	return m, nil
}

func (c LinearSVC[T, L]) fit(ctx context.Context, x data.Points[T], y []L) (*LinearSVCModel[T, L], error) {
	start := time.Now()
	if c.C == 0 {
		c.C = 1
	}
	switch {
	case x == nil || x.Len() == 0:
		return nil, ErrNoPoints
	case x.Len() != len(y):
		return nil, fmt.Errorf("%d points but %d labels", x.Len(), len(y))
	case !(c.C > 0) || math.IsInf(c.C, 0):
		return nil, fmt.Errorf("C is %g; give a positive, finite number", c.C)
	case !(c.Tol >= 0):
		return nil, fmt.Errorf("Tol is %g; give a positive number, or 0", c.Tol)
	}
	labels, err := EncodeLabels(y)
	if err != nil {
		return nil, err
	}
	weights, err := labels.PointWeights(c.Balance, c.ClassWeights, c.SampleWeights)
	if err != nil {
		return nil, err
	}
	if err := refuseNonFinite(x); err != nil {
		return nil, err
	}
	price := make([]float64, len(y))
	for i, w := range weights {
		price[i] = c.C * w
	}
	held, err := Resources{Bytes: c.Bytes}.withDefaults()
	if err != nil {
		return nil, err
	}
	tasks := labels.Tasks(OneVsRest)
	// Beside the rows each machine has its weights and five numbers for a point: coefficient, bound, ridge, curvature, place.
	fits := func(dim int, copied int64) (int64, error) {
		need := copied + 8*int64(len(tasks))*int64(dim+5*len(y))
		if need > held.Bytes {
			return need, &OverBudget{Learner: "linear svc", Points: len(y), Needs: need, Budget: held.Bytes, Instead: "raise Bytes, or hand over rows of a matrix, which are not copied"}
		}
		return need, nil
	}
	rows, dim, bytes, err := linearRows(x, !c.NoIntercept, fits)
	if err != nil {
		return nil, err
	}
	results, errs := make([]*solve.DCDResult, len(tasks)), make([]error, len(tasks))
	trace := oneAtATime(c.Trace)
	par.For(c.Threads, len(tasks), 1, func(k, _ int) {
		results[k], errs[k] = solve.DCD(ctx, rows, tasks[k].Targets(), price, solve.DCDOptions{
			SquaredHinge: !c.Hinge, Tol: c.Tol, NoShrinking: c.NoShrinking, MaxIterations: c.MaxIterations,
			Seed: c.Seed + uint64(k), Trace: trace,
		})
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	m := &LinearSVCModel[T, L]{classes: labels.Classes, w: linalg.New[float64](len(tasks), dim), bias: make([]float64, len(tasks))}
	m.report = Report{Learner: "linear SVC", Certified: "projected gradient range", Converged: true, Bytes: bytes}
	for k, r := range results {
		copy(m.w.Row(k), r.W[:dim])
		if !c.NoIntercept {
			m.bias[k] = r.W[dim]
		}
		m.primal, m.dual = m.primal+r.Primal, m.dual+r.Dual
		m.report.Iterations += r.Iterations
		m.report.Objective += r.Primal
		m.report.Certificate = max(m.report.Certificate, r.Violation)
		if !r.Converged {
			m.report.Converged = false
			m.report.Warnings = append(m.report.Warnings, fmt.Sprintf("machine %d stopped after %d passes at a projected gradient range of %.3g", k, r.Iterations, r.Violation))
		}
	}
	m.report.Elapsed = time.Since(start)
	return m, nil
}

// linearRows views vectors as DCD sees them, and says their dimension and the memory of the fit; fits judges the latter
// by the dimension and the bytes of rows that have to be copied, before they are.
func linearRows[T any](x data.Points[T], intercept bool, fits func(dim int, copied int64) (int64, error)) (solve.LinearRows, int, int64, error) {
	bias := 0.0
	if intercept {
		bias = 1
	}
	switch x := any(x).(type) {
	case interface {
		RawMatrix() blas64.General
	}:
		m := linalg.Matrix[float64](x.RawMatrix())
		need, err := fits(m.Cols, 0)
		return solve.DenseLinear(m, bias), m.Cols, need, err
	case interface{ CSR() *data.CSR }:
		need, err := fits(x.CSR().Cols, 0)
		return solve.SparseLinear((*linalg.CSR)(x.CSR()), bias), x.CSR().Cols, need, err
	case data.Points[kernel.Vec]:
		d := len(x.At(0))
		need, err := fits(d, 8*int64(x.Len())*int64(d))
		if err != nil {
			return nil, 0, 0, err
		}
		m := linalg.New[float64](x.Len(), d)
		for i := range m.Rows {
			row := x.At(i)
			if len(row) != d {
				return nil, 0, 0, fmt.Errorf("row %d has %d entries, row 0 has %d", i, len(row), d)
			}
			copy(m.Row(i), row)
		}
		return solve.DenseLinear(m, bias), d, need, nil
	case data.Points[data.SparseVec]:
		rows := make([]data.SparseVec, x.Len())
		d, entries := 0, 0
		for i := range rows {
			rows[i] = x.At(i)
			if k := len(rows[i].Index); k > 0 {
				d, entries = max(d, int(rows[i].Index[k-1])+1), entries+k
			}
		}
		need, err := fits(d, 12*int64(entries)+56*int64(len(rows)))
		if err != nil {
			return nil, 0, 0, err
		}
		return solve.SparseLinear((*linalg.CSR)(data.SparseOf(rows, d).CSR()), bias), d, need, nil
	}
	var none T
	return nil, 0, 0, fmt.Errorf("points are %T; a linear machine needs vectors, dense or sparse (for other kinds, SVC with a kernel on them)", none)
}

// LinearSVCModel is a fitted LinearSVC.
type LinearSVCModel[T any, L cmp.Ordered] struct {
	classes      []L
	w            linalg.Matrix[float64] // a row of weights for each machine
	bias         []float64
	primal, dual float64
	report       Report
	once         sync.Once
	f            *rkhs.Func[T]
}

// Weights is a row of weights for each machine: one for two classes (positive
// for the larger label), else one for each class.
func (m *LinearSVCModel[T, L]) Weights() *mat.Dense { return linalg.Dense(m.w.Clone()) }

// Intercepts has one number for each machine.
func (m *LinearSVCModel[T, L]) Intercepts() []float64 { return append([]float64(nil), m.bias...) }

// Func is the same function as an element of the RKHS of the linear kernel:
// its centres are the weight vectors themselves.
func (m *LinearSVCModel[T, L]) Func() *rkhs.Func[T] {
	m.once.Do(func() {
		coef := mat.NewDense(m.w.Rows, m.w.Rows, nil)
		for k := range m.w.Rows {
			coef.Set(k, k, 1)
		}
		f := &rkhs.Func[T]{Coef: coef, Bias: m.Intercepts()}
		if k, ok := any(kernel.Linear{}).(kernel.Kernel[T]); ok {
			f.Kernel, f.Centers = k, any(data.RowsOf(m.w.Clone())).(data.Points[T])
		} else {
			k, err := kernel.OnSparse(kernel.Linear{}, m.w.Cols)
			if err != nil {
				panic(err) // the linear kernel has nothing to refuse
			}
			rows := make([]data.SparseVec, m.w.Rows)
			for r := range rows {
				for j, v := range m.w.Row(r) {
					if v != 0 {
						rows[r].Index, rows[r].Value = append(rows[r].Index, int32(j)), append(rows[r].Value, v)
					}
				}
			}
			f.Kernel, f.Centers = any(k).(kernel.Kernel[T]), any(data.SparseOf(rows, m.w.Cols)).(data.Points[T])
		}
		m.f = f
	})
	return m.f
}

// Report says how the fit went; its objective is the primal one.
func (m *LinearSVCModel[T, L]) Report() Report { return m.report }

// DualityGap is the relative difference of the primal and dual objectives.
func (m *LinearSVCModel[T, L]) DualityGap() float64 {
	return (m.primal + m.dual) / max(math.Abs(m.primal), 1e-300)
}

// Classes lists the labels in increasing order.
func (m *LinearSVCModel[T, L]) Classes() []L { return append([]L(nil), m.classes...) }

// Decision writes the decision values, a row for each point and a column for
// each machine, into dst, or into a new matrix when dst is nil. Columns the model has never seen count for nothing.
func (m *LinearSVCModel[T, L]) Decision(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	n := x.Len()
	if dst == nil {
		dst = new(mat.Dense)
		if n > 0 {
			dst = mat.NewDense(n, m.w.Rows, nil)
		}
	}
	par.For(0, n, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst.RawRowView(i)
			switch v := any(x.At(i)).(type) {
			case kernel.Vec:
				for k := range row {
					row[k] = m.bias[k]
					for j, w := range m.w.Row(k) {
						row[k] += w * v[j]
					}
				}
			case data.SparseVec:
				for k := range row {
					w := m.w.Row(k)
					row[k] = m.bias[k]
					for e, j := range v.Index {
						if int(j) < len(w) {
							row[k] += w[j] * v.Value[e]
						}
					}
				}
			}
		}
	})
	return dst
}

// Predict returns the label of each point, in dst when it is long enough: by
// the sign of the decision value for two classes, else by the largest.
func (m *LinearSVCModel[T, L]) Predict(dst []L, x data.Points[T]) []L {
	code := make([]int, x.Len())
	if len(code) == 0 {
		return dst[:0]
	}
	d := m.Decision(nil, x)
	for i := range code {
		code[i] = DecideOneVsRest(d.RawRowView(i))
	}
	return decode(dst, m.classes, code)
}
