package smoothing

import (
	"math"
)

// logMoment is log ∫₀^∞ r^m·shape(r)^q dr, in closed form where there is one
// and by Gauss-Legendre quadrature elsewhere. The compact kernels are smooth on
// [0, 1], where 100 nodes leave no error beyond rounding.
func (s Kernel) logMoment(m, q float64) float64 {
	switch s {
	case Gaussian:
		g, _ := math.Lgamma((m + 1) / 2)
		return -math.Ln2 + (m+1)/2*math.Log(2/q) + g
	case Exponential:
		g, _ := math.Lgamma(m + 1)
		return g - (m+1)*math.Log(q)
	case Logistic:
		return s.logisticMoment(m, q)
	case Boxcar:
		return -math.Log(m + 1)
	}
	return math.Log(integrate(func(r float64) float64 {
		return math.Pow(r, m) * math.Pow(s.Shape(r), q)
	}, 0, 1, 100))
}

// logisticMoment integrates around the integrand's peak, near m/q, panel by
// panel, scaled by its largest value.
func (s Kernel) logisticMoment(m, q float64) float64 {
	log := func(r float64) float64 {
		v := q * s.logShape(r)
		if m > 0 {
			v += m * math.Log(r)
		}
		return v
	}
	top := 0.0
	if m > 0 {
		top = log(m / q)
	}
	end := m/q + 60/q + 12*math.Sqrt(m)/q
	const panels = 40
	sum := 0.0
	for p := range panels {
		sum += integrate(func(r float64) float64 { return math.Exp(log(r) - top) },
			end*float64(p)/panels, end*float64(p+1)/panels, 24)
	}
	return top + math.Log(sum)
}

// logSphere is the log of the surface of the unit sphere in d dimensions, 2π^{d/2}/Γ(d/2).
func logSphere(d int) float64 {
	g, _ := math.Lgamma(float64(d) / 2)
	return math.Ln2 + float64(d)/2*math.Log(math.Pi) - g
}

// LogBall is the log of the volume of the unit ball in d dimensions.
func LogBall(d int) float64 { return logSphere(d) - math.Log(float64(d)) }

// LogNorm is log c such that c·shape integrates to one over d dimensions, in
// the product or the radial form.
func (s Kernel) LogNorm(d int, product bool) float64 {
	if d == 1 || product || s == Gaussian {
		return float64(d) * math.Log(peaks[s])
	}
	return -logSphere(d) - s.logMoment(float64(d-1), 1)
}

// Variance is ∫ u²·k(u) du on the line.
func (s Kernel) Variance() float64 { return s.variance(1, true) }

// Roughness is ∫ k(u)² du on the line.
func (s Kernel) Roughness() float64 { return math.Exp(s.logRoughness(1, true)) }

// variance of one coordinate in d dimensions.
func (s Kernel) variance(d int, product bool) float64 {
	if d == 1 || product || s == Gaussian {
		return math.Exp(s.logMoment(2, 1) - s.logMoment(0, 1))
	}
	return math.Exp(s.logMoment(float64(d+1), 1)-s.logMoment(float64(d-1), 1)) / float64(d)
}

// logRoughness is log ∫ k² over d dimensions.
func (s Kernel) logRoughness(d int, product bool) float64 {
	if d == 1 || product || s == Gaussian {
		return float64(d) * (s.logMoment(0, 2) - math.Ln2 - 2*s.logMoment(0, 1))
	}
	return 2*s.LogNorm(d, false) + logSphere(d) + s.logMoment(float64(d-1), 2)
}

// Canonical is the factor that turns a bandwidth for the Gaussian into one of
// the same asymptotic smoothness for s: the ratio of (R(k)/μ₂(k)²)^{1/(d+4)}
// (Marron and Nolan 1988).
func (s Kernel) Canonical(d int, product bool) float64 {
	size := func(s Kernel) float64 {
		return (s.logRoughness(d, product) - 2*math.Log(s.variance(d, product))) / float64(d+4)
	}
	return math.Exp(size(s) - size(Gaussian))
}
