package seq

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// The steps of the automaton grow as the length of the strings, whatever their kind.
func TestSubstringsTakeLinearTime(t *testing.T) {
	longest := 1_000_000
	if testing.Short() {
		longest = 100_000
	}
	for name, text := range map[string]func(rng *rand.Rand, n int) string{
		"dna":         func(rng *rand.Rand, n int) string { return randomString(rng, "acgt", n) },
		"text":        func(rng *rand.Rand, n int) string { return randomString(rng, "the quick brown fox  ee tt aa 猫", n) },
		"one letter":  func(_ *rand.Rand, n int) string { return strings.Repeat("a", n) },
		"alternating": func(_ *rand.Rand, n int) string { return strings.Repeat("ab", n/2) },
		"doubling":    func(_ *rand.Rand, n int) string { return strings.Repeat("a", n/2) + strings.Repeat("b", n/2) },
	} {
		perLetter := map[int]float64{}
		for _, n := range []int{longest / 100, longest / 10, longest} {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			x, y := []rune(text(rng, n)), []rune(text(rng, n))
			a := newAutomaton(x)
			sum, steps := newReader(a, Substrings{Decay: 0.5}.cumulative(n)).read(y)
			if !(sum > 0) || len(a.length) > 2*n || len(a.edges) > 3*n {
				t.Errorf("%s, n = %d: the value is %v, %d states, %d edges", name, n, sum, len(a.length), len(a.edges))
			}
			perLetter[n] = float64(a.steps+steps) / float64(2*n)
		}
		// Linear growth: the steps for one letter are bounded by the alphabet and do not grow with
		// n.
		if small, large := perLetter[longest/100], perLetter[longest]; large > 1.25*small || large > 40 {
			t.Errorf("%s: %v steps for a letter, 100 times as long: %v", name, small, large)
		}
	}
}
