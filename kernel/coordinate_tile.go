package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// coordinateKernel is a product of one kernel over the coordinates,
// k(x, y) = Π f(xᵢ, yᵢ). A row of its Gram matrix is one elementwise pass for each
// coordinate, over the values that all points of y have there.
type coordinateKernel interface {
	Kernel[Vec]
	coordinate(x, y float64) float64
	// factors does what can be done once for each point, and returns the passes.
	factors(x, y linalg.Matrix[float64]) factorRows
}

// factorRows are the passes of a coordinateKernel over given points. Columns of y
// stand in rows of yt.
type factorRows struct {
	// multiply multiplies row[b] by f(x[i, c], y[j+b, c]).
	multiply func(row []float64, c, i, j int)
	// slope multiplies likewise and carries a derivative along:
	// d ← d·f + row·∂f/∂θ; nil for a kernel without a parameter.
	slope func(row, d []float64, c, i, j int)
}

// lowerCoordinates makes the tile operation of a coordinateKernel.
func lowerCoordinates(b *builder, k coordinateKernel, p pair[Vec]) node {
	x, y, ok := b.matrices(p)
	if !ok {
		return pairNodeOf[Vec](b, k, p)
	}
	f := k.factors(x, y)
	return blockNode{func(dst linalg.Matrix[float64], i, j int) {
		for a := range dst.Rows {
			row := dst.Row(a)
			fill(row, 1)
			for c := range x.Cols {
				f.multiply(row, c, i+a, j)
			}
		}
	}}
}

// gradCoordinates is the backward pass of one with a parameter.
func gradCoordinates(b *builder, k coordinateKernel, p pair[Vec]) gradNode {
	grad := gradOfPairOf[Vec](k, p)
	if x, y, ok := b.matrices(p); ok {
		f := k.factors(x, y)
		grad.rows = func(i, j int, d linalg.Matrix[float64]) {
			row := make([]float64, d.Cols)
			fill(row, 1)
			clear(d.Row(0))
			for c := range x.Cols {
				f.slope(row, d.Row(0), c, i, j)
			}
		}
	}
	return pairsGrad{valued{lowerCoordinates(b, k, p)}, grad}
}

// transposed puts f of the coordinates of all points into rows, one for each coordinate.
func transposed(m linalg.Matrix[float64], f func(v float64, c int) float64) linalg.Matrix[float64] {
	t := linalg.New[float64](m.Cols, m.Rows)
	for i := range m.Rows {
		for c, v := range m.Row(i) {
			t.Data[c*t.Stride+i] = f(v, c)
		}
	}
	return t
}

func asItIs(v float64, _ int) float64 { return v }

func (k Sobolev) lower(b *builder, p pair[Vec]) node { return lowerCoordinates(b, k, p) }

func (k Sobolev) factors(x, y linalg.Matrix[float64]) factorRows {
	yt := transposed(y, asItIs)
	if k.Order != 2 {
		return factorRows{multiply: func(row []float64, c, i, j int) {
			u := x.At(i, c)
			for b, v := range yt.Row(c)[j : j+len(row)] {
				row[b] *= 1 + min(u, v)
			}
		}}
	}
	return factorRows{multiply: func(row []float64, c, i, j int) {
		u := x.At(i, c)
		for b, v := range yt.Row(c)[j : j+len(row)] {
			lo, hi := min(u, v), max(u, v)
			row[b] *= 1 + u*v + lo*lo*(hi/2-lo/6)
		}
	}}
}

func (k RadialSobolev) lower(b *builder, p pair[Vec]) node { return lowerCoordinates(b, k, p) }

func (RadialSobolev) coordinate(x, y float64) float64 { return radialSobolev(x, y) }

// factors splits e^{-hi}sinh(lo)/(xy) = e^{lo-hi}·g(lo)/hi, g(t) = (1-e^{-2t})/(2t): one
// exponential for each pair, nothing that overflows.
func (RadialSobolev) factors(x, y linalg.Matrix[float64]) factorRows {
	g := func(t float64, _ int) float64 { return -math.Expm1(-2*t) / (2 * t) }
	yt, gt := transposed(y, asItIs), transposed(y, g)
	return factorRows{multiply: func(row []float64, c, i, j int) {
		u := x.At(i, c)
		gu := g(u, c)
		var buffer [chunk]float64
		for len(row) > 0 {
			part := row[:min(chunk, len(row))]
			e, v, gv := buffer[:len(part)], yt.Row(c)[j:j+len(part)], gt.Row(c)[j:j+len(part)]
			for b, w := range v {
				e[b] = math.Abs(u - w)
			}
			simd.ScaleExp64(e, e, -1)
			for b, w := range v {
				if u < w {
					part[b] *= e[b] * gu / w
				} else {
					part[b] *= e[b] * gv[b] / u
				}
			}
			row, j = row[len(part):], j+len(part)
		}
	}}
}

