package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Spectrum counts common substrings of K runes (3 when zero),
//
//	k(x, y) = Σ_{s ∈ A^K} φ_s(x)·φ_s(y),   φ_s(x) = how often s is a substring of x
//
// (C. Leslie, E. Eskin and W. S. Noble, The spectrum kernel, PSB 2002). K = 1 is BagOfCharacters. A
// string shorter than K has no features: its value is 0 with all strings.
type Spectrum struct {
	K int
}

func (k Spectrum) length() int { return or(k.K, 3) }

// Name is "spectrum".
func (Spectrum) Name() string { return "spectrum" }

func (k Spectrum) features(s string) counts {
	at := bounds(s)
	into := make(counts, len(at))
	countGrams(into, s, at, k.length(), 1)
	return into
}

// Eval returns the number of pairs of equal substrings.
func (k Spectrum) Eval(x, y string) float64 { return dot(k.features(x), k.features(y)) }

// PreparePoints counts the substrings of each point once. Up to eight letters of ASCII are one
// number, and numbers are sorted faster than strings are looked up.
func (k Spectrum) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	if k.length() <= 8 && kernel.Kept(ctx, y, func() bool { return ascii(y) }) {
		return preparePacked(ctx, x, y, k.length())
	}
	return prepareCounts(ctx, x, y, k.features)
}

// EachFeature adds 1 for each run.
func (k Spectrum) EachFeature(x string, add func(name string, value float64)) {
	eachGram(x, bounds(x), k.length(), 1, add)
}

// Params is K.
func (k Spectrum) Params() []kernel.Param {
	return []kernel.Param{whole("spectrum.k", k.length(), 1)}
}

// With sets K.
func (Spectrum) With(theta []float64) kernel.Kernel[string] { return Spectrum{int(theta[0])} }

// Validate refuses K < 0.
func (k Spectrum) Validate() error { return mustBe(k.K >= 0, "spectrum", "k", k.K, "at least 1") }

// CheckPoints refuses strings that are no UTF-8.
func (Spectrum) CheckPoints(x data.Points[string]) error { return checkText("spectrum", x) }

// Properties of an inner product of counts.
func (Spectrum) Properties() kernel.Properties { return textFeatures() }

// Blended is the sum of spectrum kernels of all lengths up to K (3 when zero),
//
//	k(x, y) = Σ_{q=1}^{K} λ^q Σ_{s ∈ A^q} φ_s(x)·φ_s(y)
//
// with λ = Decay (1 when zero); Weights, one for each length from 1 on, replace λ^q and K where
// given (J. Shawe-Taylor and N. Cristianini, Kernel Methods for Pattern Analysis, 2004, chapter
// 11). The value of the empty string is 0 with all strings.
type Blended struct {
	K       int
	Decay   float64
	Weights []float64
}

func (k Blended) length() int {
	if k.Weights != nil {
		return len(k.Weights)
	}
	return or(k.K, 3)
}

func (k Blended) weight(q int) float64 {
	if k.Weights != nil {
		return k.Weights[q-1]
	}
	return math.Pow(or(k.Decay, 1), float64(q))
}

// Name is "blended".
func (Blended) Name() string { return "blended" }

func (k Blended) features(s string) counts {
	at := bounds(s)
	into := make(counts, k.length()*len(at))
	for q := 1; q <= k.length(); q++ {
		if w := k.weight(q); w > 0 {
			countGrams(into, s, at, q, math.Sqrt(w))
		}
	}
	return into
}

// Eval returns the weighted number of pairs of equal substrings.
func (k Blended) Eval(x, y string) float64 { return dot(k.features(x), k.features(y)) }

// PreparePoints counts the substrings of each point once.
func (k Blended) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return prepareCounts(ctx, x, y, k.features)
}

// EachFeature adds the root of the weight of its length for each run.
func (k Blended) EachFeature(x string, add func(name string, value float64)) {
	at := bounds(x)
	for q := 1; q <= k.length(); q++ {
		if w := k.weight(q); w > 0 {
			eachGram(x, at, q, math.Sqrt(w), add)
		}
	}
}

// EvalGrad sets the derivative by λ: each length q counts q·λ^{q-1}.
func (k Blended) EvalGrad(x, y string, dtheta []float64) {
	if len(dtheta) < 2 {
		return
	}
	dtheta[0], dtheta[1] = 0, 0
	for q := 1; q <= k.length(); q++ {
		dtheta[1] += float64(q) * math.Pow(or(k.Decay, 1), float64(q-1)) * Spectrum{q}.Eval(x, y)
	}
}

// Params are K and λ, none where Weights are given.
func (k Blended) Params() []kernel.Param {
	if k.Weights != nil {
		return nil
	}
	return []kernel.Param{whole("blended.k", k.length(), 1), positive("blended.decay", or(k.Decay, 1))}
}

// With sets K and λ.
func (k Blended) With(theta []float64) kernel.Kernel[string] {
	if k.Weights != nil {
		return k
	}
	return Blended{K: int(theta[0]), Decay: theta[1]}
}

// Validate refuses K < 0, λ < 0 and weights < 0.
func (k Blended) Validate() error {
	return firstError(
		mustBe(k.K >= 0, "blended", "k", k.K, "at least 1"),
		mustBe(k.Decay >= 0 && finite(k.Decay), "blended", "decay", k.Decay, "a finite number > 0"),
		checkWeights("blended", k.Weights))
}

// checkWeights refuses weights that are negative or not finite, and an empty list of them.
func checkWeights(name string, weights []float64) error {
	if weights != nil && len(weights) == 0 {
		return fmt.Errorf("seq: %s: an empty list of weights; leave it out or give one weight for each length", name)
	}
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("seq: %s: weights[%d] = %g, want a finite number ≥ 0", name, i, w)
		}
	}
	return nil
}

// CheckPoints refuses strings that are no UTF-8.
func (Blended) CheckPoints(x data.Points[string]) error { return checkText("blended", x) }

// Properties of an inner product of counts.
func (Blended) Properties() kernel.Properties { return textFeatures() }
