package gram

import (
	"context"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// LowRankOptions bound a low-rank approximation. The zero value is usable.
type LowRankOptions struct {
	Tolerance float64 // incomplete Cholesky: stop at tr(K-F·Fᵀ) ≤ Tolerance·tr K; 0 means 1e-6
	MaxRank   int     // incomplete Cholesky: most columns; 0 means n
	Threads   int     // 0 means GOMAXPROCS
	Seed      uint64  // for the sample of the error report, and for random features
}

// NystromMap is φ(x) = L⁻¹·k(C, x) with K(C, C) = L·Lᵀ: coordinates of the
// projection of k(x, ·) on the span of the centres, in an orthonormal basis.
type NystromMap[T any] struct {
	Kernel  kernel.Kernel[T]
	Centers data.Points[T]
	Pivots  []int // the places of Centers among the points that they were chosen from
	chol    *linalg.Cholesky
	all     linalg.Matrix[float64]
	threads int
}

// Factor views L, lower triangular.
func (m *NystromMap[T]) Factor() *mat.Dense { return linalg.Dense(m.chol.L) }

// AtCandidates views φ of all the points that Centers were chosen from, a row each: those of
// Centers are the rows of L.
func (m *NystromMap[T]) AtCandidates() *mat.Dense { return linalg.Dense(m.all) }

// Dim is the number of centres.
func (m *NystromMap[T]) Dim() int { return m.Centers.Len() }

// Coefficients turns the linear functions x ↦ φ(x)ᵀ·β, one for each column of
// beta, into functions Σ αⱼ k(cⱼ, x) on the centres: α = L⁻ᵀ·β.
func (m *NystromMap[T]) Coefficients(beta *mat.Dense) *mat.Dense {
	a := linalg.Of(beta).Clone()
	m.chol.SolveLT(m.threads, a)
	return linalg.Dense(a)
}

// mapPiece is how many points are mapped at a time.
const mapPiece = 256

// Features is φ of every point, a row each.
func (m *NystromMap[T]) Features(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return features[T](ctx, m, x)
}

// FeaturesTo sets row i of dst to φ(x.At(i)); the error names the row that the kernel cannot take.
func (m *NystromMap[T]) FeaturesTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if err := checkFeatures[T](m, dst, x); err != nil {
		return err
	}
	if err := kernel.CheckNext(m.Kernel, m.Centers, x); err != nil {
		return fault.Errorf("gram", "nystrom: %w", err)
	}
	return m.mapTo(ctx, linalg.Of(dst), x)
}

func (m *NystromMap[T]) mapTo(ctx context.Context, dst linalg.Matrix[float64], x data.Points[T]) error {
	// The features of a point have the same bits whatever other points there are.
	t := kernel.NewBase(m.Kernel, m.Centers).Prepare(ctx, x)
	r := m.Dim()
	par.For(m.threads, x.Len(), mapPiece, func(lo, hi int) {
		k, b := linalg.New[float64](hi-lo, r), linalg.New[float64](r, hi-lo)
		if t.Tile(blas64.General(k), lo, 0); t.Err() != nil {
			return
		}
		for i := range k.Rows {
			for j, v := range k.Row(i) {
				b.Data[j*b.Stride+i] = v
			}
		}
		if m.chol.SolveLRowwise(ctx, 1, b) != nil {
			return
		}
		for i := lo; i < hi; i++ {
			row := dst.Row(i)
			for j := range row {
				row[j] = b.At(j, i-lo)
			}
		}
	})
	return t.Err()
}

// Nystrom approximates K(X, X) by K(X, C)·K(C, C)⁺·K(C, X) on the centres C,
// the rows of X named by index (see UniformCenters, KMeansCenters and
// LeverageCenters). Centres that depend on the others to working precision are
// left out; the map says which stayed.
func Nystrom[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], index []int, o LowRankOptions,
) (*Approximation[T], error) {
	diag, err := selfValues(ctx, k, x, "row")
	if err != nil {
		return nil, err
	}
	if len(index) == 0 {
		return nil, fault.Errorf("gram", "nystrom: no centres")
	}
	for i, j := range index {
		if j < 0 || j >= len(diag) {
			return nil, fault.Errorf("gram", "nystrom: centre %d is row %d, but there are %d rows", i, j, len(diag))
		}
	}
	m, err := NewNystromMap(ctx, k, data.Gather(x, index), o)
	if err != nil {
		return nil, err
	}
	f := linalg.New[float64](len(diag), m.Dim())
	if err := m.mapTo(ctx, f, x); err != nil {
		return nil, err
	}
	return approximate(ctx, k, x, diag, m, f, "nystrom", true, o)
}

// independent is the trace, relative to all of it, that may be lost by leaving
// out dependent centres: enough above rounding for the triangular solve to be
// stable.
const independent = 1e-13

