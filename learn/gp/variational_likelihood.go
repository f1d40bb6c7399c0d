package gp

import "math"

// expectedLog is E log σ(f) over f ~ N(mean, variance) with its derivatives by the mean, E σ(-f), and by the variance, -½E σ(f)σ(-f) ≤ 0 (Price's theorem).
// The integrand is analytic but for poles at f = ±iπ, so that the trapezoidal rule in deviations converges as e^{-2π²/(h√variance)}
// (Trefethen and Weideman 2014): with the step below all are as good as exact.
func expectedLog(mean, variance float64) (value, byMean, byVariance float64) {
	sd := math.Sqrt(math.Max(variance, 0))
	steps := int(math.Ceil(quadratureReach * math.Max(1.45, 1.55*math.Min(sd, 200))))
	total := 0.0
	for i := -steps; i <= steps; i++ {
		z := quadratureReach * float64(i) / float64(steps)
		w := math.Exp(-z * z / 2)
		f := mean + sd*z
		t := math.Exp(-math.Abs(f))
		odds := t / (1 + t) // of the less likely side
		away := odds
		if f < 0 {
			away = 1 - odds
		}
		total += w
		value += w * (math.Min(f, 0) - math.Log1p(t))
		byMean += w * away
		byVariance -= w * 0.5 * odds * (1 - odds)
	}
	return value / total, byMean / total, byVariance / total
}

// quadratureReach is how many deviations either way are looked at: what lies beyond is e⁻³² of the whole.
const quadratureReach = 8

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
