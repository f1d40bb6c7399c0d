package graph

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Spectrum is how the eigenvalues of a Laplacian are distributed: all of them up to ExactNodes
// nodes, else Chebyshev moments by random vectors (M. Hutchinson 1990; the kernel polynomial method:
// A. Weiße, G. Wellein, A. Alvermann and H. Fehske, Reviews of Modern Physics 78, 2006).
type Spectrum struct {
	largest float64
	values  []float64 // exact
	moments []float64 // of the density on [-1, 1], the first 1
}

const (
	spectrumMoments = 64
	spectrumProbes  = 16 // vectors of n random signs: the mean over n·16 numbers; a product takes as many at once
)

// Spectrum looks at the eigenvalues. It is the same whatever the number of threads.
func (l *Laplacian) Spectrum(ctx context.Context, threads int) (*Spectrum, error) {
	s := &Spectrum{largest: l.largest}
	if l.Nodes() <= ExactNodes {
		if err := l.decompose(); err != nil {
			return nil, err
		}
		s.values = l.values
		return s, nil
	}
	if l.largest == 0 {
		s.values = make([]float64, l.Nodes())
		return s, nil
	}
	n := l.Nodes()
	rng := rand.New(rand.NewPCG(1, 0x6d6f6d656e7473))
	before, now, next := linalg.New[float64](n, spectrumProbes), linalg.New[float64](n, spectrumProbes),
		linalg.New[float64](n, spectrumProbes)
	for i := range now.Data {
		now.Data[i] = float64(rng.IntN(2)*2 - 1)
	}
	total := float64(n * spectrumProbes)
	s.moments = make([]float64, spectrumMoments)
	s.moments[0] = 1
	// T_{2m} = 2T_m² − 1 and T_{2m+1} = 2T_m·T_{m+1} − T_1 give two moments a product.
	for m := 0; 2*m+1 < spectrumMoments; m++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.rows.MulDense(threads, next, now)
		twice, scale := 2.0, 2/l.largest
		if m == 0 {
			twice = 1
		}
		par.For(threads, n, rowGrain, func(lo, hi int) {
			for i := lo * spectrumProbes; i < hi*spectrumProbes; i++ {
				next.Data[i] = twice*(scale*next.Data[i]-now.Data[i]) - before.Data[i]
			}
		})
		odd := dotInPieces(threads, now.Data, next.Data) / total
		if m == 0 {
			s.moments[1] = odd
		} else {
			s.moments[2*m] = 2*dotInPieces(threads, now.Data, now.Data)/total - 1
			s.moments[2*m+1] = 2*odd - s.moments[1]
		}
		before, now, next = now, next, before
	}
	return s, nil
}

// dotInPieces is Σ aᵢbᵢ, of pieces that are the same for any number of threads and added in order.
func dotInPieces(threads int, a, b []float64) float64 {
	const piece = 1 << 14
	sums := make([]float64, (len(a)+piece-1)/piece)
	par.For(threads, len(a), piece, func(lo, hi int) {
		s := 0.0
		for i := lo; i < hi; i++ {
			s += a[i] * b[i]
		}
		sums[lo/piece] = s
	})
	total := 0.0
	for _, s := range sums {
		total += s
	}
	return total
}

// Mean is the mean of r(λ) over the eigenvalues, which is the mean of k(i, i) over the nodes.
func (s *Spectrum) Mean(r Transform) float64 {
	if s.values != nil {
		sum := 0.0
		for _, v := range s.values {
			sum += r.At(v, s.largest)
		}
		return sum / float64(max(len(s.values), 1))
	}
	const places = 4 * spectrumMoments
	mean := 0.0
	for m, mu := range s.moments {
		c := 0.0
		for i := range places {
			x := math.Pi * (float64(i) + 0.5) / places
			c += r.At(s.largest*(math.Cos(x)+1)/2, s.largest) * math.Cos(float64(m)*x)
		}
		c *= 2 / float64(places)
		if m == 0 {
			c /= 2
		}
		mean += c * mu
	}
	return mean
}

// Density is the share of eigenvalues in each of so many equal parts of [0, largest], smoothed by
// Jackson's kernel where only moments are known.
func (s *Spectrum) Density(parts int) (lambda, share []float64) {
	lambda, share = make([]float64, parts), make([]float64, parts)
	width := s.largest / float64(parts)
	for p := range parts {
		lambda[p] = (float64(p) + 0.5) * width
	}
	if s.values != nil {
		for _, v := range s.values {
			p := 0
			if width > 0 {
				p = min(int(v/width), parts-1)
			}
			share[p] += 1 / float64(len(s.values))
		}
		return lambda, share
	}
	count := float64(len(s.moments) + 1)
	for p := range parts {
		x := 2*lambda[p]/s.largest - 1
		sum := s.moments[0]
		for m := 1; m < len(s.moments); m++ {
			q := math.Pi / count
			damp := ((count-float64(m))*math.Cos(float64(m)*q) + math.Sin(float64(m)*q)/math.Tan(q)) / count
			sum += 2 * damp * s.moments[m] * math.Cos(float64(m)*math.Acos(x))
		}
		share[p] = max(sum, 0) / (math.Pi * math.Sqrt(1-x*x)) * 2 / float64(parts)
	}
	return lambda, share
}
