package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// ThinPlate is a reproducing kernel of the functions on Rᵈ with finite bending energy
//
//	J(f) = ∫ Σ_{|α|=m} (m!/α!)·(D^αf)²,   2m > d,
//
// m = Order (the least with 2m > d, but at least 2, when zero). J does not see polynomials of
// degree below m. Their lattice of places ξⱼ = Origin + Unit·α, |α| < m, has Lagrange polynomials
// pⱼ, 1 at ξⱼ and 0 at the others, and with E the Green's function of the operator (-Δ)ᵐ, a
// multiple of r^{2m-d}, times log r where d is even,
//
//	k(x, y) = E(x, y) - Σ pⱼ(x)E(ξⱼ, y) - Σ pⱼ(y)E(x, ξⱼ) + Σ pᵢ(x)pⱼ(y)E(ξᵢ, ξⱼ) + Σ pⱼ(x)pⱼ(y)
//
// is the kernel of ‖f‖² = J(f) + Σ f(ξⱼ)² (Duchon 1977; Wahba 1990, §2.4). Since k(ξⱼ, ·) = pⱼ,
// ridge regression with the places of Anchors free of penalty is a regularisation network of
// Green's functions with its polynomial (Poggio and Girosi 1990): the thin-plate spline.
type ThinPlate struct {
	Order  int
	Origin Vec     // of the lattice; nil means 0
	Unit   float64 // its spacing, best the size of the data; 0 means 1
}

// mostAnchors bounds the polynomials that are not penalised.
const mostAnchors = 1000

// Name is "thinplate".
func (ThinPlate) Name() string { return "thinplate" }

// order is m for points of d coordinates.
func (k ThinPlate) order(d int) int {
	if k.Order == 0 {
		return max(2, d/2+1)
	}
	return k.Order
}

// Anchors are the places ξⱼ for points of d coordinates, on which a polynomial of degree below m is
// known by its values.
func (k ThinPlate) Anchors(d int) data.Slice[Vec] {
	indices := latticeOf(d, k.order(d)-1)
	out := make(data.Slice[Vec], len(indices))
	for j, alpha := range indices {
		out[j] = make(Vec, d)
		for i, a := range alpha {
			out[j][i] = float64(a) * orOne(k.Unit)
			if k.Origin != nil {
				out[j][i] += k.Origin[i]
			}
		}
	}
	return out
}

// latticeOf is the multi-indices of d entries with a sum of at most q.
func latticeOf(d, q int) [][]int {
	if d == 0 {
		return [][]int{{}}
	}
	var out [][]int
	for first := 0; first <= q; first++ {
		for _, rest := range latticeOf(d-1, q-first) {
			out = append(out, append([]int{first}, rest...))
		}
	}
	return out
}

// anchorsOf is how many there are, C(d + m - 1, d).
func anchorsOf(d, m int) float64 {
	c := 1.0
	for i := 1; i <= d; i++ {
		c *= float64(m-1+i) / float64(i)
	}
	return math.Round(c)
}

// plate is a kernel for points of d coordinates: k(x, y) = E(x, y) + p(x)ᵀu(y) + u(x)ᵀp(y) with u =
// -E(ξ, ·) + ½(E(ξ, ξ) + I)·p.
type plate struct {
	k       ThinPlate
	d, m    int
	theta   float64
	indices [][]int
	anchors data.Slice[Vec]
	half    [][]float64 // ½(E(ξ, ξ) + I)
}

func (k ThinPlate) plate(d int) *plate {
	p := &plate{k: k, d: d, m: k.order(d), anchors: k.Anchors(d)}
	p.indices, p.theta = latticeOf(d, p.m-1), greenFactor(p.m, d)
	for i, a := range p.anchors {
		row := make([]float64, len(p.anchors))
		for j, b := range p.anchors {
			row[j] = p.green(a, b) / 2
		}
		row[i] += 0.5
		p.half = append(p.half, row)
	}
	return p
}

// greenFactor is that of the Green's function of (-Δ)ᵐ on Rᵈ (Wahba 1990, eq. 2.4.5).
func greenFactor(m, d int) float64 {
	half := float64(d) / 2
	if d%2 == 1 {
		return math.Gamma(half-float64(m)) / (math.Pow(2, float64(2*m)) * math.Pow(math.Pi, half) * math.Gamma(float64(m)))
	}
	theta := 1 / (math.Pow(2, float64(2*m-1)) * math.Pow(math.Pi,
		half) * math.Gamma(float64(m)) * math.Gamma(float64(m)-half+1))
	if (d/2+1+m)%2 == 1 {
		return -theta
	}
	return theta
}

