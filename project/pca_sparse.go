package project

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// SparsePCA is kernel principal component analysis whose components are combinations of few points.
// A component v = Σ αᵢφ(xᵢ) has nearly all αᵢ ≠ 0: of each the Points coefficients that are largest
// in size are kept, and the nearest vector in the span of their points takes its place,
//
//	minimise over β   ‖v - Σ_{i∈S} βᵢφ(xᵢ)‖²,   K_SS·β = (Kα)_S,
//
// made of length 1. A score then costs as many kernel values as there are points kept; how much of
// v is lost is told by the cosine of the angle between both, Alignment. Unlike principal components
// they are not orthogonal, and their scores are correlated.
type SparsePCA[T any] struct {
	PCA[T]
	Points int // kept of each component, at least 1
}

// SparsePCAModel is a fitted SparsePCA. It is immutable and safe for concurrent use.
type SparsePCAModel[T any] struct {
	f *rkhs.Func[T]
	*sparseComponents
}

// sparseComponents is what a SparsePCAModel has beside its function.
type sparseComponents struct {
	alignment []float64
	variance  []float64
	total     float64
	report    PCAReport
	threads   int
}

// Fit finds the principal components and what is nearest to them.
func (p SparsePCA[T]) Fit(ctx context.Context, x data.Points[T]) (*SparsePCAModel[T], error) {
	f, m, err := p.PCA.open().fitSparse(ctx, data.Erase(x), p.Points)
	if err != nil {
		return nil, err
	}
	return &SparsePCAModel[T]{rkhs.Typed(p.Kernel, f), m}, nil
}

func (p pca) fitSparse(
	ctx context.Context, x data.Points[any], points int,
) (*rkhs.Func[any], *sparseComponents, error) {
	if points < 1 {
		return nil, nil, fault.Errorf("project", "a component of %d points; keep at least 1", points)
	}
	full, err := p.fit(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	m := &sparseComponents{total: full.total, report: full.report, threads: p.Threads}
	centers, c := full.all.Centers, full.Components()
	at, err := apply.New(ctx, full.all, centers, rkhs.EvalOptions{Threads: p.Threads})
	if err != nil {
		return nil, nil, fault.In("project", err)
	}
	beta := linalg.New[float64](centers.Len(), c)
	bias := make([]float64, c)
	for j := range c {
		kept := largest(full.all.Coef, j, min(points, centers.Len()))
		inner := make([]float64, len(kept)) // ⟨v, φ(xᵢ)⟩
		for a, i := range kept {
			inner[a] = at.At(i, j) - full.all.Bias[j]
		}
		part, cosine, err := nearestIn(ctx, p.Threads, full.all.Kernel, data.OwnSubset(centers, kept), inner)
		if err != nil {
			return nil, nil, fmt.Errorf("project: component %d: %w", j, err)
		}
		m.alignment = append(m.alignment, cosine)
		for a, i := range kept {
			beta.Set(i, j, part[a])
			bias[j] -= part[a] * at.At(i, c) // the mean of φ, by the last output
		}
	}
	f := withoutZeros(full.all.Kernel, centers, beta, bias)
	scores, err := apply.New(ctx, f, x, rkhs.EvalOptions{Threads: p.Threads})
	if err != nil {
		return nil, nil, fault.In("project", err)
	}
	m.variance = make([]float64, c)
	for i := range x.Len() {
		for j, s := range scores.RawRowView(i) {
			m.variance[j] += s * s / float64(x.Len())
		}
	}
	return f, m, nil
}

// largest is the places of the entries of a column that are largest in size, in increasing order.
func largest(coef *mat.Dense, column, count int) []int {
	rows, _ := coef.Dims()
	order := make([]int, rows)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(coef.At(b, column)), math.Abs(coef.At(a, column)))
	})
	order = order[:count]
	slices.Sort(order)
	return order
}

// nearestIn is the β of the vector of length 1 in the span of φ at the points that has the least
// angle with a vector of length 1, of which the inner products with them are known, and the cosine
// of that angle. Of points that depend on each other the shortest β is taken.
func nearestIn(
	ctx context.Context, threads int, k kernel.Kernel[any], x data.Points[any], inner []float64,
) ([]float64, float64, error) {
	n := x.Len()
	g := linalg.New[float64](n, n)
	if err := kernel.FillSym(threads, blas64.General(g), kernel.Prepare(ctx, k, x, x)); err != nil {
		return nil, 0, err
	}
	values, u, err := linalg.SymEigenContext(ctx, threads, g)
	if err != nil {
		return nil, 0, err
	}
	beta, square := make([]float64, n), 0.0
	least := float64(n) * 0x1p-52 * values[n-1]
	for j, v := range values {
		if !(v > least) {
			continue
		}
		c := 0.0
		for i, b := range inner {
			c += u.At(i, j) * b
		}
		square += c * c / v
		for i := range beta {
			beta[i] += u.At(i, j) * c / v
		}
	}
	if !(square > 0) {
		return nil, 0, fmt.Errorf("the %d points kept are at right angles to it; keep more", n)
	}
	cosine := math.Sqrt(square)
	for i := range beta {
		beta[i] /= cosine
	}
	return beta, min(cosine, 1), nil
}

