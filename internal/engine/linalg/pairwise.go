package linalg

import (
	"fmt"
	"math"
	"slices"
)

// PairMetric names a number that depends on a pair of rows and that Pairs
// computes for many pairs at once.
type PairMetric int

// The metrics of Pairs, for rows x and y of d numbers.
const (
	InnerProduct    PairMetric = iota // Σ xᵢ·yᵢ, by GEMM
	SquaredDistance                   // Σ (xᵢ-yᵢ)², by GEMM and a direct sum for close pairs
	L1Distance                        // Σ |xᵢ-yᵢ|
	ChiSquared                        // Σ (xᵢ-yᵢ)²/(xᵢ+yᵢ), 0/0 counted as 0
	MinimumSum                        // Σ min(xᵢ, yᵢ), histogram intersection
)

// String names the metric.
func (m PairMetric) String() string {
	names := [...]string{"InnerProduct", "SquaredDistance", "L1Distance", "ChiSquared", "MinimumSum"}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("PairMetric(%d)", int(m))
	}
	return names[m]
}

// Pairs is a metric between every row of x and every row of y, made ready once
// (centred, norms taken, converted to F) to be evaluated a rectangle at a time.
// It is immutable and safe for concurrent use.
//
// # Squared distances
//
// The identity ‖x-y‖² = ‖x‖² + ‖y‖² - 2⟨x, y⟩ turns distances into a matrix
// product, but cancels when x and y are close compared with their distance
// from the origin. Pairs therefore
//
//  1. subtracts the mean of all rows from both sides, which leaves distances
//     alone and makes norms as small as one shift can;
//  2. recomputes Σ(xᵢ-yᵢ)² in float64 from the rows as given, wherever the
//     result of the identity is at most τ·(‖x‖²+‖y‖²). τ is chosen so that above it the
//     rounding of the identity, c·u·(‖x‖²+‖y‖²) with u the unit roundoff of F and
//     c = 16 + 8√d, is a relative 1e-12 (float64) or 1e-4 (float32). The √d is the probabilistic
//     bound of Higham and Mary (SIAM J. Sci. Comput. 41, 2019) on a sum of d products.
//
// So float64 distances have a relative error of 1e-12 at any offset and for
// clusters far from each other, float32 distances 1e-4 (with far fewer wrong digits for pairs
// whose distance is comparable to the spread of the data); they are never negative,
// and exactly 0 for identical rows. The price is that data made of tight far-apart
// clusters is mostly computed by the direct sum, several times slower than GEMM.
//
// Rows with entries beyond 1e±140 (for float32, 1e±15) are scaled by a power
// of two before squaring and back afterwards, so a distance is +Inf (or 0, or
// denormal) only where the true value is not representable in F.
//
// Inner products are plain GEMM: they overflow where a partial sum does. In
// float32 the rows are rounded first, so the error is relative to ‖x‖‖y‖, not to the result.
//
// L1, χ² and minimum sums (the last two are meant for nonnegative rows) add up
// terms without cancellation: a relative error of about d units of roundoff, in
// float32 relative to the largest entry (for L1, after subtracting the mean row, so that
// an offset costs no digits) because the rows are rounded first.
type Pairs[F Float] struct {
	metric       PairMetric
	x, y         Matrix[F]       // what the tiles are computed from
	x64, y64     Matrix[float64] // as given (scaled if extreme), for the direct sum
	xNorm, yNorm []F             // squared norms of the rows of x and y
	tau          F               // below tau·(‖x‖²+‖y‖²), recompute
	// of pairs whose ‖x‖²+‖y‖² is no more than near, those below nearTau·(‖x‖²+‖y‖²): what
	// cancelled altogether
	near, nearTau   F
	yMost           F         // the largest ‖y‖²
	unscale         float64   // multiply distances by this twice
	shift           []float64 // what was subtracted from every row, nil for none
	symmetric       bool      // x and y are the same rows
	rowwise         bool      // from WithRows: a value depends on its two rows alone
	extreme         []bool    // rows of x that are measured pair by pair, nil for none
	rows, cols, dim int
	packed          *packedColumns[F] // nil unless PackColumns was called
}

// NewPairs makes the metric between the rows of x and of y ready. For a
// symmetric Gram matrix pass the same matrix twice: it is prepared once. x and y are
// kept, not copied: they must not change while the result is in use.
func NewPairs[F Float](metric PairMetric, x, y Matrix[float64]) *Pairs[F] {
	return instance[pairsBody[F]](pairs64, pairs32)(metric, x, y)
}

func preparePairs[F Float](metric PairMetric, x, y Matrix[float64]) *Pairs[F] {
	if x.Cols != y.Cols {
		panic(fmt.Sprintf("linalg: pairs of rows of length %d and %d", x.Cols, y.Cols))
	}
	p := &Pairs[F]{metric: metric, rows: x.Rows, cols: y.Rows, dim: x.Cols, unscale: 1, symmetric: sameRows(x, y)}
	switch metric {
	case InnerProduct, ChiSquared, MinimumSum:
		p.x, p.y = p.both(x, y, convertRows[F])
	case L1Distance:
		p.x, p.y = l1Rows(p, x, y)
	case SquaredDistance:
		p.prepareSquared(x, y)
	default:
		panic(fmt.Sprintf("linalg: unknown metric %v", metric))
	}
	return p
}

