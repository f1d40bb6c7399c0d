package csvio

import (
	"unicode/utf8"
)

// windows1252 are the characters of the bytes 0x80 to 0x9f; the others are those of Unicode. Bytes
// that stand for nothing keep their number, as browsers have it (WHATWG, Encoding, index
// windows-1252).
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

// ascii says that no byte is above 127.
func ascii(s []byte) bool {
	for _, c := range s {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// fromWindows1252 is the text in UTF-8.
func fromWindows1252(s []byte) []byte {
	out := make([]byte, 0, len(s)+len(s)/2)
	for _, c := range s {
		switch {
		case c >= 0x80 && c < 0xa0:
			out = utf8.AppendRune(out, windows1252[c-0x80])
		default:
			out = utf8.AppendRune(out, rune(c))
		}
	}
	return out
}

// decode is a field in UTF-8. A field that is not, in a file whose encoding was not said, is taken
// for Windows-1252, by itself: the same bytes are the same text wherever in a file they stand.
// changed says so; ok is false where UTF-8 was said.
func (o *Options) decode(s []byte) (text []byte, changed, ok bool) {
	switch {
	case ascii(s):
		return s, false, true
	case o.Encoding == Windows1252:
		return fromWindows1252(s), false, true
	case utf8.Valid(s):
		return s, false, true
	case o.Encoding == UTF8:
		return s, false, false
	}
	return fromWindows1252(s), true, true
}
