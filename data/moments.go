package data

import "math"

// moments is the mean and the spread of numbers that come one after the other (Welford 1962).
// Numbers are kept in units of a power of two that none of them exceeds, so that squares neither
// overflow nor vanish; changing the unit changes no digit.
type moments struct {
	n          float64
	unit       float64 // 0 before the first number that is not 0
	mean, sums float64 // in units; sums of squares about the mean in units²
}

func (m *moments) add(x float64) {
	if a := math.Abs(x); a > m.unit {
		_, exponent := math.Frexp(a)
		unit := math.Ldexp(1, min(exponent, 1023))
		if m.unit > 0 {
			ratio := m.unit / unit
			m.mean *= ratio
			m.sums *= ratio * ratio
		}
		m.unit = unit
	}
	m.n++
	if m.unit == 0 {
		return
	}
	v := x / m.unit
	d := v - m.mean
	m.mean += d / m.n
	m.sums += d * (v - m.mean)
}

// meanStd is the mean and the standard deviation. Rounding alone is not a spread.
func (m *moments) meanStd() (mean, std float64) {
	if m.n == 0 {
		return 0, 0
	}
	variance := m.sums / m.n
	if mean = m.mean * m.unit; variance <= 1e-30*max(m.mean*m.mean, 1e-300) {
		return mean, 0
	}
	return mean, math.Sqrt(variance) * m.unit
}
