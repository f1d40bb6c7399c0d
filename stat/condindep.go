package stat

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// ConditionalIndependence tests whether x and y say anything about each other
// once z is known: both are regressed on z by kernel ridge regression, and
// HSIC is asked whether the residuals are independent.
//
// What it assumes: x = f(z) + ε and y = g(z) + η with noise that does not
// depend on z, and functions that kernel ridge regression can learn from so
// many points. Noise whose spread moves with z, or functions too rough for the
// sample, make the residuals dependent through z, and the test then rejects
// too often; no test of conditional independence holds its level against
// every such alternative (R. Shah and J. Peters, The hardness of conditional
// independence testing, Ann. Stat. 48, 2020). Residuals are as in J. Peters,
// J. Mooij, D. Janzing and B. Schölkopf, JMLR 15, 2014.
//
// Kernel of z and ridge λ are chosen, for x and for y apart, by the
// leave-one-out error, which is exact and costs no refit.
type ConditionalIndependence[Z any] struct {
	Kernels      []kernel.Kernel[Z]        // candidates for the regression on z; at least one
	Lambdas      []float64                 // candidates for the ridge; nil means 13 values from 1e-6·n to n
	KernelX      kernel.Kernel[kernel.Vec] // on the residuals of x; nil means Gaussian of median width
	KernelY      kernel.Kernel[kernel.Vec] // on the residuals of y; likewise
	TestSettings                           // nulls as in HSIC
}

// ConditionalResult is the outcome with the two regressions.
type ConditionalResult struct {
	TestResult
	X, Y Regression
}

// Regression is how a variable was explained by z.
type Regression struct {
	Kernel    string  // chosen
	Lambda    float64 // chosen
	LeaveOut  float64 // mean squared leave-one-out error, summed over the columns
	Variance  float64 // of the variable, likewise: what LeaveOut is to be compared with
	Residuals data.Points[kernel.Vec]
}

// Test looks for dependence of x and y given z.
func (t ConditionalIndependence[Z]) Test(
	ctx context.Context, x, y data.Points[kernel.Vec], z data.Points[Z],
) (*ConditionalResult, error) {
	own := ConditionalIndependence[any]{eraseAll(t.Kernels), t.Lambdas, t.KernelX, t.KernelY, t.TestSettings}
	return testConditional(ctx, own, x, y, data.Erase(z))
}

func testConditional(
	ctx context.Context, t ConditionalIndependence[any], x, y data.Points[kernel.Vec], z data.Points[any],
) (*ConditionalResult, error) {
	s, err := t.resolve("conditional independence", NullPermutation, NullGamma, NullSpectral)
	if err != nil {
		return nil, err
	}
	n := length(z)
	if length(x) != n || length(y) != n {
		return nil, fault.Errorf("stat",
			"conditional independence: %d points x, %d points y, %d points z; want as many of each", length(x), length(y), n)
	}
	if n < 8 {
		return nil, fault.Errorf("stat", "conditional independence: %d points; want at least 8", n)
	}
	if len(t.Kernels) == 0 {
		return nil, fault.Errorf("stat", "conditional independence: no kernel for z")
	}
	for i, p := range []data.Points[kernel.Vec]{x, y} {
		if err := kernel.Check[kernel.Vec](kernel.Linear{}, p); err != nil {
			return nil, fault.Errorf("stat", "conditional independence: %c: %w", 'x'+rune(i), err)
		}
	}
	for _, l := range t.Lambdas {
		if !(l > 0) || math.IsInf(l, 0) {
			return nil, fault.Errorf("stat", "conditional independence: ridge λ = %g; want a positive number", l)
		}
	}
	r := &ConditionalResult{}
	if err := regress(ctx, t, s, []data.Points[kernel.Vec]{x, y}, z, []*Regression{&r.X, &r.Y}); err != nil {
		return nil, err
	}
	kx, ky := t.KernelX, t.KernelY
	if kx == nil {
		kx = residualKernel(r.X.Residuals)
	}
	if ky == nil {
		ky = residualKernel(r.Y.Residuals)
	}
	h, err := HSIC[kernel.Vec, kernel.Vec]{KernelX: kx, KernelY: ky, TestSettings: s}.Test(ctx, r.X.Residuals,
		r.Y.Residuals)
	if err != nil {
		return nil, err
	}
	r.TestResult = *h
	r.Test = "conditional independence test by residuals"
	r.Notes = append(r.Notes,
		"the level holds as far as x and y are functions of z, learnt from these points, plus noise that does not depend on z")
	return r, nil
}