// green is E(x, y).
func (p *plate) green(x, y Vec) float64 {
	s := SqDist.Between(x, y)
	if s == 0 {
		return 0
	}
	v := p.theta * math.Pow(s, float64(p.m)-float64(p.d)/2)
	if p.d%2 == 0 {
		v *= math.Log(s) / 2
	}
	return v
}

// parts sets poly = p(x) and dual = u(x).
func (p *plate) parts(poly, dual []float64, x Vec) {
	t, left := make([]float64, p.d), float64(p.m-1)
	for i, v := range x {
		if p.k.Origin != nil {
			v -= p.k.Origin[i]
		}
		t[i] = v / orOne(p.k.Unit)
		left -= t[i]
	}
	for j, alpha := range p.indices {
		rest := p.m - 1
		poly[j] = 1
		for i, a := range alpha { // Π C(tᵢ, αᵢ), with what is left of m - 1 as one coordinate more
			poly[j] *= binomial(t[i], a)
			rest -= a
		}
		poly[j] *= binomial(left, rest)
	}
	for j, row := range p.half {
		dual[j] = Inner.Between(row, poly) - p.green(x, p.anchors[j])
	}
}

// binomial is the binomial coefficient C(t, a) = t(t-1)…(t-a+1)/a!.
func binomial(t float64, a int) float64 {
	c := 1.0
	for i := range a {
		c *= (t - float64(i)) / float64(i+1)
	}
	return c
}

// between is k from the parts of both points.
func (p *plate) between(x, y Vec, px, ux, py, uy []float64) float64 {
	return p.green(x, y) + (Inner.Between(px, uy) + Inner.Between(ux, py))
}

// Eval returns k(x, y).
func (k ThinPlate) Eval(x, y Vec) float64 {
	p := k.plate(len(x))
	n := len(p.anchors)
	w := make([]float64, 4*n)
	px, ux, py, uy := w[:n], w[n:2*n], w[2*n:3*n], w[3*n:]
	p.parts(px, ux, x)
	p.parts(py, uy, y)
	return p.between(x, y, px, ux, py, uy)
}

// Block sets dst[i, j] = k(xᵢ, yⱼ), with the polynomials of each point taken once.
func (k ThinPlate) Block(dst *mat.Dense, x, y data.Points[Vec]) {
	if x.Len() == 0 || y.Len() == 0 {
		return
	}
	p := k.plate(len(x.At(0)))
	n := len(p.anchors)
	all := make([]float64, 2*n*(y.Len()+1))
	for j := range y.Len() {
		p.parts(all[2*n*j:][:n], all[2*n*j+n:][:n], y.At(j))
	}
	own := all[2*n*y.Len():]
	for i := range x.Len() {
		v := x.At(i)
		p.parts(own[:n], own[n:], v)
		row := dst.RawRowView(i)
		for j := range row {
			row[j] = p.between(v, y.At(j), own[:n], own[n:], all[2*n*j:][:n], all[2*n*j+n:][:n])
		}
	}
}

// Validate refuses a negative order or unit, and an origin that is not finite.
func (k ThinPlate) Validate() error {
	if k.Order < 0 {
		return fault.Errorf("kernel", "thinplate: order = %d, want at least 1", k.Order)
	}
	for i, v := range k.Origin {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Errorf("kernel", "thinplate: origin[%d] = %g is not finite", i, v)
		}
	}
	return mustBePositive("thinplate", "unit", k.Unit)
}

// CheckPoints refuses points with too many coordinates for the order, or other than the origin has.
func (k ThinPlate) CheckPoints(x data.Points[Vec]) error {
	for i := range x.Len() {
		d := len(x.At(i))
		switch m := k.order(d); {
		case k.Origin != nil && d != len(k.Origin):
			return fault.Errorf("kernel", "thinplate: row %d has %d coordinates, the origin %d", i, d, len(k.Origin))
		case 2*m <= d:
			return fault.Errorf("kernel",
				"thinplate: row %d has %d coordinates, too many for derivatives of order %d; set order=%d", i, d, m, d/2+1)
		case anchorsOf(d, m) > mostAnchors:
			return fault.Errorf("kernel",
				"thinplate: in %d coordinates there are %.0f polynomials of degree below %d, at most %d can go free; use "+
					"fewer columns", d, anchorsOf(d, m), m, mostAnchors)
		}
	}
	return nil
}

// Properties of the thin-plate kernel, which grows without bound; how smooth it is depends on the
// dimension.
func (ThinPlate) Properties() Properties {
	return Properties{PSD: Yes, Strict: Yes, Continuous: Yes, Stationary: No, Isotropic: No, Bound: math.Inf(1),
		Smoothness: math.NaN(), Analytic: No}
}
