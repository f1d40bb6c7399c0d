package linalg

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// secularSteps bounds the iterations spent on one root. Typical is 3 to 6.
const secularSteps = 100

// secular is the equation f(λ) = 1/ρ + Σ zᵢ²/(dᵢ − λ) = 0 with ρ > 0 and
// d strictly ascending, whose roots are the eigenvalues of D + ρ·z·zᵀ; they
// interlace with d.
type secular struct {
	d, z []float64
	rho  float64
}

// secularValue is f at a point, split at the poles that bracket the root:
// psi sums the poles up to the split, phi those above it.
type secularValue struct {
	f, psi, phi, dpsi, dphi float64
}

// at evaluates f at d[origin] + tau. The differences are formed from the
// origin, so that they are exact where it matters, next to the root.
func (s *secular) at(origin int, tau float64, split int) secularValue {
	var v secularValue
	base, lower := s.d[origin], split+1
	v.psi, v.dpsi = simd.PoleSums(s.d[:lower], s.z[:lower], base, tau)
	v.phi, v.dphi = simd.PoleSums(s.d[lower:], s.z[lower:len(s.d)], base, tau)
	v.f = 1/s.rho + v.psi + v.phi
	return v
}

// root finds the j-th root as d[origin] + tau, tau to high relative accuracy;
// ok is false when the iteration was given up.
//
// The step is the "middle way" of R.-C. Li, "Solving secular equations stably
// and efficiently" (1993): psi and phi are each replaced by a pole and a
// constant with the same value and slope. It is kept inside a bracket, with
// bisection when it leaves it or stalls.
func (s *secular) root(j int) (origin int, tau float64, ok bool) {
	k := len(s.d)
	if k == 1 {
		return 0, s.rho * s.z[0] * s.z[0], true
	}
	origin, tau, lo, hi := s.start(j)
	lower, upper := j, j+1
	if j == k-1 {
		lower, upper = k-2, k-1
	}
	lowerPole, upperPole := s.d[lower]-s.d[origin], s.d[upper]-s.d[origin]
	last := math.Inf(1)
	for range secularSteps {
		v := s.at(origin, tau, lower)
		size := 1/s.rho + math.Abs(v.psi) + math.Abs(v.phi)
		slope := v.dpsi + v.dphi
		if math.Abs(v.f) <= machineEpsilon*(8*size+math.Abs(tau)*slope) {
			return origin, tau, true
		}
		if v.f < 0 {
			lo = tau
		} else {
			hi = tau
		}
		d1, d2 := lowerPole-tau, upperPole-tau
		c := v.f - d1*v.dpsi - d2*v.dphi
		a := (d1+d2)*v.f - d1*d2*slope
		b := d1 * d2 * v.f
		var step float64
		if j == k-1 {
			step = outerRoot(a, b, c)
		} else {
			step = innerRoot(a, b, c)
		}
		if !(v.f*step < 0) { // wrong way, zero or NaN: Newton goes the right way
			step = -v.f / slope
		}
		next := tau + step
		if !(next > lo && next < hi) || math.Abs(v.f) > 0.5*last {
			next = between(lo, hi)
		}
		last = math.Abs(v.f)
		if next == tau || next == lo || next == hi {
			return origin, tau, true // the bracket is two neighbouring numbers
		}
		tau = next
	}
	return origin, tau, false
}

// between is the midpoint of a bracket that may touch the pole at 0: the
// geometric mean where the ends differ by orders of magnitude.
func between(lo, hi float64) float64 {
	small, large := math.Abs(lo), math.Abs(hi)
	if small > large {
		small, large = large, small
	}
	if small > 0 && lo*hi > 0 && large > 16*small {
		return math.Copysign(math.Sqrt(small)*math.Sqrt(large), lo)
	}
	if small == 0 { // one end is the pole: come nearer to it faster than by halves
		return 0.125 * (lo + hi)
	}
	return lo + 0.5*(hi-lo)
}

// innerRoot solves c·η² − a·η + b = 0 for the root between the two poles.
func innerRoot(a, b, c float64) float64 {
	disc := math.Sqrt(math.Abs(a*a - 4*b*c))
	if a <= 0 {
		return (a - disc) / (2 * c)
	}
	return 2 * b / (a + disc)
}

// outerRoot solves the same equation for the root above both poles.
func outerRoot(a, b, c float64) float64 {
	c = math.Abs(c)
	disc := math.Sqrt(math.Abs(a*a - 4*b*c))
	if a >= 0 {
		return (a + disc) / (2 * c)
	}
	return 2 * b / (a - disc)
}

// start chooses the pole nearest to root j as origin, a bracket relative to it,
// and a first guess that keeps the two neighbouring poles exact and freezes the rest.
func (s *secular) start(j int) (origin int, tau, lo, hi float64) {
	k := len(s.d)
	if j == k-1 {
		return s.startLast()
	}
	gap := s.d[j+1] - s.d[j]
	v := s.at(j, gap/2, j)
	z1, z2 := s.z[j]*s.z[j], s.z[j+1]*s.z[j+1]
	rest := v.f + (z1-z2)/(gap/2)
	if v.f >= 0 {
		origin, lo, hi = j, 0, gap/2
		a, b := rest*gap+z1+z2, z1*gap
		disc := math.Sqrt(math.Abs(a*a - 4*b*rest))
		if a > 0 {
			tau = 2 * b / (a + disc)
		} else {
			tau = (a - disc) / (2 * rest)
		}
	} else {
		origin, lo, hi = j+1, -gap/2, 0
		a, b := rest*gap-z1-z2, z2*gap
		disc := math.Sqrt(math.Abs(a*a + 4*b*rest))
		if a < 0 {
			tau = 2 * b / (a - disc)
		} else {
			tau = -(a + disc) / (2 * rest)
		}
	}
	if !(tau > lo && tau < hi) {
		tau = between(lo, hi)
	}
	return origin, tau, lo, hi
}

func (s *secular) startLast() (origin int, tau, lo, hi float64) {
	k := len(s.d)
	norm := 0.0
	for _, z := range s.z[:k] {
		norm += z * z
	}
	hi = s.rho * norm
	gap := s.d[k-1] - s.d[k-2]
	v := s.at(k-1, hi/2, k-2)
	z1, z2 := s.z[k-2]*s.z[k-2], s.z[k-1]*s.z[k-1]
	rest := v.f + z1/(gap+hi/2) + z2/(hi/2)
	if v.f >= 0 {
		hi /= 2
	} else {
		lo = hi / 2
		hi *= 1 + 8*machineEpsilon // rounding must not exclude the root
	}
	a, b := z1+z2-rest*gap, z2*gap
	disc := math.Sqrt(math.Abs(a*a + 4*b*rest))
	if a < 0 {
		tau = 2 * b / (disc - a)
	} else {
		tau = (a + disc) / (2 * rest)
	}
	if !(tau > lo && tau < hi) {
		tau = between(lo, hi)
	}
	return k - 1, tau, lo, hi
}
