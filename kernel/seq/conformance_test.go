package seq

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/kerneltest"
	"github.com/mercer-ml/mercer/kernel"
)

// textKernels are the kernels that take any text.
func textKernels(t testing.TB) map[string]kernel.Kernel[string] {
	t.Helper()
	tfidf, err := FitTFIDF(TFIDF{Terms: NGrams{Words: true}}, sentences)
	if err != nil {
		t.Fatal(err)
	}
	smooth, err := FitTFIDF(TFIDF{Terms: NGrams{From: 2, To: 3}, TF: SublinearTF, IDF: SmoothIDF}, sentences)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]kernel.Kernel[string]{
		"chars":                 BagOfCharacters{},
		"words":                 BagOfWords{},
		"folded words":          BagOfWords{Fold: true},
		"spectrum":              Spectrum{},
		"spectrum 1":            Spectrum{K: 1},
		"blended":               Blended{K: 4, Decay: 0.7},
		"blended, weights":      Blended{Weights: []float64{0, 1, 0.5}},
		"ngrams":                NGrams{From: 1, To: 2, Words: true, Fold: true},
		"ngrams of split words": NGrams{To: 2, Split: true},
		"tfidf":                 tfidf,
		"smooth tfidf":          smooth,
		"hashed":                Hashed{Terms: NGrams{To: 2}, Buckets: 64, Seed: 3},
		"substrings":            Substrings{},
		"decayed substrings":    Substrings{Decay: 0.6},
		"bounded substrings":    Substrings{Decay: 0.6, Longest: 3},
		"weighted substrings":   Substrings{Weights: []float64{1, 0, 2}},
		"ssk":                   Subsequences{},
		"long subsequences":     Subsequences{Length: 7, Decay: 0.75},
		"weighted subsequences": Subsequences{Decay: 0.7, Weights: []float64{1, 0.5, 0, 0.25}},
	}
}

func TestTextKernelsConform(t *testing.T) {
	for name, k := range textKernels(t) {
		t.Run(name, func(t *testing.T) {
			kerneltest.Run(t, k, kerneltest.Options[string]{Points: sentences, Adversarial: []data.Points[string]{
				randomStrings(1, "ab", 16, 12), randomStrings(2, "abcdefgh", 16, 20),
				data.Slice[string]{"", "", "a", "a", "aa", "aaa"},
			}})
			normal := kernel.Normalize(k)
			for _, x := range sentences {
				if v := normal.Eval(x, x); v != 0 && (v < 1-1e-12 || v > 1+1e-12) {
					t.Errorf("normalised, k(x, x) = %v at %q", v, x)
				}
				if v := k.Eval(x, ""); v != 0 {
					t.Errorf("the empty string has the value %v with %q, want 0", v, x)
				}
			}
		})
	}
}

func TestTextKernelsRefuseBadBytes(t *testing.T) {
	bad := data.Slice[string]{"fine", "", "gr\u00f6\xff\u00dfe"}
	for name, k := range textKernels(t) {
		err := kernel.Check(k, data.Points[string](bad))
		if err == nil || !strings.Contains(err.Error(), "row 2, byte 4 is 0xff") {
			t.Errorf("%s: invalid UTF-8 gives the error %v", name, err)
		}
	}
	if err := (Spectrum{}).CheckPoints(data.Slice[string]{"the replacement \ufffd is a letter"}); err != nil {
		t.Error(err)
	}
}

func TestBadParametersAreRefused(t *testing.T) {
	for want, k := range map[string]kernel.Kernel[string]{
		"spectrum: k = -1":                 Spectrum{K: -1},
		"blended: decay = -2":              Blended{Decay: -2},
		"blended: weights[1]":              Blended{Weights: []float64{1, -1}},
		"blended: an empty list":           Blended{Weights: []float64{}},
		"ngrams: from 3 to 2":              NGrams{From: 3, To: 2},
		"tfidf: it counts the documents":   TFIDF{},
		"tfidf: tf = 9":                    TFIDF{TF: 9, Texts: 1},
		"hashed: buckets = -4":             Hashed{Buckets: -4},
		"substrings: decay = -1.5":         Substrings{Decay: -1.5},
		"substrings: longest = -1":         Substrings{Longest: -1},
		"ssk: k = -1":                      Subsequences{Length: -1},
		"ssk: decay = 2":                   Subsequences{Decay: 2},
		"tfidf: the term \"a\" is in 3 of": TFIDF{Texts: 2, Documents: map[string]int{"a": 3}},
	} {
		if err := kernel.Validate(k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