// NewNystromMap is the map of the given centres. Centres that depend on the others to working
// precision are left out; Centers says which stayed.
func NewNystromMap[T any](
	ctx context.Context, k kernel.Kernel[T], centers data.Points[T], o LowRankOptions,
) (*NystromMap[T], error) {
	if centers == nil || centers.Len() == 0 {
		return nil, fault.Errorf("gram", "nystrom: no centres")
	}
	n := centers.Len()
	kcc := linalg.New[float64](n, n)
	if err := kernel.Fill(o.Threads, blas64.General(kcc), kernel.Prepare(ctx, k, centers, centers)); err != nil {
		return nil, err
	}
	p, err := linalg.NewPivotedCholeskyContext(ctx, o.Threads, kcc, linalg.PivotedOptions{Tolerance: independent})
	if err != nil {
		return nil, fault.Errorf("gram", "nystrom: K(C, C): %w", err)
	}
	return fromPivots(k, centers, p, o)
}

// fromPivots keeps the pivots as centres, with their triangle as L.
func fromPivots[T any](
	k kernel.Kernel[T], x data.Points[T], p *linalg.PivotedCholesky, o LowRankOptions,
) (*NystromMap[T], error) {
	r := len(p.Pivots)
	if r == 0 {
		return nil, fault.Errorf("gram", "K is zero: there is nothing to approximate")
	}
	l := linalg.New[float64](r, r)
	for a, i := range p.Pivots {
		copy(l.Row(a)[:a+1], p.L.Row(i)[:a+1])
	}
	return &NystromMap[T]{Kernel: k, Centers: data.Gather(x, p.Pivots), Pivots: p.Pivots, chol: &linalg.Cholesky{L: l},
		all: p.L, threads: o.Threads}, nil
}

func approximate[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], diag []float64, m FeatureMap[T], f linalg.Matrix[float64],
	what string, certified bool, o LowRankOptions,
) (*Approximation[T], error) {
	report, err := measure(ctx, k, x, diag, f, certified, o.Threads, o.Seed)
	if err != nil {
		return nil, err
	}
	return &Approximation[T]{LowRank: &LowRank{f: f, g: f, threads: o.Threads, what: what}, Map: m, Report: report}, nil
}

// IncompleteCholesky approximates K(X, X) by L·Lᵀ, pivot by pivot, each time
// taking the point worst approximated so far, until tr(K - L·Lᵀ) ≤ Tolerance·tr K
// or MaxRank columns. It evaluates rank+1 columns of K, no more, and equals
// Nyström on the pivots.
func IncompleteCholesky[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], o LowRankOptions,
) (*Approximation[T], error) {
	diag, err := selfValues(ctx, k, x, "row")
	if err != nil {
		return nil, err
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-6
	}
	t := kernel.Prepare(ctx, k, x, x)
	n := len(diag)
	column := func(dst []float64, j int) {
		par.For(o.Threads, n, 4096, func(lo, hi int) {
			row(t, dst[lo:hi], j, lo)
		})
	}
	p, err := linalg.NewPivotedCholeskyFromContext(ctx, o.Threads, diag, column,
		linalg.PivotedOptions{Tolerance: o.Tolerance, MaxRank: o.MaxRank})
	if err != nil {
		return nil, fault.Errorf("gram", "incomplete Cholesky: %w", err)
	}
	m, err := fromPivots(k, x, p, o)
	if err != nil {
		return nil, err
	}
	return approximate(ctx, k, x, diag, m, p.L.Clone(), "pivoted incomplete Cholesky", true, o)
}

// RandomCholesky is IncompleteCholesky with pivots drawn in proportion to what is left of k(x, x)
// (RPCholesky; Chen, Epperly, Tropp and Webber 2022): outliers do not draw them all, and blocks of
// columns are evaluated and eliminated at a time. Seed is that of the draw.
func RandomCholesky[T any](
	ctx context.Context, k kernel.Kernel[T], x data.Points[T], o LowRankOptions,
) (*Approximation[T], error) {
	diag, err := selfValues(ctx, k, x, "row")
	if err != nil {
		return nil, err
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-6
	}
	columns := func(dst linalg.Matrix[float64], index []int) error {
		return kernel.Fill(o.Threads, blas64.General(dst), kernel.Prepare(ctx, k, x, data.Gather(x, index)))
	}
	p, err := linalg.NewRandomCholesky(ctx, o.Threads, diag, columns,
		linalg.PivotedOptions{Tolerance: o.Tolerance, MaxRank: o.MaxRank}, rand.New(rand.NewPCG(o.Seed, 0x59c0)))
	if err != nil {
		return nil, fault.Errorf("gram", "random Cholesky: %w", err)
	}
	m, err := fromPivots(k, x, p, o)
	if err != nil {
		return nil, err
	}
	return approximate(ctx, k, x, diag, m, p.L.Clone(), "randomly pivoted Cholesky", true, o)
}
