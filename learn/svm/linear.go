package svm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/blas/blas64"
)

// LinearClassification is the support vector classifier with the linear kernel, for data
// with many rows or many, mostly empty, columns (text). T is kernel.Vec or
// data.SparseVec. It solves
//
//	minimise over w, b   ½(‖w‖² + b²) + C Σ wᵢ max(0, 1 - yᵢ(⟨w, xᵢ⟩ + b))ᵖ
//
// with p = 2, or p = 1 with Hinge, by dual coordinate descent (Hsieh et al.
// 2008): LIBLINEAR's -s 1 and -s 3 with -B 1. The intercept is regularised as the weight of a
// constant column. More than two classes are told apart one-vs-rest.
type LinearClassification[T any, L cmp.Ordered] struct {
	C            float64 // price of a margin error; 0 means 1
	Hinge        bool    // p = 1
	NoIntercept  bool
	Balance      learn.Balance
	ClassWeights map[L]float64
	Weights      []float64

	Tol           float64 // range of the projected gradient; 0 means 0.1, as in LIBLINEAR
	MaxIterations int     // passes over the data; 0 means 1000
	NoShrinking   bool
	Seed          uint64 // of the order of the points

	start [][]float64 // coefficients of each machine to begin with; nil: 0
	learn.Resources
}

// Fit learns from points and their labels.
func (c LinearClassification[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*LinearClassifier[T, L], error) {
	m, err := c.fit(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("linear svc: %w", err)
	}
	return m, nil
}

func (c LinearClassification[T, L]) fit(ctx context.Context, x data.Points[T], y []L) (*LinearClassifier[T, L], error) {
	start := time.Now()
	if err := fitting.SetOrDefault("C", &c.C, 1); err != nil {
		return nil, err
	}
	if !(c.Tol >= 0) {
		return nil, fmt.Errorf("Tol is %g; give a positive number, or 0", c.Tol)
	}
	labels, err := fitting.Labels(x, y)
	if err != nil {
		return nil, err
	}
	weights, err := labels.PointWeights(c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	if err := fitting.RefuseNonFinite(x); err != nil {
		return nil, err
	}
	price := make([]float64, len(y))
	for i, w := range weights {
		price[i] = c.C * w
	}
	held, err := c.Resources.WithDefaults()
	if err != nil {
		return nil, err
	}
	tasks := labels.Tasks(learn.OneVsRest)
	// Beside the rows each machine has its weights and five numbers for a point: coefficient,
	// bound, ridge, curvature, place.
	fits := func(dim int, copied int64) (int64, error) {
		need := copied + 8*int64(len(tasks))*int64(dim+5*len(y))
		if need > held.Bytes {
			return need, &learn.OverBudget{Learner: "linear svc", Points: len(y), Needs: need, Budget: held.Bytes,
				Instead: "give it more memory, or hand over rows of a matrix, which are not copied"}
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
		var begin []float64
		if c.start != nil {
			begin = c.start[k]
		}
		results[k], errs[k] = solve.DCD(ctx, rows, tasks[k].Targets(), price, solve.DCDOptions{
			Start: begin, SquaredHinge: !c.Hinge, Tol: c.Tol, NoShrinking: c.NoShrinking, MaxIterations: c.MaxIterations,
			Seed: c.Seed + uint64(k), Trace: trace,
		})
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	report := learn.Report{Learner: "linear SVC", Certified: "projected gradient range", Converged: true, Bytes: bytes}
	w, bias, dual, alpha := make([][]float64, len(tasks)), make([]float64, len(tasks)), 0.0, make([][]float64, len(tasks))
	for k, r := range results {
		w[k], alpha[k] = r.W[:dim:dim], r.Alpha
		if !c.NoIntercept {
			bias[k] = r.W[dim]
		}
		dual += r.Dual
		report.Iterations += r.Iterations
		report.Objective += r.Primal
		report.Certificate = max(report.Certificate, r.Violation)
		if !r.Converged {
			report.Converged = false
			report.Warnings = append(report.Warnings,
				fmt.Sprintf("machine %d stopped after %d passes at a projected gradient range of %.3g", k, r.Iterations,
					r.Violation))
		}
	}
	report.Elapsed = time.Since(start)
	return &LinearClassifier[T, L]{learn.NewLinearClassifier[T](linearName, labels.Classes, w, bias, report).Like(x), dual,
		alpha}, nil
}

// linearName is the name of linear machines in files.
const linearName = "linear-svc"

// LinearClassifier is a fitted LinearClassification.
type LinearClassifier[T any, L cmp.Ordered] struct {
	*learn.LinearClassifier[T, L]
	dual  float64
	alpha [][]float64 // of each machine, to begin another fit with
}

// DualityGap is the relative difference of the primal and dual objectives.
func (m *LinearClassifier[T, L]) DualityGap() float64 {
	primal := m.Report().Objective
	return (primal + m.dual) / max(math.Abs(primal), 1e-300)
}

// linearRows views vectors as DCD sees them, and says their dimension and the memory of the fit;
// fits judges the latter by the dimension and the bytes of rows that have to be copied, before they
// are.
func linearRows[T any](
	x data.Points[T], intercept bool, fits func(dim int, copied int64) (int64, error),
) (solve.LinearRows, int, int64, error) {
	bias := 0.0
	if intercept {
		bias = 1
	}
	like, of := x, data.Concrete(x)
	if v, ok := data.VectorsOf(x); ok {
		of = v
	} else if v, ok := data.SparseOfPoints(x); ok {
		of = v
	}
	switch x := of.(type) {
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
	return nil, 0, 0, fmt.Errorf("points are %T; a linear machine needs vectors, dense or sparse, or a kernel that is a "+
		"sum over features of its points, as those of words and runs of letters (for others, SVC with the kernel)",
		like.At(0))
}
