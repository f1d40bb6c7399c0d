package solve

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// lanczosTerms is the coefficients of a conjugate gradient iteration: with step lengths αᵢ and βᵢ =
// rᵢ₊₁ᵀzᵢ₊₁/rᵢᵀzᵢ it is Lanczos' on PA, whose tridiagonal matrix has 1/αᵢ + βᵢ₋₁/αᵢ₋₁ on the
// diagonal and √βᵢ/αᵢ beside it (Saad 2003, §6.7.3).
type lanczosTerms struct{ alpha, beta []float64 }

// mostLanczos bounds the matrix whose eigenvalues are looked at: the extreme ones are found by
// then.
const mostLanczos = 200

func (l *lanczosTerms) add(alpha, beta float64) {
	if len(l.alpha) < mostLanczos {
		l.alpha, l.beta = append(l.alpha, alpha), append(l.beta, beta)
	}
}

// Condition is the ratio of the extreme eigenvalues of P(A + Shift·I) as far as any column has seen
// them: it comes from below, and is 1 before the first step.
func (r CGResult) Condition() float64 {
	low, high := math.Inf(1), 0.0
	for _, l := range r.lanczos {
		n := len(l.alpha)
		if n == 0 {
			continue
		}
		t := linalg.New[float64](n, n)
		for i, a := range l.alpha {
			d := 1 / a
			if i > 0 {
				d += l.beta[i-1] / l.alpha[i-1]
				off := math.Sqrt(math.Max(l.beta[i-1], 0)) / l.alpha[i-1]
				t.Set(i, i-1, off)
				t.Set(i-1, i, off)
			}
			t.Set(i, i, d)
		}
		values, err := linalg.SymEigenValues(1, t)
		if err != nil {
			continue // an overflow: nothing to be told from it
		}
		low, high = math.Min(low, values[0]), math.Max(high, values[n-1])
	}
	if high == 0 {
		return 1
	}
	if !(low > 0) {
		return math.Inf(1)
	}
	return high / low
}
