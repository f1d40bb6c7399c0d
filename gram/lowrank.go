package gram

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// LowRank is the matrix F·Gᵀ in place of K(X, Y); for K(X, X) G is F. A product
// costs O((r+c)·rank).
type LowRank struct {
	f, g    linalg.Matrix[float64]
	threads int
	what    string
}

// FromFactor wraps F·Fᵀ; nothing is copied.
func FromFactor(f *mat.Dense, threads int) *LowRank {
	m := linalg.Of(f)
	return &LowRank{f: m, g: m, threads: threads, what: "given factor"}
}

// FromFactors wraps F·Gᵀ; nothing is copied. The factors must have equally
// many columns.
func FromFactors(f, g *mat.Dense, threads int) (*LowRank, error) {
	a, b := linalg.Of(f), linalg.Of(g)
	if a.Cols != b.Cols {
		return nil, fault.Errorf("gram", "factors of rank %d and %d do not multiply", a.Cols, b.Cols)
	}
	return &LowRank{f: a, g: b, threads: threads, what: "given factors"}, nil
}

// Factor views F, rows as the points X.
func (l *LowRank) Factor() *mat.Dense { return linalg.Dense(l.f) }

// Rank is the number of columns of F.
func (l *LowRank) Rank() int { return l.f.Cols }

// Dims returns the shape.
func (l *LowRank) Dims() (int, int) { return l.f.Rows, l.g.Rows }

// MulTo sets dst = F·(Gᵀ·v), or G·(Fᵀ·v) when trans.
func (l *LowRank) MulTo(dst, v *mat.Dense, trans bool) {
	checkMul(l, dst, v, trans)
	f, g := l.f, l.g
	if trans {
		f, g = g, f
	}
	w := linalg.Of(v)
	inner := linalg.New[float64](g.Cols, w.Cols)
	linalg.Gemm(l.threads, linalg.Trans, linalg.NoTrans, 1, g, w, 0, inner)
	linalg.Gemm(l.threads, linalg.NoTrans, linalg.NoTrans, 1, f, inner, 0, linalg.Of(dst))
}

// Diag sets dst to the diagonal.
func (l *LowRank) Diag(dst []float64) {
	for i := range dst {
		dst[i] = dot(l.f.Row(i), l.g.Row(i))
	}
}

// Column sets dst to column j.
func (l *LowRank) Column(dst []float64, j int) {
	for i := range dst {
		dst[i] = dot(l.f.Row(i), l.g.Row(j))
	}
}

// Row sets dst to row i.
func (l *LowRank) Row(dst []float64, i int) {
	for j := range dst {
		dst[j] = dot(l.f.Row(i), l.g.Row(j))
	}
}

// Block sets dst[a, b] = (F·Gᵀ)[i+a, j+b].
func (l *LowRank) Block(dst *mat.Dense, i, j int) {
	o := linalg.Of(dst)
	linalg.Gemm(l.threads, linalg.NoTrans, linalg.Trans, 1, l.f.Slice(i, i+o.Rows, 0, l.f.Cols),
		l.g.Slice(j, j+o.Cols, 0, l.g.Cols), 0, o)
}

// Describe says how the matrix is kept.
func (l *LowRank) Describe() string {
	return fmt.Sprintf("low rank %d (%s), %d×%d", l.f.Cols, l.what, l.f.Rows, l.g.Rows)
}

// FeatureMap maps points to vectors whose inner products approximate a kernel.
type FeatureMap[T any] interface {
	// Dim is the number of features.
	Dim() int
	// Features is φ of every point, a row each.
	Features(ctx context.Context, x data.Points[T]) (*mat.Dense, error)
	// FeaturesTo sets row i of dst to φ(x.At(i)). The error names the row that is not a point of
	// the kernel, or is that of ctx.
	FeaturesTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error
}

// features is Features by FeaturesTo.
func features[T any](ctx context.Context, m FeatureMap[T], x data.Points[T]) (*mat.Dense, error) {
	if x == nil || x.Len() == 0 {
		return nil, fault.Errorf("gram", "no points to map")
	}
	dst := mat.NewDense(x.Len(), m.Dim(), nil)
	if err := m.FeaturesTo(ctx, dst, x); err != nil {
		return nil, err
	}
	return dst, nil
}

// checkFeatures refuses a destination of another shape.
func checkFeatures[T any](m FeatureMap[T], dst *mat.Dense, x data.Points[T]) error {
	if r, c := dst.Dims(); r != x.Len() || c != m.Dim() {
		return fault.Errorf("gram", "%d features of %d points do not fit a %d×%d matrix", m.Dim(), x.Len(), r, c)
	}
	return nil
}

// Approximation is K(X, X) ≈ F·Fᵀ together with the map φ behind it, rows of F
// being φ of the points of X, and an account of the error made.
type Approximation[T any] struct {
	*LowRank
	Map    FeatureMap[T]
	Report ErrorReport
}

// Cross is the approximation of K(test, X): φ(test)·Fᵀ.
func (a *Approximation[T]) Cross(ctx context.Context, test data.Points[T]) (*LowRank, error) {
	f, err := a.Map.Features(ctx, test)
	if err != nil {
		return nil, err
	}
	return &LowRank{f: linalg.Of(f), g: a.LowRank.f, threads: a.threads, what: a.what}, nil
}

var (
	_ Accessor = (*LowRank)(nil)
	_ Accessor = (*Centered)(nil)
	_ Accessor = (*CrossCentered)(nil)
)
