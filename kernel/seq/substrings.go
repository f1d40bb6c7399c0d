package seq

import (
	"context"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Substrings counts common substrings of every length,
//
//	k(x, y) = Σ_{s ∈ A⁺} w_{|s|}·φ_s(x)·φ_s(y),   φ_s(x) = how often s is a substring of x,
//
// with w_q = λ^q, λ = Decay (1 when zero: all substrings weigh the same). Longest > 0 leaves out
// longer substrings; Weights, one for each length from 1 on, replace λ^q and Longest where given. A
// value takes time linear in |x| + |y|: the suffix automaton of one string reads the other (S. V.
// N. Vishwanathan and A. Smola, Fast kernels for string and tree matching, NIPS 2003, with suffix
// trees; the automaton is that of A. Blumer et al. 1985). The empty string has the value 0 with all
// strings.
type Substrings struct {
	Decay   float64
	Longest int
	Weights []float64
}

// Name is "substrings".
func (Substrings) Name() string { return "substrings" }

// Eval returns the weighted number of pairs of equal substrings.
func (k Substrings) Eval(x, y string) float64 {
	if x > y { // one order, so that k(x, y) and k(y, x) have the same bits
		x, y = y, x
	}
	sum, _ := newReader(newAutomaton([]rune(x)), k.cumulative(len(x))).read([]rune(y))
	return sum
}

// EachFeature adds the root of the weight of its length for each substring, of which there are as
// many as pairs of letters where none is too long to count.
func (k Substrings) EachFeature(x string, add func(name string, value float64)) {
	at := bounds(x)
	for q := 1; q < len(at); q++ {
		if w := k.weight(q); w > 0 {
			eachGram(x, at, q, math.Sqrt(w), add)
		}
	}
}

// cumulative is W_l = Σ_{q≤l} w_q for l = 0, …, n.
func (k Substrings) cumulative(n int) []float64 {
	w := make([]float64, n+1)
	for q := 1; q <= n; q++ {
		w[q] = w[q-1] + k.weight(q)
	}
	return w
}

func (k Substrings) weight(q int) float64 {
	switch {
	case k.Weights != nil && q > len(k.Weights), k.Weights == nil && k.Longest > 0 && q > k.Longest:
		return 0
	case k.Weights != nil:
		return k.Weights[q-1]
	case or(k.Decay, 1) == 1:
		return 1
	}
	return math.Pow(k.Decay, float64(q))
}

// indexed is a string ready to be read, and to read others.
type indexed struct {
	text  string
	runes []rune
	index *reader
}

// PreparePoints makes the automaton of each string once.
func (k Substrings) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return preparePairs(ctx, x, y, func(s string) *indexed {
		runes := []rune(s)
		return &indexed{s, runes, newReader(newAutomaton(runes), k.cumulative(len(runes)))}
	}, func(u, v *indexed) float64 {
		if u.text > v.text {
			u, v = v, u
		}
		sum, _ := u.index.read(v.runes)
		return sum
	})
}

// Params are λ, and Longest where it is set; none where Weights are given.
func (k Substrings) Params() []kernel.Param {
	if k.Weights != nil {
		return nil
	}
	p := []kernel.Param{positive("substrings.decay", or(k.Decay, 1))}
	if k.Longest > 0 {
		p = append(p, whole("substrings.longest", k.Longest, 1))
	}
	return p
}

// With sets λ, and Longest where it is set.
func (k Substrings) With(theta []float64) kernel.Kernel[string] {
	if len(theta) > 0 {
		k.Decay = theta[0]
	}
	if len(theta) > 1 {
		k.Longest = int(theta[1])
	}
	return k
}

// Validate refuses λ < 0, a negative length and negative weights.
func (k Substrings) Validate() error {
	return firstError(
		mustBe(k.Decay >= 0 && finite(k.Decay), "substrings", "decay", k.Decay, "a finite number > 0"),
		mustBe(k.Longest >= 0, "substrings", "longest", k.Longest, "at least 1, or 0 for no limit"),
		checkWeights("substrings", k.Weights))
}

// CheckPoints refuses strings that are no UTF-8, and such as are so long that λ^length is too large
// a number.
func (k Substrings) CheckPoints(x data.Points[string]) error {
	if err := checkText("substrings", x); err != nil || k.Weights != nil || k.Decay <= 1 {
		return err
	}
	for i := range x.Len() {
		n := utf8.RuneCountInString(x.At(i))
		if k.Longest > 0 {
			n = min(n, k.Longest)
		}
		if float64(n)*math.Log(k.Decay) > 600 {
			return fmt.Errorf("seq: substrings: row %d has substrings of %d letters, whose weight %g^%d is too large a "+
				"number; set longest or a smaller decay", i, n, k.Decay, n)
		}
	}
	return nil
}

// Properties of an inner product of counts.
func (Substrings) Properties() kernel.Properties {
	p := textFeatures()
	p.Strict = kernel.Unknown // it is, where no weight is 0 and the empty string is not among the points
	return p
}
