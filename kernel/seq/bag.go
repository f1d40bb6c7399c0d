package seq

import (
	"context"
	"strings"
	"unicode"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// BagOfCharacters is Σ_c n_c(x)·n_c(y), n_c(x) the number of times the character (rune) c occurs in
// x: the sum over substrings of length 1. The empty string has the value 0 with all strings.
type BagOfCharacters struct{}

// Name is "chars".
func (BagOfCharacters) Name() string { return "chars" }

// Eval returns Σ_c n_c(x)·n_c(y).
func (BagOfCharacters) Eval(x, y string) float64 { return Spectrum{1}.Eval(x, y) }

// PreparePoints counts the characters of each point once.
func (BagOfCharacters) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return Spectrum{1}.PreparePoints(ctx, x, y)
}

// EachFeature adds 1 for each character.
func (BagOfCharacters) EachFeature(x string, add func(name string, value float64)) {
	Spectrum{1}.EachFeature(x, add)
}

// CheckPoints refuses strings that are no UTF-8.
func (BagOfCharacters) CheckPoints(x data.Points[string]) error { return checkText("chars", x) }

// Properties of an inner product of counts.
func (BagOfCharacters) Properties() kernel.Properties { return textFeatures() }

// BagOfWords is Σ_w n_w(x)·n_w(y), n_w(x) the number of times the word w occurs in x. Words are
// what stands between white space; Fold joins upper and lower case and drops all but letters,
// digits and marks from the edges of words. kernel.Normalize of it is the cosine of two documents.
// A text without words has the value 0 with all texts.
type BagOfWords struct {
	Fold bool
}

// Name is "words".
func (BagOfWords) Name() string { return "words" }

// Eval returns Σ_w n_w(x)·n_w(y).
func (k BagOfWords) Eval(x, y string) float64 { return k.grams().Eval(x, y) }

func (k BagOfWords) grams() NGrams { return NGrams{From: 1, To: 1, Words: true, Fold: k.Fold} }

// PreparePoints counts the words of each text once.
func (k BagOfWords) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return k.grams().PreparePoints(ctx, x, y)
}

// EachFeature adds 1 for each word.
func (k BagOfWords) EachFeature(x string, add func(name string, value float64)) {
	k.grams().EachFeature(x, add)
}

// CheckPoints refuses texts that are no UTF-8.
func (BagOfWords) CheckPoints(x data.Points[string]) error { return checkText("words", x) }

// Properties of an inner product of counts.
func (BagOfWords) Properties() kernel.Properties { return textFeatures() }

// words splits a text at white space.
func words(s string, fold bool) []string {
	if !fold {
		return strings.Fields(s)
	}
	var out []string
	for _, w := range strings.Fields(strings.ToLower(s)) {
		w = strings.TrimFunc(w, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) &&
				!unicode.IsMark(r)
		})
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}
