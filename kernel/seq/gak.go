package seq

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// GlobalAlignment sums over all alignments of two series,
//
//	k(x, y) = Σ_π Π_t κ(x_{π₁(t)}, y_{π₂(t)}),   κ = g/(2-g),   g(a, b) = exp(-‖a-b‖²/(2σ²)),
//
// with σ = Width (1 when zero); π runs over the paths from the first pair of steps to the last that
// go one step ahead in one series or in both (M. Cuturi, J.-P. Vert, Ø. Birkenes and T. Matsui, A
// kernel for time series based on global alignments, ICASSP 2007). κ makes it positive
// semi-definite. Its values grow as 5.8^length at most: LogEval has their logarithms, and
// NormalizeLog is the form for series longer than some hundred steps, the gak of tslearn. Two empty
// series have the value 1, an empty one and another 0.
type GlobalAlignment struct {
	Width float64
}

func (k GlobalAlignment) band() alignment { return alignment{width: or(k.Width, 1)} }

// Name is "gak".
func (GlobalAlignment) Name() string { return "gak" }

// LogEval returns log k(x, y).
func (k GlobalAlignment) LogEval(x, y Series) float64 {
	return k.band().log(newChannels(x), newChannels(y))
}

// Eval returns k(x, y), +Inf where it is too large.
func (k GlobalAlignment) Eval(x, y Series) float64 { return math.Exp(k.LogEval(x, y)) }

// PrepareLogs prepares log k.
func (k GlobalAlignment) PrepareLogs(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	return preparePairs(ctx, x, y, newChannels, k.band().log)
}

// PreparePoints stores each series channel by channel once.
func (k GlobalAlignment) PreparePoints(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	return mapped(k.PrepareLogs(ctx, x, y), func(v float64, _, _ int) float64 { return math.Exp(v) })
}

// Params is σ.
func (k GlobalAlignment) Params() []kernel.Param {
	return []kernel.Param{positive("gak.width", or(k.Width, 1))}
}

// With sets σ.
func (GlobalAlignment) With(theta []float64) kernel.Kernel[Series] { return GlobalAlignment{theta[0]} }

// Validate refuses σ < 0.
func (k GlobalAlignment) Validate() error {
	return mustBe(k.Width >= 0 && finite(k.Width), "gak", "width", k.Width, "a finite number > 0")
}

// CheckPoints refuses numbers that are not finite, and different channels.
func (GlobalAlignment) CheckPoints(x data.Points[Series]) error { return checkSeries("gak", x) }

// Properties of a sum over alignments.
func (GlobalAlignment) Properties() kernel.Properties { return sums() }

// TriangularAlignment is GlobalAlignment with the alignments held near the diagonal,
//
//	κ(i, a; j, b) = ω·g/(2-ω·g),   ω(i, j) = max(0, 1-|i-j|/T),
//
// T = Band (M. Cuturi, Fast global alignment kernels, ICML 2011): a value takes O(T·length), and is
// 0 for series whose lengths differ by T or more.
type TriangularAlignment struct {
	Width float64
	Band  int
}

func (k TriangularAlignment) band() alignment { return alignment{or(k.Width, 1), k.Band} }

// Name is "tga".
func (TriangularAlignment) Name() string { return "tga" }

// LogEval returns log k(x, y).
func (k TriangularAlignment) LogEval(x, y Series) float64 {
	return k.band().log(newChannels(x), newChannels(y))
}

// Eval returns k(x, y), +Inf where it is too large.
func (k TriangularAlignment) Eval(x, y Series) float64 { return math.Exp(k.LogEval(x, y)) }

// PrepareLogs prepares log k.
func (k TriangularAlignment) PrepareLogs(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	return preparePairs(ctx, x, y, newChannels, k.band().log)
}

// PreparePoints stores each series channel by channel once.
func (k TriangularAlignment) PreparePoints(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	return mapped(k.PrepareLogs(ctx, x, y), func(v float64, _, _ int) float64 { return math.Exp(v) })
}

// Params are σ and T.
func (k TriangularAlignment) Params() []kernel.Param {
	return []kernel.Param{positive("tga.width", or(k.Width, 1)), whole("tga.band", k.Band, 1)}
}

// With sets σ and T.
func (TriangularAlignment) With(theta []float64) kernel.Kernel[Series] {
	return TriangularAlignment{theta[0], int(theta[1])}
}

// Validate refuses σ < 0 and T < 1.
func (k TriangularAlignment) Validate() error {
	return firstError(
		mustBe(k.Width >= 0 && finite(k.Width), "tga", "width", k.Width, "a finite number > 0"),
		mustBe(k.Band >= 1, "tga", "band", k.Band, "at least 1"))
}

// CheckPoints refuses numbers that are not finite, and different channels.
func (TriangularAlignment) CheckPoints(x data.Points[Series]) error {
	return checkSeries("tga", x)
}

// Properties of a sum over alignments.
func (TriangularAlignment) Properties() kernel.Properties { return sums() }
