package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// mostPatterns is how many patterns one place of a string may make.
const mostPatterns = 1 << 20

// Wildcard counts common patterns of K letters (3 when zero) of which up to Holes match any letter,
//
//	k(x, y) = Σ_p φ_p(x)·φ_p(y),   φ_p(x) = Σ_{runs a of K letters of x that match p} λ^{holes of p},
//
// with λ = Decay (1 when zero): the (K, Holes, λ)-wildcard kernel of C. Leslie and R. Kuang (Fast
// string kernels using inexact matching for protein sequences, JMLR 2004). Holes = 0 is Spectrum. A
// string shorter than K has the value 0 with all strings.
type Wildcard struct {
	K, Holes int
	Decay    float64
}

func (k Wildcard) length() int { return or(k.K, 3) }

// Name is "wildcard".
func (Wildcard) Name() string { return "wildcard" }

func (k Wildcard) features(s string) counts {
	at, into := bounds(s), counts{}
	for j := 0; j <= k.Holes; j++ {
		countPatterns(into, s, at, k.length(), choices(k.length(), j), math.Pow(or(k.Decay, 1), float64(j)))
	}
	return into
}

// Eval returns the weighted number of pairs of runs that match a pattern.
func (k Wildcard) Eval(x, y string) float64 { return dot(k.features(x), k.features(y)) }

// PreparePoints counts the patterns of each string once.
func (k Wildcard) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return prepareCounts(ctx, x, y, k.features)
}

// EachFeature adds what each pattern counts.
func (k Wildcard) EachFeature(x string, add func(name string, value float64)) {
	eachCount(k.features(x), add)
}

// Params are λ alone: K and Holes depend on each other.
func (k Wildcard) Params() []kernel.Param {
	return []kernel.Param{positive("wildcard.decay", or(k.Decay, 1))}
}

// With sets λ.
func (k Wildcard) With(theta []float64) kernel.Kernel[string] {
	return Wildcard{k.K, k.Holes, theta[0]}
}

// Validate refuses K < 0, more holes than letters, λ < 0, and patterns without number.
func (k Wildcard) Validate() error {
	return firstError(
		mustBe(k.K >= 0, "wildcard", "k", k.K, "at least 1"),
		mustBe(k.Decay >= 0 && finite(k.Decay), "wildcard", "decay", k.Decay, "a finite number > 0"),
		fewPatterns("wildcard", k.length(), "holes", k.Holes, k.Holes))
}

// fewPatterns refuses a number of open places that is not in 0…k, and more patterns for a place
// than fit in memory.
func fewPatterns(name string, k int, field string, value, open int) error {
	if value < 0 || value > k {
		return fmt.Errorf("seq: %s: %s = %d, want 0 to %d", name, field, value, k)
	}
	n := 0.0
	for j := 0; j <= min(open, k); j++ {
		n += binomial(k, j)
	}
	if n > mostPatterns {
		return fmt.Errorf("seq: %s: k = %d and %s = %d make %.3g patterns at each place, want at most %d; choose a smaller %s",
			name, k, field, value, n, mostPatterns, field)
	}
	return nil
}

// CheckPoints refuses strings that are no UTF-8.
func (Wildcard) CheckPoints(x data.Points[string]) error { return checkText("wildcard", x) }

// Properties of an inner product of counts.
func (Wildcard) Properties() kernel.Properties { return textFeatures() }
