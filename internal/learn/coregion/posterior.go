package coregion

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Posterior is what of a State the covariance of the outputs at new points takes, and a file keeps.
type Posterior struct {
	Values  []float64              // λ
	Vectors linalg.Matrix[float64] // U
	Scale   []float64              // s
	Turn    linalg.Matrix[float64] // V
	Noise   []float64              // σ²
	Level   []float64              // Uᵀ1; nil where the mean is 0

	ahead []float64
}

// Posterior is that of the state.
func (st *State) Posterior() *Posterior {
	return (&Posterior{Values: st.Values, Vectors: st.Vectors, Scale: st.Scale, Turn: st.Turn, Noise: st.Noise,
		Level: st.Level}).Ready()
}

// Ready computes what follows from the rest.
func (p *Posterior) Ready() *Posterior {
	p.ahead = make([]float64, len(p.Scale))
	for j, s := range p.Scale {
		for i, e := range p.Level {
			p.ahead[j] += e * e / (1 + p.Values[i]*s)
		}
	}
	return p
}

// Turned is Uᵀk for each column k = k(X, x) of cross, of which a row is that of one x: a row each.
func (p *Posterior) Turned(threads int, cross linalg.Matrix[float64]) linalg.Matrix[float64] {
	out := linalg.New[float64](cross.Rows, len(p.Values))
	for i := range cross.Rows { // a product for each, so that a row has the same bits in any company
		linalg.Gemv(threads, linalg.Trans, 1, p.Vectors, cross.Row(i), 0, out.Row(i))
	}
	return out
}

// Between sets dst, m×m, to the covariance of the outputs at two points with each other, given
// k(x, y) and Uᵀk(X, x), Uᵀk(X, y): in the coordinates of V the outputs are independent, each with
//
//	sⱼk(x, y) - sⱼ²Σᵢ gᵢhᵢ/(1+λᵢsⱼ) + (1 - sⱼΣᵢ gᵢeᵢ/(1+λᵢsⱼ))(1 - sⱼΣᵢ hᵢeᵢ/(1+λᵢsⱼ))/Σᵢ eᵢ²/(1+λᵢsⱼ),
//
// where e = Uᵀ1 and the last term is that of a mean that was found.
func (p *Posterior) Between(dst linalg.Matrix[float64], self float64, g, h []float64) {
	m := len(p.Scale)
	own := make([]float64, m)
	for j, s := range p.Scale {
		sum, left, right := 0.0, 1.0, 1.0
		for i, l := range p.Values {
			d := 1 / (1 + l*s)
			sum += g[i] * h[i] * d
			if p.Level != nil {
				left -= s * g[i] * p.Level[i] * d
				right -= s * h[i] * p.Level[i] * d
			}
		}
		own[j] = s*self - s*s*sum
		if p.Level != nil {
			own[j] += left * right / p.ahead[j]
		}
	}
	for t, v := range p.Noise {
		for u, w := range p.Noise {
			sum := 0.0
			for j, c := range own {
				sum += p.Turn.At(t, j) * p.Turn.At(u, j) * c
			}
			dst.Set(t, u, math.Sqrt(v*w)*sum)
		}
	}
}
