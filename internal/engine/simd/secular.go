package simd

// What no vector instruction does here is done number by number.

// PoleSums is Σ z[i]·t[i] and Σ t[i]² with t[i] = z[i]/((d[i] − base) − tau): one side of the secular
// equation of a rank-one update at base + tau, and its slope. The slices must be of the same length.
func PoleSums(d, z []float64, base, tau float64) (value, slope float64) {
	sameLength(len(d), len(z))
	value, slope, done := poleSumsLevel(d, z, base, tau)
	for i, d := range d[done:] {
		t := z[done+i] / ((d - base) - tau)
		value += z[done+i] * t
		slope += t * t
	}
	return value, slope
}

// MulRatios does y[i] *= x[i]/(d[i] − pole). The slices must be of the same length.
func MulRatios(pole float64, d, x, y []float64) {
	sameLength(len(d), len(x))
	sameLength(len(d), len(y))
	for i := ratiosLevel(pole, d, x, y); i < len(y); i++ {
		y[i] *= x[i] / (d[i] - pole)
	}
}
