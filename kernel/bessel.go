package kernel

import "math"

// Modified Bessel functions of the second kind K_ν(x), ν ≥ 0, x > 0, for the
// Matérn kernel: Temme's series for x ≤ 2, Steed's continued fraction for x > 2
// (Temme, J. Comput. Phys. 19, 1975; Campbell, ACM TOMS 6, 1980), then the
// forward recurrence K_{μ+1} = (2μ/x) K_μ + K_{μ-1}, which is stable for K.

// besselKScaled returns e^x K_ν(x).
func besselKScaled(nu, x float64) float64 {
	n := int(nu + 0.5)
	mu := nu - float64(n) // |μ| ≤ 1/2
	var k0, k1 float64    // e^x K_μ, e^x K_{μ+1}
	if x <= 2 {
		k0, k1 = temme(mu, x)
		e := math.Exp(x)
		k0, k1 = k0*e, k1*e
	} else {
		k0, k1 = steed(mu, x)
	}
	for i := 1; i <= n; i++ {
		k0, k1 = k1, 2*(mu+float64(i))/x*k1+k0
	}
	return k0
}

// temme returns K_μ(x) and K_{μ+1}(x) for |μ| ≤ 1/2, x ≤ 2, by the series
// K_μ = Σ c_k f_k, K_{μ+1} = (2/x) Σ c_k (p_k - k f_k), c_k = (x²/4)^k/k!.
func temme(mu, x float64) (float64, float64) {
	pimu := math.Pi * mu
	fact := 1.0
	if math.Abs(pimu) > 1e-15 {
		fact = pimu / math.Sin(pimu)
	}
	d := -math.Log(x / 2)
	e := mu * d
	fact2 := 1.0
	if math.Abs(e) > 1e-15 {
		fact2 = math.Sinh(e) / e
	}
	gam1, gam2, gampl, gammi := temmeGammas(mu)
	ff := fact * (gam1*math.Cosh(e) + gam2*fact2*d)
	sum := ff
	e = math.Exp(e)
	p := 0.5 * e / gampl
	q := 0.5 / (e * gammi)
	c := 1.0
	d = x * x / 4
	sum1 := p
	for i := 1; i < 500; i++ {
		fi := float64(i)
		ff = (fi*ff + p + q) / (fi*fi - mu*mu)
		c *= d / fi
		p /= fi - mu
		q /= fi + mu
		del := c * ff
		sum += del
		sum1 += c * (p - fi*ff)
		if math.Abs(del) < math.Abs(sum)*1e-17 {
			break
		}
	}
	return sum, sum1 * 2 / x
}

// temmeGammas returns Γ₁ = [1/Γ(1-μ) - 1/Γ(1+μ)]/(2μ), Γ₂ = [1/Γ(1-μ) + 1/Γ(1+μ)]/2,
// 1/Γ(1+μ) and 1/Γ(1-μ). Γ₁ loses digits by its difference for small μ, so it
// is summed from the Maclaurin series 1/Γ(1+μ) = Σ d_k μᵏ (Abramowitz & Stegun
// 6.1.34, whose c_{k+1} is our d_k).
func temmeGammas(mu float64) (gam1, gam2, gampl, gammi float64) {
	odd, even, p := 0.0, 0.0, 1.0
	m2 := mu * mu
	for k := 0; k < len(reciprocalGamma); k += 2 {
		even += reciprocalGamma[k] * p
		if k+1 < len(reciprocalGamma) {
			odd += reciprocalGamma[k+1] * p
		}
		p *= m2
	}
	return -odd, even, even + mu*odd, even - mu*odd
}

