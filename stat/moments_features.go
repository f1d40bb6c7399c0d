package stat

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// FeatureMoments is all that tests on explicit features (gram.FourierMap, say) have to know of
// rows: how many, Σφ and Σφφᵀ. Moments of parts of the rows add up, so that one pass over rows that
// lie anywhere is enough, whatever their number.
type FeatureMoments struct {
	N      float64
	Sum    []float64
	Second []float64 // the lower triangle of Σφφᵀ, row by row
}

// NewFeatureMoments is those of no rows.
func NewFeatureMoments(features int) *FeatureMoments {
	return &FeatureMoments{Sum: make([]float64, features), Second: make([]float64, features*(features+1)/2)}
}

// Add takes in the features of some rows, a row each.
func (m *FeatureMoments) Add(phi *mat.Dense, threads int) error {
	rows, d := phi.Dims()
	if d != len(m.Sum) {
		return fault.Errorf("stat", "moments of %d features, and rows of %d", len(m.Sum), d)
	}
	total := linalg.New[float64](d, d)
	linalg.Syrk(threads, linalg.Lower, linalg.Trans, 1, linalg.Of(phi), 0, total)
	for i := range rows {
		for j, v := range phi.RawRowView(i) {
			m.Sum[j] += v
		}
	}
	at := 0
	for i := range d {
		for _, v := range total.Row(i)[:i+1] {
			m.Second[at] += v
			at++
		}
	}
	m.N += float64(rows)
	return nil
}

// Merge takes in the moments of other rows.
func (m *FeatureMoments) Merge(o *FeatureMoments) error {
	if len(o.Sum) != len(m.Sum) || len(o.Second) != len(m.Second) {
		return fault.Errorf("stat", "moments of %d features, and of %d", len(m.Sum), len(o.Sum))
	}
	m.N += o.N
	for i, v := range o.Sum {
		m.Sum[i] += v
	}
	for i, v := range o.Second {
		m.Second[i] += v
	}
	return nil
}

// scatter is Σ(φ - φ̄)(φ - φ̄)ᵀ, whole, and φ̄.
func (m *FeatureMoments) scatter() (linalg.Matrix[float64], []float64) {
	d := len(m.Sum)
	s, mean := linalg.New[float64](d, d), make([]float64, d)
	for j, v := range m.Sum {
		mean[j] = v / m.N
	}
	at := 0
	for i := range d {
		for j := range i + 1 {
			v := m.Second[at] - m.N*mean[i]*mean[j]
			s.Set(i, j, v)
			s.Set(j, i, v)
			at++
		}
	}
	return s, mean
}

func (m *FeatureMoments) check(test string) error {
	if m == nil || !(m.N >= 4) || len(m.Sum) == 0 {
		return fault.Errorf("stat", "%s: too few rows; give at least 4", test)
	}
	return nil
}

// MMDByFeatures tests whether two samples have one distribution, from the moments of features φ
// with k(x, y) ≈ ⟨φ(x), φ(y)⟩. The statistic is the unbiased MMD² of the kernel ⟨φ, φ⟩; under the
// hypothesis it is (1/n + 1/m)·Σ λᵢ(zᵢ² - 1) in the limit, with λ the eigenvalues of the covariance
// of φ within the samples.
func MMDByFeatures(ctx context.Context, x, y *FeatureMoments, s TestSettings) (*TestResult, error) {
	s, err := s.resolve("MMD by features", NullSpectral)
	if err != nil {
		return nil, err
	}
	for _, m := range []*FeatureMoments{x, y} {
		if err := m.check("MMD by features"); err != nil {
			return nil, err
		}
	}
	if len(x.Sum) != len(y.Sum) {
		return nil, fault.Errorf("stat", "MMD by features: %d features and %d", len(x.Sum), len(y.Sum))
	}
	r := &TestResult{Test: "MMD two-sample test", Measure: "MMD² (unbiased, by features)",
		Sizes: []int{int(x.N), int(y.N)}}
	sx, mx := x.scatter()
	sy, my := y.scatter()
	within := linalg.New[float64](sx.Rows, sx.Rows)
	for i, v := range sx.Data {
		within.Data[i] = (v + sy.Data[i]) / (x.N + y.N - 2)
	}
	for j := range mx {
		d := mx[j] - my[j]
		r.Statistic += d*d - sx.At(j, j)/((x.N-1)*x.N) - sy.At(j, j)/((y.N-1)*y.N)
	}
	lambda, err := spectrum(s.Threads, within)
	if err != nil {
		return nil, fault.Errorf("stat", "MMD by features: %w", err)
	}
	scale, total := 1/x.N+1/y.N, 0.0
	for i := range lambda {
		lambda[i] *= scale
		total += lambda[i]
	}
	draws := make([]float64, s.Permutations)
	if err := weightedChiSquare(ctx, s, lambda, draws); err != nil {
		return nil, err
	}
	for b := range draws {
		draws[b] -= total
	}
	return r, r.sampled(s, draws, 0)
}

