package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/simd"
)

// expScale sets m[i] = exp(c·m[i]).
func expScale(m []float64, c float64) {
	simd.ScaleExp64(m, m, c)
}

// expScale32 sets m[i] = exp(c·m[i]).
func expScale32(m []float32, c float32) {
	simd.ScaleExp32(m, m, c)
}

func sqrtInPlace(m []float64) {
	for i, v := range m {
		m[i] = math.Sqrt(v)
	}
}

func sqrtInPlace32(m []float32) {
	for i, v := range m {
		m[i] = float32(math.Sqrt(float64(v)))
	}
}

// powerOfOnePlus sets m[i] = (1 + c·m[i])^p for c·m[i] > -1.
func powerOfOnePlus(m []float64, c, p float64) {
	for i, v := range m {
		m[i] = math.Exp(p * math.Log1p(c*v))
	}
}

// powInt sets m[i] = m[i]^p, p ≥ 0, by repeated squaring.
func powInt(m []float64, p int) {
	switch p {
	case 0:
		for i := range m {
			m[i] = 1
		}
	case 1:
	case 2:
		for i, v := range m {
			m[i] = v * v
		}
	case 3:
		for i, v := range m {
			m[i] = v * v * v
		}
	default:
		for i, v := range m {
			m[i] = intPower(v, p)
		}
	}
}

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

func tanhInPlace(m []float64) {
	for i, v := range m {
		m[i] = math.Tanh(v)
	}
}

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
	for i, v := range m {
		z := c * math.Sqrt(v)
		m[i] = horner(coef, z) * math.Exp(-z)
	}
}

// polyExp32 is polyExp in single precision.
func polyExp32(m []float32, coef []float64, c float32) {
	for i, v := range m {
		z := float64(c) * math.Sqrt(float64(v))
		m[i] = float32(horner(coef, z) * math.Exp(-z))
	}
}
