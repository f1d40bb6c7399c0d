package decompress

import (
	"bytes"
	_ "embed"
	"sync"
)

// brotliWords are the words of the format's dictionary (RFC 7932, appendix A), by
// length, from 4 to 24 letters; 1<<wordBits[length] of each. They are stored by
// gzip, which has a checksum of them.
//
//go:embed brotli_words.gz
var brotliWords []byte

var wordBits = [25]uint{4: 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5}

// wordsBytes is the size of the dictionary.
const wordsBytes = 122784

var words = sync.OnceValues(func() ([]byte, error) { return Gzip(brotliWords, wordsBytes) })

// word appends word number id of a length, which says also how it is changed.
func appendWord(dst []byte, length, id int) ([]byte, error) {
	if length < 4 || length >= len(wordBits) || id>>wordBits[length] >= len(wordChanges) {
		return nil, errBrotli
	}
	all, err := words()
	if err != nil {
		return nil, err
	}
	at := 0
	for l := range length {
		if wordBits[l] > 0 {
			at += l << wordBits[l]
		}
	}
	at += id & (1<<wordBits[length] - 1) * length
	w, change := all[at:at+length], wordChanges[id>>wordBits[length]]
	switch {
	case change.how == capital || change.how == capitals:
		w = bytes.Clone(w)
		for i := 0; i < len(w); {
			i += capitalise(w[i:])
			if change.how == capital {
				break
			}
		}
	case change.how > 0: // the first letters are left out
		w = w[min(change.how, length):]
	case change.how < 0: // the last
		w = w[:max(length+change.how, 0)]
	}
	dst = append(dst, change.before...)
	dst = append(dst, w...)
	return append(dst, change.after...), nil
}

// capitalise makes the first letter a capital, as the format sees letters, and
// returns the bytes it took.
func capitalise(w []byte) int {
	switch {
	case w[0] < 0xC0:
		if w[0] >= 'a' && w[0] <= 'z' {
			w[0] ^= 32
		}
		return 1
	case w[0] < 0xE0:
		if len(w) > 1 {
			w[1] ^= 32
		}
		return 2
	}
	if len(w) > 2 {
		w[2] ^= 5
	}
	return 3
}

// How a word is changed, besides letters left out.
const (
	capital  = 100 // the first letter
	capitals = 101 // all
)

// wordChanges are what stands around a word and how it is changed (appendix B).
var wordChanges = [121]struct {
	before string
	how    int
	after  string
}{
	{"", 0, ""}, {"", 0, " "}, {" ", 0, " "}, {"", 1, ""}, {"", capital, " "}, {"", 0, " the "}, {" ", 0, ""},
	{"s ", 0, " "},
	{"", 0, " of "}, {"", capital, ""}, {"", 0, " and "}, {"", 2, ""}, {"", -1, ""}, {", ", 0, " "}, {"", 0, ", "},
	{" ", capital, " "}, {"", 0, " in "}, {"", 0, " to "}, {"e ", 0, " "}, {"", 0, "\""}, {"", 0, "."}, {"", 0, "\">"},
	{"", 0, "\n"}, {"", -3, ""}, {"", 0, "]"}, {"", 0, " for "}, {"", 3, ""}, {"", -2, ""}, {"", 0, " a "},
	{"", 0, " that "},
	{" ", capital, ""}, {"", 0, ". "}, {".", 0, ""}, {" ", 0, ", "}, {"", 4, ""}, {"", 0, " with "}, {"", 0, "'"},
	{"", 0, " from "}, {"", 0, " by "}, {"", 5, ""}, {"", 6, ""}, {" the ", 0, ""}, {"", -4, ""}, {"", 0, ". The "},
	{"", capitals, ""}, {"", 0, " on "}, {"", 0, " as "}, {"", 0, " is "}, {"", -7, ""}, {"", -1, "ing "}, {"", 0, "\n\t"},
	{"", 0, ":"}, {" ", 0, ". "}, {"", 0, "ed "}, {"", 9, ""}, {"", 7, ""}, {"", -6, ""}, {"", 0, "("},
	{"", capital, ", "},
	{"", -8, ""}, {"", 0, " at "}, {"", 0, "ly "}, {" the ", 0, " of "}, {"", -5, ""}, {"", -9, ""}, {" ", capital, ", "},
	{"", capital, "\""}, {".", 0, "("}, {"", capitals, " "}, {"", capital, "\">"}, {"", 0, "=\""}, {" ", 0, "."},
	{".com/", 0, ""},
	{" the ", 0, " of the "}, {"", capital, "'"}, {"", 0, ". This "}, {"", 0, ","}, {".", 0, " "}, {"", capital, "("},
	{"", capital, "."}, {"", 0, " not "}, {" ", 0, "=\""}, {"", 0, "er "}, {" ", capitals, " "}, {"", 0, "al "},
	{" ", capitals, ""}, {"", 0, "='"}, {"", capitals, "\""}, {"", capital, ". "}, {" ", 0, "("}, {"", 0, "ful "},
	{" ", capital, ". "}, {"", 0, "ive "}, {"", 0, "less "}, {"", capitals, "'"}, {"", 0, "est "}, {" ", capital, "."},
	{"", capitals, "\">"}, {" ", 0, "='"}, {"", capital, ","}, {"", 0, "ize "}, {"", capitals, "."}, {"\u00a0", 0, ""},
	{" ", 0, ","}, {"", capital, "=\""}, {"", capitals, "=\""}, {"", 0, "ous "}, {"", capitals, ", "}, {"", capital, "='"},
	{" ", capital, ","}, {" ", capitals, "=\""}, {" ", capitals, ", "}, {"", capitals, ","}, {"", capitals, "("},
	{"", capitals, ". "}, {" ", capitals, "."}, {"", capitals, "='"}, {" ", capitals, ". "}, {" ", capital, "=\""},
	{" ", capitals, "='"}, {" ", capital, "='"},
}