// HSICByFeatures tests whether two variables are independent, from the moments of their features
// side by side: the first so many are of one, the others of the other. The statistic is HSIC = ‖C‖²
// of their cross-covariance, that of the kernels ⟨φ, φ⟩; under the hypothesis it is Σ
// λᵢηⱼzᵢⱼ²/(n - 1) in the limit, with the eigenvalues of the two covariances.
func HSICByFeatures(ctx context.Context, both *FeatureMoments, first int, s TestSettings) (*TestResult, error) {
	s, err := s.resolve("HSIC by features", NullSpectral)
	if err != nil {
		return nil, err
	}
	if err := both.check("HSIC by features"); err != nil {
		return nil, err
	}
	d := len(both.Sum)
	if first < 1 || first >= d {
		return nil, fault.Errorf("stat", "HSIC by features: %d of %d features are of the first variable; both need some",
			first, d)
	}
	r := &TestResult{Test: "HSIC independence test", Measure: "HSIC (by features)", Sizes: []int{int(both.N)}}
	all, _ := both.scatter()
	for i := range all.Data {
		all.Data[i] /= both.N
	}
	for i := range first {
		for j := first; j < d; j++ {
			r.Statistic += all.At(i, j) * all.At(i, j)
		}
	}
	lambda, err := spectrum(s.Threads, all.Slice(0, first, 0, first).Clone())
	if err != nil {
		return nil, fault.Errorf("stat", "HSIC by features: %w", err)
	}
	eta, err := spectrum(s.Threads, all.Slice(first, d, first, d).Clone())
	if err != nil {
		return nil, fault.Errorf("stat", "HSIC by features: %w", err)
	}
	var products []float64
	sums := [2]float64{}
	for _, b := range eta {
		sums[1] += b
	}
	for i, a := range lambda {
		sums[0] += a
		for j, b := range eta {
			if a <= 0 || b <= 0 || (i+1)*(j+1) > spectralTerms { // (i, j) has as many before it that are as large
				break
			}
			products = append(products, a*b/(both.N-1))
		}
	}
	slices.Sort(products)
	products = products[max(0, len(products)-spectralTerms):]
	rest := sums[0] * sums[1] / (both.N - 1)
	for _, v := range products {
		rest -= v
	}
	draws := make([]float64, s.Permutations)
	if err := weightedChiSquare(ctx, s, products, draws); err != nil {
		return nil, err
	}
	for b := range draws {
		draws[b] += math.Max(rest, 0)
	}
	return r, r.sampled(s, draws, 0)
}

// spectrum is the eigenvalues of a covariance, the largest first; those below 0 are rounding.
func spectrum(threads int, c linalg.Matrix[float64]) ([]float64, error) {
	values, err := linalg.SymEigenValues(threads, c)
	if err != nil {
		return nil, fmt.Errorf("the covariance of the features: %w", err)
	}
	slices.Reverse(values)
	for i := range values {
		values[i] = math.Max(values[i], 0)
	}
	return values, nil
}
