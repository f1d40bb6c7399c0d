package seq

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
)

// everyRun lists all runs of k letters of an alphabet.
func everyRun(alphabet Alphabet, k int) []string {
	out := []string{""}
	for range k {
		var next []string
		for _, s := range out {
			for _, r := range string(alphabet) {
				next = append(next, s+string(r))
			}
		}
		out = next
	}
	return out
}

func runsOf(s string, k int) []string {
	var out []string
	r := []rune(s)
	for i := 0; i+k <= len(r); i++ {
		out = append(out, string(r[i:i+k]))
	}
	return out
}

// byFeatures is Σ_b φ_b(x)·φ_b(y) over all runs b, φ_b = Σ over the runs of the string of one.
func byFeatures(features []string, x, y []string, one func(a, b string) float64) float64 {
	sum := 0.0
	for _, b := range features {
		u, v := 0.0, 0.0
		for _, a := range x {
			u += one(a, b)
		}
		for _, a := range y {
			v += one(a, b)
		}
		sum += u * v
	}
	return sum
}

func hamming(a, b string) int {
	n, u, v := 0, []rune(a), []rune(b)
	for i := range u {
		if u[i] != v[i] {
			n++
		}
	}
	return n
}

var abcStrings = randomStrings(11, "abé", 9, 10)

func TestMismatchEqualsEnumeration(t *testing.T) {
	for _, alphabet := range []Alphabet{"abé", "abéd"} {
		for k := 1; k <= 4; k++ {
			for m := 0; m <= k; m++ {
				kern, features := Mismatch{k, m, alphabet}, everyRun(alphabet, k)
				for _, x := range abcStrings {
					for _, y := range abcStrings {
						want := byFeatures(features, runsOf(x, k), runsOf(y, k), func(a, b string) float64 {
							if hamming(a, b) <= m {
								return 1
							}
							return 0
						})
						agree(t, "mismatch", kern.Eval(x, y), want, 0)
					}
				}
			}
		}
	}
}

func TestWildcardEqualsEnumeration(t *testing.T) {
	const k, holes, lambda = 3, 2, 0.6
	features := everyRun("abé*", k)
	for _, x := range abcStrings {
		for _, y := range abcStrings {
			want := byFeatures(features, runsOf(x, k), runsOf(y, k), func(a, b string) float64 {
				u, open := []rune(a), 0
				for i, r := range []rune(b) {
					if r == '*' {
						open++
					} else if r != u[i] {
						return 0
					}
				}
				if open > holes {
					return 0
				}
				return math.Pow(lambda, float64(open))
			})
			agree(t, "wildcard", Wildcard{k, holes, lambda}.Eval(x, y), want, 1e-13)
		}
	}
}

func TestGappyEqualsEnumeration(t *testing.T) {
	const k, g = 2, 4
	features := everyRun("abé", k)
	for _, lambda := range []float64{0, 0.7} {
		for _, x := range abcStrings {
			for _, y := range abcStrings {
				want := byFeatures(features, runsOf(x, g), runsOf(y, g), func(a, b string) float64 {
					u, v, sum := []rune(a), []rune(b), 0.0
					for i := range u {
						for j := i + 1; j < len(u); j++ {
							if u[i] == v[0] && u[j] == v[1] {
								if lambda == 0 {
									return 1
								}
								sum += math.Pow(lambda, float64(j-i+1-k))
							}
						}
					}
					return sum
				})
				agree(t, "gappy", Gappy{k, g, lambda}.Eval(x, y), want, 1e-13)
			}
		}
	}
}

// Every pair of runs at every distance, whatever stands between them.
func TestGappyPairsEqualEnumeration(t *testing.T) {
	for _, k := range []GappyPairs{{}, {K: 1, Gap: 2}, {K: 2, Gap: 1}, {K: 2, Gap: 4}, {K: 3, Gap: 3}} {
		runs := everyRun("abé", k.length())
		for _, x := range abcStrings {
			for _, y := range abcStrings {
				want := 0.0
				for _, a := range runs {
					for _, b := range runs {
						for gap := range k.gap() + 1 {
							want += pairsAt(x, a, b, gap) * pairsAt(y, a, b, gap)
						}
					}
				}
				agree(t, k.Name(), k.Eval(x, y), want, 0)
			}
		}
	}
}

// pairsAt counts the places of s with a there and b behind it after a gap.
func pairsAt(s, a, b string, gap int) float64 {
	n, r := 0.0, []rune(s)
	u, v := []rune(a), []rune(b)
	for i := 0; i+len(u)+gap+len(v) <= len(r); i++ {
		if string(r[i:i+len(u)]) == a && string(r[i+len(u)+gap:i+len(u)+gap+len(v)]) == b {
			n++
		}
	}
	return n
}

var abcGiven = [][]float64{{0.8, 0.15, 0.05}, {0.1, 0.7, 0.2}, {0, 0.4, 0.6}}

