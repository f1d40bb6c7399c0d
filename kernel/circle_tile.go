package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// Kernels on the circle have one coordinate, so a row of their Gram matrix and of its
// derivatives is elementwise work on the angles of all points.

// lower goes through the Fourier features.
func (k Fourier) lower(b *builder, p pair[Vec]) node { return lowerFourier(b, k, k.Coef, p) }

func lowerFourier(b *builder, k Kernel[Vec], coef []float64, p pair[Vec]) node {
	view, ok := b.view(fourierEmbedding(coef), p)
	if !ok {
		return pairNodeOf(b, k, p)
	}
	return lowerOf[Vec](b, Linear{}, view)
}

// lowerGrad has rows of cosines.
func (k Fourier) lowerGrad(b *builder, p pair[Vec]) gradNode {
	grad := gradOfPairOf[Vec](k, p)
	if t, ok := b.angles(p); ok {
		grad.rows = func(i, j int, d linalg.Matrix[float64]) { cosineRows(d, t, i, j) }
	}
	return pairsGrad{valued{k.lower(b, p)}, grad}
}

// lower goes through the Fourier features while they are few, and else through the wrapped
// Gaussian.
func (k Theta) lower(b *builder, p pair[Vec]) node {
	if !k.wrapped() {
		return lowerFourier(b, k, k.coef(), p)
	}
	t, ok := b.angles(p)
	if !ok {
		return pairNodeOf[Vec](b, k, p)
	}
	return blockNode{func(dst linalg.Matrix[float64], i, j int) {
		for a := range dst.Rows {
			k.wrappedRow(dst.Row(a), t, i+a, j)
		}
	}}
}

func (k Theta) lowerGrad(b *builder, p pair[Vec]) gradNode {
	grad := gradOfPairOf[Vec](k, p)
	t, ok := b.angles(p)
	switch {
	case !ok:
	case k.wrapped():
		grad.rows = func(i, j int, d linalg.Matrix[float64]) { k.wrappedSlopes(d.Row(0), t, i, j) }
	default:
		slopes := k.coef() // of Σ c_l e^{il(x-y)}, by σ
		s := orOne(k.Sigma)
		for l := range slopes {
			slopes[l] *= -s * float64(l*l)
		}
		grad.rows = func(i, j int, d linalg.Matrix[float64]) {
			row := d.Row(0)
			t.differences(row, i, j)
			for b, v := range row {
				row[b] = cosineSeries(slopes, v)
			}
		}
	}
	return pairsGrad{valued{k.lower(b, p)}, grad}
}

// angles are the only coordinates of points on the circle.
type angles struct{ x, y []float64 }

func (b *builder) angles(p pair[Vec]) (angles, bool) {
	x, y, ok := b.matrices(p)
	if !ok || x.Cols != 1 {
		return angles{}, false
	}
	t := angles{transposed(x, asItIs).Row(0), nil}
	b.repeat(func() { t.x[0] = x.At(0, 0) })
	t.y = t.x
	if !p.same {
		t.y = transposed(y, asItIs).Row(0)
	}
	return t, true
}

// differences sets row[b] = x[i] - y[j+b].
func (t angles) differences(row []float64, i, j int) {
	for b, v := range t.y[j : j+len(row)] {
		row[b] = t.x[i] - v
	}
}

// cosineRows sets d[l, b] = 2cos(lt), and 1 for l = 0, by the recurrence of Chebyshev's
// polynomials, a row at a time.
func cosineRows(d linalg.Matrix[float64], t angles, i, j int) {
	fill(d.Row(0), 1)
	if d.Rows == 1 {
		return
	}
	one := d.Row(1)
	t.differences(one, i, j)
	for b, v := range one {
		one[b] = 2 * math.Cos(v)
	}
	for l := 2; l < d.Rows; l++ {
		row, back, twice := d.Row(l), d.Row(l-1), d.Row(l-2)
		for b, c := range one {
			row[b] = c*back[b] - twice[b]
		}
		if l == 2 { // the row of l = 0 is 1, not 2cos 0
			shiftBy(row, -1)
		}
	}
}

// wrappedRow sums the two images of the Gaussian that are nearest to each difference; the
// third is below 1e-25 of them.
func (k Theta) wrappedRow(row []float64, t angles, i, j int) {
	s := orOne(k.Sigma)
	k.images2(row, t, i, j, func(part, near, far, e, f []float64) {
		for b := range part {
			part[b] = (e[b] + f[b]) / (s * math.Sqrt(2*math.Pi))
		}
	})
}

// wrappedSlopes is the derivative of wrappedRow by σ.
func (k Theta) wrappedSlopes(row []float64, t angles, i, j int) {
	s := orOne(k.Sigma)
	k.images2(row, t, i, j, func(part, near, far, e, f []float64) {
		for b := range part {
			part[b] = ((near[b]/(s*s)-1)*e[b] + (far[b]/(s*s)-1)*f[b]) / (s * s * math.Sqrt(2*math.Pi))
		}
	})
}

// images2 calls f on pieces of a row with the squared distances to the two nearest images
// and their Gaussians.
func (k Theta) images2(row []float64, t angles, i, j int, f func(part, near, far, e, f []float64)) {
	const turn = 2 * math.Pi
	s := orOne(k.Sigma)
	var buffer [4][chunk]float64
	for len(row) > 0 {
		n := min(chunk, len(row))
		part := row[:n]
		near, far, e, g := buffer[0][:n], buffer[1][:n], buffer[2][:n], buffer[3][:n]
		t.differences(part, i, j)
		for b, v := range part {
			v = math.FMA(-math.RoundToEven(v/turn), turn, v)
			w := v - math.Copysign(turn, v)
			near[b], far[b] = v*v, w*w
		}
		simd.ScaleExp64(e, near, -1/(2*s*s))
		simd.ScaleExp64(g, far, -1/(2*s*s))
		f(part, near, far, e, g)
		row, j = row[n:], j+n
	}
}
