package kernel

import "math"

// The rules by which properties pass through the algebra.

func propertiesAll(ks []Kernel[any]) []Properties {
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
func isAnalytic(p Properties) Tri       { return p.Analytic }
func isCharacteristic(p Properties) Tri { return p.Characteristic }

// shared is what sums and products have alike.
func shared(ps []Properties) Properties {
	out := Properties{
		PSD:        every(ps, isPSD),
		Continuous: every(ps, isContinuous),
		Stationary: every(ps, isStationary),
		Isotropic:  every(ps, isIsotropic),
		Analytic:   every(ps, isAnalytic),
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
