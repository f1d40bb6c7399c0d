package gram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// coupled draws frequencies of a spectral measure in blocks: each alone has
// the right distribution, those of a block are coupled to be orthogonal.
type coupled struct {
	block int
	// draw sets the rows of dst, at most block of them.
	draw func(dst linalg.Matrix[float64], rng *rand.Rand)
}

// orthogonalOf couples the frequencies of k (Yu et al. 2016, Orthogonal Random
// Features). An isotropic measure has a radius and, independent of it, a
// uniform direction: directions are taken from a random orthogonal matrix,
// radii from the measure. Length-scales, linear maps and columns are put on
// top; sums are mixed, products added, power series both. A measure with independent coordinates is
// reached from orthogonal Gaussian vectors through the quantile function of each coordinate. In one
// dimension there is nothing to couple, and a user's measure of which nothing else is known is
// sampled as it is.
func orthogonalOf(k kernel.Kernel[kernel.Vec], d int) (coupled, error) {
	switch k := k.(type) {
	case kernel.ScaleOf[kernel.Vec]:
		return orthogonalOf(k.Kernel, d)
	case kernel.NormalizeOf[kernel.Vec]:
		return orthogonalOf(k.Kernel, d)
	case kernel.ARD:
		in, err := orthogonalOf(k.Kernel, d)
		return in.then(func(w []float64) {
			for j, l := range k.Lengthscales {
				w[j] /= l
			}
		}), err
	case kernel.Mahalanobis: // ⟨ω, L⁻¹x⟩ = ⟨L⁻ᵀω, x⟩
		in, err := orthogonalOf(k.Kernel, d)
		if err != nil {
			return in, err
		}
		var c mat.Cholesky
		if !c.Factorize(k.Sigma) {
			return in, fmt.Errorf("Σ of the Mahalanobis kernel is not positive definite")
		}
		var u mat.TriDense
		c.UTo(&u)
		return in.then(func(w []float64) {
			v := mat.NewVecDense(len(w), w)
			if err := u.SolveTo(mat.NewDense(len(w), 1, w), false, v); err != nil {
				panic(err) // cannot happen: the diagonal of U is positive
			}
		}), nil
	case kernel.OnColumns:
		in, err := orthogonalOf(k.Kernel, len(k.Columns))
		return coupled{in.block, func(dst linalg.Matrix[float64], rng *rand.Rand) {
			part := linalg.New[float64](dst.Rows, len(k.Columns))
			in.draw(part, rng)
			for i := range dst.Rows {
				clear(dst.Row(i))
				for a, j := range k.Columns {
					dst.Row(i)[j] += part.At(i, a)
				}
			}
		}}, err
	}
	s, err := kernel.SpectralOf(k, d)
	if err != nil {
		return coupled{}, err
	}
	if d == 1 || kernel.PropertiesOf(k).Isotropic == kernel.Yes {
		return byRadius(d, s), nil
	}
	if c, ok := s.(kernel.IndependentSpectral); ok {
		return byQuantile(d, c.Quantile), nil
	}
	switch k := k.(type) {
	case kernel.SumOf[kernel.Vec]:
		return bySum(k.Terms, d)
	case kernel.ProductOf[kernel.Vec]:
		return byProduct(k.Factors, d)
	case kernel.PowerOf[kernel.Vec]:
		return byProduct(slices.Repeat([]kernel.Kernel[kernel.Vec]{k.Kernel}, k.Exponent), d)
	case kernel.PowersOf[kernel.Vec]:
		return bySeries(k.Kernel, k.Coef, d)
	case kernel.ExpOf[kernel.Vec]:
		return byExp(k.Kernel, d)
	}
	return coupled{1, func(dst linalg.Matrix[float64], rng *rand.Rand) {
		for i := range dst.Rows {
			s.SampleFrequency(dst.Row(i), rng)
		}
	}}, nil
}

