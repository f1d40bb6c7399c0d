package gram

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// FourierMap is φ(x) = √(k(0)/m)·(cos⟨ω₁, x⟩, sin⟨ω₁, x⟩, …, cos⟨ωₘ, x⟩, sin⟨ωₘ, x⟩)
// for frequencies from the spectral measure of a stationary kernel (Bochner;
// Rahimi and Recht 2007). The pairs of cosine and sine have less variance than
// one cosine with a random phase (Sutherland and Schneider 2015), and make
// ⟨φ(x), φ(x)⟩ = k(x, x) exactly.
type FourierMap struct {
	frequencies linalg.Matrix[float64] // m×d
	scale       float64
	threads     int
}

// NewFourierMap draws m frequencies in d dimensions. With orthogonal, they come
// in blocks of mutually orthogonal ones (Yu et al. 2016).
func NewFourierMap(
	k kernel.Kernel[kernel.Vec], d, m int, orthogonal bool, threads int, seed uint64,
) (*FourierMap, error) {
	if m < 1 {
		return nil, fault.Errorf("gram", "fourier features: %d frequencies, want at least 1", m)
	}
	if d < 1 {
		return nil, fault.Errorf("gram", "fourier features: points have %d coordinates, want at least 1", d)
	}
	s, err := kernel.SpectralOf(k, d)
	if err != nil {
		return nil, fault.Errorf("gram", "fourier features: %w", err)
	}
	f := &FourierMap{frequencies: linalg.New[float64](m, d), scale: math.Sqrt(s.Mass() / float64(m)), threads: threads}
	rng := rand.New(rand.NewPCG(seed, 0xf00d))
	if !orthogonal {
		for i := range m {
			s.SampleFrequency(f.frequencies.Row(i), rng)
		}
		return f, nil
	}
	o := orthogonalOf(s, d)
	for lo := 0; lo < m; lo += o.block {
		o.draw(f.frequencies.Slice(lo, min(lo+o.block, m), 0, d), rng)
	}
	return f, nil
}

// Dim is twice the number of frequencies.
func (f *FourierMap) Dim() int { return 2 * f.frequencies.Rows }

// Frequencies views the ω, a row each.
func (f *FourierMap) Frequencies() *mat.Dense { return linalg.Dense(f.frequencies) }

// Features is φ of every point, a row each.
func (f *FourierMap) Features(ctx context.Context, x data.Points[kernel.Vec]) (*mat.Dense, error) {
	return features[kernel.Vec](ctx, f, x)
}

// FeaturesTo sets row i of dst to φ(x.At(i)); the error names the row that has another dimension or
// holds NaN or Inf.
func (f *FourierMap) FeaturesTo(ctx context.Context, dst *mat.Dense, x data.Points[kernel.Vec]) error {
	if err := checkFeatures[kernel.Vec](f, dst, x); err != nil {
		return err
	}
	origin := data.Slice[kernel.Vec]{make(kernel.Vec, f.frequencies.Cols)}
	if err := kernel.CheckNext[kernel.Vec](kernel.Linear{}, origin, x); err != nil {
		return fault.Errorf("gram", "fourier features: %w", err)
	}
	return f.mapTo(ctx, linalg.Of(dst), x)
}

func (f *FourierMap) mapTo(ctx context.Context, dst linalg.Matrix[float64], x data.Points[kernel.Vec]) error {
	m, d := f.frequencies.Rows, f.frequencies.Cols
	par.For(f.threads, x.Len(), mapPiece, func(lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		rows := linalg.New[float64](hi-lo, d)
		for i := lo; i < hi; i++ {
			copy(rows.Row(i-lo), x.At(i))
		}
		angle := linalg.New[float64](hi-lo, m)
		linalg.GemmRowwise(1, linalg.NoTrans, linalg.Trans, 1, rows, f.frequencies, 0, angle)
		for i := range angle.Rows {
			out := dst.Row(lo + i)
			for j, a := range angle.Row(i) {
				s, c := math.Sincos(a)
				out[2*j], out[2*j+1] = f.scale*c, f.scale*s
			}
		}
	})
	return ctx.Err()
}

// FourierFeatures approximates K(X, X) for a stationary kernel by m random
// frequencies, 2m features; the error of an entry is about k(0)/√m, whatever
// n and d.
func FourierFeatures(
	ctx context.Context, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], m int, orthogonal bool, o LowRankOptions,
) (*Approximation[kernel.Vec], error) {
	diag, err := selfValues(ctx, k, x, "row")
	if err != nil {
		return nil, err
	}
	d := len(x.At(0))
	if need, has := 16*float64(m)*float64(len(diag)+d), 4*float64(par.DefaultBytes()); need > has {
		return nil, fault.Errorf("gram", "fourier features: %d of %d points take %s, and the machine has %s; ask for fewer",
			2*m, len(diag), human(need), human(has))
	}
	f, err := NewFourierMap(k, d, m, orthogonal, o.Threads, o.Seed)
	if err != nil {
		return nil, err
	}
	features := linalg.New[float64](len(diag), f.Dim())
	if err := f.mapTo(ctx, features, x); err != nil {
		return nil, err
	}
	what := "random Fourier features"
	if orthogonal {
		what = "orthogonal random Fourier features"
	}
	return approximate[kernel.Vec](ctx, k, x, diag, f, features, what, false, o)
}
