package seq

import (
	"context"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Warping puts the distance of dynamic time warping into a Gaussian,
//
//	k(x, y) = exp(-D(x, y)²/(2σ²)),   D² = min_π Σ_t ‖x_{π₁(t)} - y_{π₂(t)}‖²,
//
// σ = Width (1 when zero), π the alignments of GlobalAlignment, within Band steps of the diagonal
// where that is not 0 (H. Sakoe and S. Chiba 1978). D is no distance in a Hilbert space and the
// kernel is not positive semi-definite; GlobalAlignment is, and Empirical makes one of it. Two
// empty series have the value 1, an empty one and another 0, as have series that no alignment
// within the band joins.
type Warping struct {
	Width float64
	Band  int
}

// Name is "dtw".
func (Warping) Name() string { return "dtw" }

var warpPool = sync.Pool{New: func() any { return new([]float64) }}

// Distance is D(x, y): +Inf where there is no alignment, NaN for different channels.
func (k Warping) Distance(x, y Series) float64 {
	n, m := x.Len(), y.Len()
	switch {
	case mismatched(x, y):
		return math.NaN()
	case n == 0 && m == 0:
		return 0
	case n == 0 || m == 0:
		return math.Inf(1)
	}
	if x.less(y) {
		x, y, n, m = y, x, m, n
	}
	hold := warpPool.Get().(*[]float64)
	defer warpPool.Put(hold)
	*hold = zeroed(*hold, m+1)
	row := *hold // column j stands at j+1
	for j := range row {
		row[j] = math.Inf(1)
	}
	row[0] = 0
	for i := range n {
		diagonal, left := row[0], math.Inf(1)
		row[0] = math.Inf(1)
		at := x.At(i)
		for j := range m {
			up := row[j+1]
			best := up
			if left < best {
				best = left
			}
			if diagonal < best {
				best = diagonal
			}
			if k.Band > 0 && (i-j > k.Band || j-i > k.Band) {
				left = math.Inf(1)
			} else {
				left = best + sqDist(at, y.At(j))
			}
			diagonal, row[j+1] = up, left
		}
	}
	return math.Sqrt(row[m])
}

// Eval returns exp(-D²/(2σ²)).
func (k Warping) Eval(x, y Series) float64 {
	d := k.Distance(x, y) / or(k.Width, 1)
	return math.Exp(-0.5 * d * d)
}

// PreparePoints takes the pairs as they are.
func (k Warping) PreparePoints(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	return preparePairs(ctx, x, y, func(s Series) Series { return s }, k.Eval)
}

// EvalGrad sets the derivative by σ, k·D²/σ³.
func (k Warping) EvalGrad(x, y Series, dtheta []float64) {
	d, s := k.Distance(x, y), or(k.Width, 1)
	if dtheta[0] = 0; !math.IsInf(d, 1) {
		dtheta[0] = math.Exp(-d*d/(2*s*s)) * d * d / (s * s * s)
	}
}

// Params is σ.
func (k Warping) Params() []kernel.Param {
	return []kernel.Param{positive("dtw.width", or(k.Width, 1))}
}

// With sets σ.
func (k Warping) With(theta []float64) kernel.Kernel[Series] { return Warping{theta[0], k.Band} }

// Validate refuses σ < 0 and a band < 0.
func (k Warping) Validate() error {
	return firstError(
		mustBe(k.Width >= 0 && finite(k.Width), "dtw", "width", k.Width, "a finite number > 0"),
		mustBe(k.Band >= 0, "dtw", "band", k.Band, "at least 1, or 0 for none"))
}

// CheckPoints refuses numbers that are not finite, and different channels.
func (Warping) CheckPoints(x data.Points[Series]) error { return checkSeries("dtw", x) }

// Properties says that it is not positive semi-definite.
func (Warping) Properties() kernel.Properties {
	return kernel.Properties{PSD: kernel.No, Strict: kernel.No, Bound: 1, Smoothness: math.NaN()}
}
