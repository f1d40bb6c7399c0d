package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/mend"
)

// OfWords says whether the texts of a column are words, with blanks between them, and not strings
// of signs: a molecule, a code. Half of the texts that are not empty are enough.
func (c *Column) OfWords() bool {
	if c.Kind != Text {
		return false
	}
	blank, present := 0, 0
	for _, s := range c.Strings {
		if s != "" {
			present++
		}
		if strings.ContainsAny(strings.TrimSpace(s), " \t\n") {
			blank++
		}
	}
	return 2*blank >= present
}

// text is what becomes of a column of text.
func (o EncoderOptions) text(column string) TextPolicy {
	if own, ok := o.Texts[column]; ok {
		return own
	}
	return o.Text
}

// mayMiss are the columns of which a value may be missing: not those of texts that become words, as
// a text without words is one.
func (o EncoderOptions) mayMiss(columns []*Column) (out []*Column) {
	for _, c := range columns {
		if c.Kind != Text || o.text(c.Name) == textKeep {
			out = append(out, c)
		}
	}
	return out
}

// fitText learns the words of a column and their rarity
//
//	idf(w) = ln((1 + n) / (1 + df(w))) + 1
//
// of the n texts of which df(w) have w (the smoothed form of scikit-learn), or with textLogTFIDF
// ln(n/(1 + df(w))). Of pairs and of runs of letters, which are many, those of a single text are
// left out: they tell nothing about another one.
func (code *ColumnCode) fitText(c *Column, o EncoderOptions) error {
	policy := o.text(c.Name)
	most, least := o.Words, 1
	switch policy {
	case textKeep:
		return nil
	case textHash:
		code.Width = 1 << o.HashBits
		return nil
	case textPairs, textLetters:
		code.Terms, least = policy, 2
	}
	if most == 0 {
		if most = 50_000; code.Terms != "" {
			most = 200_000
		}
	}
	texts := map[string]int{}
	last := map[string]int{}
	for i, s := range c.Strings {
		code.Terms.terms(s, func(w string) {
			if at, ok := last[w]; !ok || at != i {
				last[w] = i
				texts[w]++
			}
		})
	}
	words := termsOf(texts, least, most)
	if len(words) == 0 { // no term is in two texts
		words = termsOf(texts, 1, most)
	}
	if len(words) == 0 {
		return &Error{Column: c.Name, Reason: fmt.Sprintf("column %q: no words in any text", c.Name), Remedy: mend.Text}
	}
	code.Words, code.Width = words, len(words)
	code.Rarity, code.LogCounts = make([]float64, len(words)), policy == textLogTFIDF
	for j, w := range words {
		if n, d := float64(c.Len()), float64(texts[w]); code.LogCounts {
			code.Rarity[j] = math.Log(n / (1 + d))
		} else {
			code.Rarity[j] = math.Log((1+n)/(1+d)) + 1
		}
	}
	return nil
}

// termsOf is the terms that at least so many texts have, the most frequent ones, in alphabetical
// order.
func termsOf(texts map[string]int, least, most int) []string {
	words := make([]string, 0, len(texts))
	for w, n := range texts {
		if n >= least {
			words = append(words, w)
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(texts[b], texts[a]), strings.Compare(a, b)) })
	words = words[:min(len(words), most)]
	slices.Sort(words)
	return words
}

// wordFinder turns texts into features of length one.
type wordFinder struct {
	code  *ColumnCode
	place map[string]int
	found []int     // features of the terms of a text, in order
	value []float64 // of each different one
}

func (code *ColumnCode) finder() *wordFinder {
	f := &wordFinder{code: code}
	if code.Words != nil {
		f.place = make(map[string]int, len(code.Words))
		for j, w := range code.Words {
			f.place[w] = j
		}
	}
	return f
}

// features gives the non-zero features of a text, in order.
func (f *wordFinder) features(text string, add func(j int, x float64)) {
	if f.code.Width == 0 {
		return
	}
	f.found, f.value = f.found[:0], f.value[:0]
	f.code.Terms.terms(text, func(w string) {
		if f.place == nil {
			f.found = append(f.found, int(fnv1a(w)&uint64(f.code.Width-1)))
		} else if j, ok := f.place[w]; ok && f.code.Rarity[j] != 0 { // 0: not a word to a refitted encoder
			f.found = append(f.found, j)
		}
	})
	slices.Sort(f.found)
	sum := 0.0
	for from := 0; from < len(f.found); {
		j, to := f.found[from], from+1
		for to < len(f.found) && f.found[to] == j {
			to++
		}
		v := f.code.weight(j, float64(to-from), f.place != nil)
		f.found[len(f.value)] = j
		f.value = append(f.value, v)
		sum += v * v
		from = to
	}
	norm := math.Sqrt(sum)
	for i, v := range f.value {
		add(f.found[i], v/norm)
	}
}

// weight is what n occurrences of term j count; named says that terms have names, and a rarity.
func (code *ColumnCode) weight(j int, n float64, named bool) float64 {
	switch {
	case code.LogCounts:
		return math.Log1p(n) * code.Rarity[j]
	case code.Terms != "":
		return (1 + math.Log(n)) * code.Rarity[j]
	case named:
		return n * code.Rarity[j]
	}
	return n
}

// fnv1a is the 64-bit FNV-1a hash, folded so that its low bits see all of it.
func fnv1a(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h ^ h>>32
}
