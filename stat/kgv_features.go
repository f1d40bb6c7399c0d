package stat

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// featureSet is one centred feature matrix Φ for each variable, such that the
// measure is a function of the products ΦᵢᵀΦⱼ.
type featureSet []linalg.Matrix[float64]

// features factors every variable. With G̃ = UΛUᵀ,
//
//	COCO                    Φ = U·Λ^½/√n
//	the other two measures  Φ = U·Λ(Λ+κI)⁻¹,
//
// so that ΦₓᵀΦᵧ has the singular values of the cross-covariance, or those of RₓRᵧ.
func (t Dependence) features(ctx context.Context, vars []Variable) (featureSet, error) {
	if t.Measure < COCO || t.Measure > GeneralisedVariance {
		return nil, fault.Errorf("stat", "unknown measure of dependence %d", int(t.Measure))
	}
	if err := checkVariables(t.Measure.String(), vars, 2); err != nil {
		return nil, err
	}
	if t.Measure == COCO && len(vars) != 2 {
		return nil, fault.Errorf("stat",
			"COCO is of two variables, not %d; DHSIC, Correlation and GeneralisedVariance take more", len(vars))
	}
	if !(t.Kappa >= 0) || math.IsInf(t.Kappa, 0) {
		return nil, fault.Errorf("stat", "kappa is %g; want a positive number", t.Kappa)
	}
	if !(t.Tolerance >= 0 && t.Tolerance < 1) || t.MaxRank < 0 {
		return nil, fault.Errorf("stat",
			"tolerance %g and rank %d of the factors; want 0 ≤ tolerance < 1 and a rank that is not negative", t.Tolerance,
			t.MaxRank)
	}
	if t.Kappa == 0 {
		t.Kappa = float64(vars[0].n) / 100
	}
	o := gram.LowRankOptions{Tolerance: t.Tolerance, MaxRank: t.MaxRank, Threads: t.Threads}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-8
	}
	if o.MaxRank == 0 {
		o.MaxRank = min(256, vars[0].n)
	}
	f := make(featureSet, len(vars))
	for i, v := range vars {
		low, err := v.factor(ctx, o)
		if err != nil {
			return nil, fault.Errorf("stat", "%v: variable %d: %w", t.Measure, i, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f[i], err = t.featuresOf(linalg.Of(low.Factor()).Clone()); err != nil {
			return nil, fault.Errorf("stat", "%v: variable %d: %w", t.Measure, i, err)
		}
	}
	return f, nil
}

// featuresOf centres a factor and weighs its principal directions.
func (t Dependence) featuresOf(f linalg.Matrix[float64]) (linalg.Matrix[float64], error) {
	n := float64(f.Rows)
	mean := make([]float64, f.Cols)
	for i := range f.Rows {
		for j, v := range f.Row(i) {
			mean[j] += v / n
		}
	}
	for i := range f.Rows {
		row := f.Row(i)
		for j := range row {
			row[j] -= mean[j]
			if t.Measure == COCO {
				row[j] /= math.Sqrt(n)
			}
		}
	}
	if t.Measure == COCO {
		return f, nil
	}
	square := linalg.New[float64](f.Cols, f.Cols)
	linalg.Syrk(t.Threads, linalg.Lower, linalg.Trans, 1, f, 0, square)
	values, q, err := linalg.SymEigen(t.Threads, square)
	if err != nil {
		return f, err
	}
	// u = f·q/√λ, weighed by λ/(λ+κ); directions without variance say nothing
	first := 0
	for first < len(values)-1 && values[first] <= 1e-12*values[len(values)-1] {
		first++
	}
	q = q.Slice(0, q.Rows, first, q.Cols).Clone()
	for j, l := range values[first:] {
		w := math.Sqrt(math.Max(0, l)) / (l + t.Kappa)
		for i := range q.Rows {
			q.Row(i)[j] *= w
		}
	}
	out := linalg.New[float64](f.Rows, q.Cols)
	linalg.Gemm(t.Threads, linalg.NoTrans, linalg.NoTrans, 1, f, q, 0, out)
	return out, nil
}

// cross is ΦᵢᵀΦⱼ with each in its order.
func (f featureSet) cross(i, j int, perms [][]int32) linalg.Matrix[float64] {
	ordered := func(d int) linalg.Matrix[float64] {
		if perms == nil || perms[d] == nil {
			return f[d]
		}
		m := linalg.New[float64](f[d].Rows, f[d].Cols)
		for r, p := range perms[d] {
			copy(m.Row(r), f[d].Row(int(p)))
		}
		return m
	}
	c := linalg.New[float64](f[i].Cols, f[j].Cols)
	linalg.Gemm(1, linalg.Trans, linalg.NoTrans, 1, ordered(i), ordered(j), 0, c)
	return c
}