func (k Sinc) lower(b *builder, p pair[Vec]) node         { return lowerCoordinates(b, k, p) }
func (k Sinc) lowerGrad(b *builder, p pair[Vec]) gradNode { return gradCoordinates(b, k, p) }

// nearSinc is below what the addition theorem loses digits in sin(t)/t.
const nearSinc = 0.5

// factors takes sines and cosines once for each coordinate of each point, and those of
// differences from sin(u-v) = sin u cos v - cos u sin v, cos(u-v) = cos u cos v + sin u sin v.
// Coordinates are taken from those of the first point, so that a common offset costs no
// digits; near t = 0 the series of sin(t)/t is summed instead.
func (k Sinc) factors(x, y linalg.Matrix[float64]) factorRows {
	a := orOne(k.Bandwidth)
	origin := make([]float64, y.Cols)
	if y.Rows > 0 {
		copy(origin, y.Row(0))
	}
	yt := transposed(y, func(v float64, c int) float64 { return a * (v - origin[c]) })
	sines := transposed(y, func(v float64, c int) float64 { return math.Sin(a * (v - origin[c])) })
	cosines := transposed(y, func(v float64, c int) float64 { return math.Cos(a * (v - origin[c])) })
	return factorRows{
		multiply: func(row []float64, c, i, j int) {
			u := a * (x.At(i, c) - origin[c])
			s, co := math.Sincos(u)
			v, vs, vc := yt.Row(c)[j:j+len(row)], sines.Row(c)[j:j+len(row)], cosines.Row(c)[j:j+len(row)]
			for b, w := range v {
				if t := u - w; math.Abs(t) < nearSinc {
					row[b] *= sincSeries(t)
				} else {
					row[b] *= (s*vc[b] - co*vs[b]) / t
				}
			}
		},
		// ∂/∂a sin(at)/(at) = (cos(at) - sin(at)/(at))/a.
		slope: func(row, d []float64, c, i, j int) {
			u := a * (x.At(i, c) - origin[c])
			s, co := math.Sincos(u)
			v, vs, vc := yt.Row(c)[j:j+len(row)], sines.Row(c)[j:j+len(row)], cosines.Row(c)[j:j+len(row)]
			for b, w := range v {
				t := u - w
				f := sincSeries(t)
				if math.Abs(t) >= nearSinc {
					f = (s*vc[b] - co*vs[b]) / t
				}
				d[b] = d[b]*f + row[b]*(co*vc[b]+s*vs[b]-f)/a
				row[b] *= f
			}
		},
	}
}

// sincSeries is sin(t)/t for |t| < 1/2: the next term is below 1e-19.
func sincSeries(t float64) float64 {
	q := t * t
	return 1 - q/6*(1-q/20*(1-q/42*(1-q/72*(1-q/110*(1-q/156)))))
}

// lower is the squared differences' sibling for a function of the whole difference: one
// buffer holds x-y for each pair in turn. κ is the user's and is called for each pair.
func (k Stationary) lower(b *builder, p pair[Vec]) node {
	x, y, ok := b.matrices(p)
	if !ok {
		return pairNodeOf[Vec](b, k, p)
	}
	return blockNode{func(dst linalg.Matrix[float64], i, j int) {
		d := make(Vec, x.Cols)
		for a := range dst.Rows {
			u, row := x.Row(i+a), dst.Row(a)
			for b := range row {
				v := y.Row(j + b)
				for c, w := range u {
					d[c] = w - v[c]
				}
				row[b] = k.Kappa(d)
			}
		}
	}}
}

// metricItself is the kernel that is a metric, for what is made from one.
type metricItself Metric

func (m metricItself) Eval(x, y Vec) float64 { return Metric(m).Between(x, y) }
func (m metricItself) Metric() Metric        { return Metric(m) }
func (metricItself) Profile([]float64)       {}
func (metricItself) Profile32([]float32)     {}

// lower goes through the χ² distance, which it shares with ChiSquare:
// Σ 2xy/(x+y) = ½Σx + ½Σy - ½χ².
func (k AdditiveChiSquare) lower(b *builder, p pair[Vec]) node {
	src, ok := b.denseSource(p, ChiSqDist)
	if !ok {
		return pairNodeOf[Vec](b, k, p)
	}
	l, r := perPointOf(b, p, func(x Vec) float64 { return half(x) })
	return offsetNode{newProfileNode(src, metricItself(ChiSqDist)), -0.5, l, r}
}

// half is half the sum of x.
func half(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / 2
}
