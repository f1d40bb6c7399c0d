package kernel

import "math"

// The rules by which properties pass through the algebra.

func propertiesAll[T any](ks []Kernel[T]) []Properties {
	ps := make([]Properties, len(ks))
	for i, k := range ks {
		ps[i] = PropertiesOf(k)
	}
	return ps
}

// every is Yes when all are, No when one is and no counts, else Unknown.
func every(ps []Properties, get func(Properties) Tri) Tri {
	out := Yes
	for _, p := range ps {
		if get(p) != Yes {
			out = Unknown
		}
	}
	return out
}

func some(ps []Properties, get func(Properties) Tri) bool {
	for _, p := range ps {
		if get(p) == Yes {
			return true
		}
	}
	return false
}

func isPSD(p Properties) Tri            { return p.PSD }
func isStrict(p Properties) Tri         { return p.Strict }
func isContinuous(p Properties) Tri     { return p.Continuous }
func isStationary(p Properties) Tri     { return p.Stationary }
func isIsotropic(p Properties) Tri      { return p.Isotropic }
func isUniversal(p Properties) Tri      { return p.Universal }
func isCharacteristic(p Properties) Tri { return p.Characteristic }

// shared is what sums and products have alike.
func shared(ps []Properties) Properties {
	out := Properties{
		PSD:        every(ps, isPSD),
		Continuous: every(ps, isContinuous),
		Stationary: every(ps, isStationary),
		Isotropic:  every(ps, isIsotropic),
		Smoothness: math.Inf(1),
		Bound:      math.NaN(),
	}
	for _, p := range ps {
		if math.IsNaN(p.Smoothness) || p.Smoothness < out.Smoothness {
			out.Smoothness = p.Smoothness
		}
		if math.IsNaN(out.Smoothness) {
			break
		}
	}
	return out
}

// Properties of a sum: the RKHS of the sum holds those of the terms, so one strict,
// universal or characteristic term makes the sum so when all are positive definite.
func (k SumOf[T]) Properties() Properties {
	ps := propertiesAll(k.Terms)
	out := shared(ps)
	out.Bound = 0
	for _, p := range ps {
		out.Bound += p.Bound
	}
	if out.PSD == Yes {
		if some(ps, isStrict) {
			out.Strict = Yes
		}
		if some(ps, isUniversal) && out.Continuous == Yes {
			out.Universal = Yes
		}
		if some(ps, isCharacteristic) && !math.IsInf(out.Bound, 0) && !math.IsNaN(out.Bound) {
			out.Characteristic = Yes
		}
	}
	return out
}

// Properties of a product (Schur): positive definite; strict when all factors are. The
// spectral measure of a product of stationary kernels is a convolution, which has full support
// when one factor's has.
func (k ProductOf[T]) Properties() Properties {
	ps := propertiesAll(k.Factors)
	out := shared(ps)
	out.Strict = every(ps, isStrict)
	out.Bound = 1
	for _, p := range ps {
		out.Bound *= p.Bound
	}
	if out.PSD == Yes && out.Stationary == Yes && some(ps, isCharacteristic) && out.Bound > 0 {
		out.Strict, out.Universal, out.Characteristic = Yes, Yes, Yes
	}
	return out
}

// Properties of a constant: one feature.
func (k ConstantOf[T]) Properties() Properties {
	p := finiteFeatures(k.C)
	p.Stationary, p.Isotropic = Yes, Yes
	if k.C < 0 {
		p.PSD = No
	}
	return p
}

// Properties of c·k: those of k for c > 0.
func (k ScaleOf[T]) Properties() Properties {
	p := PropertiesOf(k.Kernel)
	switch {
	case k.Factor > 0:
		p.Bound *= k.Factor
	case k.Factor == 0:
		return ConstantOf[T]{0}.Properties()
	default:
		p = nothingKnown()
		p.PSD = No // -k(x, x) < 0 unless k vanishes
	}
	return p
}

// Properties of a power: a product of equal factors.
func (k PowerOf[T]) Properties() Properties {
	factors := make([]Kernel[T], max(k.Exponent, 0))
	for i := range factors {
		factors[i] = k.Kernel
	}
	return ProductOf[T]{factors}.Properties()
}

