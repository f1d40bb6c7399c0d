package smoothing

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/dsp/fourier"
)

// Binned is the sum on a line by linear binning, a convolution by FFT, and
// linear interpolation (Silverman 1982, Wand 1994). Each point is shared by the
// two grid places around it, which replaces the kernel by its linear
// interpolant, and so does reading between places: with |shape”| ≤ C and steps
// δ both together are off by at most W·C·δ²/4, besides what the kernel is cut
// off at.
type Binned struct {
	low, step float64
	values    []float64
	off       float64 // error bound
}

// Curvature is an upper bound of |shape”|, or +Inf where the kernel has a
// kink and linear interpolation no second order.
func (s Kernel) Curvature() float64 {
	switch s {
	case Gaussian:
		return 1 // |u²-1|·exp(-u²/2) at 0
	case Biweight:
		return 8 // |12u²-4| at 1
	case Triweight:
		return 6 // 6(1-u²)|1-5u²| at 0
	case TriCube:
		return 9 // 18u(1-u³)|1-4u³|, 8.73 near 0.87
	case Logistic:
		return 0.5 // of sech²(u/2) at 0
	}
	return math.Inf(1)
}

// maxBins bounds the grid.
const maxBins = 1 << 20

// NewBinned makes the grid, as fine as the tolerance asks; nil when the
// kernel or the data do not allow it.
func NewBinned(k *Sum, tol Tolerance) *Binned {
	c := k.Kernel.Curvature()
	if k.Tree.Dim != 1 || k.inverse != nil || math.IsInf(c, 1) || k.Tree.N == 0 {
		return nil
	}
	// A relative tolerance is met down to a hundredth of the highest possible sum.
	want := max(math.Exp(tol.LogAbsolute), 0.01*tol.Relative*k.Total)
	reach := 1.0
	for k.Kernel.Support() > 1 && k.Total*k.Kernel.Shape(reach) > want/8 && reach < 60 {
		reach += 0.5
	}
	low, high := k.Tree.box(0)
	first, width := low[0]-reach, high[0]-low[0]+2*reach
	step := math.Sqrt(3.5 * want / (c * k.Total))
	cells := math.Ceil(width/step) + 2
	if !(cells+reach/step+2 < maxBins) {
		return nil // the tree is faster than so fine a grid
	}
	b := &Binned{low: first, step: step}
	b.off = k.Total * c * step * step / 4
	if k.Kernel.Support() > 1 {
		b.off += k.Total * k.Kernel.Shape(reach)
	}
	b.convolve(k, int(cells), int(math.Ceil(reach/step)))
	return b
}

// convolve bins the points and convolves with the kernel out to tail steps.
func (b *Binned) convolve(k *Sum, cells, tail int) {
	size := 1
	for size < cells+tail+1 {
		size *= 2
	}
	grid, shape := make([]float64, size), make([]float64, size)
	for p, v := range k.Tree.cols[0] {
		w := 1.0
		if k.Weight != nil {
			w = k.Weight[p]
		}
		at := (v - b.low) / b.step
		i := int(at)
		f := at - float64(i)
		grid[i] += w * (1 - f)
		grid[i+1] += w * f
	}
	for i := 0; i <= tail; i++ {
		v := k.Kernel.Shape(float64(i) * b.step)
		shape[i] = v
		if i > 0 {
			shape[size-i] = v
		}
	}
	fft := fourier.NewFFT(size)
	g, s := fft.Coefficients(nil, grid), fft.Coefficients(nil, shape)
	for i := range g {
		g[i] *= s[i]
	}
	b.values = fft.Sequence(grid, g)[:cells]
	for i := range b.values {
		b.values[i] /= float64(size)
	}
	// Rounding of the transform: a few ulp of the largest value, at log₂ levels.
	b.off += 4 * math.Log2(float64(size)) * 0x1p-52 * k.Total
}

// LogSums evaluates the queries, leaving to the tree those outside the grid
// and those where the sum is too small for the relative tolerance.
func (b *Binned) LogSums(
	ctx context.Context, t int, dst []float64, q linalg.Matrix[float64], k *Sum, tol Tolerance,
) error {
	absolute := math.Exp(tol.LogAbsolute)
	left := make([]bool, q.Rows)
	for i := range dst {
		at := (q.At(i, 0) - b.low) / b.step
		if !(at >= 0 && at < float64(len(b.values)-1)) {
			left[i] = true
			continue
		}
		j := int(at)
		f := at - float64(j)
		s := b.values[j]*(1-f) + b.values[j+1]*f
		if s <= 0 || b.off > tol.Relative*(s-b.off)+absolute {
			left[i] = true
			continue
		}
		dst[i] = math.Log(s)
	}
	return k.logSumsOf(ctx, t, dst, q, left, tol)
}
