package play

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel/seq"
)

type stringsAsked struct {
	Kernel KernelText `json:"kernel"`
	X      string     `json:"x"`
	Y      string     `json:"y"`
}

// What is taken of strings: a kernel takes more, a screen does not.
const (
	longestString      = 2000
	listedSubsequences = 400000
)

// compareStrings says which substrings, subsequences or words two strings share.
func compareStrings(_ context.Context, _ *Player, q stringsAsked, send sender) error {
	for _, s := range []string{q.X, q.Y} {
		if n := len([]rune(s)); n > longestString {
			return &Fault{Field: "objects", Message: fmt.Sprintf("a string of %d letters; the playground takes up to %d", n,
				longestString)}
		}
	}
	out, err := compare(spec.Strings(), q.Kernel, q.X, q.Y, stringFeatures)
	if err != nil {
		return err
	}
	return send("compared", out)
}

// stringFeatures takes the kernels apart that count something.
func stringFeatures(k any) (mapping, bool) {
	even := func(string) float64 { return 1 }
	byLength := func(weights []float64, decay float64) func(string) float64 {
		return func(s string) float64 {
			n := len([]rune(s))
			if weights != nil {
				return weights[n-1]
			}
			return math.Pow(decay, float64(n))
		}
	}
	switch k := k.(type) {
	case seq.BagOfCharacters:
		return mappingOf(runsOf(1, 1), even, nil), true
	case seq.Spectrum:
		n := orDefault(k.K, 3)
		return mappingOf(runsOf(n, n), even, nil), true
	case seq.Blended:
		most := orDefault(k.K, 3)
		if k.Weights != nil {
			most = len(k.Weights)
		}
		return mappingOf(runsOf(1, most), byLength(k.Weights, orOne(k.Decay)), nil), true
	case seq.Substrings:
		most := orDefault(k.Longest, longestString)
		if k.Weights != nil {
			most = len(k.Weights)
		}
		return mappingOf(runsOf(1, most), byLength(k.Weights, orOne(k.Decay)), nil), true
	case seq.BagOfWords:
		return mappingOf(func(s string) (counts, error) { return seq.NGrams{Words: true, Fold: k.Fold}.Terms(s), nil }, even,
			nil), true
	case seq.NGrams:
		return mappingOf(func(s string) (counts, error) { return k.Terms(s), nil }, even, nil), true
	case seq.Subsequences:
		if k.Weights != nil {
			return mapping{}, false
		}
		decay := k.Decay
		if decay == 0 {
			decay = 0.5
		}
		return mappingOf(subsequencesOf(orDefault(k.Length, 3), decay), even, nil), true
	case seq.Wildcard:
		return mappingOf(patternsOf(orDefault(k.K, 3), k.Holes, orOne(k.Decay)), even, nil), true
	}
	return mapping{}, false
}

func orDefault(v, otherwise int) int {
	if v == 0 {
		return otherwise
	}
	return v
}

func orOne(v float64) float64 {
	if v == 0 {
		return 1
	}
	return v
}

// runsOf counts the substrings of from to most letters.
func runsOf(from, most int) func(string) (counts, error) {
	return func(s string) (counts, error) {
		letters, out := []rune(s), counts{}
		for n := from; n <= min(most, len(letters)); n++ {
			for i := 0; i+n <= len(letters); i++ {
				out[string(letters[i:i+n])]++
				if len(out) > listedSubsequences {
					return nil, tooLarge("a string", listedSubsequences)
				}
			}
		}
		return out, nil
	}
}

// subsequencesOf sums λ^span over the occurrences of every subsequence of n letters.
func subsequencesOf(n int, decay float64) func(string) (counts, error) {
	return func(s string) (counts, error) {
		letters, out, found := []rune(s), counts{}, 0
		chosen := make([]rune, n)
		var extend func(depth, first, next int) error
		extend = func(depth, first, next int) error {
			if depth == n {
				if found++; found > listedSubsequences {
					return tooLarge("a string", listedSubsequences)
				}
				out[string(chosen)] += math.Pow(decay, float64(next-first))
				return nil
			}
			for i := next; i <= len(letters)-(n-depth); i++ {
				chosen[depth] = letters[i]
				start := first
				if depth == 0 {
					start = i
				}
				if err := extend(depth+1, start, i+1); err != nil {
					return err
				}
			}
			return nil
		}
		return out, extend(0, 0, 0)
	}
}

// patternsOf counts the patterns of n letters of which up to holes match anything, shown as ∗,
// weighing λ for each.
func patternsOf(n, holes int, decay float64) func(string) (counts, error) {
	return func(s string) (counts, error) {
		letters, out := []rune(s), counts{}
		for i := 0; i+n <= len(letters); i++ {
			for mask := range 1 << n {
				h, pattern := 0, strings.Builder{}
				for j := range n {
					if mask>>j&1 == 1 {
						h++
						pattern.WriteString("∗")
					} else {
						pattern.WriteRune(letters[i+j])
					}
				}
				if h <= holes {
					out[pattern.String()] += math.Pow(decay, float64(h))
				}
			}
			if len(out) > listedSubsequences || n > 16 {
				return nil, tooLarge("a string", listedSubsequences)
			}
		}
		return out, nil
	}
}
