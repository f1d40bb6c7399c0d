package stat

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
)

// Dependence tests independence by a measure of the spectrum of the
// cross-covariance of variables in their feature spaces: COCO, the kernel
// canonical correlation, or the kernel generalised variance.
//
// Gram matrices are used through incomplete Cholesky factors: n² numbers are
// never stored, and a permutation costs one product of thin matrices. The null
// is by permutation of all variables but the first.
type Dependence struct {
	Measure DependenceMeasure
	// κ in (G̃ + κI) of Correlation and GeneralisedVariance; 0 means n/100, the choice of Bach and
	// Jordan for small samples
	Kappa     float64
	Tolerance float64 // share of each trace the factors may leave out; 0 means 1e-8
	MaxRank   int     // most columns of a factor; 0 means 256
	TestSettings
}

// DependenceMeasure is a number that is zero, up to sampling, for independent
// variables.
type DependenceMeasure int

// The measures.
const (
	// COCO is the constrained covariance of two variables, the largest
	// covariance of functions of norm at most one,
	// (1/n)·√λ_max(K̃·L̃) (A. Gretton et al., Kernel methods for measuring
	// independence, JMLR 6, 2005).
	COCO DependenceMeasure = iota
	// Correlation is the first kernel canonical correlation,
	//
	//	sup cᵀG̃ₓG̃ᵧd / √(cᵀ(G̃ₓ+κI)²c · dᵀ(G̃ᵧ+κI)²d);
	//
	// for more than two variables 1 − λ_min of the block matrix 𝓡 with
	// blocks Rᵢ·Rⱼ, Rᵢ = (G̃ᵢ+κI)⁻¹G̃ᵢ, and I on the diagonal, which is the same for two
	// (F. Bach and M. Jordan, Kernel independent component analysis, JMLR 3,
	// 2002).
	Correlation
	// GeneralisedVariance is −½ log det 𝓡, for two variables −½ Σ log(1−ρᵢ²)
	// over all kernel canonical correlations: the mutual information if the
	// features were Gaussian (ibid., section 3.3).
	GeneralisedVariance
)

// String names the measure.
func (m DependenceMeasure) String() string {
	if m < COCO || m > GeneralisedVariance {
		return fmt.Sprintf("DependenceMeasure(%d)", int(m))
	}
	return [...]string{"COCO", "kernel canonical correlation", "kernel generalised variance"}[m]
}

// Test looks for dependence among the variables.
func (t Dependence) Test(ctx context.Context, vars ...Variable) (*TestResult, error) {
	f, err := t.features(ctx, vars)
	if err != nil {
		return nil, err
	}
	s, err := t.resolve(t.Measure.String(), NullPermutation)
	if err != nil {
		return nil, err
	}
	n := vars[0].n
	r := &TestResult{Test: "independence test by " + t.Measure.String(), Measure: t.Measure.String(), Sizes: []int{n},
		Kernels: kernelsOf(vars)}
	if r.Statistic, err = f.value(t.Measure, nil); err != nil {
		return nil, err
	}
	draws, failed := make([]float64, s.Permutations), make([]error, s.Permutations)
	err = s.inBatches(ctx, func(lo, hi int) error {
		par.For(s.Threads, hi-lo, 1, func(from, to int) {
			perms := make([][]int32, len(vars))
			for d := 1; d < len(perms); d++ {
				perms[d] = make([]int32, n)
			}
			for b := lo + from; b < lo+to && ctx.Err() == nil; b++ {
				rng := s.stream(drawPermutation, b)
				for _, p := range perms[1:] {
					permutation(p, rng)
				}
				draws[b], failed[b] = f.value(t.Measure, perms)
			}
		})
		for b := lo; b < hi; b++ {
			if failed[b] != nil {
				return failed[b]
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return r, r.sampled(s, draws, 1e-12*math.Abs(r.Statistic))
}

// Value is the measure alone.
func (t Dependence) Value(ctx context.Context, vars ...Variable) (float64, error) {
	f, err := t.features(ctx, vars)
	if err != nil {
		return 0, err
	}
	return f.value(t.Measure, nil)
}

// value computes the measure with variable d in the order perms[d]; nil means
// as observed.
func (f featureSet) value(m DependenceMeasure, perms [][]int32) (float64, error) {
	if len(f) == 2 {
		c := f.cross(0, 1, perms)
		if c.Rows > c.Cols {
			c = transpose(c)
		}
		square := linalg.New[float64](c.Rows, c.Rows)
		linalg.Syrk(1, linalg.Lower, linalg.NoTrans, 1, c, 0, square)
		if m == GeneralisedVariance {
			return halfLogDet(square, -1)
		}
		values, err := linalg.SymEigenValues(1, square)
		if err != nil {
			return 0, fault.Errorf("stat", "%v: %w", m, err)
		}
		return math.Sqrt(math.Max(0, values[len(values)-1])), nil
	}
	size := 0
	for _, x := range f {
		size += x.Cols
	}
	all := linalg.New[float64](size, size) // 𝓡 − I, lower triangle
	at := 0
	for i, x := range f {
		left := 0
		for j := range i {
			c := f.cross(i, j, perms)
			all.Slice(at, at+c.Rows, left, left+c.Cols).CopyFrom(c)
			left += c.Cols
		}
		at += x.Cols
	}
	if m == GeneralisedVariance {
		return halfLogDet(all, 1)
	}
	values, err := linalg.SymEigenValues(1, all)
	if err != nil {
		return 0, fault.Errorf("stat", "%v: %w", m, err)
	}
	return -values[0], nil
}

// halfLogDet is −½ log det(I + sign·A) from the lower triangle of A.
func halfLogDet(a linalg.Matrix[float64], sign float64) (float64, error) {
	for i := range a.Rows {
		for j := range i + 1 {
			a.Row(i)[j] *= sign
		}
		a.Row(i)[i]++
	}
	c, err := linalg.NewCholesky(1, a)
	if err != nil {
		return 0, fault.Errorf("stat",
			"kernel generalised variance: a correlation is 1 to working precision; a larger kappa would do: %w", err)
	}
	return -0.5 * c.LogDet(), nil
}

func transpose(a linalg.Matrix[float64]) linalg.Matrix[float64] {
	t := linalg.New[float64](a.Cols, a.Rows)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			t.Set(j, i, v)
		}
	}
	return t
}