// withoutZeros is the function on the points that have a coefficient in any output.
func withoutZeros(
	k kernel.Kernel[any], centers data.Points[any], coef linalg.Matrix[float64], bias []float64,
) *rkhs.Func[any] {
	var used []int
	for i := range coef.Rows {
		if slices.ContainsFunc(coef.Row(i), func(v float64) bool { return v != 0 }) {
			used = append(used, i)
		}
	}
	few := linalg.New[float64](len(used), coef.Cols)
	for a, i := range used {
		copy(few.Row(a), coef.Row(i))
	}
	own := data.OwnSubset(centers, used)
	return (&rkhs.Func[any]{Kernel: k, Centers: own, Coef: linalg.Dense(few), Bias: bias}).Prepare()
}

// Components is the number of components.
func (m *sparseComponents) Components() int { return len(m.variance) }

// Func is the projection: output j is the score on component j. Its centres are the points that any
// component keeps.
func (m *SparsePCAModel[T]) Func() *rkhs.Func[T] { return m.f }

// Alignment is the cosine of the angle between each component and the principal component that it
// stands for.
func (m *sparseComponents) Alignment() []float64 { return slices.Clone(m.alignment) }

// Variance is the mean square of the training scores of each component. Scores are correlated, so
// that the variances do not add up.
func (m *sparseComponents) Variance() []float64 { return slices.Clone(m.variance) }

// TotalVariance is tr K̃/n.
func (m *sparseComponents) TotalVariance() float64 { return m.total }

// Report says how the principal components were found.
func (m *sparseComponents) Report() PCAReport { return m.report }

// Plain returns the components as plain data.
func (m *SparsePCAModel[T]) Plain() (rkhs.Plain[T], error) {
	return rkhs.Plain[T]{
		Kind: savedkind.SparsePCA, Funcs: []*rkhs.Func[T]{m.f}, Numbers: map[string]float64{"total variance": m.total},
		Arrays: map[string]*mat.Dense{"variance": rkhs.ListArray(m.variance), "alignment": rkhs.ListArray(m.alignment)},
	}, nil
}

// Restore makes the model that plain data tells of: the inverse of Plain.
func (m *SparsePCAModel[T]) Restore(p rkhs.Plain[T]) error {
	told, err := restoreSparsePCA(p)
	if err != nil {
		return err
	}
	*m = *told
	return nil
}

// restoreSparsePCA makes a SparsePCAModel of plain data.
func restoreSparsePCA[T any](p rkhs.Plain[T]) (*SparsePCAModel[T], error) {
	m := &SparsePCAModel[T]{sparseComponents: &sparseComponents{}}
	var err error
	if m.variance, err = p.List("variance", -1); err != nil {
		return nil, err
	}
	if m.alignment, err = p.List("alignment", len(m.variance)); err != nil {
		return nil, err
	}
	if m.f, err = p.Function(0, 1, len(m.variance)); err != nil {
		return nil, err
	}
	if m.total, err = p.Number("total variance"); err != nil {
		return nil, err
	}
	for j, cosine := range m.alignment {
		if !(cosine > 0 && cosine <= 1) || !(m.variance[j] >= 0) {
			return nil, fmt.Errorf("component %d has the variance %g and the cosine %g", j, m.variance[j], cosine)
		}
	}
	if !(m.total > 0) {
		return nil, fmt.Errorf("a total variance of %g", m.total)
	}
	return m, nil
}

// Transform returns the scores of points, a row each.
func (m *SparsePCAModel[T]) Transform(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, m.Components(), func(dst *mat.Dense) error { return m.TransformTo(ctx, dst, x) })
}

// TransformTo sets dst, a row for each point and a column for each component, to the scores.
func (m *SparsePCAModel[T]) TransformTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if err := apply.To(ctx, m.f, dst, x, rkhs.EvalOptions{Threads: m.threads}); err != nil {
		return fault.In("project", err)
	}
	return nil
}
