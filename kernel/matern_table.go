package kernel

import (
	"math"
	"sync"
)

// maternTable is a Matérn kernel of general ν with its profile and the derivatives of
// that tabulated, each when it is first asked for.
type maternTable struct {
	Matern
	value, slope, byNu *maternPieces
}

// maternClosed is a Matérn kernel of half-integer ν, whose derivative by ν alone needs a table.
type maternClosed struct {
	Matern
	coef []float64 // of the polynomial
	byNu *maternPieces
}

// Profile maps r² to κ(r).
func (t maternClosed) Profile(m []float64) { polyExp(m, t.coef, t.rate()) }

// Profile32 is Profile in single precision.
func (t maternClosed) Profile32(m []float32) { polyExp32(m, t.coef, float32(t.rate())) }

// prepareProfile is k with the tables that make its profile and derivatives faster.
func (k Matern) prepareProfile() Profiled {
	if !(k.Nu > 0) || k.Nu >= largeNu {
		return k
	}
	nu, byNu := k.Nu, &maternPieces{f: func(z float64) float64 { return k.byNu()(z * z / (2 * k.Nu)) }}
	if coef, closed := halfInteger(nu); closed {
		return maternClosed{k, coef, byNu}
	}
	return maternTable{k,
		&maternPieces{f: func(z float64) float64 { return maternCorrelation(nu, z) }},
		&maternPieces{f: k.slope()}, byNu}
}

// Profile maps r² to κ(r) by the table.
func (t maternTable) Profile(m []float64) {
	if len(m) < tableWorth {
		t.Matern.Profile(m)
		return
	}
	t.value.at(m, m, t.perDistance())
}

// Profile32 is Profile in single precision.
func (t maternTable) Profile32(m []float32) {
	var wide [chunk]float64
	for len(m) > 0 {
		part := m[:min(chunk, len(m))]
		w := wide[:len(part)]
		for i, v := range part {
			w[i] = float64(v)
		}
		t.Profile(w)
		for i, v := range w {
			part[i] = float32(v)
		}
		m = m[len(part):]
	}
}

// profileGrads is that of Matern by tables.
func (t maternTable) profileGrads(dm []float64, dtheta [][]float64, m []float64) {
	if len(m) < tableWorth {
		t.Matern.profileGrads(dm, dtheta, m)
		return
	}
	t.slope.at(dm, m, t.perDistance())
	scaleBy(dm, 1/(orOne(t.Lengthscale)*orOne(t.Lengthscale)))
	if dtheta[0] != nil {
		t.byNu.at(dtheta[0], m, t.perDistance())
	}
	t.byLengthscale(dtheta[1], dm, m)
}

// profileGrads is that of Matern with the derivative by ν from a table.
func (t maternClosed) profileGrads(dm []float64, dtheta [][]float64, m []float64) {
	if len(m) < tableWorth || dtheta[0] == nil {
		t.Matern.profileGrads(dm, dtheta, m)
		return
	}
	t.byNu.at(dtheta[0], m, t.perDistance())
	t.Matern.profileGrads(dm, [][]float64{nil, dtheta[1]}, m)
}

// perDistance is z/r.
func (k Matern) perDistance() float64 { return math.Sqrt(2*k.Nu) / orOne(k.Lengthscale) }

// maternPieces tabulates a function of z = √(2ν) r/ℓ that falls like e^{-z} and has no singularity
// but the origin: on each half octave, e^z f(z) is a Chebyshev interpolant. The origin is 3+2√2
// half-widths from the middle, so n terms leave an error of about 11.6⁻ⁿ.
type maternPieces struct {
	f      func(z float64) float64
	once   sync.Once
	pieces [maternCount][maternTerms]float64
}

const (
	maternTerms = 18
	maternLow   = -10 // pieces from 2⁻¹⁰ …
	maternCount = 2 * 17
	// tableWorth is how many values in one call make the table worth its 600
	// evaluations.
	tableWorth = 256
)

// fill interpolates at the Chebyshev nodes of every piece.
func (t *maternPieces) fill() {
	for p := range t.pieces {
		lo, hi := pieceBounds(p)
		var f [maternTerms]float64
		for i := range f {
			u := math.Cos(math.Pi * (float64(i) + 0.5) / maternTerms)
			z := (lo+hi)/2 + u*(hi-lo)/2
			f[i] = t.f(z) * math.Exp(z)
		}
		for j := range t.pieces[p] {
			s := 0.0
			for i, v := range f {
				s += v * math.Cos(math.Pi*float64(j)*(float64(i)+0.5)/maternTerms)
			}
			t.pieces[p][j] = 2 * s / maternTerms
		}
		t.pieces[p][0] /= 2
	}
}

func pieceBounds(p int) (lo, hi float64) {
	return math.Exp2(maternLow + float64(p)/2), math.Exp2(maternLow + float64(p+1)/2)
}

// at sets dst[i] = f(c·√m[i]); dst may be m.
func (t *maternPieces) at(dst, m []float64, c float64) {
	t.once.Do(t.fill)
	var buffer [chunk]float64
	for len(m) > 0 {
		part := dst[:min(chunk, len(m))]
		e := buffer[:len(part)]
		copy(part, m)
		sqrtInPlace(part)
		for i, r := range part {
			part[i] = c * r
		}
		copy(e, part)
		expScale(e, -1)
		for i, z := range part {
			part[i] = t.value(z, e[i])
		}
		m, dst = m[len(part):], dst[len(part):]
	}
}

// value is f(z), given e^{-z}.
func (t *maternPieces) value(z, decay float64) float64 {
	f, exponent := math.Frexp(z) // z = f·2^exponent, f in [½, 1)
	p := 2 * (exponent - 1 - maternLow)
	if f >= math.Sqrt2/2 {
		p++
	}
	if z == 0 || p < 0 || p >= maternCount || decay < 1e-300 {
		return t.f(z)
	}
	lo, hi := math.Ldexp(0.5, exponent), math.Ldexp(math.Sqrt2/2, exponent)
	if p&1 == 1 {
		lo, hi = hi, 2*lo
	}
	u := (2*z - lo - hi) / (hi - lo)
	b1, b2 := 0.0, 0.0
	c := &t.pieces[p]
	for j := maternTerms - 1; j >= 1; j-- {
		b1, b2 = c[j]+2*u*b1-b2, b1
	}
	return (c[0] + u*b1 - b2) * decay
}
