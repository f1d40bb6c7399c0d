package ridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Interpolation is exact radial basis function interpolation: the f = Σ αⱼ k(xⱼ, ·) with f(xᵢ) =
// yᵢ, that is Kα = y (Powell 1987). Of all functions of the RKHS through the points it has the
// least norm. K must be positive definite: a strictly positive definite kernel and no point twice.
// With a kernel that is no such but has regular matrices (kernel.Interpolates: the multiquadric) Kα
// = y is solved all the same, and nothing has a least norm. The report warns when K is so ill
// conditioned that few digits hold.
type Interpolation[T any] struct {
	Kernel kernel.Kernel[T]
	learn.Resources
}

// worstCondition is the condition number above which Interpolation warns.
const worstCondition = 1e10

// Fit learns from points and their values.
func (c Interpolation[T]) Fit(
	ctx context.Context, x data.Points[T], y []float64,
) (*learn.ExpansionRegressor[T], error) {
	m, err := c.open().fit(ctx, data.Erase(x), y)
	if err != nil {
		return nil, err
	}
	return learn.NewExpansionRegressor(rkhs.Typed(c.Kernel, m.Func()), m.Support(), m.Report()), nil
}

// interpolation is an Interpolation of points that have lost their type.
type interpolation Interpolation[any]

func (c Interpolation[T]) open() interpolation {
	return interpolation{Kernel: kernel.Erase(c.Kernel), Resources: c.Resources}
}

func (c interpolation) fit(
	ctx context.Context, x data.Points[any], y []float64,
) (*learn.ExpansionRegressor[any], error) {
	start := time.Now()
	_, err := fitting.CheckRegression(c.Kernel, x, y, nil)
	if err == nil {
		c.Resources, err = c.Resources.WithDefaults()
	}
	if err != nil {
		return nil, fmt.Errorf("interpolation: %w", err)
	}
	own, alpha := data.Own(x), slices.Clone(y)
	m, err := fitting.Heed(ctx, func() (*learn.ExpansionRegressor[any], error) {
		k, err := fitting.KernelBasis(ctx, "interpolation", c.Kernel, own, c.Resources, 0, 1)
		if err != nil {
			return nil, err
		}
		report := learn.Report{Learner: "interpolation", Certified: "condition number of K", Converged: true,
			Bytes: 8 * int64(len(k.Data))}
		if kernel.Interpolates(c.Kernel) {
			report.Certificate, err = solveIndefinite(k, alpha)
		} else if report.Certificate, err = c.solveDefinite(ctx, k, alpha); err == nil {
			report.Warnings = fitting.Doubts(ctx, c.Kernel, own, c.Resources)
		}
		if err != nil {
			return nil, err
		}
		if report.Certificate > worstCondition {
			report.Warnings = append(report.Warnings,
				fmt.Sprintf("condition number %.2g of the kernel matrix: few digits of the coefficients hold; shorten the "+
					"length-scale or use ridge regression", report.Certificate))
		}
		report.Elapsed = time.Since(start)
		f, support := fitting.Expansion(c.Kernel, own, [][]float64{alpha}, nil)
		return learn.NewExpansionRegressor(f, support, report), fitting.FiniteCoefficients(f)
	})
	if err != nil {
		return nil, fmt.Errorf("interpolation: %w", fitting.Explain(ctx, err, c.Kernel, own, c.Resources))
	}
	return m, nil
}

// solveDefinite puts α in place of y, and returns the condition number of K.
func (c interpolation) solveDefinite(ctx context.Context, k linalg.Matrix[float64], y []float64) (float64, error) {
	chol, err := linalg.NewCholeskyContext(ctx, c.Threads, k)
	if err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, fmt.Errorf("kernel matrix: %w; drop duplicate points, shorten the length-scale, or use ridge regression",
			err)
	}
	return chol.Cond(c.Threads), chol.SolveContext(ctx, c.Threads, fitting.Column(y))
}

// solveIndefinite is solveDefinite of a matrix that is regular and no more, by elimination with
// pivots.
func solveIndefinite(k linalg.Matrix[float64], y []float64) (float64, error) {
	var lu mat.LU
	lu.Factorize(linalg.Dense(k))
	cond := lu.Cond()
	if math.IsInf(cond, 0) || math.IsNaN(cond) || cond > 1e16 {
		return 0, fmt.Errorf("kernel matrix: it is singular (condition number %.2g); drop duplicate points, or use "+
			"another kernel", cond)
	}
	var out mat.VecDense
	if err := lu.SolveVecTo(&out, false, mat.NewVecDense(len(y), slices.Clone(y))); err != nil {
		var ill mat.Condition
		if !errors.As(err, &ill) { // which the report tells
			return 0, err
		}
	}
	copy(y, out.RawVector().Data)
	return cond, nil
}
