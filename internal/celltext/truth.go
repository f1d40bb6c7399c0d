package celltext

import (
	"strings"
)

// Truths are the pairs of words that mean false and true, in small letters. A column of strings is
// taken for truth values where its values are of one of the first pairs; the others may mean
// something else (T and F are also amino acids, 0 and 1 numbers), and are understood only where a
// truth value is wanted.
var Truths = [][2]string{{"false", "true"}, {"no", "yes"}, {"off", "on"}, {"f", "t"}, {"n", "y"}, {"0", "1"}}

// TruthOf says which pair a word is of, and whether it is the one for true.
func TruthOf(word string) (pair int, value, ok bool) {
	word = strings.TrimSpace(word)
	if len(word) > len("false") {
		return 0, false, false
	}
	for i, p := range Truths {
		for k, w := range p {
			if strings.EqualFold(w, word) {
				return i, k == 1, true
			}
		}
	}
	return 0, false, false
}

// ParseTruth reads a truth value: true or false, yes or no, on or off, t or f, y or n, 1 or 0, in
// any capitals.
func ParseTruth(s string) (value, ok bool) {
	_, value, ok = TruthOf(s)
	return value, ok
}
