package kernel

import "math"

// ProfileGrad gives dκ/dr² = -ν/(2(ν-1)ℓ²) M_{ν-1}, dκ/dℓ and dκ/dν. The last
// has no closed form and is a difference of fourth order.
func (k Matern) ProfileGrad(dm []float64, dtheta [][]float64, m []float64) {
	k.profileGrads(dm, dtheta, m)
}

// profileGrads is ProfileGrad but for the rows of dtheta that are nil. For half-integer ν the slope
// is M_{ν-1} in closed form too, so that only a derivative by ν calls for Bessel functions.
func (k Matern) profileGrads(dm []float64, dtheta [][]float64, m []float64) {
	inv := 1 / (orOne(k.Lengthscale) * orOne(k.Lengthscale))
	if !k.closedSlope(dm, m) {
		slope, c := k.slope(), math.Sqrt(2*k.Nu)/orOne(k.Lengthscale)
		for i, r2 := range m {
			dm[i] = inv * slope(c*math.Sqrt(r2))
		}
	}
	if d := dtheta[0]; d != nil {
		byNu := k.byNu()
		for i, r2 := range m {
			d[i] = byNu(r2 * inv)
		}
	}
	k.byLengthscale(dtheta[1], dm, m)
}

// closedSlope sets dm = dκ/dr² for half-integer ν: a polynomial of z times e^{-z}, and for
// ν = 1/2 -e^{-z}/(2ℓr), which is taken as 0 at its pole.
func (k Matern) closedSlope(dm, m []float64) bool {
	l := orOne(k.Lengthscale)
	if _, ok := halfInteger(k.Nu); !ok {
		return false
	}
	if k.Nu == 0.5 {
		Laplace{l}.slopes(dm, nil, m)
		return true
	}
	coef, _ := halfInteger(k.Nu - 1)
	copy(dm, m)
	polyExp(dm, coef, math.Sqrt(2*k.Nu)/l)
	scaleBy(dm, -k.Nu/(2*(k.Nu-1)*l*l))
	return true
}

// byLengthscale sets d = dκ/dℓ = -2r²/ℓ·dκ/dr².
func (k Matern) byLengthscale(d, dm, m []float64) {
	if d == nil {
		return
	}
	c := -2 / orOne(k.Lengthscale)
	for i, r2 := range m {
		d[i] = c * r2 * dm[i]
	}
}

// slope is dκ/ds as a function of z = √(2νs), s = r²/ℓ²:
//
//	-ν/(2(ν-1)) M_{ν-1}(z), and for ν ≤ 1  -ν 2^{1-ν}/Γ(ν) z^{ν-1} K_{1-ν}(z),
//
// which has a pole at 0, where it is taken as 0.
func (k Matern) slope() func(z float64) float64 {
	nu := k.Nu
	if nu > 1 {
		lower, scale := Matern{Nu: nu - 1}.profile(), 1/(2*(nu-1))
		return func(z float64) float64 { return -nu * scale * lower(z*z*scale) }
	}
	lg, _ := math.Lgamma(nu)
	return func(z float64) float64 {
		if z == 0 || z > 745 {
			return 0
		}
		return -nu * math.Exp((1-nu)*math.Ln2-lg+(nu-1)*math.Log(z)-z) * besselKScaled(1-nu, z)
	}
}

// byNu is dκ/dν as a function of s = r²/ℓ².
func (k Matern) byNu() func(s float64) float64 {
	step := min(1e-3, k.Nu/4)
	var f [4]func(float64) float64
	for i, c := range [4]float64{-2, -1, 1, 2} {
		f[i] = Matern{Nu: k.Nu + c*step}.profile()
	}
	return func(s float64) float64 {
		return (f[0](s) - 8*f[1](s) + 8*f[2](s) - f[3](s)) / (12 * step)
	}
}
