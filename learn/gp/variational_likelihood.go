package gp

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// quadrature takes expectations over a normal variable by the trapezoidal rule: its memory, for
// many of them in turn.
type quadrature struct{ f, t, height [wideNodes]float64 }

// Deviations: a normal distribution has all but e⁻²⁴ within narrowStep·narrowHalf of its mean; log
// σ(f) is within e⁻²⁵ of 0 or f beyond wideStep·wideHalf.
const (
	narrowStep  = 0.69
	narrowHalf  = 10
	narrowNodes = 2*narrowHalf + 1

	wideStep  = 0.8
	wideHalf  = 31
	wideNodes = 2*wideHalf + 1
	wideFrom  = wideStep / narrowStep

	deviations   = 7.0
	likeLogistic = 1.7 // τ: a normal distribution of this deviation is like the logistic one
)

// narrow is nodes and weights in deviations.
var narrow = func() (n struct{ at, weight [narrowNodes]float64 }) {
	for i := range n.at {
		n.at[i] = narrowStep * float64(i-narrowHalf)
		n.weight[i] = narrowStep * normalDensity(n.at[i])
	}
	return n
}()

// wide is what there is to add at nodes f that do not depend on the distribution: log σ(f) and
// σ(-f) without E min(f + τε, 0) and its derivative, and half of σ(f)σ(-f).
var wide = func() (w struct{ at, height, away, bend [wideNodes]float64 }) {
	for i := range w.at {
		f := wideStep * float64(i-wideHalf)
		t := math.Exp(-math.Abs(f))
		odds := t / (1 + t)
		tail := normalTail(f / likeLogistic)
		w.at[i], w.away[i], w.bend[i] = f, odds-tail, odds*(1-odds)/2
		if f < 0 {
			w.away[i] = 1 - odds - tail
		}
		w.height[i] = math.Min(f, 0) - math.Log1p(t) - f*tail + likeLogistic*normalDensity(f/likeLogistic)
	}
	return w
}()

// expectedLog is E log σ(f) over f ~ N(mean, variance) with its derivatives by the mean, E σ(-f),
// and by the variance, -½E σ(f)σ(-f) ≤ 0 (Price's theorem). The integrand is analytic but for poles
// at f = ±iπ, so that the rule converges as e^{-2π²/step} in units of f (Trefethen and Weideman
// 2014), and with steps of narrowStep deviations where the distribution is narrower. A wide one has
// most of its nodes where log σ is as good as 0 or f: there it is compared with E min(f + τε, 0), ε
// ~ N(0, 1), which is known, and the rest is a table; one exponential a node is left, that of the
// density.
func (q *quadrature) expectedLog(mean, variance float64) (value, byMean, byVariance float64) {
	sd := math.Max(math.Sqrt(math.Max(variance, 0)), 1e-12)
	if sd > wideFrom {
		return q.wide(mean, sd)
	}
	f, t, height := q.f[:narrowNodes], q.t[:narrowNodes], q.height[:narrowNodes]
	for i, z := range narrow.at {
		f[i] = mean + sd*z
		t[i] = -math.Abs(f[i])
	}
	simd.Exp64(t, t)
	simd.Log1p64(height, t)
	for i, w := range narrow.weight {
		odds := t[i] / (1 + t[i]) // of the less likely side
		away, h := odds, -height[i]
		if f[i] < 0 {
			away, h = 1-odds, h+f[i]
		}
		value += w * h
		byMean += w * away
		byVariance -= w * odds * (1 - odds)
	}
	return value, byMean, byVariance / 2
}

func (q *quadrature) wide(mean, sd float64) (value, byMean, byVariance float64) {
	both := math.Hypot(sd, likeLogistic)
	byMean = normalTail(mean / both)
	value = mean*byMean - both*normalDensity(mean/both)
	first, last := math.Ceil(math.Max((mean-deviations*sd)/wideStep, -wideHalf)),
		math.Floor(math.Min((mean+deviations*sd)/wideStep, wideHalf))
	if !(first <= last) { // far out, or no number at all
		return value, byMean, 0
	}
	low, high := int(first), int(last)
	weight := q.t[:high-low+1]
	at := wide.at[low+wideHalf : high+wideHalf+1]
	for i, f := range at {
		z := (f - mean) / sd
		weight[i] = -z * z / 2
	}
	simd.Exp64(weight, weight)
	height, away, bend := wide.height[low+wideHalf:], wide.away[low+wideHalf:], wide.bend[low+wideHalf:]
	var v, m, b float64
	for i, w := range weight {
		v += w * height[i]
		m += w * away[i]
		b += w * bend[i]
	}
	unit := wideStep / (sd * math.Sqrt(2*math.Pi))
	return value + unit*v, byMean + unit*m, -unit * b
}

// normalTail is P(ε > x), normalDensity the density at x, of ε ~ N(0, 1).
func normalTail(x float64) float64    { return 0.5 * math.Erfc(x/math.Sqrt2) }
func normalDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// expected is a lower bound on E log p(y = class | f) over independent f_c ~ N(mean, variance),
// with its derivatives. For two classes there is one f and the bound is the value. For more it is
// one-vs-each (M. Titsias 2016): a softmax is no less than the product over the other classes of
// σ(f_y - f_c), and each factor is a matter of one normal variable.
func (q *quadrature) expected(class int, mean, variance, byMean, byVariance []float64) float64 {
	if len(mean) == 1 {
		sign := float64(2*class - 1)
		value, m, v := q.expectedLog(sign*mean[0], variance[0])
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
		value, m, v := q.expectedLog(mean[class]-mean[c], variance[class]+variance[c])
		total += value
		byMean[class] += m
		byMean[c] -= m
		byVariance[class] += v
		byVariance[c] += v
	}
	return total
}
