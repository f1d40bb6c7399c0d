package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// chunk is how many numbers are worked on at a time where a second buffer is
// needed: it stays on the stack and in the first-level cache.
const chunk = 512

// expScale sets m[i] = exp(c·m[i]).
func expScale(m []float64, c float64) { simd.ScaleExp64(m, m, c) }

// expScale32 sets m[i] = exp(c·m[i]).
func expScale32(m []float32, c float32) { simd.ScaleExp32(m, m, c) }

func sqrtInPlace(m []float64) { simd.Sqrt64(m, m) }

func sqrtInPlace32(m []float32) { simd.Sqrt32(m, m) }

// powerOfOnePlus sets m[i] = (1 + c·m[i])^p for c·m[i] > -1.
func powerOfOnePlus(m []float64, c, p float64) {
	simd.Scal64(c, m)
	simd.Log1p64(m, m)
	simd.ScaleExp64(m, m, p)
}

// powerOfOnePlus32 is powerOfOnePlus in single precision.
func powerOfOnePlus32(m []float32, c, p float32) {
	simd.Scal32(c, m)
	simd.Log1p32(m, m)
	simd.ScaleExp32(m, m, p)
}

// powInt sets m[i] = m[i]^p, p ≥ 0.
func powInt(m []float64, p int) { simd.PowInt64(m, m, p) }

// intPower is v^p, p ≥ 0, by repeated squaring.
func intPower(v float64, p int) float64 {
	r := 1.0
	for ; p > 0; p >>= 1 {
		if p&1 == 1 {
			r *= v
		}
		v *= v
	}
	return r
}

// horner evaluates Σ coef[n] zⁿ.
func horner(coef []float64, z float64) float64 {
	s := 0.0
	for n := len(coef) - 1; n >= 0; n-- {
		s = s*z + coef[n]
	}
	return s
}

// hornerSlope evaluates Σ n coef[n] zⁿ⁻¹.
func hornerSlope(coef []float64, z float64) float64 {
	s := 0.0
	for n := len(coef) - 1; n >= 1; n-- {
		s = s*z + float64(n)*coef[n]
	}
	return s
}

func tanhInPlace(m []float64) { simd.Tanh64(m, m) }

// affine sets m[i] = a·m[i] + b.
func affine(m []float64, a, b float64) { simd.Affine64(m, m, a, b) }

func mapInPlace(m []float64, f func(float64) float64) {
	for i, v := range m {
		m[i] = f(v)
	}
}

// slopes sets dm[i] = slope(m[i]), or a central difference of f when slope is
// nil; a function on [0, ∞) is differenced one-sidedly near 0.
func slopes(dm, m []float64, f, slope func(float64) float64, half bool) {
	for i, v := range m {
		if slope != nil {
			dm[i] = slope(v)
			continue
		}
		h := 1e-5 * (1 + math.Abs(v))
		if half && v < h {
			dm[i] = (-3*f(v) + 4*f(v+h) - f(v+2*h)) / (2 * h)
			continue
		}
		dm[i] = (f(v+h) - f(v-h)) / (2 * h)
	}
}

// polyExp sets m[i] = p(z)·e^{-z}, z = c·√m[i].
func polyExp(m []float64, coef []float64, c float64) {
	var buffer [chunk]float64
	// p(z) as a polynomial in √m.
	var scaled [32]float64
	power := 1.0
	for n, a := range coef {
		scaled[n] = a * power
		power *= c
	}
	p := scaled[:len(coef)]
	for len(m) > 0 {
		part := m[:min(chunk, len(m))]
		e := buffer[:len(part)]
		simd.Sqrt64(part, part)
		simd.ScaleExp64(e, part, -c)
		switch len(p) {
		case 1:
			copy(part, e)
		case 2:
			for i, z := range part {
				part[i] = vanishing(p[0]+p[1]*z, e[i])
			}
		case 3:
			for i, z := range part {
				part[i] = vanishing(p[0]+z*(p[1]+p[2]*z), e[i])
			}
		default:
			for i, z := range part {
				part[i] = vanishing(horner(p, z), e[i])
			}
		}
		m = m[len(part):]
	}
}

// vanishing is p·e, and 0 where e = e^{-z} is, however large the polynomial beside it:
// ∞·0, the only way to NaN from a distance, is caught on its way out.
func vanishing[F float32 | float64](p, e F) F {
	v := p * e
	if v != v && e == 0 {
		return 0
	}
	return v
}

// polyExp32 is polyExp in single precision.
func polyExp32(m []float32, coef []float64, c float32) {
	var buffer [chunk]float32
	var scaled [32]float32
	power := 1.0
	for n, a := range coef {
		scaled[n] = float32(a * power)
		power *= float64(c)
	}
	p := scaled[:len(coef)]
	for len(m) > 0 {
		part := m[:min(chunk, len(m))]
		e := buffer[:len(part)]
		simd.Sqrt32(part, part)
		simd.ScaleExp32(e, part, -c)
		for i, z := range part {
			s := float32(0)
			for n := len(p) - 1; n >= 0; n-- {
				s = s*z + p[n]
			}
			part[i] = vanishing(s, e[i])
		}
		m = m[len(part):]
	}
}
