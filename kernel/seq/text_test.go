package seq

import (
	"context"
	"maps"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Every kernel of substrings against the enumeration of all substrings.
func TestSubstringKernelsEqualEnumeration(t *testing.T) {
	all := append(randomStrings(3, "ab猫", 12, 14), sentences...)
	for _, x := range all {
		for _, y := range all {
			byLength := make([]float64, 100) // common substrings of each length
			u, v := substringsOf(x, 99), substringsOf(y, 99)
			for s, n := range u {
				byLength[len([]rune(s))] += n * v[s]
			}
			sum := func(weight func(q int) float64) float64 {
				total := 0.0
				for q, n := range byLength {
					if n > 0 {
						total += weight(q) * n
					}
				}
				return total
			}
			agree(t, "spectrum", Spectrum{K: 2}.Eval(x, y), byLength[2], 0)
			agree(t, "chars", BagOfCharacters{}.Eval(x, y), byLength[1], 0)
			agree(t, "blended", Blended{K: 3, Decay: 0.5}.Eval(x, y), sum(func(q int) float64 {
				if q > 3 {
					return 0
				}
				return math.Pow(0.5, float64(q))
			}), 1e-13)
			agree(t, "all", Substrings{}.Eval(x, y), sum(func(int) float64 { return 1 }), 0)
			agree(t, "decayed", Substrings{Decay: 0.3}.Eval(x, y), sum(func(q int) float64 { return math.Pow(0.3, float64(q)) }),
				1e-13)
			agree(t, "weighted", Substrings{Weights: []float64{2, 0, 5}}.Eval(x, y), 2*byLength[1]+5*byLength[3], 1e-13)
			agree(t, "bounded", Substrings{Longest: 2}.Eval(x, y), byLength[1]+byLength[2], 1e-13)
		}
	}
}

func TestWords(t *testing.T) {
	k := BagOfWords{}
	if got := k.Eval("the cat  the\tdog", "the\nthe The"); got != 4 {
		t.Errorf("the words give %v, want 4", got)
	}
	if got := (BagOfWords{Fold: true}).Eval("The cat's (cat's)!", "'CAT's' -- the"); got != 3 {
		t.Errorf("folded words give %v, want 3", got)
	}
	if got := (NGrams{From: 2, Words: true}).Eval("a b c a b", "x a b"); got != 2 {
		t.Errorf("pairs of words give %v, want 2", got)
	}
	if got := (NGrams{Split: true}).Eval("E-mail me at a@example.org, e-mail", "mail example: MAIL"); got != 2*2+1 {
		t.Errorf("split words: %v, want 5", got)
	}
	if got := (NGrams{From: 1, To: 2}).Eval("aba", "ab"); got != 2+1+1 {
		t.Errorf("n-grams of characters give %v, want 4", got)
	}
}

// The formulas of TFIDF by hand, on three texts.
func TestTFIDF(t *testing.T) {
	texts := data.Slice[string]{"a a b", "a c", "a d d d"}
	fit := func(tf TermFrequency, idf DocumentFrequency) TFIDF {
		k, err := FitTFIDF(TFIDF{Terms: NGrams{Words: true}, TF: tf, IDF: idf}, texts)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	// N = 3; a is in all three, the others in one.
	notes := fit(LogTF, ShiftedIDF)
	agree(t, "φ_a", notes.Vector("a a b")["a"], math.Log(3)*math.Log(3.0/4), 1e-15)
	agree(t, "φ_b", notes.Vector("a a b")["b"], math.Log(2)*math.Log(3.0/2), 1e-15)
	agree(t, "φ of a new term", notes.Vector("e")["e"], math.Log(2)*math.Log(3), 1e-15)
	agree(t, "k(x0, x1)", notes.Eval(texts[0], texts[1]), math.Log(3)*math.Log(3.0/4)*math.Log(2)*math.Log(3.0/4), 1e-15)
	a, d := math.Log(2)*math.Log(3.0/4), math.Log(4)*math.Log(3.0/2)
	agree(t, "cosine", kernel.Normalize[string](notes).Eval("a", texts[2]), a*a/(math.Abs(a)*math.Hypot(a, d)), 1e-14)
	agree(t, "sublinear", fit(SublinearTF, PlainIDF).Vector("d d d")["d"], (1+math.Log(3))*math.Log(3), 1e-15)
	agree(t, "smooth", fit(RawTF, SmoothIDF).Vector("d d d")["d"], 3*(math.Log(4.0/2)+1), 1e-15)
	agree(t, "binary", fit(BinaryTF, NoIDF).Vector("d d d")["d"], 1, 0)
	agree(t, "plain, in all texts", fit(RawTF, PlainIDF).Vector("a")["a"], 0, 0)
	if _, err := FitTFIDF(TFIDF{}, data.Slice[string]{}); err == nil {
		t.Error("no texts at all are accepted")
	}
	if _, err := FitTFIDF(TFIDF{}, data.Slice[string]{"a", "\xff"}); err == nil {
		t.Error("invalid UTF-8 is accepted")
	}
}

// Over seeds, hashing has the mean of the counts; with more buckets it varies less.
func TestHashing(t *testing.T) {
	x, y := "the cat sat on the mat", "a dog sat on the cat mat"
	terms := NGrams{To: 2}
	want := terms.Eval(x, y)
	spread := map[int]float64{}
	for _, buckets := range []int{32, 512} {
		mean, seeds := 0.0, 4000
		for seed := range seeds {
			v := Hashed{Terms: terms, Buckets: buckets, Seed: uint64(seed)}.Eval(x, y)
			mean += v / float64(seeds)
			spread[buckets] += (v - want) * (v - want) / float64(seeds)
		}
		if se := math.Sqrt(spread[buckets] / float64(seeds)); math.Abs(mean-want) > 5*se {
			t.Errorf("%d buckets: the mean is %v ± %v, want %v", buckets, mean, se, want)
		}
	}
	if ratio := spread[32] / spread[512]; ratio < 8 || ratio > 32 {
		t.Errorf("16 times the buckets divide the variance by %v", ratio)
	}
	one := map[uint32]bool{}
	for i := range 1000 {
		b, _ := Hashed{Buckets: 8}.bucket(strconv.Itoa(i))
		one[b] = true
	}
	if len(one) != 8 {
		t.Errorf("1000 terms fall into %d of 8 buckets", len(one))
	}
}

// Texts of ASCII take another way through a Gram matrix; the values are the same.
func TestPackedSpectrum(t *testing.T) {
	x := randomStrings(9, "ab c", 9, 30)
	x[0] = "\x00\x00\x00\x00\x00\x00\x00\x00\x7f" // letters whose bytes are 0 are letters
	for k := 1; k <= 9; k++ {
		m := gram[string](Spectrum{K: k}, x)
		for i := range x {
			for j := range x {
				agree(t, "packed", m.At(i, j), Spectrum{K: k}.Eval(x[i], x[j]), 0)
			}
		}
		y := randomStrings(10, "a cd", 4, 30)
		kernel.Block[string](context.Background(), Spectrum{K: k}, m.Slice(0, len(x), 0, len(y)).(*mat.Dense),
			data.Points[string](x), data.Points[string](y))
		for i := range x {
			for j := range y {
				agree(t, "packed, two sides", m.At(i, j), Spectrum{K: k}.Eval(x[i], y[j]), 0)
			}
		}
	}
}

func TestSubstringsRefuseWeightsWithoutBounds(t *testing.T) {
	long := data.Slice[string]{"a", strings.Repeat("ab", 1000)}
	err := Substrings{Decay: 2}.CheckPoints(long)
	if err == nil || !strings.Contains(err.Error(), "row 1 has substrings of 2000 letters") {
		t.Errorf("2^2000 gives the error %v", err)
	}
	for _, k := range []Substrings{{}, {Decay: 0.5}, {Decay: 2, Longest: 100}} {
		if err := k.CheckPoints(long); err != nil {
			t.Error(err)
		}
		if v := k.Eval(long[1], long[1]); !finite(v) || v <= 0 {
			t.Errorf("%+v: the value is %v", k, v)
		}
	}
}

// With Ends runs keep to words, and blanks tell where these begin and end.
func TestRunsWithEndsOfWords(t *testing.T) {
	got := NGrams{From: 1, To: 3, Ends: true}.Terms("ab  c")
	want := map[string]float64{"a": 1, "b": 1, "c": 1, " a": 1, "ab": 1, "b ": 1, " ab": 1, "ab ": 1, " c": 1, "c ": 1,
		" c ": 1}
	if !maps.Equal(got, want) {
		t.Errorf("runs %v, want %v", got, want)
	}
	if (NGrams{Ends: true, Words: true}).Validate() == nil {
		t.Error("ends of runs of words are not refused")
	}
}
