package seq

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Gappy counts common runs of K letters (3 when zero) with gaps, within windows of Window letters
// (K+1 when zero): the restricted gappy kernel of C. Leslie and R. Kuang (JMLR 2004),
//
//	k(x, y) = Σ_{b ∈ A^K} φ_b(x)·φ_b(y),   φ_b(x) = Σ_{windows a of x} φ_b(a),
//
// where φ_b(a) is 1 if b is a subsequence of the window a, else 0; with λ = Decay > 0 it is instead
// Σ λ^{l(i)-K} over the occurrences i of b in a, l(i) their span. Unlike Subsequences its features
// reach no farther than the window. A string shorter than the window has the value 0 with all
// strings.
type Gappy struct {
	K, Window int
	Decay     float64
}

func (k Gappy) length() int { return or(k.K, 3) }
func (k Gappy) window() int { return or(k.Window, k.length()+1) }

// Name is "gappy".
func (Gappy) Name() string { return "gappy" }

func (k Gappy) features(s string) counts {
	at, into, g := bounds(s), counts{}, k.window()
	sets := choices(g, k.length())
	weight := make([]float64, len(sets))
	for i, set := range sets {
		weight[i] = math.Pow(k.Decay, float64(set[len(set)-1]-set[0]+1-k.length()))
	}
	buffer := make([]byte, 0, 4*k.length())
	for i := 0; i+g < len(at); i++ {
		seen := map[string]bool{}
		for c, set := range sets {
			buffer = buffer[:0]
			for _, p := range set {
				buffer = append(buffer, s[at[i+p]:at[i+p+1]]...)
			}
			switch {
			case k.Decay > 0:
				into[string(buffer)] += weight[c]
			case !seen[string(buffer)]:
				seen[string(buffer)] = true
				into[string(buffer)]++
			}
		}
	}
	return into
}

// Eval returns the number of pairs of windows with a common run, gaps allowed.
func (k Gappy) Eval(x, y string) float64 { return dot(k.features(x), k.features(y)) }

// PreparePoints counts the runs of each string once.
func (k Gappy) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return prepareCounts(ctx, x, y, k.features)
}

// EachFeature adds what each run counts.
func (k Gappy) EachFeature(x string, add func(name string, value float64)) {
	eachCount(k.features(x), add)
}

// Params are λ where it is not 0.
func (k Gappy) Params() []kernel.Param {
	if k.Decay == 0 {
		return nil
	}
	return []kernel.Param{positive("gappy.decay", k.Decay)}
}

// With sets λ.
func (k Gappy) With(theta []float64) kernel.Kernel[string] {
	if len(theta) == 0 {
		return k
	}
	return Gappy{k.K, k.Window, theta[0]}
}

// Validate refuses K < 0, a window shorter than K, λ < 0, and runs without number.
func (k Gappy) Validate() error {
	if k.K < 0 || k.Window < 0 || k.window() < k.length() {
		return fmt.Errorf("seq: gappy: k = %d and window = %d, want 1 ≤ k ≤ window", k.K, k.Window)
	}
	if n := binomial(k.window(), k.length()); n > mostPatterns {
		return fmt.Errorf("seq: gappy: k = %d and window = %d make %.3g runs at each place, want at most %d; choose a "+
			"smaller window", k.length(), k.window(), n, mostPatterns)
	}
	return mustBe(k.Decay >= 0 && finite(k.Decay), "gappy", "decay", k.Decay, "a finite number ≥ 0")
}

// CheckPoints refuses strings that are no UTF-8.
func (Gappy) CheckPoints(x data.Points[string]) error { return checkText("gappy", x) }

// Properties of an inner product of counts.
func (Gappy) Properties() kernel.Properties { return textFeatures() }
