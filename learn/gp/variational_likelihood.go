package gp

import "math"

// expectedLog is E log σ(f) over f ~ N(mean, variance) with its derivatives by the mean, E σ(-f), and by the variance, -½E σ(f)σ(-f) ≤ 0 (Price's theorem).
// The integrand is analytic but for poles at f = ±iπ, so that the trapezoidal rule in deviations converges as e^{-2π²/(h·deviation)} (Trefethen and Weideman 2014). A wide
// normal has most of its nodes where log σ is as good as 0 or f: there it is compared with E min(f + τε, 0), ε ~ N(0, 1), which is known, and nodes are needed within
// quadratureReach of 0 only, some sixty for any variance.
func expectedLog(mean, variance float64) (value, byMean, byVariance float64) {
	sd := math.Max(math.Sqrt(math.Max(variance, 0)), 1e-12)
	step := math.Min(0.69, 0.8/sd)
	low, high := -quadratureDeviations, quadratureDeviations
	wide := sd > 2.5
	if wide {
		low, high = math.Max(low, (-quadratureReach-mean)/sd), math.Min(high, (quadratureReach-mean)/sd)
		q := math.Hypot(sd, likeLogistic)
		tail := normalTail(mean / q)
		value, byMean = mean*tail-q*normalDensity(mean/q), tail
	}
	for i := math.Ceil(low / step); i*step <= high; i++ {
		z := i * step
		w := step * normalDensity(z)
		f := mean + sd*z
		t := math.Exp(-math.Abs(f))
		odds := t / (1 + t) // of the less likely side
		away, height := odds, math.Min(f, 0)-math.Log1p(t)
		if f < 0 {
			away = 1 - odds
		}
		byVariance -= 0.5 * w * odds * (1 - odds)
		if wide {
			tail := normalTail(f / likeLogistic)
			away -= tail
			height -= f*tail - likeLogistic*normalDensity(f/likeLogistic)
		}
		value += w * height
		byMean += w * away
	}
	return value, byMean, byVariance
}

// quadratureDeviations either way is where all but e⁻²⁴ of a normal distribution lies; log σ(f) is within e⁻²⁵ of 0 or f beyond quadratureReach.
const (
	quadratureDeviations = 7.0
	quadratureReach      = 25.0
	likeLogistic         = 1.7 // τ: a normal distribution of this deviation is like the logistic one
)

// normalTail is P(ε > x), normalDensity the density at x, of ε ~ N(0, 1).
func normalTail(x float64) float64    { return 0.5 * math.Erfc(x/math.Sqrt2) }
func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// expected is a lower bound on E log p(y = class | f) over independent f_c ~ N(mean, variance), with its derivatives. For two classes there is one f
// and the bound is the value. For more it is one-vs-each (M. Titsias 2016): a softmax is no less than the product over the other classes of
// σ(f_y - f_c), and each factor is a matter of one normal variable.
func expected(class int, mean, variance, byMean, byVariance []float64) float64 {
	if len(mean) == 1 {
		sign := float64(2*class - 1)
		value, m, v := expectedLog(sign*mean[0], variance[0])
		byMean[0], byVariance[0] = sign*m, v
		return value
	}
	clear(byMean)
	clear(byVariance)
	total := 0.0
	for c := range mean {
		if c == class {
			continue
		}
		value, m, v := expectedLog(mean[class]-mean[c], variance[class]+variance[c])
		total += value
		byMean[class] += m
		byMean[c] -= m
		byVariance[class] += v
		byVariance[c] += v
	}
	return total
}
