package gp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Likelihood is the distribution of an observation y around a latent value f.
type Likelihood int

const (
	// Poisson is counts with the rate e^f: log p(y|f) = yf - e^f - log y!.
	Poisson Likelihood = iota
	// Student is f and Student's t noise of a scale σ and ν degrees of freedom, whose tails forgive
	// rows that are far off.
	Student
)

func (l Likelihood) String() string {
	if l == Student {
		return "student"
	}
	return "poisson"
}

// likelihood is one with its parameters.
type likelihood struct {
	kind      Likelihood
	scale, df float64 // of Student
}

// at is log p(y|f) and its first three derivatives by f.
func (l likelihood) at(y, f float64) (value, d1, d2, d3 float64) {
	if l.kind == Poisson {
		rate := math.Exp(f)
		fact, _ := math.Lgamma(y + 1)
		return y*f - rate - fact, y - rate, -rate, -rate
	}
	r, s := y-f, l.df*l.scale*l.scale
	q := s + r*r
	top, _ := math.Lgamma((l.df + 1) / 2)
	bottom, _ := math.Lgamma(l.df / 2)
	value = top - bottom - 0.5*math.Log(math.Pi*s) - 0.5*(l.df+1)*math.Log1p(r*r/s)
	return value, (l.df + 1) * r / q, (l.df + 1) * (r*r - s) / (q * q), -(l.df + 1) * 2 * r * (3*s - r*r) / (q * q * q)
}

// above is the curvature of a parabola that touches log p at f and lies below it everywhere: a step
// to the top of all of them never leads down (the EM step of a mixture of normal distributions, for
// Student's; Vanhatalo, Jylänki and Vehtari 2009). Poisson is concave and takes Newton's.
func (l likelihood) above(y, f float64) float64 {
	if l.kind == Poisson {
		return math.Exp(f)
	}
	return (l.df + 1) / (l.df*l.scale*l.scale + (y-f)*(y-f))
}

// byScale is the derivatives by log σ of log p and of its first two derivatives by f.
func (l likelihood) byScale(y, f float64) (value, d1, d2 float64) {
	r, s := y-f, l.df*l.scale*l.scale
	q := s + r*r
	return -1 + (l.df+1)*r*r/q, -2 * (l.df + 1) * r * s / (q * q), -2 * s * (l.df + 1) * (3*r*r - s) / (q * q * q)
}

// check refuses a value that the likelihood cannot have.
func (l likelihood) check(i int, y float64) error {
	if l.kind == Poisson && (y < 0 || y != math.Trunc(y)) {
		return fmt.Errorf("likelihood=poisson is of counts, and target of row %d is %g; give whole numbers, 0 or more, or "+
			"another likelihood", i, y)
	}
	return nil
}

// moments is the mean and the variance of an observation, and the variance of its mean, where f has
// mean m and variance v.
func (l likelihood) moments(m, v float64) (mean, ofMean, all float64) {
	if l.kind == Poisson { // log-normal rates
		mean = math.Exp(m + v/2)
		ofMean = mean * mean * math.Expm1(v)
		return mean, ofMean, ofMean + mean
	}
	return m, v, v + l.scale*l.scale*l.df/(l.df-2)
}

// steps is how many steps to each side an integral over ±8 deviations of f takes, where the
// likelihood of y is as narrow as it is.
func (l likelihood) steps(y, m, sd float64) int {
	width := l.scale
	if l.kind == Poisson {
		width = 1 / math.Sqrt(1+math.Max(y, math.Exp(math.Min(m+sd, 40))))
	}
	return 32 + int(math.Min(math.Ceil(32*sd/width), 4000))
}

// over is Σ w·g(f) over the nodes of the trapezoidal rule for f ~ N(m, v), which converges faster
// than any power of the step for smooth g (Trefethen and Weideman 2014).
func over(m, sd float64, steps int, g func(f float64) float64) float64 {
	if sd == 0 {
		return g(m)
	}
	sum, weight := 0.0, 0.0
	for i := -steps; i <= steps; i++ {
		z := 8 * float64(i) / float64(steps)
		w := math.Exp(-z * z / 2)
		sum += w * g(m+sd*z)
		weight += w
	}
	return sum / weight
}

// logDensity is log ∫ p(y|f) N(f; m, v) df.
func (l likelihood) logDensity(y, m, v float64) float64 {
	sd := math.Sqrt(math.Max(v, 0))
	steps := l.steps(y, m, sd)
	top := math.Inf(-1)
	for i := -steps; i <= steps; i++ {
		z := 8 * float64(i) / float64(steps)
		value, _, _, _ := l.at(y, m+sd*z)
		top = math.Max(top, value-z*z/2)
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum, weight := 0.0, 0.0
	for i := -steps; i <= steps; i++ {
		z := 8 * float64(i) / float64(steps)
		value, _, _, _ := l.at(y, m+sd*z)
		sum += math.Exp(value - z*z/2 - top)
		weight += math.Exp(-z * z / 2)
	}
	return top + math.Log(sum/weight)
}

// cdf is P(Y ≤ y) where f ~ N(m, v).
func (l likelihood) cdf(y, m, v float64) float64 {
	sd := math.Sqrt(math.Max(v, 0))
	return over(m, sd, l.steps(math.Max(y, 0), m, sd), func(f float64) float64 {
		if l.kind == Poisson {
			if y < 0 {
				return 0
			}
			return mathext.GammaIncRegComp(math.Floor(y)+1, math.Min(math.Exp(f), 1e300))
		}
		t := (y - f) / l.scale
		tail := 0.5 * mathext.RegIncBeta(l.df/2, 0.5, l.df/(l.df+t*t))
		if t > 0 {
			return 1 - tail
		}
		return tail
	})
}

// quantile is the least y with P(Y ≤ y) ≥ p: a whole number for counts.
func (l likelihood) quantile(p, m, v float64) float64 {
	mean, _, all := l.moments(m, v)
	low, high := mean, mean
	for step := math.Sqrt(all) + 1; l.cdf(low, m, v) >= p; step *= 2 {
		if low -= step; l.kind == Poisson && low < 0 {
			low = -1
			break
		}
	}
	for step := math.Sqrt(all) + 1; l.cdf(high, m, v) < p && step < 1e300; step *= 2 {
		high += step
	}
	if l.kind == Poisson {
		low, high = math.Floor(low), math.Ceil(high)
	}
	for range 200 {
		middle := low + (high-low)/2
		if l.kind == Poisson {
			if middle = math.Floor(middle); high-low <= 1 {
				break
			}
		} else if high-low <= 1e-10*(1+math.Abs(high)) {
			break
		}
		if l.cdf(middle, m, v) >= p {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