// residualKernel is the Gaussian of median width; residuals without any
// spread get width one, and the test then has nothing to find.
func residualKernel(x data.Points[kernel.Vec]) kernel.Kernel[kernel.Vec] {
	w, err := kernel.WidthMedian(x)
	if err != nil {
		w = 1
	}
	return kernel.Gaussian{Lengthscale: w}
}

// regress fills one Regression for each target, trying every kernel and ridge.
func regress(
	ctx context.Context, t ConditionalIndependence[any], s TestSettings, targets []data.Points[kernel.Vec],
	z data.Points[any], out []*Regression,
) error {
	n := z.Len()
	lambdas := t.Lambdas
	if lambdas == nil {
		for i := range 13 {
			lambdas = append(lambdas, float64(n)*math.Pow(10, -6+0.5*float64(i)))
		}
	}
	for _, r := range out {
		r.LeaveOut = math.Inf(1)
	}
	for i, k := range t.Kernels {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := centredGram(ctx, fmt.Sprintf("conditional independence: z, kernel %d", i), k, z, 2, s)
		if err != nil {
			return err
		}
		values, q, err := linalg.SymEigenContext(ctx, s.Threads, m)
		if err != nil {
			return fault.Errorf("stat", "conditional independence: %w", err)
		}
		for j, x := range targets {
			newSmoother(values, q, x, s).choose(describeKernel(k), lambdas, out[j])
		}
	}
	for j, r := range out {
		if r.Residuals == nil {
			return fault.Errorf("stat", "conditional independence: the squares of %c overflow; scale it", 'x'+rune(j))
		}
	}
	return nil
}

// smoother is kernel ridge regression with a free constant, in the
// eigenvectors of the centred Gram matrix: ŷ = ȳ + Q·M(M+λ)⁻¹·Qᵀ(y−ȳ).
type smoother struct {
	values  []float64
	q       linalg.Matrix[float64]
	target  linalg.Matrix[float64] // centred columns
	rotated linalg.Matrix[float64] // Qᵀ·target
	threads int
}

func newSmoother(values []float64, q linalg.Matrix[float64], x data.Points[kernel.Vec], s TestSettings) *smoother {
	target := linalg.Matrix[float64](stack(x.Len(), x.At).RawMatrix())
	for j := range target.Cols {
		mean := 0.0
		for i := range target.Rows {
			mean += target.At(i, j) / float64(target.Rows)
		}
		for i := range target.Rows {
			target.Set(i, j, target.At(i, j)-mean)
		}
	}
	rotated := linalg.New[float64](q.Cols, target.Cols)
	linalg.Gemm(s.Threads, linalg.Trans, linalg.NoTrans, 1, q, target, 0, rotated)
	return &smoother{values, q, target, rotated, s.Threads}
}

// choose keeps the best ridge in r if it beats what is there. Leaving point i
// out has residual (yᵢ−ŷᵢ)/(1−Hᵢᵢ), H = 11ᵀ/n + QM(M+λ)⁻¹Qᵀ.
func (s *smoother) choose(name string, lambdas []float64, r *Regression) {
	n := s.q.Rows
	r.Variance = 0
	for _, v := range s.target.Data {
		r.Variance += v * v / float64(n)
	}
	for _, lambda := range lambdas {
		shrunk := s.rotated.Clone()
		keep := make([]float64, n)
		for k, v := range s.values {
			keep[k] = math.Max(0, v) / (math.Max(0, v) + lambda)
			for j := range shrunk.Cols {
				shrunk.Row(k)[j] *= keep[k]
			}
		}
		res := s.target.Clone()
		linalg.Gemm(s.threads, linalg.NoTrans, linalg.NoTrans, -1, s.q, shrunk, 1, res)
		loss := 0.0
		for i := range n {
			own := 1 / float64(n)
			for k, v := range s.q.Row(i) {
				own += v * v * keep[k]
			}
			for _, v := range res.Row(i) {
				e := v / math.Max(1-own, 1e-12)
				loss += e * e / float64(n)
			}
		}
		if loss < r.LeaveOut {
			r.Kernel, r.Lambda, r.LeaveOut, r.Residuals = name, lambda, loss, data.RowsOf(res)
		}
	}
}
