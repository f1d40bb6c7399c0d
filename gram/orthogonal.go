package gram

import (
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
)

// coupled draws frequencies of a spectral measure in blocks: each alone has
// the right distribution, those of a block are coupled to be orthogonal.
type coupled struct {
	block int
	// draw sets the rows of dst, at most block of them.
	draw func(dst linalg.Matrix[float64], rng *rand.Rand)
}

// orthogonalOf couples the frequencies of a measure (Yu et al. 2016, Orthogonal Random Features).
// An isotropic measure has a radius and, independent of it, a uniform direction: directions are
// taken from a random orthogonal matrix, radii from the measure. Linear maps of the points are put
// on top; the measure of a kernel of the algebra adds up frequencies from blocks of its parts. A
// measure with independent coordinates is reached from orthogonal Gaussian vectors through the
// quantile function of each coordinate. In one dimension there is nothing to couple, and a user's
// measure of which nothing else is known is sampled as it is.
func orthogonalOf(s kernel.Spectral, d int) coupled {
	if m, ok := s.(kernel.MappedSpectral); ok {
		return byMap(m)
	}
	if i, ok := s.(kernel.IsotropicSpectral); d == 1 || ok && i.Isotropic() {
		return byRadius(d, s)
	}
	switch s := s.(type) {
	case kernel.IndependentSpectral:
		return byQuantile(d, s.Quantile)
	case kernel.CompoundSpectral:
		return byParts(d, s)
	}
	return coupled{1, func(dst linalg.Matrix[float64], rng *rand.Rand) {
		for i := range dst.Rows {
			s.SampleFrequency(dst.Row(i), rng)
		}
	}}
}

// byMap pulls the frequencies of the inner measure back through the map.
func byMap(s kernel.MappedSpectral) coupled {
	inner, dim := s.Inner()
	in := orthogonalOf(inner, dim)
	return coupled{in.block, func(dst linalg.Matrix[float64], rng *rand.Rand) {
		part := linalg.New[float64](dst.Rows, dim)
		in.draw(part, rng)
		for i := range dst.Rows {
			s.Pull(dst.Row(i), part.Row(i))
		}
	}}
}

// byParts adds, for each frequency, as many of each part as the measure asks for; the n-th of all
// rows come from one block.
func byParts(d int, s kernel.CompoundSpectral) coupled {
	parts := make([]coupled, len(s.Parts()))
	block := 0
	for i, p := range s.Parts() {
		parts[i] = orthogonalOf(p, d)
		if block == 0 || parts[i].block < block {
			block = parts[i].block
		}
	}
	return coupled{max(block, 1), func(dst linalg.Matrix[float64], rng *rand.Rand) {
		counts := make([][]int, dst.Rows)
		for i := range counts {
			clear(dst.Row(i))
			counts[i] = make([]int, len(parts))
			s.SampleCounts(counts[i], rng)
		}
		block := linalg.New[float64](dst.Rows, d)
		for p, part := range parts {
			most := 0
			for _, c := range counts {
				most = max(most, c[p])
			}
			for n := range most {
				part.draw(block, rng)
				for i, c := range counts {
					if n < c[p] {
						addScaled(dst.Row(i), 1, block.Row(i))
					}
				}
			}
		}
	}}
}

// byRadius gives uniform orthogonal directions the radii of the measure.
func byRadius(d int, s kernel.Spectral) coupled {
	return coupled{d, func(dst linalg.Matrix[float64], rng *rand.Rand) {
		q := haar(d, rng)
		w := make([]float64, d)
		for i := range dst.Rows {
			s.SampleFrequency(w, rng)
			r := norm(w)
			row := dst.Row(i)
			for j := range row {
				row[j] = r * q.At(i, j)
			}
		}
	}}
}

// byQuantile maps orthogonal Gaussian vectors to independent coordinates of a
// given quantile function.
func byQuantile(d int, quantile func(u float64) float64) coupled {
	return coupled{d, func(dst linalg.Matrix[float64], rng *rand.Rand) {
		q := haar(d, rng)
		for i := range dst.Rows {
			r2 := 0.0
			for range d {
				g := rng.NormFloat64()
				r2 += g * g
			}
			row := dst.Row(i)
			for j := range row {
				row[j] = quantile(0.5 * math.Erfc(-math.Sqrt(r2)*q.At(i, j)/math.Sqrt2))
			}
		}
	}}
}

// haar is a uniformly distributed orthogonal matrix: Q of a Gaussian matrix,
// with the signs that make R positive on the diagonal (Mezzadri 2007).
func haar(d int, rng *rand.Rand) linalg.Matrix[float64] {
	g := linalg.New[float64](d, d)
	for i := range g.Data {
		g.Data[i] = rng.NormFloat64()
	}
	qr := linalg.NewQR(1, g)
	q, r := qr.ThinQ(1), qr.R()
	for i := range d {
		row := q.Row(i)
		for j := range row {
			if r.At(j, j) < 0 {
				row[j] = -row[j]
			}
		}
	}
	return q
}