// Dims is the number of rows of x and of y.
func (p *Pairs[F]) Dims() (r, c int) { return p.rows, p.cols }

// Symmetric says whether both sides are the same rows.
func (p *Pairs[F]) Symmetric() bool { return p.symmetric }

// both applies f to x and y, once when they are the same.
func (p *Pairs[F]) both(x, y Matrix[float64], f func(Matrix[float64]) Matrix[F]) (Matrix[F], Matrix[F]) {
	fx := f(x)
	if p.symmetric {
		return fx, fx
	}
	return fx, f(y)
}

// l1Rows converts rows for L1: float64 as they are, float32 after a shift.
func l1Rows[F Float](p *Pairs[F], x, y Matrix[float64]) (Matrix[F], Matrix[F]) {
	if isFloat64[F]() {
		return p.both(x, y, convertRows[F])
	}
	mean := meanRow(x, y)
	p.shift = mean
	return p.both(x, y, func(m Matrix[float64]) Matrix[F] { return shiftRows[F](m, mean, 1) })
}

// prepareSquared fills the fields squared distances need.
func (p *Pairs[F]) prepareSquared(x, y Matrix[float64]) {
	p.x64, p.y64 = x, y
	scaledX, scaledY := x, y
	if scale := powerOfTwoFor[F](x, y); scale != 1 {
		p.unscale = 1 / scale
		scaledX = scaleRows(x, scale)
		scaledY = scaledX
		if !p.symmetric {
			scaledY = scaleRows(y, scale)
		}
	}
	mean := meanRow(scaledX, scaledY)
	p.shift = mean
	p.x, p.y = p.both(scaledX, scaledY, func(m Matrix[float64]) Matrix[F] { return shiftRows[F](m, mean, 1) })
	p.takeNorms()
}

// takeNorms fills the norms of the rows of x and y and the threshold relative to them.
func (p *Pairs[F]) takeNorms() {
	p.xNorm = squaredNorms(p.x)
	p.yNorm = p.xNorm
	if !p.symmetric {
		p.yNorm = squaredNorms(p.y)
	}
	p.tau = F(closeness[F](p.dim))
}

// closeness is τ for rows of d numbers.
func closeness[F Float](d int) float64 {
	unit, tolerance := 0x1p-53, 1e-12
	if !isFloat64[F]() {
		unit, tolerance = 0x1p-24, 1e-4
	}
	return (16 + 8*math.Sqrt(float64(d))) * unit / tolerance
}

// Exponents says that squared distances will be exponents, times scale: exp(-scale·d²) needs few
// digits of a small d², only that the error of scale·d² be small. Where its parts, scale·(‖x‖² +
// ‖y‖²), are within mostExponent, rounding is below 2e-6 in single precision, and only what
// cancelled altogether is computed again; pairs further out are as they were.
func (p *Pairs[F]) Exponents(scale float64) {
	if p.metric != SquaredDistance || isFloat64[F]() || p.unscale != 1 || p.extreme != nil || len(p.xNorm) == 0 ||
		len(p.yNorm) == 0 {
		return
	}
	p.near, p.yMost = F(mostExponent(p.x.Cols)/scale), slices.Max(p.yNorm)
	if slices.Max(p.xNorm)+p.yMost <= p.near {
		p.tau = 0
	}
}

// ColumnExponents is Exponents for rows that WithRows brings, in either precision: as far out as
// GaussSums goes without a second look, where an exponent of a close pair is off by no more than
// one of pairs further apart, and below what rounding leaves of 0, so that identical rows are at 0.
// Whether a pair is computed again depends on its two rows alone.
func (p *Pairs[F]) ColumnExponents(scale float64) {
	if p.metric != SquaredDistance || p.unscale != 1 || len(p.yNorm) == 0 || !(scale > 0) {
		return
	}
	unit := 0x1p-53
	if !isFloat64[F]() {
		unit = 0x1p-24
	}
	p.near, p.yMost = F(gaussLimit[F](p.dim)/scale), slices.Max(p.yNorm)
	p.nearTau = F((16 + 8*math.Sqrt(float64(p.dim))) * unit)
}

// mostExponent falls with the number of terms of an inner product, whose roundings add up like
// their root: 2e-6 is 34 units of single precision, and twice 1.5 + √d/2 of them for each of an
// exponent are more than was seen in 2 to 784 columns (TestExponentsOfClosePairs).
func mostExponent(d int) float64 { return 16 / (1.5 + math.Sqrt(float64(d))/2) }

func isFloat64[F Float]() bool {
	var f F
	_, ok := any(f).(float64)
	return ok
}

// sameRows says whether x and y view the same storage in the same shape.
func sameRows(x, y Matrix[float64]) bool {
	if x.Rows != y.Rows || x.Stride != y.Stride {
		return false
	}
	return len(x.Data) == 0 && len(y.Data) == 0 || len(x.Data) > 0 && len(y.Data) > 0 && &x.Data[0] == &y.Data[0]
}
