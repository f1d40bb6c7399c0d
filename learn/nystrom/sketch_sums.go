package nystrom

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Sums of the values k, with L⁻¹ from both sides in the end, are for kernels with pivots that are
// not too small: values and sums rounded to u are off by about noise = sumNoise·u√(Mm)·max k in the
// norm for m rows, of which L⁻¹ makes 1/d in a coordinate whose pivot of K(C, C) is d, and the
// matrix has λ + dm/M there (as in falkon_single.go). A few coordinates in which it is more cost an
// iteration each.
const (
	sumNoise = 8  // sums over a block of rows, beside the values in them
	fewLost  = 32 // one coordinate of so many
)

// bears says whether values and sums may be rounded to u, and what noise that leaves.
func (p *problem) bears(unit float64, rows int) (noise float64, ok bool) {
	b := p.basis
	if b.chol == nil {
		return 0, false
	}
	top := 0.0
	for i := range b.dim() {
		top = math.Max(top, b.l.pivot(i)*b.l.pivot(i))
	}
	noise = sumNoise * unit * math.Sqrt(float64(b.dim())*float64(rows)) * top
	ridge, each, lost := p.ridge*float64(rows)/float64(p.kept), float64(rows)/float64(b.dim()), 0
	for i := range b.dim() {
		if d := b.l.pivot(i) * b.l.pivot(i); noise > singleShare*d*(ridge+d*each) {
			lost++
		}
	}
	return noise, fewLost*lost <= b.dim()
}

// rounding is what kernel values are off by in single precision, in units of the largest: the root
// mean square of the differences between some centres and all. Where points lie many length-scales
// apart it is some hundred units of single precision.
func (p *problem) rounding(ctx context.Context) float64 {
	b := p.basis
	rows := min(roundedRows, b.dim())
	t := kernel.NewBase(p.kernel, b.centers).Prepare(ctx, data.Span(b.centers, 0, rows))
	wide, narrow := linalg.New[float64](rows, b.dim()), linalg.New[float32](rows, b.dim())
	t.Tile(blas64.General(wide), 0, 0)
	t.Tile32(linalg.General32(narrow), 0, 0)
	square, top := 0.0, 0.0
	for i, v := range wide.Data {
		off := v - float64(narrow.Data[i])
		square += off * off
		top = math.Max(top, math.Abs(v))
	}
	return math.Max(0x1p-24, math.Sqrt(square/float64(len(wide.Data)))/math.Max(top, math.SmallestNonzeroFloat64))
}

// roundedRows is how many centres rounding looks at.
const roundedRows = 128

// sketchOfFeatures is Σ zzᵀ, z = √w[φ(x) - center, 1], in the lower triangle: a triangular solve
// for every row keeps all digits.
func (p *problem) sketchOfFeatures(
	ctx context.Context, rows data.Source[any], stands float64,
) (linalg.Matrix[float64], error) {
	s := newMoments[float64](p.basis.center, p.Threads)
	pair, err := gram.NewPair(p.kernel, rows, p.basis.centers, gram.PairOptions{Threads: p.Threads})
	if err != nil {
		return s.total, err
	}
	return s.total, pair.Visit(ctx, func(block data.Block[any], k *mat.Dense) error {
		phi := linalg.Of(k)
		if err := p.basis.features(ctx, phi); err != nil {
			return err
		}
		return s.add(ctx, phi, func(i int) float64 { return stands * block.Weight(i) })
	})
}

// sketchOfValues is the same by sums of k - L·center, of which L⁻¹ makes φ - center at the end:
// half of the operations, and in single precision a quarter of the time.
func sketchOfValues[F linalg.Float](
	ctx context.Context, p *problem, rows data.Source[any], precision gram.Precision, stands float64,
) (linalg.Matrix[float64], error) {
	l, m := p.basis.chol.L, p.basis.dim()
	mean := make([]float64, m)
	for i := range mean {
		for j, v := range l.Row(i)[:i+1] {
			mean[i] += v * p.basis.center[j]
		}
	}
	s := newMoments[F](mean, p.Threads)
	pair, err := gram.NewPair(p.kernel, rows, p.basis.centers, gram.PairOptions{Threads: p.Threads, Precision: precision})
	if err != nil {
		return s.total, err
	}
	if err := pair.Visit(ctx, func(block data.Block[any], k *mat.Dense) error {
		return s.add(ctx, linalg.Of(k), func(i int) float64 { return stands * block.Weight(i) })
	}); err != nil {
		return s.total, err
	}
	whole := s.total.Slice(0, m, 0, m)
	for i := range m {
		for j := range i {
			whole.Set(j, i, whole.At(i, j))
		}
	}
	if err := linalg.TrsmContext(ctx, p.Threads, linalg.Left, linalg.Lower, linalg.NoTrans, linalg.NonUnit, 1, l,
		whole); err != nil {
		return s.total, err
	}
	if err := linalg.TrsmContext(ctx, p.Threads, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, l,
		s.total.Slice(0, m+1, 0, m)); err != nil {
		return s.total, err
	}
	return s.total, nil
}

// moments is Σ w zzᵀ, z = [v - mean, 1], over rows v, in the lower triangle: sums over a block in
// F, sums of these in double precision.
type moments[F linalg.Float] struct {
	mean    []float64
	threads int
	total   linalg.Matrix[float64]
	z, part linalg.Matrix[F] // part is total where F is that of total
}

func newMoments[F linalg.Float](mean []float64, threads int) *moments[F] {
	order := len(mean) + 1
	s := &moments[F]{mean: mean, threads: threads, total: linalg.New[float64](order, order)}
	if same, ok := any(s.total).(linalg.Matrix[F]); ok {
		s.part = same
	} else {
		s.part = linalg.New[F](order, order)
	}
	return s
}

// add adds a block of rows with their weights.
func (s *moments[F]) add(ctx context.Context, rows linalg.Matrix[float64], weight func(i int) float64) error {
	m := len(s.mean)
	if s.z.Rows < rows.Rows {
		s.z = linalg.New[F](rows.Rows, m+1)
	}
	z := s.z.Slice(0, rows.Rows, 0, m+1)
	par.For(s.threads, rows.Rows, 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, root := z.Row(i), math.Sqrt(weight(i))
			for j, v := range rows.Row(i) {
				to[j] = F(root * (v - s.mean[j]))
			}
			to[m] = F(root)
		}
	})
	if _, same := any(s.part).(linalg.Matrix[float64]); same {
		return linalg.SyrkContext(ctx, s.threads, linalg.Lower, linalg.Trans, 1, z, 1, s.part)
	}
	if err := linalg.SyrkContext(ctx, s.threads, linalg.Lower, linalg.Trans, 1, z, 0, s.part); err != nil {
		return err
	}
	par.For(s.threads, m+1, 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := s.total.Row(i)
			for j, v := range s.part.Row(i)[:i+1] {
				to[j] += float64(v)
			}
		}
	})
	return nil
}