// Properties of a polynomial: a sum of powers with weights ≥ 0.
func (k PowersOf[T]) Properties() Properties {
	var terms []Kernel[T]
	for n, a := range k.Coef {
		switch {
		case a < 0:
			p := nothingKnown()
			return p
		case a == 0:
		case n == 0:
			terms = append(terms, ConstantOf[T]{a})
		case n == 1:
			terms = append(terms, ScaleOf[T]{a, k.Kernel})
		default:
			terms = append(terms, ScaleOf[T]{a, PowerOf[T]{k.Kernel, n}})
		}
	}
	if len(terms) == 0 {
		return ConstantOf[T]{0}.Properties()
	}
	return SumOf[T]{terms}.Properties()
}

// Properties of exp(k) = 1 + k + k²/2 + …: whatever a sum with k has. The
// exponential of c⟨x, y⟩ is strict and universal by itself.
func (k ExpOf[T]) Properties() Properties {
	in := PropertiesOf(k.Kernel)
	out := SumOf[T]{[]Kernel[T]{ConstantOf[T]{1}, k.Kernel}}.Properties()
	out.Bound = math.Exp(in.Bound)
	inner := any(k.Kernel)
	if s, ok := inner.(ScaleOf[T]); ok && s.Factor > 0 {
		inner = any(s.Kernel)
	}
	if _, ok := inner.(Linear); ok {
		out.Strict, out.Universal = Yes, Yes
	}
	return out
}

// Properties of f·k·f: positive definite; the rest depends on f.
func (k MultiplyOf[T]) Properties() Properties {
	out := nothingKnown()
	out.PSD = PropertiesOf(k.Kernel).PSD
	if out.PSD == No {
		out.PSD = Unknown
	}
	return out
}

// Properties of the normalised kernel: universality stays (Steinwart 2001), k(x, x) is 1.
func (k NormalizeOf[T]) Properties() Properties {
	out := PropertiesOf(k.Kernel)
	out.Bound = 1
	if out.PSD == No {
		out.PSD = Unknown
	}
	if out.Strict != Yes { // k(x, x) may vanish somewhere
		out.Continuous, out.Smoothness = Unknown, math.NaN()
	}
	if out.Stationary != Yes {
		out.Stationary, out.Isotropic, out.Characteristic = Unknown, Unknown, Unknown
	}
	return out
}

// Properties of a distance substitution. A Gaussian of a continuous, injective
// map into a Hilbert space is universal (Christmann & Steinwart 2010).
func (k SubstituteOf[T]) Properties() Properties {
	in, outer := PropertiesOf(k.Kernel), PropertiesOf[Vec](k.Outer)
	out := shared([]Properties{in, outer})
	out.Bound = outer.Bound
	if out.PSD == No || outer.Characteristic != Yes {
		out.PSD = Unknown
	}
	if in.Stationary == Yes {
		out.Stationary, out.Isotropic = Yes, in.Isotropic
	} else {
		out.Stationary, out.Isotropic = Unknown, Unknown
	}
	if _, ok := k.Outer.(Gaussian); ok && in.Continuous == Yes && in.Strict == Yes && out.PSD == Yes {
		out.Universal, out.Strict = Yes, Yes
	}
	return out
}

// Properties of a pull-back: a kernel with the same bound; the rest depends on the map.
func (k PullbackOf[T, U]) Properties() Properties {
	in := PropertiesOf(k.Kernel)
	out := nothingKnown()
	out.PSD, out.Bound = in.PSD, in.Bound
	if out.PSD == No {
		out.PSD = Unknown
	}
	return out
}

// Properties of a sparse kernel are those of the dense one.
func (k SparseOf) Properties() Properties { return PropertiesOf(k.Dense) }

// Properties under ARD: a linear bijection changes nothing but isotropy, unless a
// length-scale is infinite.
func (k ARD) Properties() Properties {
	p := PropertiesOf(k.Kernel)
	for _, l := range k.Lengthscales {
		if l != k.Lengthscales[0] && p.Isotropic == Yes {
			p.Isotropic = No
		}
		if math.IsInf(l, 1) {
			p.Strict, p.Universal, p.Characteristic = No, No, No
		}
	}
	return p
}

// Properties in the metric of Σ: a linear bijection changes nothing but isotropy.
func (k Mahalanobis) Properties() Properties {
	p := PropertiesOf(k.Kernel)
	if p.Isotropic == Yes {
		p.Isotropic = Unknown
	}
	return p
}

// Properties on some columns: points that differ elsewhere are not told apart, if there are such.
func (k OnColumns) Properties() Properties {
	p := PropertiesOf(k.Kernel)
	for _, t := range []*Tri{&p.Strict, &p.Universal, &p.Characteristic, &p.Isotropic} {
		if *t == Yes {
			*t = Unknown
		}
	}
	return p
}
