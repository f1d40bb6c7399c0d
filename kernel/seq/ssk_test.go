package seq

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// subsequencesOf is φ of the subsequence kernel by enumeration of all index sets.
func subsequencesOf(s string, n int, lambda float64) map[string]float64 {
	out, r := map[string]float64{}, []rune(s)
	var walk func(from, first int, taken []rune)
	walk = func(from, first int, taken []rune) {
		for i := from; i < len(r); i++ {
			start := first
			if len(taken) == 0 {
				start = i
			}
			u := append(append([]rune(nil), taken...), r[i])
			if len(u) == n {
				out[string(u)] += math.Pow(lambda, float64(i-start+1))
				continue
			}
			walk(i+1, start, u)
		}
	}
	walk(0, 0, nil)
	return out
}

func TestSubsequencesEqualEnumeration(t *testing.T) {
	all := append(randomStrings(5, "ab", 6, 9), randomStrings(6, "abcdé猫", 8, 12)...)
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7} {
		for _, lambda := range []float64{0.5, 1, 0.9, 0.01} {
			k := Subsequences{Length: n, Decay: lambda}
			for _, x := range all {
				for _, y := range all {
					want := dot(subsequencesOf(x, n, lambda), subsequencesOf(y, n, lambda))
					a, b := newLetters(x), newLetters(y)
					agree(t, "dense", k.dense(a, b, a.match(b)), want, 1e-12)
					agree(t, "sparse", k.sparse(a, b, a.match(b)), want, 1e-12)
					agree(t, "eval", k.Eval(x, y), want, 1e-12)
				}
			}
		}
	}
	x, y := all[0]+"abba", all[1]+"baab"
	sum := 0.0
	for q, w := range []float64{0.5, 2, 0, 3} {
		sum += w * Subsequences{Length: q + 1, Decay: 0.7}.Eval(x, y)
	}
	agree(t, "weights", Subsequences{Decay: 0.7, Weights: []float64{0.5, 2, 0, 3}}.Eval(x, y), sum, 1e-12)
}

// On strings of thousands of letters the two forms agree, and the scale of the rows is brought back
// many times.
func TestSubsequencesOfLongStrings(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	x, y := randomString(rng, "abcdefghijklmnop", datatest.Size(3000, 900)),
		randomString(rng, "abcdefghijklmnop", datatest.Size(2000, 600))
	for _, lambda := range []float64{0.5, 0.05, 1, 0.99} {
		for _, n := range []int{4, 7} {
			k := Subsequences{Length: n, Decay: lambda}
			a, b := newLetters(x), newLetters(y)
			d, s := k.dense(a, b, a.match(b)), k.sparse(a, b, a.match(b))
			if !(math.Abs(d-s) <= 1e-10*math.Abs(s)) || s <= 0 || math.IsInf(s, 0) {
				t.Errorf("λ = %g, n = %d: dense %v, sparse %v", lambda, n, d, s)
			}
		}
	}
}

// The numbers of kernlab's stringdot (bench/fixtures/strings_kernlab.R).
func TestStringsEqualKernlab(t *testing.T) {
	file, err := os.ReadFile("testdata/strings_kernlab.json")
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Strings []string
		Kernels []struct {
			Type   string
			Length int
			Lambda float64
			Values []float64
		}
	}
	if err := json.Unmarshal(file, &fixture); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, f := range fixture.Kernels {
		for i, x := range fixture.Strings {
			for j, y := range fixture.Strings {
				u, v := x+"\n", y+"\n" // kernlab's terminator
				got := map[string]func() float64{
					"spectrum":    func() float64 { return Spectrum{K: f.Length}.Eval(u, v) },
					"boundrange":  func() float64 { return Substrings{Longest: f.Length}.Eval(u, v) },
					"constant":    func() float64 { return Substrings{}.Eval(u, v) },
					"exponential": func() float64 { return Substrings{Decay: 1 / f.Lambda}.Eval(u, v) },
					"sequence":    func() float64 { return Subsequences{Length: f.Length, Decay: f.Lambda}.Eval(x, y) },
					"string": func() float64 {
						return math.Pow(f.Lambda, float64(2*(f.Length+1))) * Spectrum{K: f.Length}.Eval(x,
							y)
					},
					"fullstring": func() float64 { return Blended{K: f.Length, Decay: f.Lambda * f.Lambda}.Eval(x, y) },
				}[f.Type]()
				agree(t, f.Type+" "+x+", "+y, got, f.Values[i*len(fixture.Strings)+j], 1e-13)
				checked++
			}
		}
	}
	if checked != 588 {
		t.Errorf("%d values checked, want 588", checked)
	}
}