// reciprocalGamma holds d_k of 1/Γ(1+z) = Σ d_k zᵏ.
var reciprocalGamma = [...]float64{
	1.0000000000000000, 0.5772156649015329, -0.6558780715202538,
	-0.0420026350340952, 0.1665386113822915, -0.0421977345555443,
	-0.0096219715278770, 0.0072189432466630, -0.0011651675918591,
	-0.0002152416741149, 0.0001280502823882, -0.0000201348547807,
	-0.0000012504934821, 0.0000011330272320, -0.0000002056338417,
	0.0000000061160950, 0.0000000050020075, -0.0000000011812746,
	0.0000000001043427, 0.0000000000077823, -0.0000000000036968,
	0.0000000000005100, -0.0000000000000206, -0.0000000000000054,
	0.0000000000000014,
}

// steed returns e^x K_μ(x) and e^x K_{μ+1}(x) for |μ| ≤ 1/2, x > 2, by the second
// continued fraction of Temme, evaluated as Steed does.
func steed(mu, x float64) (float64, float64) {
	b := 2 * (1 + x)
	d := 1 / b
	h, delh := d, d
	q1, q2 := 0.0, 1.0
	a1 := 0.25 - mu*mu
	q, c := a1, a1
	a := -a1
	s := 1 + q*delh
	for i := 2; i < 10000; i++ {
		a -= float64(2 * (i - 1))
		c = -a * c / float64(i)
		qnew := (q1 - b*q2) / a
		q1, q2 = q2, qnew
		q += c * qnew
		b += 2
		d = 1 / (b + a*d)
		delh = (b*d - 1) * delh
		h += delh
		dels := q * delh
		s += dels
		if math.Abs(dels/s) < 1e-17 {
			break
		}
	}
	h = a1 * h
	k := math.Sqrt(math.Pi/(2*x)) / s
	return k, k * (mu + x + 0.5 - h) / x
}

// debyeTerms is how many polynomials of the uniform expansion are used.
const debyeTerms = 10

// debye holds the coefficients of the polynomials uₖ(t) of the uniform expansion
// of K_ν (DLMF 10.41.9): u₀ = 1, uₖ₊₁ = ½t²(1-t²)uₖ' + ⅛∫₀ᵗ(1-5s²)uₖ ds.
var debye = debyePolynomials()

func debyePolynomials() [debyeTerms][]float64 {
	var u [debyeTerms][]float64
	u[0] = []float64{1}
	for k := 0; k+1 < debyeTerms; k++ {
		next := make([]float64, 3*(k+1)+1)
		for j, c := range u[k] {
			if c == 0 {
				continue
			}
			f := float64(j)
			if j > 0 {
				next[j+1] += 0.5 * f * c
			}
			if j+3 < len(next) {
				next[j+3] -= 0.5*f*c + 5.0/8*c/(f+3)
			}
			next[j+1] += c / (8 * (f + 1))
		}
		u[k+1] = next
	}
	return u
}

// maternLarge is the Matérn correlation for large ν as a function of
// s = r²/ℓ², from the uniform expansion of K_ν (DLMF 10.41.4) with Stirling's
// series for Γ(ν); the terms that grow like ν log ν are cancelled by hand, so that
// nothing is lost and the limit e^{-s/2} is reached as ν → ∞:
//
//	log k = ν[log(1+e/2) - e] - ½ log(1+e) - S(ν) + log Σ (-1)ᵏ uₖ(t)/νᵏ,
//	e = √(1+2s/ν) - 1,  t = 1/(1+e).
func maternLarge(nu, s float64) float64 {
	if math.IsInf(s, 1) {
		return 0
	}
	x2 := 2 * s / nu
	e := x2 / (1 + math.Sqrt(1+x2))
	t := 1 / (1 + e)
	n2 := nu * nu
	stirling := (1.0/12 - (1.0/360-(1.0/1260-(1.0/1680-1.0/1188/n2)/n2)/n2)/n2) / nu
	sum, p := 0.0, 1.0
	for k := range debyeTerms {
		sum += p * horner(debye[k], t)
		p /= -nu
	}
	return math.Exp(nu*(math.Log1p(e/2)-e) - 0.5*math.Log1p(e) - stirling + math.Log(sum))
}