// bySum is a mixture: each frequency is taken from the block of one term,
// drawn with probability proportional to its mass.
func bySum(terms []kernel.Kernel[kernel.Vec], d int) (coupled, error) {
	parts, err := couplings(terms, d)
	if err != nil {
		return coupled{}, err
	}
	mass := make([]float64, len(terms))
	for i, t := range terms {
		s, err := kernel.SpectralOf(t, d)
		if err != nil {
			return coupled{}, err
		}
		mass[i] = s.Mass()
	}
	return coupled{blockOf(parts), func(dst linalg.Matrix[float64], rng *rand.Rand) {
		blocks := drawAll(parts, dst.Rows, d, rng)
		for i := range dst.Rows {
			copy(dst.Row(i), blocks[max(draw(rng, mass), 0)].Row(i))
		}
	}}, nil
}

// byProduct is a convolution: the frequencies of the factors are added.
func byProduct(factors []kernel.Kernel[kernel.Vec], d int) (coupled, error) {
	parts, err := couplings(factors, d)
	if err != nil {
		return coupled{}, err
	}
	return coupled{blockOf(parts), func(dst linalg.Matrix[float64], rng *rand.Rand) {
		for i := range dst.Rows {
			clear(dst.Row(i))
		}
		for _, b := range drawAll(parts, dst.Rows, d, rng) {
			accumulate(dst, b)
		}
	}}, nil
}

// bySeries is the measure of Σ aₙkⁿ: n frequencies of k are added, n drawn with
// probability proportional to aₙk(0)ⁿ.
func bySeries(k kernel.Kernel[kernel.Vec], coef []float64, d int) (coupled, error) {
	in, err := orthogonalOf(k, d)
	if err != nil {
		return coupled{}, err
	}
	s, err := kernel.SpectralOf(k, d)
	if err != nil {
		return coupled{}, err
	}
	weight, power := make([]float64, len(coef)), 1.0
	for n, a := range coef {
		weight[n] = a * power
		power *= s.Mass()
	}
	return coupled{in.block, func(dst linalg.Matrix[float64], rng *rand.Rand) {
		count, most := make([]int, dst.Rows), 0
		for i := range count {
			clear(dst.Row(i))
			count[i] = max(draw(rng, weight), 0)
			most = max(most, count[i])
		}
		part := linalg.New[float64](dst.Rows, d)
		for n := range most {
			in.draw(part, rng)
			for i, c := range count {
				if n < c {
					addScaled(dst.Row(i), 1, part.Row(i))
				}
			}
		}
	}}, nil
}

// byExp is bySeries with 1/n!, down to terms of no weight.
func byExp(k kernel.Kernel[kernel.Vec], d int) (coupled, error) {
	s, err := kernel.SpectralOf(k, d)
	if err != nil {
		return coupled{}, err
	}
	coef, term := []float64{1}, 1.0
	for n := 1; term > 1e-17 || float64(n) <= s.Mass(); n++ {
		coef = append(coef, coef[n-1]/float64(n))
		term *= s.Mass() / float64(n)
	}
	return bySeries(k, coef, d)
}

func couplings(ks []kernel.Kernel[kernel.Vec], d int) ([]coupled, error) {
	parts := make([]coupled, len(ks))
	for i, k := range ks {
		var err error
		if parts[i], err = orthogonalOf(k, d); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func blockOf(parts []coupled) int {
	b := parts[0].block
	for _, p := range parts {
		b = min(b, p.block)
	}
	return b
}

func drawAll(parts []coupled, rows, d int, rng *rand.Rand) []linalg.Matrix[float64] {
	blocks := make([]linalg.Matrix[float64], len(parts))
	for i, p := range parts {
		blocks[i] = linalg.New[float64](rows, d)
		p.draw(blocks[i], rng)
	}
	return blocks
}

// then applies a linear map to every frequency.
func (c coupled) then(f func(w []float64)) coupled {
	return coupled{c.block, func(dst linalg.Matrix[float64], rng *rand.Rand) {
		c.draw(dst, rng)
		for i := range dst.Rows {
			f(dst.Row(i))
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