func TestSubstitutionAndProfileEqualEnumeration(t *testing.T) {
	const k, limit = 3, 2.5
	const alphabet = Alphabet("abé")
	features := everyRun(alphabet, k)
	likely := func(at func(i int, b rune) float64, b string) float64 {
		cost := 0.0
		for i, r := range []rune(b) {
			cost -= math.Log(at(i, r))
		}
		if cost < limit {
			return 1
		}
		return 0
	}
	profiles := make(data.Slice[Profile], len(abcStrings))
	for i, s := range abcStrings {
		profiles[i] = ProfileOf(alphabet, s).Smooth(0.5+float64(i%3), []float64{0.5, 0.3, 0.2})
	}
	for i, x := range abcStrings {
		for j, y := range abcStrings {
			want := byFeatures(features, runsOf(x, k), runsOf(y, k), func(a, b string) float64 {
				u := alphabet.codes(a)
				return likely(func(i int, r rune) float64 { return abcGiven[alphabet.Index(r)][u[i]] }, b)
			})
			agree(t, "substitution", Substitution{k, limit, alphabet, abcGiven}.Eval(x, y), want, 0)
			sum := 0.0
			for _, b := range features {
				value := func(p Profile) float64 {
					n := 0.0
					for at := 0; at+k <= len(p.P); at++ {
						n += likely(func(i int, r rune) float64 { return p.P[at+i][alphabet.Index(r)] }, b)
					}
					return n
				}
				sum += value(profiles[i]) * value(profiles[j])
			}
			agree(t, "profile", ProfileKernel{k, limit, alphabet}.Eval(profiles[i], profiles[j]), sum, 0)
		}
	}
	kerneltest.Run[Profile](t, ProfileKernel{k, limit, alphabet}, kerneltest.Options[Profile]{Points: profiles})
}

func TestInexactKernelsConform(t *testing.T) {
	for name, k := range map[string]kernel.Kernel[string]{
		"mismatch":        Mismatch{4, 1, "abé"},
		"mismatch of all": Mismatch{2, 2, "abé"},
		"wildcard":        Wildcard{4, 2, 0.5},
		"gappy":           Gappy{K: 3, Window: 5},
		"decayed gappy":   Gappy{3, 5, 0.5},
		"gappy pairs":     GappyPairs{K: 2, Gap: 3},
		"substitution":    Substitution{3, 2.5, "abé", abcGiven},
		"over":            Over("abé", Subsequences{Length: 2}),
	} {
		t.Run(name, func(t *testing.T) {
			kerneltest.Run(t, k, kerneltest.Options[string]{Points: randomStrings(12, "abé", 14, 16),
				Adversarial: []data.Points[string]{abcStrings}})
		})
	}
}

func TestAlphabetsAreChecked(t *testing.T) {
	bad := data.Slice[string]{"ACGT", "ACÖGT"}
	for name, k := range map[string]kernel.Kernel[string]{
		"mismatch": Mismatch{3, 1, DNA}, "over": Over(DNA, Spectrum{}),
		"substitution": Substitution{2, 1, "ACGT", [][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}},
	} {
		if err := kernel.Check(k, data.Points[string](bad)); err == nil ||
			!strings.Contains(err.Error(), "row 1, position 2 is 'Ö'") {
			t.Errorf("%s: a letter outside the alphabet gives the error %v", name, err)
		}
	}
	for want, k := range map[string]kernel.Kernel[string]{
		"no letters":           Mismatch{K: 3},
		"twice":                Mismatch{3, 1, "aba"},
		"m = 4":                Mismatch{3, 4, DNA},
		"patterns at each":     Mismatch{60, 20, DNA},
		"holes = -1":           Wildcard{3, -1, 1},
		"1 ≤ k ≤ window":       Gappy{K: 5, Window: 3},
		"runs at each place":   Gappy{K: 30, Window: 60},
		"gap = 10001":          GappyPairs{Gap: 10001},
		"sum to 0.5":           Substitution{2, 1, "ab", [][]float64{{1, 0}, {0.5, 0}}},
		"1 rows of":            Substitution{2, 1, "ab", [][]float64{{1, 0}}},
		"limit = 0":            Substitution{2, 0, "ab", nil},
		"over: the alphabet":   Over("", Spectrum{}),
		"spectrum: k = -2":     Over("ab", Spectrum{K: -2}),
		"letter 1 has the pro": Substitution{2, 1, "ab", [][]float64{{1, -1}, {0.5, 0.5}}},
	} {
		if err := kernel.Validate(k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	err := ProfileKernel{2, 1, "ab"}.CheckPoints(data.Slice[Profile]{{}, {[][]float64{{1, 0}, {0.5, 0.4}}}})
	if err == nil || !strings.Contains(err.Error(), "row 1, position 1") {
		t.Errorf("a bad profile gives the error %v", err)
	}
	if DNA.Index('G') != 2 || Alphabet("aé猫").Index('猫') != 2 || DNA.Index('x') != -1 || Protein.Size() != 20 {
		t.Error("letters are numbered wrongly")
	}
}
